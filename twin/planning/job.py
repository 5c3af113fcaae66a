"""A job on hardware: step time by part, memory, and whether it fits.

One piece of code for the engine, `twin estimate`, `twin plan` and the job dialog.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from twin.physics.roofline import transformer_traffic_bytes
from twin.physics.training_inputs import Model
from twin.planning.hpc import HpcJob, estimate_hpc
from twin.planning.inference import InferenceJob, estimate_inference
from twin.planning.llm import LlmJob, cut, default_stack, estimate_llm
from twin.planning.models import load_model
from twin.planning.reinforcement import ReinforcementJob, estimate_reinforcement
from twin.planning.result import JobEstimate, PlanError
from twin.planning.vision import VisionJob, estimate_vision

__all__ = [
    "AnyJob",
    "HpcJob",
    "InferenceJob",
    "JobEstimate",
    "LlmJob",
    "PlanError",
    "ReinforcementJob",
    "VisionJob",
    "cut",
    "default_stack",
    "estimate",
]

AnyJob = LlmJob | VisionJob | ReinforcementJob | InferenceJob | HpcJob


def estimate(job: AnyJob) -> JobEstimate:
    """Return what a job does on its hardware.

    Raises
    ------
    PlanError
        When it is cut in a way that cannot run.
    ProfileError
        When its profile or model preset does not exist.

    Examples
    --------
    >>> job = LlmJob("llama3-8b", cut(8, 128, cp=2), "h100")
    >>> round(estimate(job).step_s, 1)
    12.8
    """
    if isinstance(job, LlmJob):
        return _described(job, estimate_llm(job))
    if isinstance(job, VisionJob):
        return estimate_vision(job)
    if isinstance(job, ReinforcementJob):
        return estimate_reinforcement(job)
    if isinstance(job, InferenceJob):
        return estimate_inference(job)
    return estimate_hpc(job)


def _described(job: LlmJob, result: JobEstimate) -> JobEstimate:
    """Return the estimate of a training run with what people ask beside its time: tokens, traffic, doubts."""
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
    return replace(
        result,
        unit_of_work="tokens",
        work_per_step=float(job.parallel.global_batch * model.seq),
        hbm_bytes=transformer_traffic_bytes(model, job.parallel, stack),
        low_confidence=tuple(_doubts(job, result, model)),
    )


def _doubts(job: LlmJob, result: JobEstimate, model: Model) -> Iterator[str]:
    if model.experts is not None:
        yield "No published table of step times validates mixtures of experts."
    elif result.confidence == "uncalibrated":
        yield "No published run backs the profile of this GPU."
    if job.parallel.ep > 1:
        yield "The exchange between experts is by formula; nothing measured was fitted."
    slow = job.network
    if min(slow.data, slow.pipeline, slow.tensor, slow.context, slow.expert) < 1.0 or slow.hop_extra_s > 0.0:
        yield "The fabric gives less than the one the profile was fitted on; how steps suffer is by formula."
