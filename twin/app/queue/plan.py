"""Where jobs that wait are drawn: beside the GPUs that those at work are expected to give back. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.queue.history import JobHistory
from twin.record.frame import Frame

MOST_PLANNED = 200
"""Planned starts beyond these lie too far ahead to be worth a picture."""
_UNKNOWN_S = 3600.0
"""How long a job without limit and estimate is drawn [s] [est]."""


@dataclass(frozen=True)
class Planned:
    """A job that waits, as a hollow box: GPUs `low`..`high` from `begin_s` to `end_s` [s]."""

    job: int
    low: float
    high: float
    begin_s: float
    end_s: float


def waiting_order(history: JobHistory, frame: Frame | None) -> list[int]:
    """Return the waiting jobs in the order the scheduler sees them; who has no place yet comes last."""
    jobs = list(history.waiting)
    if frame is None or not jobs:
        return jobs
    places = frame.values["job.place"][jobs].astype(np.int64)
    places[places == 0] = np.iinfo(np.int64).max
    return [jobs[k] for k in np.argsort(places, kind="stable").tolist()]


def expected_s(history: JobHistory, job: int) -> float:
    """Return how long a job is believed to take: its estimate, else its limit, else its work [s]; nan: unknown."""
    spec = history.jobs[job]
    return spec.estimate_s or spec.limit_s or spec.run_s or float("nan")


def planned_boxes(history: JobHistory, frame: Frame | None, now_s: float) -> list[Planned]:
    """Return the boxes of the next jobs whose start is planned, on GPUs that should be free by then."""
    if frame is None or not history.waiting:
        return []
    jobs = np.fromiter(history.waiting, np.int64, len(history.waiting))
    starts_s = frame.values["job.planned_s"][jobs]
    known = np.flatnonzero(starts_s >= now_s)
    soonest = known[np.argsort(starts_s[known], kind="stable")][:MOST_PLANNED]
    if not len(soonest):
        return []
    total = len(history.plant.gpus.present)
    until_s = np.where(history.plant.gpus.present, 0.0, np.inf)
    for job, since_s in history.started_s.items():
        length_s = expected_s(history, job)
        for low, high in history.holds(job):
            until_s[int(low) : int(np.ceil(high))] = (
                max(since_s + length_s, now_s) if length_s > 0 else np.inf
            )
    boxes: list[Planned] = []
    for place in soonest.tolist():
        job, begin_s = int(jobs[place]), float(starts_s[place])
        length_s = expected_s(history, job)
        end_s = begin_s + (length_s if length_s > 0 else _UNKNOWN_S)
        in_partition = history.partition_gpus.get(history.partition_of(job))
        free_until_s = until_s if in_partition is None else np.where(in_partition, until_s, np.inf)
        wanted = min(history.gpus_of(job), total if in_partition is None else int(in_partition.sum()))
        slots = _free(free_until_s, begin_s, wanted)
        until_s[slots] = end_s
        boxes += [Planned(job, low, high, begin_s, end_s) for low, high in _runs(slots)]
    return boxes


def _free(until_s: NDArray[np.float64], begin_s: float, wanted: int) -> NDArray[np.int64]:
    """Return GPUs free at a time, side by side where there are enough; the soonest free where there are too few."""
    free = np.flatnonzero(until_s <= begin_s + 1.0)
    if len(free) >= wanted:
        for low, high in _runs(free):
            if high - low >= wanted:
                return np.arange(int(low), int(low) + wanted)
        return free[:wanted]
    return np.sort(np.argsort(until_s, kind="stable")[:wanted])


def _runs(slots: NDArray[np.int64]) -> list[tuple[float, float]]:
    if not len(slots):
        return []
    breaks = np.flatnonzero(np.diff(slots) > 1)
    begins = slots[np.concatenate(([0], breaks + 1))]
    ends = slots[np.concatenate((breaks, [len(slots) - 1]))] + 1
    return [(float(a), float(b)) for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
