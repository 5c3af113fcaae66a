"""Traffic matrix of one step of a job: groups of ranks, their rings, and the nodes and cards they use.

Ranks are in Megatron order: tensor fastest, then context, data, pipeline slowest ("pipeline-first": data slowest);
rank r sits on GPU r % g of node r // g and sends through the card that belongs to this GPU. Only traffic between
scale-up domains enters the fabric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from twin.arrays import Floats, Ints64
from twin.physics.experts import dispatch_bytes
from twin.physics.roofline import GRADIENT_BYTES
from twin.physics.sharding import AS_FILLED, data_parallel_bytes
from twin.physics.training_inputs import Members, Model, Parallel, SoftwareStack
from twin.planning.job.job import AnyJob, HpcJob, LlmJob, ReinforcementJob, VisionJob, default_stack
from twin.planning.profile.models import load_model
from twin.plant.routes import EVERY_CARD, Flows

KINDS = ("data", "pipeline", "tensor", "context", "expert")
"""Kinds of communication, as the fields of `Network`."""

PHASES = ("data", "forward", "backward", "tensor", "context", "expert")
"""What a rank does one after another: a pipeline stage sends on to the next, or back to the one before."""

KIND_OF_PHASE = np.array([0, 1, 1, 2, 3, 4])
"""Kind of each phase."""

ELEMENT_BYTES = 2
"""Activations on the wire are 16-bit."""

Shape = Literal["ring", "halo", "chain", "all"]


@dataclass(frozen=True)
class Exchange:
    """One kind of communication of a job.

    Parameters
    ----------
    phase
        Into PHASES.
    shape
        ring, halo: each rank sends to its like in the next domain of its group; chain: to the next of its group, the
        last to the first when `closed`; all: its likes in all other domains of the group.
    groups
        Ranks that talk to one another, shape (G, n).
    rank_bytes
        What a rank sends in one step [B]; of a ring: as if each rank were alone in its domain (more of them share
        it).
    closed
        Whether the last of a chain sends to the first.
    replicas
        Of data: ranks that hold the same experts, shape (K, m); none: groups are all that share weights.
    """

    phase: int
    shape: Shape
    groups: Ints64
    rank_bytes: float
    closed: bool = False
    replicas: Ints64 | None = None


@dataclass(frozen=True)
class Traffic:
    """Traffic of a job between its nodes in a step.

    Parameters
    ----------
    flows
        By phase; sources and targets are places in the job's list of nodes, weights are ranks that send at once.
    step_bytes
        What a flow of weight one carries in a step, by phase [B]; 0 where a phase stays inside its domains.
    members
        How many of each group are together, where domains split groups.
    """

    flows: Flows
    step_bytes: Floats
    members: Members = AS_FILLED


def exchanges_of(job: AnyJob, gpus: int) -> tuple[Exchange, ...]:
    """Return how the ranks of a job talk.

    An LLM by its cut, reinforcement by that of its learner, vision by its gradients, a stencil by its halos. Serving
    has none: a replica stays inside one domain; of a load nothing is known.
    """
    if isinstance(job, ReinforcementJob):
        return exchanges_of(job.learner, job.learner.parallel.gpus)
    if isinstance(job, LlmJob):
        model = load_model(job.model).model if isinstance(job.model, str) else job.model
        stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
        return llm_exchanges(model, job.parallel, stack)
    ranks = np.arange(gpus, dtype=np.int64)[None, :]
    if isinstance(job, VisionJob) and gpus > 1:
        sent_bytes = 2 * (gpus - 1) / gpus * GRADIENT_BYTES * job.parameters
        return (Exchange(PHASES.index("data"), "ring", ranks, sent_bytes),)
    if isinstance(job, HpcJob) and gpus > 1 and job.halo_bytes > 0:
        return (Exchange(PHASES.index("forward"), "halo", ranks, job.halo_bytes),)
    return ()


def llm_exchanges(model: Model, parallel: Parallel, stack: SoftwareStack) -> tuple[Exchange, ...]:
    """Return the exchanges of a transformer in training, with the volumes of `twin.physics.training`."""
    t, c, d, p = parallel.tp, parallel.cp, parallel.dp, parallel.pp
    rank: Ints64 = np.arange(parallel.gpus, dtype=np.int64)
    if parallel.order == "data-first":
        rank = rank.reshape(p, d, c, t)
    else:
        rank = rank.reshape(d, p, c, t).transpose(1, 0, 2, 3)
    passes = parallel.microbatches * model.blocks / p
    tokens = parallel.microbatch * model.seq / c
    found: list[Exchange] = []

    def add(phase: str, shape: Shape, groups: Ints64, rank_bytes: float, **more: Any) -> None:
        if groups.shape[1] > 1:
            found.append(Exchange(PHASES.index(phase), shape, groups, rank_bytes, **more))

    same = rank.reshape(p, d * c, t).transpose(0, 2, 1).reshape(p * t, d * c)
    replicas = None
    if model.experts is not None:
        block = parallel.ep * parallel.expert_tp
        replicas = rank.reshape(p, -1, block).transpose(0, 2, 1).reshape(p * block, -1)
    add("data", "ring", same, data_parallel_bytes(model, parallel, stack), replicas=replicas)
    boundary_bytes = ELEMENT_BYTES * tokens * model.hidden / t
    stages = rank.reshape(p, d * c * t).T
    chain_bytes = parallel.microbatches * parallel.vp * boundary_bytes
    add("forward", "chain", stages, chain_bytes, closed=parallel.vp > 1)
    add("backward", "chain", stages[:, ::-1], chain_bytes, closed=parallel.vp > 1)
    tensor_bytes = 9 * (t - 1) / t * ELEMENT_BYTES * tokens * model.hidden  # 2 pairs there, 2 and one back
    add("tensor", "ring", rank.reshape(p * d * c, t), passes * tensor_bytes)
    keys_bytes = 2 * ELEMENT_BYTES * tokens * c * model.query_width * model.kv_heads / model.heads / t
    context = rank.reshape(p * d, c, t).transpose(0, 2, 1).reshape(-1, c)
    add("context", "ring", context, passes * 3 * (c - 1) / c * keys_bytes)  # once there, twice back
    if model.experts is not None and parallel.ep > 1:
        again = 6 if stack.recompute == "full" else 4
        sent = again * dispatch_bytes(tokens, model, model.experts, parallel, stack)
        group = rank.reshape(-1, parallel.ep, parallel.expert_tp).transpose(0, 2, 1).reshape(-1, parallel.ep)
        add("expert", "all", group, passes * model.expert_share * sent)
    return tuple(found)


def traffic_of(exchanges: tuple[Exchange, ...], gpus_per_node: int, cards: int, domain: Ints64) -> Traffic:
    """Return the traffic of a job between its nodes.

    Parameters
    ----------
    exchanges
        Of `exchanges_of`.
    gpus_per_node, cards
        GPUs and network cards of each node.
    domain
        Scale-up domain of each node of the job, in its order.
    """
    parts: list[tuple[int, Ints64, Ints64, Floats]] = []
    step_bytes = np.zeros(len(PHASES))
    members: dict[str, Any] = {}
    for exchange in exchanges:
        groups, place = _split_groups(exchange, exchange.groups, domain[exchange.groups // gpus_per_node])
        if exchange.shape == "chain":
            members["stages"] = not len(groups)
        if not len(groups):
            continue
        fewest = _fewest_together(place)
        if exchange.shape != "chain":
            members[KINDS[KIND_OF_PHASE[exchange.phase]]] = int(fewest.min())
        source, target, weight, flow_bytes = _rank_flows(exchange, groups, place, fewest)
        if len(source) and cards:
            parts.append((exchange.phase, source, target, weight))
            step_bytes[exchange.phase] = flow_bytes
        if exchange.replicas is not None and exchange.replicas.shape[1] > 1:
            _, place = _split_groups(exchange, exchange.replicas, domain[exchange.replicas // gpus_per_node])
            members["replicas"] = int(_fewest_together(place).min()) if len(place) else None
    members.pop("pipeline", None)  # halos: who is together is the model's own arithmetic
    return Traffic(_on_cards(parts, gpus_per_node, cards), step_bytes, Members(**members))


def _split_groups(exchange: Exchange, groups: Ints64, place: Ints64) -> tuple[Ints64, Ints64]:
    """Return the groups that several domains share, and the domain of each member.

    Chains keep their order. Members of others are brought together, as collective libraries build their rings:
    domain by domain, in the order of their first members.
    """
    split = (place != place[:, :1]).any(axis=1)
    groups, place = groups[split], place[split]
    if exchange.shape == "chain" or not len(groups) or (place[:, 1:] >= place[:, :-1]).all():
        return groups, place
    number = np.arange(len(groups))[:, None]
    _, first, which = np.unique(number * (place.max() + 1) + place, return_index=True, return_inverse=True)
    order = np.argsort(first[which.reshape(place.shape)], axis=1, kind="stable")
    return np.take_along_axis(groups, order, axis=1), np.take_along_axis(place, order, axis=1)


def _fewest_together(place: Ints64) -> Ints64:
    """Return the fewest members of each group that are together in a domain, shape (groups,)."""
    begins = np.ones(place.shape, np.bool_)
    begins[:, 1:] = place[:, 1:] != place[:, :-1]
    at = np.flatnonzero(begins)
    size = np.diff(np.append(at, place.size))
    groups = np.searchsorted(at, np.arange(len(place)) * place.shape[1])
    fewest: Ints64 = np.minimum.reduceat(size, groups)
    return fewest


def _rank_flows(
    exchange: Exchange, groups: Ints64, place: Ints64, fewest: Ints64
) -> tuple[Ints64, Ints64, Floats, float]:
    """Return source and target ranks and weights of flows between domains, and the bytes of a flow of weight one."""
    runs = (place[:, 1:] != place[:, :-1]).sum(axis=1) + 1
    n = groups.shape[1]
    # All members that are together share a ring's way on, so many as the domain with the fewest of them has.
    together = fewest if exchange.shape == "ring" else -(-n // runs)
    number = np.arange(n)
    columns: list[tuple[Ints64, Ints64, Floats]] = []
    sent_bytes = exchange.rank_bytes
    if exchange.shape == "chain":
        members = number if exchange.closed else number[:-1]
        onward = (members + 1) % n
        kept = place[:, members] != place[:, onward]
        columns.append((groups[:, members][kept], groups[:, onward][kept], np.ones(int(kept.sum()))))
    else:
        neighbours_only = exchange.shape != "all"
        furthest = 1 if neighbours_only else int(runs.max()) - 1
        each = np.ones(len(runs)) if neighbours_only else 1.0 / (runs - 1)
        for shift in range(1, furthest + 1):
            index = (number[None, :] + shift * together[:, None]) % n
            kept = (np.take_along_axis(place, index, axis=1) != place) & (shift < runs)[:, None]
            target = np.take_along_axis(groups, index, axis=1)
            columns.append((groups[kept], target[kept], np.repeat(each, n).reshape(-1, n)[kept]))
        shared = float(runs.sum() / (runs * together).sum())
        away = max(0.0, 1 - float(together.mean()) / n)
        sent_bytes *= {"ring": shared, "halo": 1.0, "all": away}[exchange.shape]
    source, target, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
    return source, target, weight, sent_bytes


def _on_cards(parts: list[tuple[int, Ints64, Ints64, Floats]], gpus_per_node: int, cards: int) -> Flows:
    """Return flows between nodes and cards; those alike on all cards in a phase stand for one on each."""
    rows: list[tuple[Ints64, ...]] = []
    weights: list[Floats] = []
    for phase, source, target, weight in parts:
        a, b = source // gpus_per_node, target // gpus_per_node
        card_a = source % gpus_per_node * cards // gpus_per_node
        card_b = target % gpus_per_node * cards // gpus_per_node
        nodes = int(max(a.max(), b.max())) + 1
        key = ((a * nodes + b) * cards + card_a) * cards + card_b
        keys, which = np.unique(key, return_inverse=True)
        total = np.bincount(which, weight, minlength=len(keys)).astype(np.float64)
        pair, card = np.divmod(keys, cards * cards)
        like = (card // cards == card % cards).all()
        if like and len(keys) % cards == 0:
            by_pair = total.reshape(-1, cards)
            alike = (pair.reshape(-1, cards) == pair[::cards, None]).all()
            if alike and np.allclose(by_pair, by_pair[:, :1]):
                pair, card, total = pair[::cards], np.full(len(keys) // cards, EVERY_CARD), by_pair[:, 0]
        every = card == EVERY_CARD
        rows.append(
            (
                np.full(len(pair), phase),
                pair // nodes,
                pair % nodes,
                np.where(every, EVERY_CARD, card // cards),
                np.where(every, EVERY_CARD, card % cards),
            )
        )
        weights.append(total)
    none = np.zeros(0, np.int64)
    columns = [np.concatenate([none, *(row[i] for row in rows)]) for i in range(5)]
    group, source, target, card_a, card_b = columns
    return Flows(group, source, target, card_a, card_b, np.concatenate([np.zeros(0), *weights]))
