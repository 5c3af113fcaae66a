"""Exchange and sharding within a data-parallel group: plain replicas, ZeRO stages, FSDP.

For psi weights each GPU sends and receives, in one step of one microbatch and for a large group:

=========  ==========================================================  ========
sharding   exchange                                                    elements
=========  ==========================================================  ========
none       all-reduce of gradients (two passes)                        2 psi
optimizer  reduce-scatter of gradients, all-gather of weights          2 psi
gradients  as optimizer, but reduced after each microbatch             2 psi
weights    all-gather forward and backward, reduce-scatter, each time  3 psi
=========  ==========================================================  ========

With "gradients" no GPU keeps the sum of whole gradients, so that every microbatch is reduced; with "weights" no
GPU keeps whole weights, so that every microbatch gathers them twice.

References
----------
Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", arXiv 1910.02054,
section 7 (2 psi for the baseline and for sharded optimizer and gradients, 3 psi with sharded weights).
Zhao et al., "PyTorch FSDP", arXiv 2304.11277 (prefetch of the next layer).
"""

from __future__ import annotations

from typing import NamedTuple

from twin.physics.collectives import Kind, LinkBandwidths, collective_time_s
from twin.physics.gemm import memory_rate
from twin.physics.training_inputs import (
    Members,
    Model,
    Parallel,
    Profile,
    Sharding,
    SoftwareStack,
    TrainingNetwork,
    together,
)

WEIGHT_BYTES = 2
DATA_EXPOSED_FLOOR = 0.1
OPTIMIZER_BYTES_PER_WEIGHT = 30

AS_FILLED = Members()


class Replicated(NamedTuple):
    """Weights that one GPU of the heaviest stage holds, and the group that holds the same ones.

    Attributes
    ----------
    layer, embedding
        Weights of one layer and of the embedding on this GPU.
    layers
        Layers of the stage.
    ranks
        GPUs that hold the same weights.
    ranks_per_node
        How many of them share a scale-up domain.
    """

    layer: float
    embedding: float
    layers: float
    ranks: int
    ranks_per_node: int

    @property
    def weights(self) -> float:
        """All of them."""
        return self.layers * self.layer + self.embedding


def replicated_weights(
    model: Model, parallel: Parallel, domain_gpus: int, members: Members = AS_FILLED
) -> tuple[Replicated, ...]:
    """Return the weights of a GPU by the group that shares them: all but the experts, then the experts.

    Experts are spread over the expert group, so that only one GPU of each such group holds the same ones.
    """
    t, n, stage_gpus = parallel.tp, parallel.dp * parallel.cp, parallel.stage_gpus(domain_gpus)
    layers = model.blocks / parallel.pp
    plain = Replicated(
        layer=model.plain_layer_parameters / t,
        embedding=model.vocab * model.hidden / t,
        layers=layers,
        ranks=n,
        ranks_per_node=together(max(1, min(n, stage_gpus // t)), members.data),
    )
    if model.experts is None:
        return (plain,)
    group, same = parallel.expert_tp * parallel.ep, max(1, parallel.expert_replicas)
    routed = Replicated(
        layer=model.expert_layer_parameters / group,
        embedding=0.0,
        layers=layers,
        ranks=same,
        ranks_per_node=together(max(1, min(same, stage_gpus // group)), members.replicas),
    )
    return (plain, routed)


def rank_weights(model: Model, parallel: Parallel) -> float:
    """Return the weights that a GPU of the heaviest stage holds: its layers and one whole embedding."""
    return sum(part.weights for part in replicated_weights(model, parallel, 1))


def passes(sharding: Sharding, microbatches: float) -> tuple[float, float]:
    """Return how often a step reduces all gradients and how often it gathers all weights.

    A reduction of "none" is an all-reduce and counts as two passes on the wire, the others as one.
    """
    match sharding:
        case "none":
            return 1.0, 0.0
        case "optimizer":
            return 1.0, 1.0
        case "gradients":
            return microbatches, 1.0
        case "weights":
            return microbatches, 2.0 * microbatches


def data_parallel_bytes(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Return the bytes one GPU sends in one step to its data-parallel group [B], by rings."""
    reductions, gathers = passes(stack.sharding, parallel.microbatches)
    wire = 2.0 * reductions if stack.sharding == "none" else reductions
    element = wire * stack.grad_bytes + gathers * WEIGHT_BYTES
    return sum(
        element * part.weights * (part.ranks - 1) / part.ranks
        for part in replicated_weights(model, parallel, 1)
    )


def exposed_data_s(
    groups: tuple[Replicated, ...],
    microbatches: float,
    stack: SoftwareStack,
    profile: Profile,
    network: TrainingNetwork,
    forward_s: float,
    backward_s: float,
) -> float:
    """Return the exposed gradient reduction and weight gathering of one step [s].

    Overlapped, each exchange hides behind the pass of the microbatch it belongs to, and at least a tenth of one
    exchange of each kind shows.

    Parameters
    ----------
    groups
        From `replicated_weights`.
    microbatches
        That pass the pipeline in one step.
    stack, profile, network
        As for `step_time`.
    forward_s, backward_s
        Passes of one microbatch over the stage, which an exchange can hide behind [s].
    """
    if all(part.ranks == 1 for part in groups):
        return 0.0
    links = profile.links_over(network.data, network.hop_extra_s)
    if stack.sharding == "weights":
        slower = 1.0 / profile.gather_efficiency
        gather_s = slower * sum(_by_layer_s("all_gather", WEIGHT_BYTES, part, links) for part in groups)
        reduce_s = slower * sum(
            _by_layer_s("reduce_scatter", stack.grad_bytes, part, links) for part in groups
        )
        if not stack.dp_overlap:
            return microbatches * (2 * gather_s + reduce_s)
        # Each microbatch gathers anew, and what runs beside compute slows it.
        hidden, shown = max(0.0, gather_s - forward_s), profile.gather_exposed
        behind = max(0.0, gather_s + reduce_s - backward_s)
        return microbatches * (max(hidden, shown * gather_s) + max(behind, shown * (gather_s + reduce_s)))
    kind: Kind = "all_reduce" if stack.sharding == "none" else "reduce_scatter"
    reduce_s = sum(_whole_s(kind, stack.grad_bytes, part, links) for part in groups)
    times = passes(stack.sharding, microbatches)[0]
    shown_s = _shown_s(reduce_s, backward_s, times, stack)
    if stack.sharding != "none":
        gather_s = sum(_whole_s("all_gather", WEIGHT_BYTES, part, links) for part in groups)
        shown_s += _shown_s(gather_s, forward_s, 1.0, stack)
    return shown_s


def optimizer_s(groups: tuple[Replicated, ...], stack: SoftwareStack, profile: Profile) -> float:
    """Return the time of the optimizer [s], bound by memory traffic; groups from `replicated_weights`."""
    held = 0.0
    for part in groups:
        held += part.weights / (part.ranks if stack.sharding != "none" else 1)
    return OPTIMIZER_BYTES_PER_WEIGHT * held / memory_rate(profile)


def _whole_s(kind: Kind, element_bytes: float, part: Replicated, links: LinkBandwidths) -> float:
    return collective_time_s(kind, element_bytes * part.weights, part.ranks, part.ranks_per_node, links)


def _by_layer_s(kind: Kind, element_bytes: float, part: Replicated, links: LinkBandwidths) -> float:
    """Time of one collective for each layer, and one for the embedding [s]."""
    ranks, nloc = part.ranks, part.ranks_per_node
    each_s = collective_time_s(kind, element_bytes * part.layer, ranks, nloc, links)
    if not part.embedding:
        return part.layers * each_s
    return part.layers * each_s + collective_time_s(kind, element_bytes * part.embedding, ranks, nloc, links)


def _shown_s(exchange_s: float, window_s: float, times: float, stack: SoftwareStack) -> float:
    if not stack.dp_overlap:
        return times * exchange_s
    return max(times * (exchange_s - window_s), DATA_EXPOSED_FLOOR * exchange_s)
