"""A transformer in training on hardware."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from twin.physics.checkpoint import checkpoint_bytes
from twin.physics.memory import memory_per_gpu
from twin.physics.training import step_time
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Order,
    Parallel,
    Precision,
    Recompute,
    SoftwareStack,
    TrainingNetwork,
)
from twin.planning.job.result import JobEstimate, PlanError, fits, memory_reason
from twin.planning.profile.models import ModelPreset, load_model
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.profile.uncertainty import interval_of

TOKEN_BYTES = 4
_TENSOR, _PIPELINE, _CONTEXT = "parallelism.tensor", "parallelism.pipeline", "parallelism.context"
_EXPERT, _EXPERT_TENSOR = "parallelism.expert", "parallelism.expert_tensor"
_BATCH = ("global_batch", "parallelism.microbatch", "prompts", "samples")
"""Fields of a workload that a refusal speaks of."""


@dataclass(frozen=True, slots=True)
class LlmJob:
    """A transformer in training.

    Attributes
    ----------
    model
        Preset name such as "llama3-405b", or a shape.
    parallel
        How it is cut; `cut` makes one from a number of GPUs.
    profile
        Name of a profile, such as "h100", or one read from a file.
    stack
        What the software does; none: the profile's, see `default_stack`.
    gpu_bytes
        Memory of a GPU [B]; none: the profile's.
    network
        What the fabric gives it on its places; the profile's own network where nobody knows better.
    """

    model: str | Model
    parallel: Parallel
    profile: str | CalibratedProfile
    stack: SoftwareStack | None = None
    gpu_bytes: float | None = None
    network: TrainingNetwork = FULL_NETWORK


def estimate_llm(job: LlmJob) -> JobEstimate:
    """Return the estimate of a transformer in training on its hardware; raises as `twin.planning.job.job.estimate`."""
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    calibrated = _calibrated(job.profile)
    profile = calibrated.profile
    stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
    refuse_illegal(model, job.parallel)
    refuse_attention(stack)
    memory = memory_per_gpu(model, job.parallel, stack)
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    return JobEstimate(
        kind="llm",
        gpus=job.parallel.gpus,
        parts=step_time(model, job.parallel, stack, profile, job.network),
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=fits(memory, gpu_bytes),
        reason=memory_reason(memory, gpu_bytes),
        parameters=model.parameters,
        checkpoint_bytes=checkpoint_bytes(model.parameters),
        input_bytes=float(TOKEN_BYTES * model.seq * job.parallel.global_batch),
        # Nothing was fitted to mixtures of experts, whatever the profile was fitted to.
        confidence=calibrated.confidence if model.experts is None else "uncalibrated",
        interval=interval_of(calibrated, stack.precision, model.experts is not None, job.parallel.gpus),
    )


def cut(
    gpus: int,
    global_batch: int,
    *,
    tp: int = 1,
    pp: int = 1,
    cp: int = 1,
    vp: int = 1,
    microbatch: int = 1,
    ep: int = 1,
    etp: int | None = None,
    order: Order = "data-first",
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
            f"{gpus} GPUs are not a multiple of tensor {tp} x pipeline {pp} x context {cp} = {group}",
            *("gpus", _TENSOR, _PIPELINE, _CONTEXT),
        )
    parallel = Parallel(tp, pp, cp, gpus // group, vp, microbatch, global_batch, ep, etp, order)
    if not parallel.microbatches.is_integer() or parallel.microbatches < 1:
        raise PlanError(
            f"a global batch of {global_batch} is not a multiple of "
            f"data parallel {parallel.dp} x microbatch {microbatch} = {parallel.dp * microbatch}",
            *_BATCH,
        )
    return parallel


def default_stack(
    profile: str | CalibratedProfile,
    model: str | Model | ModelPreset,
    precision: Precision = "bf16",
    recompute: Recompute | None = None,
) -> SoftwareStack:
    """Return the stack of a profile for a model; the deferred head only where the model's preset has it.

    Parameters
    ----------
    profile
        Name of a profile, or one read from a file.
    model
        Preset, its name, or a shape.
    precision
        Of the linear layers.
    recompute
        None: the profile's.
    """
    preset = load_model(model) if isinstance(model, str) else model
    deferred = isinstance(preset, ModelPreset) and preset.deferred_head
    return _changed(_calibrated(profile).stack, precision, recompute, deferred)


@lru_cache(maxsize=256)  # every estimate asks for one of a few
def _changed(
    stack: SoftwareStack, precision: Precision, recompute: Recompute | None, deferred_head: bool
) -> SoftwareStack:
    return replace(
        stack,
        precision=precision,
        recompute=stack.recompute if recompute is None else recompute,
        deferred_head=stack.deferred_head and deferred_head,
    )


def _calibrated(profile: str | CalibratedProfile) -> CalibratedProfile:
    return load_calibrated(profile) if isinstance(profile, str) else profile


def refuse_illegal(model: Model, parallel: Parallel) -> None:
    """Raise `PlanError` when no software runs a model cut like this."""
    if parallel.microbatches < 1 or not parallel.microbatches.is_integer():
        raise PlanError(
            f"a global batch of {parallel.global_batch} is not a multiple of "
            f"data parallel {parallel.dp} x microbatch {parallel.microbatch}",
            *_BATCH,
        )
    refuse_uneven_heads(model)
    if model.heads % parallel.tp:
        raise PlanError(
            f"tensor parallel {parallel.tp} does not divide {model.heads} attention heads", _TENSOR
        )
    if parallel.pp * parallel.vp > model.layers:
        stages = f"{parallel.pp} pipeline stages x {parallel.vp} interleaved"
        raise PlanError(
            f"{stages} are more than {model.layers:g} layers", _PIPELINE, "parallelism.interleave"
        )
    if model.seq % parallel.cp:
        raise PlanError(
            f"context parallel {parallel.cp} does not divide {model.seq} tokens", _CONTEXT, "sequence"
        )
    _refuse_illegal_experts(model, parallel)


def refuse_attention(stack: SoftwareStack) -> None:
    """Raise `PlanError` when no kernel computes attention like this."""
    if stack.attention8 and (stack.flash2 or not stack.flash):
        kernel = "FlashAttention-2" if stack.flash else "unfused attention"
        raise PlanError(
            f"attention in 8 bits needs other kernels than {kernel}", "stack.attention8", "stack.flash2"
        )


def refuse_uneven_heads(model: Model) -> None:
    """Raise `PlanError` where queries cannot share keys and values out evenly, as grouped-query attention does."""
    if model.latent is None and model.heads % model.kv_heads:
        near = max(count for count in range(1, model.kv_heads + 1) if model.heads % count == 0)
        raise PlanError(
            f"{model.kv_heads} key-value heads do not divide {model.heads} attention heads; use {near}",
            "model",
        )


def _refuse_illegal_experts(model: Model, parallel: Parallel) -> None:
    if model.experts is None:
        if parallel.ep > 1 or parallel.etp is not None:
            raise PlanError(f"expert parallel {parallel.ep} needs a model with experts; use 1", _EXPERT)
        return
    if model.experts.count % parallel.ep:
        raise PlanError(
            f"expert parallel {parallel.ep} does not divide {model.experts.count} experts", _EXPERT
        )
    if parallel.expert_tp < 1 or parallel.tp % parallel.expert_tp:
        raise PlanError(
            f"expert tensor parallel {parallel.etp} does not divide tensor parallel {parallel.tp}",
            *(_EXPERT_TENSOR, _TENSOR),
        )
    if parallel.tp * parallel.cp * parallel.dp % (parallel.expert_tp * parallel.ep):
        raise PlanError(
            f"expert parallel {parallel.ep} x {parallel.expert_tp} GPUs for each expert does not divide "
            f"tensor {parallel.tp} x context {parallel.cp} x data parallel {parallel.dp}",
            *(_EXPERT, _EXPERT_TENSOR, _TENSOR, _CONTEXT),
        )
