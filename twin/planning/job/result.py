"""The estimate of a job: time by part, memory by part, and whether it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.physics.memory import MemoryParts
from twin.physics.training import StepParts
from twin.planning.profile.profiles import Confidence
from twin.planning.profile.standing import Standing, standing_of, tip_of
from twin.planning.profile.uncertainty import Interval

JobKind = Literal["llm", "vision", "reinforcement", "inference", "hpc", "load"]
MEMORY_SHARE = 0.95
"""Of a GPU's memory that a plan may fill; the rest goes to buffers and fragmentation."""


class PlanError(ValueError):
    """A job is cut in a way that no software runs; the message names a valid cut.

    Parameters
    ----------
    reason
        In words.
    keys
        Fields that it speaks of, the first one most: paths in a workload, such as ``parallelism.tensor``, or ``gpus``.
    """

    def __init__(self, reason: str, *keys: str) -> None:
        super().__init__(reason)
        self.keys = keys

    @property
    def key(self) -> str:
        """Return the field that it speaks of first; "" where it is none."""
        return next(iter(self.keys), "")


@dataclass(frozen=True, slots=True)
class StepPhase:
    """One of the phases that follow each other in a step.

    Attributes
    ----------
    name
        For people.
    seconds
        How long it takes [s].
    """

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Service:
    """How a served model answers under its offered load.

    Attributes
    ----------
    replicas
        Copies of the model that answer independently.
    first_token_s, token_s
        Time to the first token, without waiting in a queue, and time for each further one of a request [s].
    batch, batch_limit
        Requests that a replica decodes at once in the mean, and at most.
    output_tokens_s, capacity_requests_s
        Tokens answered in a second by all replicas, and requests they could answer [1/s].
    utilisation
        Share of the time in which a replica computes, 0..1.
    overloaded
        Whether more is asked than can be answered; the queue then grows for ever.
    """

    replicas: int
    first_token_s: float
    token_s: float
    batch: float
    batch_limit: int
    output_tokens_s: float
    capacity_requests_s: float
    utilisation: float
    overloaded: bool


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """Estimated times and memory of a job on its hardware.

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
    unit_of_work, work_per_step
        What a step gets done, for people ("tokens", "samples", "paths", "cells"), and how much of it in one step.
    hbm_bytes
        Traffic between GPUs and their memory in one step, over all GPUs [B]; 0 when unknown.
    low_confidence
        What of this estimate no published measurement stands behind, for people; empty when all is well.
    service
        How requests are answered; none but for inference.
    interval
        Where nine in ten measured step times are expected; none where nothing says.
    phases
        What a step is made of one after the other, each with its time [s]; empty when it is one piece.
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
    unit_of_work: str = ""
    work_per_step: float = 0.0
    hbm_bytes: float = 0.0
    low_confidence: tuple[str, ...] = ()
    service: Service | None = None
    phases: tuple[StepPhase, ...] = ()
    interval: Interval | None = None

    @property
    def standing(self) -> Standing | None:
        """How sure the step time is, and what follows from it; None where it is given."""
        return standing_of(self.kind, self.confidence, self.interval)

    @property
    def standing_tip(self) -> str:
        """Why it is as sure as that, and the error that is expected: a sentence a line."""
        return tip_of(self.standing, self.interval, self.low_confidence) if self.standing is not None else ""

    @property
    def rate_s(self) -> float:
        """Units of work of the whole job in a second [1/s]."""
        return self.work_per_step / self.step_s

    @property
    def intensity_flop_byte(self) -> float:
        """Operational intensity: model FLOP for each byte between GPU and memory; 0 when unknown."""
        return self.parts.model_flop / self.hbm_bytes if self.hbm_bytes else 0.0

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
