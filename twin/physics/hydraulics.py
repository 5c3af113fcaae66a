"""Pumps, exchangers and flows of coolant loops, facility water and air (PHYSICS.md section 4)."""

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

WATER_W_K_PER_LPM = 69.6
"""Heat capacity flow of 1 lpm of water at 20 C [W/K]."""
PG25_W_K_PER_LPM = 67.2
"""Same for 25 % propylene glycol [W/K]."""
AIR_DENSITY_KG_M3 = 1.19
AIR_CP_J_KG_K = 1006.0
M3_S_PER_CFM = 4.719474e-4
M3_S_PER_LPM = 1.0 / 60e3
ZERO_CELSIUS_K = 273.15

COAST_TAU_S = 4.0
COAST_END = 0.02
"""A pump that lost power coasts down to this flow fraction with this time constant."""
PUMP_CURVE_STEEPNESS = (1.0 - 0.72**2) / (0.72**2 - 0.25)
"""Pump curve over system curve k/r of a pair of CDU pumps [-]: one of two left gives 72 % flow."""
DOOR_WITHOUT_FANS = 0.6
"""Air through a rear door whose own fans are stopped: the nodes' fans push the rest [-] [est]."""


def coast_flow_fraction(
    elapsed_s: ArrayLike, start: float = 1.0, target: float = COAST_END, tau_s: float = COAST_TAU_S
) -> Floats:
    """Flow after a pump changes speed: target + (start - target) e^{-t/tau} [-].

    Parameters
    ----------
    elapsed_s : array_like
        Time since the change [s].
    start, target : float
        Flow fraction before and at last [-].
    tau_s : float
        Time constant of rotor and water column [s].
    """
    result: Floats = target + (start - target) * np.exp(-np.asarray(elapsed_s, dtype=np.float64) / tau_s)
    return result


def pump_power_w(flow_m3_s: ArrayLike, pressure_pa: ArrayLike, efficiency: ArrayLike = 0.6) -> Floats:
    """Shaft to electric power of a pump: V dp / eta, eta 0.5 to 0.65 [W]."""
    hydraulic = np.asarray(flow_m3_s, dtype=np.float64) * np.asarray(pressure_pa, dtype=np.float64)
    result: Floats = hydraulic / np.asarray(efficiency, dtype=np.float64)
    return result


def parallel_flow_fraction(
    running: ArrayLike, installed: ArrayLike, steepness: float = PUMP_CURVE_STEEPNESS
) -> Floats:
    """Flow of some of several equal parallel pumps over the flow of all, at fixed speed [-].

    Pump head h0 - k q^2 against a system r V^2 gives V = sqrt(h0 / (r + k/n^2)); `steepness` is k/r.
    """
    run = np.asarray(running, dtype=np.float64)
    all_of = np.asarray(installed, dtype=np.float64)
    share = np.sqrt((1.0 + steepness / all_of**2) / (1.0 + steepness / np.maximum(run, 1.0) ** 2))
    return np.where(run > 0.0, share, 0.0)


def recovery_speed(flow_share: ArrayLike) -> Floats:
    """Speed of the pumps that are left, over their usual one, at which the whole flow is back [-].

    V ~ n on an unchanged system curve: pumps that give a share of the flow make up for it at 1/share.
    """
    result: Floats = 1.0 / np.maximum(np.asarray(flow_share, dtype=np.float64), 1e-9)
    return result


def restricted_flow(flow: ArrayLike, left: ArrayLike) -> Floats:
    """Flow of a loop, over design, once a restriction is in series that alone leaves a share of design flow [-].

    Every loss of head goes with V^2, that inside the pumps too, and losses in series add up:
    1/V^2 = 1/flow^2 + 1/left^2 - 1.

    Parameters
    ----------
    flow : array_like
        Without the restriction, such as that of the pumps that run [-].
    left : array_like
        What the restriction leaves of design flow with all pumps; 0: it lets nothing through [-].
    """
    before, share = np.asarray(flow, dtype=np.float64), np.asarray(left, dtype=np.float64)
    both = np.sqrt(share**2 + before**2 * (1.0 - share**2))
    result: Floats = (
        before * share / np.maximum(both, np.finfo(np.float64).tiny)
    )  # nothing of nothing is nothing
    return result


def manifold_flow(opening: ArrayLike, supply_share: float = 0.5) -> tuple[Floats, float]:
    """Flow of the branches of a manifold over their design flow, and of all together over design.

    Branches in parallel hang between two headers; each lets through opening x sqrt(dp). A share of the pump's head is
    lost before the headers, with the square of the whole flow. A branch that its valves shut leaves the others a
    little more: s + (1 - s) m^2 = constant, where m is the mean opening.

    Parameters
    ----------
    opening : array_like, shape (B,)
        1: free, 0: shut by its valves.
    supply_share : float
        Share of the pump's head that the branches take at design; the rest is lost on the way [-] [est].

    Returns
    -------
    ndarray, float
        Flow of each branch [-], and whole flow [-]. All zero where every branch is shut.
    """
    free = np.asarray(opening, dtype=np.float64)
    mean = float(free.mean()) if free.size else 0.0
    gain = 1.0 / np.sqrt(supply_share + (1.0 - supply_share) * mean**2)
    branches: Floats = free * gain
    return branches, mean * float(gain)


def counterflow_effectiveness(ntu: ArrayLike, ratio: ArrayLike) -> Floats:
    """Effectiveness of a counterflow exchanger.

    Parameters
    ----------
    ntu : array_like
        UA over the smaller heat capacity flow [-].
    ratio : array_like
        Smaller over larger heat capacity flow, 0..1 [-].

    Returns
    -------
    ndarray
        (1 - e^{-NTU(1-C)}) / (1 - C e^{-NTU(1-C)}); NTU/(1+NTU) at C = 1 [-].
    """
    n, c = np.asarray(ntu, dtype=np.float64), np.asarray(ratio, dtype=np.float64)
    balanced = 1.0 - c < 1e-9
    decay = np.exp(-n * (1.0 - c))
    counter = (1.0 - decay) / np.where(balanced, 1.0, 1.0 - c * decay)
    return np.where(balanced, n / (1.0 + n), counter)


def convection_w_k(flow_fraction: ArrayLike, design_w_k: ArrayLike, stagnant_w_k: ArrayLike = 0.0) -> Floats:
    """Convective conductance of a cold plate: G_design phi^0.8 + G_stagnant [W/K]."""
    phi = np.asarray(flow_fraction, dtype=np.float64)
    result: Floats = np.asarray(design_w_k) * phi**0.8 + np.asarray(stagnant_w_k)
    return result


def coolant_rise_k(heat_w: ArrayLike, flow_lpm: ArrayLike, w_k_per_lpm: float = WATER_W_K_PER_LPM) -> Floats:
    """Temperature rise of a coolant: 150 lpm of water for 100 kW give 9.6 K [K]."""
    result: Floats = np.asarray(heat_w, dtype=np.float64) / (np.asarray(flow_lpm) * w_k_per_lpm)
    return result


def air_rise_k(heat_w: ArrayLike, flow_m3_s: ArrayLike) -> Floats:
    """Temperature rise of air through a chassis: P / (rho c_p V) [K]."""
    capacity = AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K * np.asarray(flow_m3_s, dtype=np.float64)
    result: Floats = np.asarray(heat_w, dtype=np.float64) / capacity
    return result


def inlet_over_supply_k(rise_k: ArrayLike, recirculation: ArrayLike) -> Floats:
    """Inlet air over the air handlers' supply, from the rise through the nodes [K]: r / (1 - r) of it."""
    share = np.asarray(recirculation, dtype=np.float64)
    result: Floats = np.asarray(rise_k, dtype=np.float64) * share / (1.0 - share)
    return result


def coil_share(effectiveness: ArrayLike, recirculation: ArrayLike) -> Floats:
    """Share of a coil's conductance between node exhaust and facility water that recirculation leaves [-].

    As much supply air as exhaust comes round passes by the nodes, so the coil sees air less warm than their exhaust:
    q = eps W (T_return - T_water) with T_return = T_exhaust - r/(1-r) q/W gives the factor 1 / (1 + eps r/(1-r)).

    Parameters
    ----------
    effectiveness : array_like
        Of the coil, over the nodes' air flow [-].
    recirculation : array_like
        Share of the inlet air that is exhaust, 0 <= r < 1 [-].
    """
    share = np.asarray(recirculation, dtype=np.float64)
    result: Floats = 1.0 / (1.0 + np.asarray(effectiveness, dtype=np.float64) * share / (1.0 - share))
    return result
