"""Rows that jobs draw on before and after an edit: naming others of them is free where it moves nobody.

Hardware of another kind that comes by hand makes jobs that took any row keep to those they had, and so do streams of
jobs. The jobs that a stream has drawn stay those of the run, whatever the hall would draw now.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from twin.plant.tables import Plant
from twin.scenario.document import Scenario
from twin.scenario.job_rows import rows_within
from twin.scenario.population import jobs_of
from twin.scenario.streams import JobStream
from twin.scenario.work import Job

Rows = frozenset[str]


def with_nodes(plant: Plant) -> Rows:
    """Return the row generators in which nodes stand."""
    rows = np.unique(plant.racks.row[plant.nodes.rack[plant.nodes.present]])
    return frozenset(plant.rows.ids[row].split("/", 1)[0] for row in rows.tolist())


def same_places(
    had: Rows, before: Scenario, old: Job | JobStream, has: Rows, after: Scenario, new: Job | JobStream
) -> bool:
    """Return whether it may use the very rows it could use, of those where nodes stand before (`had`) and after."""
    could = frozenset(rows_within(before, old.rows, old.partition)) or had
    can = frozenset(rows_within(after, new.rows, new.partition)) or has
    return could & has & had == can & had & has


def streams_fit(before: Scenario, plant: Plant, after: Scenario, edited: Plant) -> bool:
    """Return whether streams differ in nothing but how they say where their jobs run."""
    old, new = before.streams, after.streams
    if len(old) != len(new):
        return False
    had, has = with_nodes(plant), with_nodes(edited)
    return all(
        one.model_copy(update={"rows": other.rows}) == other
        and same_places(had, before, one, has, after, other)
        for one, other in zip(old, new, strict=True)
    )


def settled(scenario: Scenario, jobs: Iterable[Job]) -> Scenario:
    """Return a scene with the jobs that its run has drawn from streams and traces, which come behind its own."""
    rows = {one.id: one.rows for one in scenario.streams}
    drawn = tuple(_within(job, rows) for job in jobs)
    return scenario.model_copy(update={"jobs": scenario.jobs + drawn, "streams": (), "traces": ()})


def drawn(scenario: Scenario) -> tuple[Job, ...]:
    """Return the jobs that a scene draws, as its run begins."""
    return jobs_of(scenario)[len(scenario.jobs) :]


def _within(job: Job, rows: dict[str, tuple[str, ...]]) -> Job:
    """Return a job in the rows that its stream says now; one of a trace as it is."""
    stream, _, number = job.id.rpartition("-")
    wanted = rows.get(stream, job.rows) if number.isdigit() else job.rows
    return job if wanted == job.rows else job.model_copy(update={"rows": wanted})
