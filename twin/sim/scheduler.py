"""Who gets which nodes: first come, first served, all nodes of a job at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.record.channels import WaitReason
from twin.sim.clockwork import Timers
from twin.sim.jobs import Jobs
from twin.sim.log import Log
from twin.sim.nodes import Nodes
from twin.sim.plan import JobPlan
from twin.sim.recovery import Recovery

if TYPE_CHECKING:
    from twin.sim.cloud import Clouds


class Scheduler:
    """FIFO gang scheduling; handles the timer ``submit``. Free nodes a live job could use rest as spares."""

    def __init__(
        self, timers: Timers, log: Log, nodes: Nodes, jobs: Jobs, plans: list[JobPlan], recovery: Recovery
    ) -> None:
        self.timers, self.log, self.nodes = timers, log, nodes
        self.jobs, self.plans, self.recovery = jobs, plans, recovery
        self.queue: list[int] = []  # in the order it is served
        self.reasons: dict[int, WaitReason] = {}  # of those in the queue, why they wait where it is known
        self.planned: dict[int, float] = {}  # and when they will start, where that is planned [s]
        self.clouds: Clouds | None = None  # told who waits, where there are any
        timers.handle("submit", self._submit)

    def _submit(self, index: int) -> None:
        row = self.jobs.rows[index]
        self.queue.append(index)
        self.log.add(self.timers.now_s, "job_submitted", row.id, f"asks for {row.gpus} GPUs", gpus=row.gpus)
        if self.clouds is not None:
            self.clouds.queued(index)
        self.place()

    def withdraw(self, index: int) -> None:
        """Take a waiting job out of the queue."""
        if index in self.queue:
            self.queue.remove(index)
        self.reasons.pop(index, None)
        self.planned.pop(index, None)

    def moved(self, index: int) -> None:
        """Take note that a job may use other nodes from now on."""
        if index in self.queue:
            self.place()

    def place(self) -> None:
        """Start jobs from the head of the queue for as long as the next one fits."""
        while self.queue:
            row = self.jobs.rows[self.queue[0]]
            plan = self.plans[row.index]
            free = self.nodes.free(plan.group((), self.nodes.usable))
            if len(free) < plan.nodes:
                break
            self.queue.pop(0)
            self.recovery.start(row, free[: plan.nodes].tolist())
        self._mark_spares()

    def _mark_spares(self) -> None:
        wanted = np.zeros(len(self.nodes.job), bool)
        for row in self.jobs.active:
            wanted |= self.plans[row.index].allowed
        self.nodes.want(self.timers.now_s, wanted)
