"""Figures of merit of a job: how much of its time it kept, and how that compares with the best its GPUs could do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from twin.arrays import Floats
from twin.record.channels import JobState
from twin.sim.core.ledger import INDEX
from twin.sim.jobs.work import Work

if TYPE_CHECKING:
    from twin.sim.jobs.job_row import JobRow


class JobFigures(ABC):
    """What the table of jobs says of one of them.

    Attributes
    ----------
    work, planned
        A step of each job: as it is cut now, and as the plans have it.
    """

    work: list[Work]
    planned: list[Work]

    @abstractmethod
    def progress_at(self, row: JobRow, t_s: float) -> float:
        """Return the progress of `row` at `t_s`, not before it was booked last [steps]."""

    @abstractmethod
    def provisional_gpu_s(self, row: JobRow, t_s: float) -> Floats:
        """Return what `row` has spent on steps that are not kept for good yet, by account [GPU s]."""

    def ettr(self, row: JobRow, t_s: float) -> float | None:
        """Return the effective training time ratio of `row` up to `t_s`, None before its start.

        Of the time in a cloud its steps are kept as they go there without checkpoints and failures.
        """
        if row.start_s is None or t_s <= row.start_s:
            return None
        return min(
            1.0, self.stepped_s(row, t_s) / ((row.end_s or t_s) - row.start_s)
        )  # a sum of parts rounds

    def goodput(self, row: JobRow, t_s: float) -> float | None:
        """Return steps kept per second over those of its GPUs with nothing lost, at reference clock; at most `ettr`.

        Cooler than at the reference they go a little faster: that makes up for nothing. None before the start.
        """
        if row.start_s is None or t_s <= row.start_s:
            return None
        worth_s = row.earned_s + self.progress_at(row, t_s) * self.ideal_s(row)
        return min(1.0, min(worth_s, self.stepped_s(row, t_s)) / ((row.end_s or t_s) - row.start_s))

    def stepped_s(self, row: JobRow, t_s: float) -> float:
        """Return how long all its GPUs would have worked for its kept steps, here and in a cloud [s]."""
        kept = float(np.sum(row.kept) + self.provisional_gpu_s(row, t_s).sum())
        return kept / row.gpus + self.there_s(row, t_s)

    def there_s(self, row: JobRow, t_s: float) -> float:
        """Return how long the GPUs of a cloud would have worked for the steps of `row` with nothing lost [s]."""
        since = self.progress_at(row, t_s) - row.progress if row.state == JobState.REMOTE else 0.0
        return row.there_s + since * self.ideal_s(row) if since else row.there_s

    def ideal_s(self, row: JobRow) -> float:
        """Return what a step takes with nothing lost: as planned, on its own dies [s].

        In an edited hall no longer than before: a plan takes the first nodes, whatever racks they are of, and where
        one of them is drained it is slower than the job on its spares.
        """
        planned_s = self.planned[row.index].step_s
        return (min(row.first_s, planned_s) if row.first_s else planned_s) + row.own_s

    def sit(self, row: JobRow, own_s: float) -> None:
        """Let `row` continue where a step takes so much more than planned; what it has done counts as it was done."""
        before_s, row.own_s = self.ideal_s(row), own_s
        self.planned_anew(row, self.progress_at(row, row.since_s), before_s)

    def planned_anew(self, row: JobRow, progress: float, before_s: float) -> None:
        """Let steps of `row` up to `progress` count by the plan they were done under, of which one took `before_s`."""
        now_s = self.ideal_s(row)
        if progress and before_s != now_s and math.isfinite(before_s) and math.isfinite(now_s):
            row.earned_s += progress * (before_s - now_s)

    def input_wait(self, row: JobRow, t_s: float) -> float | None:
        """Return the share of a job's life that kept steps waited for input, None before its start and in a cloud."""
        if row.start_s is None or t_s <= row.start_s or row.site:
            return None
        waited = INDEX["input_wait"]
        return float(row.kept[waited] + self.provisional_gpu_s(row, t_s)[waited]) / (
            row.gpus * ((row.end_s or t_s) - row.start_s)
        )

    def mfu(self, row: JobRow, t_s: float) -> float | None:
        """Return the model FLOP utilisation of kept steps over the job's life, None before the start or if unknown.

        Of the GPUs of a cloud nobody measures it.
        """
        work = self.work[row.index]
        if row.start_s is None or t_s <= row.start_s or row.site or work.model_flop <= 0:
            return None
        wall = (row.end_s or t_s) - row.start_s
        return self.progress_at(row, t_s) * work.model_flop / (work.peak_flop_s * row.gpus * wall)
