"""What the edits of a scene make wrong in its hall: the design rules, asked again after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from twin.catalog import Catalog, UnknownPart
from twin.plant.build import Builder
from twin.plant.error import PlantError
from twin.rules import data
from twin.rules.check import check, unbuilt
from twin.rules.finding import SEVERITIES, Finding, Found
from twin.rules.report import Report
from twin.rules.table import BY_ID
from twin.scenario.file.apply_edits import Stages
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.units import spoken


def after_edits(
    report: Report,
    scenario: Scenario,
    stages: Stages,
    catalog: Catalog,
    told: Mapping[str, Iterable[tuple[str, Found]]] | None = None,
) -> Report:
    """Return the report on a scene with what each of its edits adds to it, blamed on that edit and its time.

    Parameters
    ----------
    report
        On the scene before its edits.
    scenario, stages
        The scene, and what its edits make of it.
    catalog
        Its parts.
    told
        Rule and finding of what only the engine can tell of an edit, by its id.
    """
    findings = list(report.findings)
    builder = Builder()  # what an edit leaves alone is not made again
    places = {edit.id: place for place, edit in enumerate(scenario.edits)}
    known = {_identity(one) for one in findings}
    for edit, stage in zip(stages.acting, stages.made, strict=True):
        found = _of_stage(builder, stage, catalog, (told or {}).get(edit.id, ()))
        idle = {one.key for one in found if one.rule == data.UNMATCHED}
        # An exclusion that covers something of one of the halls is none too many.
        findings = [one for one in findings if one.rule != data.UNMATCHED or one.key in idle]
        fresh = [one for one in found if one.rule != data.UNMATCHED and _identity(one) not in known]
        known |= {_identity(one) for one in fresh}
        findings += [_of_edit(finding, edit, places[edit.id]) for finding in fresh]
    order = {rule: place for place, rule in enumerate(BY_ID)}
    findings.sort(key=lambda one: (SEVERITIES.index(one.severity), order[one.rule]))
    return Report(tuple(findings))


def _of_stage(
    builder: Builder, stage: Scenario, catalog: Catalog, told: Iterable[tuple[str, Found]]
) -> tuple[Finding, ...]:
    try:
        plant = builder.plant(stage, catalog)
    except (PlantError, UnknownPart) as error:
        return unbuilt(stage, str(error.args[0])).findings
    return check(stage, plant, catalog, told).findings


def _identity(one: Finding) -> tuple[str, str, str, bool]:
    """Return what tells a finding from others; how bad it is, and of how many things, may change with an edit."""
    return one.rule, one.severity, one.key, one.excluded


def _of_edit(one: Finding, edit: Edit, place: int) -> Finding:
    """Return a finding as one of an edit: what it blames may stand in no line of the file."""
    own, when = one.at[:1] == ("edits",), f"{edit.id} at {spoken(edit.at_s)}"  # own: of the edit itself
    said = f"{when} {one.reason}" if own else f"after {when}: {one.sentence}"
    key = f"edits[{edit.id}]" + (f": {one.key}" if one.key and not own else "")
    return replace(one, at=("edits", place), key=key, reason=said, sentence=said)
