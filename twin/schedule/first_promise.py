"""The promise to a single waiting job of whole nodes: the end times of held nodes suffice.

Room of a node only grows until that job begins, so that no timetable is needed. Most queues have no more than this:
EASY backfill promises a start to the first job alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.schedule.profile import believed_s
from twin.schedule.queue import SiteView
from twin.schedule.stock import FreeRoom, Stock


class FirstPromise:
    """Room on every node beside one promise of whole nodes.

    Parameters
    ----------
    stock
        The nodes as the decision leaves them; kept up to date by whoever decides.
    site
        The nodes before it.
    most
        GPUs of each node, shape (N,).
    """

    def __init__(self, stock: Stock, site: SiteView, most: Ints64) -> None:
        self._stock, self._site, self._most = stock, site, most
        self._nodes: Ints64 = np.zeros(0, np.intp)  # that are promised
        self.from_s = math.inf
        """When the promised nodes are taken [s]; inf: nobody is promised any."""

    def keep(self, count: int, groups: Iterable[Bools]) -> Ints64:
        """Promise `count` nodes of the group where they are free first; return them, none if they never are."""
        since_s = self._since_s()
        chosen: Bools | None = None
        for group in groups:
            its_s, first_s = since_s[group], math.inf
            if len(its_s) >= count:
                its_s.partition(count - 1)
                first_s = float(its_s[count - 1])
            if first_s < self.from_s:
                self.from_s, chosen = first_s, group
        if chosen is not None:
            candidates = (chosen & (since_s <= self.from_s)).nonzero()[0]
            latest = np.argsort(-since_s[candidates], kind="stable")  # the others serve those who start now
            self._nodes = np.sort(candidates[latest[:count]])
        return self._nodes

    def room(self, until_s: float) -> FreeRoom:
        """Return the nodes that may be taken until then without delaying the promise."""
        free = self._stock.free
        gpus = np.where(free, self._most, self._stock.free_gpus)
        if until_s > self.from_s:
            free = free.copy()
            free[self._nodes], gpus[self._nodes] = False, 0
        return FreeRoom(free, gpus)

    def whole_until(self, until_s: Floats) -> Ints64:
        """Return how many nodes are free as a whole from now until each of these times [s]."""
        free, promised = self._stock.left, int(np.count_nonzero(self._stock.free[self._nodes]))
        return np.where(until_s > self.from_s, free - promised, free)

    def _since_s(self) -> Floats:
        """Return the time from which each node is free as a whole, without the promise [s]; inf: never."""
        now_s, parts = self._stock.now_s, self._site.parts()
        since_s: Floats = np.where(self._stock.free, now_s, believed_s(self._stock.end_s, now_s))
        np.maximum.at(
            since_s, parts.node, believed_s(parts.end_s, now_s)
        )  # each of several may be over its time
        return since_s
