"""Circuit breakers: inverse-time thermal trip with memory, and magnetic trip at once.

The thermal element is an accumulator h that trips at 1 and follows dh/dt = ((I/In)^2 - 1) / K, never below 0: at a
constant overload from cold it trips after t = K / ((I/In)^2 - 1) (PHYSICS 5), below the rating it cools at the same
law. Current stands for power over rated power: voltage is held.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

MAGNETIC_S = 0.02
"""Time of a magnetic trip: one cycle of 50 Hz [s] [estimated]."""


def trip_time_s(
    current_ratio: ArrayLike,
    thermal_s: ArrayLike,
    magnetic_ratio: ArrayLike = 7.0,
    magnetic_s: float = MAGNETIC_S,
    heat: ArrayLike = 0.0,
) -> Floats:
    """Time until a breaker trips at constant current: K (1 - h) / ((I/In)^2 - 1), at once when magnetic.

    Parameters
    ----------
    current_ratio : array_like
        Current over rated current [-].
    thermal_s : array_like
        Thermal constant K [s].
    magnetic_ratio : array_like
        Instantaneous trip over rated current, 5 to 10 [-].
    magnetic_s : float
        Time of an instantaneous trip [s].
    heat : array_like
        Accumulated heat h, 0 cold to 1 tripping [-].

    Returns
    -------
    ndarray
        [s]; inf at or below the rated current.
    """
    ratio = np.asarray(current_ratio, dtype=np.float64)
    over = ratio**2 - 1.0
    left = np.asarray(thermal_s, dtype=np.float64) * np.maximum(1.0 - np.asarray(heat, dtype=np.float64), 0.0)
    thermal = np.where(over > 0.0, left / np.where(over > 0.0, over, 1.0), np.inf)
    magnetic = ratio >= np.asarray(magnetic_ratio, dtype=np.float64)
    return np.where(magnetic, np.minimum(thermal, magnetic_s), thermal)


def heated(heat: ArrayLike, current_ratio: ArrayLike, thermal_s: ArrayLike, dt_s: float) -> Floats:
    """Heat of breakers after a time at constant current.

    Parameters
    ----------
    heat : array_like
        Accumulated heat h before [-].
    current_ratio : array_like
        Current over rated current [-].
    thermal_s : array_like
        Thermal constant K [s].
    dt_s : float
        Time [s].

    Returns
    -------
    ndarray
        h afterwards, not below 0; it trips at 1 [-].
    """
    rate = (np.asarray(current_ratio, dtype=np.float64) ** 2 - 1.0) / np.asarray(thermal_s, dtype=np.float64)
    result: Floats = np.maximum(np.asarray(heat, dtype=np.float64) + rate * dt_s, 0.0)
    return result
