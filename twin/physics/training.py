"""Closed-form time of one training step of a transformer, by part.

Every part is arithmetic on the shapes of the model, how it is cut, and the fitted numbers of a profile; see
PHYSICS 1 for the formulae and the published tables they are held against. One evaluation takes some 20 us.
Layers are in `training_layer`, the data-parallel exchange in `sharding`, mixtures of experts in `experts`.

References
----------
Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", SC'21 (interleaved 1F1B).
Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.gemm import BusyTime, memory_rate, product, product_rate
from twin.physics.sharding import (
    DATA_EXPOSED_FLOOR,
    OPTIMIZER_BYTES_PER_WEIGHT,
    exposed_data_s,
    optimizer_s,
    rank_weights,
    replicated_weights,
)
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Parallel,
    Precision,
    Profile,
    Recompute,
    SoftwareStack,
    TrainingNetwork,
)
from twin.physics.training_layer import layer_time

__all__ = [
    "DATA_EXPOSED_FLOOR",
    "OPTIMIZER_BYTES_PER_WEIGHT",
    "Model",
    "Parallel",
    "Precision",
    "Profile",
    "Recompute",
    "SoftwareStack",
    "StepParts",
    "rank_weights",
    "step_time",
]

# Fitted once for all profiles and published tables (PHYSICS 1); no hardware facts.
P2P_EXPOSED_WHEN_OVERLAPPED = 0.1
P2P_LATENCY_S = 22.4e-6
DEFERRED_HEAD = 2 / 3
EAGER_LOSS_BYTES = 28
"""Memory traffic of the loss for each logit, kernel by kernel; fitted to llm-foundry (35 runs, H100)."""


@dataclass(frozen=True, slots=True)
class StepParts:
    """Where the time of one step goes.

    The parts from `productive_s` to `straggler_s` and `idle_load_s` sum to the step; so do `gemm_s`, `memory_bound_s`,
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
    idle_load_s
        Standing ready with nothing to do: a service that nobody asks anything [s].
    gemm_s, memory_bound_s, communication_s, idle_s
        Busy with matrix products and attention, with memory traffic, with communication, and not busy [s].
    gemm_scaling_s
        The part of the step that scales with 1 / clock, its share of bubble and straggler included [s].
    model_flop
        Model FLOP of the step over all GPUs [FLOP].
    mfu
        Model FLOP utilisation against the dense peak of the precision.
    once_s
        Waits that come once a step, on all GPUs at one time: for the pipeline to fill and to drain, for gradients, for
        the fixed time, and of replicas for the slowest of them [s]; none: all there are.
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
    idle_load_s: float = 0.0
    once_s: float | None = None

    @property
    def woven_s(self) -> float:
        """Exposed communication of tensor and context parallelism, layer by layer between the products [s]."""
        return self.exposed_tensor_s + self.exposed_context_s

    @property
    def once(self) -> float:
        """Share of waits, but that woven into each layer, which come once a step, on all GPUs at one time [-]."""
        waits_s = self.step_s - self.gemm_s - self.memory_bound_s - self.woven_s
        if self.once_s is None or waits_s <= 0.0:
            return 1.0
        return min(1.0, self.once_s / waits_s)

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
            + self.idle_load_s
        )

    def step_at_s(self, clock_ratio: float) -> float:
        """Return the step time [s] with GPUs at `clock_ratio` of the reference clock (1 = reference)."""
        return self.step_s + self.gemm_scaling_s * (1.0 / clock_ratio - 1.0)


def step_time(
    model: Model,
    parallel: Parallel,
    stack: SoftwareStack,
    profile: Profile,
    network: TrainingNetwork = FULL_NETWORK,
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
    stage_layers = model.blocks / p
    layer = layer_time(model, parallel, stack, profile, network)
    head = _head(model, parallel, stack, profile)
    p2p_s = _pipeline_transfer_s(model, parallel, stack, profile, network)
    held = replicated_weights(model, parallel, profile.domain_gpus, network.members)
    # Chunks of an interleaved stage take p microbatches in turn: all but the last are through early.
    ahead = 1.0 + (min(p, n_mb) - 1) * (v - 1) / v if stack.chunk_overlap else 1.0
    data_s = exposed_data_s(
        held,
        n_mb,
        stack,
        profile,
        network,
        forward_s=ahead * stage_layers * layer.forward_s + head.total_s / 3,
        backward_s=ahead * stage_layers * layer.backward_s + head.total_s * 2 / 3,
    )

    bubble_s = (p - 1) / v * (stage_layers * layer.total_s + head.total_s / p + p2p_s)
    bubble_gemm_s = (p - 1) / v * (stage_layers * layer.work.gemm_s + head.gemm_s / p)
    passes = n_mb * stage_layers
    heads = n_mb / p if stack.even_stages else n_mb  # else the stage that has the head holds all others up
    gemm_s = passes * layer.work.gemm_s + heads * head.gemm_s
    memory_s = passes * layer.work.memory_s + heads * head.memory_s
    memory_s += optimizer_s(held, stack, profile)
    tensor_s = passes * layer.tensor_s
    context_s = passes * layer.context_s
    expert_s = passes * layer.expert_s
    pipeline_s = n_mb * p2p_s
    communication_s = tensor_s + context_s + expert_s + pipeline_s + data_s
    launch_s = passes * layer.launch_s + profile.fixed_s

    doublings = math.log2(max(1.0, parallel.gpus / profile.domain_gpus))
    jitter = profile.jitter_per_doubling * doublings
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
        exposed_expert_s=expert_s,
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
        # Of the doublings over which somebody is slowest, those of the replicas show where gradients meet.
        once_s=bubble_s
        + data_s
        + profile.fixed_s
        + straggler_s * min(1.0, math.log2(parallel.dp) / max(doublings, 1e-9)),
    )


def _head(model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile) -> BusyTime:
    """Output projection and loss of a microbatch; 16-bit whatever the precision."""
    x = parallel.microbatch * model.seq / parallel.cp
    flops_s = product_rate(profile, "bf16")
    logits = product(x, model.vocab / parallel.tp, model.hidden, flops_s, profile)
    loss_bytes = profile.loss_bytes if stack.compiled else max(EAGER_LOSS_BYTES, profile.loss_bytes)
    loss_s = loss_bytes * x * model.vocab / parallel.tp / memory_rate(profile)
    kept = (DEFERRED_HEAD if stack.deferred_head else 1.0) * (1 + model.predicted)
    return BusyTime(kept * 3 * logits.gemm_s, kept * (3 * logits.memory_s + loss_s))


def _pipeline_transfer_s(
    model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile, network: TrainingNetwork
) -> float:
    """Exposed stage-to-stage transfers of a microbatch, both directions [s]."""
    if parallel.pp == 1:
        return 0.0
    x = parallel.microbatch * model.seq / parallel.cp
    links = profile.links_over(network.pipeline, network.hop_extra_s)
    near = network.members.stages
    bytes_s, extra_s = (
        (links.inside_bytes_s(2), 0.0) if near else (links.scale_out_bytes_s, links.hop_extra_s)
    )
    wire_s = 2 * x * model.hidden / parallel.tp / bytes_s
    exposed = P2P_EXPOSED_WHEN_OVERLAPPED if stack.p2p_overlap else 1.0
    return 2 * parallel.vp * (P2P_LATENCY_S + extra_s + wire_s) * profile.p2p_factor * exposed
