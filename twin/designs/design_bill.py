"""The bill of a design that is not drawn yet: nodes and switches counted, power and cooling by kW and redundancy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from twin.catalog import Catalog, CduPart, ChillerPart, CrahPart
from twin.commands.edit.command import CommandError
from twin.commands.room.room_design import AISLE_M, CDUS, FAN_WALL, STORE_BOXES, STORE_PART, network_racks
from twin.commands.room.room_plan import RoomRequest
from twin.commands.wiring.cable_reach import cable_for
from twin.commands.wiring.redundancy import PowerMeans, chillers_for, installed
from twin.designs.hall_part import HallPart
from twin.designs.site_outages import HOUR_S, YEAR_S
from twin.economics.bill import Bill, BillLine, gathered
from twin.economics.energy_use import MONTHS, EnergyUse
from twin.economics.it_lines import OPTICAL, node_lines, rack_lines
from twin.economics.price_book import PriceBook
from twin.economics.site_lines import PER_RACK_KW
from twin.physics.weather import MONTH_DAYS
from twin.plant.cabinet import CABINET_WIDTH_M
from twin.record.site_year import J_PER_KWH
from twin.scenario.checks.fabric_size import Size, cards_of
from twin.scenario.formats.climates import hottest_c, place
from twin.scenario.schema.site import Climate, RedundancyLevel

PER_KW = ("switchgear-kw", "transformer-kw", "ups-kw", "pdu-kw", "generator-kw")
FACILITY_KW = ("switchgear-kw", "transformer-kw", "generator-kw")
"""Stages that carry cooling too, not the racks alone."""
SPARE_SHARE = {"N": 1.0, "N+1": 1.25, "2N": 2.0}
"""Installed over needed of power stages: one machine of four or five more, or all twice [est]."""
HEADROOM = 1.25
"""Capacity of power stages and of the connection over their load: nothing carries more than four fifths for long."""
HOTTEST_C, HOT_DAY_FACTOR = (17.0, 24.0, 29.0, 49.0), (1.12, 1.18, 1.25, 1.39)
"""Power of a site over that of its racks [-], by the hottest hour of a year [C]: losses, fans, chillers [est]."""
YEAR_FACTOR, YEAR_FACTOR_PER_K, LEAST_YEAR_FACTOR = 1.02, 0.0075, 1.08
"""The same over a typical year: at a mean of 0 deg C outside, more for each K, and at least [est]."""
SLACK_M = 8.0
"""Of a cable beside its way along the rows: down, up and across [m] [est]."""
AROUND = 1.35
"""Area of the hall over that of its rows with their aisles [-] [est]."""


class DesignBill:
    """Bills of designs.

    Parameters
    ----------
    catalog
        With its prices.
    site_factor
        Power of a site over that of its racks on the hottest day, as `hot_day_factor` tells it [-].
    """

    def __init__(self, catalog: Catalog, site_factor: float) -> None:
        self.catalog, self.book, self.site_factor = catalog, PriceBook(catalog), site_factor

    def rack_w(self, part: HallPart, room: RoomRequest, size: Size | None) -> float:
        """Return the design load of all racks [W]."""
        total = part.design_w * nodes_of(part, room)
        if size is not None:
            for ports, count in _switches(size):
                total += self.catalog.switch(ports).typical_w * count
        return total + (self.catalog.storage(STORE_PART).power_w or 0.0) * room.storage

    def bill(self, part: HallPart, room: RoomRequest, size: Size | None) -> Bill:
        """Return the bill of a room.

        Parameters
        ----------
        part
            What it is filled with.
        room, size
            Its figures, and its switches; None: there are none.
        """
        rack_w = self.rack_w(part, room, size)
        site_w = rack_w * self.site_factor
        lines = [
            *self._it(part, room, size),
            *self._power(rack_w / 1e3, site_w / 1e3, room.power),
            *self._cooling(part, rack_w, room.cooling),
        ]
        kept = gathered(line for line in lines if line.entry in self.book)
        gpus = {part.gpu: part.node.n_gpu * nodes_of(part, room)}
        stands_by = site_w * SPARE_SHARE[room.power] if room.generators else 0.0
        return Bill(kept, gpus, rack_w, site_w, {"generator": stands_by})

    def _it(self, part: HallPart, room: RoomRequest, size: Size | None) -> Iterator[BillLine]:
        nodes, racks = nodes_of(part, room), room.rows * room.racks
        yield from node_lines(part.node.id, nodes, self.catalog)
        yield from rack_lines(part.stack.rack or "", racks, self.catalog, self.book)
        more = math.ceil(room.storage / STORE_BOXES)
        if size is not None:
            more += network_racks(size)
            for switch, count in _switches(size):
                yield BillLine("network", switch, count, "", "it")
            yield from self._cables(part, room, size, nodes)
        yield from rack_lines("", more, self.catalog, self.book)
        yield BillLine("storage", STORE_PART, room.storage, "", "it")

    def _cables(self, part: HallPart, room: RoomRequest, size: Size, nodes: int) -> Iterator[BillLine]:
        cards, card_bytes_s = cards_of(part.node, self.catalog)
        leaves = size.leaves * max(1, size.units)
        width_m = room.racks * part.stack.width_m
        depth_m = room.rows * room.row_pitch_m
        assert size.leaf is not None
        try:
            cable = self._cable(round(width_m + depth_m + SLACK_M), size.leaf.bytes_s)
        except CommandError:
            cable = self._cable(50, size.leaf.bytes_s)
        split = min(1.0, card_bytes_s / self.catalog.cable(cable).bandwidth_bytes_s)
        count = (nodes * cards + leaves * size.up) * split
        yield BillLine("cables", cable, count, "", "it")
        if self.catalog.cable(cable).medium in OPTICAL:
            yield BillLine("cables", "fibre", count * (width_m / 4 + depth_m / 2 + SLACK_M), "m", "it")

    @lru_cache(maxsize=512)  # noqa: B019 - as long as the screening
    def _cable(self, length_m: float, bytes_s: float) -> str:
        return cable_for(self.catalog, length_m, bytes_s)

    def _power(self, rack_kw: float, site_kw: float, level: RedundancyLevel) -> Iterator[BillLine]:
        means = PowerMeans.of(level)
        for entry in PER_KW:
            carried = site_kw if entry in FACILITY_KW else rack_kw
            times = float(means.feeds) if entry == "pdu-kw" else SPARE_SHARE[level]
            yield BillLine("power", entry, carried * HEADROOM * times, "kW", "mep")
        for entry in ("substation", "grid-connection"):
            yield BillLine("substation", entry, site_kw * HEADROOM * means.paths, "kW", "mep")
        for group, entry, asset in PER_RACK_KW:
            yield BillLine(group, entry, rack_kw, "kW", asset)

    def _cooling(self, part: HallPart, rack_w: float, level: RedundancyLevel) -> Iterator[BillLine]:
        wet_w = rack_w * part.node.liquid_fraction
        chiller = chillers_for(rack_w)[-1 if rack_w > 1.5e6 else 0]
        for entry, heat_w in ((chiller, rack_w), (CDUS[-1], wet_w), (FAN_WALL, rack_w - wet_w)):
            machine = self.catalog.part(entry)
            assert isinstance(machine, ChillerPart | CduPart | CrahPart)
            each_w = machine.capacity_w
            needed = math.ceil(heat_w / each_w)
            if needed:
                units = heat_w / each_w if needed == 1 and level == "N" else installed(needed, level)
                yield BillLine("cooling", entry, units, "", "mep")
        yield BillLine("cooling", "piping", rack_w / 1e3, "kW", "mep")


def nodes_of(part: HallPart, room: RoomRequest) -> int:
    """Return the nodes of a room."""
    each = part.stack.nodes if part.stack.rack else room.nodes
    return each * room.rows * room.racks


def area_m2(part: HallPart, room: RoomRequest, size: Size | None) -> float:
    """Return the floor of the hall, network, stores and what stands around the rows included [m2]."""
    more = math.ceil(room.storage / STORE_BOXES) + (network_racks(size) if size is not None else 0)
    racks_m2 = room.rows * room.racks * part.stack.width_m * room.row_pitch_m
    return AROUND * (racks_m2 + more * CABINET_WIDTH_M * room.row_pitch_m + 2 * AISLE_M * room.row_pitch_m)


def year_factor(climate: str) -> float:
    """Return the energy of a site over that of its racks in a typical year [-].

    A line through the typical years of 34 halls as designs of needs are built, with air and with coolant alike: 1.09 to
    1.13 in Frankfurt and Santa Clara, 1.19 to 1.20 in Phoenix, 1.23 to 1.25 in Singapore. It is within 0.03 of each.

    Parameters
    ----------
    climate
        Place of assets/weather/places.yaml.
    """
    mean_c = float(np.average(place(climate).normals.dry_c, weights=MONTH_DAYS))
    return max(LEAST_YEAR_FACTOR, YEAR_FACTOR + YEAR_FACTOR_PER_K * mean_c)


def hot_day_factor(climate: Climate) -> float:
    """Return the power of a site over that of its racks in the hottest hour of its climate [-].

    Straight lines through 44 halls as designs of needs are built in eleven places, with air and with coolant, at N,
    N+1 and 2N; within 0.03 of each: 1.12 in Reykjavik, 1.27 in Frankfurt, 1.30 in Singapore, 1.39 in Phoenix. Beyond
    those it is that of the nearest.
    """
    return float(np.interp(hottest_c(climate), HOTTEST_C, HOT_DAY_FACTOR))


def use_of_load(it_w: float, load: float, factor: float, price_usd_j: float, carbon_kg_j: float) -> EnergyUse:
    """Return what a year draws, with the racks at a share of their design load all the time.

    Parameters
    ----------
    it_w, load
        Design load of the racks [W], and the share of it [-].
    factor
        Energy of the site over that of the racks, as `year_factor` tells it [-].
    price_usd_j, carbon_kg_j
        Of energy from the grid [USD/J], [kg/J].
    """
    hours = YEAR_S / HOUR_S
    it_kwh = it_w / 1e3 * load * hours
    grid_kwh = it_kwh * factor
    return EnergyUse(
        "the mean power of its workloads",
        YEAR_S,
        it_kwh,
        grid_kwh,
        grid_kwh * price_usd_j * J_PER_KWH,
        np.full(MONTHS, grid_kwh / hours),
        {},
        0.0,
        grid_kwh * carbon_kg_j * J_PER_KWH,
    )


def _switches(size: Size) -> Iterator[tuple[str, int]]:
    for ports, count in ((size.leaf, size.leaves * max(1, size.units)), (size.spine, size.spines)):
        if ports is not None and count:
            yield ports.part, count
