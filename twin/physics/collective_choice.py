"""Which algorithm a collective takes: ring, tree, hierarchical, in the switch, or direct.

The step model takes the faster of ring and tree (`collectives.collective_time_s`), whose constants were fitted
that way. The others are for comparing designs and for showing what a library could do on a placement.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Literal, get_args

from twin.physics.collectives import (
    TREE_BANDWIDTH_SHARE,
    Kind,
    LinkBandwidths,
    collective_time_s,
    ring_bandwidth_bytes_s,
    ring_time_s,
    tree_time_s,
)
from twin.physics.experts import all_to_all_s
from twin.physics.sweeps import NVLS_LATENCY_S

Operation = Literal["all_reduce", "reduce_scatter", "all_gather", "all_to_all"]
Name = Literal["ring", "tree", "hierarchical", "nvls", "direct"]

ALGORITHMS: tuple[Name, ...] = get_args(Name)
STEP_ALGORITHMS: tuple[Name, ...] = ("ring", "tree", "direct")
"""What the step model chooses among."""

NVLS_BANDWIDTH_SHARE = 0.864
"""What a GPU moves with NVLS against a ring: 315.26 over 364.9 GB/s, fitted to H100 and H200 sweeps (`sweeps`)."""

NVLS_FROM_RANKS = 5
"""Fewest GPUs for which the library reduces in the switch: published runs of 4 H200 take the ring, of 5 NVLS."""


def hierarchical_time_s(
    kind: Kind, size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths
) -> float:
    """Return the time of a collective in stages [s], one after the other.

    All-reduce: reduce-scatter inside the node, all-reduce of each GPU's part with its peers of the other nodes
    over its own card, all-gather inside. Reduce-scatter: inside, then across. All-gather: across, then inside.

    Parameters
    ----------
    kind, size_bytes, ranks, ranks_per_node, links
        As in `collectives.collective_time_s`; nodes hold equally many ranks.

    Notes
    -----
    Few hops over the network (nodes - 1 instead of ranks - 1 steps in a ring), but the stages do not overlap: the
    links inside rest while the network works.
    """
    inside_s, across_s = hierarchical_stages_s(kind, size_bytes, ranks, ranks_per_node, links)
    return inside_s + across_s


def hierarchical_stages_s(
    kind: Kind, size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths
) -> tuple[float, float]:
    """Return the time inside the nodes and the time across them [s]; arguments as `hierarchical_time_s`."""
    local = min(ranks, ranks_per_node)
    nodes = math.ceil(ranks / local)
    across_s = collective_time_s(kind, size_bytes / local, nodes, 1, links)
    stages: tuple[Kind, ...] = ("reduce_scatter", "all_gather") if kind == "all_reduce" else (kind,)
    inside_s = sum(ring_time_s(stage, size_bytes, local, local, links) for stage in stages)
    return inside_s, across_s


def nvls_time_s(size_bytes: float, ranks: int, links: LinkBandwidths) -> float:
    """Return the time of an all-reduce in the NVLink switch of one domain [s].

    Parameters
    ----------
    size_bytes, ranks, links
        As in `collectives.collective_time_s`; all ranks are in one domain.

    Notes
    -----
    Each GPU sends its buffer once, receives 1/n of the sum, sends that, and receives the whole: S (1 + 1/n) per
    direction, against 2 S (n-1)/n of a ring.
    """
    if ranks <= 1:
        return 0.0
    return NVLS_LATENCY_S + size_bytes * (1 + 1 / ranks) / (links.scale_up_bytes_s * NVLS_BANDWIDTH_SHARE)


def times_s(
    operation: Operation,
    size_bytes: float,
    ranks: int,
    ranks_per_node: int,
    links: LinkBandwidths,
    *,
    in_network: bool = False,
) -> Mapping[Name, float]:
    """Return the time of each algorithm that can do a collective [s].

    Parameters
    ----------
    operation, size_bytes, ranks, ranks_per_node, links
        As in `collectives.collective_time_s`; for all-to-all the size is what each rank sends.
    in_network
        Whether the switches inside a domain can reduce (NVLink 4 and later).
    """
    if operation == "all_to_all":
        return {"direct": all_to_all_s(size_bytes, ranks, ranks_per_node, links)}
    times: dict[Name, float] = {"ring": ring_time_s(operation, size_bytes, ranks, ranks_per_node, links)}
    if ranks > ranks_per_node:
        if operation == "all_reduce":
            times["tree"] = tree_time_s(size_bytes, ranks, ranks_per_node, links)
        if ranks_per_node > 1:
            times["hierarchical"] = hierarchical_time_s(operation, size_bytes, ranks, ranks_per_node, links)
    elif operation == "all_reduce" and in_network and ranks >= NVLS_FROM_RANKS:
        times["nvls"] = nvls_time_s(size_bytes, ranks, links)
    return times


def fastest(
    operation: Operation,
    size_bytes: float,
    ranks: int,
    ranks_per_node: int,
    links: LinkBandwidths,
    *,
    in_network: bool = False,
    among: Collection[Name] = ALGORITHMS,
) -> tuple[Name, float]:
    """Return the fastest algorithm and its time [s].

    Parameters
    ----------
    operation, size_bytes, ranks, ranks_per_node, links, in_network
        As in `times_s`.
    among
        Algorithms to choose from; with `STEP_ALGORITHMS` the time is the one of the step model.

    Examples
    --------
    >>> links = Links(364.5e9, 45e9)
    >>> fastest("all_reduce", 1e6, 2048, 8, links)[0], fastest("all_reduce", 1e11, 2048, 8, links)[0]
    ('tree', 'ring')
    """
    times = times_s(operation, size_bytes, ranks, ranks_per_node, links, in_network=in_network)
    name = min((algorithm for algorithm in times if algorithm in among), key=times.__getitem__)
    return name, times[name]


def ring_tree_crossover_bytes(ranks: int, ranks_per_node: int, links: LinkBandwidths) -> float:
    """Return the size from which on the ring beats the tree in an all-reduce over several nodes [B].

    The tree saves latency L_ring - L_tree, the ring moves (n-1)/n instead of 1/0.92 of the buffer each way.
    0 where the ring always wins.
    """
    saved_s = ring_time_s("all_reduce", 0.0, ranks, ranks_per_node, links) - tree_time_s(
        0.0, ranks, ranks_per_node, links
    )
    nodes = math.ceil(ranks / ranks_per_node)
    slower_s_byte = 2 * (1 / TREE_BANDWIDTH_SHARE - (ranks - 1) / ranks)
    return max(0.0, saved_s * ring_bandwidth_bytes_s(nodes, ranks_per_node, links) / slower_s_byte)
