"""Design rules of the power tree: overload, redundancy that is not there, lone feeds, batteries too short.

Loads are those with everything at its most: see `twin.plant.design_load`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.arrays import Bools, Floats
from twin.plant.dependencies import SUSTAINS
from twin.plant.design_load import item_limit_w
from twin.plant.graph import power_path
from twin.plant.tables import Plant
from twin.rules.finding import Found, Measure, number, quantity
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.file.warnings import idle_stages, unfed
from twin.scenario.schema.electricity import ON_SITE
from twin.scenario.text.parse import Path

UNEVEN = 1.2
"""Load of the heavier side over the lighter one from which A and B are out of balance [est]."""

ROUNDING = 1.001


def _power(value_w: float) -> Measure:
    return quantity(float(value_w), "power")


def _over(plant: Plant, load_w: Floats) -> Bools:
    return np.asarray(load_w > item_limit_w(plant) * ROUNDING, np.bool_)


def _worst(plant: Plant, stage: int, load_w: Floats, among: Bools) -> int:
    """Return the most loaded of some items of a stage."""
    mine = np.flatnonzero((plant.power.stage == stage) & among)
    return int(mine[np.argmax((load_w / item_limit_w(plant))[mine])])


def _overloads(case: RuleContext, kind: str) -> Iterator[Found]:
    """Yield stages above what they carry for long, by what limits them: breaker, spare units or capacity."""
    plant, load_w = case.plant, case.usual_w
    power, over, limits_w = plant.power, _over(plant, load_w), item_limit_w(plant)
    for stage in np.unique(power.stage[over]).tolist():
        item = _worst(plant, stage, load_w, over)
        said = case.scenario.power[stage]
        carried, limit = _power(load_w[item]), _power(limits_w[item])
        more = f"a count of {_enough(said.count, carried.value, limit.value)} would do"
        at: Path = ("power", stage, "count")
        if limit.value < power.capacity_w[item]:
            limited = "breaker"
            percent = 100 * load_w[item] / power.breaker_w[item]
            reason = (
                f"leaves {carried.text} on the breaker of {power.ids[item]}, {percent:.0f} % of its rating"
            )
            fix = f"80 %, {limit.text}, may flow for long: {more}, or a larger breaker"
        elif power.units[item] > power.needed[item]:
            limited, at = "units", ("power", stage, "units")
            units, needed = int(power.units[item]), int(power.needed[item])
            reason = (
                f"promises {needed} of {units} units, but {power.ids[item]} carries {carried.text}: with "
                f"{units - needed} lost the others are above their {limit.text}"
            )
            fix = f"more units, or {more}"
        else:
            limited, fix = "capacity", more
            reason = f"leaves {carried.text} on {power.ids[item]}, which has {limit.text}"
        if limited == kind:
            ids = _worst_first(plant, (power.stage == stage) & over, load_w)
            yield Found(at=at, reason=reason, fix=fix, ids=ids, value=carried, limit=limit)


def _worst_first(plant: Plant, items: Bools, load_w: Floats) -> tuple[str, ...]:
    mine = np.flatnonzero(items)
    order = np.argsort(-(load_w / item_limit_w(plant))[mine], kind="stable")
    return tuple(plant.power.ids[item] for item in mine[order].tolist())


def _enough(count: int, load_w: float, limit_w: float) -> int:
    return int(np.ceil(count * load_w / limit_w - 1e-9))


def _lost_sides(case: RuleContext) -> Iterator[Found]:
    """Yield stages that are overloaded when the other feed of what they feed is lost."""
    scenario, plant = case.scenario, case.plant
    racks, power, over = plant.racks, plant.power, _over(plant, case.usual_w)
    dual = (racks.feed_a >= 0) & (racks.feed_b >= 0) & racks.present
    told: set[int] = set()
    for column, other in ((racks.feed_a, racks.feed_b), (racks.feed_b, racks.feed_a)):
        for stage in np.unique(power.stage[column[dual]]).tolist():
            lost = power.stage == stage
            partners = np.unique(power.stage[other[dual & lost[column]]])
            if stage in partners:
                continue  # both feeds are of one stage: nothing independent is claimed
            out_w = case.load.out_w(lost)
            above = _above(plant, np.isin(power.stage, partners))
            hit = _over(plant, out_w) & above & ~over
            for one in np.unique(power.stage[hit]).tolist():
                if one in told:
                    continue
                told.add(one)
                item = _worst(plant, one, out_w, hit)
                carried, limit = _power(out_w[item]), _power(item_limit_w(plant)[item])
                reason = (
                    f"cannot carry all when feed {scenario.power[stage].id} is lost: {power.ids[item]} would have "
                    f"{carried.text} of {limit.text}"
                )
                enough = _enough(scenario.power[one].count, carried.value, limit.value)
                yield Found(
                    at=("power", one, "count"),
                    reason=reason,
                    fix=f"2N needs a count of {enough}, or larger ones",
                    ids=_worst_first(plant, (power.stage == one) & hit, out_w),
                    value=carried,
                    limit=limit,
                )


def _above(plant: Plant, items: Bools) -> Bools:
    """Return some items and all they hang on, but the roots that both sides share."""
    found = np.zeros(len(items), np.bool_)
    for item in np.flatnonzero(items).tolist():
        found[list(power_path(plant, item))] = True
    return found & (plant.power.parent >= 0)


def _lone_feeds(case: RuleContext) -> Iterator[Found]:
    """Yield racks on one feed while others have two, and machines with one cord in a rack that has two."""
    plant, racks = case.plant, case.plant.racks
    feeds = (racks.feed_a >= 0).astype(int) + (racks.feed_b >= 0)
    if not (feeds[racks.present] == 2).any():
        return
    lone = np.flatnonzero((feeds == 1) & racks.present)
    for at, ids in case.by_generator(lone):
        reason = "hangs on one feed while other rows hang on two: it goes dark with that one"
        fix = "name it under feeds of a second stage"
        one, two = number(1, "feed"), number(2, "feeds")
        yield Found(at=(*at, "id"), reason=reason, fix=fix, ids=tuple(ids), value=one, limit=two)
    single = np.array([_cords(case, name) == 1 for name in plant.node_parts], np.bool_)
    corded = np.zeros(len(racks.ids), np.bool_)
    if len(single):
        nodes = plant.nodes
        corded[nodes.rack[single[nodes.part] & nodes.present]] = True
    corded = np.where(racks.shelves > 0, racks.shelves == 1, corded)
    for at, ids in case.by_generator(np.flatnonzero(corded & (feeds == 2) & racks.present)):
        reason = "has a single power cord a machine, so only one of its two feeds reaches what stands there"
        fix = "parts with two power supplies, two shelves, or a rack transfer switch"
        one, two = number(1, "cord"), number(2, "cords")
        yield Found(at=(*at, "racks"), reason=reason, fix=fix, ids=tuple(ids), value=one, limit=two)


def _cords(case: RuleContext, part: str) -> int | None:
    """Return the power supplies of a node; None where nobody says, or the busbar of the rack feeds it."""
    node = case.catalog.node(part)
    return node.psu_count if node.power_entry == "psu" else None


def _dark_racks(case: RuleContext) -> Iterator[Found]:
    """Yield rows of racks that hold gear and hang on no stage, in a scene that has a power tree."""
    racks = case.plant.racks
    if not case.scenario.power:
        return
    dark = case.geared & (racks.feed_a < 0) & (racks.feed_b < 0)
    for at, ids in case.by_generator(np.flatnonzero(dark)):
        count = number(len(ids), "racks" if len(ids) > 1 else "rack")
        reason = (
            f"has gear in {count.text} with no power feed: nothing there would start, and no limit counts it"
        )
        fix = "name it under feeds of a stage of power"
        none = number(0, "racks")
        yield Found(at=(*at, "id"), reason=reason, fix=fix, ids=tuple(ids), value=count, limit=none)


def _empty_rows(case: RuleContext) -> Iterator[Found]:
    """Yield rows on no power stage that hold nothing yet: of the others `_dark_racks` tells."""
    geared = {at for at, _ in case.by_generator(np.flatnonzero(case.geared))}
    for at, reason, hint in unfed(case.scenario, case.catalog):
        if at[:-1] not in geared:
            yield Found(at=at, reason=reason, fix=hint)


def _imbalance(case: RuleContext) -> Iterator[Found]:
    """Yield the heavier side when the stages that feed racks twice are loaded unevenly."""
    plant, load_w = case.plant, case.usual_w
    racks, power = plant.racks, plant.power
    dual = (racks.feed_a >= 0) & (racks.feed_b >= 0) & racks.present
    if not dual.any():
        return
    sides = [np.unique(power.stage[column[dual]]) for column in (racks.feed_a, racks.feed_b)]
    if set(sides[0].tolist()) & set(sides[1].tolist()):
        return
    a_w, b_w = (float(load_w[np.isin(power.stage, side)].sum()) for side in sides)
    if max(a_w, b_w) <= UNEVEN * min(a_w, b_w):
        return
    heavy = sides[0] if a_w > b_w else sides[1]
    reason = (
        f"is out of balance with the other side: feed A carries {_power(a_w).text}, feed B {_power(b_w).text}"
    )
    yield Found(
        at=("power", int(heavy[0]), "feeds"),
        reason=reason,
        fix="hang what has one feed on the lighter side, or on both",
        value=number(max(a_w, b_w) / max(1.0, min(a_w, b_w)), "to 1"),
        limit=number(UNEVEN, "to 1"),
    )


def _unprotected(case: RuleContext) -> Iterator[Found]:
    """Yield loops whose pumps stop with the utility while the racks they cool go on."""
    scenario, plant, power = case.scenario, case.plant, case.plant.power
    held = np.array([kind in ("ups", "battery") for kind in power.kind], np.bool_)
    if not held.any():
        return
    rides = np.append(_rides_through(plant), False)
    racks = plant.racks
    first = 0
    for i, generator in enumerate(scenario.cooling.loops):
        mine = np.arange(first, first + generator.count)
        first += generator.count
        cooled = np.isin(racks.loop, mine) | np.isin(racks.air_loop, mine)
        if not (rides[racks.feed_a] | rides[racks.feed_b])[cooled & racks.present].any():
            continue
        feeds = np.stack([plant.loops.feed_a[mine], plant.loops.feed_b[mine]])
        if not rides[feeds].any(axis=0).all():
            what = "fans" if generator.kind == "air" else "pumps"
            where = "on no stage" if (feeds < 0).all() else "on no UPS"
            reason = f"has its {what} {where}: they stop with the utility while the racks go on from their batteries"
            hint = "name the loop under feeds of a stage behind the UPS; chillers may wait for a generator"
            yield Found(at=("cooling", "loops", i, "id"), reason=reason, fix=hint)


def _rides_through(plant: Plant) -> Bools:
    """Return which items a battery carries when the utility is lost: a UPS, or battery storage beside them."""
    power = plant.power
    rides = np.array([kind == "ups" for kind in power.kind], np.bool_) & (power.energy_j > 0)
    for item, (bus, kind) in enumerate(zip(power.bus.tolist(), power.kind, strict=True)):
        if bus >= 0 and kind in ("battery", *SUSTAINS) and kind != "generator" and power.present[item]:
            rides[bus] = True
    for item, parent in enumerate(power.parent.tolist()):  # parents come before children
        rides[item] |= parent >= 0 and rides[parent]
    return rides & power.present


def _batteries(case: RuleContext) -> Iterator[Found]:
    """Yield UPS whose battery ends before a generator carries the load, or that have neither."""
    power = case.plant.power
    generators = [item for item, kind in enumerate(power.kind) if kind == "generator" and power.present[item]]
    others = any(kind in SUSTAINS and kind != "generator" for kind in power.kind)
    needed_s = max((float(power.start_s[g] + power.accept_s[g]) for g in generators), default=0.0)
    for i, stage in enumerate(case.scenario.power):
        if stage.kind != "ups":
            continue
        item = int(np.flatnonzero(power.stage == i)[0])
        capacity_w = float(power.capacity_w[item]) * int(power.units[item]) / int(power.needed[item])
        lasts_s = float(power.energy_j[item]) / capacity_w if capacity_w > 0 else 0.0
        at: Path = ("power", i, "battery")
        if generators and lasts_s < needed_s:
            lasts, needed = quantity(lasts_s, "duration"), quantity(needed_s, "duration")
            reason = f"lasts {lasts.text} at full load, and the generators carry it only after {needed.text}"
            fix = "a longer battery, or generators that start sooner"
            yield Found(at=at, reason=reason, fix=fix, value=lasts, limit=needed)
        elif not generators and not others and lasts_s == 0.0:
            reason = "is empty and there is no generator: the first dip of the grid is an outage"
            yield Found(
                at=at, reason=reason, fix="minutes of battery, or a generator at the output of a stage"
            )


def _small_generators(case: RuleContext) -> Iterator[Found]:
    """Yield generators that, with the sources beside them, cannot take the load of the stage they stand at."""
    power, load_w = case.plant.power, case.usual_w
    root = next((i for i, kind in enumerate(power.kind) if kind not in ON_SITE), -1)
    given_w: dict[int, float] = {}
    engines: dict[int, int] = {}
    for item, kind in enumerate(power.kind):
        if kind not in SUSTAINS or not power.present[item]:
            continue
        bus = int(power.bus[item]) if power.bus[item] >= 0 else root
        given_w[bus] = given_w.get(bus, 0.0) + float(np.nan_to_num(power.capacity_w[item], nan=np.inf))
        if kind == "generator":
            engines.setdefault(bus, int(power.stage[item]))
    told: set[int] = set()
    for bus, stage in engines.items():
        if bus < 0 or stage in told or given_w[bus] * ROUNDING >= load_w[bus]:
            continue
        told.add(stage)
        gives, carries = _power(given_w[bus]), _power(load_w[bus])
        reason = (
            f"can give {gives.text} with what stands beside it, and {power.ids[bus]} carries {carries.text}: "
            "without the grid it stays dark"
        )
        yield Found(
            at=("power", stage, "capacity"),
            reason=reason,
            fix="larger generators or more of them, or less behind the stage",
            value=carries,
            limit=gives,
        )


_STANDARD = "NFPA 70 (NEC) 210.20(A): continuous load at most 80 % of the breaker"
_TIER = "Uptime Institute, Tier Standard: Topology; 2N and N+1 mean what they say"

RULES = (
    Rule(
        "power-capacity",
        "Power stage overloaded",
        "power",
        "error",
        "What each item of the power tree carries with everything at its most, against its capacity.",
        "rating of the part or of the stage",
        lambda case: _overloads(case, "capacity"),
    ),
    Rule(
        "breaker-load",
        "Breaker above 80 %",
        "power",
        "error",
        "What flows through each breaker for long, against 80 % of its rating.",
        _STANDARD,
        lambda case: _overloads(case, "breaker"),
    ),
    Rule(
        "power-units",
        "Spare units that are none",
        "power",
        "error",
        "What each item carries, against what its needed units have once the spare ones are lost.",
        _TIER,
        lambda case: _overloads(case, "units"),
    ),
    Rule(
        "lost-feed",
        "One feed cannot carry both",
        "power",
        "error",
        "What each stage carries when the other feed of its racks is lost.",
        _TIER,
        _lost_sides,
    ),
    Rule(
        "single-corded",
        "Single-corded device",
        "power",
        "warning",
        "Racks on one feed, and machines with one power supply, while others have two.",
        _TIER,
        _lone_feeds,
    ),
    Rule(
        "feed-balance",
        "Feeds A and B out of balance",
        "power",
        "warning",
        "The load of the stages that feed racks twice, one side against the other.",
        "20 % [est]",
        _imbalance,
    ),
    Rule(
        "cooling-ride-through",
        "Cooling stops before the racks",
        "power",
        "error",
        "Pumps and fans of loops whose racks go on from batteries: they need a UPS too.",
        "ASHRAE TC 9.9, Thermal Guidelines: liquid-cooled racks overheat within a minute without flow",
        _unprotected,
    ),
    Rule(
        "battery-time",
        "Battery too short",
        "power",
        "error",
        "How long each UPS battery lasts at full load, against the start of the generators.",
        "start and load acceptance of the generators",
        _batteries,
    ),
    Rule(
        "generator-size",
        "Generators too small",
        "power",
        "error",
        "What the generators of a stage give with the sources beside them, against its load.",
        "rating of the generators",
        _small_generators,
    ),
    Rule(
        "rack-unfed",
        "Rack without power",
        "power",
        "error",
        "Racks with nodes, switches or storage in them that no stage of the power tree feeds, in a scene that has one.",
        "one feed at least",
        _dark_racks,
    ),
    Rule(
        "row-unfed",
        "Empty row on no power stage",
        "power",
        "warning",
        "Rows with nothing in them yet that no stage of the power tree feeds, in a scene that has one.",
        "the scene itself",
        _empty_rows,
    ),
    Rule(
        "stage-idle",
        "Power stage that feeds nothing",
        "power",
        "warning",
        "Last stages without rows, and sources connected to nothing.",
        "the scene itself",
        written(idle_stages),
    ),
)
