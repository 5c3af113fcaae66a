"""A job of a scenario on GPUs of the catalogue: the one estimate that the engine and the window share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from twin.planning.job import JobEstimate, LlmJob, VisionJob, cut, default_stack, estimate
from twin.planning.models import load_model
from twin.planning.profiles import profile_for_gpu
from twin.plant.tables import Plant
from twin.scenario.work import Job, LlmTraining, VisionTraining


def allowed_nodes(plant: Plant, rows: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which nodes stand in the named row generators, shape (N,); none named: all that are there."""
    if not rows:
        return plant.nodes.present.copy()
    generator = np.array([id.split("/", 1)[0] for id in plant.rows.ids])
    allowed: NDArray[np.bool_] = (
        plant.nodes.present & np.isin(generator, rows)[plant.racks.row[plant.nodes.rack]]
    )
    return allowed


def estimate_of(job: Job, gpus: int, gpu_part: str, gpu_bytes: float) -> JobEstimate:
    """Return what `job` does on its hardware.

    Parameters
    ----------
    job
        As the scenario has it.
    gpus
        GPUs of all its nodes.
    gpu_part
        Their part in the catalogue; it chooses the profile when the job names none.
    gpu_bytes
        Memory of one [B].

    Raises
    ------
    PlanError
        When the job is cut in a way that cannot run.
    ProfileError
        When its model or profile does not exist, or no profile serves the GPU.
    """
    workload = job.workload
    if isinstance(workload, LlmTraining):
        return estimate(_llm(workload, gpus, workload.profile or profile_for_gpu(gpu_part).name, gpu_bytes))
    return estimate(_vision(workload, gpus, profile_for_gpu(gpu_part).name, gpu_bytes))


def _llm(workload: LlmTraining, gpus: int, profile: str, gpu_bytes: float) -> LlmJob:
    cuts = workload.parallelism
    parallel = cut(
        gpus,
        workload.global_batch,
        tp=cuts.tensor,
        pp=cuts.pipeline,
        cp=cuts.context,
        vp=cuts.interleave,
        microbatch=cuts.microbatch,
    )
    model = load_model(workload.model).model
    if workload.sequence is not None:
        model = replace(model, seq=workload.sequence)
    stack = default_stack(profile, workload.model, workload.precision, workload.recompute)
    return LlmJob(model, parallel, profile, stack, gpu_bytes)


def _vision(workload: VisionTraining, gpus: int, profile: str, gpu_bytes: float) -> VisionJob:
    return VisionJob(
        gpus,
        profile,
        workload.sample_flop,
        workload.sample_bytes,
        workload.parameters,
        workload.batch_per_gpu,
        workload.efficiency,
        gpu_bytes=gpu_bytes,
    )
