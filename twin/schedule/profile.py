"""Profile of free nodes over time: counts in steps of time, by class of interchangeable nodes.

Nodes of a class stand in the same places and windows. Jobs take their nodes when they start and keep them, so counts
suffice: whoever is given a count at each moment finds as many nodes of the class free for the whole time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Bools, Floats, Ints64

OVERRUN_S = 60.0
"""A job that runs longer than was believed is believed to end so soon [est] [s]."""


def classes_of(masks: Iterable[Bools], nodes: int) -> Ints64:
    """Return the class of every node, shape (N,): nodes that no mask tells apart are of one."""
    distinct = {mask.tobytes(): mask for mask in masks}
    number = np.zeros(nodes, np.int64)
    for mask in distinct.values():
        _, number = np.unique(2 * number + mask, return_inverse=True)
    return number.astype(np.int64)


def believed_s(end_s: ArrayLike, now_s: float) -> Floats:
    """Return the estimated ends of jobs that still run at `now_s` and were expected to end at `end_s` [s]."""
    result: Floats = np.where(np.asarray(end_s) <= now_s, now_s + OVERRUN_S, end_s)
    return result


class NodeProfile:
    """Free nodes from now on.

    Parameters
    ----------
    free, end_s
        As in `Site`.
    node_class, classes
        Class of every node, and how many there are.

    Attributes
    ----------
    times_s : (K,) float
        Beginnings of the steps, the first is now; the last step never ends.
    counts : (K, classes) int
        Free nodes in each.
    """

    def __init__(self, now_s: float, free: Bools, end_s: Floats, node_class: Ints64, classes: int) -> None:
        ends_s = np.where(free, np.inf, end_s)
        if np.minimum.reduce(ends_s, initial=np.inf) <= now_s:
            ends_s = believed_s(ends_s, now_s)
        order = None
        if classes == 1:
            ends_s.sort()
        else:
            order = ends_s.argsort(kind="stable")
            ends_s = ends_s[order]
        held = int(ends_s.searchsorted(np.inf))  # the others are free, or never will be
        times_s = np.empty(held + 2)
        times_s[0], times_s[1:-1], times_s[-1] = now_s, ends_s[:held], np.inf
        last = (times_s[1:] != times_s[:-1]).nonzero()[0]  # of those that end at one time
        self.times_s: Floats = times_s[last]
        if order is None:
            self.counts: Ints64 = (last + np.count_nonzero(free))[:, None]
        else:
            come = np.zeros((held + 1, classes), np.int64)
            come[0] = np.bincount(node_class[free], minlength=classes)
            come[np.arange(1, held + 1), node_class[order[:held]]] = 1
            self.counts = np.cumsum(come, axis=0)[last]

    def cut(self, t_s: float) -> int:
        """Let a step begin at `t_s`, not before now; return its number."""
        times_s, counts = self.times_s, self.counts
        at = int(times_s.searchsorted(t_s))
        if at == len(times_s) or times_s[at] != t_s:
            self.times_s = np.empty(len(times_s) + 1)
            self.counts = np.empty((len(counts) + 1, counts.shape[1]), np.int64)
            self.times_s[:at], self.times_s[at], self.times_s[at + 1 :] = times_s[:at], t_s, times_s[at:]
            self.counts[:at], self.counts[at:] = counts[:at], counts[at - 1 :]
        return at

    def cut_all(self, times_s: Floats) -> None:
        """Let steps begin at all of `times_s`, none before now."""
        times = np.union1d(self.times_s, times_s)
        self.counts = self.counts[np.searchsorted(self.times_s, times, side="right") - 1]
        self.times_s = times

    def take(self, from_s: float, until_s: float, nodes: Ints64) -> None:
        """Give away so many nodes of each class from `from_s` to `until_s` [s]."""
        first = self.cut(from_s)
        last = self.cut(until_s) if math.isfinite(until_s) else len(self.times_s)
        self.counts[first:last] -= nodes

    def until(self, until_s: float) -> int:
        """Return how many steps begin before `until_s` [s]."""
        return int(self.times_s.searchsorted(until_s))

    def steady(self, until_s: float) -> Ints64:
        """Return how many nodes of each class are free from now until `until_s` without a break, shape (classes,)."""
        lowest: Ints64 = self.counts[: max(1, self.until(until_s))].min(axis=0)
        return lowest

    def earliest(self, nodes: int, lasts_s: float, member: Bools, shut: Bools | None) -> tuple[float, Ints64]:
        """Return when so many nodes are free first for `lasts_s` [s], and how many of each class to take.

        Parameters
        ----------
        member
            Classes that may be used, shape (classes,).
        shut
            Steps and classes that may not, shape (K, classes); None: all may.

        Returns
        -------
        tuple
            (inf, nothing) when they never are.
        """
        if len(member) == 1 and member[0] and shut is None:
            return self._earliest_of_one(nodes, lasts_s)
        counts = np.where(member, self.counts, 0)
        if shut is not None:
            counts[shut] = 0
        bad = np.flatnonzero(counts.sum(axis=1) < nodes)
        steps = np.arange(len(self.times_s))
        following = np.searchsorted(bad, steps)
        broken_s = np.append(self.times_s[bad], np.inf)[following]
        good = np.ones(len(steps), bool)
        good[bad] = False
        for at in np.flatnonzero(good & (self.times_s + lasts_s <= broken_s)).tolist():
            begin_s = float(self.times_s[at])
            lowest = counts[at : max(at + 1, self.until(begin_s + lasts_s))].min(axis=0)
            if lowest.sum() >= nodes:
                before = np.cumsum(lowest) - lowest
                return begin_s, np.clip(nodes - before, 0, lowest)
        return np.inf, np.zeros(len(member), np.int64)

    def _earliest_of_one(self, nodes: int, lasts_s: float) -> tuple[float, Ints64]:
        """Return the same where all nodes are alike: of steps without a break, the first lasts longest."""
        bad = (self.counts[:, 0] < nodes).nonzero()[0]
        if not len(bad) or bad[-1] < len(bad):  # too few at first, enough for ever after
            if len(bad) == len(self.times_s):
                return np.inf, np.zeros(1, np.int64)
            return float(self.times_s[len(bad)]), np.array([nodes], np.int64)
        first = np.zeros(len(bad) + 1, np.intp)  # of each run of good steps
        first[1:] = bad + 1
        if first[-1] == len(self.times_s):
            first = first[:-1]
        ends_s = np.full(len(first), np.inf)
        ends_s[: len(bad)] = self.times_s[bad[: len(first)]]
        begin_s = self.times_s[first]
        fits = ((begin_s < ends_s) & (begin_s + lasts_s <= ends_s)).nonzero()[0]
        if not len(fits):
            return np.inf, np.zeros(1, np.int64)
        return float(begin_s[fits[0]]), np.array([nodes], np.int64)
