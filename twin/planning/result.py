"""What the planner says of a job: time by part, memory by part, and whether it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.physics.memory import MemoryParts
from twin.physics.training import StepParts
from twin.planning.profiles import Confidence

JobKind = Literal["llm", "vision", "reinforcement", "inference", "hpc"]
MEMORY_SHARE = 0.95
"""Of a GPU's memory that a plan may fill; the rest goes to buffers and fragmentation."""


class PlanError(ValueError):
    """A job is cut in a way that no software runs; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """What a job does on its hardware.

    Attributes
    ----------
    kind
        Family of the workload.
    gpus
        GPUs of the job.
    parts
        Step time at the reference clock, by part [s].
    memory
        Of the fullest GPU, by part [B].
    gpu_bytes
        Memory of a GPU [B].
    fits, reason
        Whether it fits in 95 % of that, and if not, why; the reason is empty when it does.
    parameters
        Weights of the model.
    checkpoint_bytes
        Size of a checkpoint of the whole job [B].
    input_bytes
        Input that the whole job reads in one step [B].
    confidence
        How far the profile is calibrated.
    """

    kind: JobKind
    gpus: int
    parts: StepParts
    memory: MemoryParts
    gpu_bytes: float
    fits: bool
    reason: str
    parameters: float
    checkpoint_bytes: float
    input_bytes: float
    confidence: Confidence

    @property
    def step_s(self) -> float:
        """Step time at the reference clock [s]."""
        return self.parts.step_s

    @property
    def mfu(self) -> float:
        """Model FLOP utilisation."""
        return self.parts.mfu


def fits(memory: MemoryParts, gpu_bytes: float) -> bool:
    """Return whether a job fits in the share of a GPU's memory that a plan may fill."""
    return memory.total_bytes <= MEMORY_SHARE * gpu_bytes


def memory_reason(memory: MemoryParts, gpu_bytes: float) -> str:
    """Return why a job does not fit, empty when it does."""
    if fits(memory, gpu_bytes):
        return ""
    state_bytes = memory.total_bytes - memory.activations_bytes
    return (
        f"needs {memory.total_bytes / 1e9:.1f} GB of {MEMORY_SHARE * gpu_bytes / 1e9:.1f} GB usable on a GPU "
        f"(model state {state_bytes / 1e9:.1f}, activations {memory.activations_bytes / 1e9:.1f})"
    )
