"""Rows that jobs draw on before and after an edit: naming others of them is free where it moves nobody.

Hardware of another kind that comes by hand makes jobs that took any row keep to those they had, and so do streams and
traces of jobs. The jobs that these have drawn stay those of the run, whatever the hall would draw now.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from twin.plant.tables import Plant
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.allowed_rows import rows_within
from twin.scenario.generators.frozen_jobs import placed
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.streams import JobStream, JobTrace, TraceMap
from twin.scenario.schema.work import Job

Rows = frozenset[str]
Placed = Job | JobStream | TraceMap


def with_nodes(plant: Plant) -> Rows:
    """Return the row generators in which nodes stand."""
    rows = np.unique(plant.racks.row[plant.nodes.rack[plant.nodes.present]])
    return frozenset(plant.rows.ids[row].split("/", 1)[0] for row in rows.tolist())


def same_places(had: Rows, before: Scenario, old: Placed, has: Rows, after: Scenario, new: Placed) -> bool:
    """Return whether it may use the very rows it could use, of those where nodes stand before (`had`) and after."""
    could = frozenset(rows_within(before, old.rows, old.partition)) or had
    can = frozenset(rows_within(after, new.rows, new.partition)) or has
    return could & has & had == can & had & has


def sources_fit(before: Scenario, plant: Plant, after: Scenario, edited: Plant) -> bool:
    """Return whether streams and traces differ in nothing but how they say where their jobs run."""
    old: tuple[JobStream | JobTrace, ...] = (*before.streams, *before.traces)
    new: tuple[JobStream | JobTrace, ...] = (*after.streams, *after.traces)
    if len(before.streams) != len(after.streams) or len(old) != len(new):
        return False
    had, has = with_nodes(plant), with_nodes(edited)
    return all(
        _anywhere(source) == _anywhere(other)
        and same_places(had, before, _rules(source), has, after, _rules(other))
        for source, other in zip(old, new, strict=True)
    )


def _rules(source: JobStream | JobTrace) -> JobStream | TraceMap:
    """Return what says where its jobs run."""
    return source.map if isinstance(source, JobTrace) else source


def _anywhere(source: JobStream | JobTrace) -> JobStream | JobTrace:
    nowhere: dict[str, tuple[str, ...]] = {"rows": ()}
    if isinstance(source, JobTrace):
        return source.model_copy(update={"map": source.map.model_copy(update=nowhere)})
    return source.model_copy(update=nowhere)


def settled(scenario: Scenario, jobs: Iterable[Job]) -> Scenario:
    """Return a scene with the jobs that its run has drawn from streams and traces, which come behind its own."""
    return scenario.model_copy(
        update={"jobs": scenario.jobs + placed(scenario, jobs), "streams": (), "traces": ()}
    )


def drawn(scenario: Scenario) -> tuple[Job, ...]:
    """Return the jobs that a scene draws, as its run begins."""
    return jobs_of(scenario)[len(scenario.jobs) :]
