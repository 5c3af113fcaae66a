"""Two readings of the ledger in a range of time: as known at its end, and in hindsight.

*As known* counts what had happened by the end of the range: work that was lost by then is lost work; work of which
nothing had become yet is *provisional* and counts where it was spent. So it depends on that time alone, and ranges
need not sum to the whole. *In hindsight* all that is recorded counts: work is lost work where it was done, however
much later it was lost, and ranges sum to the whole. In both every GPU-second of the range is in exactly one account.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP
from twin.record.accounts import ACCOUNTS, KEPT_STEP
from twin.record.bookings import AT_REST, KEPT, LOST, Booked

_STEP = np.array([ACCOUNTS.index(name) for name in KEPT_STEP])
_LOST_WORK = ACCOUNTS.index("lost_work")
_ROUNDING = 1e-9
"""Share of what a failure took that is no work, but how sums round."""


@dataclass(frozen=True)
class Loss:
    """Work of a range lost by one failure.

    Parameters
    ----------
    job
        Number of the job.
    t_s
        When it struck [s].
    gpu_s
        Work done within the range [GPU s].
    before_gpu_s
        Work done before it [GPU s].
    """

    job: int
    t_s: float
    gpu_s: float
    before_gpu_s: float


@dataclass(frozen=True)
class Spent:
    """Stretches of time in which something was booked to an account, or to several together.

    Parameters
    ----------
    job
        Number of the job, or `AT_REST`.
    begin_s, end_s
        From when to when [s].
    rate
        What is booked each second [GPU s / s]; below zero: it takes back work that is lost.
    """

    job: IntP
    begin_s: Floats
    end_s: Floats
    rate: Floats


@dataclass(frozen=True)
class BookedSpans:
    """The spans of a range, cut off at its ends, and the pieces of them that are lost work.

    Parameters
    ----------
    job, begin_s, end_s, rate
        As of `Booked`.
    rates
        What is spent each second by account, rates x accounts [GPU s / s].
    lost
        Row of the span, from, to [s].
    """

    job: NDArray[np.int32]
    begin_s: Floats
    end_s: Floats
    rate: NDArray[np.int32]
    rates: Floats
    lost: tuple[tuple[int, float, float], ...]

    def spent(self, *accounts: str, jobs: int) -> Spent:
        """Return when accounts were booked to by the first `jobs` jobs, and at rest; lost step time is taken back."""
        each = self.rates[:, [ACCOUNTS.index(account) for account in accounts]].sum(axis=1)
        rows = np.flatnonzero((each[self.rate] != 0.0) & (self.job < jobs))
        columns = [self.job[rows], self.begin_s[rows], self.end_s[rows], each[self.rate[rows]]]
        step = [ACCOUNTS.index(account) for account in accounts if account in KEPT_STEP]
        lost = [piece for piece in self.lost if self.job[piece[0]] < jobs] if step else []
        if lost:
            lost_rows, from_s, to_s = (np.array(column) for column in zip(*lost, strict=True))
            taken = self.rates[self.rate[lost_rows]][:, step].sum(axis=1)
            back = (self.job[lost_rows], from_s, to_s, -taken)
            columns = [np.concatenate(both) for both in zip(columns, back, strict=True)]
        return Spent(columns[0].astype(np.intp), *columns[1:])


@dataclass(frozen=True)
class LedgerRange:
    """The ledger of a range of time in one of its readings.

    Parameters
    ----------
    t0_s, t1_s
        The range [s]; what happens at its end does not belong to it.
    by_job
        GPU-seconds by account of each job up to the last that spent any, and in the last row of GPUs at rest, shape
        (jobs + 1, accounts).
    provisional_gpu_s
        Step time among it that no checkpoint holds yet and no failure has taken [GPU s]; None: unknown.
    losses
        What failures took, in order of time.
    hindsight
        Which reading it is.
    spans
        What `by_job` sums up; None: an older program kept no bookings.
    """

    t0_s: float
    t1_s: float
    by_job: Floats
    provisional_gpu_s: float | None
    losses: tuple[Loss, ...]
    hindsight: bool
    spans: BookedSpans | None = field(default=None, repr=False, compare=False)

    @cached_property
    def gpu_s(self) -> Mapping[str, float]:
        """Return the GPU-seconds of each account."""
        return dict(zip(ACCOUNTS, self.by_job.sum(axis=0).tolist(), strict=True))

    @property
    def lost_before_gpu_s(self) -> float:
        """Return work of before the range that failures within it took [GPU s]: no account of the range has it."""
        return math.fsum(loss.before_gpu_s for loss in self.losses)


def read_ledger(
    booked: Booked, t0_s: float, t1_s: float, *, hindsight: bool = False, inclusive: bool = False
) -> LedgerRange:
    """Return the ledger of a range.

    Parameters
    ----------
    booked
        Of a run; nothing of after `t1_s` matters but in hindsight.
    hindsight
        Whether all that is recorded counts, else what is known at `t1_s`.
    inclusive
        Whether what happens at `t1_s` counts: at the end of a run nothing follows.
    """
    seen_s = math.inf if hindsight or inclusive else t1_s
    rows = np.flatnonzero((booked.begin_s < (math.inf if hindsight else t1_s)) & (booked.end_s > t0_s))
    begin_s = np.maximum(booked.begin_s[rows], t0_s)
    end_s = np.minimum(booked.end_s[rows], booked.until_s if hindsight else t1_s)
    job, rates = booked.job[rows], booked.rates[booked.rate[rows]]
    known = booked.settled_s < seen_s
    if not hindsight:
        known &= booked.settled_s <= t1_s
    lost = known & (booked.kind == LOST) & (booked.settled_s >= t0_s)
    losses, pieces = _losses(booked, np.flatnonzero(lost), begin_s, end_s, job, rates, t1_s)
    jobs = int(max(job.max(initial=AT_REST), booked.settled_job[known].max(initial=AT_REST))) + 1
    by_job = np.zeros((jobs + 1, len(ACCOUNTS)))
    seconds = np.maximum(np.minimum(end_s, t1_s) - begin_s, 0.0)
    np.add.at(by_job, job, seconds[:, None] * rates)  # GPUs at rest are the last row
    taken_s: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for row, from_s, to_s in pieces:
        within_s = min(to_s, t1_s) - from_s
        if within_s > 0.0:
            by_job[job[row], _STEP] -= within_s * rates[row, _STEP]
            by_job[job[row], _LOST_WORK] += within_s * float(rates[row, _STEP].sum())
            taken_s[row].append((from_s, min(to_s, t1_s)))
    by_job[np.abs(by_job) < _ROUNDING * max(t1_s - t0_s, 0.0)] = 0.0  # what is left where all was taken
    kept = np.flatnonzero(known & (booked.kind == KEPT))
    held_s = np.full(jobs + 1, -math.inf)
    np.maximum.at(held_s, booked.settled_job[kept], booked.value[kept])
    open_rows = np.flatnonzero((job != AT_REST) & (np.minimum(end_s, t1_s) > held_s[job]))
    provisional = 0.0
    for row in open_rows.tolist():
        since_s, until_s = max(float(begin_s[row]), float(held_s[job[row]])), min(float(end_s[row]), t1_s)
        gone_s = sum(max(min(to, until_s) - max(start, since_s), 0.0) for start, to in taken_s.get(row, ()))
        provisional += max(until_s - since_s - gone_s, 0.0) * float(rates[row, _STEP].sum())
    spans = _within(booked, rows, begin_s, end_s, taken_s, t1_s)
    return LedgerRange(t0_s, t1_s, by_job, provisional, losses, hindsight, spans)


def _within(
    booked: Booked,
    rows: NDArray[np.intp],
    begin_s: Floats,
    end_s: Floats,
    taken_s: Mapping[int, Sequence[tuple[float, float]]],
    t1_s: float,
) -> BookedSpans:
    """Return the spans of a range without what lies after it, which hindsight looks at too."""
    kept = begin_s < t1_s
    place = np.cumsum(kept) - 1
    return BookedSpans(
        booked.job[rows[kept]],
        begin_s[kept],
        np.minimum(end_s[kept], t1_s),
        booked.rate[rows[kept]],
        booked.rates,
        tuple((int(place[row]), from_s, to_s) for row, pieces in taken_s.items() for from_s, to_s in pieces),
    )


def _losses(
    booked: Booked,
    settled: NDArray[np.intp],
    begin_s: Floats,
    end_s: Floats,
    job: NDArray[np.int32],
    rates: Floats,
    t1_s: float,
) -> tuple[tuple[Loss, ...], list[tuple[int, float, float]]]:
    """Return the losses, and the pieces of spans of the lost work: row, from, to [s].

    A failure takes the last work of a job that no failure before it took.
    """
    if not len(settled):
        return (), []
    step = rates[:, _STEP].sum(axis=1)
    at_work: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(step > 0.0).tolist():
        at_work[int(job[row])].append(row)
    undone = {number: rows[::-1] for number, rows in at_work.items()}  # still ahead, the next one last
    stacks: dict[int, list[tuple[int, float, float]]] = defaultdict(list)
    losses, pieces = [], []
    for place in settled.tolist():
        number, at_s, left = (
            int(booked.settled_job[place]),
            float(booked.settled_s[place]),
            float(booked.value[place]),
        )
        stack, ahead = stacks[number], undone.get(number, [])
        while ahead and begin_s[ahead[-1]] < at_s:
            row = ahead.pop()
            stack.append((row, float(begin_s[row]), float(end_s[row])))
        least, within = _ROUNDING * left, 0.0
        while stack and left > least:
            row, from_s, to_s = stack.pop()
            work = (to_s - from_s) * float(step[row])
            if work > left + least:
                cut_s = to_s - left / float(step[row])
                stack.append((row, from_s, cut_s))
                from_s, work = cut_s, left
            pieces.append((row, from_s, to_s))
            within += max(min(to_s, t1_s) - from_s, 0.0) * float(step[row])
            left -= work
        losses.append(Loss(number, at_s, within, left if left > least else 0.0))
    return tuple(losses), pieces
