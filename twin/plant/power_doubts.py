"""Design rules of the power tree: overload, redundancy that is not there, lone feeds, batteries too short."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import Catalog
from twin.plant.blast import SUSTAINS
from twin.plant.design_load import DesignLoad
from twin.plant.graph import power_path
from twin.plant.tables import Bools, Floats, Plant
from twin.scenario.document import Scenario
from twin.scenario.electricity import ON_SITE
from twin.scenario.quantity import rendered
from twin.scenario.tree import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

CONTINUOUS = 0.8
"""Share of its rating a breaker may carry for long."""

UNEVEN = 1.2
"""Load of the heavier side over the lighter one from which A and B are out of balance [est]."""

ROUNDING = 1.001


def power_doubts(scenario: Scenario, plant: Plant, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what a power tree promises and does not keep, at the most that everything draws."""
    if not scenario.power:
        return
    load = DesignLoad(plant, catalog)
    usual_w = load.out_w()
    over = _over(plant, usual_w)
    yield from _overloads(scenario, plant, usual_w, over)
    yield from _lost_sides(scenario, plant, load, over)
    yield from _lone_feeds(scenario, plant)
    yield from _imbalance(scenario, plant, usual_w)
    yield from _unprotected(scenario, plant)
    yield from _batteries(scenario, plant)
    yield from _small_generators(scenario, plant, usual_w)


def _limit_w(plant: Plant) -> Floats:
    """Return what each item may carry for long [W]; inf where nobody says."""
    power = plant.power
    by_breaker = np.where(np.isnan(power.breaker_w), np.inf, CONTINUOUS * power.breaker_w)
    return np.minimum(np.where(np.isnan(power.capacity_w), np.inf, power.capacity_w), by_breaker)


def _over(plant: Plant, load_w: Floats) -> Bools:
    return np.asarray(load_w > _limit_w(plant) * ROUNDING, np.bool_)


def _worst(plant: Plant, stage: int, load_w: Floats, among: Bools) -> int:
    """Return the most loaded of some items of a stage."""
    mine = np.flatnonzero((plant.power.stage == stage) & among)
    return int(mine[np.argmax((load_w / _limit_w(plant))[mine])])


def _overloads(scenario: Scenario, plant: Plant, load_w: Floats, over: Bools) -> Iterator[Wrong]:
    power = plant.power
    for stage in np.unique(power.stage[over]).tolist():
        item = _worst(plant, stage, load_w, over)
        carried, said = rendered(_round(load_w[item]), "power"), scenario.power[stage]
        limit_w = float(_limit_w(plant)[item])
        limit = rendered(_round(limit_w), "power")
        more = f"a count of {_enough(said.count, float(load_w[item]), limit_w)} would do"
        at: Path = ("power", stage, "count")
        if limit_w < power.capacity_w[item]:
            percent = 100 * load_w[item] / power.breaker_w[item]
            reason = f"leaves {carried} on the breaker of {power.ids[item]}, {percent:.0f} % of its rating"
            yield at, reason, f"80 %, {limit}, may flow for long: {more}, or a larger breaker"
        elif power.units[item] > power.needed[item]:
            units, needed = int(power.units[item]), int(power.needed[item])
            reason = (
                f"promises {needed} of {units} units, but {power.ids[item]} carries {carried}: with "
                f"{units - needed} lost the others are above their {limit}"
            )
            yield ("power", stage, "units"), reason, f"more units, or {more}"
        else:
            yield at, f"leaves {carried} on {power.ids[item]}, which has {limit}", more


def _enough(count: int, load_w: float, limit_w: float) -> int:
    return int(np.ceil(count * load_w / limit_w - 1e-9))


def _lost_sides(scenario: Scenario, plant: Plant, load: DesignLoad, over: Bools) -> Iterator[Wrong]:
    """Yield stages that are overloaded when the other feed of what they feed is lost."""
    racks, power = plant.racks, plant.power
    dual = (racks.feed_a >= 0) & (racks.feed_b >= 0) & racks.present
    told: set[int] = set()
    for column, other in ((racks.feed_a, racks.feed_b), (racks.feed_b, racks.feed_a)):
        for stage in np.unique(power.stage[column[dual]]).tolist():
            lost = power.stage == stage
            partners = np.unique(power.stage[other[dual & lost[column]]])
            if stage in partners:
                continue  # both feeds are of one stage: nothing independent is claimed
            out_w = load.out_w(lost)
            above = _above(plant, np.isin(power.stage, partners))
            hit = _over(plant, out_w) & above & ~over
            for one in np.unique(power.stage[hit]).tolist():
                if one in told:
                    continue
                told.add(one)
                item = _worst(plant, one, out_w, hit)
                limit_w = float(_limit_w(plant)[item])
                reason = (
                    f"cannot carry all when feed {scenario.power[stage].id} is lost: {power.ids[item]} would have "
                    f"{rendered(_round(out_w[item]), 'power')} of {rendered(_round(limit_w), 'power')}"
                )
                enough = _enough(scenario.power[one].count, float(out_w[item]), limit_w)
                yield ("power", one, "count"), reason, f"2N needs a count of {enough}, or larger ones"


def _above(plant: Plant, items: Bools) -> Bools:
    """Return some items and all they hang on, but the roots that both sides share."""
    found = np.zeros(len(items), np.bool_)
    for item in np.flatnonzero(items).tolist():
        found[list(power_path(plant, item))] = True
    return found & (plant.power.parent >= 0)


def _lone_feeds(scenario: Scenario, plant: Plant) -> Iterator[Wrong]:
    racks = plant.racks
    feeds = (racks.feed_a >= 0).astype(int) + (racks.feed_b >= 0)
    if not (feeds[racks.present] == 2).any():
        return
    for h, hall in enumerate(scenario.halls):
        for r, rows in enumerate(hall.rows):
            mine = np.array([one.rpartition("/")[0].rpartition("/")[0] == rows.id for one in racks.ids])
            if (feeds[mine & racks.present] == 1).any():
                reason = "hangs on one feed while other rows hang on two: it goes dark with that one"
                yield ("halls", h, "rows", r, "id"), reason, "name it under feeds of a second stage"


def _imbalance(scenario: Scenario, plant: Plant, load_w: Floats) -> Iterator[Wrong]:
    """Yield the heavier side when the stages that feed racks twice are loaded unevenly."""
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
        f"is out of balance with the other side: feed A carries {rendered(_round(a_w), 'power')}, feed B "
        f"{rendered(_round(b_w), 'power')}"
    )
    yield ("power", int(heavy[0]), "feeds"), reason, "hang what has one feed on the lighter side, or on both"


def _unprotected(scenario: Scenario, plant: Plant) -> Iterator[Wrong]:
    """Yield loops whose pumps stop with the utility while the racks they cool go on."""
    power = plant.power
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
            yield ("cooling", "loops", i, "id"), reason, hint


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


def _batteries(scenario: Scenario, plant: Plant) -> Iterator[Wrong]:
    """Yield UPS whose battery ends before a generator carries the load, or that have neither."""
    power = plant.power
    generators = [item for item, kind in enumerate(power.kind) if kind == "generator" and power.present[item]]
    others = any(kind in SUSTAINS and kind != "generator" for kind in power.kind)
    needed_s = max((float(power.start_s[g] + power.accept_s[g]) for g in generators), default=0.0)
    for i, stage in enumerate(scenario.power):
        if stage.kind != "ups":
            continue
        item = int(np.flatnonzero(power.stage == i)[0])
        capacity_w = float(power.capacity_w[item]) * int(power.units[item]) / int(power.needed[item])
        lasts_s = float(power.energy_j[item]) / capacity_w if capacity_w > 0 else 0.0
        at: Path = ("power", i, "battery")
        if generators and lasts_s < needed_s:
            reason = (
                f"lasts {rendered(_round(lasts_s), 'duration')} at full load, and the generators carry it only "
                f"after {rendered(_round(needed_s), 'duration')}"
            )
            yield at, reason, "a longer battery, or generators that start sooner"
        elif not generators and not others and lasts_s == 0.0:
            reason = "is empty and there is no generator: the first dip of the grid is an outage"
            yield at, reason, "minutes of battery, or a generator at the output of a stage"


def _small_generators(scenario: Scenario, plant: Plant, load_w: Floats) -> Iterator[Wrong]:
    """Yield generators that, with the sources beside them, cannot take the load of the stage they stand at."""
    power = plant.power
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
        reason = (
            f"can give {rendered(_round(given_w[bus]), 'power')} with what stands beside it, and "
            f"{power.ids[bus]} carries {rendered(_round(load_w[bus]), 'power')}: without the grid it stays dark"
        )
        yield (
            ("power", stage, "capacity"),
            reason,
            "larger generators or more of them, or less behind the stage",
        )


def _round(value: float) -> float:
    """Return a value to three digits."""
    return float(f"{float(value):.3g}")
