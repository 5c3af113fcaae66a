"""What each job has used: the energy of its nodes, GPUs and all, while it holds them.

Between two changes of the run the shares of the jobs are constant, so that one number, how much energy flowed for each
watt of share, is all that is added up; the sum over jobs and idle nodes is what the nodes took, exactly. Of a shared
node a job answers for its part of the GPUs; what nobody holds, switches, stores and supplies belong to no job.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.sim.core.nodes import SLICES, NodeTable
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import ArrayField, Fields, StateField, Stateful

UNNUMBERED = -1
GONE = 2
"""Jobs stay numbered until there are so many times as many of them as there are nodes and parts in other hands."""


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
        # By job, less than 0: not numbered; then several, and nobody: the same number for both.
        self._number_of = np.full(jobs + 2, UNNUMBERED, np.intp)
        self._number_of[-2:] = 0
        self._parts: tuple[NDArray[np.intp], ...] = ()  # where those of the table belong, and of which table
        self._table: tuple[NDArray[np.intp], ...] | None = None
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
        """See which nodes are whose, and number those who hold anything now and did not before."""
        nodes, number = self.nodes, self._number_of
        job, table = nodes.job, nodes.part_table()
        begins = np.ones(len(job), bool)
        np.not_equal(job[1:], job[:-1], out=begins[1:])
        self._runs = runs = begins.nonzero()[0]
        holder, owner = job.take(runs), table[1]
        if len(self._who) > GONE * (len(holder) + len(owner)) + GONE:
            number[self._who], number[-2:] = UNNUMBERED, 0
            self._who, self._table = self._who[:0], None
        self._place = number.take(holder)
        came = holder[self._place < 0]
        if self._table is not table:
            came = np.concatenate([came, owner[number.take(owner) < 0]])
        if came.size:
            came, known = np.unique(came), len(self._who)
            self._who = np.concatenate([self._who, came])
            number[came], number[-2:] = np.arange(known, len(self._who)), len(self._who)
            self._place = number.take(holder)
        if self._table is not table:
            node, _, _, slices = self._table = table
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
        """Add up the shares; nodes are to be looked at again."""
        self._total_w = float(np.add.reduce(self._share_w)) + self._nobody_w
        self._version, self._table = -1, None
        self._number_of[:] = UNNUMBERED
        self._number_of[self._who], self._number_of[-2:] = np.arange(len(self._who)), len(self._who)

    STATE = Fields(
        Column("energy_j", "jobs", float),
        *StateField.each("nobody_j", "_nobody_w", "_s", "_seen_j", load=float),
        ArrayField("_who", np.intp),
        ArrayField("_share_w", float),
        Column("_node_w", "nodes", float),
    )
