"""What the dies that a job holds make of its steps: the reference of its goodput is these GPUs, not the expected ones.

Profiles expect the slowest die of so many GPUs. Those that a job holds are a little better or worse, for good.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.work import Work
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.gpu_groups import Dies


class OwnDies:
    """The slowest die of each node.

    Parameters
    ----------
    plant
        With its nodes.
    dies
        Spread of every GPU.
    part
        Thermal part of each node, shape (N,).
    """

    def __init__(
        self,
        plant: Plant,
        dies: Dies,
        part: NDArray[np.intp],
        clocks: Clocks,
        jobs: Jobs,
        plans: list[JobPlan],
    ) -> None:
        self.part, self.clocks, self.jobs, self.plans = part, clocks, jobs, plans
        self._known: dict[tuple[int, int, float], tuple[Work, float]] = {}  # planned work, and what it gave
        self.slowest_s = np.zeros(len(plant.nodes.ids))
        np.maximum.at(self.slowest_s, dies.node, dies.spread)

    def slower_s(self, row: JobRow) -> float:
        """Return how much longer a step on the nodes of `row` takes than planned, with nothing else against it [s]."""
        work = self.jobs.planned[row.index]
        if work.gpu_load is not None or self.plans[row.index].shares or not row.nodes:
            return 0.0  # what is measured knows no spread
        nodes = self.jobs.slots(row)
        part, slowest_s = self.part[nodes], self.slowest_s[nodes]
        parts = part[:1] if (part == part[0]).all() else np.unique(part)
        share = min(
            self._share(row.index, number, float(slowest_s[part == number].max()))
            for number in parts.tolist()
        )
        return work.clocked_s * (1 / share - 1)

    def _share(self, job: int, part: int, spread: float) -> float:
        """Return the clock of a die of this spread under a job over that of the expected slowest one [-]."""
        work, known = self.jobs.planned[job], self._known.get((job, part, spread))
        if known is None or known[0] is not work:
            own_ghz = self.clocks.at_reference_ghz(job, part, spread)
            known = self._known[job, part, spread] = work, own_ghz / self.clocks.reference_ghz(job, part)
        return known[1]
