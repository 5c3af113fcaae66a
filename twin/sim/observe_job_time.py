"""Where the time of each job went while it held nodes: seconds of the whole job by group of accounts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.accounts import ACCOUNTS, JOB_SECONDS
from twin.sim.jobs import JobRow, Jobs
from twin.sim.ledger import INDEX

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
        """Take note of jobs at work, `moved` among them, and write those that hold nothing any more."""
        jobs = self.jobs
        if self._first:  # of a run that was restored: all that ended before
            ended, self._first = [row for row in jobs.rows if row.start_s is not None], False
        for row in ended:
            for name, seconds in zip(JOB_SECONDS, self._seconds(row), strict=True):
                v[name][row.index] = seconds
        self._index = np.array([row.index for row in rows], np.intp)
        before, self._known = self._known, {}
        for row in rows:
            known = None if row.index in moved else before.get(row.index)
            if known is None:
                rate = jobs.spends(row) @ self._groups / max(row.gpus, 1e-9)
                known = self._seconds(row), rate
            self._known[row.index] = known
        if len(rows):
            self._spent = np.array([spent for spent, _ in self._known.values()])
            self._rate = np.array([rate for _, rate in self._known.values()])
            self._since_s = np.array([row.since_s for row in rows])

    def _seconds(self, row: JobRow) -> NDArray[np.float64]:
        seconds: NDArray[np.float64] = self.jobs.spent(row) @ self._groups / max(row.gpus, 1e-9)
        return seconds

    def move(self, v: Values, now: float) -> None:
        """Write the jobs at work at `now` [s]."""
        if len(self._index):
            seconds = self._spent + self._rate * (now - self._since_s)[:, None]
            for column, name in enumerate(JOB_SECONDS):
                v[name][self._index] = seconds[:, column]
