"""Faults that were seen elsewhere, replayed at their times on the nodes of this plant."""

from __future__ import annotations

import math

import numpy as np

from twin import units
from twin.record.events import Severity
from twin.scenario.formats.fault_trace import Faults, unpack
from twin.scenario.schema.faults import FaultTrace
from twin.sim.care.repairs import RepairShop
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import DOWN, NodeTable
from twin.sim.core.timers import Timers
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler

FOR_EVER_S = 1e9
"""Instead of the end of a fault that never ended [s]."""


class FaultReplay:
    """Handler of the timer ``trace``, whose id is the number of the next fault.

    The n-th node of the trace, by first fault, is the n-th node that stands here; nodes beyond those are left out. A
    node with several faults at once is down until the last of them is over.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        repairs: RepairShop,
        tally: FailureTally,
        trace: FaultTrace | None,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.repairs, self.tally = recovery, failures, repairs, tally
        none = np.zeros(0)
        self.faults = Faults(none.astype(np.int64), none, none, ())
        self.factor = 1.0
        self.place = np.flatnonzero(nodes.plant.nodes.present)
        if trace is not None and trace.rows is not None:
            self.faults, self.factor = unpack(trace.rows), trace.time
        timers.handle("trace", self._begin)

    def start(self) -> None:
        """Wait for the first fault."""
        left_out = max(0, self.faults.nodes - len(self.place))
        if left_out:
            text = f"{left_out} of {self.faults.nodes} nodes of the fault trace ignored: the hall has fewer nodes"
            self.log.add(
                self.timers.now_s,
                "trace_cut",
                "failures.trace",
                text,
                nodes=left_out,
                trace_nodes=self.faults.nodes,
            )
        self._await(0)

    def _await(self, number: int) -> None:
        if number < len(self.faults.cause):
            self.timers.set("trace", number, float(self.faults.start_s[number]) * self.factor)

    def _begin(self, number: int) -> None:
        faults = self.faults
        self._await(number + 1)
        if faults.node[number] >= len(self.place):
            return
        node, now = int(self.place[faults.node[number]]), self.timers.now_s
        end_s = float(faults.end_s[number]) * self.factor
        lasts_s = (end_s if math.isfinite(end_s) else FOR_EVER_S) - now
        cause, name = faults.cause[number], faults.cause[number].replace("_", " ")
        jobs = self.nodes.jobs_on(node)
        self.tally.struck[cause] += 1
        self.log.add(
            now,
            "failure",
            self.nodes.plant.nodes.ids[node],
            f"{name}; repair time {units.spoken(lasts_s)}",
            Severity.ALARM if jobs else Severity.NOTICE,
            repair=int(lasts_s),
            job=jobs[0] if jobs else -1,
            cause=cause,
            lasts_s=lasts_s,
        )
        if self.nodes.condition[node] == DOWN:
            self.repairs.prolong(node, lasts_s)
        elif lasts_s > 0:
            self.repairs.take_down(node, lasts_s)
        known = self.failures.known.get(cause)
        for job in jobs:
            on = self.nodes.plant.nodes.ids[node]
            if self.recovery.interrupt(self.jobs.rows[job], known, f"{name} on {on}", on=on):
                self.tally.interrupted(known, cause)
