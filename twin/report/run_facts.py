"""Sections of a report on the run: scene, program, interventions, key figures, jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twin.analysis.figures import FIGURES, ComparedFigure
from twin.analysis.wall_clock import Moments
from twin.planning.profile.standing import Standing, least_sure, standing_of_job
from twin.planning.risk.failure_table import NO_FAILURES, fails
from twin.record.reader import Reader
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import figure_text, figure_title, length, percent, quantity
from twin.studies.bands import SeedBands

Summary = Mapping[str, Any]
MOST_JOBS = 60
"""Jobs in the table: those with the most GPU time."""
MOST_NAMED = 5
"""Jobs named in a sentence."""
_APART = 0.005
"""Difference of the step at the end from the mean one that is told."""
PEAK_WINDOW_S = 3600.0
"""The heat model takes steps of this length at most, and peaks are means over one [s]."""
PEAK_OF = f"highest mean over up to {length(PEAK_WINDOW_S)}"
MEANINGS = {
    "goodput": "useful steps / steps of an ideal run of these GPUs (reference clock, no failures, no input wait); at "
    "most ETTR",
    "ettr": "share of the jobs' time spent on kept steps",
    "mfu": "model FLOP of kept steps / peak FLOP, with stops; while steps run: / ETTR",
    "jobs_done": "jobs that finished their work",
    "interruptions": "unexpected job interruptions",
    "planned": "job interruptions by maintenance, which lose work as failures do",
    "lost_gpu_h": "work since the last checkpoint, done again after a failure",
    "wait_s": "from submission to start, mean over jobs",
    "energy_j": "drawn by the whole facility",
    "it_j": "drawn by racks, fabric and storage systems",
    "pue": "facility energy / IT energy",
    "power_max_w": PEAK_OF,
    "power_mean_w": "facility energy / duration of the run",
    "gpu_max_c": "highest temperature of any GPU",
    "throttle_gpu_s": "GPU time with clocks lowered by temperature",
    "water_l": "evaporated and blown down",
    "carbon_kg": "of electricity and fuel",
    "cost_usd": "of electricity and fuel",
}


def what_was_run(reader: Reader, summary: Summary | None, says: Moments) -> Markup:
    """Return the scene, its hardware, the program, and the interventions during the run."""
    header, scenario = reader.header, reader.header.scenario
    end_s = reader.t_end_s
    over = "" if summary is not None else " so far; the run has not finished"
    versions = header.versions
    rows: list[tuple[str, Child]] = [
        ("Scene", scenario.title),
        ("Simulated", f"{length(end_s)}, from {scenario.start:%d %B %Y, %H:%M} {scenario.start:%Z}{over}"),
        ("Seed", number(header.seed, str(header.seed), "seed")),
        (
            "Events",
            joined(
                [
                    number(reader.event_count, f"{reader.event_count:,}", "events"),
                    ", hash ",
                    _mono(reader.event_hash),
                ]
            ),
        ),
        (
            "Inputs",
            joined(["of scene, catalogue, profiles and weather: hash ", _mono(header.inputs_hash)]),
        ),
        ("Scene hash", _mono(header.inputs.get("scenario", "unknown"))),
        (
            "Program",
            ", ".join(f"{name} {versions.get(name, '?')}" for name in ("twin", "python", "numpy")),
        ),
        ("Computed on", f"{versions.get('cpu', '?')}, {versions.get('system', '?')}"),
        ("Recorded", header.created),
    ]
    if not fails(scenario):
        rows.insert(1, ("Failures", f"None: {NO_FAILURES}"))
    if summary is not None:
        gpus, nodes = summary["gpus"], summary["nodes"]
        rows.insert(
            1,
            (
                "Hardware",
                joined(
                    [
                        number(gpus, f"{gpus:,}", "gpus"),
                        " GPUs in ",
                        number(nodes, f"{nodes:,}", "nodes"),
                        " nodes",
                    ]
                ),
            ),
        )
    return _facts(rows)


def key_figures(summary: Summary, bands: SeedBands | None = None) -> Markup:
    """Return all key figures in a table, with their bands over seeds if known."""
    rows = []
    for figure in FIGURES:
        value = figure.of(summary)
        band = None if bands is None else bands.bands.get(figure.key)
        quantiles = (None,) * 3 if band is None else (band.p5, band.p50, band.p95)
        over = [
            number(quantile, "" if quantile is None else figure_text(figure, quantile, value))
            for quantile in (quantiles if bands is not None else ())
        ]
        cell = figure_cell(figure, value, figure.key)
        rows.append((figure_title(figure), cell, *over, MEANINGS.get(figure.key, "")))
    heads = ("P5", "P50", "P95") if bands is not None else ()
    of_bands = (
        tag("p", f"P5, P50 and P95 over {len(bands.seeds)} seeds, {bands.seeds[0]} to {bands.seeds[-1]}.")
        if bands is not None
        else None
    )
    return joined([_basis(summary), of_bands, table(("figure", "value", *heads, "meaning"), rows)])


def figure_cell(figure: ComparedFigure, value: float | None, key: str | None = None) -> Markup:
    """Return a figure of a run as a cell; interruptions are unknown only where nothing can fail."""
    if value is None and figure.key in ("interruptions", "planned"):
        return tag("span", "nothing fails", class_="unknown")
    return number(value, "" if value is None else figure_text(figure, value), key)


def standing_mark(standing: Standing | None, short: bool = False) -> Child:
    """Return how sure step times are, as a marked word, or its mark alone; nothing where they are given."""
    if standing is None:
        return None
    words = standing.mark if short else standing.marked
    return tag("span", words, class_=("good", None, "warn")[standing.doubt], title=standing.marked)


def _basis(summary: Summary) -> Child:
    """Return on what step times rest, and with them all figures of work, energy and money."""
    found = [(job, standing_of_job(job)) for job in summary.get("jobs", ())]
    least = least_sure(standing for _, standing in found)
    if least is None or not least.doubt:
        return None
    of = [str(job["id"]) for job, standing in found if standing == least]
    listed = f"{', '.join(of[:MOST_NAMED])}{f' and {len(of) - MOST_NAMED} more' * (len(of) > MOST_NAMED)}"
    words = f" Step times of {listed}, and what follows from them: tokens, days, energy, cost."
    return tag("p", [standing_mark(least), words], class_="note")


def rests(summary: Summary) -> str:
    """Return on what the step times of jobs rest, in words; nothing where none does."""
    said = dict.fromkeys(
        str(job["step_rests_on"]) for job in summary.get("jobs", ()) if job.get("step_rests_on")
    )
    return "; ".join(list(said)[:MOST_NAMED])


def jobs(summary: Summary, says: Moments) -> Markup:
    """Return the jobs, those with the most GPU time first."""
    listed = sorted(summary.get("jobs", ()), key=lambda job: -_held_gpu_s(job, summary))
    rows = []
    for job in listed[:MOST_JOBS]:
        mfu, ettr = job.get("mfu"), job.get("ettr")
        rows.append(
            (
                str(job["id"]),
                str(job.get("outcome") or job.get("state")).replace("_", " "),
                standing_mark(standing_of_job(job), short=True),
                number(job["gpus"], f"{job['gpus']:,g}"),
                "" if job.get("start_s") is None else says(job["start_s"]),
                "" if job.get("end_s") is None else says(job["end_s"]),
                length(job.get("wait_s")),
                number(job.get("steps"), f"{job.get('steps') or 0:,}"),
                number(job.get("step_s"), quantity(job.get("step_s"), "duration", 3)),
                number(mfu, percent(mfu)),
                number(ettr, percent(ettr)),
                number(job.get("interruptions"), f"{job.get('interruptions') or 0:,}"),
                number(job.get("energy_j"), quantity(job.get("energy_j"), "energy", 3)),
            )
        )
    heads = (
        "job",
        "state",
        "",
        "GPUs",
        "from",
        "to",
        "waited",
        "steps",
        "step at end",
        "MFU with stops",
        "ETTR",
        "stops",
        "energy",
    )
    body: list[Child] = [table(heads, rows, right=7, class_="wide")]
    found = {standing.marked for job in listed if (standing := standing_of_job(job)) is not None}
    if found:
        body.append(tag("p", f"Step times: {', '.join(sorted(found))}.", class_="note"))
    if len(listed) > MOST_JOBS:
        body.append(
            tag("p", f"The {MOST_JOBS} jobs with the most GPU time, of {len(listed):,}.", class_="note")
        )
    if paces := _mean_steps(listed, summary):
        body.append(tag("p", paces, class_="note"))
    doubts = list(dict.fromkeys(str(doubt) for job in listed for doubt in job.get("low_confidence") or ()))
    doubts += dict.fromkeys(f"Step time {job['step_rests_on']}" for job in listed if job.get("step_rests_on"))
    if doubts:
        body += [
            tag("h3", "Confidence of step times"),
            tag("ul", [tag("li", doubt) for doubt in doubts[:20]]),
        ]
    return joined(body)


def _mean_steps(listed: Sequence[Mapping[str, Any]], summary: Summary) -> str:
    """Return where the step at the end is not the mean one, on which goodput, ETTR and MFU rest."""
    said = []
    for job in listed:
        held_s = _held_gpu_s(job, summary) / job["gpus"] if job["gpus"] else 0.0
        if job.get("step_s") and job.get("steps") and job.get("ettr") and not job.get("site"):
            mean_s = job["ettr"] * held_s / job["steps"]
            if abs(mean_s / job["step_s"] - 1.0) >= _APART:
                said.append(f"{job['id']} {quantity(mean_s, 'duration', 3)}")
    if not said:
        return ""
    more = f" and {len(said) - MOST_NAMED} more" if len(said) > MOST_NAMED else ""
    return (
        f"The step is that of the last moment: cooler or warmer GPUs step at another pace. Mean over "
        f"kept steps, on which goodput, ETTR and MFU rest: {', '.join(said[:MOST_NAMED])}{more}."
    )


def ledger_rows(ledger: Mapping[str, float]) -> list[tuple[str, float, float]]:
    """Return (account, GPU-seconds, share) of accounts with any time, largest first."""
    total = sum(ledger.values()) or 1.0
    listed = sorted(((gpu_s, account) for account, gpu_s in ledger.items() if gpu_s), reverse=True)
    return [(account, gpu_s, gpu_s / total) for gpu_s, account in listed]


def _held_gpu_s(job: Mapping[str, Any], summary: Summary) -> float:
    start_s = job.get("start_s")
    if start_s is None:
        return 0.0
    end_s = job.get("end_s")
    return float(job["gpus"] * ((summary["simulated_s"] if end_s is None else end_s) - start_s))


def _facts(rows: list[tuple[str, Child]]) -> Markup:
    lines = [tag("tr", tag("th", key, scope="row"), tag("td", value)) for key, value in rows]
    return tag("div", tag("table", tag("tbody", lines), class_="facts"), class_="scroll")


def _mono(text: str) -> Markup:
    return tag("span", text, class_="mono")
