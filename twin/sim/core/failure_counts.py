"""Counts of what went wrong: interruptions and failures by cause, and how many nodes were in repair how long."""

from __future__ import annotations

from collections import Counter

import numpy as np

from twin.scenario.schema.faults import Cause
from twin.sim.core.state import Fields, Items, Row, SharedCounts, StateField, Stateful

INJECTED = "injected"


class DownTime(Stateful):
    """How long how many nodes were in repair at once."""

    def __init__(self) -> None:
        self.count = 0
        self.since_s = 0.0
        self.lasted_s: dict[int, float] = {}  # by number of nodes

    def change(self, t_s: float, by: int) -> None:
        """Let `by` more nodes be in repair from `t_s` on."""
        if t_s > self.since_s:
            self.lasted_s[self.count] = self.lasted_s.get(self.count, 0.0) + t_s - self.since_s
        self.count, self.since_s = self.count + by, t_s

    def figures(self, t_s: float) -> dict[str, float]:
        """Return mean, 99th percentile (by time) and most nodes in repair at once until `t_s`."""
        lasted = dict(self.lasted_s)
        if t_s > self.since_s:
            lasted[self.count] = lasted.get(self.count, 0.0) + t_s - self.since_s
        if not lasted:
            return {"mean": float(self.count), "p99": self.count, "most": self.count}
        counts = np.array(sorted(lasted))
        spent_s = np.array([lasted[count] for count in counts.tolist()])
        share = np.cumsum(spent_s) / spent_s.sum()
        p99 = counts[min(int(np.searchsorted(share, 0.99)), len(counts) - 1)]
        return {
            "mean": float(counts @ spent_s / spent_s.sum()),
            "p99": int(p99),
            "most": int(counts.max()),
        }

    STATE = Row("down", StateField("count"), StateField("since_s"), Items("lasted_s", float, sort=True))


class FailureTally(Stateful):
    """Interruptions of jobs by cause, planned ones apart, and failures by cause whomever they hit."""

    def __init__(self, causes: tuple[Cause, ...]) -> None:
        self.unexpected: Counter[str] = Counter({c.id: 0 for c in causes if not c.planned})
        self.planned: Counter[str] = Counter({c.id: 0 for c in causes if c.planned})
        self.struck: Counter[str] = Counter({c.id: 0 for c in causes})

    def interrupted(self, cause: Cause | None, other: str = INJECTED) -> None:
        """Count the interruption of a job; `other`: under which name, where there is no cause."""
        planned = cause is not None and cause.planned
        (self.planned if planned else self.unexpected)[cause.id if cause else other] += 1

    STATE = Fields(*SharedCounts.each("unexpected", "planned", "struck"))
