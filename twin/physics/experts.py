"""Mixture-of-experts layers: routing, exchange of tokens, the products of the experts, and who launches them.

Experts are spread over the expert group, ep times etp GPUs of one pipeline stage: ep groups hold different experts,
each of which is cut over etp GPUs. With sequence parallelism each GPU routes its own 1/t of the tokens, and the etp
GPUs of an expert gather what arrived: with etp = t per_token times as many tokens as a dense layer gathers.

References
----------
Lepikhin et al., "GShard", arXiv 2006.16668 (all-to-all dispatch and combine).
DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437 (shared experts, dense first layers, at most four nodes
for a token, 8-bit dispatch).
NVIDIA, Megatron-Bridge, scripts/performance/configs of v0.2.0 to v0.6.0 (which release launches what from graphs,
which dispatcher it takes; routers are forced to balance).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from twin.physics.collectives import INTER_NODE_HOP_S, LAUNCH_S, RING_HOP_S, LinkBandwidths
from twin.physics.gemm import OPERAND_BYTES, BusyTime, memory_rate, product, product_rate
from twin.physics.training_inputs import (
    Dispatcher,
    Experts,
    Model,
    Parallel,
    Profile,
    SoftwareStack,
    TrainingNetwork,
    together,
)

EXPERT_IMBALANCE = 1.2
"""Tokens of the busiest GPU of an expert group against the mean, with a balancing loss or bias; estimated.

A group of one sees all tokens whatever the router does; where the router is forced to balance, all see the same but
for chance."""

EXPOSED_WHEN_OVERLAPPED = 0.15
"""Share of a hidden exchange that shows: of the processors it takes from compute, 20 of 132 (DeepSeek-V3)."""

EXPERT_TILE = 128
"""Tokens of one expert are padded to whole tiles of a grouped product; half a tile is empty on average."""

COPY_PASSES: Mapping[Dispatcher, float] = {"collective": 8.0, "fused": 4.0}
"""How often a copy of a token is read or written in memory on its way to an expert and back, in one pass; counted.

Fused kernels read and write each copy on the way in and on the way out; around a collective each is sorted for its
GPU first and for its expert then, and back."""

ACTIVATION_BYTES = 24.0
"""Traffic of bias, activation and weighting for each element of an expert's inner width [B], kernel by kernel.

Fitted to Megatron-Bridge (Qwen3-30B-A3B, GPT-OSS-120B; 66 runs on H100, B200, B300, GB200 and GB300) together with
the next three. A fused kernel would move 6 (gate and up in, product out); casts to 8 bits are part of it."""

GROUPED_SHARE = 0.7
"""Rate of the products of several experts in turn against one product of the size of each; fitted."""

HOST_S = 3.5e-3
"""Time the CPU takes to launch the forward pass of an expert layer kernel by kernel [s]; fitted. It shows where
kernels are shorter: microbatches of one sequence."""

COUNT_STOP_S = 0.4e-3
"""Standstill of a pass over an expert layer while the CPU reads how many tokens came [s]; fitted."""


def imbalance(parallel: Parallel, stack: SoftwareStack, tokens: float) -> float:
    """Return the load of the busiest GPU of the expert group against the mean.

    Parameters
    ----------
    parallel, stack
        The cut, and whether the router is forced to balance.
    tokens
        Copies that come to a GPU on average; forced balance leaves the largest of ep samples, 1 + sqrt(2 ln ep / m).
    """
    if parallel.ep == 1:
        return 1.0
    if not stack.balanced:
        return EXPERT_IMBALANCE
    return 1.0 + math.sqrt(2.0 * math.log(parallel.ep) / max(tokens, 1.0))


def routed_copies(x: float, experts: Experts, parallel: Parallel, stack: SoftwareStack) -> float:
    """Return the copies of tokens that the busiest GPU sends, and receives, in one layer and microbatch."""
    mean = experts.per_token * x / (parallel.tp if stack.seq_parallel else 1)
    return imbalance(parallel, stack, mean) * mean


def reached(places: float, per_token: float) -> float:
    """Return how many of equal places a token with `per_token` experts drawn at random reaches on average."""
    return float(places * (1.0 - (1.0 - 1.0 / places) ** per_token))


def dispatch_bytes(
    x: float, model: Model, experts: Experts, parallel: Parallel, stack: SoftwareStack
) -> float:
    """Return the bytes one GPU sends in one all-to-all of an expert layer, its own share included [B].

    Parameters
    ----------
    x
        Tokens of a microbatch on this rank.
    model, experts, parallel, stack
        Each token goes to `per_token` experts, as 16-bit vectors; fused dispatch sends it once to each GPU that
        holds some of them.
    """
    copies = routed_copies(x, experts, parallel, stack)
    if stack.dispatcher == "fused":
        copies *= reached(parallel.ep, experts.per_token) / experts.per_token
    return OPERAND_BYTES * copies * model.hidden


def all_to_all_s(size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths) -> float:
    """Return the time of an all-to-all [s].

    Parameters
    ----------
    size_bytes
        What each rank sends, its own share included [B].
    ranks, ranks_per_node
        Members of the group, and how many of them share a node.
    links
        Effective bandwidths; traffic inside a node and between nodes flows at the same time.
    """
    if ranks <= 1:
        return 0.0
    near, far = min(ranks, ranks_per_node) - 1, max(0, ranks - ranks_per_node)
    part = size_bytes / ranks
    wire_s = max(near * part / links.inside_bytes_s(near + 1), far * part / links.scale_out_bytes_s)
    crossing_s = INTER_NODE_HOP_S + links.hop_extra_s if far else 0.0
    return LAUNCH_S + (ranks - 1) * RING_HOP_S + crossing_s + wire_s


def exchange_s(
    x: float,
    model: Model,
    experts: Experts,
    parallel: Parallel,
    stack: SoftwareStack,
    profile: Profile,
    network: TrainingNetwork,
) -> float:
    """Return dispatch and combine of one expert layer in one direction of the pass [s].

    A fused dispatcher sends a token once over the network to each node that wants it, and spreads it there.
    """
    if parallel.ep == 1:
        return 0.0
    stage_gpus = parallel.stage_gpus(profile.domain_gpus)
    nloc = together(max(1, min(parallel.ep, stage_gpus // parallel.expert_tp)), network.members.expert)
    links = profile.links_over(network.expert, network.hop_extra_s)
    size = dispatch_bytes(x, model, experts, parallel, stack)
    there = stack.dispatch_bytes / OPERAND_BYTES
    if stack.dispatcher == "fused" and nloc < parallel.ep:
        nodes = parallel.ep / nloc
        wanted = min(reached(nodes, experts.per_token), float(experts.most_nodes or nodes))
        token_bytes = size / reached(parallel.ep, experts.per_token)
        far_s = token_bytes * wanted * (1.0 - 1.0 / nodes) / links.scale_out_bytes_s
        near_s = size * (1.0 - 1.0 / nloc) / links.scale_up_bytes_s
        wire_s = max(far_s, near_s)
        fixed_s = LAUNCH_S + (nloc + nodes - 2) * RING_HOP_S + INTER_NODE_HOP_S + links.hop_extra_s
        return (1.0 + there) * wire_s + 2 * fixed_s
    once_s = all_to_all_s(size, parallel.ep, nloc, links)
    if there == 1.0:
        return 2 * once_s
    return once_s + all_to_all_s(there * size, parallel.ep, nloc, links)


def exposed_exchange(exchange: float, compute_s: float, stack: SoftwareStack) -> float:
    """Return the exposed time of an exchange beside other work of that length [s].

    It hides only where the CPU is ahead of the GPU: not where it waits for the counts of tokens first.
    """
    if not stack.ep_overlap or not stack.graphs:
        return exchange
    return max(exchange - compute_s, EXPOSED_WHEN_OVERLAPPED * exchange)


def expert_products(
    x: float, model: Model, experts: Experts, parallel: Parallel, stack: SoftwareStack, profile: Profile
) -> BusyTime:
    """Return the forward pass of router, shared and routed experts of one layer.

    Routed experts run as grouped products, one for each local expert with m = x / t * per_token * ep * etp / count
    tokens of the whole group, padded to whole tiles; small ones run slower, as all products do.
    """
    h, t, cut = model.hidden, parallel.tp, parallel.expert_tp
    flops_s = product_rate(profile, stack.precision)
    inner = 2 if model.gated else 1
    parts = [product(x, experts.count, h, product_rate(profile, "bf16"), profile)]
    if experts.shared:
        width = experts.shared * experts.ffn / t
        parts += [
            product(x, inner * width, h, flops_s, profile),
            product(x, h, width, flops_s, profile),
        ]
    local = experts.count / parallel.ep
    mean = x * cut / t * experts.per_token
    tokens = imbalance(parallel, stack, mean) * mean / local
    parts += [
        grouped_product(local, tokens, inner * experts.ffn / cut, h, flops_s, profile),
        grouped_product(local, tokens, h, experts.ffn / cut, flops_s, profile),
    ]
    # Sorting tokens by expert and summing them back.
    passes = COPY_PASSES[stack.dispatcher] * OPERAND_BYTES
    moved_bytes = passes * h * routed_copies(x, experts, parallel, stack)
    return BusyTime(
        sum(part.gemm_s for part in parts),
        sum(part.memory_s for part in parts) + moved_bytes / memory_rate(profile),
    )


def activation_s(
    x: float, experts: Experts, parallel: Parallel, stack: SoftwareStack, profile: Profile
) -> float:
    """Return the forward pass of the activation functions of routed experts in one layer [s].

    With cut experts each GPU has etp times the tokens in 1 / etp of the width.
    """
    if stack.fused_experts:
        return 0.0
    copies = routed_copies(x, experts, parallel, stack)
    return ACTIVATION_BYTES * experts.ffn * copies / memory_rate(profile)


def grouped_product(
    groups: float, m: float, n: float, k: float, flops_s: float, profile: Profile
) -> BusyTime:
    """Return the time of `groups` products (m, k) x (k, n), one for each expert; arguments as for `product`."""
    if groups <= 1:
        return product(m, n, k, flops_s, profile)
    each = product(m + EXPERT_TILE / 2, n, k, GROUPED_SHARE * flops_s, profile)
    return BusyTime(groups * each.gemm_s, groups * each.memory_s)


def launch_s(stack: SoftwareStack) -> float:
    """Return the CPU launch bound of the forward pass of an expert layer [s]."""
    return 0.0 if stack.graphs else HOST_S
