"""Times set aside: nodes that only some may use, or nobody, from a moment on, once or again and again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from twin.schedule.queue import Bools


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
        Who may use them meanwhile; none in maintenance.
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
