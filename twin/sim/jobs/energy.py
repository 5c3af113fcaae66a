"""What each job has used: the energy of its nodes, GPUs and all, while it holds them.

Between two changes of the run the shares of the jobs are constant, so that one number, how much energy flowed for each
watt of share, is all that is added up; the sum over jobs and idle nodes is what the nodes took, exactly. Of a shared
node a job answers for its part of the GPUs; what nobody holds, switches, stores and supplies belong to no job.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.sim.core.nodes import NOBODY, SLICES, NodeTable
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import ArrayField, Fields, StateField, Stateful


class JobEnergy(Stateful):
    """Energy of every job [J].

    Attributes
    ----------
    energy_j
        Of each job, shape (J,), as far as it was settled.
    nobody_j
        Of nodes, or parts of them, that no job held.
    """

    def __init__(self, jobs: int, nodes: NodeTable) -> None:
        self.nodes = nodes
        self.energy_j = np.zeros(jobs)
        self.nobody_j = 0.0
        self._who = np.zeros(0, np.intp)
        self._share_w, self._nobody_w = np.zeros(0), 0.0
        self._total_w = 0.0
        self._seen_j = 0.0
        self._node_w = np.zeros(len(nodes.job))
        # Where runs of neighbours in the same hands begin, and the place of these, past the end: nobody has all of it;
        # parts of nodes, and where they belong.
        self._runs, self._place = np.zeros((2, 0), np.intp)
        self._number_of = np.zeros(jobs + 1, np.intp)  # by job; the last: nobody, or several
        self._parts: tuple[NDArray[np.intp], ...] = ()
        self._version = -1  # of the nodes when they were numbered
        self._s = 0.0  # energy that flowed for each watt of share since the shares were last set

    def book_to(self, nodes_j: float) -> None:
        """Take note of what all nodes have taken together so far [J]."""
        more_j, self._seen_j = nodes_j - self._seen_j, nodes_j
        if self._total_w > 0:
            self._s += more_j / self._total_w
        else:
            self.nobody_j += more_j

    def share(self, node_w: Floats | None = None) -> None:
        """Let jobs answer for their nodes from now on; `node_w`: power of each node (N,) [W], none: as it was."""
        self._settle()
        self._node_w = node_w = self._node_w if node_w is None else node_w
        if self._version != self.nodes.version:
            self._number()
        count, runs = len(self._who), self._runs
        # Run by run: where thousands of neighbours add to one sum, each would have to wait for the one before.
        run_w = np.add.reduceat(node_w, runs) if len(runs) else node_w
        by_place: Floats = np.bincount(self._place, run_w, minlength=count + 1).astype(float, copy=False)
        self._share_w, nobody_w = by_place[:count], float(by_place[count])
        node, place, per_slice, slices = self._parts
        if len(node):
            part_w = node_w[node] / per_slice * slices
            self._share_w += np.bincount(place, part_w, minlength=count)
            nobody_w = max(0.0, nobody_w - float(np.add.reduce(part_w)))
        self._nobody_w = nobody_w
        self._total_w = float(np.add.reduce(self._share_w)) + nobody_w

    def _number(self) -> None:
        """Number those who hold anything, in the order of their indices, and see which nodes are whose."""
        nodes, jobs = self.nodes, len(self.energy_j)
        job = np.maximum(nodes.job, NOBODY)
        begins = np.ones(len(job), bool)
        np.not_equal(job[1:], job[:-1], out=begins[1:])
        self._runs = runs = begins.nonzero()[0]
        node, owner, _, slices = nodes.part_table()
        holder, there = job.take(runs), np.zeros(jobs + 1, bool)
        there[holder] = there[owner] = True
        self._who, number = there[:jobs].nonzero()[0], self._number_of
        number[self._who], number[jobs] = np.arange(len(self._who)), len(self._who)
        self._place = number.take(holder)
        self._parts = node, number[owner], SLICES * np.maximum(1, nodes.gpus[node]), slices
        self._version = nodes.version

    def _settle(self) -> None:
        self.energy_j[self._who] += self._share_w * self._s
        self.nobody_j += self._nobody_w * self._s
        self._s = 0.0

    def reading(self, nodes_j: float) -> Floats:
        """Return the energy of each job (J,) [J] when all nodes have taken so much so far; changes nothing."""
        more = (nodes_j - self._seen_j) / self._total_w if self._total_w > 0 else 0.0
        found = self.energy_j.copy()
        found[self._who] += self._share_w * (self._s + more)
        return found

    def on_restored(self) -> None:
        """Add up the shares; nodes are to be numbered again."""
        self._total_w = float(self._share_w.sum()) + self._nobody_w
        self._version = -1

    STATE = Fields(
        Column("energy_j", "jobs", float),
        *StateField.each("nobody_j", "_nobody_w", "_s", "_seen_j", load=float),
        ArrayField("_who", np.intp),
        ArrayField("_share_w", float),
        Column("_node_w", "nodes", float),
    )
