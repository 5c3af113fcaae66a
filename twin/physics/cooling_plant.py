"""Chillers, towers and dry coolers: their water temperatures, and their power (PHYSICS.md section 4).

Pure functions of load, weather and set point, of one plant: a site has few, and they are asked at every thermal step.
Approaches are those of machines in good repair at their rated air and water flow; loads are shares of capacity, 0 to
about 1.5.
"""

import math

from twin.physics.hydraulics import ZERO_CELSIUS_K

EXCHANGER_APPROACH_K = 2.0
"""Facility supply over tower or cooler water, across their plate exchanger at full load [K] [est, PHYSICS 4]."""
TOWER_RATED_WET_C = 24.0
TOWER_COLD_PER_K = 0.035
"""Colder air takes up less vapour: the approach of a tower grows by so much for each K of wet bulb below the rated
[1/K] [recalled from tower performance charts: about double at 5 C]."""
TOWER_COLD_RANGE = (0.7, 2.5)
STILL_AIR_SHARE = 0.12
"""Capacity of a tower or cooler whose fans are stopped: natural draught [-] [recalled, 10-15 %]."""
PART_LOAD_LOSS = 0.10
"""Share of a chiller's full-load work that its part load does not save, at the same lift [-] [est]."""
LEAST_LIFT_K = 5.0
"""A compressor works against no less [K] [est]."""
OVERLOAD_PER_K = 0.03
"""More heat that a chiller lifts for each K of warmer water [1/K] [recalled, 2-4 %]."""


def tower_approach_k(load: float, wet_bulb_c: float, rated_k: float) -> float:
    """Water of a cooling tower over the wet bulb, fans at full speed [K].

    Proportional to the load, and larger in cold air. Valid for wet bulbs of -5 to 30 C and loads to 1.5.

    Parameters
    ----------
    load : float
        Heat over rated heat of the towers that run [-].
    wet_bulb_c : float
        [C].
    rated_k : float
        Approach at full load and a wet bulb of 24 C [K].
    """
    cold = math.exp(TOWER_COLD_PER_K * (TOWER_RATED_WET_C - wet_bulb_c))
    low, high = TOWER_COLD_RANGE
    return rated_k * max(load, 0.0) * min(max(cold, low), high)


def cooler_approach_k(load: float, rated_k: float) -> float:
    """Water of a dry cooler over the dry bulb, fans at full speed: proportional to the load [K]."""
    return rated_k * max(load, 0.0)


def fan_speed(approach_k: float, allowed_k: float) -> float:
    """Speed of tower or cooler fans that just hold the set point [-].

    The approach goes with 1/air flow, and air flow with speed, so the speed is the approach at full speed over the
    one that the set point leaves.
    """
    if approach_k <= 0.0:
        return 0.0
    if allowed_k <= approach_k:
        return 1.0
    return approach_k / allowed_k


def economiser_share(reach_c: float, set_point_c: float, return_c: float) -> float:
    """Share of the heat that the sky takes without the compressor, 0..1 [-].

    Whole while the sky makes water as cold as the set point, none when it cannot cool the return, and in between
    it precools the return.

    Parameters
    ----------
    reach_c : float
        Coldest facility water the sky can make now, approaches included [C].
    set_point_c, return_c : float
        Facility supply wanted, and return [C].
    """
    if reach_c <= set_point_c:
        return 1.0
    range_k = return_c - set_point_c
    return max(0.0, 1.0 - (reach_c - set_point_c) / range_k) if range_k > 0.0 else 0.0


def compressor_w(
    heat_w: float, full_w: float, evaporator_c: float, condenser_c: float, share: float
) -> float:
    """Work of chillers for a heat at their lift and part load [W].

    COP = share of Carnot's T_ev / (T_cd - T_ev), lift at least 5 K, times part load x / ((1 - a) x + a).

    Parameters
    ----------
    heat_w, full_w : float
        Heat they lift, and rated heat of the machines that run [W].
    evaporator_c, condenser_c : float
        [C].
    share : float
        COP over Carnot's at full load, 0.55 of usual machines [-].
    """
    if heat_w <= 0.0:
        return 0.0
    load = min(heat_w / full_w, 1.0)
    lift_k = max(condenser_c - evaporator_c, LEAST_LIFT_K)
    kelvin = evaporator_c + ZERO_CELSIUS_K
    cop = share * kelvin / lift_k * load / ((1.0 - PART_LOAD_LOSS) * load + PART_LOAD_LOSS)
    return heat_w / cop


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


def exchanger_ua_w_k(heat_w: float, approach_k: float, hot_rise_k: float, cold_rise_k: float) -> float:
    """UA of a counterflow exchanger that moves a heat at an approach [W/K].

    Parameters
    ----------
    heat_w : float
        [W].
    approach_k : float
        Hot side out over cold side in [K].
    hot_rise_k, cold_rise_k : float
        By how much the hot side cools and the cold side warms [K].

    Raises
    ------
    ValueError
        When the cold side would leave warmer than the hot side comes in.
    """
    hot_end_k = approach_k + hot_rise_k - cold_rise_k
    if approach_k <= 0.0 or hot_end_k <= 0.0:
        raise ValueError(
            f"an approach of {approach_k:g} K is too small for water that warms by {cold_rise_k:g} K"
        )
    same = abs(hot_end_k - approach_k) < 1e-9 * approach_k
    mean_k = approach_k if same else (hot_end_k - approach_k) / math.log(hot_end_k / approach_k)
    return heat_w / mean_k
