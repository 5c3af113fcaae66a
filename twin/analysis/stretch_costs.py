"""The cost of stretches of events, as booked: what an account spent while a stretch lasted belongs to that stretch.

A stretch of a job takes from the bookings of that job. One of anything else (a rack, a pump, a switch) takes from what
no stretch of a job took, of all jobs and of GPUs at rest. Stretches that last at the same time share by their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, IntP
from twin.record.ledger_reading import Spent

_ROUNDING = 1e-9
"""Share of the largest rate that is none, but how sums round."""


@dataclass(frozen=True)
class StretchPiece:
    """A piece of a stretch in which as much of it lasts all the time.

    Parameters
    ----------
    stretch
        Number of the stretch.
    job
        Number of the job that it is about; -1: of none.
    begin_s, end_s
        From when to when [s].
    weight
        Its share beside others, such as its GPUs.
    """

    stretch: int
    job: int
    begin_s: float
    end_s: float
    weight: float


@dataclass(frozen=True)
class StretchCosts:
    """What stretches took of an account, and what none of them did.

    Parameters
    ----------
    gpu_s
        Of each stretch [GPU s].
    left_gpu_s
        Of each job, and in the last place of GPUs at rest [GPU s].
    """

    gpu_s: Floats
    left_gpu_s: Floats


def stretch_costs(
    spent: Spent, pieces: Sequence[StretchPiece], stretches: int, jobs: int, *, by_gpus: bool = False
) -> StretchCosts:
    """Return what each stretch took.

    Parameters
    ----------
    spent
        The bookings of an account.
    pieces
        Of the stretches.
    stretches, jobs
        How many there are.
    by_gpus
        Whether weights are GPUs: then a stretch takes no more than its GPUs can spend, else all that is booked.
    """
    gpu_s, left = np.zeros(stretches), np.zeros(jobs + 1)
    of_jobs, of_others = ([piece for piece in pieces if (piece.job >= 0) == own] for own in (True, False))
    if of_jobs:
        spent = _share(spent, of_jobs, gpu_s, by_job=True, by_gpus=by_gpus).rest
    np.add.at(left, spent.job, _share(spent, of_others, gpu_s, by_job=False, by_gpus=by_gpus).left_gpu_s)
    return StretchCosts(gpu_s, left)


@dataclass(frozen=True)
class _Shared:
    """Bookings of which pieces have taken their part: cut into intervals of constant rates.

    Parameters
    ----------
    spent
        The bookings.
    edge_s
        Begins and ends of all intervals, one job after the other [s].
    first, last
        Edges at which each booking begins and ends.
    left
        Share of the bookings of each interval that nothing took [-].
    lasts_s
        Length of each interval [s].
    """

    spent: Spent
    edge_s: Floats
    first: IntP
    last: IntP
    left: Floats
    lasts_s: Floats

    @property
    def left_gpu_s(self) -> Floats:
        """Return what is left of each booking [GPU s]."""
        return self.spent.rate * _between(self.left * self.lasts_s, self.first, self.last)

    @property
    def rest(self) -> Spent:
        """Return what is left as bookings."""
        counts = self.last - self.first
        row = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts - self.first, counts)
        kept = np.flatnonzero(self.left[place] > 0.0)
        row, place = row[kept], place[kept]
        rate = self.spent.rate[row] * self.left[place]
        return Spent(self.spent.job[row], self.edge_s[place], self.edge_s[place + 1], rate)


def _share(
    spent: Spent, pieces: Sequence[StretchPiece], gpu_s: Floats, *, by_job: bool, by_gpus: bool
) -> _Shared:
    """Add to `gpu_s` what each piece takes of its job, or of all together."""
    begin_s, end_s, weight = (
        np.array([getattr(piece, name) for piece in pieces]) for name in ("begin_s", "end_s", "weight")
    )
    owner = np.array([piece.job for piece in pieces], np.intp)
    key = np.concatenate((spent.job, spent.job, owner, owner)) * by_job
    at_s = np.concatenate((spent.begin_s, spent.end_s, begin_s, end_s))
    order = np.lexsort((at_s, key))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(key[order]) != 0) | (np.diff(at_s[order]) != 0)
    edge = np.empty(len(order), np.intp)
    edge[order] = np.cumsum(new) - 1
    rows, some = len(spent.job), len(pieces)
    first, last, opens, closes = np.split(edge, (rows, 2 * rows, 2 * rows + some))
    edge_s, edge_key = at_s[order][new], key[order][new]
    lasts_s = np.zeros(len(edge_s))
    lasts_s[:-1] = np.where(np.diff(edge_key) == 0, np.diff(edge_s), 0.0)
    rate, wanted = _level(first, last, spent.rate, lasts_s), _level(opens, closes, weight, lasts_s)
    each = np.divide(rate, wanted, out=np.zeros(len(rate)), where=wanted > 0.0)
    if by_gpus:
        each = np.minimum(each, 1.0)
    taken = weight * _between(each * lasts_s, opens, closes)
    np.add.at(gpu_s, np.array([piece.stretch for piece in pieces], np.intp), taken)
    left = np.divide(rate - each * wanted, rate, out=np.zeros(len(rate)), where=rate > 0.0)
    left[np.abs(left) < _ROUNDING] = 0.0
    return _Shared(spent, edge_s, first, last, left, lasts_s)


def _level(first: IntP, last: IntP, height: Floats, lasts_s: Floats) -> Floats:
    """Return the sum of heights in each interval, each from its first edge to its last."""
    change = np.zeros(len(lasts_s))
    np.add.at(change, first, height)
    np.add.at(change, last, -height)
    level = np.cumsum(change)
    level[np.abs(level) < _ROUNDING * np.abs(height).max(initial=0.0)] = 0.0
    return level


def _between(values: Floats, first: IntP, last: IntP) -> Floats:
    """Return the sums of values from one place to before another."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    found: Floats = sums[last] - sums[first]
    return found
