"""How gaps are filled: nobody passes the first who waits, or later jobs do where that delays nobody promised a start.

A new way is one function in `BACKFILLS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from twin.schedule.queue import Ints
from twin.schedule.trial import Outcome, Trial

Backfill = Callable[[Trial, Ints], Ints]
"""A decision under way and the waiting jobs in order -> those looked at that have to wait, in order."""


def in_order(trial: Trial, jobs: Ints) -> Ints:
    """Start jobs for as long as the next one fits."""
    for at, job in enumerate(jobs.tolist()):
        if trial.start(job) in (Outcome.FULL, Outcome.DARK):
            return jobs[at : at + 1]
    return jobs[:0]


def reserving(trial: Trial, jobs: Ints, promises: int) -> Ints:
    """Promise the first so many who wait their earliest start, and start whoever delays none of these.

    Whoever waits for power is not passed: small jobs would keep it from a large one for ever.
    """
    jobs = jobs[: trial.rules.depth]
    waiting: list[int] = []
    smallest = _smallest_left(trial, jobs)
    at = 0
    while at < len(jobs) and len(waiting) < promises:
        if waiting and trial.left < smallest[at]:
            break  # nothing that is left can start now, and what was promised stands
        job = int(jobs[at])
        at += 1
        outcome = trial.start(job)
        if outcome is Outcome.DARK:
            return np.array([*waiting, job], np.int64)
        if outcome is Outcome.FULL:
            trial.reserve(job)
            waiting.append(job)
    rest = jobs[at:]
    while len(rest) and trial.left >= smallest[len(jobs) - len(rest)]:
        found = np.flatnonzero(trial.could(rest))
        if not len(found):
            break
        for number in found.tolist():
            outcome = trial.start(int(rest[number]))
            if outcome is Outcome.DARK:
                return np.array([*waiting, int(rest[number])], np.int64)
            if outcome is Outcome.STARTED:
                break
        rest = rest[number + 1 :]
    return np.array(waiting, np.int64)


def _smallest_left(trial: Trial, jobs: Ints) -> Ints:
    """Return the fewest free nodes that any job from each place in the queue on may need, shape (jobs + 1,)."""
    whole = trial.rules.requests.whole[jobs]
    return np.append(np.minimum.accumulate(whole[::-1])[::-1], np.iinfo(np.int64).max)


EVERYBODY = 10**9

BACKFILLS: dict[str, Backfill] = {
    "none": in_order,
    "easy": partial(reserving, promises=1),
    "conservative": partial(reserving, promises=EVERYBODY),
}
"""By their names in a scenario."""
