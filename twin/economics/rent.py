"""Renting GPUs: what is billed, what a reclaim costs, and from which utilisation owning is cheaper.

Clouds bill whole shapes, for whole units of time and at least so many of them, lost work too. On spot a gang of n
shapes is reclaimed n times as often as one; where a checkpoint fits into the notice only the restart is lost, else also
the work since the last one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.checkpoint import renewal_ettr

HOUR_S = 3600.0
WAYS = ("on_demand", "reserved", "spot", "marketplace")
"""By the hour, given back when idle; paid all the time; by the hour, reclaimed at random: by a cloud, by hosts."""
BY_THE_HOUR = ("on_demand", "spot", "marketplace")
"""Ways in which idle GPUs are given back; what is reserved is paid all the time, as what is owned."""
RECLAIMED_WAYS = ("spot", "marketplace")


def shapes_for(gpus: ArrayLike, gpus_per_shape: int) -> Floats:
    """Return how many whole shapes hold some GPUs.

    Examples
    --------
    >>> shapes_for([1, 8, 9], 8).tolist()
    [1.0, 1.0, 2.0]
    """
    return np.ceil(np.asarray(gpus, np.float64) / gpus_per_shape)


def billed_s(duration_s: ArrayLike, unit_s: float, least_s: float) -> Floats:
    """Return the time that is billed for a use [s].

    Parameters
    ----------
    duration_s : array_like
        How long it lasts [s]; 0 is not billed.
    unit_s, least_s
        Unit in whole ones of which time is billed, and the least that is [s].

    Examples
    --------
    >>> billed_s([0.0, 10.0, 61.0], 60.0, 60.0).tolist()
    [0.0, 60.0, 120.0]
    """
    used = np.asarray(duration_s, np.float64)
    units = np.ceil(np.maximum(used, least_s) / unit_s - 1e-9) * unit_s
    return np.asarray(np.where(used > 0.0, units, 0.0), np.float64)


def kept_on_spot(
    gang: ArrayLike,
    reclaim_per_s: ArrayLike,
    notice_s: float,
    interval_s: float,
    write_s: float,
    restart_s: float,
) -> Floats:
    """Return the share of rented time that is kept work, on shapes that are reclaimed at random.

    Parameters
    ----------
    gang : array_like
        Shapes of which all are needed.
    reclaim_per_s : array_like
        Reclaims of one shape [1/s]; 0: as on demand.
    notice_s
        From the notice to the reclaim [s].
    interval_s, write_s, restart_s
        Work between checkpoints, blocking time of a write, from a reclaim to the first new step [s].

    Raises
    ------
    ValueError
        When the notice is longer than the mean time between reclaims of the gang.

    Notes
    -----
    With rate L = gang x reclaim: exp(-L R) tau / (tau + w) where a write fits into the notice; else the renewal form of
    failures, (tau L) exp(-R L) / (exp((tau + w) L) - 1).

    Examples
    --------
    >>> kept_on_spot(1, 0.0, 120.0, 1800.0, 20.0, 300.0).round(4).tolist()
    0.989
    """
    rate = np.asarray(gang, np.float64) * np.asarray(reclaim_per_s, np.float64)
    if np.any(rate * notice_s > 1.0):
        raise ValueError("the notice is longer than the mean time between reclaims")
    if write_s <= notice_s:
        return np.asarray(np.exp(-rate * restart_s) * interval_s / (interval_s + write_s), np.float64)
    return renewal_ettr(interval_s, write_s, restart_s, rate)


def rented_usd_gpu_h(
    hour_usd: Mapping[str, Floats], gpus: int, gpus_per_shape: int, utilisation: ArrayLike, kept: ArrayLike
) -> dict[str, Floats]:
    """Return what one useful GPU-hour costs to rent in each way that is asked for, samples last [USD].

    Parameters
    ----------
    hour_usd
        Of one shape and hour by some of `WAYS`, shape (samples,) each [USD].
    gpus, gpus_per_shape
        GPUs needed, of which whole shapes are rented.
    utilisation : array_like
        Share of the hours in which they are needed, shape (U,), above 0.
    kept : array_like
        Share of the time by one of `RECLAIMED_WAYS` that is kept work [-].

    Returns
    -------
    dict
        By way, shape (U, samples) each.
    """
    each = float(shapes_for(gpus, gpus_per_shape)) / gpus
    used = np.asarray(utilisation, np.float64)[..., None]
    share: dict[str, ArrayLike] = {"reserved": used, **dict.fromkeys(RECLAIMED_WAYS, kept)}
    flat = np.ones(used.shape)
    return {
        way: np.asarray(usd * each / np.asarray(share.get(way, 1.0), np.float64) * flat, np.float64)
        for way, usd in hour_usd.items()
    }
