"""What the planner says of a job: step time, memory, and how far its numbers can be trusted. No widgets."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from twin.app import text
from twin.app.fact_rows import Row, World
from twin.planning.figures import ProfileError
from twin.planning.job import JobEstimate, LlmJob, PlanError, VisionJob, cut, default_stack, estimate
from twin.planning.models import load_model
from twin.planning.profiles import profile_for_gpu
from twin.scenario.work import Job, LlmTraining, VisionTraining

_CONFIDENCE = {
    "calibrated": "The step time was fitted to published runs on this GPU.",
    "derived": "The step time was carried over from a GPU whose published runs were fitted.",
    "uncalibrated": "No published run backs the step time: expect it to be off.",
}


def plan_rows(world: World, job: Job) -> list[Row]:
    """Return step time, memory and confidence of a job by the planner; nothing when it cannot be planned."""
    hardware = _hardware(world, job)
    if hardware is None:
        return []
    try:
        planned = _planned(job, *hardware)
    except (PlanError, ProfileError):
        return []  # such a job is refused before it begins, and said so there
    used = text.quantity(planned.memory.total_bytes, "B")
    whole = text.quantity(planned.gpu_bytes, "B")
    return [
        Row("Step time", text.quantity(planned.step_s, "s"), hint=_CONFIDENCE[planned.confidence]),
        Row("Confidence", planned.confidence, hint=_CONFIDENCE[planned.confidence]),
        Row(
            "Memory of a GPU",
            f"{used} of {whole}",
            hint="Of the fullest GPU: weights, optimizer, activations",
        ),
        Row("Fits in memory", "yes" if planned.fits else f"no: {planned.reason}"),
    ]


def _hardware(world: World, job: Job) -> tuple[int, str, float] | None:
    """Return the GPUs a job asks for, their part, and the memory of one [B]; None without nodes for it."""
    plant = world.plant
    allowed = plant.nodes.present
    if job.rows:
        generators = np.array([id.partition("/")[0] for id in plant.rows.ids])
        allowed = allowed & np.isin(generators, job.rows)[plant.racks.row[plant.nodes.rack]]
    if not allowed.any():
        return None
    node = int(np.argmax(allowed))
    part = plant.gpu_parts[int(plant.gpus.part[int(plant.nodes.gpu_first[node])])]
    return int(plant.nodes.gpu_count[node]) * job.nodes, part, world.catalog.gpu(part).memory_bytes


@lru_cache(maxsize=64)
def _planned(job: Job, gpus: int, part: str, gpu_bytes: float) -> JobEstimate:
    workload = job.workload
    if isinstance(workload, LlmTraining):
        return estimate(_llm(workload, gpus, workload.profile or profile_for_gpu(part).name, gpu_bytes))
    return estimate(_vision(workload, gpus, profile_for_gpu(part).name, gpu_bytes))


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
