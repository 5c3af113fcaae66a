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
from twin.language import tr
from twin.physics.psychrometrics import ALLOWABLE, DEW_MARGIN_K
from twin.plant.cooling import HEAT_CAPACITY_J_M3K, RISE_K
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

_Loop = Callable[[RuleContext, Ints32, Path], Iterator[Found]]


def _each_loop(check: _Loop) -> Finds:
    """Return a check of one generator of loops as one of all of them."""

    def find(case: RuleContext) -> Iterator[Found]:
        first = 0
        for i, generator in enumerate(case.scenario.cooling.loops):
            slots = np.arange(first, first + generator.count, dtype=np.int32)
            first += generator.count
            yield from check(case, slots, ("cooling", "loops", i))

    return find


def _worst(case: RuleContext, slots: Ints32) -> tuple[int, int]:
    """Return the loop with the most heat of those given, and its count of units."""
    plant = case.plant
    worst = int(slots[np.argmax(case.heat_w[slots])])
    if isinstance(case.catalog.part(plant.loops.part[worst]), RdhxPart):
        return worst, int((plant.racks.present & (plant.racks.air_loop == worst)).sum())
    return worst, int(plant.loops.units[worst])


def _ids(case: RuleContext, loops: Ints32, first: int) -> tuple[str, ...]:
    """Return the ids of loops, one of them first."""
    ids = case.plant.loops.ids
    return (ids[first], *(ids[loop] for loop in loops.tolist() if loop != first))


def _capacity(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops whose units are too small for the heat of their racks."""
    loops, heat_w = case.plant.loops, case.heat_w
    worst, units = _worst(case, slots)
    part = case.catalog.part(loops.part[worst])
    if not isinstance(part, CduPart | CrahPart | RdhxPart):
        return
    has, makes = quantity(part.capacity_w * units, "power"), quantity(float(heat_w[worst]), "power")
    if makes.value <= has.value * ROUNDING:
        return
    enough = int(np.ceil(makes.value / part.capacity_w))
    reason = tr(
        "is too low: cooling capacity of {loop}, {has}, is below the design heat of its racks, {makes}",
        loop=loops.ids[worst],
        has=has.text,
        makes=makes.text,
    )
    fix = (
        tr("a larger door")
        if isinstance(part, RdhxPart)
        else tr("{enough} units, or more loops", enough=enough)
    )
    over = slots[heat_w[slots] > has.value * ROUNDING]
    ids = _ids(case, over, worst)
    yield Found(at=(*at, "units"), reason=reason, fix=fix, ids=ids, value=makes, limit=has)


def _flow(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops whose design flow exceeds the pump rating of their CDU."""
    loops = case.plant.loops
    worst, units = _worst(case, slots)
    part = case.catalog.part(loops.part[worst])
    if not isinstance(part, CduPart) or part.flow_m3_s is None:
        return
    largest = int(slots[np.argmax(loops.flow_m3_s[slots])])
    has = quantity(part.flow_m3_s * units, "volume_flow")
    asked = quantity(float(loops.flow_m3_s[largest]), "volume_flow")
    if asked.value > has.value * ROUNDING:
        reason = tr(
            "is too low: {units} {id} deliver {has}, below the design flow of {loop}, {asked}",
            units=units,
            id=part.id,
            has=has.text,
            loop=loops.ids[largest],
            asked=asked.text,
        )
        fix = tr("{ceil} units, or more loops", ceil=int(np.ceil(asked.value / part.flow_m3_s)))
        ids = _ids(case, slots[loops.flow_m3_s[slots] > has.value * ROUNDING], largest)
        yield Found(at=(*at, "units"), reason=reason, fix=fix, ids=ids, value=asked, limit=has)


def _rise(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops whose flow is so low that the delta-T over the racks exceeds its limit."""
    loops = case.plant.loops
    kind = LoopKind(loops.kind[int(slots[0])])
    if kind not in RISE_K:
        return
    slots = slots[loops.flow_m3_s[slots] > 0]  # racks without nodes breathe as they like
    if not len(slots):
        return
    rise_k = case.heat_w[slots] / (HEAT_CAPACITY_J_M3K[kind] * loops.flow_m3_s[slots])
    worst, most_k = int(slots[np.argmax(rise_k)]), float(rise_k.max())
    if most_k <= RISE_K[kind] * ROUNDING:
        return
    right = quantity(float(loops.flow_m3_s[worst]) * most_k / RISE_K[kind], "volume_flow")
    rise = quantity(most_k, "temperature_difference")
    limit = quantity(RISE_K[kind], "temperature_difference")
    medium = "coolant" if kind == LoopKind.LIQUID else "air"
    reason = tr(
        "is too low: {medium} delta-T of {loop} is {rise}, limit {limit}",
        medium=medium,
        loop=loops.ids[worst],
        rise=rise.text,
        limit=limit.text,
    )
    ids = _ids(case, slots[rise_k > RISE_K[kind] * ROUNDING], worst)
    yield Found(
        at=(*at, "flow"),
        reason=reason,
        fix=tr("{right} or more", right=right.text),
        ids=ids,
        value=rise,
        limit=limit,
    )


def _dew_point(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield supply temperatures with a risk of condensation on the pipes."""
    loops = case.plant.loops
    supply_c = float(loops.supply_c[int(slots[0])])
    dew = quantity(float(case.plant.halls.dew_point_c[np.unique(loops.hall[slots])].max()), "temperature")
    if LoopKind(loops.kind[int(slots[0])]) != LoopKind.AIR and supply_c < dew.value + DEW_MARGIN_K:
        right = quantity(dew.value + DEW_MARGIN_K, "temperature")
        reason = tr(
            "is less than {dew_margin_k:g} K above the dew point of the hall, {dew}: condensation risk",
            dew_margin_k=DEW_MARGIN_K,
            dew=dew.text,
        )
        fix = tr("{right} or more, or drier air", right=right.text)
        supply = quantity(supply_c, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=supply, limit=right)


def _air_class(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield supply air temperatures outside the ASHRAE class of the hall."""
    loops, halls = case.plant.loops, case.plant.halls
    if LoopKind(loops.kind[int(slots[0])]) != LoopKind.AIR:
        return
    supply = quantity(float(loops.supply_c[int(slots[0])]), "temperature")
    classes = [halls.air_class[hall] for hall in np.unique(loops.hall[slots]).tolist()]
    low_c = max(ALLOWABLE[name].low_c for name in classes)
    high_c = min(ALLOWABLE[name].high_c for name in classes)
    if not low_c <= supply.value <= high_c:
        reason = tr(
            "is {supply}, outside the allowable range of ASHRAE class {set}",
            supply=supply.text,
            set=" and ".join(sorted(set(classes))),
        )
        fix = tr("{low_c:g} to {high_c:g} °C; recommended 18 to 27 °C", low_c=low_c, high_c=high_c)
        limit = quantity(low_c if supply.value < low_c else high_c, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=supply, limit=limit)


def _approach(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield supply temperatures that facility water and heat exchanger cannot reach."""
    plant, loops, slot = case.plant, case.plant.loops, int(slots[0])
    part = case.catalog.part(loops.part[slot])
    supply = quantity(float(loops.supply_c[slot]), "temperature")
    water = quantity(float(plant.plants.supply_c[loops.plant[slot]]), "temperature")
    liquid = LoopKind(loops.kind[slot]) == LoopKind.LIQUID
    approach_k = (getattr(part, "approach_k", None) if liquid else 0.0) or 0.0
    if supply.value < water.value + approach_k - 1e-6:
        over = (
            tr(" plus {approach_k:g} K approach of the heat exchanger", approach_k=approach_k)
            if approach_k
            else ""
        )
        reason = tr("is colder than its facility water, {water}{over}", water=water.text, over=over)
        fix = tr("{water:g} °C or more, or colder facility water", water=water.value + approach_k)
        limit = quantity(water.value + approach_k, "temperature")
        yield Found(at=(*at, "supply"), reason=reason, fix=fix, value=supply, limit=limit)


def _idle(case: RuleContext, slots: Ints32, at: Path) -> Iterator[Found]:
    """Yield loops that cool no rack."""
    plant, racks = case.plant, case.plant.racks
    busy = np.concatenate([racks.loop[racks.present], racks.air_loop[racks.present]])
    idle = slots[~np.isin(slots, busy) & plant.loops.present[slots]]
    if not len(idle):
        return
    ids = tuple(plant.loops.ids[loop] for loop in idle.tolist())
    reason = tr("leads to no rack: the loop cools nothing")
    if len(idle) < len(slots):
        reason = tr(
            "leaves {idle_count:,} of {slots:,} loops without racks, {first_id} first",
            idle_count=len(idle),
            slots=len(slots),
            first_id=ids[0],
        )
    fix = tr("let it cool rows without a loop, or remove it")
    counted, none = number(len(idle), "loops" if len(idle) > 1 else "loop"), number(0, "loops")
    yield Found(at=(*at, "serves"), reason=reason, fix=fix, ids=ids, value=counted, limit=none)


def _split_halls(case: RuleContext) -> Iterator[Found]:
    """Yield loops on another facility loop than the one that takes most heat of their hall."""
    plant, loops, racks = case.plant, case.plant.loops, case.plant.racks
    busy = np.isin(np.arange(len(loops.ids)), np.concatenate([racks.loop, racks.air_loop]))
    first = 0
    for i, generator in enumerate(case.scenario.cooling.loops):
        slots = np.arange(first, first + generator.count, dtype=np.int32)
        first += generator.count
        for hall in np.unique(loops.hall[slots[busy[slots]]]).tolist():
            in_hall = busy & (loops.hall == hall)
            heat_w = np.bincount(loops.plant[in_hall], case.heat_w[in_hall], len(plant.plants.ids))
            most, own = int(heat_w.argmax()), int(loops.plant[slots[0]])
            if own == most:
                continue
            name, best = plant.halls.ids[hall], plant.plants.ids[most]
            reason = tr(
                "is {plant}, but most heat of {name} goes to {best}: air mixes in a hall, so all its "
                "loops need the same facility loop",
                plant=plant.plants.ids[own],
                name=name,
                best=best,
            )
            ids = tuple(loops.ids[loop] for loop in slots[in_hall[slots]].tolist())
            fix = tr("{best}, or another hall for the rows it serves", best=best)
            yield Found(at=("cooling", "loops", i, "plant"), reason=reason, fix=fix, ids=ids)


def _plant_size(case: RuleContext) -> Iterator[Found]:
    """Yield facility loops with too few units for the heat of the halls."""
    plants = case.plant.plants
    heat_w = np.bincount(case.plant.loops.plant, case.heat_w, len(plants.ids))
    for slot, facility_loop in enumerate(case.scenario.cooling.plants):
        part, needed = case.catalog.part(plants.part[slot]), int(plants.needed[slot])
        if not isinstance(part, ChillerPart | CoolingTowerPart | DryCoolerPart):
            continue
        has = quantity(part.capacity_w * needed, "power")
        makes = quantity(float(heat_w[slot]), "power")
        if makes.value > has.value * ROUNDING:
            reason = tr(
                "is too low: {needed} {id} reject {has}, below the design heat of the halls, {makes}",
                needed=needed,
                id=part.id,
                has=has.text,
                makes=makes.text,
            )
            key = "units" if facility_loop.needed is None else "needed"
            fix = tr("{ceil} units", ceil=int(np.ceil(makes.value / part.capacity_w)))
            at: Path = ("cooling", "plants", slot, key)
            yield Found(at=at, reason=reason, fix=fix, value=makes, limit=has)


def _set_point(case: RuleContext) -> Iterator[Found]:
    """Yield set points that tower or dry cooler cannot reach in the design weather."""
    plants = case.plant.plants
    if not plants.ids:
        return
    dry_c, wet_c = design_weather_c(case.scenario.site.climate)
    for slot in range(len(plants.ids)):
        part, set_c = case.catalog.part(plants.part[slot]), float(plants.supply_c[slot])
        if isinstance(part, CoolingTowerPart):
            reach_c, air = wet_c + part.approach_k, tr("{wet_c:.0f} °C wet bulb", wet_c=wet_c)
        elif isinstance(part, DryCoolerPart):
            reach_c, air = dry_c + part.approach_k, tr("{dry_c:.0f} °C outdoor air", dry_c=dry_c)
        else:
            continue
        if reach_c > set_c + 1e-6:
            yield Found(
                at=("cooling", "plants", slot, "supply"),
                reason=tr(
                    "is not met at design conditions: at {air} a {id} supplies {reach_c:.0f} °C",
                    air=air,
                    id=part.id,
                    reach_c=reach_c,
                ),
                fix=tr("{ceil:.0f} °C or more, or a chiller", ceil=np.ceil(reach_c)),
                value=quantity(set_c, "temperature"),
                limit=quantity(reach_c, "temperature"),
            )


def _uncooled(case: RuleContext) -> Iterator[Found]:
    """Yield nodes that no loop serves."""
    nodes = case.plant.nodes
    bare = nodes.present & (nodes.loop < 0)
    for at, racks in case.by_generator(np.unique(nodes.rack[bare])):
        count = int(bare[np.isin(nodes.rack, [case.plant.slots[rack][1] for rack in racks])].sum())
        yield Found(
            at=(*at, "id"),
            reason=tr("has {count:,} nodes without a coolant or air loop", count=count),
            fix=tr("add its row to the racks that a cooling loop cools"),
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
        tr("Node without cooling"),
        "cooling",
        "error",
        tr("Nodes whose rows no coolant or air loop serves."),
        tr("the engine needs a loop for every node"),
        _uncooled,
    ),
    Rule(
        "cooling-capacity",
        tr("Cooling capacity too low"),
        "cooling",
        "error",
        tr("Design heat of the racks of each loop, against the capacity of its CDUs, CRAHs or doors."),
        tr("rating of the part"),
        _each_loop(_capacity),
    ),
    Rule(
        "cdu-flow",
        tr("CDU flow too low"),
        "cooling",
        "error",
        tr("Design flow of each liquid loop, against the pump rating of its CDUs."),
        tr("rating of the part"),
        _each_loop(_flow),
    ),
    Rule(
        "loop-rise",
        tr("Delta-T too high"),
        "cooling",
        "warning",
        tr("Delta-T of coolant or air over the racks at their design heat."),
        tr("20 K for coolant, 25 K for air [est]; usual designs have 8 to 12 K and 10 to 20 K"),
        _each_loop(_rise),
    ),
    Rule(
        "dew-point",
        tr("Condensation risk"),
        "cooling",
        "error",
        tr("Coolant supply temperature, against the dew point of the hall plus a margin."),
        tr(
            "ASHRAE TC 9.9, liquid cooling: {dew_margin_k:g} K above the dew point", dew_margin_k=DEW_MARGIN_K
        ),
        _each_loop(_dew_point),
    ),
    Rule(
        "air-class",
        tr("Supply air outside its ASHRAE class"),
        "cooling",
        "error",
        tr("Supply air temperature, against the allowable range of the equipment class."),
        tr("ASHRAE TC 9.9, Thermal Guidelines, classes A1 to A4"),
        _each_loop(_air_class),
    ),
    Rule(
        "supply-approach",
        tr("Supply colder than facility water allows"),
        "cooling",
        "error",
        tr(
            "Supply temperature of a loop, against its facility water plus the approach of the heat exchanger."
        ),
        tr("approach of the part"),
        _each_loop(_approach),
    ),
    Rule(
        "plant-size",
        tr("Heat rejection too small"),
        "cooling",
        "error",
        tr("Nameplate heat of the halls, against the needed chillers, cooling towers or dry coolers."),
        tr("rating of the part"),
        _plant_size,
    ),
    Rule(
        "design-weather",
        tr("Set point not met at design conditions"),
        "cooling",
        "warning",
        tr(
            "Facility water temperature that a cooling tower or dry cooler reaches in 99.6 % of the hours of a year."
        ),
        tr("ASHRAE Fundamentals, chapter Climatic Design Information: 0.4 % design conditions"),
        _set_point,
    ),
    Rule(
        "loop-idle",
        tr("Loop that cools nothing"),
        "cooling",
        "notice",
        tr("CDUs, air handlers and doors whose loop serves no rack."),
        tr("the scene itself"),
        _each_loop(_idle),
    ),
    Rule(
        "hall-water",
        tr("Hall on two facility loops"),
        "cooling",
        "error",
        tr("Facility loops of the cooling loops of each hall: only one may take heat from its air."),
        tr("the engine needs one facility loop for each hall"),
        _split_halls,
    ),
)
