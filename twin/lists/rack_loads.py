"""Loads of racks: power by feed and phase, heat, weight, rack units in use."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from twin.catalog import BusbarPart, Catalog, PduPart
from twin.language import tr
from twin.lists.table import Cell, SiteColumn, SiteList
from twin.plant.design_load import rack_budget, rack_weights_kg
from twin.plant.graph import power_path
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

COLUMNS = (
    SiteColumn("row", tr("Row")),
    SiteColumn("rack", tr("Rack")),
    SiteColumn("part", tr("Part")),
    SiteColumn("nodes", tr("Nodes"), "", 0),
    SiteColumn("weight_kg", tr("Weight"), "kg", 0),
    SiteColumn("power_kw", tr("Design power"), "kW", 1),
    SiteColumn("coolant_kw", tr("Heat into coolant"), "kW", 1),
    SiteColumn("air_kw", tr("Heat into air"), "kW", 1),
    SiteColumn("feed_a", tr("Feed A")),
    SiteColumn("feed_b", tr("Feed B")),
    SiteColumn("feed_kw", tr("On a feed, both live"), "kW", 1),
    SiteColumn("alone_kw", tr("On a feed, the other dead"), "kW", 1),
    SiteColumn("volt", tr("Voltage between phases"), "V", 0),
    SiteColumn("phases", tr("Phases")),
    SiteColumn("phase_a", tr("On each phase, both feeds live"), "A", 1),
    SiteColumn("phase_alone_a", tr("On each phase, the other dead"), "A", 1),
)
SUMMED = ("nodes", "weight_kg", "power_kw", "coolant_kw", "air_kw")


def rack_loads(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Return a row for each rack. Phases are loaded alike: power supplies of nodes and shelves are spread over them."""
    return SiteList("racks", tr("Rack loads"), COLUMNS, tuple(_rows(plant, catalog)), (), SUMMED)


def phase_current_a(power_w: float, volt: float, phases: int) -> float:
    """Return the current of each phase of a balanced load [A].

    Parameters
    ----------
    power_w
        Of the load, at a power factor of 1, as that of power supplies nearly is [W].
    volt
        Between phases, or of the direct current [V].
    phases
        3, or 1.
    """
    return power_w / (volt * math.sqrt(3.0) if phases == 3 else volt)


def _rows(plant: Plant, catalog: Catalog) -> Iterator[tuple[Cell, ...]]:
    racks = plant.racks
    budget, weight_kg = rack_budget(plant, catalog), rack_weights_kg(plant, catalog)[0]
    count = np.bincount(plant.nodes.rack, plant.nodes.present, len(racks.ids))
    for slot in np.flatnonzero(racks.present).tolist():
        feeds = [int(feed) for feed in (racks.feed_a[slot], racks.feed_b[slot])]
        live = sum(feed >= 0 for feed in feeds)
        power_w = float(budget.power_w[slot])
        volt, phases = _supply(plant, catalog, feeds)
        on_feed = [power_w / live, power_w] if live else [None, None]
        current = [
            None if load is None or volt is None or phases is None else phase_current_a(load, volt, phases)
            for load in on_feed
        ]
        yield (
            plant.rows.labels[int(racks.row[slot])],
            racks.ids[slot],
            racks.part[slot],
            int(count[slot]),
            float(weight_kg[slot]),
            power_w / 1e3,
            float(budget.liquid_w[slot]) / 1e3,
            float(budget.air_w[slot]) / 1e3,
            *(plant.power.ids[feed] if feed >= 0 else "" for feed in feeds),
            *(None if load is None else load / 1e3 for load in on_feed),
            volt,
            phases,
            *current,
        )


def _supply(plant: Plant, catalog: Catalog, feeds: list[int]) -> tuple[float | None, int | None]:
    """Return voltage and phases of the nearest PDU or busway upstream of a rack; None where none says it."""
    for feed in feeds:
        for item in power_path(plant, feed):
            name = plant.power.part[item]
            part = catalog.part(name) if name else None
            if isinstance(part, PduPart | BusbarPart):
                return part.voltage_v, part.phases
    return None, None
