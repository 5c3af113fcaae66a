"""Design rules of the power tree: overload, redundancy not met, single feeds, batteries too short.

Loads are peak design loads: see `twin.plant.design_load`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.arrays import Bools, Floats
from twin.language import tr
from twin.plant.design_load import backups, battery_s, item_limit_w
from twin.plant.graph import power_path
from twin.plant.tables import Plant
from twin.rules.finding import Found, Measure, number, quantity
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.file.warnings import idle_stages, unfed
from twin.scenario.schema.electricity import SUSTAINS
from twin.scenario.text.parse import Path

UNEVEN = 1.2
"""Load of the heavier side over the lighter one from which A and B are out of balance [est]."""

ROUNDING = 1.001


def _power(value_w: float) -> Measure:
    return quantity(float(value_w), "power")


def _over(plant: Plant, load_w: Floats) -> Bools:
    return np.asarray(load_w > item_limit_w(plant) * ROUNDING, np.bool_)


def _worst(plant: Plant, stage: int, load_w: Floats, among: Bools) -> int:
    """Return the item of a stage with the highest load over its limit, among those given."""
    items = np.flatnonzero((plant.power.stage == stage) & among)
    return int(items[np.argmax((load_w / item_limit_w(plant))[items])])


def _overloads(case: RuleContext, kind: str) -> Iterator[Found]:
    """Yield stages above their continuous limit, by its cause: breaker, redundant units or capacity."""
    plant, load_w = case.plant, case.usual_w
    power, over, limits_w = plant.power, _over(plant, load_w), item_limit_w(plant)
    for stage in np.unique(power.stage[over]).tolist():
        item = _worst(plant, stage, load_w, over)
        count = case.scenario.power[stage].count
        carried, limit = _power(load_w[item]), _power(limits_w[item])
        more = tr("a count of {enough}", enough=_enough(count, carried.value, limit.value))
        at: Path = ("power", stage, "count")
        if limit.value < power.capacity_w[item]:
            limited = "breaker"
            percent = 100 * load_w[item] / power.breaker_w[item]
            reason = tr(
                "is too low: breaker of {power} carries {carried}, {percent:.0f} % of its rating",
                power=power.ids[item],
                carried=carried.text,
                percent=percent,
            )
            fix = tr(
                "{more}, or a larger breaker; its continuous limit is 80 %, {limit}",
                more=more,
                limit=limit.text,
            )
        elif power.units[item] > power.needed[item]:
            limited, at = "units", ("power", stage, "units")
            units, needed = int(power.units[item]), int(power.needed[item])
            reason = tr(
                "do not give N+{units}: {power} carries {carried}, above the {limit} of its {needed} "
                "needed units",
                units=units - needed,
                power=power.ids[item],
                carried=carried.text,
                limit=limit.text,
                needed=needed,
            )
            fix = tr("more units, or {more}", more=more)
        else:
            limited, fix = "capacity", more
            reason = tr(
                "is too low: {power} carries {carried}, capacity {limit}",
                power=power.ids[item],
                carried=carried.text,
                limit=limit.text,
            )
        if limited == kind:
            ids = _worst_first(plant, (power.stage == stage) & over, load_w)
            yield Found(at=at, reason=reason, fix=fix, ids=ids, value=carried, limit=limit)


def _worst_first(plant: Plant, items: Bools, load_w: Floats) -> tuple[str, ...]:
    slots = np.flatnonzero(items)
    order = np.argsort(-(load_w / item_limit_w(plant))[slots], kind="stable")
    return tuple(plant.power.ids[item] for item in slots[order].tolist())


def _enough(count: int, load_w: float, limit_w: float) -> int:
    return int(np.ceil(count * load_w / limit_w - 1e-9))


def _lost_sides(case: RuleContext) -> Iterator[Found]:
    """Yield stages that are overloaded when the other feed of their racks is lost."""
    scenario, plant = case.scenario, case.plant
    racks, power, over = plant.racks, plant.power, _over(plant, case.usual_w)
    dual = (racks.feed_a >= 0) & (racks.feed_b >= 0) & racks.present
    reported: set[int] = set()
    for column, partner in ((racks.feed_a, racks.feed_b), (racks.feed_b, racks.feed_a)):
        for stage in np.unique(power.stage[column[dual]]).tolist():
            lost = power.stage == stage
            partners = np.unique(power.stage[partner[dual & lost[column]]])
            if stage in partners:
                continue  # both feeds are of one stage, so the scene claims no 2N
            out_w = case.load.carried_w(case.load.out_w(lost))
            above = _above(plant, np.isin(power.stage, partners))
            hit = _over(plant, out_w) & above & ~over
            for over_stage in np.unique(power.stage[hit]).tolist():
                if over_stage in reported:
                    continue
                reported.add(over_stage)
                item = _worst(plant, over_stage, out_w, hit)
                carried, limit = _power(out_w[item]), _power(item_limit_w(plant)[item])
                reason = tr(
                    "is too low for 2N: after loss of feed {id}, {power} carries {carried}, capacity {limit}",
                    id=scenario.power[stage].id,
                    power=power.ids[item],
                    carried=carried.text,
                    limit=limit.text,
                )
                enough = _enough(scenario.power[over_stage].count, carried.value, limit.value)
                yield Found(
                    at=("power", over_stage, "count"),
                    reason=reason,
                    fix=tr("a count of {enough} for 2N, or a larger capacity", enough=enough),
                    ids=_worst_first(plant, (power.stage == over_stage) & hit, out_w),
                    value=carried,
                    limit=limit,
                )


def _above(plant: Plant, items: Bools) -> Bools:
    """Return items and all upstream of them, without the roots that both sides share."""
    found = np.zeros(len(items), np.bool_)
    for item in np.flatnonzero(items).tolist():
        found[list(power_path(plant, item))] = True
    return found & (plant.power.parent >= 0)


def _lone_feeds(case: RuleContext) -> Iterator[Found]:
    """Yield single-fed racks where others are dual-fed, and single-corded machines in dual-fed racks."""
    plant, racks = case.plant, case.plant.racks
    feeds = (racks.feed_a >= 0).astype(int) + (racks.feed_b >= 0)
    if not (feeds[racks.present] == 2).any():
        return
    lone = np.flatnonzero((feeds == 1) & racks.present)
    for at, ids in case.by_generator(lone):
        reason = tr("is single-fed while other rows are dual-fed: it has no redundancy")
        fix = tr("feed it from a second stage too")
        single_fed, dual_fed = number(1, "feed"), number(2, "feeds")
        yield Found(at=(*at, "id"), reason=reason, fix=fix, ids=tuple(ids), value=single_fed, limit=dual_fed)
    single = np.array([_cords(case, name) == 1 for name in plant.node_parts], np.bool_)
    corded = np.zeros(len(racks.ids), np.bool_)
    if len(single):
        nodes = plant.nodes
        corded[nodes.rack[single[nodes.part] & nodes.present]] = True
    corded = np.where(racks.shelves > 0, racks.shelves == 1, corded)
    for at, ids in case.by_generator(np.flatnonzero(corded & (feeds == 2) & racks.present)):
        reason = tr("hold single-corded machines, so only one of their two feeds reaches them")
        fix = tr("parts with two power supplies, two shelves, or a rack transfer switch")
        has, wanted = number(1, "cord"), number(2, "cords")
        yield Found(at=(*at, "racks"), reason=reason, fix=fix, ids=tuple(ids), value=has, limit=wanted)


def _cords(case: RuleContext, part: str) -> int | None:
    """Return the power supplies of a node; None where unknown, or where the busbar of the rack feeds it."""
    node = case.catalog.node(part)
    return node.psu_count if node.power_entry == "psu" else None


def _unfed_racks(case: RuleContext) -> Iterator[Found]:
    """Yield rows of racks with equipment and no power stage, in a scene that has a power tree."""
    racks = case.plant.racks
    if not case.scenario.power:
        return
    unpowered = case.geared & (racks.feed_a < 0) & (racks.feed_b < 0)
    for at, ids in case.by_generator(np.flatnonzero(unpowered)):
        count = number(len(ids), "racks" if len(ids) > 1 else "rack")
        reason = tr(
            "has equipment in {count} without a power feed: it does not start, and no limit counts it",
            count=count.text,
        )
        fix = tr("feed it from a power stage")
        none = number(0, "racks")
        yield Found(at=(*at, "id"), reason=reason, fix=fix, ids=tuple(ids), value=count, limit=none)


def _empty_rows(case: RuleContext) -> Iterator[Found]:
    """Yield empty rows on no power stage; `_unfed_racks` reports the others."""
    geared = {at for at, _ in case.by_generator(np.flatnonzero(case.geared))}
    for at, reason, hint in unfed(case.scenario, case.catalog):
        if at[:-1] not in geared:
            yield Found(at=at, reason=reason, fix=hint)


def _imbalance(case: RuleContext) -> Iterator[Found]:
    """Yield the heavier side when the two stages that feed dual-fed racks carry uneven loads."""
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
    reason = tr(
        "is unbalanced: feed A carries {power}, feed B {text_2}",
        power=_power(a_w).text,
        text_2=_power(b_w).text,
    )
    yield Found(
        at=("power", int(heavy[0]), "feeds"),
        reason=reason,
        fix=tr("connect single-fed equipment to the lighter side, or to both"),
        value=number(max(a_w, b_w) / max(1.0, min(a_w, b_w)), tr("to 1")),
        limit=number(UNEVEN, tr("to 1")),
    )


def _unprotected(case: RuleContext) -> Iterator[Found]:
    """Yield loops whose pumps or fans stop on utility loss while their racks run on battery."""
    scenario, plant, power = case.scenario, case.plant, case.plant.power
    held = np.array([kind in ("ups", "battery") for kind in power.kind], np.bool_)
    if not held.any():
        return
    rides = np.append(_rides_through(plant), False)
    racks = plant.racks
    first = 0
    for i, generator in enumerate(scenario.cooling.loops):
        slots = np.arange(first, first + generator.count)
        first += generator.count
        cooled = np.isin(racks.loop, slots) | np.isin(racks.air_loop, slots)
        if not (rides[racks.feed_a] | rides[racks.feed_b])[cooled & racks.present].any():
            continue
        feeds = np.stack([plant.loops.feed_a[slots], plant.loops.feed_b[slots]])
        if not rides[feeds].any(axis=0).all():
            movers = "fans" if generator.kind == "air" else "pumps"
            where = tr("on no stage") if (feeds < 0).all() else tr("on no UPS")
            reason = tr(
                "has its {movers} {where}: they stop on utility loss while the racks run on battery",
                movers=movers,
                where=where,
            )
            hint = tr(
                "name the loop under feeds of a stage behind the UPS; chillers can wait for a generator"
            )
            yield Found(at=("cooling", "loops", i, "id"), reason=reason, fix=hint)


def _rides_through(plant: Plant) -> Bools:
    """Return which items run on battery after utility loss: on a UPS, or with battery storage in parallel."""
    power = plant.power
    rides = np.array([kind == "ups" for kind in power.kind], np.bool_) & (power.energy_j > 0)
    for item, (bus, kind) in enumerate(zip(power.bus.tolist(), power.kind, strict=True)):
        if bus >= 0 and kind in ("battery", *SUSTAINS) and kind != "generator" and power.present[item]:
            rides[bus] = True
    for item, parent in enumerate(power.parent.tolist()):  # parents come before children
        rides[item] |= parent >= 0 and rides[parent]
    return rides & power.present


def _batteries(case: RuleContext) -> Iterator[Found]:
    """Yield UPS whose battery ends before a generator takes the load, or that have neither."""
    power, sources, batteries_s = case.plant.power, backups(case.plant).values(), battery_s(case.plant)
    needed_s = max((backup.takes_s for backup in sources), default=0.0)
    for i, stage in enumerate(case.scenario.power):
        if stage.kind != "ups":
            continue
        lasts_s = float(batteries_s[np.flatnonzero(power.stage == i)[0]])
        at: Path = ("power", i, "battery")
        if lasts_s < needed_s:
            lasts, needed = quantity(lasts_s, "duration"), quantity(needed_s, "duration")
            reason = tr(
                "lasts {lasts} at full load, but the generators take the load only after {needed}",
                lasts=lasts.text,
                needed=needed.text,
            )
            fix = tr("a larger battery, or generators that start sooner")
            yield Found(at=at, reason=reason, fix=fix, value=lasts, limit=needed)
        elif not sources and lasts_s == 0.0:
            reason = tr("is empty and there is no generator: every utility dip is an outage")
            yield Found(
                at=at,
                reason=reason,
                fix=tr("some minutes of battery, or a generator at the output of a stage"),
            )


def _small_generators(case: RuleContext) -> Iterator[Found]:
    """Yield generators that, with the sources in parallel, cannot take the load of their bus."""
    power, load_w = case.plant.power, case.load.out_w()
    reported: set[int] = set()
    for bus, backup in backups(case.plant).items():
        stage = int(power.stage[backup.engines[0]]) if backup.engines else -1
        if bus < 0 or stage < 0 or stage in reported or backup.given_w * ROUNDING >= load_w[bus]:
            continue
        reported.add(stage)
        gives, carries = _power(backup.given_w), _power(load_w[bus])
        reason = tr(
            "is too low: {gives} with the sources in parallel is below the {carries} load of "
            "{power}, which gets no supply on utility loss",
            gives=gives.text,
            carries=carries.text,
            power=power.ids[bus],
        )
        yield Found(
            at=("power", stage, "capacity"),
            reason=reason,
            fix=tr("larger or more generators, or less load behind the stage"),
            value=carries,
            limit=gives,
        )


_STANDARD = tr("NFPA 70 (NEC) 210.20(A): continuous load at most 80 % of the breaker")
_TIER = tr("Uptime Institute, Tier Standard: Topology")

RULES = (
    Rule(
        "power-capacity",
        tr("Power stage overloaded"),
        "power",
        "error",
        tr(
            "Peak design load of each item of the power tree, less what gas engines and reactors give beside it at "
            "any hour, against its capacity."
        ),
        tr("rating of the part or of the stage"),
        lambda case: _overloads(case, "capacity"),
    ),
    Rule(
        "breaker-load",
        tr("Breaker above 80 %"),
        "power",
        "error",
        tr("Continuous load of each breaker, against 80 % of its rating."),
        _STANDARD,
        lambda case: _overloads(case, "breaker"),
    ),
    Rule(
        "power-units",
        tr("Redundancy not met (N+x)"),
        "power",
        "error",
        tr("Load of each item, against the capacity of its needed units alone."),
        _TIER,
        lambda case: _overloads(case, "units"),
    ),
    Rule(
        "lost-feed",
        tr("Overload after loss of a feed (not 2N)"),
        "power",
        "error",
        tr("Load of each stage after loss of the other feed of its racks, against its capacity."),
        _TIER,
        _lost_sides,
    ),
    Rule(
        "single-corded",
        tr("Single-corded equipment"),
        "power",
        "warning",
        tr(
            "Single-fed racks where others are dual-fed, and machines with one power supply in dual-fed racks."
        ),
        _TIER,
        _lone_feeds,
    ),
    Rule(
        "feed-balance",
        tr("Feeds A and B unbalanced"),
        "power",
        "warning",
        tr("Load of feed A against feed B, over the stages that feed dual-fed racks."),
        "20 % [est]",
        _imbalance,
    ),
    Rule(
        "cooling-ride-through",
        tr("Cooling not on UPS"),
        "power",
        "error",
        tr("Pumps and fans of loops whose racks run on battery: they need a UPS too."),
        tr("ASHRAE TC 9.9, Thermal Guidelines: liquid-cooled racks overheat within a minute without flow"),
        _unprotected,
    ),
    Rule(
        "battery-time",
        tr("Battery too short"),
        "power",
        "error",
        tr("Battery autonomy of each UPS at full load, against the start time of the generators."),
        tr("start and load acceptance of the generators"),
        _batteries,
    ),
    Rule(
        "generator-size",
        tr("Generators too small"),
        "power",
        "error",
        tr("Capacity of generators and the sources in parallel, against the load of their bus."),
        tr("rating of the generators"),
        _small_generators,
    ),
    Rule(
        "rack-unfed",
        tr("Rack without power"),
        "power",
        "error",
        tr("Racks with nodes, switches or storage that no stage feeds, in a scene with a power tree."),
        tr("at least one feed"),
        _unfed_racks,
    ),
    Rule(
        "row-unfed",
        tr("Empty row on no power stage"),
        "power",
        "warning",
        tr("Empty rows that no stage feeds, in a scene with a power tree."),
        tr("the scene itself"),
        _empty_rows,
    ),
    Rule(
        "stage-idle",
        tr("Power stage that feeds nothing"),
        "power",
        "warning",
        tr("Last stages without rows, and sources connected to nothing."),
        tr("the scene itself"),
        written(idle_stages),
    ),
)
