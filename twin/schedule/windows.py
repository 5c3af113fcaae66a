"""Reserved times: nodes for some jobs or none, once or periodically."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64


@dataclass(frozen=True)
class Window:
    """One reservation or maintenance window.

    Parameters
    ----------
    at_s, duration_s
        Its first occurrence [s].
    every_s
        It comes again after [s]; inf: it does not.
    nodes
        Which are set aside, shape (N,).
    tenants, jobs
        Tenants and jobs that may use them meanwhile; none in maintenance.
    """

    id: str
    at_s: float
    duration_s: float
    every_s: float
    nodes: Bools
    tenants: frozenset[int] = frozenset()
    jobs: frozenset[int] = frozenset()

    def lets(self, job: int, tenant: int) -> bool:
        """Return whether a job of a tenant may run in it."""
        return job in self.jobs or tenant in self.tenants

    def occurrences(self, from_s: float, until_s: float) -> Iterator[tuple[float, float]]:
        """Yield begin and end of those that overlap [from_s, until_s) [s], in order."""
        turn = 0
        if math.isfinite(self.every_s):
            turn = max(0, math.floor((from_s - self.at_s - self.duration_s) / self.every_s))
        while True:
            begin_s = self.at_s + (turn * self.every_s if turn else 0.0)
            if begin_s >= until_s:
                return
            if begin_s + self.duration_s > from_s:
                yield begin_s, begin_s + self.duration_s
            if math.isinf(self.every_s):
                return
            turn += 1

    def meets(self, from_s: float, until_s: float) -> bool:
        """Return whether one overlaps [from_s, until_s) [s]; an occurrence that ends at `from_s` does not."""
        return next(self.occurrences(from_s, until_s), None) is not None

    def turn_s(self, now_s: float) -> float:
        """Return when it begins or ends next, after `now_s` [s]; inf: never again."""
        for begin_s, end_s in self.occurrences(now_s, math.inf):
            return begin_s if begin_s > now_s else end_s
        return math.inf

    def on(self, now_s: float) -> bool:
        """Return whether it is in force at `now_s` [s]."""
        first = next(self.occurrences(now_s, math.inf), None)
        return first is not None and first[0] <= now_s


class Calendar:
    """Occurrences of many windows as arrays; windows are numbers."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self.at_s = np.array([window.at_s for window in windows], float)
        self.duration_s = np.array([window.duration_s for window in windows], float)
        self.every_s = np.array([window.every_s for window in windows], float)
        self._again = np.isfinite(self.every_s)
        self._known = (
            math.nan,
            np.zeros(0),
            np.zeros(0),
        )  # at a time: turns and begins of the next occurrences

    def next_s(self, now_s: float) -> Floats:
        """Return when the first occurrence that ends after `now_s` begins, shape (windows,) [s]; inf: none does."""
        return self._next(now_s)[1]

    def _next(self, now_s: float) -> tuple[Floats, Floats]:
        if self._known[0] != now_s:
            every_s = np.where(self._again, self.every_s, 1.0)
            turn = np.floor((now_s - self.at_s - self.duration_s) / every_s)
            turn = np.where(self._again, np.maximum(turn, 0.0), 0.0)
            while True:
                begin_s = self.at_s + turn * every_s
                over = begin_s + self.duration_s <= now_s
                if not (over & self._again).any():
                    break
                turn += over & self._again
            self._known = now_s, turn, np.where(over, np.inf, begin_s)
        return self._known[1:]

    def turn_s(self, now_s: float) -> float:
        """Return when one of them begins or ends next, after `now_s` [s]; inf: never again."""
        begin_s = self.next_s(now_s)
        turns_s = np.where(begin_s > now_s, begin_s, begin_s + self.duration_s)
        return float(np.minimum.reduce(turns_s, initial=math.inf))

    def occurrences(self, numbers: Ints64, now_s: float, most: int) -> tuple[Ints64, Floats, Floats]:
        """Return the next occurrences of some windows that end after `now_s`: which window, begins and ends [s].

        At most so many of each, in order.
        """
        turn, begin_s = (figures[numbers] for figures in self._next(now_s))
        count = np.where(np.isinf(begin_s), 0, np.where(self._again[numbers], most, 1))
        which = numbers.repeat(count)
        later = np.arange(len(which)) - (count.cumsum() - count).repeat(count)
        every_s = np.where(self._again[which], self.every_s[which], 0.0)
        begins_s = self.at_s[which] + (turn.repeat(count) + later) * every_s
        return which, begins_s, begins_s + self.duration_s[which]
