"""Closed-form time of one training step of a dense transformer, by part.

Every part is arithmetic on the shapes of the model, how it is cut, and the fitted numbers of a profile; see
PHYSICS 1 for the formulae and the published tables they are held against. One evaluation takes some 30 us.

References
----------
Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", SC'21 (interleaved 1F1B).
Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.collectives import collective_time_s
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Network,
    Parallel,
    Precision,
    Profile,
    Recompute,
    Stack,
)

__all__ = ["Model", "Parallel", "Precision", "Profile", "Recompute", "Stack", "StepParts", "step_time"]

# Fitted once for all profiles and published tables (PHYSICS 1); no hardware facts.
UNFUSED_ATTENTION_SHARE = 0.6
CAUSAL_SHARE = 0.5
HIDDEN_BY_ATTENTION = 0.7
DATA_EXPOSED_FLOOR = 0.1
P2P_EXPOSED_WHEN_OVERLAPPED = 0.1
P2P_LATENCY_S = 22.4e-6
BACKWARD_LAUNCH = 1.3
DEFERRED_HEAD = 2 / 3
OPTIMIZER_BYTES_PER_WEIGHT = 30


@dataclass(frozen=True, slots=True)
class StepParts:
    """Where the time of one step goes.

    The parts from `productive_s` to `straggler_s` sum to the step; so do `gemm_s`, `memory_bound_s`,
    `communication_s` and `idle_s`, which say what a GPU is busy with, for its power.

    Attributes
    ----------
    productive_s
        Matrix products, attention, elementwise work, head and optimizer, recomputation included [s].
    exposed_tensor_s, exposed_pipeline_s, exposed_data_s, exposed_context_s, exposed_expert_s
        Communication that nothing hides [s].
    pipeline_bubble_s
        Stages that wait for the pipeline to fill and to drain [s].
    launch_s
        Waiting for the CPU to launch kernels, and the fixed time of a step [s].
    straggler_s
        Waiting for the slowest of many domains [s].
    gemm_s, memory_bound_s, communication_s, idle_s
        Busy with matrix products and attention, with memory traffic, with communication, and not busy [s].
    gemm_scaling_s
        The part of the step that scales with 1 / clock, its share of bubble and straggler included [s].
    model_flop
        Model FLOP of the step over all GPUs [FLOP].
    mfu
        Model FLOP utilisation against the dense peak of the precision.
    """

    productive_s: float
    exposed_tensor_s: float
    exposed_pipeline_s: float
    exposed_data_s: float
    exposed_context_s: float
    exposed_expert_s: float
    pipeline_bubble_s: float
    launch_s: float
    straggler_s: float
    gemm_s: float
    memory_bound_s: float
    communication_s: float
    idle_s: float
    gemm_scaling_s: float
    model_flop: float
    mfu: float

    @property
    def overhead_s(self) -> float:
        """Launch bound, fixed time and stragglers [s]."""
        return self.launch_s + self.straggler_s

    @property
    def step_s(self) -> float:
        """Time of the step at the reference clock [s]."""
        return (
            self.productive_s
            + self.exposed_tensor_s
            + self.exposed_pipeline_s
            + self.exposed_data_s
            + self.exposed_context_s
            + self.exposed_expert_s
            + self.pipeline_bubble_s
            + self.launch_s
            + self.straggler_s
        )

    def step_at_s(self, clock_ratio: float) -> float:
        """Return the step time [s] with GPUs at `clock_ratio` of the reference clock (1 = reference)."""
        return self.step_s + self.gemm_scaling_s * (1.0 / clock_ratio - 1.0)


@dataclass(frozen=True, slots=True)
class _Work:
    """Busy time of a piece of the step: matrix products, memory-bound operations [s]."""

    gemm_s: float
    memory_s: float

    @property
    def total_s(self) -> float:
        return self.gemm_s + self.memory_s


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer and microbatch: forward and backward (with recomputation) and what they contain [s]."""

    forward_s: float
    backward_s: float
    work: _Work
    tensor_s: float
    context_s: float
    launch_s: float

    @property
    def total_s(self) -> float:
        return self.forward_s + self.backward_s + self.launch_s


def step_time(
    model: Model, parallel: Parallel, stack: Stack, profile: Profile, network: Network = FULL_NETWORK
) -> StepParts:
    """Return the time of one training step, by part.

    Parameters
    ----------
    model
        Shapes of the transformer.
    parallel
        How it is cut; all degrees at least 1. Whether the cut is legal is not checked here.
    stack
        What the software does.
    profile
        Fitted numbers of the hardware and stack.
    network
        What the fabric gives the job on its places.

    Returns
    -------
    StepParts
        Parts in [s] that sum to the step.
    """
    p, v, n_mb = parallel.pp, parallel.vp, parallel.microbatches
    stage_layers = model.layers / p
    layer = _layer(model, parallel, stack, profile, network)
    head = _head(model, parallel, stack, profile)
    p2p_s = _pipeline_transfer_s(model, parallel, stack, profile, network)
    data_s = _exposed_data_s(model, parallel, stack, profile, network, layer, head)
    optimizer_s = _optimizer_s(model, parallel, stack, profile)

    bubble_s = (p - 1) / v * (stage_layers * layer.total_s + head.total_s / p + p2p_s)
    bubble_gemm_s = (p - 1) / v * (stage_layers * layer.work.gemm_s + head.gemm_s / p)
    passes = n_mb * stage_layers
    gemm_s = passes * layer.work.gemm_s + n_mb * head.gemm_s
    memory_s = passes * layer.work.memory_s + n_mb * head.memory_s + optimizer_s
    tensor_s = passes * layer.tensor_s
    context_s = passes * layer.context_s
    pipeline_s = n_mb * p2p_s
    communication_s = tensor_s + context_s + pipeline_s + data_s
    launch_s = passes * layer.launch_s + profile.fixed_s

    jitter = profile.jitter_per_doubling * math.log2(max(1.0, parallel.gpus / profile.domain_gpus))
    steady_s = gemm_s + memory_s + communication_s + bubble_s + launch_s
    straggler_s = jitter * steady_s
    step_s = steady_s + straggler_s
    flop = model.step_flop(parallel.global_batch)
    return StepParts(
        productive_s=gemm_s + memory_s,
        exposed_tensor_s=tensor_s,
        exposed_pipeline_s=pipeline_s,
        exposed_data_s=data_s,
        exposed_context_s=context_s,
        exposed_expert_s=0.0,
        pipeline_bubble_s=bubble_s,
        launch_s=launch_s,
        straggler_s=straggler_s,
        gemm_s=gemm_s,
        memory_bound_s=memory_s,
        communication_s=communication_s,
        idle_s=bubble_s + launch_s + straggler_s,
        gemm_scaling_s=(gemm_s + bubble_gemm_s) * (1.0 + jitter),
        model_flop=flop,
        mfu=flop / (profile.peak(stack.precision) * parallel.gpus * step_s),
    )


def _product(m: float, n: float, k: float, peak_flops_s: float, profile: Profile) -> _Work:
    """Return the time of an (m, k) x (k, n) product: the slower of arithmetic and 16-bit operand traffic."""
    flop = 2.0 * m * n * k
    arithmetic_s = flop * (1.0 + math.sqrt(profile.gemm_ramp_flop / flop)) / peak_flops_s
    traffic_s = 2.0 * (m * k + k * n + m * n) / (profile.hbm_bytes_s * profile.hbm_efficiency)
    return _Work(arithmetic_s, 0.0) if arithmetic_s >= traffic_s else _Work(0.0, traffic_s)


def _layer(model: Model, parallel: Parallel, stack: Stack, profile: Profile, network: Network) -> _Layer:
    x = parallel.microbatch * model.seq / parallel.cp
    linear = _linear(x, model, parallel.tp, stack, profile)
    attention, attention_backward = _attention(x, model, parallel.tp, stack, profile)
    norm_width = model.hidden / (parallel.tp if stack.seq_parallel else 1)
    elementwise_bytes = 22 * x * norm_width + 4 * x * model.ffn / parallel.tp
    elementwise_s = elementwise_bytes / (profile.hbm_bytes_s * profile.hbm_efficiency)
    tensor_s, tensor_backward_s = _tensor(x, model, parallel.tp, stack, profile, network)
    context_s, context_backward_s = _context(
        x, model, parallel, attention, attention_backward, profile, network
    )

    gemm = linear.gemm_s + attention.gemm_s
    memory = linear.memory_s + attention.memory_s + elementwise_s
    gemm_backward = 2 * linear.gemm_s + attention_backward.gemm_s
    memory_backward = 2 * linear.memory_s + attention_backward.memory_s + 1.5 * elementwise_s
    forward_s = gemm + memory + tensor_s + context_s
    if stack.recompute == "full":
        gemm_backward += gemm
        memory_backward += memory
        tensor_backward_s += tensor_s
        context_backward_s += context_s
    elif stack.recompute == "selective" and not stack.flash:
        gemm_backward += attention.gemm_s
        memory_backward += attention.memory_s
    backward_s = gemm_backward + memory_backward + tensor_backward_s + context_backward_s
    return _Layer(
        forward_s=forward_s,
        backward_s=backward_s,
        work=_Work(gemm + gemm_backward, memory + memory_backward),
        tensor_s=tensor_s + tensor_backward_s,
        context_s=context_s + context_backward_s,
        launch_s=max(0.0, stack.launch_s - forward_s)
        + max(0.0, BACKWARD_LAUNCH * stack.launch_s - backward_s),
    )


def _linear(x: float, model: Model, t: int, stack: Stack, profile: Profile) -> _Work:
    """Forward pass of the four linear layers, the only ones that gain from 8-bit."""
    peak = profile.peak_flops_s * profile.gemm_efficiency
    if stack.precision == "fp8":
        peak = profile.peak8_flops_s * profile.fp8_efficiency * profile.gemm_efficiency
    h, f = model.hidden, model.ffn
    qkv = _product(x, (h + 2 * h * model.kv_heads / model.heads) / t, h, peak, profile)
    out = _product(x, h, h / t, peak, profile)
    up = _product(x, (2 * f if model.gated else f) / t, h, peak, profile)
    down = _product(x, h, f / t, peak, profile)
    return _Work(
        qkv.gemm_s + out.gemm_s + up.gemm_s + down.gemm_s,
        qkv.memory_s + out.memory_s + up.memory_s + down.memory_s,
    )


def _attention(x: float, model: Model, t: int, stack: Stack, profile: Profile) -> tuple[_Work, _Work]:
    """Forward and backward pass of attention; unfused ones also move the score matrix."""
    flop = 4.0 * x * model.seq * model.hidden / t
    if stack.flash:
        fused_s = CAUSAL_SHARE * flop / (profile.peak_flops_s * profile.attention_efficiency)
        return _Work(fused_s, 0.0), _Work(2.5 * fused_s, 0.0)
    products_s = flop / (profile.peak_flops_s * profile.gemm_efficiency * UNFUSED_ATTENTION_SHARE)
    score_s = x * model.seq * model.heads / t / (profile.hbm_bytes_s * profile.hbm_efficiency)
    return _Work(products_s, 11 * score_s), _Work(2 * products_s, 14 * score_s)


def _tensor(
    x: float, model: Model, t: int, stack: Stack, profile: Profile, network: Network
) -> tuple[float, float]:
    """Exposed tensor-parallel communication of a layer, forward and backward [s]."""
    if t == 1:
        return 0.0, 0.0
    size, nloc = 2.0 * x * model.hidden, min(t, profile.domain_gpus)
    links = profile.links_over(network.tensor, network.hop_extra_s)
    exposed = profile.tensor_exposed if stack.tp_overlap else 1.0
    if stack.seq_parallel:
        gather_s = collective_time_s("all_gather", size, t, nloc, links)
        pair_s = gather_s + collective_time_s("reduce_scatter", size, t, nloc, links)
        return exposed * 2 * pair_s, exposed * (2 * pair_s + gather_s)
    reduce_s = collective_time_s("all_reduce", size, t, nloc, links)
    return exposed * 2 * reduce_s, exposed * 2 * reduce_s


def _context(
    x: float,
    model: Model,
    parallel: Parallel,
    attention: _Work,
    backward: _Work,
    profile: Profile,
    network: Network,
) -> tuple[float, float]:
    """Exposed gathering of keys and values over the context group, forward and backward [s]."""
    c = parallel.cp
    if c == 1:
        return 0.0, 0.0
    size = 2 * 2 * x * c * (model.hidden * model.kv_heads / model.heads) / parallel.tp
    nloc = max(1, min(c, profile.domain_gpus // parallel.tp))
    links = profile.links_over(network.context, network.hop_extra_s)
    gather_s = collective_time_s("all_gather", size, c, nloc, links)
    return (
        max(0.0, gather_s - HIDDEN_BY_ATTENTION * attention.total_s),
        max(0.0, 2 * gather_s - HIDDEN_BY_ATTENTION * backward.total_s),
    )


def _head(model: Model, parallel: Parallel, stack: Stack, profile: Profile) -> _Work:
    """Output projection and loss of a microbatch, forward and backward."""
    x = parallel.microbatch * model.seq / parallel.cp
    peak = profile.peak_flops_s * profile.gemm_efficiency
    product = _product(x, model.vocab / parallel.tp, model.hidden, peak, profile)
    loss_s = 12 * x * model.vocab / parallel.tp / (profile.hbm_bytes_s * profile.hbm_efficiency)
    kept = DEFERRED_HEAD if stack.deferred_head else 1.0
    return _Work(kept * 3 * product.gemm_s, kept * (3 * product.memory_s + loss_s))


def _pipeline_transfer_s(
    model: Model, parallel: Parallel, stack: Stack, profile: Profile, network: Network
) -> float:
    """Exposed stage-to-stage transfers of a microbatch, both directions [s]."""
    if parallel.pp == 1:
        return 0.0
    x = parallel.microbatch * model.seq / parallel.cp
    links = profile.links_over(network.pipeline, network.hop_extra_s)
    wire_s = 2 * x * model.hidden / parallel.tp / links.scale_out_bytes_s
    exposed = P2P_EXPOSED_WHEN_OVERLAPPED if stack.p2p_overlap else 1.0
    return 2 * parallel.vp * (P2P_LATENCY_S + links.hop_extra_s + wire_s) * profile.p2p_factor * exposed


def rank_weights(model: Model, parallel: Parallel) -> float:
    """Return the weights that a GPU of the heaviest stage holds: its layers and one whole embedding."""
    stage = model.layers / parallel.pp * model.layer_parameters
    return (stage + model.vocab * model.hidden) / parallel.tp


def _exposed_data_s(
    model: Model,
    parallel: Parallel,
    stack: Stack,
    profile: Profile,
    network: Network,
    layer: _Layer,
    head: _Work,
) -> float:
    """Exposed gradient reduction and weight gathering [s]; overlapped they hide in a microbatch."""
    n = parallel.dp * parallel.cp
    if n == 1:
        return 0.0
    nloc = max(1, min(n, profile.domain_gpus // parallel.tp))
    weights = rank_weights(model, parallel)
    links = profile.links_over(network.data, network.hop_extra_s)
    if stack.sharding != "none":
        reduce_s = collective_time_s("reduce_scatter", stack.grad_bytes * weights, n, nloc, links)
        gather_s = collective_time_s("all_gather", 2 * weights, n, nloc, links)
    else:
        reduce_s = collective_time_s("all_reduce", stack.grad_bytes * weights, n, nloc, links)
        gather_s = 0.0
    if not stack.dp_overlap:
        return reduce_s + gather_s
    stage_layers = model.layers / parallel.pp
    backward_s = stage_layers * layer.backward_s + 2 / 3 * head.total_s
    forward_s = stage_layers * layer.forward_s + 1 / 3 * head.total_s
    return max(0.0, reduce_s - backward_s, DATA_EXPOSED_FLOOR * reduce_s) + max(
        0.0, gather_s - forward_s, DATA_EXPOSED_FLOOR * gather_s
    )


def _optimizer_s(model: Model, parallel: Parallel, stack: Stack, profile: Profile) -> float:
    shards = parallel.dp * parallel.cp if stack.sharding != "none" else 1
    traffic = OPTIMIZER_BYTES_PER_WEIGHT * rank_weights(model, parallel) / shards
    return traffic / (profile.hbm_bytes_s * profile.hbm_efficiency)
