"""Jobs that a run has drawn from streams and traces, and where these let them run now: edits may change that alone."""

from __future__ import annotations

from collections.abc import Iterable

from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

Rows = tuple[str, ...]


def placed(scenario: Scenario, jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Return jobs that were drawn as a run began, in the rows that its streams and traces name in `scenario`."""
    streams = {stream.id: stream.rows for stream in scenario.streams}
    traces = [(_heads(trace.id), trace.map.rows) for trace in scenario.traces]
    traces.sort(key=lambda trace: -len(trace[0][0]))  # one may be called as another and more
    return tuple(_within(job, streams, traces) for job in jobs)


def _heads(trace: str) -> tuple[str, ...]:
    """Return the prefix of the ids of the jobs of a trace: long names are cut short."""
    return f"{trace}-", f"{trace[:26]}-n", f"{trace[:20]}-n"


def _within(job: Job, streams: dict[str, Rows], traces: list[tuple[tuple[str, ...], Rows]]) -> Job:
    """Return a job in the rows that what it comes from says now."""
    stream, _, number = job.id.rpartition("-")
    if number.isdigit() and stream in streams:
        wanted = streams[stream]
    else:
        wanted = next((rows for heads, rows in traces if job.id.startswith(heads)), job.rows)
    return job if wanted == job.rows else job.model_copy(update={"rows": wanted})
