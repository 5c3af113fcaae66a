"""How long repairs take, honest where some are still open: those that have ended are the short ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RepairTime:
    """Repair times of a run.

    Parameters
    ----------
    ended, open
        How many repairs have ended, and how many have not.
    ended_s
        Mean of those that have ended [s]; None: none has, or nobody knows.
    at_least_s
        Mean of all that have begun, those still open counted up to now: the mean time to repair is this or more [s].
        Without open ones it is the mean. None: nothing has begun, or nobody knows.
    """

    ended: int
    open: int
    ended_s: float | None
    at_least_s: float | None


def repair_time(summary: Mapping[str, Any]) -> RepairTime | None:
    """Return the repair times of a run from its summary; None: an older program made it."""
    repairs, down = summary.get("repairs"), summary.get("failures", {}).get("down")
    if not repairs or down is None:
        return None
    ended, still = int(repairs["done"]), int(repairs["open"])
    at_least_s = repairs["mean_down_s"]
    if still:
        in_repair_s = float(down["mean"]) * float(summary["simulated_s"])  # of all nodes together
        at_least_s = in_repair_s / (ended + still)
    return RepairTime(ended, still, repairs["mean_down_s"], at_least_s)
