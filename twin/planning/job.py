"""A job on hardware: step time by part, memory, and whether it fits.

One piece of code for the engine, `twin estimate`, `twin plan` and the job dialog.
"""

from __future__ import annotations

from twin.planning.llm import LlmJob, cut, default_stack, estimate_llm
from twin.planning.result import JobEstimate, PlanError
from twin.planning.vision import VisionJob, estimate_vision

__all__ = ["AnyJob", "JobEstimate", "LlmJob", "PlanError", "VisionJob", "cut", "default_stack", "estimate"]

AnyJob = LlmJob | VisionJob


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
        return estimate_llm(job)
    return estimate_vision(job)
