"""Numerical simulation on hardware: grids that exchange halos, and independent paths that exchange nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from twin.language import tr
from twin.physics.gemm import memory_rate
from twin.physics.memory import MemoryParts
from twin.physics.stencil import Halo, halo_exchange, roofline
from twin.physics.training import StepParts
from twin.physics.training_inputs import FULL_NETWORK, Profile, TrainingNetwork
from twin.planning.job.result import MEMORY_SHARE, JobEstimate, fits
from twin.planning.job.vector_peaks import vector_peak_flops_s
from twin.planning.profile.adapted import base_name
from twin.planning.profile.profiles import load_calibrated
from twin.scenario.schema.work import Hpc, MonteCarlo, Stencil

DOUBTS = ("FLOP, bytes and efficiency of the code are user input, uncalibrated.",)


@dataclass(frozen=True, slots=True)
class HpcJob:
    """Numerical simulation.

    Attributes
    ----------
    workload
        As a scenario has it.
    gpus
        GPUs of the job.
    profile
        Name of a profile, such as "h100".
    gpu
        Its name in the catalogue, such as "H100-SXM", for peaks that no profile has.
    gpu_bytes, network
        As for `LlmJob`.
    """

    workload: Hpc
    gpus: int
    profile: str
    gpu: str
    gpu_bytes: float | None = None
    network: TrainingNetwork = FULL_NETWORK

    @property
    def halo_bytes(self) -> float:
        """Sent between nodes by one GPU in a step [B]."""
        problem = self.workload.problem
        if isinstance(problem, MonteCarlo):
            return 0.0
        return _halo(problem, self.gpus, load_calibrated(self.profile).profile, self.network).far_bytes


def estimate_hpc(job: HpcJob) -> JobEstimate:
    """Return the estimate of a simulation on its hardware; raises as `twin.planning.job.job.estimate`."""
    problem, profile = job.workload.problem, load_calibrated(job.profile).profile
    if isinstance(problem, Stencil):
        count = float(math.prod(problem.cells))
        flop, traffic, unit = count * problem.cell_flop, count * problem.cell_bytes, tr("cells")
        state_bytes = count * problem.state_bytes / job.gpus
        saved_bytes = count * problem.state_bytes
        halo_s = _halo(problem, job.gpus, profile, job.network).total_s
        jitter = profile.jitter_per_doubling * math.log2(max(1.0, job.gpus / profile.domain_gpus))
    else:
        count = problem.paths
        flop, traffic, unit = count * problem.path_flop, count * problem.path_bytes, tr("paths")
        state_bytes, saved_bytes, halo_s, jitter = problem.state_bytes, problem.result_bytes, 0.0, 0.0
    peak = profile.peak_flops_s
    if problem.precision != "bf16":
        peak = _vector_peak_flops_s(job, problem.precision)
    busy = roofline(flop / job.gpus, traffic / job.gpus, peak * problem.efficiency, memory_rate(profile))
    straggler_s = jitter * (busy.total_s + halo_s)
    memory = MemoryParts(0.0, 0.0, 0.0, 0.0, working_bytes=state_bytes)
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    roomy = fits(memory, gpu_bytes)
    return JobEstimate(
        kind="hpc",
        gpus=job.gpus,
        parts=StepParts(
            productive_s=busy.total_s,
            exposed_tensor_s=0.0,
            exposed_pipeline_s=halo_s,  # neighbour to neighbour, as between pipeline stages
            exposed_data_s=0.0,
            exposed_context_s=0.0,
            exposed_expert_s=0.0,
            pipeline_bubble_s=0.0,
            launch_s=0.0,
            straggler_s=straggler_s,
            gemm_s=busy.arithmetic_s,
            memory_bound_s=busy.memory_s,
            communication_s=halo_s,
            idle_s=straggler_s,
            gemm_scaling_s=busy.arithmetic_s * (1.0 + jitter),
            model_flop=flop,
            mfu=flop / (peak * job.gpus * (busy.total_s + halo_s + straggler_s)),
        ),
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=roomy,
        reason="" if roomy else _reason(state_bytes, gpu_bytes),
        parameters=0.0,
        checkpoint_bytes=saved_bytes,
        input_bytes=job.workload.step_input_bytes,
        confidence="uncalibrated",
        unit_of_work=unit,
        work_per_step=count,
        hbm_bytes=traffic,
        low_confidence=DOUBTS,
    )


def _vector_peak_flops_s(job: HpcJob, precision: Literal["fp64", "fp32"]) -> float:
    """Return the peak of a GPU; of an own one that of the GPU whose profile it borrows, scaled as its 16-bit peak."""
    base = load_calibrated(base_name(job.profile))
    if job.profile == base.name or job.gpu in base.gpus:
        return vector_peak_flops_s(job.gpu, precision)
    factor = load_calibrated(job.profile).profile.peak_flops_s / base.profile.peak_flops_s
    return factor * vector_peak_flops_s(base.gpus[0], precision)


def _halo(problem: Stencil, gpus: int, profile: Profile, network: TrainingNetwork) -> Halo:
    links = profile.links_over(network.pipeline, network.hop_extra_s)
    x, y, z = problem.cells
    return halo_exchange(
        (float(x), float(y), float(z)),
        gpus,
        profile.domain_gpus,
        problem.halo,
        problem.halo_bytes,
        problem.exchanges,
        links,
    )


def _reason(state_bytes: float, gpu_bytes: float) -> str:
    return (
        f"needs {state_bytes / 1e9:.1f} GB of {MEMORY_SHARE * gpu_bytes / 1e9:.1f} GB usable on a GPU "
        "(fields of the grid, or state of the paths)"
    )
