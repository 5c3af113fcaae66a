"""Power and clock of a GPU: P = P_idle + s A_w V(f)^2 f + leak(T), the clock found under the power cap.

s is the die's spread, A_w [W/(V^2 GHz)] the activity of the workload. Model and B200 fit: PHYSICS.md
section 2. The cap, not heat, is the everyday throttle. The numbers of a part come from the catalogue.
"""

from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats
from twin.physics.normal import normal_quantile
from twin.physics.thermal_constants import LEAK_CLIP_C, LEAK_REF_C

DIE_SPREAD_SIGMA = 0.03
RELEASE_K = 3.0
"""A thermal throttle lets go this far below its limit [K]."""
LOAD_FLOOR_SHARE = 0.34
"""Power under load at the lowest clock over rated power [-] [est]."""
LEAST_DYNAMIC_SHARE = 0.05
"""Least dynamic power at the lowest clock over its room under the cap, for parts that idle high [-] [est]."""
FP8_ACTIVITY = 1036.0 / 1296.0
MEMORY_ACTIVITY = 348.0 / 1296.0
"""Activity of 8-bit GEMM and of memory-bound kernels over dense 16-bit GEMM [-], B200 [meas]."""
COMM_ACTIVITY = 0.19
"""Activity of communication over dense 16-bit GEMM [-] [est, by the swing of a GPT-3 cluster]."""
_TABLE_POINTS = 513
_LEAST = 1e-9  # divides what is nothing
_NEWTON_STEPS = 2  # from the clock without waits, a few per cent away: within 1e-5


class ThrottleReason(IntFlag):
    """Why a clock is below boost; bits as NVML reports them."""

    NONE = 0
    IDLE = 0x1
    SW_POWER_CAP = 0x4
    HW_SLOWDOWN = 0x8
    SW_THERMAL = 0x20
    HW_THERMAL = 0x40
    POWER_BRAKE = 0x80
    LOWERED_CAP = 0x8000  # our own, beside 0x4: the limit in force is below the part's default


@dataclass(frozen=True)
class GpuPowerModel:
    """Power model of one GPU part.

    Attributes
    ----------
    idle_w, cap_w : float
        Idle power and default power limit [W].
    f_min_ghz, f_v_ghz, f_max_ghz : float
        Lowest clock under load, clock up to which the voltage stays lowest, boost clock [GHz].
    v_min, v_max : float
        Core voltage up to f_v and at f_max [V].
    a_gemm, a_gemm_fp8, a_memory, a_comm : float
        Activity of dense 16-bit and 8-bit GEMM, memory-bound and communication kernels [W/(V^2 GHz)].
    leak_w_per_k : float
        Leakage above `LEAK_REF_C` [W/K].
    max_op_c, slowdown_c, shutdown_c : float
        Die temperature limits: clocks walk down, halve, power off [C].
    """

    idle_w: float
    cap_w: float
    f_min_ghz: float
    f_v_ghz: float
    f_max_ghz: float
    v_min: float
    v_max: float
    a_gemm: float
    a_gemm_fp8: float
    a_memory: float
    a_comm: float
    leak_w_per_k: float
    max_op_c: float
    slowdown_c: float
    shutdown_c: float

    @property
    def floor_w(self) -> float:
        """Return the lowest power limit that any work keeps: the power of dense 16-bit GEMM at the lowest clock [W]."""
        return self.idle_w + float(dynamic_unit_w(self, self.f_min_ghz, self.a_gemm))

    @cached_property
    def clock_table(self) -> tuple[Floats, Floats]:
        """V(f)^2 f, rising, and f on a grid from the lowest clock that holds f_v."""
        low = np.array([self.f_min_ghz])
        knee = max(self.f_min_ghz, self.f_v_ghz)
        f_ghz = np.concatenate([low, np.linspace(knee, self.f_max_ghz, _TABLE_POINTS)])
        return voltage_v(self, f_ghz) ** 2 * f_ghz, f_ghz


def gpu_power_model(
    *,
    idle_w: float,
    cap_w: float,
    f_v_ghz: float,
    f_max_ghz: float,
    gemm_ghz: float,
    v_min: float,
    v_max: float,
    leak_w_per_k: float,
    max_op_c: float,
    slowdown_c: float,
    shutdown_c: float,
) -> GpuPowerModel:
    """Model of a part from its catalogue entry.

    The activity of dense GEMM follows from the clock it sustains at the cap: A = (cap - idle) / (V(f)^2 f).
    The other classes keep their ratio to it as in the B200 fit, and the lowest clock is where GEMM draws
    `LOAD_FLOOR_SHARE` of the cap.

    Parameters
    ----------
    gemm_ghz : float
        Clock of a large dense 16-bit GEMM at the cap, without leakage, i.e. at `LEAK_REF_C` [GHz].
    idle_w, cap_w, f_v_ghz, f_max_ghz, v_min, v_max, leak_w_per_k, max_op_c, slowdown_c, shutdown_c : float
        As in `GpuPowerModel`.

    Raises
    ------
    ValueError
        Unless idle < cap and 0 < f_v <= gemm <= f_max.
    """
    if not 0.0 <= idle_w < cap_w:
        raise ValueError(f"idle power {idle_w:g} W must be below the power limit of {cap_w:g} W")
    if not 0.0 < f_v_ghz <= gemm_ghz <= f_max_ghz:
        raise ValueError(f"GEMM clock {gemm_ghz:g} GHz must lie between {f_v_ghz:g} and {f_max_ghz:g} GHz")
    knee_and_top, volts = (f_v_ghz, f_max_ghz), (v_min, v_max)
    gemm_v = float(np.interp(gemm_ghz, knee_and_top, volts))
    a_gemm = (cap_w - idle_w) / (gemm_v**2 * gemm_ghz)
    floor_w = max(LOAD_FLOOR_SHARE * cap_w - idle_w, LEAST_DYNAMIC_SHARE * (cap_w - idle_w))
    f_min_ghz = floor_w / (a_gemm * v_min**2)
    if f_min_ghz > f_v_ghz:
        f_ghz = np.linspace(f_v_ghz, f_max_ghz, _TABLE_POINTS)
        f_min_ghz = float(
            np.interp(floor_w, a_gemm * np.interp(f_ghz, knee_and_top, volts) ** 2 * f_ghz, f_ghz)
        )
    return GpuPowerModel(
        idle_w=idle_w,
        cap_w=cap_w,
        f_min_ghz=f_min_ghz,
        f_v_ghz=f_v_ghz,
        f_max_ghz=f_max_ghz,
        v_min=v_min,
        v_max=v_max,
        a_gemm=a_gemm,
        a_gemm_fp8=FP8_ACTIVITY * a_gemm,
        a_memory=MEMORY_ACTIVITY * a_gemm,
        a_comm=COMM_ACTIVITY * a_gemm,
        leak_w_per_k=leak_w_per_k,
        max_op_c=max_op_c,
        slowdown_c=slowdown_c,
        shutdown_c=shutdown_c,
    )


def voltage_v(model: GpuPowerModel, f_ghz: ArrayLike) -> Floats:
    """Core voltage at a clock: v_min up to f_v, then linear to v_max at f_max [V]."""
    return np.interp(
        np.asarray(f_ghz, dtype=np.float64), (model.f_v_ghz, model.f_max_ghz), (model.v_min, model.v_max)
    )


def dynamic_unit_w(model: GpuPowerModel, f_ghz: ArrayLike, a: ArrayLike) -> Floats:
    """Dynamic power of a die of spread 1: A V(f)^2 f [W].

    Parameters
    ----------
    model : GpuPowerModel
    f_ghz : array_like
        Clock [GHz].
    a : array_like
        Activity [W/(V^2 GHz)].
    """
    result: Floats = np.asarray(a) * voltage_v(model, f_ghz) ** 2 * np.asarray(f_ghz)
    return result


def clock_under_cap(
    model: GpuPowerModel,
    cap_w: Floats | float,
    spread: Floats | float,
    activity: Floats | float,
    leak_w: Floats | float,
) -> Floats:
    """Highest clock whose power stays at or below the cap, between the lowest and the boost clock.

    Parameters
    ----------
    model : GpuPowerModel
    cap_w : array_like
        Power limit in force [W].
    spread : array_like
        Die spread s [-].
    activity : array_like
        Activity A [W/(V^2 GHz)]; zero gives boost. The cap regulates over about 100 ms: use the mean over a
        step when its phases are shorter.
    leak_w : array_like
        Leakage [W].

    Returns
    -------
    ndarray
        Clock [GHz], broadcast shape. At the lowest clock the power may exceed the cap: there is a floor.
    """
    wanted = np.maximum(cap_w - model.idle_w - leak_w, 0.0) / _divisor(spread * activity)
    return np.interp(wanted, *model.clock_table)


def _divisor(value: Floats | float) -> Floats | float:
    """Return what is divided by, never nothing."""
    return max(value, _LEAST) if isinstance(value, float) else np.maximum(value, _LEAST)


def own_clock(
    model: GpuPowerModel,
    cap_w: Floats | float,
    spread: Floats | float,
    activity: Floats | float,
    leak_w: Floats | float,
    products_a: Floats | float,
    slowest_ghz: Floats | float,
    alone_ghz: Floats | None = None,
) -> Floats:
    """Highest clock under the cap of a die that waits, layer by layer, for slower ones [GHz].

    Such waits are shorter than the 100 ms over which the cap takes the mean: it sees them woven into the work. So a die
    that is done sooner may work at more than its cap, and clocks higher than if it had to do so all the time; in the
    mean it draws its cap, as the slowest does.

    Parameters
    ----------
    model, cap_w, spread, leak_w
        As in `clock_under_cap`.
    activity, products_a : array_like
        Of the slowest die while it works, and what matrix products bring to that: a die that takes half the time for
        them brings half of it (`StepWork`) [W/(V^2 GHz)]. No products: it waits for nobody.
    slowest_ghz : array_like
        Clock of the slowest die that it waits for; one that is slower itself waits for nobody [GHz].
    alone_ghz : ndarray, optional
        Its clock if it waited for nobody, `clock_under_cap`, where that is known [GHz].
    """
    if alone_ghz is None:
        alone_ghz = clock_under_cap(model, cap_w, spread, activity, leak_w)
    waits = np.greater(alone_ghz, slowest_ghz)
    waits &= products_a > 0.0
    if not np.count_nonzero(waits):
        return alone_ghz
    wanted = (cap_w - model.idle_w - leak_w) / _divisor(spread)
    once_a, rest_a = products_a * slowest_ghz, _divisor(activity - products_a)
    knee_ghz, volt_per_ghz = model.f_v_ghz, (model.v_max - model.v_min) / (model.f_max_ghz - model.f_v_ghz)
    f_ghz = np.maximum(alone_ghz, knee_ghz)
    for _ in range(_NEWTON_STEPS):  # in place: there are many dies
        volt = f_ghz - knee_ghz
        volt *= volt_per_ghz
        volt += model.v_min
        drawn = f_ghz * rest_a
        drawn += once_a
        drawn *= volt
        short = wanted - volt * drawn
        drawn *= 2.0 * volt_per_ghz
        drawn += volt**2 * rest_a
        short /= drawn
        f_ghz += short
    if np.count_nonzero(f_ghz < knee_ghz):
        below_ghz = (wanted / model.v_min**2 - once_a) / rest_a  # the voltage is the lowest
        f_ghz = np.where(f_ghz < knee_ghz, np.minimum(below_ghz, knee_ghz), f_ghz)
    f_ghz = np.minimum(np.maximum(f_ghz, alone_ghz), model.f_max_ghz)
    result: Floats = np.where(waits, f_ghz, alone_ghz)
    return result


def leak_w(model: GpuPowerModel, die_c: ArrayLike, load_fraction: Floats | float) -> Floats:
    """Leakage against the reference temperature, die temperature clipped to 20..110 C [W].

    Parameters
    ----------
    model : GpuPowerModel
    die_c : array_like
        Die temperature [C].
    load_fraction : array_like
        Load fraction of the job, 0..1 [-].
    """
    low_c, high_c = LEAK_CLIP_C
    clipped = np.minimum(np.maximum(die_c, low_c), high_c)
    result: Floats = load_fraction * model.leak_w_per_k * (clipped - LEAK_REF_C)
    return result


def power_w(
    model: GpuPowerModel, f_ghz: ArrayLike, spread: ArrayLike, activity: ArrayLike, leakage_w: ArrayLike = 0.0
) -> Floats:
    """Power of a GPU at a clock: idle + s A V^2 f + leak [W]."""
    dynamic = np.asarray(spread) * dynamic_unit_w(model, f_ghz, activity)
    result: Floats = model.idle_w + dynamic + np.asarray(leakage_w)
    return result


class StepWork(NamedTuple):
    """What a step asks of a GPU at its reference clock.

    Attributes
    ----------
    gemm_a : float
        Activity of its matrix products [W/(V^2 GHz)].
    gemm_s, memory_s, close_s : float
        In matrix products, in memory-bound kernels, and in communication woven into them [s].
    rest_s : float
        Time of the step in which it does not even wait for others [s].
    """

    gemm_a: float
    gemm_s: float
    memory_s: float
    close_s: float
    rest_s: float = 0.0

    @property
    def busy_s(self) -> float:
        """Time at work [s]."""
        return self.gemm_s + self.memory_s + self.close_s

    def activity(self, model: GpuPowerModel) -> float:
        """Return the activity that the power cap regulates meanwhile [W/(V^2 GHz)].

        Kernels last milliseconds and the cap regulates over about 100 ms, so it sees the mean of matrix products,
        memory traffic and the communication woven between them, not each of them.
        """
        if self.busy_s <= 0.0:
            return model.a_comm
        busy = self.gemm_a * self.gemm_s + model.a_memory * self.memory_s
        return (busy + model.a_comm * self.close_s) / self.busy_s

    def products_a(self, model: GpuPowerModel) -> float:
        """Return what the matrix products bring to that beyond communication [W/(V^2 GHz)]."""
        return (self.gemm_a - model.a_comm) * self.gemm_s / self.busy_s if self.busy_s > 0.0 else 0.0


class StepTimes(Protocol):
    """What a die does with its time, as in `StepWork`: of one job, or of many by die."""

    @property
    def gemm_a(self) -> Floats | float:
        """Activity of matrix products [W/(V^2 GHz)]."""

    @property
    def gemm_s(self) -> Floats | float:
        """Time in them [s]."""

    @property
    def memory_s(self) -> Floats | float:
        """Time in memory-bound kernels [s]."""

    @property
    def rest_s(self) -> Floats | float:
        """Time in which it does not even wait for others [s]."""


def synchronous_w(
    model: GpuPowerModel,
    f_ghz: ArrayLike,
    spread: ArrayLike,
    work: StepTimes,
    step_s: ArrayLike,
    *,
    reference_ghz: Floats | float,
    memory_s: ArrayLike | None = None,
    least_a: Floats | float = 0.0,
) -> Floats:
    """Dynamic power over a step of a synchronous job: each die works at its own clock, then waits for the slowest [W].

    A die does not know of the others: it takes its share as fast as its own limits allow, and the step lasts until
    the slowest has taken its.

    Parameters
    ----------
    model : GpuPowerModel
    f_ghz, spread : array_like
        Clock [GHz] and power spread of each die.
    work : StepTimes
        At `reference_ghz`.
    step_s : array_like
        Until the slowest die is done, and all have exchanged what they must [s]; longer, if a die works longer.
    memory_s : array_like, optional
        In memory-bound kernels, where HBM is slower [s].
    least_a : array_like
        Activity kept up at least while a die waits or rests [W/(V^2 GHz)].
    """
    gemm_s = work.gemm_s * reference_ghz / np.asarray(f_ghz)
    memory_s = work.memory_s if memory_s is None else np.asarray(memory_s)
    wait_s = np.maximum(0.0, np.subtract(step_s, gemm_s) - memory_s)
    rests = np.count_nonzero(work.rest_s) > 0
    talking_s = np.maximum(0.0, wait_s - work.rest_s) if rests else wait_s
    busy = work.gemm_a * gemm_s + model.a_memory * memory_s
    waits_a = max(model.a_comm, least_a) if isinstance(least_a, float) else np.maximum(model.a_comm, least_a)
    waiting = waits_a * talking_s
    if rests:
        waiting += np.asarray(least_a) * (wait_s - talking_s)
    result: Floats = np.asarray(spread) * dynamic_unit_w(
        model, f_ghz, (busy + waiting) / (gemm_s + memory_s + wait_s)
    )
    return result


def slowest_spread(dies: float) -> float:
    """Return the power spread expected of the leakiest of so many dies, the slowest under one cap [-]."""
    most = max(2.0, dies)
    return float(die_spread((most - 0.375) / (most + 0.25)))


def spread_points(leakiest_s: Floats) -> Floats:
    """Return spreads by which a figure of dies is a line: two usual ones, and that of the leakiest [-]."""
    usual_s = np.minimum(1.0, leakiest_s - DIE_SPREAD_SIGMA)
    return np.array([usual_s - DIE_SPREAD_SIGMA, usual_s + DIE_SPREAD_SIGMA, leakiest_s])


class SpreadLine:
    """Figures of dies as straight lines over their spread.

    Clock and power of a die bend little over the few per cent by which dies differ, but for the knee where a cap begins
    to be felt. The line holds the mean of all dies, and the leakiest, which is the first to pass a limit.

    Parameters
    ----------
    points_s : ndarray, shape (3, ...)
        `spread_points` [-].
    """

    def __init__(self, points_s: Floats) -> None:
        self.points_s = points_s
        self._usual_s = (points_s[0] + points_s[1]) / 2.0
        self._reach_s = points_s[2] - self._usual_s

    def through(self, values: Floats, *, rising: bool = False) -> tuple[Floats, Floats]:
        """Return what dies have in common, and what each has more per unit of its spread.

        Parameters
        ----------
        values : ndarray, shape (3, ...)
            The figure of a die of each of the three spreads.
        rising : bool
            Whether a leakier die never has less. Under one cap all dies draw alike at work, and a slow one a watt or
            two less while it waits: that is left out, so that the leakiest die is the hottest.
        """
        usual = (values[0] + values[1]) / 2.0
        slope: Floats = (values[2] - usual) / self._reach_s
        if rising:
            slope = np.maximum(slope, 0.0)
        common: Floats = usual - self._usual_s * slope
        return common, slope


def die_spread(uniform: ArrayLike, sigma: float = DIE_SPREAD_SIGMA) -> Floats:
    """Power spread of dies: log-normal of mean 1 from one uniform per GPU id [-].

    Parameters
    ----------
    uniform : array_like
        In (0, 1), by counter hash of the GPU id.
    sigma : float
        Standard deviation of the logarithm, 0.02-0.04.
    """
    result: Floats = np.exp(sigma * normal_quantile(uniform) - 0.5 * sigma**2)
    return result


def thermal_reasons(model: GpuPowerModel, die_c: ArrayLike, previous: ArrayLike) -> NDArray[np.int64]:
    """Thermal throttle bits with hysteresis: set at the limit, released 3 K below it.

    Parameters
    ----------
    model : GpuPowerModel
    die_c : array_like
        Die temperature [C].
    previous : array_like of int
        `ThrottleReason` bits so far; the other bits are kept.

    Returns
    -------
    ndarray of int
        SW_THERMAL above max-op (clocks walk down), HW_THERMAL and HW_SLOWDOWN above slowdown (half or less).
    """
    temp = np.asarray(die_c, dtype=np.float64)
    bits = np.asarray(previous, dtype=np.int64)
    soft, hard = int(ThrottleReason.SW_THERMAL), int(ThrottleReason.HW_THERMAL | ThrottleReason.HW_SLOWDOWN)
    was_soft, was_hard = (bits & soft) != 0, (bits & int(ThrottleReason.HW_THERMAL)) != 0
    is_soft: NDArray[np.bool_] = (temp >= model.max_op_c) | (was_soft & (temp > model.max_op_c - RELEASE_K))
    is_hard = (temp >= model.slowdown_c) | (was_hard & (temp > model.slowdown_c - RELEASE_K))
    kept = np.where(was_hard, bits & ~(soft | hard), bits & ~soft)
    result: NDArray[np.int64] = np.bitwise_or(kept, np.where(is_soft, soft, 0) + np.where(is_hard, hard, 0))
    return result
