"""How fast a job steps, and on what each second of it is spent."""

from __future__ import annotations

from dataclasses import dataclass

from twin.arrays import Floats
from twin.sim.core.ledger import INDEX
from twin.sim.jobs.work import Work

RERATE = 1e-6
"""Relative change of step time that is worth a new plan of the job's next event: less is rounding."""


@dataclass
class Pace:
    """How fast a job steps now, and on what each second is spent.

    Parameters
    ----------
    step_s
        Time of one step [s].
    share
        Fraction of each second by account; sums to one.
    """

    step_s: float
    share: Floats


def pace_of(work: Work, slower_s: dict[str, float]) -> Pace:
    """Return the pace of `work` when the named accounts add (or, if negative, save) time to each step [s].

    Capacity that nobody asks for takes up what is added, so a service is late only when it has none left.
    """
    parts = work.parts.copy()
    spare = INDEX["idle_no_load"]
    if parts[spare] > 0:
        parts[spare] -= min(parts[spare], sum(slower_s.values()))
    for account, seconds in slower_s.items():
        parts[INDEX[account if seconds >= 0 else "productive"]] += seconds
    step_s = float(parts.sum())
    return Pace(step_s, parts / step_s)
