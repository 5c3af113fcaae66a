"""`twin check --security`: the controls that keep tenants apart, as a checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.scenario import Document


def checklist(document: Document) -> list[dict[str, Any]]:
    """Return every control with its status and findings, for JSON; a plant that cannot be built is blamed by check."""
    from twin.catalog import load_catalog
    from twin.plant.build import build
    from twin.plant.tenancy_doubts import review
    from twin.scenario.doubts import problem_at

    found = []
    for control in review(document.scenario, build(document.scenario, load_catalog())):
        findings = []
        for leak in control.leaks:
            problem = problem_at(document, leak.at, leak.reason, leak.hint)
            findings.append(
                {
                    "severity": leak.severity,
                    "subject": leak.subject,
                    "file": problem.file,
                    "line": problem.line or None,
                    "key": problem.key,
                    "reason": leak.reason,
                    "right": leak.hint,
                }
            )
        found.append(
            {
                "control": control.id,
                "title": control.title,
                "status": control.status,
                "applies_to": control.asked,
                "findings": findings,
            }
        )
    return found


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
        for one in control["findings"]:
            place = f"{one['file']}:{one['line']}" if one["line"] else one["file"]
            text = f"{one['severity']}  {place}: {one['key']}: {one['reason']}; {one['right']}"
            to.print(Text(text), soft_wrap=True)
    to.print(Text("Design rules on what the scene says; no certificate.", style="dim"))
