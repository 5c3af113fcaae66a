"""Where the time of each job went while it held nodes: seconds of the whole job by group of accounts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.accounts import ACCOUNTS, JOB_SECONDS
from twin.sim.core.ledger import INDEX
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs

Values = dict[str, NDArray[Any]]


def _groups() -> NDArray[np.float64]:
    """Return which account belongs to which channel, shape (accounts, channels)."""
    groups = np.zeros((len(ACCOUNTS), len(JOB_SECONDS)))
    for column, accounts in enumerate(JOB_SECONDS.values()):
        groups[[INDEX[account] for account in accounts], column] = 1.0
    return groups


class JobTime:
    """Rows of those channels, settled at every change of the run and carried on in between."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._groups = _groups()
        self._first = True
        self._index = np.zeros(0, np.intp)
        self._known: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}  # spent, and its rate

    def stand(
        self, v: Values, rows: Sequence[JobRow], ended: Sequence[JobRow], moved: Collection[int]
    ) -> None:
        """Take note of jobs at work, `moved` among them, and write what stays of all."""
        jobs = self.jobs
        if self._first:  # of a run that was restored: all that ended before
            ended, self._first = [row for row in jobs.rows if row.start_s is not None], False
        for row in ended:
            self._write(v, row, self._seconds(row))
        self._index = np.array([row.index for row in rows], np.intp)
        before, self._known = self._known, {}
        for row in rows:
            known = None if row.index in moved else before.get(row.index)
            if known is None:
                rate = jobs.spends(row) @ self._groups / max(row.gpus, 1e-9)
                known = self._seconds(row), rate
                self._write(v, row, known[0])
            self._known[row.index] = known
        if len(rows):
            spent, rate = np.array([*self._known.values()]).transpose(1, 2, 0)
            moving = rate.any(axis=1)
            self._names = [name for name, moves in zip(JOB_SECONDS, moving, strict=True) if moves]
            self._spent, self._rate = spent[moving], rate[moving]
            self._since_s = np.array([row.since_s for row in rows])

    def _write(self, v: Values, row: JobRow, spent: NDArray[np.float64]) -> None:
        for name, seconds in zip(JOB_SECONDS, spent, strict=True):
            v[name][row.index] = seconds

    def _seconds(self, row: JobRow) -> NDArray[np.float64]:
        seconds: NDArray[np.float64] = self.jobs.spent(row) @ self._groups / max(row.gpus, 1e-9)
        return seconds

    def move(self, v: Values, now: float) -> None:
        """Write what moves of the jobs at work, at `now` [s]."""
        if len(self._index):
            spent = self._spent + self._rate * (now - self._since_s)
            for name, seconds in zip(self._names, spent, strict=True):
                v[name][self._index] = seconds
