"""Sources on site: generators that start and take up load, and the order in which sources share a load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

OVERLOAD = 1.1
"""What an engine carries above its rating for an hour in twelve (ISO 8528-1 prime power) [-] [recalled]."""


def accepted_w(capacity_w: ArrayLike, accept_s: ArrayLike, since_s: ArrayLike) -> Floats:
    """Load that a generator can carry a time after it runs, linear up to its rating [W].

    Parameters
    ----------
    capacity_w : array_like
        Rating [W].
    accept_s : array_like
        From running to full load [s]; 0: at once.
    since_s : array_like
        Time since it runs [s]; negative: it does not yet.
    """
    since, whole = np.asarray(since_s, dtype=np.float64), np.asarray(accept_s, dtype=np.float64)
    share = np.where(whole > 0, np.clip(since / np.where(whole > 0, whole, 1.0), 0.0, 1.0), 1.0)
    result: Floats = np.where(since >= 0, np.asarray(capacity_w) * share, 0.0)
    return result


def acceptance_at_s(
    demand_w: float, base_w: float, capacity_w: ArrayLike, accept_s: ArrayLike, ready_s: ArrayLike
) -> float:
    """Earliest time at which generators together with a constant source can carry a load.

    Parameters
    ----------
    demand_w : float
        Load [W].
    base_w : float
        What others give at any time [W].
    capacity_w, accept_s, ready_s : array_like
        Rating [W], time from running to full load [s] and time at which it runs [s] of each generator.

    Returns
    -------
    float
        [s]; inf when they never can.
    """
    rating, ramp = np.asarray(capacity_w, float), np.asarray(accept_s, float)
    ready = np.asarray(ready_s, float)
    need = demand_w - base_w
    if need <= 0:
        return float(ready.min()) if base_w <= 0 and len(ready) else 0.0
    times = np.unique(np.concatenate([ready, ready + ramp]))
    given = np.array([accepted_w(rating, ramp, t - ready).sum() for t in times])
    enough = np.flatnonzero(given >= need * (1 - 1e-12))
    if not len(enough):
        return float("inf")
    k = int(enough[0])
    if k == 0:
        return float(times[0])
    # Ramps are straight between the times; what jumps (ramps of 0 s) does so at the later one.
    just_before = accepted_w(rating, ramp, times[k] * (1 - 1e-15) - ready).sum()
    rising = min(float(just_before), float(given[k]))
    if rising < need:
        return float(times[k])
    share = (need - given[k - 1]) / (rising - given[k - 1])
    return float(times[k - 1] + share * (times[k] - times[k - 1]))


def dispatched_w(demand_w: float, available_w: Sequence[float]) -> list[float]:
    """Share a load out among sources in their order; each gives what it can of what is left [W]."""
    left, given = max(demand_w, 0.0), []
    for most in available_w:
        share_w = min(left, max(most, 0.0))
        given.append(share_w)
        left -= share_w
    return given
