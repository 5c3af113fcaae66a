"""The parts of the accounts of a range of time: what each stretch of events, each stop and each job took, as booked.

In run files of older programs, which kept no bookings, an account is divided by how long its stretches lasted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.analysis.event_spans import Span
from twin.analysis.explain_causes import has_stretches, lost_s, stretches
from twin.analysis.stretch_costs import StretchCosts, StretchPiece, stretch_costs
from twin.arrays import IntP
from twin.record.accounts import ACCOUNTS, JOB_SECONDS, RESTING
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.record.ledger_reading import BookedSpans, LedgerRange
from twin.record.reader import Reader

_CHANNEL = {account: channel for channel, accounts in JOB_SECONDS.items() for account in accounts}
_STOPPED = ("detection", "restart_and_load")
"""Accounts of a stopped job that time spent waiting for nodes, which has an account of its own, is no part of."""
_STEADY = tuple(
    account
    for channel in ("job.productive_s", "job.exposed_s", "job.bubble_s")
    for account in JOB_SECONDS[channel]
)
"""Step time that is the same in every step of a job: jitter is a share of it."""
_ROUNDING = 1e-9
"""Share of an account that is no part of it, but how sums round."""


@dataclass(frozen=True)
class LossPart:
    """A part of an account.

    Parameters
    ----------
    gpu_s
        How much it is [GPU s].
    from_s
        Since when [s].
    span, stop, job
        The stretch or the stop that took it, or the id of the job that spent it apart from those; none: GPUs at rest.
    lost_s
        Of a stop, the work that it lost in seconds of its job [s].
    """

    gpu_s: float
    from_s: float
    span: Span | None = None
    stop: Event | None = None
    job: str = ""
    lost_s: float = 0.0

    @property
    def told(self) -> bool:
        """Return whether an event tells of it."""
        return self.span is not None or self.stop is not None


class LossParts:
    """Finds the parts of the accounts of one range.

    Parameters
    ----------
    reader
        Of the run file.
    events
        As far as they are known.
    ledger
        Of the range.
    """

    def __init__(self, reader: Reader, events: Sequence[Event], ledger: LedgerRange) -> None:
        self._reader, self._events, self._ledger = reader, events, ledger
        self._gpus = {
            event.subject: event.number("gpus", 1.0) for event in events if event.kind == "job_submitted"
        }
        self._names = reader.header.ids.get("job", ())
        self._number = {name: number for number, name in enumerate(self._names)}
        self._by_job = self._jobs() if ledger.spans is None else {}

    def of(self, account: str, gpu_s: float) -> list[LossPart]:
        """Return the parts of an account [GPU s], which sum to it, the largest first.

        None of an account that no event begins, and no job spends.
        """
        if account == "lost_work":
            found = self._lost_work(gpu_s)
        else:
            t0_s, t1_s = self._ledger.t0_s, self._ledger.t1_s
            lasting = [
                part
                for span in (stretches(account, self._events, t0_s, t1_s) if has_stretches(account) else ())
                for part in span.split("job_interrupted")  # what follows a further failure is its cost
            ]
            booked = self._ledger.spans
            if not lasting:
                found = self._of_jobs(account, gpu_s)
            elif booked is not None:
                found = self._booked(account, gpu_s, lasting, booked)
            else:
                found = self._by_time(account, gpu_s, lasting) or self._of_jobs(account, gpu_s)
        return sorted(found, key=lambda part: (-round(part.gpu_s, 3), part.from_s))

    # -- stretches ----

    def _booked(
        self, account: str, gpu_s: float, lasting: Sequence[Span], booked: BookedSpans
    ) -> list[LossPart]:
        """Return what stretches took, and what else jobs and GPUs at rest spent."""
        owners = self._owners(account, lasting)
        costs = self._costs(account, lasting, owners, self._ledger, booked)
        if account == "straggler":
            costs = self._without_jitter(costs, lasting, owners, booked)
        least, t0_s = _ROUNDING * gpu_s, self._ledger.t0_s
        found = [
            LossPart(part, span.begin.t_s, span)
            for span, part in zip(lasting, costs.gpu_s.tolist(), strict=True)
            if part > least
        ]
        return found + [
            LossPart(left, t0_s, job=name)
            for name, left in zip((*self._names, ""), costs.left_gpu_s.tolist(), strict=True)
            if left > least
        ]

    def _owners(self, account: str, lasting: Sequence[Span]) -> IntP:
        """Return the number of the job that each stretch is about; -1: it is about something else."""
        resting = account in RESTING
        jobs = [-1 if resting else span.begin.integer("job", -1) for span in lasting]
        return np.array(
            [self._number.get(span.subject, job) for span, job in zip(lasting, jobs, strict=True)], np.intp
        )

    def _costs(
        self,
        account: str,
        lasting: Sequence[Span],
        owners: IntP,
        ledger: LedgerRange,
        booked: BookedSpans,
        *accounts: str,
    ) -> StretchCosts:
        """Return what stretches of an account took of it, or of other accounts."""
        counts = self._reader.header.layout.counts
        by_gpus = account in RESTING
        each = counts.get("gpu", 0) / max(counts.get("node", 0), 1) if by_gpus else 1.0
        pieces = [
            StretchPiece(number, owner, from_s, to_s, nodes * each)
            for number, (span, owner) in enumerate(zip(lasting, owners.tolist(), strict=True))
            for from_s, to_s, nodes in span.pieces(ledger.t0_s, ledger.t1_s)
        ]
        spent = booked.spent(*(accounts or (account,)), jobs=len(self._names))
        return stretch_costs(spent, pieces, len(lasting), len(self._names), by_gpus=by_gpus)

    def _without_jitter(
        self, costs: StretchCosts, lasting: Sequence[Span], owners: IntP, booked: BookedSpans
    ) -> StretchCosts:
        """Return costs of stragglers without the jitter of all nodes, which is in every step of a job.

        How large it is beside a step tells the time of the run so far in which no straggler was known.
        """
        ledger, jobs = self._ledger, len(self._names)
        steady = self._costs("straggler", lasting, owners, ledger, booked, *_STEADY)
        before = ledger
        if ledger.t0_s > 0.0:
            before = self._reader.ledger_range(0.0, ledger.t1_s, hindsight=ledger.hindsight)
        assert before.spans is not None
        known = stretches("straggler", self._events, 0.0, ledger.t1_s)
        owned = self._owners("straggler", known)
        slow, even = (
            self._costs("straggler", known, owned, before, before.spans, *accounts).left_gpu_s
            for accounts in ((), _STEADY)
        )
        slow[jobs], even[jobs] = slow.sum(), even.sum()  # of a node that no job was on
        share = np.divide(slow, even, out=np.zeros(jobs + 1), where=even > 0.0)
        excess = np.maximum(costs.gpu_s - share[owners] * steady.gpu_s, 0.0)
        left = costs.left_gpu_s.copy()
        np.add.at(left, owners, costs.gpu_s - excess)
        return StretchCosts(excess, left)

    def _by_time(self, account: str, gpu_s: float, lasting: Sequence[Span]) -> list[LossPart]:
        """Return stretches in proportion to how long they lasted."""
        t0_s, t1_s = self._ledger.t0_s, self._ledger.t1_s
        waits = stretches("idle_reserved", self._events, t0_s, t1_s) if account in _STOPPED else []
        weights = []
        for span in lasting:
            seconds = span.within_s(t0_s, t1_s)
            for from_s, to_s, _ in span.pieces(t0_s, t1_s) if waits else ():
                same = (wait.pieces(from_s, to_s) for wait in waits if wait.subject == span.subject)
                seconds -= sum(end_s - begin_s for pieces in same for begin_s, end_s, _ in pieces)
            weights.append(max(seconds, 0.0) * self._gpus.get(span.subject, 1.0))
        total = math.fsum(weights)
        return [
            LossPart(gpu_s * weight / total, span.begin.t_s, span)
            for span, weight in zip(lasting, weights, strict=True)
            if weight > 0.0
        ]

    # -- lost work ----

    def _lost_work(self, gpu_s: float) -> list[LossPart]:
        """Return the stops, each with the work of the range that it lost."""
        if self._ledger.losses:
            stops: dict[tuple[float, str], Event] = {}
            for event in self._events:
                key = event.t_s, event.subject
                kind = kind_of(event.kind)
                if event.kind == "job_interrupted" or (kind.job and kind.setback and key not in stops):
                    stops[key] = event
            return [
                LossPart(loss.gpu_s, loss.t_s, None, stops.get((loss.t_s, job)), job, whole / gpus)
                for loss in self._ledger.losses
                if loss.gpu_s > 0.0 and loss.job < len(self._names)
                for job in (self._names[loss.job],)
                for whole, gpus in ((loss.gpu_s + loss.before_gpu_s, self._gpus.get(job, 1.0)),)
            ]
        taken = [  # an older program made the file: its events have whole seconds
            (event, lost_s(event) * self._gpus.get(event.subject, 1.0))
            for event in self._events
            if self._ledger.t0_s <= event.t_s <= self._ledger.t1_s and lost_s(event)
        ]
        exact = min(gpu_s / (math.fsum(lost for _, lost in taken) or 1.0), 1.0)
        return [
            LossPart(lost * exact, event.t_s, None, event, event.subject, lost_s(event))
            for event, lost in taken
        ]

    # -- jobs ----

    def _of_jobs(self, account: str, gpu_s: float) -> list[LossPart]:
        """Return jobs in proportion to the time that each recorded for its group of accounts."""
        if account not in _CHANNEL:
            return []
        parts = self._by_job.get(_CHANNEL[account], {})
        if self._ledger.spans is not None:
            spent = self._ledger.by_job[:-1, ACCOUNTS.index(account)][: len(self._names)]
            parts = {self._names[job]: float(spent[job]) for job in np.flatnonzero(spent > 0.0).tolist()}
        total = math.fsum(parts.values())
        return [LossPart(gpu_s * part / total, self._ledger.t0_s, job=job) for job, part in parts.items()]

    def _jobs(self) -> dict[str, dict[str, float]]:
        """Return the time that each job recorded within the range, by channel, without zeros [GPU s]."""
        names = self._names
        if not names:
            return {}
        gpus = np.array([self._gpus.get(name, 0.0) for name in names])
        first, last = (self._seconds(t_s, len(names)) for t_s in (self._ledger.t0_s, self._ledger.t1_s))
        made: dict[str, dict[str, float]] = {}
        for channel in JOB_SECONDS:
            spent = np.maximum(last[channel] - first[channel], 0.0) * gpus
            made[channel] = {names[k]: float(spent[k]) for k in np.flatnonzero(spent > 0.0)}
        return made

    def _seconds(self, t_s: float, jobs: int) -> Mapping[str, NDArray[np.float64]]:
        """Return the seconds of all jobs by channel at the first sample from `t_s` on, in older files [s]."""
        times, columns = self._reader.samples(tuple(JOB_SECONDS), t_s - 1e-6, 1, self._reader.header.layout)
        if not len(times):
            return {channel: np.zeros(jobs) for channel in JOB_SECONDS}
        return {
            channel: np.nan_to_num(columns[channel][:jobs, 0].astype(np.float64))
            if channel in columns
            else np.zeros(jobs)
            for channel in JOB_SECONDS
        }
