"""Power and clock of a GPU: P = P_idle + s A_w V(f)^2 f + leak(T), the clock found under the power cap.

s is the die's spread, A_w [W/(V^2 GHz)] the activity of the workload. Model and B200 fit: PHYSICS.md
section 2. The cap, not heat, is the everyday throttle.
"""

from dataclasses import dataclass, replace
from enum import IntFlag
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.physics.normal import normal_quantile
from twin.physics.thermal_constants import LEAK_CLIP_C, LEAK_REF_C

Floats = NDArray[np.float64]

DIE_SPREAD_SIGMA = 0.03
RELEASE_K = 3.0
"""A thermal throttle lets go this far below its limit [K]."""
LOAD_FLOOR_SHARE = 0.34
"""Power under load at the lowest clock over rated power [-]."""
_TABLE_POINTS = 513


class ThrottleReason(IntFlag):
    """Why a clock is below boost; bits as NVML reports them."""

    NONE = 0
    IDLE = 0x1
    SW_POWER_CAP = 0x4
    HW_SLOWDOWN = 0x8
    SW_THERMAL = 0x20
    HW_THERMAL = 0x40
    POWER_BRAKE = 0x80


@dataclass(frozen=True, slots=True)
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
    leak_w_per_k, leak_ref_c : float
        Leakage above the reference temperature [W/K], [C].
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
    leak_ref_c: float
    max_op_c: float
    slowdown_c: float
    shutdown_c: float


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
    model: GpuPowerModel, cap_w: ArrayLike, spread: ArrayLike, activity: ArrayLike, leak_w: ArrayLike
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
    room_w = np.asarray(cap_w, dtype=np.float64) - model.idle_w - np.asarray(leak_w, dtype=np.float64)
    weight = np.asarray(spread, dtype=np.float64) * np.asarray(activity, dtype=np.float64)
    v2f, f_ghz = _clock_table(model)
    wanted = np.maximum(room_w, 0.0) / np.maximum(weight, 1e-9)
    return np.interp(wanted, v2f, f_ghz)


def leak_w(model: GpuPowerModel, die_c: ArrayLike, load_fraction: ArrayLike) -> Floats:
    """Leakage against the reference temperature, die temperature clipped to 20..110 C [W].

    Parameters
    ----------
    model : GpuPowerModel
    die_c : array_like
        Die temperature [C].
    load_fraction : array_like
        Load fraction of the job, 0..1 [-].
    """
    clipped = np.clip(np.asarray(die_c, dtype=np.float64), *LEAK_CLIP_C)
    result: Floats = np.asarray(load_fraction) * model.leak_w_per_k * (clipped - model.leak_ref_c)
    return result


def power_w(
    model: GpuPowerModel, f_ghz: ArrayLike, spread: ArrayLike, activity: ArrayLike, leakage_w: ArrayLike = 0.0
) -> Floats:
    """Power of a GPU at a clock: idle + s A V^2 f + leak [W]."""
    dynamic = np.asarray(spread) * dynamic_unit_w(model, f_ghz, activity)
    result: Floats = model.idle_w + dynamic + np.asarray(leakage_w)
    return result


def mean_activity(
    model: GpuPowerModel,
    gemm_s: ArrayLike,
    memory_s: ArrayLike,
    comm_s: ArrayLike,
    idle_s: ArrayLike,
    step_s: ArrayLike,
    fp8: bool = False,
) -> Floats:
    """Activity averaged over a training step.

    Parameters
    ----------
    model : GpuPowerModel
    gemm_s, memory_s, comm_s, idle_s : array_like
        Time of the step in dense GEMM, memory-bound kernels, exposed communication, and waiting [s].
    step_s : array_like
        Step time [s]; what the four do not explain counts as waiting.
    fp8 : bool
        Whether the GEMMs run in 8-bit.

    Returns
    -------
    ndarray
        A [W/(V^2 GHz)].
    """
    a_gemm = model.a_gemm_fp8 if fp8 else model.a_gemm
    work = (
        a_gemm * np.asarray(gemm_s)
        + model.a_memory * np.asarray(memory_s)
        + model.a_comm * np.asarray(comm_s)
    )
    busy_s = np.asarray(gemm_s) + np.asarray(memory_s) + np.asarray(comm_s) + np.asarray(idle_s)
    result: Floats = work / np.maximum(np.asarray(step_s, dtype=np.float64), busy_s)
    return result


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


@lru_cache(maxsize=64)
def _clock_table(model: GpuPowerModel) -> tuple[Floats, Floats]:
    """V(f)^2 f, strictly rising, and f on a grid that holds f_v."""
    low = np.array([model.f_min_ghz])
    f_ghz = np.concatenate([low, np.linspace(model.f_v_ghz, model.f_max_ghz, _TABLE_POINTS)])
    return voltage_v(model, f_ghz) ** 2 * f_ghz, f_ghz


def _model(
    idle_w: float,
    cap_w: float,
    f_v_ghz: float,
    f_max_ghz: float,
    gemm_ghz: float | None,
    limits_c: tuple[float, float, float],
    a_gemm: float = 0.0,
) -> GpuPowerModel:
    """Model whose dense GEMM sits at the cap at gemm_ghz, or has the given activity.

    Ratios of the B200 fit serve all parts: FP8 0.80, memory-bound 0.27 of dense GEMM [meas]; communication
    0.20 [est]; voltage 0.70-1.05 V; leakage 1.2 W/K per kW of limit.
    """
    v_min, v_max = 0.70, 1.05
    if gemm_ghz is not None:
        v = float(np.interp(gemm_ghz, (f_v_ghz, f_max_ghz), (v_min, v_max)))
        a_gemm = (cap_w - idle_w) / (v**2 * gemm_ghz)
    return GpuPowerModel(
        idle_w=idle_w,
        cap_w=cap_w,
        f_min_ghz=(LOAD_FLOOR_SHARE * cap_w - idle_w) / (a_gemm * v_min**2),
        f_v_ghz=f_v_ghz,
        f_max_ghz=f_max_ghz,
        v_min=v_min,
        v_max=v_max,
        a_gemm=a_gemm,
        a_gemm_fp8=1036.0 / 1296.0 * a_gemm,
        a_memory=348.0 / 1296.0 * a_gemm,
        a_comm=0.20 * a_gemm,
        leak_w_per_k=1.2 * cap_w / 1000.0,
        leak_ref_c=LEAK_REF_C,
        max_op_c=limits_c[0],
        slowdown_c=limits_c[1],
        shutdown_c=limits_c[2],
    )


# Idle power, limits and boost clocks: reference/hardware.yaml (nvidia-smi dumps read for H100 and B200; A100,
# H200, GB200, GB300, MI300X recalled). Sustained GEMM clocks of H100, H200, A100 and MI300X are estimates
# from measured GEMM rates over peak (H200: 788 of 989 TFLOP/s); Blackwell parts share the B200's activity.
_A100 = _model(60.0, 400.0, 0.80, 1.410, 1.29, (85.0, 89.0, 92.0))
_H100 = _model(92.0, 700.0, 1.00, 1.980, 1.50, (87.0, 89.0, 95.0))
_BLACKWELL_C = (88.0, 91.0, 93.0)

GPU_POWER = MappingProxyType(
    {
        "A100-SXM-40": replace(_A100, idle_w=55.0),
        "A100-SXM-80": _A100,
        "H100-SXM": _H100,
        "H200-SXM": replace(_H100, idle_w=90.0),
        "B200-SXM": _model(190.0, 1000.0, 1.00, 1.965, None, _BLACKWELL_C, a_gemm=1296.0),
        "B300-SXM": _model(200.0, 1100.0, 1.00, 1.965, None, _BLACKWELL_C, a_gemm=1296.0),
        "GB200-GPU": _model(200.0, 1200.0, 1.00, 2.062, None, _BLACKWELL_C, a_gemm=1296.0),
        "GB300-GPU": _model(210.0, 1400.0, 1.00, 2.062, None, _BLACKWELL_C, a_gemm=1296.0),
        "MI300X": _model(140.0, 750.0, 1.00, 2.100, 1.30, (95.0, 100.0, 105.0)),
    }
)
"""Power model by GPU part name."""
