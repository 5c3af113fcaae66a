"""One transformer layer and one microbatch on one GPU: compute, communication and waiting.

A model with experts has dense first layers and expert layers; the layer here is their mean.
"""

from __future__ import annotations

from typing import NamedTuple

from twin.physics.attention import (
    FLASH_BACKWARD,
    attention,
    context_exchange,
    projections,
    scan,
    state_space_projections,
)
from twin.physics.collectives import collective_time_s
from twin.physics.experts import (
    COUNT_STOP_S,
    activation_s,
    exchange_s,
    expert_products,
    exposed_exchange,
    launch_s,
)
from twin.physics.gemm import OPERAND_BYTES, BusyTime, memory_rate, product, product_rate
from twin.physics.training_inputs import Model, Parallel, Profile, SoftwareStack, TrainingNetwork, together

BACKWARD_LAUNCH = 1.3
ELEMENTWISE_BACKWARD = 1.5
EAGER_TRAFFIC = 2.66
"""Memory traffic of elementwise work kernel by kernel against fused kernels; fitted to llm-foundry (35 runs, H100)."""


class Layer(NamedTuple):
    """One layer and microbatch: forward and backward (with recomputation) and what they contain [s].

    Attributes
    ----------
    forward_s, backward_s
        Of the two passes, launch bound included [s].
    work
        Compute of both passes.
    tensor_s, context_s, expert_s
        Exposed communication of both passes [s].
    launch_s
        Waiting for the CPU in both passes [s].
    """

    forward_s: float
    backward_s: float
    work: BusyTime
    tensor_s: float
    context_s: float
    expert_s: float
    launch_s: float

    @property
    def total_s(self) -> float:
        """Both passes [s]."""
        return self.forward_s + self.backward_s


def layer_time(
    model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile, network: TrainingNetwork
) -> Layer:
    """Return the time of one layer for one microbatch; arguments as for `step_time`."""
    x = parallel.microbatch * model.seq / parallel.cp
    linear = _linear(x, model, parallel, stack, profile)
    scores, scores_backward = _mixing(x, model, parallel.tp, stack, profile)
    elementwise_s = _elementwise_s(x, model, parallel, stack, profile)
    tensor_s, tensor_backward_s = _tensor(x, model, parallel, stack, profile, network)
    context, context_backward = context_exchange(
        x, model, parallel, scores, scores_backward, profile, network
    )
    context_s, context_backward_s = context.exposed_s, context_backward.exposed_s

    gemm = linear.gemm_s + scores.gemm_s
    memory = linear.memory_s + scores.memory_s + elementwise_s
    gemm_backward = 2 * linear.gemm_s + scores_backward.gemm_s
    memory_backward = 2 * linear.memory_s + scores_backward.memory_s + ELEMENTWISE_BACKWARD * elementwise_s
    if model.experts is None:
        expert_s = expert_backward_s = 0.0
    else:
        exchange = exchange_s(x, model, model.experts, parallel, stack, profile, network)
        share = model.expert_share
        # What already hides keys and values cannot hide tokens too.
        free_s = gemm + memory - context.hidden_s
        free_backward_s = gemm_backward + memory_backward - context_backward.hidden_s
        expert_s = share * exposed_exchange(exchange, free_s, stack)
        expert_backward_s = share * exposed_exchange(exchange, free_backward_s, stack)
    forward_s = gemm + memory + tensor_s + context_s + expert_s
    if stack.recompute == "full":
        again = stack.recompute_share
        gemm_backward += again * gemm
        memory_backward += again * memory
        tensor_backward_s += again * tensor_s
        context_backward_s += again * context_s
        expert_backward_s += again * expert_s
    elif stack.recompute == "selective" and not stack.flash:
        gemm_backward += scores.gemm_s
        memory_backward += scores.memory_s
    elif stack.recompute == "selective" and (model.experts is not None or model.latent is not None):
        # Fused attention keeps no scores: norms, activation functions and up-projections are done again.
        memory_backward += elementwise_s
        if model.latent is not None:
            for part in projections(x, model, parallel.tp, product_rate(profile, stack.precision), profile)[
                1:3
            ]:
                gemm_backward += part.gemm_s
                memory_backward += part.memory_s
    backward_s = gemm_backward + memory_backward + tensor_backward_s + context_backward_s + expert_backward_s
    bound_s, stop_s = stack.launch_s, 0.0
    if model.experts is not None:
        bound_s = max(bound_s, model.expert_share * launch_s(stack))
        stop_s = 0.0 if stack.graphs else model.expert_share * COUNT_STOP_S
    wait_s = stop_s + max(0.0, bound_s - forward_s)
    wait_backward_s = stop_s + max(0.0, BACKWARD_LAUNCH * bound_s - backward_s)
    return Layer(
        forward_s=forward_s + wait_s,
        backward_s=backward_s + wait_backward_s,
        work=BusyTime(gemm + gemm_backward, memory + memory_backward),
        tensor_s=tensor_s + tensor_backward_s,
        context_s=context_s + context_backward_s,
        expert_s=expert_s + expert_backward_s,
        launch_s=wait_s + wait_backward_s,
    )


def _linear(x: float, model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile) -> BusyTime:
    """Forward pass of projections and feed-forward network, the only ones that gain from 8-bit."""
    flops_s = product_rate(profile, stack.precision)
    gemm_s = memory_s = 0.0
    for part in projections(x, model, parallel.tp, flops_s, profile):
        gemm_s += model.attention_share * part.gemm_s
        memory_s += model.attention_share * part.memory_s
    if model.state_space is not None:
        projected = state_space_projections(x, model.hidden, model.state_space, parallel.tp, flops_s, profile)
        gemm_s += model.state_space_share * projected.gemm_s
        memory_s += model.state_space_share * projected.memory_s
    dense = model.dense_share
    if dense:
        h, f, t = model.hidden, model.ffn, parallel.tp
        up = product(x, (2 * f if model.gated else f) / t, h, flops_s, profile)
        down = product(x, h, f / t, flops_s, profile)
        gemm_s += dense * (up.gemm_s + down.gemm_s)
        memory_s += dense * (up.memory_s + down.memory_s)
    if model.experts is not None:
        routed = expert_products(x, model, model.experts, parallel, stack, profile)
        gemm_s += model.expert_share * routed.gemm_s
        memory_s += model.expert_share * routed.memory_s
    return BusyTime(gemm_s, memory_s)


def _mixing(
    x: float, model: Model, t: int, stack: SoftwareStack, profile: Profile
) -> tuple[BusyTime, BusyTime]:
    """Forward and backward pass of what mixes tokens: attention, and the scan of state-space layers."""
    forward, backward = attention(x, model, t, stack, profile)
    if model.state_space is None:
        return forward, backward
    over, share = model.attention_share, model.state_space_share
    scanned = scan(x, model.state_space, t, profile)
    back = FLASH_BACKWARD * share
    return (
        BusyTime(
            over * forward.gemm_s + share * scanned.gemm_s, over * forward.memory_s + share * scanned.memory_s
        ),
        BusyTime(
            over * backward.gemm_s + back * scanned.gemm_s, over * backward.memory_s + back * scanned.memory_s
        ),
    )


def _elementwise_s(
    x: float, model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile
) -> float:
    """Forward pass of norms, residuals, activation functions and casts [s], bound by memory traffic."""
    t, norms = parallel.tp, _mixers(model) / 2
    norm_width = norms * model.hidden / (t if stack.seq_parallel else 1)
    inner = model.feed_forward_share * model.ffn
    if model.experts is not None:
        shared = model.experts.shared * model.experts.ffn
        inner = model.dense_share * model.ffn + model.expert_share * shared
    traffic = 1.0 if stack.compiled else EAGER_TRAFFIC
    cast = profile.cast_bytes if stack.precision != "bf16" else 0.0
    moved = traffic * (22 * norm_width + 4 * inner / t) + cast * (2 * norm_width + (model.hidden + inner) / t)
    elementwise_s = x * moved / memory_rate(profile)
    if model.experts is not None:
        elementwise_s += model.expert_share * activation_s(x, model.experts, parallel, stack, profile)
    return elementwise_s


def _mixers(model: Model) -> float:
    """Sublayers with a norm, a residual and a tensor-parallel exchange of their own, in a mean layer."""
    if model.state_space is None:
        return 2.0
    return model.attention_share + model.state_space_share + model.feed_forward_share


def _tensor(
    x: float,
    model: Model,
    parallel: Parallel,
    stack: SoftwareStack,
    profile: Profile,
    network: TrainingNetwork,
) -> tuple[float, float]:
    """Exposed tensor-parallel communication of a layer, forward and backward [s]."""
    t = parallel.tp
    if t == 1:
        return 0.0, 0.0
    size, near = OPERAND_BYTES * x * model.hidden, network.members.tensor
    nloc = together(min(t, profile.domain_gpus), near)
    links = profile.links_over(network.tensor, network.hop_extra_s)
    exposed = profile.tensor_exposed if stack.tp_overlap else 1.0
    if not stack.seq_parallel:
        reduce_s = collective_time_s("all_reduce", size, t, nloc, links)
        both_s = _mixers(model) * reduce_s
        return exposed * both_s, exposed * both_s
    gather_s = collective_time_s("all_gather", size, t, nloc, links)
    pair_s = gather_s + collective_time_s("reduce_scatter", size, t, nloc, links)
    both_s = _mixers(model) * pair_s
    if model.experts is not None:
        # The GPUs of an expert gather every copy of a token that arrived; all gather once more for shared experts.
        etp, copies = parallel.expert_tp, size * parallel.expert_tp / t * model.experts.per_token
        nloc = together(min(etp, profile.domain_gpus), near)
        routed_s = collective_time_s("all_gather", copies, etp, nloc, links)
        routed_s += collective_time_s("reduce_scatter", copies, etp, nloc, links)
        routed_s += pair_s if model.experts.shared else 0.0
        both_s += model.expert_share * (routed_s - pair_s)
    return exposed * both_s, exposed * (both_s + gather_s)
