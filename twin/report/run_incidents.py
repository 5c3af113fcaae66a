"""Sections of a report on incidents: what each cause cost, and the dearest."""

from __future__ import annotations

import math

import numpy as np

from twin.analysis.figures import Summary
from twin.analysis.incident_card import found_words, list_rows
from twin.analysis.incidents import RunIncidents
from twin.arrays import Floats
from twin.language import counted
from twin.record.events import Severity
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import gpu_hours, percent

_MINUS = "\N{MINUS SIGN}"
MOST = 10
"""Incidents that a report lists."""


def by_cause(found: RunIncidents, summary: Summary) -> Markup:
    """Return what each cause cost: how often it struck x what one strike took."""
    if not found.all:
        return tag("p", "Nothing failed.")
    if not found.priced:
        return tag("p", "The program that made this run kept no costs of incidents.")
    rows = [
        (
            total.title,
            number(total.stops, f"{total.stops:,}"),
            number(total.count, f"{total.count:,}"),
            number(total.gpu_s / total.count, gpu_hours(total.gpu_s / total.count)),
            number(total.gpu_s, gpu_hours(total.gpu_s), f"cause.{total.cause}"),
            number(
                total.gpu_s,
                percent(total.gpu_s / found.installed_gpu_s if found.installed_gpu_s else None, 2),
            ),
        )
        for total in found.by_cause
    ]
    count, stops = (sum(getattr(total, name) for total in found.by_cause) for name in ("count", "stops"))
    lost = math.fsum(total.gpu_s for total in found.by_cause)
    share = percent(lost / found.installed_gpu_s if found.installed_gpu_s else None, 2)
    rows.append(
        (
            tag("b", "all"),
            number(stops, f"{stops:,}"),
            number(count, f"{count:,}"),
            number(lost / count, gpu_hours(lost / count)),
            number(lost, gpu_hours(lost), "cause.all"),
            number(lost, share),
        )
    )
    lead = tag("p", f"{found_words(found)}.")
    heads = ("cause", "job stops", "count", "\N{MULTIPLICATION SIGN} GPU-h each", "= GPU-h", "of all")
    return joined(
        [
            lead,
            table(heads, rows, right=5),
            tag(
                "p",
                "GPU-hours are the work that jobs lost, and their time until the next step; planned maintenance loses "
                "work too, for no checkpoint is written before it. Time of nodes in repair is an account of its own.",
                class_="note",
            ),
            tag("p", counts_words(found, summary), class_="note"),
        ]
    )


def counts_words(found: RunIncidents, summary: Summary) -> str:
    """Return how the counts of failures in a report follow from each other, in one line of sums.

    Alarms and repairs are sums where they close: other faults than those of nodes raise alarms, and need no repair.
    """
    stops = [stop for incident in found.all for stop in incident.stops]
    works = sum(incident.planned for incident in found.all)
    planned = sum(len(incident.stops) for incident in found.all if incident.planned)
    beside = sum(not incident.stops for incident in found.all)
    ran = sum(found.running_again(stop) is not None for stop in stops)
    undid = sum(stop.gpu_s.get("lost_work", 0.0) > 0.0 for stop in stops)
    first = sum(event.kind == "job_running" for event in found.events)
    failures, all_stops = (len(found.all) - works, "failure"), (len(stops), "stop")
    said = [
        f"{_sum(failures, (works, 'planned work'))} = {counted(len(found.all), 'incident')}"
        + (f", {beside:,} of them where no job ran" if beside else ""),
        f"{_sum((len(stops) - planned, 'unexpected stop'), (planned, 'planned stop'))} = {counted(*all_stops)}"
        + (f", {undid:,} of which undid work" if found.priced and undid < len(stops) else ""),
        f"{_sum(all_stops, (first, 'first start'))} = {counted(len(stops) + first, 'start')} in the ledger",
        f"{_sum(all_stops, (ran - len(stops), 'restart'))} cut short by the next stop or the end = "
        f"{counted(ran, 'restart')} to a step"
        if ran < len(stops)
        else "",
        _alarm_counts(found, len(stops) - planned),
        _repair_counts(found, summary),
    ]
    return f"How the counts hang together: {'; '.join(part for part in said if part)}."


def _sum(*parts: tuple[int, str]) -> str:
    """Return counts of things as a sum, those of nothing left out.

    >>> _sum((514, "stop"), (0, "drain"), (-1, "restart"))
    '514 stops \N{MINUS SIGN} 1 restart'
    """
    told = [(count, counted(abs(count), noun)) for count, noun in parts if count]
    signs = ["" if k == 0 else " + " if count > 0 else f" {_MINUS} " for k, (count, _) in enumerate(told)]
    return "".join(sign + words for sign, (_, words) in zip(signs, told, strict=True)) or "0"


def _alarm_counts(found: RunIncidents, unexpected: int) -> str:
    """Return the alarms as unexpected stops and failures of nodes of a job that was stopped already."""
    alarms = [event for event in found.events if event.severity >= Severity.ALARM]
    stopping = {incident.event.row for incident in found.all if incident.stops}
    standing = sum(event.row not in stopping for event in alarms)
    whole = counted(len(alarms), "alarm")
    if not alarms or len(alarms) != unexpected + standing or any(alarm.kind != "failure" for alarm in alarms):
        return whole
    under = " under a stopped job" if standing else ""
    return f"{_sum((unexpected, 'unexpected stop'), (standing, 'failure'))}{under} = {whole}"


def _repair_counts(found: RunIncidents, summary: Summary) -> str:
    """Return the repairs as failures and planned works, of nodes without a job too, less those that a restart cures."""
    repairs = summary.get("repairs", {})
    begun = int(repairs.get("done") or 0) + int(repairs.get("open") or 0)
    failed, works = (
        [event for event in found.events if event.kind == kind] for kind in ("failure", "maintenance")
    )
    cured = sum(event.integer("repair") == 0 for event in (*failed, *works))
    whole = counted(begun, "repair")
    if not begun or begun != len(failed) + len(works) - cured:
        return whole
    beside = len(works) - sum(incident.planned for incident in found.all)
    of_them = f" ({beside:,} where no job ran)" if beside else ""
    cures = f" {_MINUS} {cured:,} that a restart cured" if cured else ""
    return f"{_sum((len(failed), 'failure'), (len(works), 'planned work'))}{of_them}{cures} = {whole}"


def restarts_s(found: RunIncidents) -> Floats:
    """Return how long jobs took from each stop to the next step [s], shape (restarts,).

    A stop of a job that has not stepped again since the last one is part of the same restart. One that did not end
    counts up to the end of its job or of the run.
    """
    begun_s: dict[str, float] = {}
    lasted_s: list[float] = []
    stops = (stop for incident in found.all for stop in incident.stops)
    for stop in sorted(stops, key=lambda stop: stop.event.row):
        begun_s.setdefault(stop.job, stop.event.t_s)
        if (over := found.running_again(stop) or found.ended(stop)) is not None:
            lasted_s.append(over.t_s - begun_s.pop(stop.job))
    lasted_s += [found.t_s - begin_s for begin_s in begun_s.values()]
    return np.array(lasted_s, np.float64)


def incidents(found: RunIncidents) -> Markup:
    """Return the dearest incidents."""
    if not found.all:
        return joined([])
    body: list[Child] = []
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
    caption = f"The dearest {min(MOST, len(found.all))} of {len(found.all):,} incidents"
    heads = ("cause", "where", "at", "stopped", "GPU-hours", "ID")
    body.append(table(heads, rows, right=2, caption=caption))
    body.append(tag("p", "One of them in full: twin explain RUN --incident ID.", class_="note"))
    return joined(body)
