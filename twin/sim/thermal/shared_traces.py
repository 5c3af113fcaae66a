"""Traces that are not of one job: nodes that jobs share, and jobs known by their power alone.

A shared node stands in a trace by how hard its jobs drive it together; jobs of kind load with the same utilisation
stand in one. So a hall with hundreds of small jobs has as many groups as loops times such traces at most, not as it
has jobs. What the GPUs of a shared node draw is spread evenly over them: the heat of the node is right, that of a
single GPU in it is a mean.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.sim.core.ledger import INDEX
from twin.sim.core.nodes import SLICES, NodeTable
from twin.sim.core.state import Derived, Stateful
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.work import Work
from twin.sim.thermal.gpu_groups import IDLE, stepping

LEVELS = 64
"""Steps between an idle shared node and one whose GPUs all work at their rated power."""
STEP_S = 60.0

STEPS = (JobState.RUNNING, JobState.CHECKPOINT)


def driven(gpu_load: float, node_load: float, at_peak: bool = False) -> Work:
    """Return work that drives GPUs and the rest of a node so hard, 0..1."""
    parts = np.zeros(len(ACCOUNTS))
    parts[INDEX["productive"]] = STEP_S
    return Work(
        step_s=STEP_S,
        parts=parts,
        clocked_s=STEP_S,
        gemm_s=STEP_S,
        memory_s=0.0,
        close_s=0.0,
        model_flop=0.0,
        peak_flop_s=1.0,
        checkpoint_bytes=0.0,
        ingest_bytes=0.0,
        gpu_load=gpu_load,
        node_load=node_load,
        node_at_peak=at_peak,
    )


def levels() -> list[Work]:
    """Return the work of shared nodes by level."""
    return [driven(level / LEVELS, level / LEVELS) for level in range(LEVELS + 1)]


class JobLoads(Protocol):
    """How hard jobs drive their GPUs, as clocks and caps have it."""

    mixed: list[Work]
    cap_w: dict[int, float]

    def gpu_share(self, job: int) -> float:
        """Return how hard a job drives its GPUs, 0..1."""


class Mixes(Stateful):
    """Which trace stands for each shared node and each load; shared nodes are looked at again when their jobs moved."""

    def __init__(self, jobs: Jobs, nodes: NodeTable, clocks: JobLoads) -> None:
        self.jobs, self.nodes, self.clocks = jobs, nodes, clocks
        self._trace = np.full(len(nodes.job), IDLE, np.intp)  # of each shared node
        self._loads: dict[tuple[float, float, bool], int] = {}  # place in clocks.mixed

    def trace(self, job: int) -> int:
        """Return the trace of whole nodes on which `job` steps."""
        work, clocks = self.jobs.work[job], self.clocks
        if work.gpu_load is None or work.node_load is None or job in clocks.cap_w:
            return stepping(job)
        if self.jobs.specs[job].power_floor > 0:
            return stepping(job)
        return stepping(len(self.jobs.rows) + self._load(work.gpu_load, work.node_load, work.node_at_peak))

    def _load(self, *key: float) -> int:
        gpu_load, node_load, at_peak = key
        name = (gpu_load, node_load, bool(at_peak))
        if name not in self._loads:
            self._loads[name] = len(self.clocks.mixed)
            self.clocks.mixed.append(driven(*name))
        return self._loads[name]

    def into(self, wanted: NDArray[np.intp], changed: set[int]) -> None:
        """Write the traces of shared nodes into those of all; `changed`: jobs that are not as they were."""
        parts, rows = self.nodes.parts, self.jobs.rows
        if not parts:
            self.nodes.touched.clear()
            return
        looked_at = set(self.nodes.touched)
        for job in changed:  # a job shares the last of its nodes
            looked_at.update(rows[job].nodes[-1:])
        self.nodes.touched.clear()
        for node in looked_at & parts.keys():
            load = sum(
                self.clocks.gpu_share(job) * sum(slices for _, slices in taken)
                for job, taken in parts[node].items()
                if rows[job].state in STEPS
            )
            level = min(LEVELS, round(LEVELS * load / (SLICES * int(self.nodes.gpus[node]))))
            self._trace[node] = stepping(len(rows) + level) if level else IDLE
        shared = np.fromiter(parts, np.intp, len(parts))
        wanted[shared] = self._trace[shared]

    def _take_loads(self, saved: list[list[float]]) -> None:
        for key in saved:
            self._load(*key)

    STATE = Derived("loads", lambda part: [list(key) for key in part._loads], _take_loads)
