"""Renting GPUs: what is billed, what a reclaim costs, and from which utilisation owning is cheaper.

Clouds bill whole shapes, for whole units of time and at least so many of them, lost work too. On spot a gang of n
shapes is reclaimed n times as often as one; where a checkpoint fits into the notice only the restart is lost, else also
the work since the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.checkpoint import renewal_ettr

HOUR_S = 3600.0


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


@dataclass(frozen=True)
class RentTerms:
    """Prices of one shape and hour in samples, shape (samples,) each [USD].

    Parameters
    ----------
    on_demand
        By the hour, given back when idle.
    reserved
        Paid all the time.
    spot
        By the hour, reclaimed at random.
    """

    on_demand: Floats
    reserved: Floats
    spot: Floats


def rented_usd_gpu_h(
    terms: RentTerms, gpus: int, gpus_per_shape: int, utilisation: ArrayLike, kept: ArrayLike
) -> dict[str, Floats]:
    """Return what one useful GPU-hour costs to rent in each way, samples last [USD].

    Parameters
    ----------
    terms
        Of a shape.
    gpus, gpus_per_shape
        GPUs needed, of which whole shapes are rented.
    utilisation : array_like
        Share of the hours in which they are needed, shape (U,), above 0.
    kept : array_like
        Share of spot time that is kept work [-].

    Returns
    -------
    dict
        "on_demand", "reserved", "spot", shape (U, samples) each.
    """
    each = float(shapes_for(gpus, gpus_per_shape)) / gpus
    used = np.asarray(utilisation, np.float64)[..., None]
    flat = np.ones(used.shape)
    return {
        "on_demand": np.asarray(terms.on_demand * each * flat, np.float64),
        "reserved": np.asarray(terms.reserved * each / used, np.float64),
        "spot": np.asarray(terms.spot * each / np.asarray(kept, np.float64) * flat, np.float64),
    }
