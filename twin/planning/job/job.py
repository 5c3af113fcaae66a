"""A job on hardware: step time by part, memory, and whether it fits.

One piece of code for the engine, `twin estimate`, `twin plan` and the job dialog.
"""

from __future__ import annotations

from twin.planning.job.hpc import HpcJob, estimate_hpc
from twin.planning.job.inference import InferenceJob, estimate_inference
from twin.planning.job.llm import LlmJob, cut, default_stack, estimate_llm
from twin.planning.job.load import LoadJob, estimate_load
from twin.planning.job.reinforcement import ReinforcementJob, estimate_reinforcement
from twin.planning.job.result import JobEstimate, PlanError
from twin.planning.job.training_facts import described
from twin.planning.job.vision import VisionJob, estimate_vision

__all__ = [
    "AnyJob",
    "HpcJob",
    "InferenceJob",
    "JobEstimate",
    "LlmJob",
    "LoadJob",
    "PlanError",
    "ReinforcementJob",
    "VisionJob",
    "cut",
    "default_stack",
    "estimate",
]

AnyJob = LlmJob | VisionJob | ReinforcementJob | InferenceJob | HpcJob | LoadJob


def estimate(job: AnyJob) -> JobEstimate:
    """Return the estimate of a job on its hardware.

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
        return described(job, estimate_llm(job))
    if isinstance(job, VisionJob):
        return estimate_vision(job)
    if isinstance(job, ReinforcementJob):
        return estimate_reinforcement(job)
    if isinstance(job, InferenceJob):
        return estimate_inference(job)
    if isinstance(job, LoadJob):
        return estimate_load(job)
    return estimate_hpc(job)
