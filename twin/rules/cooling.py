"""Design rules of the cooling: too little capacity or flow, water too cold for the hall or for the weather."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from twin.arrays import Ints32
from twin.catalog import (
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
)
from twin.physics.comfort import ALLOWABLE, DEW_MARGIN_K
from twin.plant.tables import LoopKind
from twin.rules.finding import Found, number, quantity
from twin.rules.rule import Finds, Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.formats.climates import year_of
from twin.scenario.schema.hourly_text import unpack
from twin.scenario.schema.site import CLIMATE_HOURS, Climate
from twin.scenario.text.parse import Path

DESIGN_PERCENTILE = 99.6
"""Share of the hours of a year that are no warmer than the design weather, as ASHRAE tabulates it."""

WET_SWING = 0.4
"""Daily swing of the wet bulb over that of the dry bulb, of a mean day [est]."""

ROUNDING = 1.001

RISE_K = {LoopKind.LIQUID: 20.0, LoopKind.AIR: 25.0, LoopKind.REAR_DOOR: 25.0}
"""Most that coolant or air may warm by in the racks: cold plates are rated for 1.2 lpm/kW or so, twelve kelvin; at 20
the last ones get water some 10 K warmer than designed. Fans of servers give up at 25 K [est]."""

HEAT_CAPACITY_J_M3K = {LoopKind.LIQUID: 4.0e6, LoopKind.AIR: 1.2e3, LoopKind.REAR_DOOR: 1.2e3}
"""Of a volume of coolant (water with 25 % glycol) and of air."""

_Loop = Callable[[RuleContext, Ints32, Path], Iterator[Found]]


def _each_loop(check: _Loop) -> Finds:
    """Return a check of one generator of loops as one of all of them."""

    def find(case: RuleContext) -> Iterator[Found]:
        first = 0
        for i, generator in enumerate(case.scenario.cooling.loops):
            mine = np.arange(first, first + generator.count, dtype=np.int32)
            first += generator.count
            yield from check(case, mine, ("cooling", "loops", i))

    return find


def _worst(case: RuleContext, mine: Ints32) -> tuple[int, int]:
    """Return the hottest of some loops, and the machines it has."""
    plant = case.plant
    worst = int(mine[np.argmax(case.heat_w[mine])])
    if isinstance(case.catalog.part(plant.loops.part[worst]), RdhxPart):
        return worst, int((plant.racks.present & (plant.racks.air_loop == worst)).sum())
    return worst, int(plant.loops.units[worst])


def _ids(case: RuleContext, loops: Ints32, first: int) -> tuple[str, ...]:
    """Return the ids of loops, one of them first."""
    ids = case.plant.loops.ids
    return (ids[first], *(ids[loop] for loop in loops.tolist() if loop != first))


def _capacity(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops whose machines are too small for the heat of their racks."""
    loops, heat_w = case.plant.loops, case.heat_w
    worst, units = _worst(case, mine)
    part = case.catalog.part(loops.part[worst])
    if not isinstance(part, CduPart | CrahPart | RdhxPart):
        return
    has, makes = quantity(part.capacity_w * units, "power"), quantity(float(heat_w[worst]), "power")
    if makes.value <= has.value * ROUNDING:
        return
    enough = int(np.ceil(makes.value / part.capacity_w))
    reason = (
        f"gives {loops.ids[worst]} {has.text} of cooling, and its racks make {makes.text} at their nameplates"
    )
    fix = "a larger door" if isinstance(part, RdhxPart) else f"{enough} units of it, or more loops"
    over = mine[heat_w[mine] > has.value * ROUNDING]
    ids = _ids(case, over, worst)
    yield Found(at=(*at, "units"), reason=reason, fix=fix, ids=ids, value=makes, limit=has)


def _flow(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops that ask their CDU for more than its pumps move."""
    loops = case.plant.loops
    worst, units = _worst(case, mine)
    part = case.catalog.part(loops.part[worst])
    if not isinstance(part, CduPart) or part.flow_m3_s is None:
        return
    largest = int(mine[np.argmax(loops.flow_m3_s[mine])])
    has = quantity(part.flow_m3_s * units, "volume_flow")
    asked = quantity(float(loops.flow_m3_s[largest]), "volume_flow")
    if asked.value > has.value * ROUNDING:
        reason = f"needs {asked.text} in one loop, and {units} {part.id} move {has.text}"
        fix = f"{int(np.ceil(asked.value / part.flow_m3_s))} units, or more loops"
        ids = _ids(case, mine[loops.flow_m3_s[mine] > has.value * ROUNDING], largest)
        yield Found(at=(*at, "units"), reason=reason, fix=fix, ids=ids, value=asked, limit=has)


def _rise(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops whose flow lets coolant or air warm by too much on its way through the racks."""
    loops = case.plant.loops
    kind = LoopKind(loops.kind[int(mine[0])])
    if kind not in RISE_K:
        return
    rise_k = case.heat_w[mine] / (HEAT_CAPACITY_J_M3K[kind] * np.maximum(loops.flow_m3_s[mine], 1e-9))
    worst, most_k = int(mine[np.argmax(rise_k)]), float(rise_k.max())
    if most_k <= RISE_K[kind] * ROUNDING:
        return
    right = quantity(float(loops.flow_m3_s[worst]) * most_k / RISE_K[kind], "volume_flow")
    rise = quantity(most_k, "temperature_difference")
    limit = quantity(RISE_K[kind], "temperature_difference")
    what = "coolant" if kind == LoopKind.LIQUID else "air"
    reason = f"lets the {what} of {loops.ids[worst]} warm by {rise.text} in its racks, and {limit.text} are the most"
    ids = _ids(case, mine[rise_k > RISE_K[kind] * ROUNDING], worst)
    yield Found(
        at=(*at, "flow"), reason=reason, fix=f"{right.text} or more", ids=ids, value=rise, limit=limit
    )


def _dew_point(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield supplies at which pipes sweat."""
    loops = case.plant.loops
    supply_c = float(loops.supply_c[int(mine[0])])
    dew = quantity(float(case.plant.halls.dew_point_c[np.unique(loops.hall[mine])].max()), "temperature")
    if LoopKind(loops.kind[int(mine[0])]) != LoopKind.AIR and supply_c < dew.value + DEW_MARGIN_K:
        right = quantity(dew.value + DEW_MARGIN_K, "temperature")
        reason = f"is less than {DEW_MARGIN_K:g} K above the dew point of the hall, {dew.text}: pipes sweat"
        fix = f"{right.text} or more, or drier air"
        said = quantity(supply_c, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=said, limit=right)


def _air_class(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield supplies of air outside the class of the hall."""
    loops, halls = case.plant.loops, case.plant.halls
    if LoopKind(loops.kind[int(mine[0])]) != LoopKind.AIR:
        return
    said = quantity(float(loops.supply_c[int(mine[0])]), "temperature")
    classes = [halls.air_class[hall] for hall in np.unique(loops.hall[mine]).tolist()]
    low_c = max(ALLOWABLE[name].low_c for name in classes)
    high_c = min(ALLOWABLE[name].high_c for name in classes)
    if not low_c <= said.value <= high_c:
        reason = f"is {said.text}, outside what ASHRAE class {' and '.join(sorted(set(classes)))} allows"
        fix = f"{low_c:g} to {high_c:g} degC; 18 to 27 degC are recommended"
        limit = quantity(low_c if said.value < low_c else high_c, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=said, limit=limit)


def _approach(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield supplies colder than their facility water and the exchanger between allow."""
    plant, loops, slot = case.plant, case.plant.loops, int(mine[0])
    part = case.catalog.part(loops.part[slot])
    supply = quantity(float(loops.supply_c[slot]), "temperature")
    water = quantity(float(plant.plants.supply_c[loops.plant[slot]]), "temperature")
    liquid = LoopKind(loops.kind[slot]) == LoopKind.LIQUID
    approach_k = (getattr(part, "approach_k", None) if liquid else 0.0) or 0.0
    if supply.value < water.value + approach_k - 1e-6:
        over = f" and {approach_k:g} K of its exchanger" if approach_k else ""
        reason = f"is colder than the facility water of {water.text}{over} allows"
        fix = f"{water.value + approach_k:g} degC or more, or colder facility water"
        limit = quantity(water.value + approach_k, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=supply, limit=limit)


def _idle(case: RuleContext, mine: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops that take the heat of no rack."""
    plant, racks = case.plant, case.plant.racks
    busy = np.concatenate([racks.loop[racks.present], racks.air_loop[racks.present]])
    idle = mine[~np.isin(mine, busy) & plant.loops.present[mine]]
    if not len(idle):
        return
    ids = tuple(plant.loops.ids[loop] for loop in idle.tolist())
    reason = "cools nothing: no rack hangs on it"
    if len(idle) < len(mine):
        reason = f"has {len(idle):,} of {len(mine):,} loops that no rack hangs on, {ids[0]} first"
    fix = "name rows under serves that have no loop yet, or take it away"
    counted, none = number(len(idle), "loops" if len(idle) > 1 else "loop"), number(0, "loops")
    yield Found(at=(*at, "serves"), reason=reason, fix=fix, ids=ids, value=counted, limit=none)


def _split_halls(case: RuleContext) -> Iterator[Found]:
    """Yield loops that hang on another facility loop than most heat of their hall."""
    plant, loops, racks = case.plant, case.plant.loops, case.plant.racks
    busy = np.isin(np.arange(len(loops.ids)), np.concatenate([racks.loop, racks.air_loop]))
    first = 0
    for i, generator in enumerate(case.scenario.cooling.loops):
        mine = np.arange(first, first + generator.count, dtype=np.int32)
        first += generator.count
        for hall in np.unique(loops.hall[mine[busy[mine]]]).tolist():
            here = busy & (loops.hall == hall)
            heat_w = np.bincount(loops.plant[here], case.heat_w[here], len(plant.plants.ids))
            most, own = int(heat_w.argmax()), int(loops.plant[mine[0]])
            if own == most:
                continue
            name, best = plant.halls.ids[hall], plant.plants.ids[most]
            reason = (
                f"is {plant.plants.ids[own]} while most heat of {name} goes to {best}: air of a hall mixes, so all its "
                "loops hang on one facility loop"
            )
            ids = tuple(loops.ids[loop] for loop in mine[here[mine]].tolist())
            fix = f"{best} here too, or another hall for the rows it serves"
            yield Found(at=("cooling", "loops", i, "plant"), reason=reason, fix=fix, ids=ids)


def _plant_size(case: RuleContext) -> Iterator[Found]:
    """Yield facility loops with too few machines for the heat of the halls."""
    plants = case.plant.plants
    for slot, said in enumerate(case.scenario.cooling.plants):
        part, needed = case.catalog.part(plants.part[slot]), int(plants.needed[slot])
        if not isinstance(part, ChillerPart | CoolingTowerPart | DryCoolerPart):
            continue
        has = quantity(part.capacity_w * needed, "power")
        makes = quantity(float(plants.rated_w[slot]), "power")
        if makes.value > has.value * ROUNDING:
            makes_them = f"the halls make {makes.text} at their nameplates"
            reason = f"is too few: {needed} {part.id} cool {has.text}, and {makes_them}"
            key = "units" if said.needed is None else "needed"
            fix = f"{int(np.ceil(makes.value / part.capacity_w))} of them"
            at: Path = ("cooling", "plants", slot, key)
            yield Found(at=at, reason=reason, fix=fix, value=makes, limit=has)


def _set_point(case: RuleContext) -> Iterator[Found]:
    """Yield set points that the last stage cannot hold in the design weather."""
    plants = case.plant.plants
    if not plants.ids:
        return
    dry_c, wet_c = design_weather_c(case.scenario.site.climate)
    for slot in range(len(plants.ids)):
        part, set_c = case.catalog.part(plants.part[slot]), float(plants.supply_c[slot])
        if isinstance(part, CoolingTowerPart):
            reach_c, air = wet_c + part.approach_k, f"a wet bulb of {wet_c:.0f} degC"
        elif isinstance(part, DryCoolerPart):
            reach_c, air = dry_c + part.approach_k, f"{dry_c:.0f} degC outside"
        else:
            continue
        if reach_c > set_c + 1e-6:
            yield Found(
                at=("cooling", "plants", slot, "supply"),
                reason=f"cannot be held on the hottest days: at {air} a {part.id} gives {reach_c:.0f} degC",
                fix=f"{np.ceil(reach_c):.0f} degC or more, or a chiller",
                value=quantity(set_c, "temperature"),
                limit=quantity(reach_c, "temperature"),
            )


def _uncooled(case: RuleContext) -> Iterator[Found]:
    """Yield nodes that no loop serves."""
    nodes = case.plant.nodes
    bare = nodes.present & (nodes.loop < 0)
    for at, racks in case.by_generator(np.unique(nodes.rack[bare])):
        count = int(bare[np.isin(nodes.rack, [case.plant.slots[one][1] for one in racks])].sum())
        yield Found(
            at=(*at, "id"),
            reason=f"has {count:,} nodes that stand in no coolant or air loop",
            fix="name it under serves of a loop of cooling",
            ids=tuple(racks),
            value=number(count, "nodes"),
            limit=number(0, "nodes"),
        )


@lru_cache(maxsize=8)
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


RULES = (
    Rule(
        "node-uncooled",
        "Node without cooling",
        "cooling",
        "error",
        "Nodes whose rows no coolant or air loop serves.",
        "no run is possible",
        _uncooled,
    ),
    Rule(
        "cooling-capacity",
        "Loop too small for its heat",
        "cooling",
        "error",
        "Heat of the racks of each loop at their nameplates, against its CDUs, CRAHs or doors.",
        "rating of the part",
        _each_loop(_capacity),
    ),
    Rule(
        "cdu-flow",
        "CDU moves too little",
        "cooling",
        "error",
        "Design flow of each liquid loop, against what its CDUs move.",
        "rating of the part",
        _each_loop(_flow),
    ),
    Rule(
        "loop-rise",
        "Coolant warms too much",
        "cooling",
        "warning",
        "Rise of coolant or air through the racks at their nameplates.",
        "20 K of coolant, 25 K of air [est]; designs take 8 to 12 K and 10 to 20 K",
        _each_loop(_rise),
    ),
    Rule(
        "dew-point",
        "Supply below the dew point",
        "cooling",
        "error",
        "Supply of coolant, against the dew point of the hall and a margin.",
        f"ASHRAE TC 9.9, liquid cooling: {DEW_MARGIN_K:g} K above the dew point",
        _each_loop(_dew_point),
    ),
    Rule(
        "air-class",
        "Air outside its class",
        "cooling",
        "error",
        "Supply of air, against what the class of the equipment allows.",
        "ASHRAE TC 9.9, Thermal Guidelines, classes A1 to A4",
        _each_loop(_air_class),
    ),
    Rule(
        "supply-approach",
        "Supply colder than its water",
        "cooling",
        "error",
        "Supply of a loop, against its facility water and the approach of the exchanger.",
        "approach of the part",
        _each_loop(_approach),
    ),
    Rule(
        "plant-size",
        "Facility plant too small",
        "cooling",
        "error",
        "Heat of the halls at their nameplates, against the needed chillers, towers or coolers.",
        "rating of the part",
        _plant_size,
    ),
    Rule(
        "design-weather",
        "Set point lost on hot days",
        "cooling",
        "warning",
        "Facility water that tower or dry cooler can give on the hottest days.",
        "ASHRAE Fundamentals, chapter Climatic Design Information: 0.4 % design conditions",
        _set_point,
    ),
    Rule(
        "loop-idle",
        "Loop that cools nothing",
        "cooling",
        "notice",
        "CDUs, air handlers and doors whose loop no rack hangs on.",
        "the scene itself",
        _each_loop(_idle),
    ),
    Rule(
        "hall-water",
        "Hall on two facility loops",
        "cooling",
        "error",
        "Facility loops that the loops of each hall hang on: one takes the heat of its air.",
        "no run is possible",
        _split_halls,
    ),
)
