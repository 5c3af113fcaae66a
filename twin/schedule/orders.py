"""Orders of the queue: a key for every waiting job, the lowest first; ties by time in the queue, then number.

A new order is one function in `ORDERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, Ints64
from twin.scenario.schema.scheduling import Weights
from twin.schedule.queue import Requests
from twin.schedule.shares import FairShare

PRIORITY_RANGE = 1000.0
"""Largest priority of a job, and lowest with a minus."""


@dataclass(frozen=True)
class QueueStanding:
    """Inputs of an order besides the jobs.

    Parameters
    ----------
    gpus
        Of the site, for shares of it.
    """

    now_s: float
    weights: Weights
    shares: FairShare
    gpus: float


Order = Callable[[Ints64, Requests, QueueStanding], Floats]


def submit(jobs: Ints64, requests: Requests, standing: QueueStanding) -> Floats:
    """First come, first served."""
    return np.zeros(len(jobs))


def shortest(jobs: Ints64, requests: Requests, standing: QueueStanding) -> Floats:
    """Shortest estimated run time first."""
    return requests.estimate_s[jobs]


def multifactor(jobs: Ints64, requests: Requests, standing: QueueStanding) -> Floats:
    """Highest sum of weighted factors first; each factor runs from 0 to 1."""
    w = standing.weights
    age = np.clip((standing.now_s - requests.queued_s[jobs]) / w.age_limit_s, 0, 1)
    total = w.age * age + w.size * np.clip(requests.gpus[jobs] / standing.gpus, 0, 1)
    total += w.fair_share * standing.shares.factor()[requests.tenant[jobs]]
    total += w.priority * np.clip((requests.priority[jobs] / PRIORITY_RANGE + 1) / 2, 0, 1)
    total += w.deadline * nearness(jobs, requests, standing)
    return -total


def nearness(jobs: Ints64, requests: Requests, standing: QueueStanding) -> Floats:
    """Return how near the latest start that keeps the deadline is: 1 now or gone by, 0 an age limit ahead or none."""
    estimate_s = requests.estimate_s[jobs]
    latest_s = requests.deadline_s[jobs] - np.where(np.isfinite(estimate_s), estimate_s, 0.0)
    left = (latest_s - standing.now_s) / standing.weights.age_limit_s
    result: Floats = np.clip(1 - left, 0, 1)
    return result


ORDERS: dict[str, Order] = {"submit": submit, "shortest": shortest, "multifactor": multifactor}
"""By their names in a scenario."""


def ordered(jobs: Ints64, key: Floats, requests: Requests, most: int) -> Ints64:
    """Return `jobs`, or the first `most` of them at least: lowest key first, then who queued first, then by number."""
    if most < len(jobs):
        first = (key <= np.partition(key, most - 1)[most - 1]).nonzero()[0]
        jobs, key = jobs[first], key[first]
    result: Ints64 = jobs[np.lexsort((jobs, requests.queued_s[jobs], key))]
    return result
