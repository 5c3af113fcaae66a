"""How fast each job steps and which power trace its nodes stand in, worked out for those alone that may have changed.

Most jobs of a shared hall go at their own pace: they come, step and end. Looked at after an event are those that
moved, those whose clock, fabric or input can change without them, and those that something slows; all of them only
while heat, a limit or a cap on every job is at work.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools
from twin.record.channels import JobState
from twin.sim.core.nodes import NodeTable
from twin.sim.core.timers import Timers
from twin.sim.fabric.fabric_state import FabricState
from twin.sim.jobs.input_wait import Ingest
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.jobs.step_pace import RERATE, pace_of
from twin.sim.jobs.stragglers import Stragglers
from twin.sim.thermal.clocks import EVERY_JOB, Clocks
from twin.sim.thermal.gpu_groups import IDLE, spinning, stepping
from twin.sim.thermal.gpu_groups import OFF as TRACE_OFF
from twin.sim.thermal.shared_traces import STEPS, Mixes

FEW = 8
"""So many jobs are looked at one by one."""
SURE = 1.0 - 1e-6
"""Share of what is worth a new pace that no rounding makes all of it; a clock that drifts is long just below that."""
STANDING = (JobState.STARTING, JobState.DETECTING, JobState.RESTARTING)
"""States that a job leaves for another power."""


class Pacing:
    """Traces of nodes and paces of jobs.

    Attributes
    ----------
    moved
        Jobs that are not as they were when `follow` was called before.
    """

    def __init__(
        self,
        timers: Timers,
        nodes: NodeTable,
        jobs: Jobs,
        clocks: Clocks,
        mixes: Mixes,
        network: FabricState,
        ingest: Ingest,
        stragglers: Stragglers,
        recovery: RecoveryHandler,
    ) -> None:
        self.timers, self.nodes, self.jobs, self.clocks, self.mixes = timers, nodes, jobs, clocks, mixes
        self.network, self.ingest = network, ingest
        self.stragglers, self.recovery = stragglers, recovery
        self.moved: set[int] = set()
        self._again: set[int] = set()  # to be looked at next time whether they moved or not
        self._by_job = np.full(len(jobs.rows) + 2, IDLE, np.intp)  # the last entries: no job, several jobs
        self._apart = np.zeros(len(jobs.rows), bool)  # jobs whose pace may change without them
        self._alone: set[int] = set()  # of these, those that step in a trace of their own
        self._slowed = np.zeros(len(jobs.rows), bool)  # jobs that do not go at their own pace
        self._either: set[int] = set()  # jobs that are one or the other
        self._standing: set[int] = set()
        self._capped: frozenset[int] = frozenset()
        self._wanted: NDArray[np.intp] | None = None  # of each node, until a job or a node has moved
        self._version = -1  # of the nodes at that time

    def look_at_all(self) -> None:
        """Let every job at work count as moved: the engine was restored, or plans have changed."""
        self._again.update(row.index for row in self.jobs.active)
        self.recovery.ends.find()

    def follow(self, moved: set[int]) -> None:
        """Take note of the jobs that moved."""
        if self.clocks.cap_w.keys() != self._capped:
            self._capped = frozenset(self.clocks.cap_w)
            self.look_at_all()
        self.moved = moved | self._again
        self._again.clear()
        if not self.moved:
            return
        self._wanted = None
        for job in self.moved:
            row = self.jobs.rows[job]
            trace = IDLE
            if row.state in STEPS:
                trace = self.mixes.trace(job)
            elif row.state == JobState.DETECTING:
                trace = spinning(job)
            self._by_job[job] = trace
            alone = trace == stepping(job)
            (self._alone.add if alone else self._alone.discard)(job)
            (self._standing.add if row.state in STANDING else self._standing.discard)(job)
            self._slowed[job] = steps = row.state in STEPS
            self._apart[job] = apart = alone or (steps and self.jobs.work[job].gpu_load is None)
            (self._either.add if steps or apart else self._either.discard)(job)
        self.clocks.apart = sorted(self._alone)

    def traces(self) -> NDArray[np.intp]:
        """Return the wanted trace of each node (N,), not to be written to."""
        nodes = self.nodes
        if self._wanted is None or self._version != nodes.version:
            wanted = self._by_job.take(nodes.job)
            self.mixes.into(wanted, self.moved)
            wanted[nodes.unlit()] = TRACE_OFF
            if np.count_nonzero(nodes.booting):
                wanted[nodes.boots()] = IDLE
            self._wanted, self._version = wanted, nodes.version
        return self._wanted

    def touches_apart(self, moved: set[int]) -> bool:
        """Return whether one of the jobs that moved steps at a pace that its fabric, input or clock may change."""
        return any(self._apart[job] for job in moved)

    def next_change_s(self) -> float:
        """Return when a job takes up or lays down its work, as far as timers tell [s]."""
        begins_s = self.recovery.ends.next_s()
        for job in self._standing:
            due_s = self.timers.due_s("job", job)
            if due_s is not None and due_s < begins_s:
                begins_s = due_s
        return begins_s

    def rerate(self) -> float:
        """Let jobs go at the pace that clocks, fabric and input allow; return the largest relative change."""
        if self.stragglers.keys:
            self.stragglers.follow(self._running())
        running = self._running(self._steady())
        work, slower = self.jobs.work, {}
        for row in running:
            job = row.index
            slower[job] = added = self.clocks.slower_s(job)
            extra_s, contention_s = self.stragglers.extra_s(job), self.network.contention_s(job)
            if extra_s:
                added["straggler"] = added.get("straggler", 0.0) + extra_s
            if contention_s:
                added["fabric_contention"] = contention_s
        reading = {
            job: work[job].step_s + sum(added.values())
            for job, added in slower.items()
            if self.ingest.reads(job)
        }
        waits = self.ingest.wait_s(self.timers.now_s, reading)
        self.recovery.follow_stores()
        largest = 0.0
        for row in running:
            job = row.index
            added, waits_s = slower[job], waits.get(job, 0.0)
            if waits_s:
                added["input_wait"] = waits_s
            self._slowed[job] = slowed = bool(added) or self.jobs.pace[job].step_s != work[job].step_s
            if not slowed:
                if not self._apart[job]:
                    self._either.discard(job)
                continue
            self._either.add(job)
            largest = max(largest, self.recovery.rerate(row, pace_of(work[job], added)))
        return largest

    def _steady(self) -> Bools | None:
        """Return which jobs go on as they do: their clocks have not moved by what is worth a new pace; None: no matter.

        Most jobs of a large hall, when one of them stops. What else slows a job is looked at one by one.
        """
        clocked, step_s = self.clocks.clocked, self.jobs.step_s
        if clocked is None or len(clocked.ids) < FEW or not clocked.still():
            return None
        some = clocked.numbers[: bisect_left(clocked.ids, len(step_s))]
        still = np.abs(clocked.step_s()[: len(some)] / step_s[some] - 1.0) < SURE * RERATE
        still &= clocked.lasting[: len(some)]
        steady = np.zeros(len(step_s), bool)
        steady[some] = still
        for besides in (self.moved, self.stragglers.slower, self.network.contended, self.ingest.readers):
            steady[list(besides)] = False
        return steady

    def _running(self, steady: Bools | None = None) -> list[JobRow]:
        """Return the jobs that take steps and may go at another pace now, in the order of the table.

        `steady`: those that do not, shape (J,); None: all may.
        """
        clocks, rows = self.clocks, self.jobs.rows
        if clocks.throttling or clocks.limits.any or EVERY_JOB in clocks.cap_w:
            some = [row.index for row in self.jobs.active]
            if steady is not None:
                some = list(compress(some, (~steady[some]).tolist()))
        elif steady is None and len(self._either) <= FEW:
            some = sorted(self._either.union(self.stragglers.slower))
        else:
            may = self._apart | self._slowed
            if self.stragglers.slower:
                may[list(self.stragglers.slower)] = True
            if steady is not None:
                may &= ~steady
            some = may.nonzero()[0].tolist()
        return [row for row in map(rows.__getitem__, some) if row.state in STEPS]
