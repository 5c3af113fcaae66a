"""Random draws that belong to a component, and repair times with their published heavy tail.

Every draw is a counter hash of (seed, component id, stream, k): an intervention, a move or another rack
leaves all other draws alone, and the order of evaluation does not matter.
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats, UInts64
from twin.physics.hydraulics import ZERO_CELSIUS_K
from twin.physics.normal import normal_cdf, normal_quantile

LEMON_SHAPE = 0.93
"""Gamma shape of the node-to-node spread of failure rates (PHYSICS 6) [-]."""
LONGEST_REPAIR_S = 349 * 86400.0
"""Length of the InfiniteHBD trace [s]."""
MEAN_SLACK = 0.03
"""A class whose mean asks for a tail this much below p90 itself gets none: rounding of a few faults [-]."""
BOLTZMANN_EV_K = 8.617333262e-5
"""Boltzmann constant [eV/K], exact by the definition of the SI."""
MAINTENANCE_S = 4 * 3600.0
"""Planned work on a node [est] [s]."""
REPAIR_CLASS: MappingProxyType[str, str] = MappingProxyType(
    {
        "gpu": "gpu",
        "cable": "parameter_plane_cable",
        "nic": "nic",
        "fan": "fan",
        "power_supply": "power_supply",
        "motherboard": "motherboard",
        "cpu": "cpu",
    }
)
"""Class of the published repair times by what a scenario calls it."""
_IMAGINED = 8192
"""Imagined nodes over which the spread of lemons is taken."""
_MASK = (1 << 64) - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U30, _U27, _U31, _U12 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(12)
_HOUR_S = 3600.0


@lru_cache(maxsize=1 << 16)
def component_key(name: str) -> int:
    """64-bit key of a component id or stream name (BLAKE2b)."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def component_keys(names: Iterable[str]) -> UInts64:
    """Keys of many component ids, shape (N,)."""
    return np.array([component_key(name) for name in names], dtype=np.uint64)


def hash_u64(seed: int, ids: ArrayLike, stream: str | int, k: ArrayLike) -> UInts64:
    """Counter hash: splitmix64 finaliser chained over seed and stream, id, and k.

    Parameters
    ----------
    seed : int
        Seed of the run.
    ids : array_like of uint64
        Component keys.
    stream : str or int
        What the draw is for: "failure", "repair", ...
    k : array_like of int
        Counter within component and stream, >= 0.

    Returns
    -------
    ndarray of uint64
        Broadcast shape of ids and k.
    """
    start = np.array([(seed & _MASK) ^ _stream_key(stream)], dtype=np.uint64)
    keys, counter = np.broadcast_arrays(np.asarray(ids, dtype=np.uint64), np.asarray(k, dtype=np.uint64))
    state = _mix(_mix(start) ^ np.atleast_1d(keys))
    return _mix(state ^ (np.atleast_1d(counter) * _GOLDEN)).reshape(keys.shape)


def one_uniform(seed: int, id: int, stream: str | int, k: int) -> float:
    """Uniform draw of one component, as `hash_uniform` gives it: a number is faster than an array of one."""
    state = _mixed(_mixed((seed & _MASK) ^ _stream_key(stream)) ^ id)
    return (float(_mixed(state ^ (k * int(_GOLDEN) & _MASK)) >> 12) + 0.5) * 2.0**-52


def _stream_key(stream: str | int) -> int:
    return component_key(stream) if isinstance(stream, str) else stream & _MASK


def hash_uniform(seed: int, ids: ArrayLike, stream: str | int, k: ArrayLike) -> Floats:
    """Uniform draw in the open interval (0, 1); parameters as `hash_u64`."""
    bits = hash_u64(seed, ids, stream, k) >> _U12
    result: Floats = (bits.astype(np.float64) + 0.5) * 2.0**-52
    return result


def unit_exponential(seed: int, ids: ArrayLike, stream: str | int, k: ArrayLike) -> Floats:
    """Exponential draw of mean 1; parameters as `hash_u64`."""
    result: Floats = -np.log(hash_uniform(seed, ids, stream, k))
    return result


def weibull_threshold(exponential: ArrayLike, shape: float) -> Floats:
    """Age of a Weibull component at its failure in units of its mean life, from an exponential draw of mean 1 [-].

    The draw is the integrated hazard (t / scale)^shape at the failure; the scale that keeps the mean is
    1 / Gamma(1 + 1 / shape). A component that ages faster by some factor fails sooner by that factor.

    Examples
    --------
    >>> float(weibull_threshold(2.5, 1.0))
    2.5
    """
    result: Floats = np.asarray(exponential, np.float64) ** (1.0 / shape) / math.gamma(1.0 + 1.0 / shape)
    return result


def threshold_beyond(reached: ArrayLike, exponential: ArrayLike, shape: float = 1.0) -> Floats:
    """Age at its failure of a component that has survived up to `reached`, in units of its mean life [-].

    Its integrated hazard at the failure is what it has reached and an exponential draw of mean 1 more. Without a shape
    (1) that is memoryless; with a Weibull law the chance is that under the condition of having survived so far.

    Examples
    --------
    >>> float(threshold_beyond(2.0, 0.5))
    2.5
    >>> float(threshold_beyond(0.0, 0.5, 2.0)) == float(weibull_threshold(0.5, 2.0))
    True
    """
    age, drawn = np.asarray(reached, np.float64), np.asarray(exponential, np.float64)
    if shape == 1.0:
        result: Floats = age + drawn
        return result
    hazard = (age * math.gamma(1.0 + 1.0 / shape)) ** shape
    return np.maximum(age, weibull_threshold(hazard + drawn, shape))


def geometric(mean: float, u: ArrayLike) -> NDArray[np.int64]:
    """Return a count from 0 on with geometric chances and the given mean, at quantile `u` [-].

    Examples
    --------
    >>> geometric(1.0, [0.4, 0.6, 0.8]).tolist()
    [0, 1, 2]
    """
    further = math.log(mean / (1.0 + mean))
    result: NDArray[np.int64] = np.floor(np.log1p(-np.asarray(u, np.float64)) / further).astype(np.int64)
    return result


def lemon_factor(seed: int, ids: ArrayLike, shape: float = LEMON_SHAPE) -> Floats:
    """Factor on a node's failure rate: gamma of mean 1, by node id [-].

    Marsaglia and Tsang (2000) with hash counters as attempts: exact, and each node's draw is its own.

    Parameters
    ----------
    seed : int
    ids : array_like of uint64, shape (N,)
    shape : float
        Gamma shape, > 0.
    """
    keys = np.atleast_1d(np.asarray(ids, dtype=np.uint64))
    d = shape + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    result = np.empty(keys.shape)
    todo = np.arange(keys.size)
    attempt = 0
    while todo.size:
        z = normal_quantile(hash_uniform(seed, keys[todo], "lemon-normal", attempt))
        u = hash_uniform(seed, keys[todo], "lemon-accept", attempt)
        v = np.maximum(1.0 + c * z, 0.0) ** 3
        good = v > 0.0
        log_v = np.log(np.where(good, v, 1.0))
        good &= np.log(u) < 0.5 * z**2 + d - d * v + d * log_v
        result[todo[good]] = d * v[good]
        todo = todo[~good]
        attempt += 1
    boost = hash_uniform(seed, keys, "lemon-boost", 0) ** (1.0 / shape)
    factor: Floats = result * boost / shape
    return factor


@lru_cache(maxsize=64)
def lemon_scale(in_repair: float, shape: float = LEMON_SHAPE) -> float:
    """Factor on the rates of nodes that differ with which a fleet fails as often as is quoted, in the long run [-].

    A node of quality q (gamma, mean 1) is up for 1 / (1 + s q rho) of its life, so that a fleet counts s q failures
    where q is weighted by that: s = E[up] / E[q up].

    Parameters
    ----------
    in_repair : float
        Rate of failures times mean repair time, rho: nodes in repair per node that is up, by the quoted rates [-].
    shape : float
        Gamma shape, > 0.

    Examples
    --------
    >>> lemon_scale(0.0)
    1.0
    >>> round(lemon_scale(3.8 / 1000 * 133 / 24), 3)
    1.023
    """
    quality = lemon_factor(0, np.arange(_IMAGINED, dtype=np.uint64), shape)
    quality /= quality.mean()
    scale, before = 1.0, 0.0
    while abs(scale - before) > 1e-12 * scale:
        up = 1.0 / (1.0 + quality * (scale * in_repair))
        scale, before = float(up.sum() / (quality * up).sum()), scale
    return scale


@dataclass(frozen=True, slots=True)
class RepairQuantiles:
    """Repair time distribution as published: quantiles up to p90 and the mean, all [s]."""

    p25_s: float
    median_s: float
    p75_s: float
    p90_s: float
    mean_s: float


@dataclass(frozen=True, slots=True)
class RepairClass:
    """One fault class of a fleet.

    Attributes
    ----------
    rate_per_1000_node_days : float
    count : int
        Faults behind the quantiles; below about ten they are anecdotes.
    repair : RepairQuantiles
    """

    rate_per_1000_node_days: float
    count: int
    repair: RepairQuantiles


def repair_time_s(quantiles: RepairQuantiles, u: ArrayLike) -> Floats:
    """Repair time for a uniform draw: log-linear through the quantiles, log-normal beyond p90.

    The tail ends at the length of the trace, 349 days, beyond which no repair can have been seen; its sigma
    is solved so that the mean of the whole is the published mean.

    Parameters
    ----------
    quantiles : RepairQuantiles
    u : array_like
        In (0, 1) [-].

    Returns
    -------
    ndarray
        Repair time, rising with u [s].

    Raises
    ------
    ValueError
        When no tail gives the quantiles their mean.
    """
    p = np.asarray(u, dtype=np.float64)
    if quantiles.p90_s <= 0.0:
        return np.zeros_like(p)
    grid_u, log_t = _body(quantiles)
    body = np.exp(np.interp(p, grid_u, log_t))
    if p.ndim == 0 and p <= 0.9:  # one that is no longer
        return np.asarray(np.minimum(body, LONGEST_REPAIR_S))
    beyond = normal_quantile(np.maximum(p, 0.9)) - normal_quantile(0.9)
    tail = np.exp(_tail_sigma(quantiles) * beyond)
    result: Floats = np.minimum(body * tail, LONGEST_REPAIR_S)
    return result


def time_within_s(duration_s: ArrayLike, horizon_s: float) -> Floats:
    """Mean time until the end of a horizon that something takes which begins at any moment of it, evenly.

    Its begin lies u before the end, u even in (0, T): the mean of min(r, u) is r - r^2 / 2T, and T / 2 from r = T on.

    Parameters
    ----------
    duration_s : array_like
        How long each would take without an end, r, >= 0 [s].
    horizon_s : float
        T, > 0 [s].

    Returns
    -------
    ndarray
        Shape of `duration_s` [s].

    Examples
    --------
    >>> time_within_s([10.0, 100.0, 400.0], 100.0).tolist()
    [9.5, 50.0, 50.0]
    """
    inside = np.minimum(np.asarray(duration_s, np.float64), horizon_s)
    return np.asarray(inside - inside * inside / (2.0 * horizon_s), np.float64)


@lru_cache(maxsize=256)
def _body(quantiles: RepairQuantiles) -> tuple[Floats, Floats]:
    """Probabilities and log times of the body; below p25 it mirrors the step from p25 to the median."""
    p25, median = quantiles.p25_s, quantiles.median_s
    times = np.array([p25 * p25 / median, p25, median, quantiles.p75_s, quantiles.p90_s])
    return np.array([0.0, 0.25, 0.5, 0.75, 0.9]), np.log(times)


@lru_cache(maxsize=256)
def _tail_sigma(quantiles: RepairQuantiles) -> float:
    """Log-normal sigma beyond p90 for which the whole has the published mean [-]."""
    grid_u, log_t = _body(quantiles)
    time, gap = np.exp(log_t), np.diff(log_t)
    mean_of = np.where(gap > 1e-12, np.diff(time) / np.where(gap > 1e-12, gap, 1.0), time[1:])
    wanted = (quantiles.mean_s - float(np.diff(grid_u) @ mean_of)) / quantiles.p90_s
    z_90 = float(normal_quantile(0.9))

    log_longest = math.log(LONGEST_REPAIR_S / quantiles.p90_s)

    def tail(sigma: float) -> float:
        z_end = z_90 + log_longest / sigma
        inside = normal_cdf(sigma - z_90) - normal_cdf(sigma - z_end)
        at_end = math.exp(log_longest) * normal_cdf(-z_end)
        return math.exp(0.5 * sigma**2 - sigma * z_90) * inside + at_end

    low, high = 1e-9, 8.0
    if not tail(low) * (1.0 - MEAN_SLACK) <= wanted <= tail(high):
        raise ValueError(f"no tail beyond p90 gives the quantiles a mean of {quantiles.mean_s} s")
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tail(middle) < wanted else (low, middle)
    return 0.5 * (low + high)


def _hours(
    count: int, rate: float, mean: float, p25: float, median: float, p75: float, p90: float
) -> RepairClass:
    times = (hours * _HOUR_S for hours in (p25, median, p75, p90, mean))
    return RepairClass(rate, count, RepairQuantiles(*times))


REPAIR_CLASSES = MappingProxyType(
    {
        "gpu": _hours(158, 1.1319, 155.44, 0.23, 16.79, 73.41, 430.76),
        "unknown_error": _hours(144, 1.0316, 111.92, 2.08, 15.63, 68.3, 224.57),
        "stress_test_failure": _hours(97, 0.6949, 34.38, 1.78, 14.41, 57.35, 60.31),
        "parameter_plane_cable": _hours(40, 0.2865, 119.51, 10.29, 47.39, 125.12, 232.08),
        "fan": _hours(33, 0.2364, 217.36, 22.56, 73.52, 234.05, 234.06),
        "nic": _hours(30, 0.2149, 256.41, 0.33, 11.79, 110.33, 725.05),
        "power_supply": _hours(26, 0.1863, 439.04, 45.23, 351.1, 493.23, 1315.42),
        "task_troubleshooting": _hours(14, 0.1003, 26.07, 3.69, 16.53, 38.57, 58.0),
        "other_software": _hours(12, 0.086, 66.68, 16.0, 42.99, 55.82, 191.98),
        "software_tool": _hours(7, 0.0501, 41.69, 3.39, 16.93, 29.53, 101.41),
        "change": _hours(4, 0.0287, 88.44, 32.41, 79.99, 136.02, 168.2),
        "motherboard": _hours(4, 0.0287, 64.0, 24.31, 42.7, 82.4, 122.3),
        "file_system": _hours(3, 0.0215, 17.56, 2.68, 4.12, 25.72, 38.68),
        "cpu": _hours(3, 0.0215, 74.65, 18.6, 20.44, 103.59, 153.49),
        "test": _hours(2, 0.0143, 2.04, 1.19, 2.04, 2.89, 3.4),
        "system_crash": _hours(1, 0.0072, 0.0, 0.0, 0.0, 0.0, 0.0),
        "motherboard_battery": _hours(1, 0.0072, 26.1, 26.1, 26.1, 26.1, 26.1),
        "operating_system": _hours(1, 0.0072, 13.23, 13.23, 13.23, 13.23, 13.23),
        "firmware": _hours(1, 0.0072, 19.36, 19.36, 19.36, 19.36, 19.36),
        "other_hardware": _hours(1, 0.0072, 19.46, 19.46, 19.46, 19.46, 19.46),
        "raid_card": _hours(1, 0.0072, 21.46, 21.46, 21.46, 21.46, 21.46),
        "riser_card": _hours(1, 0.0072, 59.51, 59.51, 59.51, 59.51, 59.51),
    }
)
"""Fault classes of a fleet of 400 8-GPU nodes over 349 days: count, rate, repair times.

Source: InfiniteHBD fault trace (Apache-2.0), condensed in reference/infinitehbd_mttr_by_class.csv."""


def _mix(x: UInts64) -> UInts64:
    """Splitmix64 step and finaliser on an array (wraps modulo 2^64)."""
    z = x + _GOLDEN
    z = (z ^ (z >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return z ^ (z >> _U31)


def _mixed(x: int) -> int:
    """Return the same of one number."""
    z = (x + int(_GOLDEN)) & _MASK
    z = ((z ^ (z >> 30)) * int(_MIX_1)) & _MASK
    z = ((z ^ (z >> 27)) * int(_MIX_2)) & _MASK
    return z ^ (z >> 31)


def arrhenius_factor(die_c: ArrayLike, reference_c: float, activation_ev: float) -> Floats:
    """Failure rate of electronics at a temperature over that at the reference temperature [-].

    exp(E_a / k (1 / T_ref - 1 / T)), the usual law of single wear mechanisms (recalled: JEDEC JEP122). For whole
    GPUs no fleet has published an activation energy, so it is an estimate [est].

    Parameters
    ----------
    die_c : array_like
        Mean die temperature [C].
    reference_c : float
        Temperature at which the given rate holds [C].
    activation_ev : float
        Activation energy E_a [eV].

    Examples
    --------
    >>> round(float(arrhenius_factor(70.0, 60.0, 0.7)), 2)
    2.04
    """
    kelvin = np.asarray(die_c, dtype=np.float64) + ZERO_CELSIUS_K
    span = 1.0 / (reference_c + ZERO_CELSIUS_K) - 1.0 / kelvin
    result: Floats = np.exp(activation_ev / BOLTZMANN_EV_K * span)
    return result
