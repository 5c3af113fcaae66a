"""Checks of interventions in a scene, by the table of `twin.scenario.schema.fault_kinds`."""

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
    scenario: Scenario, intervention: Intervention, item: Callable[[str], str], catalog: Catalog
) -> Iterator[Wrong]:
    """Yield the problems of an intervention in this scenario.

    Parameters
    ----------
    scenario
        What it acts on.
    intervention
        The intervention.
    item
        Returns why an id names no row, rack, node or GPU; "" when it does.
    catalog
        For how many supplies a node has.
    """
    known = KINDS[intervention.kind]
    given: dict[Option, object] = {
        "for": intervention.duration_s,
        "count": intervention.count,
        "cause": intervention.cause,
        "value": intervention.value,
    }
    for key, value in given.items():
        if value is not None and key not in known.options:
            takes = ", ".join(sorted(known.options)) or "nothing"
            yield key, f"does not apply to {intervention.kind}", f"it takes {takes}"
    if known.is_setting:
        yield from _setting(scenario, intervention)
    else:
        kind, reason, hint = kind_of(scenario, intervention.target, known.targets, item)
        if known.targets == ("link",) and kind is None and "~" not in intervention.target:
            reason, hint = f"is not a link, which {intervention.kind} needs", LINK_HINT
        if kind is None:
            yield "target", reason, hint
        else:
            yield from _misfit(scenario, intervention, kind, catalog)
        yield from _value(intervention)
        if kind == "job" and known.needs.get(kind) == "other partition" and intervention.value is not None:
            yield from _move(scenario, intervention)
        if known.words and intervention.value is not None and intervention.value not in known.words:
            yield "value", f"is not a value of {intervention.kind}", near(intervention.value, known.words)
    causes = [cause.id for cause in scenario.failures.causes]
    if intervention.cause is not None and causes and intervention.cause not in causes:
        yield "cause", "is not a cause of failures.causes", near(intervention.cause, causes)


def _misfit(
    scenario: Scenario, intervention: Intervention, kind: TargetKind, catalog: Catalog
) -> Iterator[Wrong]:
    """Yield why a fault does not fit its target, or takes more machines than there are."""
    name, known = intervention.target.partition("/")[0], KINDS[intervention.kind]
    need = known.needs.get(kind)
    if intervention.count is not None and "count" in known.options and not known.counts(kind):
        yield "count", f"does not apply to a {TITLES[kind]}", "only power items have machines to count"
    if need == "cards" and not scenario.fabrics:
        yield "target", "has no NIC on a fabric", "add one under fabrics"
    if kind == "power":
        stage = next(stage for stage in scenario.power if stage.id == name)
        fitting, why = _STAGES.get(need, ((stage.kind,), "")) if need is not None else ((stage.kind,), "")
        if stage.kind not in fitting:
            yield "target", f"is a {stage.kind} and {why}", ""
        else:
            yield from _too_many(intervention, stage.units, "machines")
    elif kind == "loop":
        yield from _loop_misfit(
            intervention, need, next(loop for loop in scenario.cooling.loops if loop.id == name)
        )
    elif kind == "plant":
        yield from _plant_misfit(
            intervention, need, next(p for p in scenario.cooling.plants if p.id == intervention.target)
        )
    elif kind in ("rack", "node"):
        rows = next((rows for hall in scenario.halls for rows in hall.rows if rows.id == name), None)
        if rows is None:  # it stands in a hall that could not follow the last edit
            yield "target", "is no longer in the scene", ""
        else:
            yield from _rack_misfit(scenario, intervention, need, rows, catalog)


def _loop_misfit(intervention: Intervention, need: Need | None, loop: Loop) -> Iterator[Wrong]:
    if need == "fans" and loop.kind in ("liquid", "immersion"):
        yield "target", f"is a {loop.kind} loop and has no fans", "pump_stop stops its pumps"
    elif need == "coolant" and loop.kind == "air":
        yield "target", "is an air loop and cannot leak", "choose a loop with coolant, or a rack"
    elif need == "valve" and loop.control == "none":
        yield "target", "has no control valve", "give the loop control: valve"
    else:
        yield from _too_many(intervention, loop.pumps, "fans" if loop.kind == "air" else "pumps")


def _plant_misfit(intervention: Intervention, need: Need | None, plant: FacilityLoop) -> Iterator[Wrong]:
    if need == "chiller" and plant.kind != "chiller":
        hint = "use fan_stop for its fans, heat_rejection_loss for all of it"
        yield "target", f"is a {plant.kind}: it has no chiller", hint
    elif KINDS[intervention.kind].counted == "pumps":
        yield from _too_many(intervention, plant.pumps, "pumps")
    elif plant.units is not None:
        yield from _too_many(intervention, plant.units, "machines")


def _rack_misfit(
    scenario: Scenario, intervention: Intervention, need: Need | None, rows: RowGenerator, catalog: Catalog
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
        yield from _too_many(intervention, shelves, "power shelves")
    elif not parts:
        yield "target", "is fed from the power shelves of its rack", "choose the rack"
    else:
        yield from _too_many(intervention, max(parts), "power supplies")


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


def _too_many(intervention: Intervention, most: int, noun: str) -> Iterator[Wrong]:
    if intervention.count is not None and intervention.count > most:
        yield "count", f"is more than the {most} {noun} of {intervention.target}", ""


def _value(intervention: Intervention) -> Iterator[Wrong]:
    """Yield the problems of the value, by the field it sets."""
    known = KINDS[intervention.kind]
    if intervention.value is None:
        if known.value_needed:
            yield "", "needs the key 'value'", known.value_needed
        return
    if "value" not in known.options or known.value == "text":
        return
    try:
        number = value_of(intervention)
    except units.UnitError as bad:
        yield "value", str(bad), f"such as {known.example}"
        return
    limits = known.limits
    if limits is not None and not limits.holds(number):
        yield "value", f"must be {limits.words}", f"such as {known.example}"


def _move(scenario: Scenario, intervention: Intervention) -> Iterator[Wrong]:
    """Yield why a job cannot be moved to the partition that the value names."""
    if not scenario.partitions:
        yield "kind", "needs partitions, and the scene has none", "add some under partitions"
        return
    part = next((part for part in scenario.partitions if part.id == intervention.value), None)
    if part is None:
        yield (
            "value",
            f"unknown partition {intervention.value}",
            near(str(intervention.value), [p.id for p in scenario.partitions]),
        )
        return
    job = next(job for job in jobs_of(scenario) if job.id == intervention.target)
    if part.tenants and job.tenant not in part.tenants:
        subject = f"tenant {job.tenant}" if job.tenant else "work without a tenant"
        yield "value", f"{part.id} does not admit {subject}", f"it takes {', '.join(part.tenants)}"
    elif job.rows and not set(job.rows) & set(part.rows):
        yield "value", f"{part.id} has none of the rows {job.id} may use", f"it has {', '.join(part.rows)}"


def value_of(intervention: Intervention) -> float:
    """Return the value of an intervention as a number [W, K or -]; raises `units.UnitError`."""
    dimension, text = KINDS[intervention.kind].value, intervention.value or KINDS[intervention.kind].example
    if dimension == "factor":
        try:
            return float(text)
        except ValueError:
            raise units.UnitError(f"{text!r} is not a number") from None
    return units.parse(text, "temperature_difference" if dimension == "kelvin" else dimension)


def _setting(scenario: Scenario, intervention: Intervention) -> Iterator[Wrong]:
    if intervention.value is None:
        yield "", "needs the key 'value'", KINDS[intervention.kind].value_needed
        return
    try:
        assign(scenario, intervention.target, intervention.value)
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
    if not LIVE.match(intervention.target):
        reason = "cannot be set during a run; only checkpoint and recovery of a job, and the scheduler can"
        yield "target", reason, "such as jobs[llama3].checkpoint.interval; others: in the file, or with --set"
