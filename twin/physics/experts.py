"""Mixture-of-experts layers: routing, exchange of tokens, and the products of the experts.

Low confidence. Nothing here is fitted; against published step times (NVIDIA dgxc-benchmarking, Grok-1 and
DeepSeek-V3 on H100 and GB200, tests/reference/experts.yaml) it is 5-15 % off, and by half or more where the CPU
holds the GPUs up.

Experts are spread over the expert group, ep times etp GPUs of one pipeline stage: ep groups hold different experts,
each of which is cut over etp GPUs. With sequence parallelism each GPU routes its own 1/t of the tokens, and the etp
GPUs of an expert gather what arrived: with etp = t per_token times as many tokens as a dense layer gathers.

References
----------
Lepikhin et al., "GShard", arXiv 2006.16668 (all-to-all dispatch and combine).
DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437 (shared experts, dense first layers).
"""

from __future__ import annotations

from twin.physics.collectives import INTER_NODE_HOP_S, LAUNCH_S, RING_HOP_S, LinkBandwidths
from twin.physics.gemm import OPERAND_BYTES, BusyTime, memory_rate, product, product_rate
from twin.physics.training_inputs import (
    Experts,
    Model,
    Parallel,
    Profile,
    SoftwareStack,
    TrainingNetwork,
    together,
)

EXPERT_IMBALANCE = 1.1
"""Tokens of the busiest GPU of an expert group against the mean, with a balancing loss or bias.

Estimated; a group of one sees all tokens whatever the router does."""

EXPOSED_WHEN_OVERLAPPED = 0.1
"""Share of the exchange that shows even where it hides behind the other microbatch; estimated."""


def imbalance(parallel: Parallel) -> float:
    """Return the load of the busiest GPU of the expert group against the mean."""
    return EXPERT_IMBALANCE if parallel.ep > 1 else 1.0


def dispatch_bytes(
    x: float, model: Model, experts: Experts, parallel: Parallel, stack: SoftwareStack
) -> float:
    """Return the bytes one GPU sends in one all-to-all of an expert layer, its own share included [B].

    Parameters
    ----------
    x
        Tokens of a microbatch on this rank.
    model, experts, parallel, stack
        Each token goes to `per_token` experts, as 16-bit vectors.
    """
    routed_by = parallel.tp if stack.seq_parallel else 1
    return imbalance(parallel) * OPERAND_BYTES * experts.per_token * x * model.hidden / routed_by


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
    """Return dispatch and combine of one expert layer in one direction of the pass [s]: two all-to-all."""
    if parallel.ep == 1:
        return 0.0
    stage_gpus = parallel.stage_gpus(profile.domain_gpus)
    nloc = together(max(1, min(parallel.ep, stage_gpus // parallel.expert_tp)), network.members.expert)
    links = profile.links_over(network.expert, network.hop_extra_s)
    size = dispatch_bytes(x, model, experts, parallel, stack)
    return 2 * all_to_all_s(size, parallel.ep, nloc, links)


def exposed_exchange(exchange: float, compute_s: float, stack: SoftwareStack) -> float:
    """Return the exposed time of an exchange beside other work of that length [s]."""
    if not stack.ep_overlap:
        return exchange
    return max(exchange - compute_s, EXPOSED_WHEN_OVERLAPPED * exchange)


def expert_products(
    x: float, model: Model, experts: Experts, parallel: Parallel, stack: SoftwareStack, profile: Profile
) -> BusyTime:
    """Return the forward pass of router, shared and routed experts of one layer.

    Routed experts run as grouped products, one for each local expert with
    m = x / t * per_token * ep * etp / count tokens of the whole group.
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
    tokens = imbalance(parallel) * x * cut / t * experts.per_token / local
    up = product(tokens, inner * experts.ffn / cut, h, flops_s, profile)
    down = product(tokens, h, experts.ffn / cut, flops_s, profile)
    # Sorting tokens by expert and summing them back: each copy is written and read once on the way in and out.
    moved_bytes = 4 * OPERAND_BYTES * experts.per_token * x * h / (t if stack.seq_parallel else 1)
    return BusyTime(
        sum(part.gemm_s for part in parts) + local * (up.gemm_s + down.gemm_s),
        sum(part.memory_s for part in parts)
        + local * (up.memory_s + down.memory_s)
        + imbalance(parallel) * moved_bytes / memory_rate(profile),
    )
