"""Jobs as rows of a table: what each is doing, how far it is, and what of its work is safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.scenario.work import Job
from twin.sim.ledger import INDEX, Ledger
from twin.sim.work import Work

Floats = NDArray[np.float64]

STALL_ACCOUNT: dict[int, str] = {
    JobState.STARTING: "restart_and_load",
    JobState.CHECKPOINT: "checkpoint_stall",
    JobState.DETECTING: "detection",
    JobState.RESTARTING: "restart_and_load",
    JobState.WAITING: "idle_reserved",
}
"""Where the GPU-seconds of a job go while it takes no steps."""

AT_REST = (JobState.QUEUED, JobState.DONE)
"""States in which a job holds nothing and nothing about it changes."""

RERATE = 1e-3
"""Relative change of step time that is worth a new plan of the job's next event."""


@dataclass
class Pace:
    """How fast a job steps now, and on what each second is spent.

    Parameters
    ----------
    step_s
        Time of one step [s].
    share
        Fraction of each second by account; sums to one.
    """

    step_s: float
    share: Floats


@dataclass
class JobRow:
    """State of one job; times in seconds since the start, progress in steps."""

    index: int
    id: str
    submit_s: float
    state: int = JobState.QUEUED
    nodes: list[int] = field(default_factory=list)  # in the order of its ranks
    vacant: list[int] = field(default_factory=list)  # places in that order that wait for a spare
    gpus: int = 0  # asked for
    held: int = 0  # in its hands now
    start_s: float | None = None
    end_s: float | None = None
    since_s: float = 0.0  # booked until
    progress: float = 0.0
    durable: float = 0.0
    target: float = 0.0
    interruptions: int = 0
    lost_gpu_s: float = 0.0
    open: list[float] = field(default_factory=lambda: [0.0] * len(ACCOUNTS))  # since the last write
    in_flight: list[tuple[float, float, list[float]]] = field(
        default_factory=list
    )  # (step, durable at, work)
    kept: list[float] = field(default_factory=lambda: [0.0] * len(ACCOUNTS))


class Jobs:
    """The table of jobs with its arithmetic of progress and booking; what happens next is `recovery`'s.

    Attributes
    ----------
    active : list of JobRow
        Jobs that have begun and not ended, in the order of the table. Whoever looks often asks these alone: a queue
        may be thousands long. Replaced, never changed in place.
    left : list of int
        Jobs that ceased to be active, in the order in which they did; it only grows.
    """

    def __init__(self, jobs: tuple[Job, ...], work: list[Work], gpus: list[int], ledger: Ledger) -> None:
        self.specs = jobs
        self.work = work
        self.ledger = ledger
        self.planned = list(work)  # as the plans have it: on the fabric as built, on the nodes they expect
        self.rows = [JobRow(i, j.id, j.submit_s, gpus=gpus[i]) for i, j in enumerate(jobs)]
        self.pace = [Pace(w.step_s, w.parts / w.step_s) for w in work]
        self.active: list[JobRow] = []
        self.left: list[int] = []

    def book(self, row: JobRow, t_s: float) -> None:
        """Book the time of `row` until `t_s` [s] and move its progress."""
        dt = t_s - row.since_s
        if dt <= 0:
            return
        if row.state == JobState.RUNNING:
            row.progress = self.progress_at(row, t_s)
            row.open = (np.asarray(row.open) + self._stepped(row, dt)).tolist()
        elif row.state in STALL_ACCOUNT:
            self.ledger.book(STALL_ACCOUNT[row.state], dt * row.held)
        row.since_s = t_s

    def progress_at(self, row: JobRow, t_s: float) -> float:
        """Return the progress of `row` at `t_s`, not before it was booked last [steps]."""
        if row.state != JobState.RUNNING:
            return row.progress
        return min(row.target, row.progress + (t_s - row.since_s) / self.pace[row.index].step_s)

    def _stepped(self, row: JobRow, dt_s: float) -> Floats:
        spent: Floats = self.pace[row.index].share * (dt_s * row.held)
        return spent

    def unbooked(self, t_s: float) -> Floats:
        """Return what jobs have spent since they were booked last, and their provisional work, by account [GPU s]."""
        total = np.zeros(len(ACCOUNTS))
        for row in self.rows:
            total += self._provisional(row, t_s)
            if row.state in STALL_ACCOUNT:
                total[INDEX[STALL_ACCOUNT[row.state]]] += (t_s - row.since_s) * row.held
        return total

    def _provisional(self, row: JobRow, t_s: float) -> Floats:
        total: Floats = np.array(row.open)
        for _, _, work in row.in_flight:
            total = total + np.asarray(work)
        if row.state == JobState.RUNNING:
            total = total + self._stepped(row, t_s - row.since_s)
        return total

    def enter(self, row: JobRow, t_s: float, state: JobState) -> None:
        """Book until `t_s` and put `row` into `state`."""
        self.book(row, t_s)
        row.since_s = t_s
        begins, ends = row.state in AT_REST, state in AT_REST
        row.state = state
        if begins != ends:
            self._sort_out()
            if ends:
                self.left.append(row.index)

    def _sort_out(self) -> None:
        self.active = [row for row in self.rows if row.state not in AT_REST]

    def settle(self, row: JobRow, t_s: float) -> bool:
        """Keep the work of every write of `row` that is durable by `t_s`, and of those before it.

        Returns whether there was one.
        """
        done = max((i + 1 for i, flight in enumerate(row.in_flight) if flight[1] <= t_s), default=0)
        for step, _, work in row.in_flight[:done]:
            row.durable = step
            self._keep(row, np.asarray(work))
        row.in_flight = row.in_flight[done:]
        return done > 0

    def _keep(self, row: JobRow, work: Floats) -> None:
        self.ledger.keep(work)
        row.kept = (np.asarray(row.kept) + work).tolist()

    def keep_all(self, row: JobRow) -> None:
        """Keep everything provisional: the job has ended well."""
        for _, _, work in row.in_flight:
            self._keep(row, np.asarray(work))
        self._keep(row, np.asarray(row.open))
        row.in_flight, row.open = [], [0.0] * len(ACCOUNTS)
        row.durable = row.progress

    def roll_back(self, row: JobRow) -> float:
        """Give up all provisional work of `row`; return the GPU-seconds lost. What is delivered at once is kept."""
        if self.work[row.index].stateless:
            self.keep_all(row)
            return 0.0
        work = self._provisional(row, row.since_s)
        lost = float(work.sum())
        self.ledger.lose(work)
        row.lost_gpu_s += lost
        row.in_flight, row.open = [], [0.0] * len(ACCOUNTS)
        row.progress = row.durable
        return lost

    def write(self, row: JobRow, durable_s: float) -> None:
        """Begin to make everything up to the present step safe; it is at `durable_s`."""
        row.in_flight.append((row.progress, durable_s, row.open))
        row.open = [0.0] * len(ACCOUNTS)

    def ettr(self, row: JobRow, t_s: float) -> float | None:
        """Return the effective training time ratio of `row` up to `t_s`, None before its start."""
        if row.start_s is None or t_s <= row.start_s:
            return None
        kept = float(np.sum(row.kept) + self._provisional(row, t_s).sum())
        return kept / (row.gpus * ((row.end_s or t_s) - row.start_s))

    def goodput(self, row: JobRow, t_s: float) -> float | None:
        """Return steps kept per second over the same without failures at reference clock, None before the start."""
        if row.start_s is None or t_s <= row.start_s:
            return None
        return (
            self.progress_at(row, t_s) * self.planned[row.index].step_s / ((row.end_s or t_s) - row.start_s)
        )

    def input_wait(self, row: JobRow, t_s: float) -> float | None:
        """Return the share of the job's life that kept steps waited for input, None before the start."""
        if row.start_s is None or t_s <= row.start_s:
            return None
        waited = INDEX["input_wait"]
        return float(row.kept[waited] + self._provisional(row, t_s)[waited]) / (
            row.gpus * ((row.end_s or t_s) - row.start_s)
        )

    def mfu(self, row: JobRow, t_s: float) -> float | None:
        """Return the model FLOP utilisation of kept steps over the job's life, None before the start or if unknown."""
        work = self.work[row.index]
        if row.start_s is None or t_s <= row.start_s or work.model_flop <= 0:
            return None
        wall = (row.end_s or t_s) - row.start_s
        return self.progress_at(row, t_s) * work.model_flop / (work.peak_flop_s * row.gpus * wall)

    def state(self) -> dict[str, Any]:
        """Return what a snapshot needs."""
        return {
            "rows": [vars(row).copy() for row in self.rows],
            "pace": [[p.step_s, p.share.tolist()] for p in self.pace],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        for row, saved in zip(self.rows, state["rows"], strict=True):
            for name, value in saved.items():
                setattr(row, name, value)
            row.in_flight = [(a, b, c) for a, b, c in row.in_flight]
        self._sort_out()
        self.pace = [Pace(step_s, np.array(share)) for step_s, share in state["pace"]]


def pace_of(work: Work, slower_s: dict[str, float]) -> Pace:
    """Return the pace of `work` when the named accounts add (or, if negative, save) time to each step [s].

    Capacity that nobody asks for takes up what is added, so a service is late only when it has none left.
    """
    parts = work.parts.copy()
    spare = INDEX["idle_no_load"]
    if parts[spare] > 0:
        parts[spare] -= min(parts[spare], sum(slower_s.values()))
    for account, seconds in slower_s.items():
        parts[INDEX[account if seconds >= 0 else "productive"]] += seconds
    step_s = float(parts.sum())
    return Pace(step_s, parts / step_s)
