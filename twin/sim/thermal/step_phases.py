"""What GPUs of a synchronous job draw through a step: while they compute, and while they all wait."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twin.physics.gpu_power import dynamic_unit_w
from twin.physics.swings import RAMP_S, woven
from twin.sim.jobs.gpu_load import least_activity, phase_activity, step_work
from twin.sim.thermal.clocks import Clocks


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


def step_phases(clocks: Clocks, job: int) -> PowerPhases | None:
    """Return what the mean GPU of `job` draws through a step at present clocks, leakage aside; None: no steps.

    A GPU that is done sooner than the slowest waits layer by layer, so that this lowers the level at which it computes.
    """
    traces, jobs = clocks.traces, clocks.jobs
    stepping = [
        (part, members[traces.trace[members] % 2 == 0]) for part, members in traces.of_job.get(job, [])
    ]
    gpus = sum(float(traces.groups.n[members].sum()) for _, members in stepping)
    if not gpus or job not in clocks.job_clock:
        return None
    work, slowest, floor = jobs.work[job], clocks.job_clock[job], jobs.specs[job].power_floor
    groups, high_w, low_w = traces.groups, 0.0, 0.0
    slower = slowest.reference / slowest.now
    gemm_s, memory_s = work.gemm_s * slower, work.memory_s / slowest.memory
    busy_s = gemm_s + memory_s + work.close_s
    step_s = max(jobs.pace[job].step_s, busy_s)
    rest_s = min(work.rest_s, step_s - busy_s)
    for part, members in stepping:
        model, ghz, n = clocks.models[part], clocks.clock_ghz[members], groups.n[members]
        spread, sooner = np.ones(len(members)), np.zeros(len(members))
        if work.gpu_load is None:
            spread = groups.mean_s[members]
            ghz = clocks.own.of_mean(members, spread, model)
            sooner = np.maximum(0.0, 1.0 - clocks.reference_ghz(job, part) / slower / ghz)
        mean_w = spread * dynamic_unit_w(model, ghz, 1.0)
        least = least_activity(model, ghz, phase_activity(work, model), floor)
        talking = np.maximum(model.a_comm, least)
        low = talking
        if step_s > busy_s:
            low = (talking * (step_s - busy_s - rest_s) + least * rest_s) / (step_s - busy_s)
        asked = step_work(work, model)._replace(gemm_s=gemm_s, memory_s=memory_s)  # as the slowest takes it
        products = asked.gemm_s / asked.busy_s if asked.busy_s > 0.0 else 0.0
        high = asked.activity(model) - products * sooner * (asked.gemm_a - talking)
        high_w = sum((n * (model.idle_w + mean_w * high)).tolist(), high_w)
        low_w = sum((n * (model.idle_w + mean_w * low)).tolist(), low_w)
    between_w, duty = woven(high_w / gpus, low_w / gpus, busy_s, step_s, work.once)
    return PowerPhases(between_w, low_w / gpus, step_s, duty, RAMP_S)
