"""What frames show of jobs: those at work are asked again, queued and ended ones are left as they were written last."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.record.channels import JobState, WaitReason
from twin.sim.core.ledger import INDEX
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.step_pace import Pace
from twin.sim.jobs.work import Work
from twin.sim.observe.job_time import JobTime
from twin.sim.thermal.shared_traces import STEPS

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts

Values = dict[str, NDArray[Any]]
WAIT = INDEX["input_wait"]


class JobsShown:
    """Rows of the jobs in frames of one engine."""

    def __init__(self, engine: RunParts) -> None:
        self.engine = engine
        count = len(engine.jobs.rows)
        self._goodput, self._at_pace, self._weight = np.zeros(count), np.zeros(count), np.zeros(count)
        # Goodput is weighted by the GPU-seconds of jobs so far, as in the summary: a short job counts for little.
        self._under_way = np.zeros(count)  # GPUs of those that began and have not ended
        self._begun_s, self._worth_s, self._stepped_s = np.zeros((3, count))
        self._begun, self._flop_s = np.zeros(count, bool), np.zeros(count)  # of one GPU at its peak, a step
        self._planned = -1  # how often plans had changed by then
        self._active: list[JobRow] = []
        self._marks: dict[int, tuple[Pace, Work, Work, tuple[float, ...]]] = {}  # of jobs as written last
        self._time = JobTime(engine.jobs)
        self._queued = True  # somebody waited at the last look; at first nobody knows
        self._ended = 0  # of those who left the table's active rows, how many are written

    def stand(self, v: Values) -> None:
        """Write what stays until the run changes, of jobs that may have changed since the last call."""
        jobs = self.engine.jobs
        rows: Iterable[JobRow] = jobs.rows
        left = [jobs.rows[index] for index in jobs.left[self._ended :]]
        if jobs.replanned == self._planned:
            rows = {row.index: row for row in (*self._active, *jobs.active, *left)}.values()
        self._planned, self._active, self._ended = jobs.replanned, jobs.active, len(jobs.left)
        now = self.engine.now_s
        moved = [row for row in rows if self._has_moved(row)]
        for row in moved:
            self._row(v, row, now)
        self._time.stand(v, jobs.active, left, {row.index for row in moved})
        v["job.network"][...] = self.engine.network.shown_left()
        self._queue(v)
        away = [jobs.rows[index] for index in self.engine.clouds.stays]  # at rest here, and yet they step
        for row in away:
            self._row(v, row, now)
        active = [*self._active, *(row for row in away if row.start_s is not None)]
        table = np.array(
            [
                (
                    row.index,
                    row.state in (JobState.RUNNING, JobState.REMOTE),
                    jobs.pace[row.index].step_s,
                    jobs.ideal_s(row),
                    row.since_s,
                    row.start_s,
                    row.progress,
                    row.target,
                    row.gpus,
                    row.earned_s,
                    self._stepping_rate(row),
                )
                for row in active
            ],
            float,
        ).reshape(-1, 11)
        self._index = table[:, 0].astype(np.intp)
        steps, pace_s, self._ideal_s, self._since_s, self._start_s, self._progress, target = table.T[1:8]
        self._gpus, self._earned_s, self._stepping = table.T[8:]
        self._stepped_before_s = self._stepped_s[self._index]
        resting = self._under_way > 0.0  # put back in the queue: their time continues, their steps do not
        resting[self._index] = False
        self._resting = np.flatnonzero(resting)
        self._target = np.where(steps, target, self._progress)
        self._pace_s = np.where(steps, pace_s, np.inf)  # no progress
        under_way = max(float(self._under_way.sum()), 1.0)
        # Summed here, not by the dot product of a library whose threads wait for each other longer than that takes.
        at_pace = float((self._under_way * self._at_pace).sum())
        v["site.goodput_now"][0] = min(100.0, 100 * at_pace / under_way)

    def _stepping_rate(self, row: JobRow) -> float:
        """Return how long all GPUs of a job would work for the steps that it makes in a second [s]."""
        if row.state == JobState.REMOTE and row.target > row.progress:
            return self.engine.jobs.ideal_s(row) / self.engine.jobs.pace[row.index].step_s
        return row.held / row.gpus if row.state == JobState.RUNNING else 0.0

    def _has_moved(self, row: JobRow) -> bool:
        """Return whether anything of a job is not as it was written last, but for what `move` writes at every look."""
        jobs, i = self.engine.jobs, row.index
        pace, work, planned = jobs.pace[i], jobs.work[i], jobs.planned[i]
        state = (
            row.state,
            row.since_s,
            row.entered_s,
            row.held,
            row.durable,
            row.lost_gpu_s,
            len(row.in_flight),
        )
        known = self._marks.get(i)
        same = known is not None and known[0] is pace and known[1] is work and known[2] is planned
        if same and known is not None and known[3] == state:
            return False
        self._marks[i] = pace, work, planned, state
        return True

    def _queue(self, v: Values) -> None:
        """Write who waits at which place, why, and until when."""
        scheduler, rows = self.engine.scheduler, self.engine.jobs.rows
        if not (scheduler.queue or scheduler.reasons or scheduler.planned or self._queued):
            return  # nobody waits, as at the last look
        self._queued = bool(scheduler.queue or scheduler.reasons or scheduler.planned)
        queue = np.array(scheduler.queue, np.intp)
        for name in ("job.place", "job.why", "job.planned_s"):
            v[name][:] = 0
        v["job.place"][queue] = np.arange(1, len(queue) + 1)
        v["job.why"][queue] = WaitReason.OTHERS_FIRST
        v["site.queue"][0] = len(queue)
        v["site.queue_gpus"][0] = sum(rows[index].gpus for index in scheduler.queue)
        waited_s = [rows[index].waited_s - rows[index].queued_s for index in scheduler.queue]
        v["job.wait_s"][queue] = np.array(waited_s, float) + self.engine.now_s
        for index, reason in scheduler.reasons.items():
            v["job.why"][index] = reason
        for index, t_s in scheduler.planned.items():
            v["job.planned_s"][index] = t_s

    def _row(self, v: Values, row: JobRow, now: float) -> None:
        jobs, i = self.engine.jobs, row.index
        # A pause of seconds for a checkpoint is a part of stepping, as in powers: a picture may stand for an hour.
        work, pace, stepping = jobs.work[i], jobs.pace[i], row.state in STEPS
        v["job.state"][i] = row.state
        v["job.wait_s"][i] = row.waited_s
        v["job.step"][i] = jobs.progress_at(row, now)
        v["job.durable_step"][i] = row.durable
        coming = row.state == JobState.REMOTE and row.target <= row.progress
        v["job.step_s"][i] = math.nan if coming else pace.step_s  # its pace here is not that there
        away = math.nan if row.state == JobState.REMOTE else 0.0  # in a cloud nobody knows
        v["job.input_wait_s"][i] = pace.share[WAIT] * pace.step_s if stepping else away
        rate = work.model_flop / (work.peak_flop_s * row.gpus * pace.step_s) if stepping else away
        v["job.mfu"][i] = 100 * rate
        self._begun[i] = row.start_s is not None
        self._flop_s[i] = work.model_flop / work.peak_flop_s if work.model_flop > 0 else 0.0
        self._begun_s[i] = row.start_s if row.start_s is not None else 0.0
        self._stepped_s[i] = jobs.stepped_s(row, row.since_s)
        worth_s = row.earned_s + jobs.progress_at(row, now) * jobs.ideal_s(row)
        self._worth_s[i] = min(worth_s, self._stepped_s[i])
        self._goodput[i] = jobs.goodput(row, now) or 0.0
        v["job.goodput"][i] = 100 * self._goodput[i]
        v["job.gpus"][i] = row.held
        self._weight[i] = row.gpus * ((row.end_s or now) - row.start_s) if row.start_s is not None else 0.0
        self._under_way[i] = row.gpus if row.start_s is not None and row.end_s is None else 0.0
        # A cold start clocks a little above the reference for a moment; more than all is not good, only cold.
        at_pace = min(1.0, jobs.ideal_s(row) / pace.step_s)
        there = (
            row.state == JobState.REMOTE and row.target > row.progress
        )  # at a pace that has its stops in it
        self._at_pace[i] = at_pace * self._duty(row) if stepping else at_pace * there

    def _duty(self, row: JobRow) -> float:
        """Return the share of its time that a job spends in steps now; the rest are checkpoint pauses."""
        plan, step_s = self.engine.recovery.plans[row.index], self.engine.jobs.pace[row.index].step_s
        if row.interval_steps and plan.checkpoint_steps:  # the interval follows the failures seen
            step_s *= row.interval_steps / plan.checkpoint_steps
        return plan.duty(step_s)

    def move(self, v: Values, now: float) -> None:
        """Write what has gone on since then, at `now` [s]."""
        self._time.move(v, now)
        running = self._index
        if len(running):
            since_s, lasted_s = now - self._since_s, now - self._start_s
            step = np.minimum(self._target, self._progress + since_s / self._pace_s)
            worth_s = self._earned_s + step * self._ideal_s
            stepped_s = self._stepped_before_s + self._stepping * since_s
            # Who starts at this moment has done nothing for no time.
            so_far = np.minimum(worth_s, stepped_s) / np.maximum(lasted_s, 1e-300)
            np.minimum(so_far, 1.0, out=so_far)
            v["job.step"][running] = step
            self._goodput[running] = so_far
            v["job.goodput"][running] = 100 * so_far
            self._weight[running] = self._gpus * lasted_s
        rest = self._resting
        if len(rest):
            lasted_s = np.maximum(now - self._begun_s[rest], 1e-300)
            self._goodput[rest] = self._worth_s[rest] / lasted_s
            v["job.goodput"][rest] = 100 * self._goodput[rest]
            self._weight[rest] = self._under_way[rest] * lasted_s
        total = max(float(self._weight.sum()), 1e-9)
        v["site.goodput"][0] = 100 * float((self._weight * self._goodput).sum()) / total

    def figures(self, v: Values) -> dict[str, float]:
        """Return what jobs have come to so far, by the names of the summary, of values just written; nan: unknown."""
        gpu_s, known = float(self._weight.sum()), self._flop_s > 0.0
        flop_gpu_s = float(self._weight[known].sum())
        waited_s = v["job.wait_s"][self._begun]
        return {
            "gpu_s": gpu_s,
            "goodput": float((self._weight * self._goodput).sum()) / gpu_s if gpu_s else math.nan,
            "mfu": float((v["job.step"] * self._flop_s)[known & self._begun].sum()) / flop_gpu_s
            if flop_gpu_s
            else math.nan,
            "jobs_done": float(np.count_nonzero(v["job.state"] == JobState.DONE)),
            "queue.wait_mean_s": float(waited_s.mean()) if len(waited_s) else math.nan,
        }
