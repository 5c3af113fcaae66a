"""Which GPUs draw power alike: groups of nodes by (loop, part, trace), split and merged as jobs come and go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.physics.thermal_network import Groups, State, merge_group, mergeable, split_group

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

OFF, IDLE = 0, 1
STAND_IN = -1
"""Trace of a free slot."""


def stepping(job: int) -> int:
    """Return the trace of GPUs that step in `job`."""
    return 2 + 2 * job


def spinning(job: int) -> int:
    """Return the trace of GPUs of `job` that wait busily for a partner that is gone."""
    return 3 + 2 * job


class Traces:
    """Groups of nodes with one power trace each, and the spread of the dies in them.

    Parameters
    ----------
    loop, part
        Loop and GPU part of each node, shape (N,).
    gpus
        GPUs of each node, shape (N,); 0 for a slot that is not there.
    sum_s, max_s
        Sum and maximum of the power spread factor of its GPUs, shape (N,).
    """

    def __init__(self, loop: Ints, part: Ints, gpus: Floats, sum_s: Floats, max_s: Floats) -> None:
        self.node_gpus, self.node_sum_s, self.node_max_s = gpus, sum_s, max_s
        self.live = gpus > 0
        keys, group = np.unique(np.stack([loop[self.live], part[self.live]]), axis=1, return_inverse=True)
        self.node_group = np.full(len(loop), -1, np.intp)
        self.node_group[self.live] = group.reshape(-1)
        self.trace = np.full(keys.shape[1], IDLE, np.intp)
        self.groups = Groups.of(
            keys[0],
            keys[1],
            np.bincount(self.node_group[self.live], gpus[self.live]),
            np.bincount(self.node_group[self.live], sum_s[self.live]),
        )
        self._measure()

    def _measure(self) -> None:
        """Sums and hottest die by group, afresh: so that no rounding adds up over a year of splits."""
        size = self.groups.size
        nodes = self.node_group[self.live]
        hot = np.zeros(size)
        np.maximum.at(hot, nodes, self.node_max_s[self.live])
        self.hot_s = np.where(hot > 0, hot, 1.0)
        self.powered = (self.groups.n > 0) & (self.trace > OFF)
        self.working = self.trace > IDLE
        self.of_job = self._find_jobs()
        self.dark_c = np.where(self.powered, 0.0, -np.inf)  # added to temperatures, leaves powered dies alone
        self._doubles = np.array(self._find_doubles(), np.intp).reshape(-1, 2)

    def retrace(self, state: State, wanted: Ints) -> State:
        """Give every node its wanted trace, shape (N,); return the state with groups split where needed."""
        moving = self.live & (wanted != self.trace[np.maximum(self.node_group, 0)])
        if not moving.any():
            return state
        traces = int(wanted.max()) + 1
        pair = self.node_group * traces + wanted
        gpus = np.bincount(pair[moving], self.node_gpus[moving])
        for code in np.flatnonzero(gpus).tolist():
            source, trace = divmod(code, traces)
            n = float(gpus[code])
            if n >= self.groups.n[source] - 0.5:
                self.trace[source] = trace
                continue
            members = np.flatnonzero(moving & (pair == code))
            sum_s = float(self.node_sum_s[members].sum())
            self.groups, state, target = split_group(self.groups, state, source, n, sum_s)
            if target == len(self.trace):
                self.trace = np.append(self.trace, trace)
            self.trace[target] = trace
            self.node_group[members] = target
        self._measure()
        return state

    def merge(self, state: State) -> tuple[State, bool]:
        """Join groups that have become alike, when some are doubled; return the state and whether any were."""
        pairs = self._doubles
        alike = pairs[mergeable(state, pairs[:, 0], pairs[:, 1])].tolist()
        for into, g in alike:
            self.groups, state = merge_group(self.groups, state, into, g)
            self.node_group[self.node_group == g] = into
            self.trace[g] = STAND_IN
        if alike:
            self._measure()
        return state, bool(alike)

    def _find_jobs(self) -> dict[int, list[tuple[int, Ints]]]:
        """Groups that work, by job and, within it, by part."""
        found: dict[int, list[tuple[int, Ints]]] = {}
        for job in sorted({trace // 2 - 1 for trace in self.trace[self.working].tolist()}):
            mine = np.flatnonzero(self.trace // 2 - 1 == job)
            part = self.groups.part[mine]
            found[job] = [(p, mine[part == p]) for p in sorted(set(part.tolist()))]
        return found

    def _find_doubles(self) -> list[tuple[int, int]]:
        """Pairs of groups of one loop, part and trace: (first of its kind, another)."""
        first: dict[tuple[int, int, int], int] = {}
        pairs = []
        g = self.groups
        for i, key in enumerate(zip(g.loop.tolist(), g.part.tolist(), self.trace.tolist(), strict=True)):
            if key[2] != STAND_IN and first.setdefault(key, i) != i:
                pairs.append((first[key], i))
        return pairs

    @property
    def doubled(self) -> bool:
        """Whether some groups wait to be joined."""
        return len(self._doubles) > 0

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        g = self.groups
        return {
            "node_group": self.node_group.tolist(),
            "trace": self.trace.tolist(),
            "groups": [g.loop.tolist(), g.part.tolist(), g.n.tolist(), g.sum_s.tolist()],
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.node_group = np.array(state["node_group"], np.intp)
        self.trace = np.array(state["trace"], np.intp)
        self.groups = Groups.of(*state["groups"])  # type: ignore[misc]
        self._measure()
