"""A run as one HTML file for three readers: who decides, who builds and runs the site, who teaches or checks."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare import summary_so_far
from twin.analysis.explain import Explanation, events_until, explain
from twin.analysis.figures import Summary
from twin.analysis.incidents import incidents_of
from twin.analysis.spare_history import spare_history
from twin.analysis.wall_clock import moments
from twin.catalog import Catalog, CatalogError
from twin.language import counted
from twin.planning.job.result import PlanError
from twin.planning.network.switch_loss import network_limits
from twin.planning.profile.figures import ProfileError
from twin.planning.risk.failure_table import YEAR_S, failure_table
from twin.planning.risk.risk import JobRisk, risk_of
from twin.plant.tables import Plant
from twin.record.events import Event, Severity
from twin.record.inputs import is_older
from twin.record.reader import Reader
from twin.record.site_year import SiteYear
from twin.report import run_basis, run_facts, run_incidents, run_method, run_money, run_story, run_theory
from twin.report.engineer_words import limit_answer, losses_words, reliability_words
from twin.report.glossary import with_glossary
from twin.report.halls import RecordedHalls
from twin.report.job_step import job_step
from twin.report.limits.load_limits import limits_of
from twin.report.markup import Markup, joined, tag
from twin.report.next_steps import slow_share
from twin.report.pages import ReportPart, report
from twin.report.published import published_figures
from twin.report.run_assumptions import assumptions, scene_inputs
from twin.report.run_curves import time_curves
from twin.report.run_data import RunFacts
from twin.report.run_engineering import facility, reliability
from twin.report.run_summary import place_words, published_words, summary_part
from twin.report.run_wins import changes_words
from twin.report.training_progress import published_tokens
from twin.runtime.typical_year import year_or_reason
from twin.scenario.schema.document import Scenario
from twin.shown_text import spelled
from twin.studies.bands import SeedBands
from twin.units import spoken


@dataclass(frozen=True)
class ReportPicture:
    """A picture of the hall in a report: PNG, and its caption."""

    png: bytes
    title: str


_COOL_S = 300.0
"""So long after a restart GPUs are cool [s]."""
_WARM_S = 3600.0
"""After so long at work a hall has warmed up [s]."""
_QUESTIONS = {
    "At work": "What does the hall look like at work?",
    "The worst moment": "What did the worst moment look like?",
    "At the end": "How did the hall stand at the end?",
}
"""What pictures answer, by the begin of their titles."""


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
    events = events_until(reader, reader.t_end_s)
    catalog, texts = run_basis.catalog_of(reader)
    first = RecordedHalls(reader).at(0)
    found = explain(reader, 0.0, reader.t_end_s, events) if reader.t_end_s > 0.0 else None
    facts = RunFacts(
        scenario,
        summary or summary_so_far(reader, reader.t_end_s),
        summary is not None,
        reader.t_end_s,
        summary["ledger_gpu_s"] if summary is not None else _ledger_so_far(reader),
        incidents_of(reader, events=events),
        run_money.money_of_run(reader, first[1], catalog),
        published_figures(scenario.title, summary) if summary is not None else (),
        bands,
        year if isinstance(year := year_or_reason(*first, catalog), SiteYear) else None,
        _expected(scenario, summary, first[1], catalog),
        _exposure(scenario, first[1], catalog),
        _clock_limit_c(first[1], catalog),
        published_tokens(scenario, catalog),
        job_step(scenario, first[1], catalog),
        limits_of(scenario, first[1], catalog),
        slow_share(found),
        _link_load(reader),
        network_limits(scenario, first[1], catalog),
        spare_history(reader, scenario),
    )
    curves = time_curves(reader, facts, events)
    shown = [figure_of(picture) for picture in pictures]
    parts = [
        summary_part(facts, shown[0] if shown else None),
        _engineering(reader, facts, found, curves, shown[1:], without, events, first, catalog),
    ]
    parts.append(_method(reader, facts, first, catalog))
    constants = joined([run_basis.sources(*first, catalog, texts), assumptions(*first, catalog)])
    begun = f"{scenario.start:%d %B %Y}".lstrip("0")
    lead = f"Site: {place_words(scenario)}. {begun}, seed {reader.header.seed}: simulated, not measured"
    warnings = []
    if summary is None:
        reached, end = spoken(reader.t_end_s), spoken(reader.header.end_s)
        warnings.append(
            f"This run has not finished: it has reached {reached} of {end}. All figures are up to this time."
        )
    if is_older(reader.header.versions):
        warnings.append("An older version made this run; its scene gives other figures today.")
    return report(
        scenario.title,
        lead,
        with_appendix(parts, constants),
        reader.header.versions.get("twin", ""),
        warnings,
    )


def _expected(scenario: Scenario, summary: Summary | None, plant: Plant, catalog: Catalog) -> float | None:
    """Return the unexpected interruptions that the rates give in the mean for the only job; None: not of this run."""
    if summary is None or len(summary.get("jobs", ())) != 1 or scenario.failures.trace is not None:
        return None
    (job,) = summary["jobs"]
    if job.get("start_s") is None:
        return None
    end_s: float = summary["simulated_s"] if job["end_s"] is None else job["end_s"]
    return failure_table(scenario, plant, catalog).job_per_year * (end_s - float(job["start_s"])) / YEAR_S


def _exposure(scenario: Scenario, plant: Plant, catalog: Catalog) -> JobRisk | None:
    """Return what failures the largest job is exposed to; None: there is none, or it cannot be planned."""
    try:
        return risk_of(scenario, plant, catalog)
    except (CatalogError, PlanError, ProfileError):
        return None


def _clock_limit_c(plant: Plant, catalog: Catalog) -> float | None:
    """Return the temperature above which the first GPUs lower their clocks [degC]; None: there are no GPUs."""
    parts = np.unique(plant.gpus.part[plant.gpus.present]).tolist()
    return min((catalog.gpu(plant.gpu_parts[part]).max_op_c for part in parts), default=None)


def _link_load(reader: Reader) -> float | None:
    """Return the highest load of a link of the fabrics, as the mean over a step [-]; None: no link carried anything."""
    load_pct = reader.series(0, "site.link_load_max", points=2000).high
    most_pct = float(np.nanmax(load_pct, initial=0.0))
    return most_pct / 100.0 if most_pct > 0.0 else None


def with_appendix(parts: Sequence[ReportPart], constants: Markup) -> list[ReportPart]:
    """Return the parts of a report, the last with the terms that they use, and the constants as an appendix."""
    appendix = (("constants", "Constants and their sources", constants),)
    return [*with_glossary(parts), ReportPart("appendix", "Appendix", "the numbers that go in", (), appendix)]


def _engineering(
    reader: Reader,
    facts: RunFacts,
    found: Explanation | None,
    curves: Mapping[str, Markup],
    pictures: Sequence[Markup],
    without: str,
    events: Sequence[Event],
    first: tuple[Scenario, Plant],
    catalog: Catalog,
) -> ReportPart:
    """Return the part for who builds and runs the site."""
    says = moments(facts.scenario)
    unfinished = tag("p", "The run has not finished: these figures are available at its end.")
    work = [curves[key] for key in ("goodput", "held", "spares", "queue") if key in curves]
    return ReportPart(
        "engineering",
        "Engineering",
        "for who builds and runs it",
        (
            ("Where did the GPU time go?", losses_words(facts)),
            ("Do power, cooling and network hold?", limit_answer(facts)),
            ("What broke, and what did it take?", reliability_words(facts)),
            ("What to change first, and what does it win?", changes_words(facts)),
        ),
        (
            (
                "ledger",
                "Where the GPU time went",
                run_story.ledger(facts.ledger_gpu_s) if sum(facts.ledger_gpu_s.values()) else unfinished,
            ),
            (
                "why",
                "Causes of losses",
                unfinished if found is None else run_story.why(found, facts.incidents, says),
            ),
            (
                "causes",
                "Failures by cause",
                joined(
                    [
                        run_incidents.by_cause(facts.incidents, facts.summary),
                        run_incidents.incidents(facts.incidents),
                    ]
                ),
            ),
            ("facility", "Power, cooling, water and carbon", facility(facts, curves)),
            ("reliability", "Reliability", joined([reliability(facts), *work])),
            (
                "hall",
                "The hall",
                joined(pictures) if pictures else tag("p", without or "This report has no pictures."),
            ),
            ("events", "Warnings and alarms", run_story.events_worth_knowing(events, says, facts.end_s)),
            ("jobs", "Jobs", run_facts.jobs(facts.summary, says) if facts.over else unfinished),
            ("money", "Money", run_money.money(facts.money)),
            ("year", "Typical year", run_basis.year(*first, catalog, facts.summary)),
            ("all", "All key figures", run_facts.key_figures(facts.summary, facts.bands)),
            ("rules", "Design rules", run_basis.rules(*first, catalog, events)),
        ),
    )


def _method(reader: Reader, facts: RunFacts, first: tuple[Scenario, Plant], catalog: Catalog) -> ReportPart:
    """Return the part for who teaches or checks."""
    scenario = facts.scenario
    says = moments(scenario)
    residual = facts.summary.get("energy", {}).get("residual")
    standings = run_basis.standings_of(*first, catalog)
    rests = run_facts.rests(facts.summary)
    return ReportPart(
        "method",
        "Method",
        "for who teaches or checks",
        (
            ("What is shown here?", run_method.story_words(scenario)),
            (
                "How sure are the figures?",
                " ".join(
                    part
                    for part in (
                        run_method.sure_words(standings, residual, rests),
                        published_words(facts),
                    )
                    if part
                ),
            ),
            ("How does goodput become productive time?", run_theory.time_words(facts)),
            ("How can I repeat it?", run_method.repeat_words(reader, facts.over)),
        ),
        (
            ("theory", "Rules with the figures of this run", run_theory.theory(facts)),
            ("how", "How figures are worked out", run_method.method()),
            ("story", "The scene", run_method.story(scenario)),
            (
                "run",
                "The run",
                joined(
                    [
                        run_facts.what_was_run(reader, facts.summary if facts.over else None, says),
                        run_method.interventions(reader, says),
                    ]
                ),
            ),
            (
                "sources",
                "Sources of the scene",
                joined([run_method.scene_sources(scenario, facts.published), scene_inputs(scenario)]),
            ),
        ),
    )


def picture_times(reader: Reader, events: Sequence[Event]) -> list[tuple[float, str]]:
    """Return the times of the pictures of a run, with their titles: at work, worst moment, end.

    At work is the first sample, an hour after the first step where the run is long, at which work went on undisturbed.

    The worst moment is the sample with the lowest goodput after the first step; of several the one with most GPUs
    throttled or on nodes unpowered or down. There is none where goodput was constant and no GPU was affected.
    """
    says, end_s = moments(reader.header.scenario), reader.t_end_s
    started = next((event.t_s for event in events if event.kind == "job_running"), 0.0)
    at_work = _at_work_s(reader, started)
    shown = [(at_work, f"At work, {says(at_work)}{_warmth(reader, at_work)}")]
    worst = _worst_s(reader, started)
    if worst is not None and 0.0 < worst < end_s:
        near = [e for e in events if e.severity >= Severity.WARNING and worst - 3600.0 <= e.t_s <= worst]
        near.sort(key=lambda event: (event.severity, event.t_s))
        cause = f": {near[-1].subject}, {spelled(near[-1].text)}" if near else ""
        shown.append((worst, f"The worst moment, {says(worst)}{cause}{_down(reader, worst)}"))
    return [*shown, (end_s, f"At the end{_down(reader, end_s)}{_stopped_last(events, end_s)}")]


def _at_work_s(reader: Reader, started_s: float) -> float:
    """Return a time at which work goes on and the hall has warmed up; the first step where there is none [s]."""
    end_s = reader.t_end_s
    goodput = reader.series(0, "site.goodput_now", started_s, points=2000)
    warm_s = started_s + min(_WARM_S, 0.25 * max(end_s - started_s, 0.0))
    usual = np.nan_to_num(goodput.low)
    at = np.flatnonzero((goodput.t_s >= warm_s) & (usual >= 0.99 * usual.max(initial=0.0)))
    return float(min(goodput.t_s[at[0]] if len(at) else started_s, end_s))


def _warmth(reader: Reader, t_s: float) -> str:
    """Return how warm GPUs were at a time, after a colon; nothing where that is not known."""
    mean, most = (
        reader.series(0, channel, 0.0, t_s, 2000).high[-1:]
        for channel in ("site.gpu_mean_c", "site.gpu_max_c")
    )
    known = len(mean) and len(most) and np.isfinite([mean[0], most[0]]).all()
    return f": GPUs at {mean[0]:.1f} °C in the mean, {most[0]:.1f} °C at most" if known else ""


def _down(reader: Reader, t_s: float) -> str:
    """Return how many nodes are down or unpowered at a time, after a semicolon; nothing where none is."""
    counts = [
        (reader.series(0, channel, 0.0, t_s, 2000).high[-1:], word)
        for channel, word in (("site.nodes_down", "down"), ("site.unpowered", "without power"))
    ]
    said = [
        f"{counted(int(count[0]), 'node')} {word}" for count, word in counts if np.nan_to_num(count).any()
    ]
    return f"; {', '.join(said)}" if said else ""


def _stopped_last(events: Sequence[Event], end_s: float) -> str:
    """Return that a stop shortly before the end is why the hall is cool and goodput falls, after a semicolon."""
    stops = [
        event for event in events if event.kind == "job_interrupted" and event.t_s >= end_s - _WARM_S / 4
    ]
    if not stops:
        return ""
    stop = stops[-1]
    ran = [
        e.t_s for e in events if e.kind == "job_resumed" and e.subject == stop.subject and e.t_s > stop.t_s
    ]
    if ran and end_s - ran[0] > _COOL_S:
        return ""
    again = f"ran again {spoken(round(end_s - ran[0]))} before the end" if ran else "did not run again"
    return f"; {stop.subject} was stopped {spoken(round(end_s - stop.t_s))} before the end and {again}: GPUs are cool"


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


def figure_of(picture: ReportPicture, small: bool = False) -> Markup:
    """Return a picture that stands in the page itself, with its caption and the question that it answers."""
    source = f"data:image/png;base64,{base64.b64encode(picture.png).decode()}"
    asked = [question for title, question in _QUESTIONS.items() if picture.title.startswith(title)]
    caption = tag("figcaption", [tag("b", f"{question} ") for question in asked], picture.title)
    css = "small" if small else None
    return tag("figure", tag("img", src=source, alt=picture.title, class_=css), caption)


def _ledger_so_far(reader: Reader) -> Mapping[str, float]:
    _, accounts = reader.ledger()
    return {account: float(values[-1]) for account, values in accounts.items() if len(values)}
