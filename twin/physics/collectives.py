"""Time of collective operations inside a training step: ring and tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["all_reduce", "reduce_scatter", "all_gather"]

# Effective latencies, kept for all profiles and published tables; no hardware facts. They are the entries of NCCL's
# own tuning table (src/graph/tuning.cc) for the protocol of large buffers.
LAUNCH_S = 8.4e-6
RING_HOP_S = 3.4e-6
TREE_HOP_S = 4e-6
INTER_NODE_HOP_S = 14e-6
TREE_BANDWIDTH_SHARE = 0.92


@dataclass(frozen=True, slots=True)
class LinkBandwidths:
    """Effective bandwidth of one GPU and direction.

    Attributes
    ----------
    scale_up_bytes_s
        Inside a node or NVLink domain, all links of a GPU together [B/s].
    scale_out_bytes_s
        Of the GPU's share of network cards [B/s].
    hop_extra_s
        Added to each hop between nodes, for networks slower than those the latencies were fitted on [s].
    peers
        GPUs that each GPU of a domain has links of its own to, without a switch; 0: a switch gives all links to any.
    """

    scale_up_bytes_s: float
    scale_out_bytes_s: float
    hop_extra_s: float = 0.0
    peers: int = 0

    def inside_bytes_s(self, members: int) -> float:
        """Return the bandwidth among members of one domain [B/s]: in a mesh that of the links between them.

        Measured on MI300X at 4 GiB: 47.7 GB/s between 2 GPUs, 312.9 GB/s among 8 (stas00/ml-engineering,
        network/README.md at 744d01e).
        """
        if 1 < members <= self.peers:
            return self.scale_up_bytes_s * (members - 1) / self.peers
        return self.scale_up_bytes_s


def ring_bandwidth_bytes_s(nodes: int, ranks_per_node: int, links: LinkBandwidths) -> float:
    """Return the bandwidth of a ring [B/s]; on rail-optimised networks each rank of a node drives a card."""
    inside_bytes_s = links.inside_bytes_s(ranks_per_node)
    if nodes == 1:
        return inside_bytes_s
    return min(inside_bytes_s, links.scale_out_bytes_s * ranks_per_node)


def ring_time_s(
    kind: Kind, size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths
) -> float:
    """Return the time of a ring collective [s].

    Parameters
    ----------
    kind
        All-reduce passes the ring twice, the others once.
    size_bytes
        Whole buffer: what each rank holds after an all-gather or before a reduce-scatter [B].
    ranks
        Members of the group; 1 takes no time.
    ranks_per_node
        Members on one node.
    links
        Effective bandwidths.
    """
    if ranks <= 1:
        return 0.0
    nodes = math.ceil(ranks / ranks_per_node)
    passes = 2 if kind == "all_reduce" else 1
    hops = passes * (ranks - 1)
    inter = passes * (nodes - 1)
    bandwidth = ring_bandwidth_bytes_s(nodes, ranks_per_node, links)
    latency = LAUNCH_S + (hops - inter) * RING_HOP_S + inter * (INTER_NODE_HOP_S + links.hop_extra_s)
    return latency + hops / ranks * size_bytes / bandwidth


def tree_time_s(size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths) -> float:
    """Return the time of a tree all-reduce over several nodes [s]: few hops, a little less bandwidth."""
    nodes = math.ceil(ranks / ranks_per_node)
    bandwidth = ring_bandwidth_bytes_s(nodes, ranks_per_node, links) * TREE_BANDWIDTH_SHARE
    hops = (ranks_per_node - 1) * TREE_HOP_S + math.log2(nodes) * (INTER_NODE_HOP_S + links.hop_extra_s)
    return LAUNCH_S + 2 * hops + 2 * size_bytes / bandwidth


def collective_time_s(
    kind: Kind, size_bytes: float, ranks: int, ranks_per_node: int, links: LinkBandwidths
) -> float:
    """Return the time of a collective [s], by the faster of ring and tree.

    Parameters
    ----------
    kind
        The operation.
    size_bytes
        Whole buffer [B].
    ranks, ranks_per_node
        Members of the group, and how many of them share a node.
    links
        Effective bandwidths.

    Examples
    --------
    >>> links = Links(450e9 * 0.81, 50e9 * 0.90)
    >>> round(collective_time_s("all_reduce", 1e9, 8, 8, links) * 1e3, 2)
    4.86
    """
    ring = ring_time_s(kind, size_bytes, ranks, ranks_per_node, links)
    if kind == "all_reduce" and ranks > ranks_per_node:
        return min(ring, tree_time_s(size_bytes, ranks, ranks_per_node, links))
    return ring
