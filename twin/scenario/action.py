"""Interventions: whether one can act in a scene, by the one table of `twin.scenario.fault_kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from twin import units
from twin.catalog import Catalog
from twin.scenario.assign import NoSuchPlace, assign
from twin.scenario.cooling import Loop, Plant
from twin.scenario.document import Scenario
from twin.scenario.electricity import StageKind
from twin.scenario.fault_kinds import KINDS, TargetKind
from twin.scenario.faults import Intervention, InterventionKind
from twin.scenario.population import jobs_of
from twin.scenario.problem import ScenarioError
from twin.scenario.site import Rows
from twin.scenario.targets import LINK_HINT, TITLES, kind_of, near

LIVE = re.compile(r"(jobs\[[^\]]+\]\.(checkpoint|recovery)|scheduler)(\.|$)")
"""Paths that `set` may change in a running hall; anything else would be another hall or other work."""

_WITH_BATTERY: tuple[StageKind, ...] = ("ups", "battery")
_STAGES: dict[InterventionKind, tuple[tuple[StageKind, ...], str]] = {
    "battery_empty": (_WITH_BATTERY, "has no battery; a UPS or battery storage has one"),
    "no_start": (("generator",), "needs no start; a generator does"),
}
"""Kinds of stage a fault of a power item fits, and why others do not."""

DRAINS = ("now", "checkpoint", "end")
"""When the jobs of a drained node leave it: at once, behind their next checkpoint, or when they end."""

_NEEDS_VALUE: dict[InterventionKind, str] = {
    "flap": "share of time the link is down, such as 10 %",
    "power_cap": "power of one GPU, such as 600 W, or of the whole rack, row, hall or power item",
    "move": "the partition it goes to",
    "set": "what the target is set to",
}
"""Kinds that mean nothing without a value; the others have a usual one."""

_RANGES: dict[InterventionKind, tuple[float, float, str]] = {
    "valve_stuck": (0.0, 1.0, "0 % (shut) to 100 % (open)"),
    "blocked_plate": (0.0, 1.0, "0 % (nothing flows) to 100 %"),
    "bad_contact": (1.0, 100.0, "a factor from 1 to 100"),
    "heat_wave": (0.1, 40.0, "0.1 K to 40 K"),
    "slow": (0.05, 0.99, "5 % to 99 % of the clock"),
    "pcie": (0.01, 0.99, "1 % to 99 % of the bandwidth"),
}
Wrong = tuple[str, str, str]
"""Key, reason, hint."""


def wrong(
    scenario: Scenario, one: Intervention, item: Callable[[str], str], catalog: Catalog
) -> Iterator[Wrong]:
    """Yield what is wrong with an intervention in this scenario.

    Parameters
    ----------
    scenario
        What it acts on.
    one
        The intervention.
    item
        Returns why an id names no row, rack, node or GPU; "" when it does.
    catalog
        For how many supplies a node has.
    """
    known = KINDS[one.kind]
    given = {"for": one.duration_s, "count": one.count, "cause": one.cause, "value": one.value}
    for key, value in given.items():
        if value is not None and key not in known.options:
            takes = ", ".join(sorted(known.options)) or "nothing"
            yield key, f"means nothing for {one.kind}", f"it takes {takes}"
    if one.kind == "set":
        yield from _setting(scenario, one)
    else:
        kind, reason, hint = kind_of(scenario, one.target, known.targets, item)
        if one.kind == "flap" and kind is None and "~" not in one.target:
            reason, hint = "is no link: flap takes one", LINK_HINT
        if kind is None:
            yield "target", reason, hint
        else:
            yield from _misfit(scenario, one, kind, catalog)
        yield from _value(one)
        if one.kind == "move" and kind == "job" and one.value is not None:
            yield from _move(scenario, one)
        if one.kind == "drain" and one.value is not None and one.value not in DRAINS:
            yield "value", "says not when running jobs leave", near(one.value, DRAINS)
        if one.kind == "pcie" and not scenario.fabrics:
            yield "target", "has no card on a fabric", "add one under fabrics"
    causes = [cause.id for cause in scenario.failures.causes]
    if one.cause is not None and causes and one.cause not in causes:
        yield "cause", "names no cause of failures.causes", near(one.cause, causes)


def _misfit(scenario: Scenario, one: Intervention, kind: TargetKind, catalog: Catalog) -> Iterator[Wrong]:
    """Yield why a fault does not fit the thing it names, or takes more machines than there are."""
    name = one.target.partition("/")[0]
    if one.kind == "fail" and kind != "power" and one.count is not None:
        yield "count", f"means nothing for a {TITLES[kind]}", "a power item has machines that fail one by one"
    if kind == "power":
        stage = next(stage for stage in scenario.power if stage.id == name)
        fitting, why = _STAGES.get(one.kind, ((stage.kind,), ""))
        if stage.kind not in fitting:
            yield "target", f"is a {stage.kind} and {why}", ""
        else:
            yield from _too_many(one, stage.units, "machines")
    elif kind == "loop":
        yield from _loop_misfit(one, next(loop for loop in scenario.cooling.loops if loop.id == name))
    elif kind == "plant":
        yield from _plant_misfit(one, next(p for p in scenario.cooling.plants if p.id == one.target))
    elif kind in ("rack", "node"):
        rows = next((rows for hall in scenario.halls for rows in hall.rows if rows.id == name), None)
        if rows is None:  # it stands in a hall that could not follow the last edit
            yield "target", "is not in the scene any more", ""
        else:
            yield from _rack_misfit(scenario, one, kind, rows, catalog)


def _loop_misfit(one: Intervention, loop: Loop) -> Iterator[Wrong]:
    if one.kind == "fan_stop" and loop.kind in ("liquid", "immersion"):
        yield "target", f"is a {loop.kind} loop and has no fans", "pump_stop stops its pumps"
    elif one.kind == "leak" and loop.kind == "air":
        yield "target", "is an air loop: nothing leaks from it", "leak takes a loop with coolant, or a rack"
    elif one.kind == "valve_stuck" and loop.control == "none":
        yield "target", "has no control valve", "give the loop control: valve"
    else:
        yield from _too_many(one, loop.pumps, "fans" if loop.kind == "air" else "pumps")


def _plant_misfit(one: Intervention, plant: Plant) -> Iterator[Wrong]:
    if one.kind == "chiller_trip" and plant.kind != "chiller":
        hint = "fan_stop stops its fans, heat_rejection_loss all of it"
        yield "target", f"is a {plant.kind}: there is no chiller", hint
    elif one.kind == "pump_stop":
        yield from _too_many(one, plant.pumps, "pumps")
    elif plant.units is not None:
        yield from _too_many(one, plant.units, "machines")


def _rack_misfit(
    scenario: Scenario, one: Intervention, kind: TargetKind, rows: Rows, catalog: Catalog
) -> Iterator[Wrong]:
    if one.kind == "leak" and not any(
        loop.kind != "air" and rows.id in loop.serves for loop in scenario.cooling.loops
    ):
        yield "target", "stands on no loop with coolant: nothing leaks there", ""
    if one.kind != "psu_loss":
        return
    shelves, parts = _supplies(rows, catalog)
    if kind == "rack" and not shelves:
        yield "target", "has no power shelves: its nodes have supplies of their own", "name a node of it"
    elif kind == "rack":
        yield from _too_many(one, shelves, "power shelves")
    elif not parts:
        yield "target", "is fed from the power shelves of its rack", "name the rack"
    else:
        yield from _too_many(one, max(parts), "power supplies")


def _supplies(rows: Rows, catalog: Catalog) -> tuple[int, list[int]]:
    """Return the power shelves of a rack, and the supplies of each kind of node that has its own."""
    groups = [group.part for group in rows.racks.nodes]
    shelves = rows.racks.shelves.count if rows.racks.shelves else 0
    if rows.racks.part is not None and rows.racks.part in catalog.ids("rack"):
        held = catalog.rack(rows.racks.part).layout
        groups += [group.part for group in held]
        shelves = shelves or sum(g.count for g in held if g.part in catalog.ids("power_shelf"))
    nodes = [catalog.node(part) for part in groups if part in catalog.ids("node")]
    return shelves, [node.psu_count for node in nodes if node.psu_count]


def _too_many(one: Intervention, there: int, what: str) -> Iterator[Wrong]:
    if one.count is not None and one.count > there:
        yield "count", f"is more than the {there} {what} of {one.target}", ""


def _value(one: Intervention) -> Iterator[Wrong]:
    """Yield what is wrong with the value, by what it is a value of."""
    known = KINDS[one.kind]
    if one.value is None:
        if one.kind in _NEEDS_VALUE:
            yield "", "needs the key 'value'", _NEEDS_VALUE[one.kind]
        return
    if "value" not in known.options or known.value == "text":
        return
    try:
        number = value_of(one)
    except units.UnitError as bad:
        yield "value", str(bad), f"such as {known.example}"
        return
    low, high, right = _RANGES.get(one.kind, (0.0, float("inf"), ""))
    if one.kind == "flap" and not 0 < number < 1:
        yield "value", "must be more than 0 and less than 100 %", "a link that is always down has failed"
    elif one.kind == "power_cap" and number <= 0:
        yield "value", "must be more than 0 W", _NEEDS_VALUE[one.kind]
    elif not low <= number <= high:
        yield "value", f"must be {right}", f"such as {known.example}"


def _move(scenario: Scenario, one: Intervention) -> Iterator[Wrong]:
    """Yield why a job cannot be moved to the partition that the value names."""
    if not scenario.partitions:
        yield "kind", "needs partitions, and the scene has none", "add some under partitions"
        return
    part = next((part for part in scenario.partitions if part.id == one.value), None)
    if part is None:
        yield (
            "value",
            f"names no partition: {one.value}",
            near(str(one.value), [p.id for p in scenario.partitions]),
        )
        return
    job = next(job for job in jobs_of(scenario) if job.id == one.target)
    if part.tenants and job.tenant not in part.tenants:
        who = f"tenant {job.tenant}" if job.tenant else "work without a tenant"
        yield "value", f"{part.id} does not admit {who}", f"it takes {', '.join(part.tenants)}"
    elif job.rows and not set(job.rows) & set(part.rows):
        yield "value", f"{part.id} has none of the rows {job.id} may use", f"it has {', '.join(part.rows)}"


def value_of(one: Intervention) -> float:
    """Return the value of an intervention as a number [W, K or -]; raises `units.UnitError`."""
    dimension, text = KINDS[one.kind].value, one.value or KINDS[one.kind].example
    if dimension == "factor":
        try:
            return float(text)
        except ValueError:
            raise units.UnitError(f"{text!r} is no number") from None
    return units.parse(text, "temperature_difference" if dimension == "kelvin" else dimension)


def _setting(scenario: Scenario, one: Intervention) -> Iterator[Wrong]:
    if one.value is None:
        yield "", "needs the key 'value'", _NEEDS_VALUE["set"]
        return
    try:
        assign(scenario, one.target, one.value)
    except NoSuchPlace as bad:
        yield "target", bad.problems[0].reason, bad.problems[0].hint
        return
    except ScenarioError as bad:
        yield (
            "target" if bad.problems[0].file == "path" else "value",
            bad.problems[0].reason,
            bad.problems[0].hint,
        )
        return
    if not LIVE.match(one.target):
        reason = "cannot be set while the hall runs; checkpoint and recovery of a job and the scheduler can"
        yield "target", reason, "such as jobs[llama3].checkpoint.interval; others: in the file, or with --set"
