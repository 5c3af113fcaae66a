"""Nodes that several jobs share: each stands in a trace by how hard they drive it together, not by its jobs.

So a hall with hundreds of small jobs has as many groups as loops times levels at most. What the GPUs of such a node
draw is spread evenly over them: the heat of the node is right, that of a single GPU in it is a mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.sim.jobs import Jobs
from twin.sim.ledger import INDEX
from twin.sim.nodes import SLICES, Nodes
from twin.sim.traces import IDLE, stepping
from twin.sim.work import Work

if TYPE_CHECKING:
    from twin.sim.clocks import Clocks

LEVELS = 64
"""Steps between an idle node and one whose GPUs all work at their rated power."""
STEP_S = 60.0

STEPS = (JobState.RUNNING, JobState.CHECKPOINT)


@lru_cache(maxsize=LEVELS + 1)
def work_of_level(level: int) -> Work:
    """Return the work that a node at so many 64ths of its rated power seems to do."""
    parts = np.zeros(len(ACCOUNTS))
    parts[INDEX["productive"]] = STEP_S
    share = level / LEVELS
    return Work(STEP_S, parts, 0.0, STEP_S, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, gpu_load=share, node_load=share)


class Mixes:
    """Trace of every shared node; worked out anew for those whose jobs came, went, began or ceased to step."""

    def __init__(self, jobs: Jobs, nodes: Nodes, clocks: Clocks) -> None:
        self.jobs, self.nodes, self.clocks = jobs, nodes, clocks
        self._trace: dict[int, int] = {}

    def into(self, wanted: NDArray[np.intp], changed: set[int]) -> None:
        """Write the traces of shared nodes into those of all; `changed`: jobs that are not as they were."""
        parts = self.nodes.parts
        if not parts and not self._trace:
            return
        for node in self._trace.keys() - parts.keys():
            del self._trace[node]
        rows = self.jobs.rows
        for node, held in parts.items():
            if node not in self._trace or node in self.nodes.touched or not changed.isdisjoint(held):
                load = sum(
                    self.clocks.gpu_share(job) * sum(slices for _, slices in taken)
                    for job, taken in held.items()
                    if rows[job].state in STEPS
                )
                level = min(LEVELS, round(LEVELS * load / (SLICES * int(self.nodes.gpus[node]))))
                self._trace[node] = stepping(len(rows) + level) if level else IDLE
        self.nodes.touched.clear()
        if parts:
            shared = np.fromiter(parts, np.intp, len(parts))
            wanted[shared] = [self._trace[node] for node in parts]
