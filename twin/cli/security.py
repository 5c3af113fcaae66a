"""`twin check --security`: the controls that keep tenants apart, as a checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.plant.tenancy_rules import TenancyFinding
    from twin.scenario import Document
    from twin.scenario.text.parse import Path


def checklist(document: Document) -> list[dict[str, Any]]:
    """Return every control with its status and findings, for JSON; a plant that cannot be built is blamed by check.

    The hall is looked at as it begins and after each of its edits, as far as it can be built; what an edit brings is
    blamed on that edit.
    """
    from twin.catalog import UnknownPart
    from twin.plant.build import build
    from twin.plant.error import PlantError
    from twin.plant.tenancy_rules import review
    from twin.rules.places import named
    from twin.scenario.schema.scene_catalog import catalog_of
    from twin.units import spoken

    catalog, stages = catalog_of(document.scenario), document.stages
    controls = review(document.scenario, build(document.scenario, catalog))
    asked = {control.id: control.asked for control in controls}
    findings: dict[str, list[dict[str, Any]]] = {control.id: [] for control in controls}
    known = set()
    for control in controls:
        for leak in control.leaks:
            known.add((control.id, leak.subject, named(document.scenario, leak.at)[0]))
            findings[control.id].append(_finding(document, leak, leak.at, leak.reason))
    for edit, stage in zip(stages.acting, stages.made, strict=True):
        try:
            after = review(stage, build(stage, catalog))
        except (PlantError, UnknownPart):
            continue
        at = ("edits", document.scenario.edits.index(edit))
        for control in after:
            asked[control.id] = max(asked[control.id], control.asked)
            for leak in control.leaks:
                key = named(stage, leak.at)[0]
                if (control.id, leak.subject, key) not in known:
                    known.add((control.id, leak.subject, key))
                    reason = f"after {edit.id} at {spoken(edit.at_s)}: {key} {leak.reason}"
                    findings[control.id].append(_finding(document, leak, at, reason))
    return [
        {
            "control": control.id,
            "title": control.title,
            "status": "fail" if findings[control.id] else "pass" if asked[control.id] else "not applicable",
            "applies_to": asked[control.id],
            "findings": findings[control.id],
        }
        for control in controls
    ]


def _finding(document: Document, leak: TenancyFinding, at: Path, reason: str) -> dict[str, Any]:
    """Return one finding with its place in the file, for JSON."""
    from twin.scenario.file.warnings import problem_at

    problem = problem_at(document, at, reason, leak.hint)
    return {
        "severity": leak.severity,
        "subject": leak.subject,
        "file": problem.file,
        "line": problem.line or None,
        "key": problem.key,
        "reason": reason,
        "right": leak.hint,
    }


def print_checklist(name: str, controls: Sequence[Mapping[str, Any]]) -> None:
    """Print the checklist with the findings below it."""
    from rich.text import Text

    from twin.cli.tables import console, table_of

    styles = {"pass": "green", "fail": "red", "not applicable": "dim"}
    to = console()
    table = table_of()
    table.add_column("control")
    table.add_column("status", no_wrap=True)
    table.add_column("found", justify="right", no_wrap=True)
    for control in controls:
        status = str(control["status"])
        found = str(len(control["findings"]) or "")
        table.add_row(str(control["title"]), Text(status, style=styles[status]), found)
    to.print(Text(f"Controls between tenants: {name}", style="bold"))
    to.print(table)
    for control in controls:
        for finding in control["findings"]:
            place = f"{finding['file']}:{finding['line']}" if finding["line"] else finding["file"]
            text = (
                f"{finding['severity']}  {place}: {finding['key']}: {finding['reason']}; {finding['right']}"
            )
            to.print(Text(text), soft_wrap=True)
    to.print(Text("Design rules on what the scene says; no certificate.", style="dim"))
