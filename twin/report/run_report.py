"""A run as one HTML file: its scene, its results and their causes, and its sources."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare_at import summary_so_far
from twin.analysis.explain import events_until, explain
from twin.analysis.incidents import incidents_of
from twin.analysis.wall_clock import moments
from twin.record.events import Event, Severity
from twin.record.inputs import is_older
from twin.record.reader import Reader
from twin.report import run_basis, run_facts, run_incidents, run_money, run_story
from twin.report.halls import RecordedHalls
from twin.report.markup import Child, Markup, joined, tag
from twin.report.pages import document
from twin.studies.bands import SeedBands
from twin.units import spoken


@dataclass(frozen=True)
class ReportPicture:
    """A picture of the hall in a report: PNG, and its caption."""

    png: bytes
    title: str


def run_report(
    reader: Reader,
    pictures: Sequence[ReportPicture] = (),
    without: str = "",
    bands: SeedBands | None = None,
) -> str:
    """Return the report of a run.

    Parameters
    ----------
    reader
        Of its file.
    pictures
        Of the hall, in order of time.
    without
        Why there are none, in a sentence.
    bands
        Of the figures over seeds, if known.

    Raises
    ------
    RunFileError
        When the file is damaged.
    """
    scenario, summary = reader.header.scenario, reader.summary
    says = moments(scenario)
    events = events_until(reader, reader.t_end_s)
    halls = RecordedHalls(reader)
    catalog, texts = run_basis.catalog_of(reader)
    first_scene, first_hall = halls.at(0)
    found = explain(reader, 0.0, reader.t_end_s, events) if reader.t_end_s > 0.0 else None
    unfinished = tag("p", "The run has not finished: these figures are available at its end.")
    ledger = summary["ledger_gpu_s"] if summary is not None else _ledger_so_far(reader)
    sections: list[tuple[str, str, Child]] = [
        (
            "figures",
            "Key figures",
            run_facts.key_figures(summary or summary_so_far(reader, reader.t_end_s), bands),
        ),
        ("run", "Scene and run", run_facts.what_was_run(reader, summary, says)),
        (
            "ledger",
            "Where the GPU time went",
            run_story.ledger(ledger) if sum(ledger.values()) else unfinished,
        ),
        ("money", "Money", run_money.money(reader, first_hall, catalog)),
        ("why", "Causes of losses", unfinished if found is None else run_story.why(found)),
        ("incidents", "Incidents", run_incidents.incidents(incidents_of(reader, events=events))),
        ("curves", "Over time", run_story.time_curves(reader, events)),
        ("hall", "The hall", _pictures(pictures, without)),
        ("events", "Warnings and alarms", run_story.events_worth_knowing(events, says)),
        ("jobs", "Jobs", unfinished if summary is None else run_facts.jobs(summary, says)),
        ("year", "Typical year", run_basis.year(first_scene, first_hall, catalog)),
        ("rules", "Design rules", run_basis.rules(first_scene, first_hall, catalog, events)),
        (
            "sources",
            "Constants and their sources",
            run_basis.sources(first_scene, first_hall, catalog, texts),
        ),
    ]
    lead = f"{scenario.start:%d %B %Y}, seed {reader.header.seed}: simulated, not measured"
    warnings = []
    if summary is None:
        reached, end = spoken(reader.t_end_s), spoken(reader.header.end_s)
        warnings.append(
            f"This run has not finished: it has reached {reached} of {end}. All figures are up to this time."
        )
    if is_older(reader.header.versions):
        warnings.append("An older version made this run; its scene gives other figures today.")
    return document(scenario.title, lead, sections, reader.header.versions.get("twin", ""), warnings)


def picture_times(reader: Reader, events: Sequence[Event]) -> list[tuple[float, str]]:
    """Return the times of the pictures of a run, with their titles: start, worst moment, end.

    The worst moment is the sample with the lowest goodput after the first step; of several the one with most GPUs
    throttled or on nodes unpowered or down. There is none where goodput was constant and no GPU was affected.
    """
    says, end_s = moments(reader.header.scenario), reader.t_end_s
    started = next((event.t_s for event in events if event.kind == "job_running"), 0.0)
    shown = [(min(started, end_s), "At the start")]
    worst = _worst_s(reader, started)
    if worst is not None and 0.0 < worst < end_s:
        near = [e for e in events if e.severity >= Severity.WARNING and worst - 3600.0 <= e.t_s <= worst]
        near.sort(key=lambda event: (event.severity, event.t_s))
        cause = f": {near[-1].subject}, {near[-1].text}" if near else ""
        shown.append((worst, f"The worst moment, {says(worst)}{cause}"))
    return [*shown, (end_s, "At the end")]


def _worst_s(reader: Reader, from_s: float) -> float | None:
    series = {
        channel: reader.series(0, channel, from_s, points=2000)
        for channel in ("site.throttled", "site.nodes_down", "site.unpowered", "site.goodput_now")
    }
    times = series["site.goodput_now"].t_s
    if not len(times):
        return None
    goodput = np.nan_to_num(series["site.goodput_now"].low, nan=100.0)
    down = series["site.nodes_down"].high + series["site.unpowered"].high
    bad = np.nan_to_num(series["site.throttled"].high + 8.0 * down)
    worst = int(np.lexsort((-bad, np.rint(goodput)))[0])
    if float(np.ptp(goodput)) < 1.0 and not bad.any():
        return None
    return float(times[worst])


def _pictures(pictures: Sequence[ReportPicture], without: str) -> Markup:
    if not pictures:
        return tag("p", without or "This report has no pictures.")
    return joined(map(figure_of, pictures))


def figure_of(picture: ReportPicture) -> Markup:
    """Return a picture that stands in the page itself, with its caption."""
    source = f"data:image/png;base64,{base64.b64encode(picture.png).decode()}"
    return tag("figure", tag("img", src=source, alt=picture.title), tag("figcaption", picture.title))


def _ledger_so_far(reader: Reader) -> Mapping[str, float]:
    _, accounts = reader.ledger()
    return {account: float(values[-1]) for account, values in accounts.items() if len(values)}
