"""Findings that the edits of a scene cause: the design rules, checked again after each edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from twin.catalog import Catalog, UnknownPart
from twin.language import tr
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
    from_run: Mapping[str, Iterable[tuple[str, Found]]] | None = None,
) -> Report:
    """Return the report on a scene with the findings that each edit adds, with that edit and its time as the cause.

    Parameters
    ----------
    report
        Report on the scene before its edits.
    scenario, stages
        The scene, and the scene after each of its edits.
    catalog
        Its parts.
    from_run
        Rule and finding of those that need a run, by the id of their edit.
    """
    findings = list(report.findings)
    builder = Builder()  # reuses what an edit leaves unchanged
    places = {edit.id: place for place, edit in enumerate(scenario.edits)}
    known = {_identity(finding) for finding in findings}
    for edit, stage in zip(stages.acting, stages.made, strict=True):
        found = _of_stage(builder, stage, catalog, (from_run or {}).get(edit.id, ()))
        idle = {finding.key for finding in found if finding.rule == data.UNMATCHED}
        # An exclusion that matches a finding at any stage is in use.
        findings = [finding for finding in findings if finding.rule != data.UNMATCHED or finding.key in idle]
        fresh = [
            finding for finding in found if finding.rule != data.UNMATCHED and _identity(finding) not in known
        ]
        known |= {_identity(finding) for finding in fresh}
        findings += [_of_edit(finding, edit, places[edit.id]) for finding in fresh]
    order = {rule: place for place, rule in enumerate(BY_ID)}
    findings.sort(key=lambda finding: (SEVERITIES.index(finding.severity), order[finding.rule]))
    return Report(tuple(findings))


def _of_stage(
    builder: Builder, stage: Scenario, catalog: Catalog, from_run: Iterable[tuple[str, Found]]
) -> tuple[Finding, ...]:
    try:
        plant = builder.plant(stage, catalog)
    except (PlantError, UnknownPart) as error:
        return unbuilt(stage, str(error.args[0])).findings
    told = stage.model_copy(update={"chapters": ()})  # each is held against the hall of its own time already
    return check(told, plant, catalog, from_run).findings


def _identity(finding: Finding) -> tuple[str, str, str, bool]:
    """Return the identity of a finding; its figures and components may change with an edit."""
    return finding.rule, finding.severity, finding.key, finding.excluded


def _of_edit(finding: Finding, edit: Edit, place: int) -> Finding:
    """Return a finding with an edit as its cause: its key may be in no line of the file."""
    own, when = (
        finding.at[:1] == ("edits",),
        tr("{id} at {at}", id=edit.id, at=spoken(edit.at_s)),
    )  # own: of the edit itself
    sentence = (
        f"{when} {finding.reason}"
        if own
        else tr("after {when}: {sentence}", when=when, sentence=finding.sentence)
    )
    key = f"edits[{edit.id}]" + (f": {finding.key}" if finding.key and not own else "")
    return replace(finding, at=("edits", place), key=key, reason=sentence, sentence=sentence)
