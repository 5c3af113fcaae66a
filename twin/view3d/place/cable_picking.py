"""Which cables are under the pointer: a ray against the lines of the trays, then against the pieces of those met."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from twin.arrays import Floats
from twin.plant.geometry import TrayBundles
from twin.plant.tray_runs import CableRuns

SLACK_RAD = 0.0012
"""Thin cables are met this far beside them, about a pixel and a half: people point roughly."""


class CablePicker:
    """Answers rays for the cables of one epoch of a plant.

    Parameters
    ----------
    drawn, runs
        Lines and their pieces; all run along an axis.
    """

    def __init__(self, drawn: TrayBundles, runs: CableRuns) -> None:
        radius_m = drawn.radius_m[runs.line][:, None]
        self._low = np.minimum(runs.start_m, runs.stop_m) - radius_m
        self._high = np.maximum(runs.start_m, runs.stop_m) + radius_m
        # Lines of a tray are one group, drops of the racks under it another.
        key = np.stack([drawn.hall, drawn.row, (drawn.rack >= 0).astype(np.int32)], axis=1)[runs.line]
        _, group = np.unique(key, axis=0, return_inverse=True)
        group = group.reshape(-1)
        order = np.argsort(group, kind="stable")
        order = order[runs.used[order]]
        groups = int(group.max(initial=-1)) + 1
        first = np.searchsorted(group[order], np.arange(groups + 1))
        self._members = [order[a:b] for a, b in pairwise(first.tolist()) if b > a]
        self._group_low = np.array([self._low[m].min(axis=0) for m in self._members]).reshape(-1, 3)
        self._group_high = np.array([self._high[m].max(axis=0) for m in self._members]).reshape(-1, 3)

    def pick(self, origin: Floats, direction: Floats, reach_m: float = np.inf) -> tuple[int, float] | None:
        """Return the first piece on a ray and its distance [m]; None when there is none within reach.

        Parameters
        ----------
        origin, direction
            Start [m] and unit vector, shape (3,).
        reach_m
            Only pieces nearer than this.
        """
        met = np.isfinite(_enter_m(self._group_low, self._group_high, origin, direction))
        if not met.any():
            return None
        pieces = np.concatenate([self._members[k] for k in np.flatnonzero(met)])
        enter_m = _enter_m(self._low[pieces], self._high[pieces], origin, direction)
        nearest = int(enter_m.argmin())
        if not enter_m[nearest] < reach_m:
            return None
        return int(pieces[nearest]), float(enter_m[nearest])


def _enter_m(low: Floats, high: Floats, origin: Floats, direction: Floats) -> Floats:
    """Return where a ray enters boxes, a little swollen with their distance [m]; inf where it does not."""
    away_m = np.linalg.norm(np.maximum(np.maximum(low - origin, origin - high), 0.0), axis=1)[:, None]
    slack_m = away_m * SLACK_RAD
    slope = 1.0 / np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    near, far = (low - slack_m - origin) * slope, (high + slack_m - origin) * slope
    enter_m = np.minimum(near, far).max(axis=1)
    leave_m = np.maximum(near, far).min(axis=1)
    return np.where((leave_m >= enter_m) & (enter_m > 0.0), enter_m, np.inf)
