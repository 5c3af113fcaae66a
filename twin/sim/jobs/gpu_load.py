"""How hard a job drives its GPUs: what its step asks of a die in matrix products, memory, communication and waiting."""

from __future__ import annotations

import math
from typing import NamedTuple

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


class DieDemand(NamedTuple):
    """What jobs ask of the dies of one part: each figure of one job or the same of all, or an array of many.

    Parameters
    ----------
    gemm_a, gemm_s, memory_s, rest_s
        As in `StepWork`.
    activity, products_a
        What follows from it [W/(V^2 GHz)].
    duty
        Share of running time in steps; 1 of a load, which was measured over all its time, whatever it paused for.
    floor
        Share of its working power that a die draws at least while it waits [-].
    """

    gemm_a: Floats | float
    gemm_s: Floats | float
    memory_s: Floats | float
    rest_s: Floats | float
    activity: Floats | float
    products_a: Floats | float
    duty: Floats | float
    floor: Floats | float

    @classmethod
    def of(cls, work: Work, model: GpuPowerModel, floor: float = 0.0) -> DieDemand:
        """Return what a job asks of the dies of a part."""
        step = step_work(work, model)
        duty = 1.0 if work.gpu_load is not None else work.duty
        activity, products_a = step.activity(model), step.products_a(model)
        return cls(step.gemm_a, step.gemm_s, step.memory_s, step.rest_s, activity, products_a, duty, floor)


def least_activity(
    model: GpuPowerModel, ghz: Floats | float, activity: Floats | float, floor: Floats | float
) -> Floats | float:
    """Return the activity that keeps a waiting GPU at a share `floor` of its working power [W/(V^2 GHz)]."""
    if isinstance(floor, float) and floor <= 0.0:
        return 0.0
    unit_w = dynamic_unit_w(model, ghz, 1.0)
    working_w = model.idle_w + unit_w * activity
    result: Floats = np.maximum(0.0, (floor * working_w - model.idle_w) / unit_w)
    return result


def step_w(
    asked: DieDemand,
    model: GpuPowerModel,
    ghz: Floats | float,
    spread: Floats | float,
    reference_ghz: Floats | float,
    step_s: Floats | float,
    *,
    memory_s: Floats | None = None,
) -> Floats:
    """Return the mean dynamic power over a step of dies that work each at its own clock, then wait [W].

    Parameters
    ----------
    asked, model
        What the job asks of them, on which part.
    ghz, spread
        Of each die [GHz, -].
    reference_ghz
        Clock at which it takes the times of `asked` [GHz].
    step_s
        The whole step [s]; what is not work communicates and waits, but for the time nobody asks anything of it.
    memory_s
        In memory traffic, where HBM is slower [s].
    """
    least = least_activity(model, ghz, asked.activity, asked.floor)
    mean_w = synchronous_w(
        model, ghz, spread, asked, step_s, reference_ghz=reference_ghz, memory_s=memory_s, least_a=least
    )
    duty = asked.duty
    if isinstance(duty, float) and duty == 1.0:
        return mean_w
    if isinstance(least, float):
        return duty * mean_w
    paused_w: Floats = (1.0 - duty) * spread * dynamic_unit_w(model, ghz, least)
    return duty * mean_w + paused_w


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
