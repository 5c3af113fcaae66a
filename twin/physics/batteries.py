"""Batteries: how long one carries a load, what charging loses, peak shaving and ramp limiting."""

from __future__ import annotations

import math

UPS_RECHARGE_SHARE = 0.1
"""Recharge power of a UPS over its rated output: ten times as long as the ride-through [estimated]."""

UPS_CHARGE_EFFICIENCY = 0.90
"""Energy into the battery of a UPS over what its input takes for it [estimated]."""


def one_way_efficiency(round_trip: float) -> float:
    """Efficiency of charging, and of discharging, that together make a round trip [-]: its square root."""
    return math.sqrt(round_trip)


def ride_through_s(energy_j: float, output_w: float, efficiency: float = 1.0) -> float:
    """Time for which a battery carries a constant load.

    Parameters
    ----------
    energy_j : float
        Stored [J].
    output_w : float
        Load at its terminals [W].
    efficiency : float
        Output over what leaves the store [-].

    Returns
    -------
    float
        [s]; inf without load.
    """
    return energy_j * efficiency / output_w if output_w > 0.0 else math.inf


def recharge_s(missing_j: float, input_w: float, efficiency: float) -> float:
    """Time until a battery is full [s]; inf when nothing charges it."""
    return missing_j / (input_w * efficiency) if input_w > 0.0 else math.inf


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
