"""All jobs of a scenario: those written one by one, those its streams make, those of its traces, in that order.

Streams and traces stay what they are in the document; whoever needs the jobs asks here, and gets the same every time.
"""

from __future__ import annotations

from weakref import ref

from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

_READ = ("seed", "start", "duration_s", "site", "tenants", "partitions", "jobs", "streams", "traces")
"""What jobs follow from beside nodes; scenes that differ in something else have the same ones, thousands of them."""
_known: dict[int, tuple[ref[Scenario], tuple[Job, ...]]] = {}
"""By the id of a scenario, as long as that lives."""
_kept: dict[int, tuple[ref[Scenario], tuple[Job, ...]]] = {}
"""The same of scenes that a run was edited into: another scene like that draws its own."""


def jobs_of(scenario: Scenario) -> tuple[Job, ...]:
    """Return all jobs of `scenario`; the first ones are `scenario.jobs` themselves."""
    if not (scenario.streams or scenario.traces):
        return scenario.jobs
    key = id(scenario)
    known = _kept.get(key) or _known.get(key)
    if known is None:
        known_jobs = ((other_fault(), jobs) for other_fault, jobs in list(_known.values()))
        alike = next(
            (jobs for fault, jobs in known_jobs if fault is not None and _same(scenario, fault)), None
        )
        jobs = _made(scenario) if alike is None else alike
        known = _known[key] = ref(scenario, lambda _: _known.pop(key, None)), jobs
    return known[1]


def keep_jobs(scenario: Scenario, begun: Scenario) -> None:
    """Let a scene that a run of `begun` was edited into have the jobs that were drawn as that began.

    What streams and traces would draw in the edited hall is nothing to the run: they say at most where its jobs run.
    """
    if (scenario.streams or scenario.traces) and scenario is not begun:
        from twin.scenario.generators.frozen_jobs import placed

        key, drawn = id(scenario), jobs_of(begun)[len(begun.jobs) :]
        if (scenario.streams, scenario.traces) != (begun.streams, begun.traces):
            drawn = placed(scenario, drawn)
        _kept[key] = ref(scenario, lambda _: _kept.pop(key, None)), scenario.jobs + drawn


def _same(first: Scenario, second: Scenario) -> bool:
    if any(getattr(first, name) != getattr(second, name) for name in _READ):
        return False
    # Streams ask halls for the size of nodes alone, traces for their number as well.
    return first.halls == second.halls or (not first.traces and _node_sizes(first) == _node_sizes(second))


def _node_sizes(scenario: Scenario) -> tuple[int, ...]:
    """Return the GPUs of a node that jobs of each stream may use."""
    from twin.scenario.generators.allowed_rows import RowNodes, rows_within
    from twin.scenario.schema.scene_catalog import catalog_of

    nodes = RowNodes(scenario, catalog_of(scenario))
    return tuple(
        nodes.per_node(rows_within(scenario, stream.rows, stream.partition)) for stream in scenario.streams
    )


def _made(scenario: Scenario) -> tuple[Job, ...]:
    from twin.scenario.generators.job_streams import stream_jobs
    from twin.scenario.generators.job_traces import trace_jobs

    jobs = list(scenario.jobs)
    for stream in scenario.streams:
        jobs += stream_jobs(stream, scenario)
    for trace in scenario.traces:
        jobs += trace_jobs(trace, scenario, {job.id for job in jobs})
    return tuple(jobs)
