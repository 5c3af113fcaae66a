"""Sections of a report on the course of a run: ledger, warnings and alarms, causes of losses."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from twin.analysis.account_words import MEANINGS, account_title
from twin.analysis.explain import Explanation
from twin.analysis.incidents import RunIncidents
from twin.analysis.wall_clock import Moments
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.report.charts import Bar, waterfall
from twin.report.loss_groups import hundredths, in_percent
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.run_facts import ledger_rows
from twin.report.words import gpu_hours, percent
from twin.shown_text import inner, spelled

MOST_ALARMS = 30
_DRAWN = (
    "Repair times are those drawn when the part failed. Published repairs have a long tail, so that some of these end "
    "long after the run."
)
_LEAST_BAR = 2e-3
"""Share of all GPU time below which accounts of the waterfall are drawn together."""


def ledger(gpu_s: Mapping[str, float]) -> Markup:
    """Return where the GPU time went: from installed to productive GPU time."""
    rows, shares = ledger_rows(gpu_s), hundredths(gpu_s)
    total = sum(gpu_s.values())
    losses = [row for row in rows if row[0] != "productive"]
    bars, left = [Bar("installed", 0.0, total, f"{gpu_hours(total)} GPU-h", "whole")], total
    small = 0.0
    for account, value, share in losses:
        if share < _LEAST_BAR:
            small += value
            continue
        bars.append(
            Bar(account_title(account), left, left - value, f"{gpu_hours(value)} ({percent(share)})", "loss")
        )
        left -= value
    if small > 0.0:
        bars.append(
            Bar("all others", left, left - small, f"{gpu_hours(small)} ({percent(small / total, 2)})", "loss")
        )
    productive = gpu_s.get("productive", 0.0)
    text = f"{gpu_hours(productive)} ({percent(productive / total if total else None)})"
    bars.append(Bar("productive", 0.0, productive, text, "left"))
    drawing = waterfall(bars, "From installed to productive GPU time, loss by loss")
    cells = [
        (
            account_title(account),
            MEANINGS.get(account, ""),
            number(value, gpu_hours(value), f"ledger.{account}"),
            number(share, in_percent(shares[account])),
        )
        for account, value, share in rows
    ]
    largest = next((row[0] for row in rows if row[0] != "productive"), "")
    most = (
        f"; the largest loss is {account_title(largest)}, {in_percent(shares[largest])}"
        if largest in shares
        else ""
    )
    seen = f"{in_percent(shares.get('productive', 0))} of it was productive{most}."
    note = "Every GPU-second is booked to exactly one account; the accounts add up to all installed GPU time."
    return joined(
        [
            tag("figure", drawing, tag("figcaption", tag("b", "Where did the GPU time go?"), f" {seen}")),
            table(("account", "meaning", "GPU-hours", "share"), cells, right=2),
            tag("p", note, class_="note"),
        ]
    )


def events_worth_knowing(events: Sequence[Event], says: Moments, end_s: float = math.inf) -> Markup:
    """Return warnings and alarms by kind, and a list of alarms, rare kinds first."""
    by_kind: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in events:
        if event.severity >= Severity.WARNING:
            by_kind[(-int(event.severity), event.kind)].append(event)
    if not by_kind:
        return tag("p", "No warnings or alarms.")
    rows = []
    for (rank, kind), group in sorted(by_kind.items()):
        subjects = len({event.subject for event in group})
        rows.append(
            (
                kind_of(kind).title,
                _severity(Severity(-rank)),
                _told(group[0]),
                says(group[0].t_s),
                says(group[-1].t_s) if len(group) > 1 else "",
                number(len(group), f"{len(group):,}"),
                number(subjects, f"{subjects:,}"),
            )
        )
    heads = ("event", "severity", "first", "at", "last at", "count", "components")
    body: list[Child] = [table(heads, rows, right=2)]
    alarms = [event for event in events if event.severity >= Severity.ALARM]
    if alarms:
        rare = {kind: len(group) for (_, kind), group in by_kind.items()}
        shown = sorted(alarms, key=lambda event: (rare[event.kind], -_size(event), event.row))[:MOST_ALARMS]
        shown.sort(key=lambda event: event.row)
        more = (
            f"{len(shown)} of {len(alarms):,}: those of the rarest kinds, then those with the longest repairs"
        )
        body += [
            tag("h3", "Alarms"),
            table(
                ("at", "what", "where", "said"),
                [
                    (
                        says(e.t_s),
                        kind_of(e.kind).title,
                        tag("span", e.subject, class_="mono"),
                        spelled(e.text),
                    )
                    for e in shown
                ],
                caption=f"{more if len(shown) < len(alarms) else 'All'}, in order of time",
            ),
            tag("p", _DRAWN, class_="note")
            if any(e.t_s + e.integer("repair") > end_s for e in shown)
            else None,
        ]
    return joined(body)


def _told(event: Event) -> str:
    """Return an event in words that begin with what it is of, once."""
    text = spelled(event.text)
    return text if text.startswith(f"{event.subject} ") else f"{event.subject}: {text}"


def _size(event: Event) -> int:
    """Return how much an alarm is about: seconds of a repair, else nodes."""
    return event.integer("repair", event.integer("nodes"))


def why(found: Explanation, incidents: RunIncidents, says: Moments) -> Markup:
    """Return the ranked accounts of lost time with the largest cause of each."""
    shares = hundredths(
        {"productive": found.productive_gpu_s, **{loss.account: loss.gpu_s for loss in found.lost}}
    )
    rows = [
        (
            loss.title,
            number(loss.share, in_percent(shares[loss.account])),
            loss.headline or loss.text,
            _largest(loss.account, incidents, says)
            or (
                spelled(loss.causes[0].text) if loss.headline and (len(loss.causes) > 1 or loss.more) else ""
            ),
        )
        for loss in found.lost
    ]
    return table(("loss", "share", "why", "largest"), rows)


def _largest(account: str, found: RunIncidents, says: Moments) -> str:
    """Return the incident with most of an account that stops of jobs are booked to, as booked; else nothing."""
    booked = [incident for incident in found.all if incident.gpu_s.get(account, 0.0) > 0.0]
    if len(booked) < 2 or account not in ("detection", "restart_and_load"):
        return ""
    most = max(booked, key=lambda incident: incident.gpu_s[account])
    cost = gpu_hours(most.gpu_s[account])
    return f"{cost} GPU-h: {inner(most.title)} on {most.subject} at {says(most.t_s)} (ID {most.id})"


def _severity(severity: Severity) -> Markup:
    css = {Severity.ALARM: "bad", Severity.WARNING: "warn"}.get(severity)
    return tag("span", severity.name.lower(), class_=css)
