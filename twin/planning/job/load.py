"""A job of which only the power is known: a benchmark of power, or the telemetry of a machine played back."""

from __future__ import annotations

from dataclasses import dataclass

from twin.physics.memory import MemoryParts
from twin.physics.training import StepParts
from twin.planning.job.result import JobEstimate
from twin.scenario.schema.work import Load

DOUBTS = (
    "The scene gives the power of this load, not its computation: under a power cap or thermal throttling its steps "
    "lengthen as the clock falls.",
)


@dataclass(frozen=True, slots=True)
class LoadJob:
    """Work on hardware whose power is given.

    Attributes
    ----------
    workload
        As a scenario has it.
    gpus
        GPUs of the job.
    gpu_bytes
        Memory of one [B].
    """

    workload: Load
    gpus: int
    gpu_bytes: float


def node_load(workload: Load) -> float:
    """Return the utilisation of the nodes besides their GPUs, 0..1."""
    return workload.gpu if workload.cpu is None else workload.cpu


def estimate_load(job: LoadJob) -> JobEstimate:
    """Return the estimate of a plain load: steps of the given length, all productive and at the GPUs' clock.

    It sends nothing, reads nothing, saves nothing, and nothing is known of its memory or arithmetic.
    """
    step_s = job.workload.step_s
    return JobEstimate(
        kind="load",
        gpus=job.gpus,
        parts=StepParts(
            productive_s=step_s,
            exposed_tensor_s=0.0,
            exposed_pipeline_s=0.0,
            exposed_data_s=0.0,
            exposed_context_s=0.0,
            exposed_expert_s=0.0,
            pipeline_bubble_s=0.0,
            launch_s=0.0,
            straggler_s=0.0,
            gemm_s=step_s,
            memory_bound_s=0.0,
            communication_s=0.0,
            idle_s=0.0,
            gemm_scaling_s=step_s,
            model_flop=0.0,
            mfu=0.0,
        ),
        memory=MemoryParts(0.0, 0.0, 0.0, 0.0),
        gpu_bytes=job.gpu_bytes,
        fits=True,
        reason="",
        parameters=0.0,
        checkpoint_bytes=0.0,
        input_bytes=0.0,
        confidence="uncalibrated",
        low_confidence=DOUBTS,
    )
