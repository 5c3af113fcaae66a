"""When jobs will be done: whoever steps ahead of events steps to there, and need not step back."""

from __future__ import annotations

import heapq
import math

from twin.record.channels import JobState
from twin.sim.core.timers import Timers
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan

STALE = 4
"""Entries for each job at work, above which those that are out of date are thrown away."""


class Ends:
    """Jobs whose next timer is the end of their work, the earliest first."""

    def __init__(self, timers: Timers, jobs: Jobs, plans: list[JobPlan]) -> None:
        self.timers, self.jobs, self.plans = timers, jobs, plans
        self._due: list[tuple[float, int]] = []  # a heap of when, and who; some of it is out of date

    def _is_last(self, row: JobRow) -> bool:
        """Return whether what `row` steps towards now is the end of its work."""
        steps = self.plans[row.index].steps
        return row.state == JobState.RUNNING and steps is not None and row.target >= steps

    def expect(self, row: JobRow, due_s: float) -> None:
        """Take note that `row` reaches what it steps towards at `due_s` [s]."""
        if self._is_last(row):
            heapq.heappush(self._due, (due_s, row.index))
            if len(self._due) > STALE * (len(self.jobs.active) + STALE):
                self.find()

    def next_s(self) -> float:
        """Return when a job will be done first, at the pace of now [s]; infinity: none that one knows of."""
        while self._due:
            due_s, index = self._due[0]
            if self._is_last(self.jobs.rows[index]) and self.timers.due_s("job", index) == due_s:
                return due_s
            heapq.heappop(self._due)
        return math.inf

    def find(self) -> None:
        """Take note of all ends in sight, whoever has set their timers."""
        rows = [row for row in self.jobs.active if self._is_last(row)]
        due = ((self.timers.due_s("job", row.index), row.index) for row in rows)
        self._due = [(due_s, index) for due_s, index in due if due_s is not None]
        heapq.heapify(self._due)
