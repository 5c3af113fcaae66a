"""How a job gives its nodes up before its work is done: back to the queue, preempted, killed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from twin import units
from twin.record.channels import JobState
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.timers import LATE, Timers
from twin.sim.jobs.checkpointing import Saving, written_step
from twin.sim.jobs.job_row import AT_REST, ENDED, RACK, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.restart_loads import Loading

ROUNDING = 1e-9
"""Of sums of times, relative: a job that ends at its wall time is not over it."""

_ENDS = {
    "killed": "job_killed",
    "cancelled": "job_cancelled",
    "given_up": "job_given_up",
}


class Leaving(ABC):
    """Handler of the timer ``limit``.

    Attributes
    ----------
    changed : set of int
        Jobs whose heat or place changed since the engine last looked.
    freed
        Whether a node came free: the scheduler should look.
    returned : list of int
        Jobs that went back to the queue and wait for the scheduler to take note.
    leaving_behind
        Told of a job whose state is safe, and that leaves nodes behind now; who reclaims them sets it.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        plans: list[JobPlan],
        saving: Saving,
        loading: Loading,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs, self.plans = timers, log, nodes, jobs, plans
        self.saving, self.loading = saving, loading
        self.changed = saving.changed
        self.freed = False
        self.returned: list[int] = []
        self.leaving_behind: Callable[[JobRow], None] = lambda row: None
        jobs.survives = lambda index: plans[index].survives
        timers.handle("limit", self._over)

    def requeue(self, row: JobRow, why: str) -> bool:
        """Put `row` back into the queue, to continue from what others can still read of it; False: it does not run."""
        if row.state in AT_REST:
            return False
        now = self.timers.now_s
        self.jobs.book(row, now)
        self.jobs.roll_back(row, scope=RACK)
        self.jobs.enter(row, now, JobState.QUEUED)
        self._let_go(row)
        row.queued_s = now
        row.requeues += 1
        self.returned.append(row.index)
        text = f"{row.id} requeued: {why}; will resume from step {row.progress:,.0f}"
        self.log.add(now, "job_requeued", row.id, text, step=int(row.progress), why=why)
        self.node_usable()
        return True

    def preempt(self, row: JobRow, *, checkpoint: bool = True) -> None:
        """Take the nodes of `row` for somebody else: at once, or as soon as its state is safe elsewhere."""
        if row.state in AT_REST or row.leaving:
            return
        now = self.timers.now_s
        row.preemptions += 1
        self.log.add(now, "job_preempted", row.id, "preempted for another job")
        stepping = row.state in (JobState.RUNNING, JobState.CHECKPOINT)
        if not (checkpoint and stepping and self.saving.interval_steps(row)):
            self.requeue(row, "preempted")
            return
        row.leaving = True
        if row.state == JobState.RUNNING:
            self.jobs.book(row, now)
            self._save(row, now)

    def _safe_to_leave(self, row: JobRow) -> None:
        """The blocking part of the last checkpoint of `row` is over: it leaves, or moves, once others can read that."""
        now = self.timers.now_s
        if written_step(row) != row.progress:
            self.saving.written(row)
        safe_s = self.saving.reachable_s(row)
        if safe_s is None:  # this one went nowhere that outlives it
            self._save(row, now)
        elif safe_s > now:
            self.timers.set("job", row.index, safe_s)
        elif row.leaving:
            self.requeue(row, "preempted")
        else:
            self.leaving_behind(row)
            self._move(row)

    def vacate(self, row: JobRow) -> None:
        """Let `row` leave the nodes it cannot keep behind its next checkpoint, losing nothing."""
        row.moves = row.state not in AT_REST

    def evacuate(self, row: JobRow, within_s: float) -> None:
        """Let `row` leave the nodes it cannot keep: once its state is saved, if others can read that by then [s].

        What it has not begun to do, it does not begin there.
        """
        if row.leaving:
            return
        if row.state in (JobState.STARTING, JobState.RESTARTING):
            self.leaving_behind(row)
            self._move(row)
            return
        stepping = row.state in (JobState.RUNNING, JobState.CHECKPOINT)
        if stepping and self.saving.interval_steps(row) and self.saving.escape_s(row) <= within_s:
            row.moves = True
            if row.state == JobState.RUNNING:
                self.jobs.book(row, self.timers.now_s)
                self._save(row, self.timers.now_s)

    @abstractmethod
    def _move(self, row: JobRow) -> None:
        """Let `row`, whose state is safe, continue without the nodes it cannot keep."""

    @abstractmethod
    def _save(self, row: JobRow, now: float) -> None:
        """Write a checkpoint of where `row` is."""

    @abstractmethod
    def node_usable(self) -> None:
        """Look whether a job that waits for a spare can continue; called when a node comes free."""

    def _over(self, index: int) -> None:
        row, plan, now = self.jobs.rows[index], self.plans[index], self.timers.now_s
        limit_s, due_s = plan.limit_s or 0.0, self.timers.due_s("job", index)
        last = row.state == JobState.RUNNING and plan.steps is not None and row.target >= plan.steps
        if last and due_s is not None and due_s - now <= ROUNDING * max(now, 1.0):
            self.timers.set("limit", index, due_s, LATE)  # it is done in time
            return
        self.kill(row, "killed", f"time limit of {units.spoken(limit_s)} reached")

    def kill(self, row: JobRow, outcome: str, why: str) -> bool:
        """End `row` now, whatever it does: what a checkpoint holds is kept, the rest is lost work.

        Returns whether it did: False when it has ended, or runs elsewhere.

        Parameters
        ----------
        outcome
            killed, cancelled or given_up.
        why
            For people.
        """
        if row.state in ENDED or row.state == JobState.REMOTE:
            return False
        now = self.timers.now_s
        self.jobs.book(row, now)
        lost = 0.0
        if row.state != JobState.QUEUED:
            self.jobs.settle(row, now)
            lost = self.jobs.roll_back(row, scope=RACK)
            self.jobs.keep_all(row)
        self.jobs.enter(row, now, JobState.KILLED)
        row.end_s, row.outcome = now, outcome
        self._let_go(row)
        text = f"{row.id} ended at step {row.progress:,.0f}: {why}; {lost / 3600:,.1f} GPU h of work lost"
        self.log.add(
            now, _ENDS[outcome], row.id, text, step=int(row.progress), why=why, lost_gpu_s=float(lost)
        )
        self.node_usable()
        return True

    def _let_go(self, row: JobRow) -> None:
        """Give up nodes, timers, writes and loads of `row`, which is at rest now."""
        for kind in ("job", "limit"):
            self.timers.cancel(kind, row.index)
        self._give_up_transfers(row)
        self.nodes.give_back(self.timers.now_s, row.index, row.nodes)
        row.nodes, row.vacant, row.held, row.width = [], [], 0, 0
        row.leaving, row.dropping, row.moves, row.struck = False, False, False, []
        self.changed.add(row.index)

    def _give_up_transfers(self, row: JobRow) -> None:
        self.saving.give_up(row)
        self.loading.give_up(row)
