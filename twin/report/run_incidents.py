"""Section of a report on incidents: the dearest, and what each cause cost."""

from __future__ import annotations

from twin.analysis.incident_card import found_words, list_rows
from twin.analysis.incidents import RunIncidents
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import gpu_hours, percent

MOST = 10
"""Incidents that a report lists."""


def incidents(found: RunIncidents) -> Markup:
    """Return the dearest incidents, and what each cause cost."""
    if not found.all:
        return tag("p", "Nothing failed.")
    installed = found.installed_gpu_s
    body: list[Child] = [tag("p", f"{found_words(found)}.")]
    rows = [
        (
            incident.title,
            incident.subject,
            when,
            jobs,
            number(incident.cost_gpu_s, gpu_hours(incident.cost_gpu_s)),
            incident.id,
        )
        for incident, when, jobs in list_rows(found, MOST)
    ]
    if len(found.all) > MOST:
        body.append(tag("p", f"The dearest {MOST} of {len(found.all):,}:"))
    body.append(table(("cause", "where", "at", "stopped", "GPU-hours", "ID"), rows, right=2))
    causes = [
        (
            total.title,
            number(total.count, f"{total.count:,}"),
            number(total.stops, f"{total.stops:,}"),
            number(total.gpu_s, gpu_hours(total.gpu_s)),
            number(total.gpu_s, percent(total.gpu_s / installed if installed else None, 2)),
        )
        for total in found.by_cause
    ]
    body += [
        tag("h3", "By cause"),
        table(("cause", "struck", "job stops", "GPU-hours", "of the run"), causes, right=4),
        tag(
            "p",
            "Cost is the work that jobs lost, and their time until the next step. One of them in full: twin explain "
            "RUN --incident ID.",
            class_="note",
        ),
    ]
    return joined(body)
