"""The cost of stops of jobs: each booking of a stopped job belongs to the interruption that it followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.analysis.incident import COST_ACCOUNTS
from twin.arrays import Floats
from twin.record.accounts import ACCOUNTS
from twin.record.bookings import AT_REST, LOST, Booked

_COLUMNS = np.array([ACCOUNTS.index(name) for name in COST_ACCOUNTS])
_STOPPED = _COLUMNS[1:]
_TINY_S = 1e-6


@dataclass(frozen=True)
class StopCosts:
    """Costs of stops.

    Parameters
    ----------
    gpu_s
        Stops x `COST_ACCOUNTS` [GPU s].
    other_gpu_s
        Of jobs, that no interruption brought: first starts, preemptions, moves, more nodes, by `COST_ACCOUNTS` [GPU s].
    installed_gpu_s
        GPU time of the run so far [GPU s].
    stop, account, begin_s, end_s
        Spans of stopped jobs in order of time: number of the stop, index in `COST_ACCOUNTS`, from when to when [s]
        (infinity: it lasts still).
    until_s
        All of this is known up to here [s].
    """

    gpu_s: Floats
    other_gpu_s: Floats
    installed_gpu_s: float
    stop: NDArray[np.intp]
    account: NDArray[np.intp]
    begin_s: Floats
    end_s: Floats
    until_s: float

    def spans_of(self, stop: int) -> list[tuple[str, float, float]]:
        """Return (account, begin, end) of the spans of a stop, those that continue each other as one."""
        found: list[tuple[str, float, float]] = []
        for row in np.flatnonzero(self.stop == stop).tolist():
            account, begin_s = COST_ACCOUNTS[int(self.account[row])], float(self.begin_s[row])
            end_s = float(self.end_s[row])
            if found and found[-1][0] == account and abs(found[-1][2] - begin_s) < _TINY_S:
                found[-1] = (account, found[-1][1], end_s)
            else:
                found.append((account, begin_s, end_s))
        return found


def stop_costs(booked: Booked, until_s: float, job: NDArray[np.intp], t_s: Floats) -> StopCosts:
    """Return what interruptions cost.

    Parameters
    ----------
    booked
        Bookings of the run.
    until_s
        Nothing after this counts; what happens at this time does [s].
    job, t_s
        Number of the job of each interruption, and when it struck [s], in order of time.
    """
    until_s = min(until_s, booked.until_s)
    known = booked.begin_s < until_s
    rates = booked.rates[booked.rate[known]]
    ends_s = np.where(booked.end_s[known] <= until_s, booked.end_s[known], np.inf)
    begins_s, jobs = booked.begin_s[known], booked.job[known]
    seconds = np.minimum(ends_s, until_s) - begins_s
    installed = float((rates.sum(axis=1) * seconds).sum())
    held = jobs != AT_REST
    rates, ends_s, begins_s, jobs, seconds = (part[held] for part in (rates, ends_s, begins_s, jobs, seconds))
    spent = rates[:, _STOPPED]
    empty = rates.sum(axis=1) == 0.0  # it waits for all of its nodes
    stands = (spent.sum(axis=1) > 0.0) | empty
    lost = np.flatnonzero((booked.kind == LOST) & (booked.settled_s <= until_s))
    lost_s = booked.settled_s[lost]
    stop = _stop_of(
        np.concatenate((jobs, booked.settled_job[lost])),
        np.concatenate((begins_s, lost_s)),
        np.concatenate((ends_s, lost_s)),
        np.concatenate((stands, np.ones(len(lost), bool))),
        job,
        t_s,
    )
    cost = np.zeros((len(stop), len(COST_ACCOUNTS)))
    cost[: len(jobs), 1:] = spent * seconds[:, None]
    cost[len(jobs) :, 0] = booked.value[lost]
    gpu_s, mine = np.zeros((len(job), len(COST_ACCOUNTS))), stop >= 0
    np.add.at(gpu_s, stop[mine], cost[mine])
    account = 1 + np.where(empty, COST_ACCOUNTS.index("idle_reserved") - 1, spent.argmax(axis=1))
    rows = np.flatnonzero(mine[: len(jobs)])
    rows = rows[np.argsort(begins_s[rows], kind="stable")]
    return StopCosts(
        gpu_s,
        cost[~mine].sum(axis=0),
        installed,
        stop[rows],
        account[rows],
        begins_s[rows],
        ends_s[rows],
        until_s,
    )


def _stop_of(
    jobs: NDArray[np.int32],
    begins_s: Floats,
    ends_s: Floats,
    stands: NDArray[np.bool_],
    job: NDArray[np.intp],
    t_s: Floats,
) -> NDArray[np.intp]:
    """Return the interruption that each span followed; -1: none, or its job stepped in between."""
    stops = len(job)
    of_job, at_s = np.concatenate((job, jobs)), np.concatenate((t_s, begins_s))
    is_span = np.arange(len(of_job)) >= stops
    order = np.lexsort((is_span, at_s, of_job))
    place = np.arange(len(order))
    sorted_job, sorted_span = of_job[order], is_span[order]
    steps = np.zeros(len(order), bool)
    steps[sorted_span] = ~stands[order[sorted_span] - stops]
    last_stop = np.maximum.accumulate(np.where(sorted_span, -1, place))
    last_step = np.maximum.accumulate(np.where(steps, place, -1))
    found = np.full(len(jobs), -1, np.intp)
    wanted = place[sorted_span & ~steps]
    before, step = last_stop[wanted], last_step[wanted]
    valid = (before >= 0) & (sorted_job[before] == sorted_job[wanted])
    stepped = (step >= 0) & (sorted_job[step] == sorted_job[wanted])
    stepped_until_s = np.full(len(wanted), -np.inf)
    stepped_until_s[stepped] = ends_s[order[step[stepped]] - stops]
    valid &= stepped_until_s <= np.where(valid, at_s[order[before]], -np.inf) + _TINY_S
    found[order[wanted[valid]] - stops] = order[before[valid]]
    return found
