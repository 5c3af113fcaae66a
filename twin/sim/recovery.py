"""What a job does next: start, step to the next checkpoint, write it, fail, be noticed, swap, restart, go on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from twin.physics.storage import transfer_s
from twin.plant.domains import scale_up_domains
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.scenario.faults import Cause
from twin.sim.clockwork import Timers
from twin.sim.jobs import RERATE, JobRow, Jobs, Pace
from twin.sim.ledger import INDEX
from twin.sim.log import Log
from twin.sim.nodes import FREE, Nodes
from twin.sim.plan import JobPlan
from twin.sim.spares import filled
from twin.sim.stores import Stores, Write


def _seats(row: JobRow, count: int) -> NDArray[np.intp]:
    """Return the node of each place in the order of ranks, -1 where one is missing."""
    seats, there = np.full(count, -1, np.intp), np.ones(count, bool)
    there[np.asarray(row.vacant, np.intp)] = False
    seats[there] = row.nodes
    return seats


class Recovery:
    """Handlers of the timers ``job``, ``durable`` and of failures; every one acts on a row of the table."""

    def __init__(
        self, timers: Timers, log: Log, nodes: Nodes, jobs: Jobs, plans: list[JobPlan], stores: Stores
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs, self.plans = timers, log, nodes, jobs, plans
        self.stores = stores
        self.changed: set[int] = set()  # jobs whose heat or place changed since the engine last looked
        self.freed = False  # a node came free: the scheduler should look
        self.domain = scale_up_domains(nodes.plant)
        timers.handle("job", self._due)
        timers.handle("durable", self._durable)

    def start(self, row: JobRow, chosen: list[int]) -> None:
        """Give `row` its nodes and start it."""
        now = self.timers.now_s
        self.nodes.assign_all(now, chosen, row.index)
        row.nodes = list(chosen)
        row.start_s = now
        self._hold(row)
        self.jobs.enter(row, now, JobState.STARTING)
        self.timers.set("job", row.index, now + self.plans[row.index].first_start_s)
        self.changed.add(row.index)
        self.log.add(now, "job_started", row.id, f"{row.id} starts on {row.held} GPUs", nodes=len(chosen))

    def _hold(self, row: JobRow) -> None:
        row.held = int(self.nodes.gpus[np.asarray(row.nodes, int)].sum())

    def _due(self, index: int) -> None:
        row, now = self.jobs.rows[index], self.timers.now_s
        if row.state in (JobState.STARTING, JobState.RESTARTING):
            self._run(row, now)
        elif row.state == JobState.RUNNING:
            self._reached(row, now)
        elif row.state == JobState.CHECKPOINT:
            self._written(row, now)
        elif row.state == JobState.DETECTING:
            self.swap(row)

    def _run(self, row: JobRow, now: float) -> None:
        resumed = row.state == JobState.RESTARTING
        self.jobs.enter(row, now, JobState.RUNNING)
        self.changed.add(row.index)
        text = (
            f"{row.id} resumes at step {row.progress:,.0f}" if resumed else f"{row.id} takes its first step"
        )
        self.log.add(
            now,
            "job_resumed" if resumed else "job_running",
            row.id,
            text,
            Severity.NOTICE,
            step=int(row.progress),
        )
        self._next(row, now)

    def _next(self, row: JobRow, now: float) -> None:
        plan = self.plans[row.index]
        interval = plan.checkpoint_steps
        # The interval may have been shortened since the last write: then one is due at once.
        row.target = max(row.progress, self._written_step(row) + interval) if interval else math.inf
        for limit in (plan.steps, plan.next_epoch_step(row.progress)):
            if limit is not None:
                row.target = min(row.target, float(limit))
        self._plan(row, now)

    def _plan(self, row: JobRow, now: float) -> None:
        due = now + (row.target - row.progress) * self.jobs.pace[row.index].step_s
        if math.isfinite(due):
            self.timers.set("job", row.index, due)

    def _reached(self, row: JobRow, now: float) -> None:
        self.jobs.book(row, now)
        row.progress = row.target  # exactly: a sum of rounded times is not
        plan = self.plans[row.index]
        if plan.steps is not None and row.progress >= plan.steps:
            self._finish(row, now)
            return
        if plan.at_epoch(row.progress):
            self.changed.add(row.index)
            if not plan.checkpoint_steps or row.progress - self._written_step(row) < plan.checkpoint_steps:
                self._next(row, now)
                return
        self.jobs.enter(row, now, JobState.CHECKPOINT)
        self.timers.set("job", row.index, now + plan.pause_s)
        self.stores.pause(now, row.index, self._write(row, now) if plan.store >= 0 else None)
        self.follow_stores(row.index)

    def _write(self, row: JobRow, now: float) -> Write:
        """Return a checkpoint of `row` that begins now: undisturbed, it is safe when pause and drain are over."""
        plan, size = self.plans[row.index], self.jobs.work[row.index].checkpoint_bytes
        lasts_s = plan.pause_s + plan.drain_s
        due_s = now + plan.pause_s + plan.drain_s
        cap = size / lasts_s if lasts_s > 0 else math.inf
        return Write(row.index, row.progress, plan.store, size, cap, due_s, due_s)

    def follow_stores(self, index: int | None = None) -> None:
        """Look when the checkpoints on their way are safe now; `index`: the job whose write began or ended."""
        stores = self.stores
        stores.share()
        if index is not None and stores.disturbed:
            self.changed.add(index)  # somebody reads slower or faster now
        for job in sorted(stores.moved):
            row, finish_s = self.jobs.rows[job], stores.finish_s(job)
            for save in row.in_flight:
                save.keep_s = finish_s.get(save.step, save.keep_s)
                save.safe_s = [save.keep_s]
            self._await_durable(row)
        stores.moved.clear()

    def _await_durable(self, row: JobRow) -> None:
        if row.in_flight:
            self.timers.set("durable", row.index, min(save.keep_s for save in row.in_flight))

    @staticmethod
    def _written_step(row: JobRow) -> float:
        return row.in_flight[-1].step if row.in_flight else row.durable

    def _written(self, row: JobRow, now: float) -> None:
        plan = self.plans[row.index]
        self.jobs.enter(row, now, JobState.RUNNING)
        safe_s = self.stores.finish_s(row.index).get(row.progress, now + plan.drain_s)
        self.jobs.write(row, [safe_s], safe_s)
        self.stores.resume(now, row.index)
        if safe_s > now:
            self._await_durable(row)
        else:
            self._settle(row, now)
        self.follow_stores(row.index)
        self._next(row, now)

    def _durable(self, index: int) -> None:
        row = self.jobs.rows[index]
        self._settle(row, self.timers.now_s)
        self._await_durable(row)

    def _settle(self, row: JobRow, now: float) -> None:
        if self.jobs.settle(row, now):
            self.stores.end(now, row.index, row.durable)
            self.follow_stores(row.index)
            self.log.add(
                now,
                "checkpoint",
                row.id,
                f"{row.id} is safe up to step {row.durable:,.0f}",
                step=int(row.durable),
            )

    def _finish(self, row: JobRow, now: float) -> None:
        self.jobs.enter(row, now, JobState.DONE)
        self.jobs.keep_all(row)
        row.end_s = now
        self._give_up_writes(row, now)
        self.nodes.assign_all(now, row.nodes, -1)
        row.nodes, row.vacant, row.held = [], [], 0
        self.changed.add(row.index)
        self.log.add(
            now,
            "job_done",
            row.id,
            f"{row.id} is done after {row.progress:,.0f} steps",
            Severity.NOTICE,
            step=int(row.progress),
        )
        self.node_usable()

    def interrupt(self, row: JobRow, cause: Cause | None, why: str) -> None:
        """Stop `row`: a node of it failed (nodes not usable when the swap comes are replaced)."""
        now, plan = self.timers.now_s, self.plans[row.index]
        self.jobs.book(row, now)
        row.interruptions += 1
        lost = self.jobs.roll_back(row)
        self._give_up_writes(row, now)
        self.log.add(
            now,
            "job_interrupted",
            row.id,
            f"{row.id} stops: {why}; {lost / max(row.held, 1):,.0f} s of work back to step {row.durable:,.0f}",
            Severity.WARNING,
            step=int(row.durable),
        )
        if row.state == JobState.WAITING:
            self.swap(row)
            return
        if row.state != JobState.DETECTING:
            self.jobs.enter(row, now, JobState.DETECTING)
            self.timers.set("job", row.index, now + plan.detection_s(cause))
            self.changed.add(row.index)

    def _give_up_writes(self, row: JobRow, now: float) -> None:
        self.timers.cancel("durable", row.index)
        self.stores.end(now, row.index)
        self.follow_stores(row.index)

    def swap(self, row: JobRow) -> None:
        """Hand back unusable nodes, take spares, and restart, or wait for a spare."""
        now, plan = self.timers.now_s, self.plans[row.index]
        self.jobs.book(row, now)
        seats, condition = _seats(row, plan.nodes), self.nodes.condition
        missing = seats < 0
        lost = missing | (condition[seats] != FREE)
        gone, kept = seats[lost & ~missing], seats[~lost]
        self.nodes.assign_all(now, gone, -1)
        after = seats
        if lost.any():
            usable = self.nodes.usable
            after = filled(seats, self.domain, plan.group(kept[:1].tolist(), usable) & usable, lost)
        left = self._exchange(row, kept, after)
        row.nodes = after[after >= 0].tolist()
        row.vacant = np.flatnonzero(after < 0).tolist()
        self._hold(row)
        self.changed.add(row.index)
        lacking = plan.nodes - len(row.nodes)
        if lacking:
            if row.state != JobState.WAITING:
                self.log.add(
                    now,
                    "waiting_for_spare",
                    row.id,
                    f"{row.id} waits for {lacking} more node{'s' * (lacking > 1)}",
                    Severity.ALARM,
                )
            self.jobs.enter(row, now, JobState.WAITING)
            self.timers.cancel("job", row.index)
            return
        self.jobs.enter(row, now, JobState.RESTARTING)
        restart_s = plan.restart_s(swapped=bool(len(gone)), load_s=self._load_s(row))
        self.timers.set("job", row.index, now + restart_s)
        if left:
            self.node_usable()

    def _exchange(self, row: JobRow, kept: NDArray[np.intp], after: NDArray[np.intp]) -> bool:
        """Hand the nodes over that `row` takes, having kept `kept` so far; return whether it leaves some."""
        now, ids = self.timers.now_s, self.nodes.plant.nodes.ids
        had, has = np.zeros((2, len(ids)), bool)
        had[kept] = has[after[after >= 0]] = True
        left, taken = np.flatnonzero(had & ~has), np.flatnonzero(has & ~had)
        self.nodes.assign_all(now, left, -1)
        for node in left.tolist():
            self.log.add(now, "spare_left", ids[node], f"stands by: {row.id} keeps its NVLink domains whole")
        self.nodes.assign_all(now, taken, row.index)
        for node in taken.tolist():
            self.log.add(now, "spare_taken", ids[node], f"joins {row.id}", node=node)
        return bool(len(left))

    def _load_s(self, row: JobRow) -> float:
        """Return the time to load the last checkpoint beside all that reads and writes as the restart begins [s]."""
        plan = self.plans[row.index]
        if plan.store < 0 or plan.load_s == 0:
            return plan.load_s
        size, limit = self.jobs.work[row.index].checkpoint_bytes, plan.recovery.load_bytes_s or math.inf
        return float(transfer_s(size, self.stores.load_bytes_s(plan.store, limit)))

    def node_usable(self) -> None:
        """Look whether a job that waits for a spare can go on; called when a node comes free."""
        for row in self.jobs.active:
            if row.state == JobState.WAITING:
                self.swap(row)
        self.freed = True

    def rerate(self, row: JobRow, pace: Pace) -> float:
        """Let `row` go at another pace from now on, when it differs by enough; return the relative change."""
        old, now = self.jobs.pace[row.index], self.timers.now_s
        spare = INDEX["idle_no_load"]  # it takes up what a service loses while its steps stay as they are
        change = max(abs(pace.step_s / old.step_s - 1), abs(float(pace.share[spare] - old.share[spare])))
        if change <= RERATE:
            return 0.0
        self.jobs.book(row, now)
        self.jobs.pace[row.index] = pace
        if row.state == JobState.RUNNING:
            self._plan(row, now)
        return change
