"""A training job on hardware: step time by part, memory, and whether it fits.

One piece of code for the engine, `twin estimate`, `twin plan` and the job dialog.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from twin.physics.checkpoint import checkpoint_bytes
from twin.physics.memory import OPTIMIZER_BYTES, WEIGHT_BYTES, MemoryParts, memory_per_gpu
from twin.physics.roofline import GRADIENT_BYTES, SampleWork, data_parallel_step
from twin.physics.training import StepParts, step_time
from twin.physics.training_inputs import Model, Parallel, Precision, Profile, Recompute, Stack
from twin.planning.models import load_model
from twin.planning.profiles import CalibratedProfile, Confidence, load_calibrated
from twin.planning.search import MEMORY_SHARE

TOKEN_BYTES = 4


class PlanError(ValueError):
    """A job is cut in a way that no software runs; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class LlmJob:
    """A dense transformer in training.

    Attributes
    ----------
    model
        Preset name such as "llama3-405b", or a shape.
    parallel
        How it is cut; `cut` makes one from a number of GPUs.
    profile
        Name of a profile, such as "h100".
    stack
        What the software does; none: the profile's, see `default_stack`.
    gpu_bytes
        Memory of a GPU [B]; none: the profile's.
    scale_out_bytes_s
        Network bandwidth of a GPU and direction [B/s], lower when links are lost; none: the profile's.
    """

    model: str | Model
    parallel: Parallel
    profile: str
    stack: Stack | None = None
    gpu_bytes: float | None = None
    scale_out_bytes_s: float | None = None


@dataclass(frozen=True, slots=True)
class VisionJob:
    """A vision or video model in data-parallel training.

    Attributes
    ----------
    gpus
        GPUs of the job.
    profile
        Name of a profile, such as "h100".
    sample_flop
        Model FLOP of one sample, forward and backward [FLOP].
    sample_bytes
        Input read for one sample [B].
    parameters
        Weights of the model.
    batch_per_gpu
        Samples of one step on one GPU.
    efficiency
        Achieved share of the 16-bit peak, 0..1.
    sample_hbm_bytes
        Traffic of one sample between GPU and memory [B]; 0 when unknown.
    sample_activation_bytes
        Kept for the backward pass of one sample [B]; 0 when unknown.
    gpu_bytes, scale_out_bytes_s
        As for `LlmJob`.
    """

    gpus: int
    profile: str
    sample_flop: float
    sample_bytes: float
    parameters: float
    batch_per_gpu: int
    efficiency: float = 0.35
    sample_hbm_bytes: float = 0.0
    sample_activation_bytes: float = 0.0
    gpu_bytes: float | None = None
    scale_out_bytes_s: float | None = None


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """What a job does on its hardware.

    Attributes
    ----------
    kind
        "llm" or "vision".
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

    kind: Literal["llm", "vision"]
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


def estimate(job: LlmJob | VisionJob) -> JobEstimate:
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
    return _llm(job) if isinstance(job, LlmJob) else _vision(job)


def cut(
    gpus: int, global_batch: int, *, tp: int = 1, pp: int = 1, cp: int = 1, vp: int = 1, microbatch: int = 1
) -> Parallel:
    """Return how a job is cut over a number of GPUs; data parallelism is what remains.

    Raises
    ------
    PlanError
        When the degrees do not divide the GPUs or the batch does not divide into microbatches.
    """
    group = tp * pp * cp
    if gpus % group:
        raise PlanError(
            f"{gpus} GPUs are no multiple of tensor {tp} x pipeline {pp} x context {cp} = {group}"
        )
    parallel = Parallel(tp, pp, cp, gpus // group, vp, microbatch, global_batch)
    if not parallel.microbatches.is_integer() or parallel.microbatches < 1:
        raise PlanError(
            f"a global batch of {global_batch} is no multiple of "
            f"data parallel {parallel.dp} x microbatch {microbatch} = {parallel.dp * microbatch}"
        )
    return parallel


def default_stack(
    profile: str, model: str | Model, precision: Precision = "bf16", recompute: Recompute | None = None
) -> Stack:
    """Return the stack of a profile for a model; the deferred head only where the model's preset has it.

    Parameters
    ----------
    profile
        Name of a profile.
    model
        Preset name or shape.
    precision
        Of the linear layers.
    recompute
        None: the profile's.
    """
    stack = load_calibrated(profile).stack
    deferred = isinstance(model, str) and load_model(model).deferred_head
    return replace(
        stack,
        precision=precision,
        recompute=stack.recompute if recompute is None else recompute,
        deferred_head=stack.deferred_head and deferred,
    )


def _llm(job: LlmJob) -> JobEstimate:
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    calibrated = load_calibrated(job.profile)
    profile = _on_network(calibrated, job.scale_out_bytes_s)
    stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
    _refuse_illegal(model, job.parallel)
    memory = memory_per_gpu(model, job.parallel, stack)
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    return JobEstimate(
        kind="llm",
        gpus=job.parallel.gpus,
        parts=step_time(model, job.parallel, stack, profile),
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=_fits(memory, gpu_bytes),
        reason=_memory_reason(memory, gpu_bytes),
        parameters=model.parameters,
        checkpoint_bytes=checkpoint_bytes(model.parameters),
        input_bytes=float(TOKEN_BYTES * model.seq * job.parallel.global_batch),
        confidence=calibrated.confidence,
    )


def _vision(job: VisionJob) -> JobEstimate:
    calibrated = load_calibrated(job.profile)
    profile = _on_network(calibrated, job.scale_out_bytes_s)
    memory = MemoryParts(
        weights_bytes=WEIGHT_BYTES * job.parameters,
        gradients_bytes=GRADIENT_BYTES * job.parameters,
        optimizer_bytes=OPTIMIZER_BYTES * job.parameters,
        activations_bytes=job.sample_activation_bytes * job.batch_per_gpu,
    )
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    work = SampleWork(job.sample_flop, job.sample_hbm_bytes, job.efficiency)
    return JobEstimate(
        kind="vision",
        gpus=job.gpus,
        parts=data_parallel_step(work, job.parameters, job.batch_per_gpu, job.gpus, profile),
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=_fits(memory, gpu_bytes),
        reason=_memory_reason(memory, gpu_bytes),
        parameters=job.parameters,
        checkpoint_bytes=checkpoint_bytes(job.parameters),
        input_bytes=job.sample_bytes * job.batch_per_gpu * job.gpus,
        # Work and efficiency of a sample are the user's own figures, whatever the profile was fitted to.
        confidence="uncalibrated",
    )


def _on_network(calibrated: CalibratedProfile, scale_out_bytes_s: float | None) -> Profile:
    if scale_out_bytes_s is None:
        return calibrated.profile
    return replace(calibrated.profile, scale_out_bytes_s=scale_out_bytes_s)


def _refuse_illegal(model: Model, parallel: Parallel) -> None:
    if parallel.microbatches < 1 or not parallel.microbatches.is_integer():
        raise PlanError(
            f"a global batch of {parallel.global_batch} is no multiple of "
            f"data parallel {parallel.dp} x microbatch {parallel.microbatch}"
        )
    if model.heads % parallel.tp:
        raise PlanError(f"tensor parallel {parallel.tp} does not divide {model.heads} attention heads")
    if parallel.pp * parallel.vp > model.layers:
        stages = f"{parallel.pp} pipeline stages x {parallel.vp} interleaved"
        raise PlanError(f"{stages} are more than {model.layers:g} layers")
    if model.seq % parallel.cp:
        raise PlanError(f"context parallel {parallel.cp} does not divide {model.seq} tokens")


def _fits(memory: MemoryParts, gpu_bytes: float) -> bool:
    return memory.total_bytes <= MEMORY_SHARE * gpu_bytes


def _memory_reason(memory: MemoryParts, gpu_bytes: float) -> str:
    if _fits(memory, gpu_bytes):
        return ""
    state_bytes = memory.total_bytes - memory.activations_bytes
    return (
        f"needs {memory.total_bytes / 1e9:.1f} GB of {MEMORY_SHARE * gpu_bytes / 1e9:.1f} GB usable on a GPU "
        f"(model state {state_bytes / 1e9:.1f}, activations {memory.activations_bytes / 1e9:.1f})"
    )
