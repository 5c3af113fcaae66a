"""What only a run can tell, as findings: jobs that do not fit and interventions that are refused as it begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from twin.record.events import Event
from twin.rules.finding import Found
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.streams import JobStream
from twin.scenario.schema.work import Job
from twin.scenario.text.parse import Path

TOLD = ("refused", "does_not_fit")
"""Kinds of events that are findings."""


def at_the_start(scenario: Scenario, events: Iterable[Event]) -> Iterator[tuple[str, Found]]:
    """Yield rule and finding of what the engine refuses or warns of at t = 0.

    Parameters
    ----------
    scenario
        Of the run.
    events
        Its first ones; later ones are passed over.
    """
    told: set[Path] = set()
    for event in events:
        if event.t_s > 0:
            return
        if event.kind == "refused":
            same = [i for i, one in enumerate(scenario.interventions) if one.target == event.subject]
            if same:
                yield (
                    "action-refused",
                    Found(at=("interventions", same[0]), reason=event.text, ids=(event.subject,)),
                )
        elif event.kind == "does_not_fit":
            at = cuts_of(scenario, event.subject)
            if at not in told:  # not another job of the same stream or trace
                told.add(at)
                yield "job-fits", Found(at=at, reason=event.text, ids=(event.subject,))


def of_an_edit(
    edit: str, place: int, stage: Scenario, refusal: str, misfits: Iterable[tuple[str, str]]
) -> list[tuple[str, Found]]:
    """Return rule and finding of what an edit brings: that it cannot act, or jobs that do not fit behind it.

    Parameters
    ----------
    edit, place
        Id of the edit, and its place in the file.
    stage
        The scene behind it.
    refusal
        Why it cannot act, or "".
    misfits
        Ids of jobs that do not fit in memory, and what to say of each.
    """
    if refusal:
        return [("action-refused", Found(at=("edits", place), reason=f"cannot act: {refusal}", ids=(edit,)))]
    return [("job-fits", Found(at=cuts_of(stage, job), reason=text, ids=(job,))) for job, text in misfits]


def size_of(scenario: Scenario, job: str) -> Path:
    """Return the key that says how large a job is, or of which stream or trace it is."""
    written = {one.id: i for i, one in enumerate(scenario.jobs)}
    if job in written:
        return ("jobs", written[job], "nodes")
    streams = {one.id: i for i, one in enumerate(scenario.streams)}
    stem = job.rpartition("-")[0]
    if stem in streams:
        return ("streams", streams[stem], "sizes")
    traces = (i for i, one in enumerate(scenario.traces) if job.startswith(f"{one.id}-"))
    return ("traces", next(traces, 0), "map")


def cuts_of(scenario: Scenario, job: str) -> Path:
    """Return the key that says how the work of a job is cut over its GPUs."""
    at = size_of(scenario, job)
    if at[0] == "traces":
        return (*at, "workload")
    things: Sequence[Job | JobStream] = scenario.jobs if at[0] == "jobs" else scenario.streams
    workload = things[int(at[1])].workload
    cut = ("parallelism",) if hasattr(workload, "parallelism") else ()  # not every workload is cut by degrees
    return (at[0], at[1], "workload", *cut)
