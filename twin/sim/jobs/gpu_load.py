"""How hard a job drives its GPUs: what its step asks of a die in matrix products, memory, communication and waiting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twin.arrays import Floats
from twin.physics.gpu_power import GpuPowerModel, clock_under_cap, dynamic_unit_w, leak_w
from twin.sim.jobs.work import Work

REFERENCE_INLET_C = 25.0
HBM_HOT_SHARE = 0.75
"""Memory bandwidth left while HBM is too hot: it refreshes twice as often [est]."""


class PowerPhases(NamedTuple):
    """Power of one GPU of a job through a step.

    Parameters
    ----------
    high_w, low_w
        While it computes, waits woven into that included, and in the mean of what it does else [W].
    period_s
        Of a step [s].
    duty
        Share of the step it computes [-].
    ramp_s
        From one to the other [s].
    """

    high_w: float
    low_w: float
    period_s: float
    duty: float
    ramp_s: float


def boost_unit_w(model: GpuPowerModel) -> float:
    """Return the dynamic power at boost for one unit of activity: V(f_max)^2 f_max [V^2 GHz]."""
    return model.v_max**2 * model.f_max_ghz


def gemm_activity(work: Work, model: GpuPowerModel) -> float:
    """Return the activity of the big products of a job on a part; of a measured load, what draws it [W/(V^2 GHz)]."""
    if work.gpu_load is not None:
        return work.gpu_load * (model.cap_w - model.idle_w) / boost_unit_w(model)
    return model.a_gemm_fp8 if work.fp8 else model.a_gemm


def phase_activity(work: Work, model: GpuPowerModel) -> float:
    """Return the activity the power cap regulates while a job computes [W/(V^2 GHz)].

    Kernels last milliseconds and the cap regulates over about 100 ms, so it sees the mean of matrix products,
    memory traffic and the communication woven between them, not each of them.
    """
    total_s = work.gemm_s + work.memory_s + work.close_s
    if total_s <= 0.0:
        return model.a_comm
    busy = gemm_activity(work, model) * work.gemm_s + model.a_memory * work.memory_s
    return (busy + model.a_comm * work.close_s) / total_s


def least_activity(work: Work, model: GpuPowerModel, ghz: Floats | float, floor: float) -> Floats | float:
    """Return the activity that keeps a waiting GPU at a share `floor` of its working power [W/(V^2 GHz)]."""
    if floor <= 0.0:
        return 0.0
    unit_w = dynamic_unit_w(model, ghz, 1.0)
    working_w = model.idle_w + unit_w * phase_activity(work, model)
    result: Floats = np.maximum(0.0, (floor * working_w - model.idle_w) / unit_w)
    return result


def step_activity(
    work: Work,
    model: GpuPowerModel,
    ghz: Floats | float,
    gemm_s: Floats | float,
    memory_s: Floats | float,
    step_s: Floats | float,
    floor: float = 0.0,
) -> Floats:
    """Return the mean activity of a GPU over a step [W/(V^2 GHz)].

    Parameters
    ----------
    work, model
        What the job does, on which part.
    ghz
        Clock of the die [GHz].
    gemm_s, memory_s, step_s
        In matrix products and in memory traffic at this clock, and the whole step [s]; the rest communicates and
        waits, but for the time nobody asks anything of it.
    floor
        Share of its working power that it draws at least while it waits [-].
    """
    wait_s = step_s - gemm_s - memory_s
    busy = gemm_activity(work, model) * gemm_s + model.a_memory * memory_s
    least = least_activity(work, model, ghz, floor)
    talking_s = np.maximum(0.0, wait_s - work.rest_s)
    waiting = np.maximum(model.a_comm, least) * talking_s
    # A load is what was measured over all its time, whatever it paused for.
    duty = work.duty if work.gpu_load is None else 1.0
    if floor > 0.0:
        waiting = waiting + least * (wait_s - talking_s)
    mean: Floats = (busy + waiting) / step_s * duty + least * (1.0 - duty)
    return mean


def reference_ghz(model: GpuPowerModel, junction_k_w: float, work: Work, spread: float) -> float:
    """Return the clock of a die of this spread while it computes, at the default cap and a 25 C inlet [GHz]."""
    leakage_w = leak_w(model, REFERENCE_INLET_C + junction_k_w * model.cap_w, 1.0)
    return float(clock_under_cap(model, model.cap_w, spread, phase_activity(work, model), leakage_w))
