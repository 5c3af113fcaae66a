"""Batteries: hold-up time, charging loss, peak shaving and ramp limiting."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

UPS_RECHARGE_SHARE = 0.1
"""Recharge power of a UPS over its rated output: ten times as long as the ride-through [estimated]."""

UPS_CHARGE_EFFICIENCY = 0.90
"""Energy into the battery of a UPS over what its input takes for it [estimated]."""


def one_way_efficiency(round_trip: float) -> float:
    """Efficiency of charging, and of discharging, that together make a round trip [-]: its square root."""
    return math.sqrt(round_trip)


def ride_through_s(energy_j: ArrayLike, drained_w: ArrayLike) -> Floats:
    """Time for which batteries last, or take to charge.

    Parameters
    ----------
    energy_j : array_like
        Stored, or missing [J].
    drained_w : array_like
        What leaves the store, or enters it, losses counted [W].

    Returns
    -------
    ndarray
        [s]; inf when nothing flows.
    """
    drained = np.asarray(drained_w, np.float64)
    lasts_s = np.full(np.broadcast(energy_j, drained).shape, np.inf)
    np.divide(energy_j, drained, out=lasts_s, where=drained > 0.0)
    return lasts_s


def smoothed_grid_w(
    load_w: float, before_w: float, step_w: float, peak_w: float, recharge_w: float = 0.0
) -> float:
    """Power that batteries with room and energy to spare let the grid see.

    Parameters
    ----------
    load_w : float
        What the site takes without them [W].
    before_w : float
        What the grid gave a moment ago [W].
    step_w : float
        Largest change since then: ramp limit times time [W]; inf: any.
    peak_w : float
        Highest power to take from the grid [W]; inf: any.
    recharge_w : float
        What the batteries would like to charge with [W]; it never lifts the grid above the peak.

    Returns
    -------
    float
        Grid power [W]; batteries discharge the load less this, or charge what it exceeds the load by.
    """
    wanted = load_w if load_w > peak_w else min(load_w + recharge_w, peak_w)
    ramped = min(max(wanted, before_w - step_w), before_w + step_w)
    return max(0.0, min(ramped, peak_w))
