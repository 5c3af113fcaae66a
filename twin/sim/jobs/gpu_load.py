"""How hard a job drives its GPUs: what its step asks of a die in matrix products, memory, communication and waiting."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Floats
from twin.physics.gpu_power import (
    GpuPowerModel,
    StepWork,
    dynamic_unit_w,
    leak_w,
    own_clock,
    synchronous_w,
)
from twin.sim.jobs.work import Work

REFERENCE_INLET_C = 25.0
HBM_HOT_SHARE = 0.75
"""Memory bandwidth left while HBM is too hot: it refreshes twice as often [est]."""


def boost_unit_w(model: GpuPowerModel) -> float:
    """Return the dynamic power at boost for one unit of activity: V(f_max)^2 f_max [V^2 GHz]."""
    return model.v_max**2 * model.f_max_ghz


def gemm_activity(work: Work, model: GpuPowerModel) -> float:
    """Return the activity of the big products of a job on a part; of a measured load, what draws it [W/(V^2 GHz)]."""
    if work.gpu_load is not None:
        return work.gpu_load * (model.cap_w - model.idle_w) / boost_unit_w(model)
    return model.a_gemm_fp8 if work.fp8 else model.a_gemm


def step_work(work: Work, model: GpuPowerModel) -> StepWork:
    """Return what a step of a job asks of each of its GPUs."""
    return StepWork(gemm_activity(work, model), work.gemm_s, work.memory_s, work.close_s, work.rest_s)


def phase_activity(work: Work, model: GpuPowerModel) -> float:
    """Return the activity the power cap regulates while a job computes [W/(V^2 GHz)]."""
    return step_work(work, model).activity(model)


def least_activity(work: Work, model: GpuPowerModel, ghz: Floats | float, floor: float) -> Floats | float:
    """Return the activity that keeps a waiting GPU at a share `floor` of its working power [W/(V^2 GHz)]."""
    if floor <= 0.0:
        return 0.0
    unit_w = dynamic_unit_w(model, ghz, 1.0)
    working_w = model.idle_w + unit_w * phase_activity(work, model)
    result: Floats = np.maximum(0.0, (floor * working_w - model.idle_w) / unit_w)
    return result


def step_w(
    work: Work,
    model: GpuPowerModel,
    ghz: Floats | float,
    spread: Floats | float,
    reference_ghz: float,
    step_s: Floats | float,
    *,
    memory_s: Floats | None = None,
    floor: float = 0.0,
) -> Floats:
    """Return the mean dynamic power over a step of dies that work each at its own clock, then wait [W].

    Parameters
    ----------
    work, model
        What the job does, on which part.
    ghz, spread
        Of each die [GHz, -].
    reference_ghz
        Clock at which it takes the times of `work` [GHz].
    step_s
        The whole step [s]; what is not work communicates and waits, but for the time nobody asks anything of it.
    memory_s
        In memory traffic, where HBM is slower [s].
    floor
        Share of its working power that a die draws at least while it waits [-].
    """
    asked, least = step_work(work, model), least_activity(work, model, ghz, floor)
    mean_w = synchronous_w(
        model, ghz, spread, asked, step_s, reference_ghz=reference_ghz, memory_s=memory_s, least_a=least
    )
    if work.gpu_load is not None or work.duty == 1.0:
        return mean_w  # a load is what was measured over all its time, whatever it paused for
    if floor <= 0.0:
        return work.duty * mean_w
    paused_w: Floats = (1.0 - work.duty) * spread * dynamic_unit_w(model, ghz, least)
    return work.duty * mean_w + paused_w


def reference_ghz(
    model: GpuPowerModel, junction_k_w: float, work: Work, spread: float, slowest_ghz: float = math.inf
) -> float:
    """Return the clock of a die while it computes, at the default cap and a 25 C inlet [GHz].

    `slowest_ghz` is the clock of the slowest die that it waits for; none: it waits for nobody [GHz].
    """
    leakage_w = leak_w(model, REFERENCE_INLET_C + junction_k_w * model.cap_w, 1.0)
    asked = step_work(work, model)
    activity, products_a = asked.activity(model), asked.products_a(model)
    return float(own_clock(model, model.cap_w, spread, activity, leakage_w, products_a, slowest_ghz))
