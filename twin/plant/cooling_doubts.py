"""Design rules of the cooling: too little capacity or flow, water too cold for the hall or for the weather."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import (
    Catalog,
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
)
from twin.physics.comfort import ALLOWABLE, DEW_MARGIN_K
from twin.plant.facility import rated_heat_w
from twin.plant.tables import LoopKind, Plant
from twin.scenario.document import Scenario
from twin.scenario.packed_hours import unpack
from twin.scenario.places import year_of
from twin.scenario.quantity import rendered
from twin.scenario.site import CLIMATE_HOURS, Climate
from twin.scenario.tree import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

DESIGN_PERCENTILE = 99.6
"""Share of the hours of a year that are no warmer than the design weather, as ASHRAE tabulates it."""

WET_SWING = 0.4
"""Daily swing of the wet bulb over that of the dry bulb, of a mean day [est]."""

ROUNDING = 1.001


def cooling_doubts(scenario: Scenario, plant: Plant, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what the cooling is asked for and cannot give, with every node at its nameplate power."""
    first = 0
    heat_w = rated_heat_w(plant, catalog, plant.loops)
    for i, generator in enumerate(scenario.cooling.loops):
        mine = np.arange(first, first + generator.count)
        first += generator.count
        at: Path = ("cooling", "loops", i)
        yield from _capacity(plant, catalog, mine, heat_w, at)
        yield from _temperature(plant, catalog, mine, at)
    for i, _ in enumerate(scenario.cooling.plants):
        yield from _set_point(scenario, plant, catalog, i)


def _capacity(
    plant: Plant, catalog: Catalog, mine: np.ndarray, heat_w: np.ndarray, at: Path
) -> Iterator[Wrong]:
    """Yield loops whose machines are too small for the heat or the flow of their racks."""
    loops = plant.loops
    worst = int(mine[np.argmax(heat_w[mine])])
    part, units = catalog.part(loops.part[worst]), int(loops.units[worst])
    if isinstance(part, RdhxPart):
        units = int((plant.racks.present & (plant.racks.air_loop == worst)).sum())
    if isinstance(part, CduPart | CrahPart | RdhxPart):
        has_w = part.capacity_w * units
        if heat_w[worst] > has_w * ROUNDING:
            enough = int(np.ceil(heat_w[worst] / part.capacity_w))
            reason = (
                f"gives {loops.ids[worst]} {rendered(_round(has_w), 'power')} of cooling, and its racks make "
                f"{rendered(_round(heat_w[worst]), 'power')} of heat at their nameplates"
            )
            hint = "a larger door" if isinstance(part, RdhxPart) else f"{enough} units of it, or more loops"
            yield (*at, "units"), reason, hint
    if isinstance(part, CduPart) and part.flow_m3_s is not None:
        has_m3_s, asked_m3_s = part.flow_m3_s * units, float(loops.flow_m3_s[mine].max())
        if asked_m3_s > has_m3_s * ROUNDING:
            reason = (
                f"needs {rendered(_round(asked_m3_s), 'volume_flow')} in one loop, and {units} {part.id} move "
                f"{rendered(_round(has_m3_s), 'volume_flow')}"
            )
            yield (*at, "units"), reason, f"{int(np.ceil(asked_m3_s / part.flow_m3_s))} units, or more loops"


def _temperature(plant: Plant, catalog: Catalog, mine: np.ndarray, at: Path) -> Iterator[Wrong]:
    """Yield supplies below the dew point, outside the class of the hall, or colder than their water allows."""
    loops, halls = plant.loops, plant.halls
    slot = int(mine[0])
    supply_c, kind = float(loops.supply_c[slot]), LoopKind(loops.kind[slot])
    said = rendered(supply_c, "temperature")
    here = np.unique(loops.hall[mine])
    dew_c = float(halls.dew_point_c[here].max())
    if kind != LoopKind.AIR and supply_c < dew_c + DEW_MARGIN_K:
        right = rendered(dew_c + DEW_MARGIN_K, "temperature")
        reason = f"is less than {DEW_MARGIN_K:g} K above the dew point of the hall, {rendered(dew_c, 'temperature')}"
        yield (*at, "supply"), f"{reason}: pipes sweat", f"{right} or more, or drier air"
    if kind == LoopKind.AIR:
        classes = [halls.air_class[hall] for hall in here.tolist()]
        low_c = max(ALLOWABLE[name].low_c for name in classes)
        high_c = min(ALLOWABLE[name].high_c for name in classes)
        if not low_c <= supply_c <= high_c:
            reason = f"is {said}, outside what ASHRAE class {' and '.join(sorted(set(classes)))} allows"
            yield (*at, "supply"), reason, f"{low_c:g} to {high_c:g} degC; 18 to 27 degC are recommended"
    part = catalog.part(loops.part[slot])
    water_c = float(plant.plants.supply_c[loops.plant[slot]])
    approach_k = getattr(part, "approach_k", None) if kind == LoopKind.LIQUID else 0.0
    if supply_c < water_c + (approach_k or 0.0) - 1e-6:
        over = f" and {approach_k:g} K of its exchanger" if approach_k else ""
        reason = f"is colder than the facility water of {rendered(water_c, 'temperature')}{over} allows"
        yield (
            (*at, "supply"),
            reason,
            f"{water_c + (approach_k or 0.0):g} degC or more, or colder facility water",
        )


def _set_point(scenario: Scenario, plant: Plant, catalog: Catalog, slot: int) -> Iterator[Wrong]:
    """Yield set points that the last stage cannot hold in the design weather, and machines too small for the heat."""
    plants = plant.plants
    at: Path = ("cooling", "plants", slot)
    part, set_c = catalog.part(plants.part[slot]), float(plants.supply_c[slot])
    if isinstance(part, ChillerPart | CoolingTowerPart | DryCoolerPart):
        has_w = part.capacity_w * int(plants.needed[slot])
        if plants.rated_w[slot] > has_w * ROUNDING:
            reason = (
                f"is too few: {int(plants.needed[slot])} {part.id} cool {rendered(_round(has_w), 'power')}, and the "
                f"halls make {rendered(_round(float(plants.rated_w[slot])), 'power')} at their nameplates"
            )
            key = "units" if scenario.cooling.plants[slot].needed is None else "needed"
            yield (*at, key), reason, f"{int(np.ceil(plants.rated_w[slot] / part.capacity_w))} of them"
    dry_c, wet_c = design_weather_c(scenario.site.climate)
    if isinstance(part, CoolingTowerPart):
        reach_c, air = wet_c + part.approach_k, f"a wet bulb of {wet_c:.0f} degC"
    elif isinstance(part, DryCoolerPart):
        reach_c, air = dry_c + part.approach_k, f"{dry_c:.0f} degC outside"
    else:
        return
    if reach_c > set_c + 1e-6:
        reason = f"cannot be held on the hottest days: at {air} a {part.id} gives {reach_c:.0f} degC"
        hint = f"{np.ceil(reach_c):.0f} degC or more, or a chiller"
        yield (*at, "supply"), reason, hint


def design_weather_c(climate: Climate) -> tuple[float, float]:
    """Return the dry and the wet bulb that all but 0.4 % of the hours stay below [C]; of a mean day its warmest."""
    if climate.hours is not None:
        columns = unpack(climate.hours, CLIMATE_HOURS)
        dry_c, wet_c = columns["dry_bulb"], columns["wet_bulb"]
    elif climate.place is not None:
        year = year_of(climate.place)
        dry_c, wet_c = year.dry_c, year.wet_c
    else:
        half_k = climate.swing_k / 2
        return climate.dry_bulb_c + half_k, climate.wet_bulb_c + WET_SWING * half_k
    return float(np.percentile(dry_c, DESIGN_PERCENTILE)), float(np.percentile(wet_c, DESIGN_PERCENTILE))


def _round(value: float) -> float:
    """Return a value to three digits."""
    return float(f"{float(value):.3g}")
