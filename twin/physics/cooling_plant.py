"""Chillers, towers and dry coolers: what water they can make, and what they draw for it (PHYSICS.md section 4).

Pure functions of load, weather and set point. Approaches are those of machines in good repair at their rated air and
water flow; loads are shares of capacity, 0 to about 1.5.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

EXCHANGER_APPROACH_K = 2.0
"""Facility supply over tower or cooler water, across their plate exchanger at full load [K] [est, PHYSICS 4]."""
TOWER_RATED_WET_C = 24.0
TOWER_COLD_PER_K = 0.035
"""Colder air takes up less vapour: the approach of a tower grows by so much for each K of wet bulb below the rated
[1/K] [recalled from tower performance charts: about double at 5 C]."""
TOWER_COLD_RANGE = (0.7, 2.5)
LEAST_FAN_SPEED = 0.2
"""Fans of towers and coolers run no slower; below that they cycle [-] [est]."""
STILL_AIR_SHARE = 0.12
"""Capacity of a tower or cooler whose fans stand still: natural draught [-] [recalled, 10-15 %]."""
PART_LOAD_LOSS = 0.10
"""Share of a chiller's full-load work that its part load does not save, at the same lift [-] [est]."""
OVERLOAD_PER_K = 0.03
"""More heat that a chiller lifts for each K of warmer water [1/K] [recalled, 2-4 %]."""


def tower_approach_k(load: ArrayLike, wet_bulb_c: ArrayLike, rated_k: float) -> Floats:
    """Water of a cooling tower over the wet bulb, fans at full speed [K].

    Proportional to the load, and larger in cold air. Valid for wet bulbs of -5 to 30 C and loads to 1.5.

    Parameters
    ----------
    load : array_like
        Heat over rated heat of the towers that run [-].
    wet_bulb_c : array_like
        [C].
    rated_k : float
        Approach at full load and a wet bulb of 24 C [K].
    """
    colder_k = TOWER_RATED_WET_C - np.asarray(wet_bulb_c, dtype=np.float64)
    cold = np.clip(np.exp(TOWER_COLD_PER_K * colder_k), *TOWER_COLD_RANGE)
    result: Floats = rated_k * np.maximum(np.asarray(load, dtype=np.float64), 0.0) * cold
    return result


def cooler_approach_k(load: ArrayLike, rated_k: float) -> Floats:
    """Water of a dry cooler over the dry bulb, fans at full speed: proportional to the load [K]."""
    result: Floats = rated_k * np.maximum(np.asarray(load, dtype=np.float64), 0.0)
    return result


def fan_speed(approach_k: ArrayLike, allowed_k: ArrayLike) -> Floats:
    """Speed of tower or cooler fans that just hold the set point [-].

    The approach goes with 1/air flow, and air flow with speed, so the speed is the approach at full speed over the
    one that the set point leaves; never below `LEAST_FAN_SPEED`.
    """
    allowed = np.maximum(np.asarray(allowed_k, dtype=np.float64), 1e-6)
    speed = np.asarray(approach_k, dtype=np.float64) / allowed
    result: Floats = np.clip(speed, LEAST_FAN_SPEED, 1.0)
    return result


def economiser_share(reach_c: ArrayLike, set_point_c: ArrayLike, return_c: ArrayLike) -> Floats:
    """Share of the heat that the sky takes without the compressor, 0..1 [-].

    Whole while the sky makes water as cold as the set point, none when it cannot cool the return, and in between
    it precools the return.

    Parameters
    ----------
    reach_c : array_like
        Coldest facility water the sky can make now, approaches included [C].
    set_point_c, return_c : array_like
        Facility supply wanted, and return [C].
    """
    reach, wanted = np.asarray(reach_c, dtype=np.float64), np.asarray(set_point_c, dtype=np.float64)
    range_k = np.maximum(np.asarray(return_c, dtype=np.float64) - wanted, 1e-6)
    result: Floats = np.where(reach <= wanted, 1.0, np.clip(1.0 - (reach - wanted) / range_k, 0.0, 1.0))
    return result


def part_load_factor(load: ArrayLike) -> Floats:
    """COP of a chiller at part load over that at full load and the same lift [-]: load / ((1 - a) load + a)."""
    share = np.clip(np.asarray(load, dtype=np.float64), 0.0, 1.0)
    result: Floats = share / ((1.0 - PART_LOAD_LOSS) * share + PART_LOAD_LOSS)
    return result


def machines_on(heat_w: float, unit_w: float, available: int) -> int:
    """Chillers that run for a heat: as few as can carry it, at least one while there is any heat."""
    if available <= 0 or heat_w <= 0.0:
        return 0
    return min(available, max(1, math.ceil(heat_w / unit_w - 1e-9)))


def overload_k(heat_w: float, capacity_w: float) -> float:
    """Facility supply over its set point once the heat is above what the chillers lift at it [K].

    A chiller lifts `OVERLOAD_PER_K` more for each K of warmer water, so the water settles that much warmer.
    """
    if capacity_w <= 0.0 or heat_w <= capacity_w:
        return 0.0
    return (heat_w / capacity_w - 1.0) / OVERLOAD_PER_K


def make_up_m3_j(evaporation_m3_j: ArrayLike, cycles: ArrayLike) -> Floats:
    """Water that a tower takes in for a heat: evaporation and blow-down [m3/J].

    What is blown down carries the salts away: at `cycles` of concentration (> 1) it is evaporation / (cycles - 1).
    """
    n = np.asarray(cycles, dtype=np.float64)
    result: Floats = np.asarray(evaporation_m3_j, dtype=np.float64) * n / (n - 1.0)
    return result
