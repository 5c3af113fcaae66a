"""Checks of interventions in a scene, by the table of `twin.scenario.schema.fault_kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from twin import units
from twin.catalog import Catalog, UnknownPart
from twin.scenario.checks.fault_facts import facts_of
from twin.scenario.checks.targets import LINK_HINT, TITLES, kind_of, near
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.reading.set_value import NoSuchPlace, assign
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import Option, TargetKind
from twin.scenario.schema.fault_kinds.needs import PARTITION
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.problem import ScenarioError

LIVE = re.compile(r"(jobs\[[^\]]+\]\.(checkpoint|recovery)|scheduler)(\.|$)")
"""Paths that `set` may change in a running hall; anything else would be another hall or other work."""

Wrong = tuple[str, str, str]
"""Key, reason, hint."""


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
        elif known.needs.get(kind) is PARTITION and scenario.partitions and intervention.value is not None:
            yield from _move(scenario, intervention)  # it names one: more exact than that there is any
        else:
            yield from _misfit(scenario, intervention, kind, catalog)
        yield from _value(intervention)
        if known.words and intervention.value is not None and intervention.value not in known.words:
            yield "value", f"is not a value of {intervention.kind}", near(intervention.value, known.words)
    causes = [cause.id for cause in scenario.failures.causes]
    if intervention.cause is not None and causes and intervention.cause not in causes:
        yield "cause", "is not a cause of failures.causes", near(intervention.cause, causes)


def _misfit(
    scenario: Scenario, intervention: Intervention, kind: TargetKind, catalog: Catalog
) -> Iterator[Wrong]:
    """Yield why a fault does not fit the thing it names, or takes more parts than there are."""
    known = KINDS[intervention.kind]
    if intervention.count is not None and "count" in known.options and not known.counts(kind):
        yield "count", f"does not apply to a {TITLES[kind]}", "only power items have machines to count"
    if kind not in known.needs and intervention.count is None:
        return
    try:
        facts = facts_of(scenario, catalog, kind, intervention.target)
    except (UnknownPart, ValueError):
        return  # said of the part or jobs themselves
    reason, hint = known.refusal(kind, facts)
    parts = None if facts is None else facts.counts.get(known.counted)
    if reason:
        yield "target", reason, hint
    elif intervention.count is not None and parts is not None and intervention.count > parts.there:
        yield "count", f"is more than the {parts.there} {parts.title} of {intervention.target}", ""


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
