"""What there is of the facility: power stages, substation, own sources, cooling machines, building and land."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from twin.catalog import Catalog, RdhxPart
from twin.economics.bill import Asset, BillLine, Group
from twin.plant.design_load import DesignLoad, rack_design_w
from twin.plant.tables import Plant
from twin.record.site_year import J_PER_KWH

GENERATION = ("gas", "smr", "solar")
"""Kinds of stages that make energy day by day; a diesel generator stands by, and belongs to the power chain."""
PER_RACK_KW: tuple[tuple[Group, str, Asset], ...] = (
    ("building", "land", "land"),
    ("building", "shell", "shell"),
    ("building", "site-works", "shell"),
    ("building", "white-space", "shell"),
    ("building", "other-construction", "shell"),
)
"""Lines by the design power of the racks: group, price, what they wear out with."""


def site_lines(plant: Plant, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the lines of the facility of a scene."""
    yield from machine_lines(plant, catalog)
    yield from _of_ratings(plant, catalog)
    rack_kw = float(rack_design_w(plant, catalog).sum()) / 1e3
    for group, entry, asset in PER_RACK_KW:
        yield BillLine(group, entry, rack_kw, "kW", asset)
    if plant.plants.ids:
        yield BillLine("cooling", "piping", rack_kw, "kW", "mep")


def machine_lines(plant: Plant, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the machines of power and cooling that are parts of the catalogue."""
    power, racks, loops, plants = plant.power, plant.racks, plant.loops, plant.plants
    stages: Counter[tuple[str, str]] = Counter()
    for kind, part, units, present in zip(
        power.kind, power.part, power.units.tolist(), power.present.tolist(), strict=True
    ):
        if part and present:
            stages[kind, part] += units
    for (kind, part), count in stages.items():
        yield BillLine(_group_of(kind), part, count, "", "mep")
    behind = racks.air_loop[racks.present & (racks.air_loop >= 0)]
    doors = np.bincount(behind, minlength=len(loops.ids))
    for slot, name in enumerate(loops.part):
        door = isinstance(catalog.part(name), RdhxPart)
        count = int(doors[slot]) if door else int(loops.units[slot])
        yield BillLine("cooling", name, count * int(loops.present[slot]), "", "mep")
    for slot, name in enumerate(plants.part):
        yield BillLine("cooling", name, int(plants.units[slot]) * int(plants.present[slot]), "", "mep")


def grid_power_w(plant: Plant, catalog: Catalog) -> float:
    """Return the power for which the utilities of a site are built [W]; 0 without one."""
    power = plant.power
    utility = np.array([kind == "utility" for kind in power.kind], np.bool_) & power.present
    return float(_carried_w(plant, catalog)[utility].sum()) if utility.any() else 0.0


def source_power_w(plant: Plant) -> dict[str, float]:
    """Return the rated power of the sources on site, by kind of stage [W]."""
    found: dict[str, float] = {}
    power = plant.power
    for item, kind in enumerate(power.kind):
        if kind in GENERATION and power.present[item] and np.isfinite(power.capacity_w[item]):
            each_w = float(power.capacity_w[item]) / max(1, int(power.needed[item]))
            found[kind] = found.get(kind, 0.0) + each_w * int(power.units[item])
    return found


def source_carbon_kg_j(plant: Plant) -> dict[str, float]:
    """Return the carbon of what the sources on site give, by kind of stage; the mean of their items [kg/J]."""
    power = plant.power
    found: dict[str, list[float]] = {}
    for item, kind in enumerate(power.kind):
        if kind in GENERATION and power.present[item]:
            found.setdefault(kind, []).append(float(power.carbon_kg_j[item]))
    return {kind: float(np.mean(carbon_kg_j)) for kind, carbon_kg_j in found.items()}


def _of_ratings(plant: Plant, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the stages of the power tree that are no parts of the catalogue, by what they are rated for."""
    power = plant.power
    carried_w = _carried_w(plant, catalog)
    for item in np.flatnonzero(power.present).tolist():
        kind = power.kind[item]
        if kind == "utility":
            for entry in ("substation", "grid-connection"):
                yield BillLine("substation", entry, float(carried_w[item]) / 1e3, "kW", "mep")
        elif not power.part[item] and kind == "battery":
            yield BillLine("power", "battery-kwh", float(power.energy_j[item]) / J_PER_KWH, "kWh", "mep")
        elif not power.part[item]:
            all_w = float(carried_w[item]) * int(power.units[item]) / max(1, int(power.needed[item]))
            yield BillLine(_group_of(kind), f"{kind}-kw", all_w / 1e3, "kW", "mep")


def _group_of(kind: str) -> Group:
    return "generation" if kind in GENERATION else "power"


def _carried_w(plant: Plant, catalog: Catalog) -> np.ndarray:
    """Return the capacity of each item, or the most that it delivers where it has none [W]."""
    capacity_w = plant.power.capacity_w
    if not len(capacity_w):
        return np.zeros(0)
    return np.where(np.isfinite(capacity_w), capacity_w, DesignLoad(plant, catalog).most_w())
