"""How many nodes a trace of faults has down at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.scenario.formats.fault_trace import Faults


@dataclass(frozen=True)
class Down:
    """Nodes down at once, weighted by time."""

    mean: float
    p99: int
    most: int


def concurrent_down(faults: Faults, until_s: float) -> Down:
    """Return how many distinct nodes are down at once between 0 and `until_s` [s].

    A node with several faults at once counts once, until the last of them is over.
    """
    times, steps = [np.zeros(1), np.full(1, until_s)], [np.zeros(2, np.int64)]
    for node in range(faults.nodes):
        of_node = np.flatnonzero(faults.node == node)
        start, end = faults.start_s[of_node], np.maximum.accumulate(faults.end_s[of_node])
        first = np.append(True, start[1:] > end[:-1])
        last = np.append(np.flatnonzero(first)[1:] - 1, len(of_node) - 1)
        times += [start[first], end[last]]
        steps += [np.ones(int(first.sum()), np.int64), -np.ones(len(last), np.int64)]
    at, step = np.minimum(np.concatenate(times), until_s), np.concatenate(steps)
    order = np.argsort(at, kind="stable")
    count, lasts_s = np.cumsum(step[order])[:-1], np.diff(at[order])
    spent_s = np.bincount(count, lasts_s)
    share = np.cumsum(spent_s) / until_s
    reached = np.flatnonzero(spent_s > 0)
    return Down(
        mean=float(np.arange(len(spent_s)) @ spent_s / until_s),
        p99=int(np.searchsorted(share, 0.99)),
        most=int(reached.max(initial=0)),
    )
