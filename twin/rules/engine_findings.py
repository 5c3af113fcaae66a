"""Findings that need the engine: jobs that do not fit, interventions refused at the start, the peak of the year."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.site_year import SiteYear
from twin.rules.finding import Found, quantity
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.streams import JobStream
from twin.scenario.schema.work import Job
from twin.scenario.text.parse import Path

YEAR_PEAK = "year-peak"
TOLD = ("refused", "does_not_fit")
"""Kinds of events that are findings."""


def at_the_start(scenario: Scenario, events: Iterable[Event]) -> Iterator[tuple[str, Found]]:
    """Yield rule and finding of each refusal or warning of the engine at t = 0.

    Parameters
    ----------
    scenario
        Of the run.
    events
        The first ones of the run; later ones are ignored.
    """
    reported: set[Path] = set()
    for event in events:
        if event.t_s > 0:
            return
        if event.kind == "refused":
            places = [i for i, act in enumerate(scenario.interventions) if act.target == event.subject]
            if places:
                yield (
                    "action-refused",
                    Found(at=("interventions", places[0]), reason=event.text, ids=(event.subject,)),
                )
        elif event.kind == "does_not_fit":
            at = cuts_of(scenario, event.subject)
            if at not in reported:  # not another job of the same stream or trace
                reported.add(at)
                yield "job-fits", Found(at=at, reason=event.text, ids=(event.subject,))


def of_the_year(scenario: Scenario, plant: Plant, year: SiteYear | str) -> Iterator[tuple[str, Found]]:
    """Yield rule and finding of a typical year whose highest hour asks more of the utility than it may give.

    Parameters
    ----------
    scenario, plant
        The site.
    year
        At design load; or why there is none.
    """
    items = utility_items(scenario, plant)
    limit_w = float(plant.power.capacity_w[items].sum())
    if isinstance(year, str) or not len(items) or not math.isfinite(limit_w):
        return
    peak_w = float(year.grid_w.max())
    if peak_w <= limit_w:
        return
    number = int(plant.power.stage[items[0]])
    peak, limit = quantity(peak_w, "power"), quantity(limit_w, "power")
    yield (
        YEAR_PEAK,
        Found(
            at=("power", number, "capacity"),
            reason=tr(
                "is asked for {peak} in the hottest hour of a typical year with all racks at design load, of {limit}",
                peak=peak.text,
                limit=limit.text,
            ),
            fix=tr(
                "a larger connection, machines that suit the load, a power cap, or own sources at full output"
            ),
            ids=tuple(plant.power.ids[item] for item in items.tolist()),
            value=peak,
            limit=limit,
        ),
    )


def utility_items(scenario: Scenario, plant: Plant) -> NDArray[np.intp]:
    """Return the items of the power tree that are the utility."""
    of_utility = [number for number, stage in enumerate(scenario.power) if stage.kind == "utility"]
    return np.flatnonzero(np.isin(plant.power.stage, of_utility) & plant.power.present)


def of_an_edit(
    edit: str, place: int, stage: Scenario, refusal: str, misfits: Iterable[tuple[str, str]]
) -> list[tuple[str, Found]]:
    """Return rule and finding of an edit that cannot be applied, or of jobs that do not fit after it.

    Parameters
    ----------
    edit, place
        Id of the edit, and its place in the file.
    stage
        The scene after the edit.
    refusal
        Why it cannot be applied, or "".
    misfits
        Ids of jobs that do not fit in memory, and the reason for each.
    """
    if refusal:
        found = Found(
            at=("edits", place), reason=tr("cannot be applied: {refusal}", refusal=refusal), ids=(edit,)
        )
        return [("action-refused", found)]
    return [("job-fits", Found(at=cuts_of(stage, job), reason=text, ids=(job,))) for job, text in misfits]


def size_of(scenario: Scenario, job: str) -> Path:
    """Return the key for the size of a job, or the key of its stream or trace."""
    written = {entry.id: i for i, entry in enumerate(scenario.jobs)}
    if job in written:
        return ("jobs", written[job], "nodes")
    streams = {stream.id: i for i, stream in enumerate(scenario.streams)}
    stem = job.rpartition("-")[0]
    if stem in streams:
        return ("streams", streams[stem], "sizes")
    traces = (i for i, trace in enumerate(scenario.traces) if job.startswith(f"{trace.id}-"))
    return ("traces", next(traces, 0), "map")


def cuts_of(scenario: Scenario, job: str) -> Path:
    """Return the key for the parallelism layout of a job."""
    at = size_of(scenario, job)
    if at[0] == "traces":
        return (*at, "workload")
    entries: Sequence[Job | JobStream] = scenario.jobs if at[0] == "jobs" else scenario.streams
    workload = entries[int(at[1])].workload
    layout = ("parallelism",) if hasattr(workload, "parallelism") else ()  # not every workload has one
    return (at[0], at[1], "workload", *layout)
