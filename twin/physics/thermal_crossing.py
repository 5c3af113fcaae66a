"""Limits that a step passes: how near it comes to them, and the moment of the first one it passes.

What acts on a limit acts when it is passed, so a step ends there. The moment is sought on the step itself, taken again
to other ends, not on a straight line between its ends. Temperatures that are bound to pass a limit are followed finer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats

STEPS_AHEAD = 8.0
"""A temperature heads for a limit when it would pass it within so many more steps like the last one."""
HEADING_TOL_K = 0.002
"""Error estimate of a step at temperatures that are bound to pass a limit; of others it is a hundred times that [K]."""
REST_K = 0.5
"""What would come to rest nearer than this to a limit may pass it: sinks are not quite as they will be [K]."""
PAST_K = 1e-5
"""A step that is cut at a limit ends this far beyond it, so that whoever looks finds it passed [K]."""
CLOSE_S = 1e-3
"""Moments closer than this are the same; no step that is cut is shorter [s]."""
MOST_TRIALS = 60


class Band(NamedTuple):
    """Temperatures between which nothing happens, of all unknowns above the groups, shape (U,) [C]."""

    low_c: Floats
    high_c: Floats

    def heading(self, before_c: Floats, after_c: Floats) -> Bools | None:
        """Return the temperatures that leave the band within the next steps, judged by the last; None: none do."""
        ahead_c = after_c - before_c
        ahead_c *= STEPS_AHEAD
        ahead_c += after_c
        leaving = ahead_c > self.high_c
        leaving |= ahead_c < self.low_c
        return leaving if np.count_nonzero(leaving) else None

    def excess_k(self, upper_c: Floats) -> Floats:
        """Return how far each temperature is outside, negative inside [K]."""
        result: Floats = np.maximum(upper_c - self.high_c, self.low_c - upper_c)
        return result


def first_passed_s(
    excess_at: Callable[[float], Floats], begin_s: float, end_s: float, before_k: Floats, after_k: Floats
) -> float:
    """Return when the first of several limits is passed within a step, at most `PAST_K` or `CLOSE_S` late [s].

    Parameters
    ----------
    excess_at : callable
        How far everything watched is past its limit at a time within the step [K].
    begin_s, end_s : float
        Of the step [s].
    before_k, after_k : ndarray
        The same at its ends; some of `after_k` are positive [K].
    """
    low_s, high_s, low_k, high_k = begin_s, end_s, before_k, after_k
    past_k = high_k
    side = 0
    for trial in range(MOST_TRIALS):
        over = past_k > 0.0
        if high_s - low_s <= CLOSE_S or float(past_k[over].max()) <= 2 * PAST_K:
            break
        rise_k = np.maximum(high_k[over] - low_k[over], 1e-12)
        share = float(np.minimum.reduce((PAST_K - low_k[over]) / rise_k))
        share = 0.5 if trial % 3 == 2 else min(max(share, 0.0), 1.0)  # bent curves are halved now and then
        trial_s = low_s + share * (high_s - low_s)
        trial_s = min(max(trial_s, low_s + CLOSE_S / 2), high_s - CLOSE_S / 2)
        trial_k = excess_at(trial_s)
        if np.count_nonzero(trial_k > 0.0):
            high_s, high_k, past_k = trial_s, trial_k, trial_k
            low_k = np.where(low_k < 0.0, low_k / 2, low_k) if side > 0 else low_k
            side = 1
        else:
            low_s, low_k = trial_s, trial_k
            high_k = np.where(high_k > 0.0, high_k / 2, high_k) if side < 0 else high_k
            side = -1
    return max(high_s, begin_s + CLOSE_S)
