"""Interventions: whether one can act in a scene, by the one table of `twin.scenario.schema.fault_kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from twin import units
from twin.catalog import Catalog
from twin.scenario.checks.targets import LINK_HINT, TITLES, kind_of, near
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.reading.set_value import NoSuchPlace, assign
from twin.scenario.schema.cooling import FacilityLoop, Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import Need, Option, TargetKind
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.site import RowGenerator
from twin.scenario.text.problem import ScenarioError

LIVE = re.compile(r"(jobs\[[^\]]+\]\.(checkpoint|recovery)|scheduler)(\.|$)")
"""Paths that `set` may change in a running hall; anything else would be another hall or other work."""

Wrong = tuple[str, str, str]
"""Key, reason, hint."""

_STAGES: dict[Need, tuple[tuple[str, ...], str]] = {
    "battery": (("ups", "battery"), "has no battery; choose a UPS or battery storage"),
    "generator": (("generator",), "does not start; choose a generator"),
}
"""Kinds of stage that have what is needed, and why the others do not do."""


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
    given: dict[Option, object] = {
        "for": one.duration_s,
        "count": one.count,
        "cause": one.cause,
        "value": one.value,
    }
    for key, value in given.items():
        if value is not None and key not in known.options:
            takes = ", ".join(sorted(known.options)) or "nothing"
            yield key, f"does not apply to {one.kind}", f"it takes {takes}"
    if known.is_setting:
        yield from _setting(scenario, one)
    else:
        kind, reason, hint = kind_of(scenario, one.target, known.targets, item)
        if known.targets == ("link",) and kind is None and "~" not in one.target:
            reason, hint = f"is not a link, which {one.kind} needs", LINK_HINT
        if kind is None:
            yield "target", reason, hint
        else:
            yield from _misfit(scenario, one, kind, catalog)
        yield from _value(one)
        if kind == "job" and known.needs.get(kind) == "other partition" and one.value is not None:
            yield from _move(scenario, one)
        if known.words and one.value is not None and one.value not in known.words:
            yield "value", f"is not a value of {one.kind}", near(one.value, known.words)
    causes = [cause.id for cause in scenario.failures.causes]
    if one.cause is not None and causes and one.cause not in causes:
        yield "cause", "is not a cause of failures.causes", near(one.cause, causes)


def _misfit(scenario: Scenario, one: Intervention, kind: TargetKind, catalog: Catalog) -> Iterator[Wrong]:
    """Yield why a fault does not fit the thing it names, or takes more machines than there are."""
    name, known = one.target.partition("/")[0], KINDS[one.kind]
    need = known.needs.get(kind)
    if one.count is not None and "count" in known.options and not known.counts(kind):
        yield "count", f"does not apply to a {TITLES[kind]}", "only power items have machines to count"
    if need == "cards" and not scenario.fabrics:
        yield "target", "has no NIC on a fabric", "add one under fabrics"
    if kind == "power":
        stage = next(stage for stage in scenario.power if stage.id == name)
        fitting, why = _STAGES.get(need, ((stage.kind,), "")) if need is not None else ((stage.kind,), "")
        if stage.kind not in fitting:
            yield "target", f"is a {stage.kind} and {why}", ""
        else:
            yield from _too_many(one, stage.units, "machines")
    elif kind == "loop":
        yield from _loop_misfit(one, need, next(loop for loop in scenario.cooling.loops if loop.id == name))
    elif kind == "plant":
        yield from _plant_misfit(one, need, next(p for p in scenario.cooling.plants if p.id == one.target))
    elif kind in ("rack", "node"):
        rows = next((rows for hall in scenario.halls for rows in hall.rows if rows.id == name), None)
        if rows is None:  # it stands in a hall that could not follow the last edit
            yield "target", "is no longer in the scene", ""
        else:
            yield from _rack_misfit(scenario, one, need, rows, catalog)


def _loop_misfit(one: Intervention, need: Need | None, loop: Loop) -> Iterator[Wrong]:
    if need == "fans" and loop.kind in ("liquid", "immersion"):
        yield "target", f"is a {loop.kind} loop and has no fans", "pump_stop stops its pumps"
    elif need == "coolant" and loop.kind == "air":
        yield "target", "is an air loop and has no coolant", "choose a loop with coolant"
    elif need == "valve" and loop.control == "none":
        yield "target", "has no control valve", "give the loop control: valve"
    else:
        yield from _too_many(one, loop.pumps, "fans" if loop.kind == "air" else "pumps")


def _plant_misfit(one: Intervention, need: Need | None, plant: FacilityLoop) -> Iterator[Wrong]:
    if need == "chiller" and plant.kind != "chiller":
        hint = "use fan_stop for its fans, heat_rejection_loss for all of it"
        yield "target", f"is a {plant.kind}: it has no chiller", hint
    elif KINDS[one.kind].counted == "pumps":
        yield from _too_many(one, plant.pumps, "pumps")
    elif plant.units is not None:
        yield from _too_many(one, plant.units, "machines")


def _rack_misfit(
    scenario: Scenario, one: Intervention, need: Need | None, rows: RowGenerator, catalog: Catalog
) -> Iterator[Wrong]:
    if need == "coolant" and not any(
        loop.kind != "air" and rows.id in loop.serves for loop in scenario.cooling.loops
    ):
        yield "target", "is on no loop with coolant and cannot leak", ""
    if need not in ("shelves", "supplies"):
        return
    shelves, parts = _supplies(rows, catalog)
    if need == "shelves" and not shelves:
        yield (
            "target",
            "has no power shelves: its nodes have supplies of their own",
            "choose one of its nodes",
        )
    elif need == "shelves":
        yield from _too_many(one, shelves, "power shelves")
    elif not parts:
        yield "target", "is fed from the power shelves of its rack", "choose the rack"
    else:
        yield from _too_many(one, max(parts), "power supplies")


def _supplies(rows: RowGenerator, catalog: Catalog) -> tuple[int, list[int]]:
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
        if known.value_needed:
            yield "", "needs the key 'value'", known.value_needed
        return
    if "value" not in known.options or known.value == "text":
        return
    try:
        number = value_of(one)
    except units.UnitError as bad:
        yield "value", str(bad), f"such as {known.example}"
        return
    limits = known.limits
    if limits is not None and not limits.holds(number):
        yield "value", f"must be {limits.words}", f"such as {known.example}"


def _move(scenario: Scenario, one: Intervention) -> Iterator[Wrong]:
    """Yield why a job cannot be moved to the partition that the value names."""
    if not scenario.partitions:
        yield "kind", "needs partitions, and the scene has none", "add some under partitions"
        return
    part = next((part for part in scenario.partitions if part.id == one.value), None)
    if part is None:
        yield (
            "value",
            f"unknown partition {one.value}",
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
            raise units.UnitError(f"{text!r} is not a number") from None
    return units.parse(text, "temperature_difference" if dimension == "kelvin" else dimension)


def _setting(scenario: Scenario, one: Intervention) -> Iterator[Wrong]:
    if one.value is None:
        yield "", "needs the key 'value'", KINDS[one.kind].value_needed
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
        reason = "cannot be set during a run; only checkpoint and recovery of a job, and the scheduler can"
        yield "target", reason, "such as jobs[llama3].checkpoint.interval; others: in the file, or with --set"
