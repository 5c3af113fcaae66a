"""How many spare nodes were free over a run, and how long it took until so many were free again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.physics.reliability import REPAIR_CLASS, REPAIR_CLASSES
from twin.record.reader import Reader
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS

_POINTS = 20_000
"""Samples of a run that are looked at: all but of the longest."""


@dataclass(frozen=True)
class SpareHistory:
    """Free spare nodes of a run.

    Attributes
    ----------
    free
        At each sample; the number holds until the next one, shape (S,).
    lasts_s
        Time from each sample to the next, the last to the end of the run [s], shape (S,).
    switch_repair_s, switch_hands_s
        Median time to repair a switch, and how long a technician on site takes [s].
    """

    free: Floats
    lasts_s: Floats
    switch_repair_s: float
    switch_hands_s: float

    @property
    def least(self) -> int:
        """Return the fewest that were free."""
        return int(self.free.min())

    @property
    def median(self) -> int:
        """Return how many were free for half of the time, or more."""
        order = np.argsort(self.free)[::-1]
        lasted_s = np.cumsum(self.lasts_s[order])
        return int(self.free[order][np.searchsorted(lasted_s, 0.5 * lasted_s[-1])])

    def share(self, count: int) -> float:
        """Return the part of the time in which so many or more were free [-]."""
        return float(self.lasts_s[self.free >= count].sum() / self.lasts_s.sum())

    def wait_s(self, count: int) -> tuple[float, bool]:
        """Return how long it took in the mean of the moments with fewer until so many were free [s].

        And whether some of them lasted to the end of the run: then it is at least that.
        """
        short, sum_s2, later_s = self.free < count, 0.0, 0.0
        for few, lasts_s in zip(short[::-1].tolist(), self.lasts_s[::-1].tolist(), strict=True):
            if few:
                sum_s2 += lasts_s * (later_s + 0.5 * lasts_s)
                later_s += lasts_s
            else:
                later_s = 0.0
        whole_s = float(self.lasts_s[short].sum())
        return (sum_s2 / whole_s if whole_s else 0.0), bool(short[-1])


def spare_history(reader: Reader, scenario: Scenario) -> SpareHistory | None:
    """Return the free spare nodes of a run; None: it has none, or has recorded none."""
    found = reader.series(0, "site.spares", points=_POINTS)
    free, lasts_s = np.asarray(found.low, np.float64), np.diff(found.t_s, append=reader.t_end_s)
    known = np.isfinite(free) & (lasts_s > 0.0)
    if not free[known].any():
        return None
    fault = KINDS["fail"]
    return SpareHistory(free[known], lasts_s[known], switch_repair_s(scenario), fault.hands_s["switch"])


def switch_repair_s(scenario: Scenario) -> float:
    """Return the median time to repair a switch that failed [s]."""
    if scenario.failures.repair_constant_s is not None:
        return scenario.failures.repair_constant_s
    repair = KINDS["fail"].drawn_by_class["switch"]
    return REPAIR_CLASSES[REPAIR_CLASS[repair]].repair.median_s
