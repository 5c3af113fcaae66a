"""Backfill: no job passes the first waiting one, or later jobs do where they delay no promised start.

A new way is one function in `BACKFILLS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from twin.arrays import Ints64
from twin.schedule.trial import Outcome, Trial

Backfill = Callable[[Trial, Ints64, Ints64], Ints64]
"""A decision under way, the waiting jobs in order, and those that had to wait before them -> all that have to."""


def in_order(trial: Trial, jobs: Ints64, before: Ints64) -> Ints64:
    """Start jobs for as long as the next one fits."""
    if len(before):
        return before
    for at, job in enumerate(jobs.tolist()):
        if trial.start(job) in (Outcome.FULL, Outcome.DARK):
            return jobs[at : at + 1]
    return jobs[:0]


def reserving(trial: Trial, jobs: Ints64, before: Ints64, promises: int) -> Ints64:
    """Promise the first waiting jobs their earliest start, and start jobs that delay none of these.

    So many jobs are looked at as the depth says, from the first one on that has to wait. The first who waits for power
    is passed by those alone who end before enough is there, and by nobody once it has waited for too long: small jobs
    would keep power from a large one for ever.
    """
    waiting, at, end = before.tolist(), 0, len(jobs)
    least = trial.least_left(jobs)
    waits = bool(waiting)
    if waits:
        end = min(end, trial.rules.depth)
    while at < end and len(waiting) < promises:
        if waiting and not trial.may_hold(least[at]):
            break  # nothing that is left can start now, and what was promised stands
        job = int(jobs[at])
        at += 1
        outcome = trial.start(job)
        if outcome is not Outcome.STARTED and not waits:
            waits, end = True, min(end, at - 1 + trial.rules.depth)
        if outcome is Outcome.FULL:
            trial.reserve(job)
            waiting.append(job)
        elif outcome is Outcome.DARK:
            _wait_for_power(trial, job, waiting)
    rest = jobs[at:end]
    while len(rest) and trial.may_hold(least[end - len(rest)]):
        found = np.flatnonzero(trial.could(rest))
        if not len(found):
            break
        for number in found.tolist():
            job = int(rest[number])
            outcome = trial.start(job)
            if outcome is Outcome.STARTED:
                break
            if outcome is Outcome.DARK:
                _wait_for_power(trial, job, waiting)
        rest = rest[number + 1 :]
    return np.array(waiting, np.int64)


def _wait_for_power(trial: Trial, job: int, waiting: list[int]) -> None:
    """Start no job that would delay the first one waiting for power."""
    if trial.dark is None:
        trial.keep_power(job)
        waiting.append(job)


EVERYBODY = 10**9

BACKFILLS: dict[str, Backfill] = {
    "none": in_order,
    "easy": partial(reserving, promises=1),
    "conservative": partial(reserving, promises=EVERYBODY),
}
"""By their names in a scenario."""
