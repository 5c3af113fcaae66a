"""The collectives of a job on its actual nodes: members of each ring, bytes moved in a step, and time taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Ints64
from twin.physics.collective_choice import fastest
from twin.physics.training_inputs import together
from twin.planning.network.link_flows import JobSeat, TrafficMap
from twin.planning.network.traffic import KIND_OF_PHASE, KINDS, PHASES, Exchange

_SHAPES = {"ring": "ring", "halo": "neighbours", "chain": "chain", "all": "all to all"}


@dataclass(frozen=True)
class Collective:
    """One kind of communication of a job.

    Parameters
    ----------
    kind
        Name of it, of `KINDS`.
    shape
        "ring", "chain", "neighbours" or "all to all".
    members
        GPUs that talk to one another.
    groups
        How many such circles there are, side by side.
    cards
        Network cards of a node that the traffic uses; 0 when it stays inside domains.
    rank_bytes
        What each GPU sends in a step [B]; in a chain one way.
    time_s
        Of it in a step, hidden behind the computation or not [s].
    algorithm
        Of the time: "ring", "tree" ...; "" where the time is that of the network cards.
    nodes
        Nodes of the first circle, in its order.
    """

    kind: str
    shape: str
    members: int
    groups: int
    cards: int
    rank_bytes: float
    time_s: float
    algorithm: str
    nodes: Ints64


def collectives_of(traffic: TrafficMap, seat: JobSeat) -> tuple[Collective, ...]:
    """Return the kinds of communication of a job on its nodes, in the order of `KINDS`."""
    plan = traffic.plan(seat.job)
    if plan is None or not len(seat.nodes):
        return ()
    once = [exchange for exchange in plan.exchanges if PHASES[exchange.phase] != "backward"]
    found = [_collective(traffic, seat, exchange) for exchange in once]
    return tuple(sorted(found, key=lambda collective: KINDS.index(collective.kind)))


def _collective(traffic: TrafficMap, seat: JobSeat, exchange: Exchange) -> Collective:
    plan, placement = traffic.plan(seat.job), traffic.placement(seat)
    nodes = traffic.plant.nodes
    per_node = int(nodes.gpu_count[seat.nodes[0]])
    circle = seat.nodes[np.minimum(exchange.groups[0] // per_node, len(seat.nodes) - 1)]
    order = circle[np.concatenate([[True], np.diff(circle) != 0])]
    kind, members = KINDS[int(KIND_OF_PHASE[exchange.phase])], exchange.groups.shape[1]
    phases = np.flatnonzero(np.isin(KIND_OF_PHASE, KIND_OF_PHASE[exchange.phase]))
    leaves = placement is not None and bool((placement.step_bytes[phases] > 0).any())
    time_s, algorithm = 0.0, ""
    if placement is not None and leaves:
        used = phases[placement.step_bytes[phases] > 0]
        time_s = float((placement.step_bytes[used] / placement.rate_bytes_s[used]).sum())
        if kind == "data" and plan is not None:
            links = plan.profile.links_over(placement.network.data, placement.network.hop_extra_s)
            domains = len(np.unique(traffic.domain[circle]))
            near = together(-(-members // domains), placement.network.members.data)
            size_bytes = exchange.rank_bytes * members / (2 * (members - 1))
            algorithm, time_s = fastest("all_reduce", size_bytes, members, near, links)
    return Collective(
        kind=kind,
        shape=_SHAPES[exchange.shape],
        members=members,
        groups=len(exchange.groups),
        cards=int(nodes.nics[seat.nodes[0]]) if leaves else 0,
        rank_bytes=exchange.rank_bytes,
        time_s=time_s,
        algorithm=algorithm,
        nodes=order,
    )
