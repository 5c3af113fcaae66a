"""Shapes of networks in numbers: hosts, switches, cables, bisection, hops; no plant, no parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopologyShape:
    """Ports, switches and cables of a network.

    Attributes
    ----------
    hosts
        Ports for hosts; in a torus or ring the hosts switch themselves.
    switches
        All tiers together.
    host_links
        Cables between hosts and switches.
    links
        Cables between switches; in a torus or ring between hosts.
    bisection_links
        Fewest of `links` between two halves with equally many hosts.
    diameter
        Cables on the shortest path between the two hosts farthest apart, host cables included.
    mean_path
        Mean of it over all pairs of different hosts.
    """

    hosts: int
    switches: int
    host_links: int
    links: int
    bisection_links: float
    diameter: int
    mean_path: float

    def bisection_bytes_s(self, link_bytes_s: float, host_bytes_s: float) -> float:
        """Return the bandwidth between two halves [B/s], per direction.

        Parameters
        ----------
        link_bytes_s
            Bandwidth of one of `links`, per direction.
        host_bytes_s
            Bandwidth of one host's port: half the hosts cannot send more.
        """
        hosts = self.hosts / 2 * host_bytes_s
        return min(hosts, self.bisection_links * link_bytes_s) if self.links else hosts


def single_switch(hosts: int) -> TopologyShape:
    """Return the shape of one switch."""
    return TopologyShape(hosts, 1, hosts, 0, 0.0, _far(hosts, 2), float(_far(hosts, 2)))


def leaf_spine(leaves: int, spines: int, hosts_per_leaf: int, cables: int = 1) -> TopologyShape:
    """Return the shape of two tiers.

    A rail-optimised network is one whose leaf r takes card r of each node.

    Parameters
    ----------
    leaves, spines
        Switches of each tier.
    hosts_per_leaf
        Host ports in use on a leaf.
    cables
        Between each leaf and each spine.

    Notes
    -----
    Bisection: half the uplinks, exact for an even number of leaves.

    Examples
    --------
    >>> leaf_spine(8, 4, 32, 8).bisection_bytes_s(50e9, 50e9) / 50e9
    128.0
    """
    hosts = leaves * hosts_per_leaf
    links = leaves * spines * cables
    near, far = hosts_per_leaf - 1, hosts - hosts_per_leaf
    return TopologyShape(
        hosts=hosts,
        switches=leaves + spines,
        host_links=hosts,
        links=links,
        bisection_links=links / 2,
        diameter=4 if leaves > 1 else _far(hosts, 2),
        mean_path=_mean({2: near, 4: far}),
    )


def fat_tree(k: int) -> TopologyShape:
    """Return the shape of a full k-ary fat tree: k pods of k/2 edge and k/2 aggregation switches of k ports.

    Parameters
    ----------
    k
        Ports of each switch, even.

    Notes
    -----
    Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, section 2.2: k^3/4 hosts, 5k^2/4 switches, (k/2)^2 of them core.

    Raises
    ------
    ValueError
        When k is odd or below 2.

    Examples
    --------
    >>> tree = fat_tree(48)
    >>> tree.hosts, tree.switches
    (27648, 2880)
    """
    if k < 2 or k % 2:
        raise ValueError(f"a k-ary fat tree has an even number of ports per switch, not {k}")
    half = k // 2
    hosts = k * half * half
    return TopologyShape(
        hosts=hosts,
        switches=2 * k * half + half * half,
        host_links=hosts,
        links=2 * hosts,
        bisection_links=hosts / 2,
        diameter=6,
        mean_path=_mean({2: half - 1, 4: half * half - half, 6: hosts - half * half}),
    )


def dragonfly_plus(
    groups: int, leaves: int, spines: int, hosts_per_leaf: int, global_per_spine: int
) -> TopologyShape:
    """Return the shape of groups of leaf and spine switches, the spines joined group to group.

    Parameters
    ----------
    groups
        At most spines * global_per_spine + 1, so that each pair of groups has a cable.
    leaves, spines
        Of one group; each leaf has one cable to each spine of its group.
    hosts_per_leaf
        Host ports in use on a leaf.
    global_per_spine
        Ports of a spine towards other groups.

    Notes
    -----
    Shpiner et al., Dragonfly+: Low Cost Topology for Scaling Datacenters, HiPINEB 2017. Shortest paths: leaf,
    spine, spine of the other group, leaf. Global cables are spread evenly over the pairs of groups; the
    bisection is exact for an even number of groups.

    Raises
    ------
    ValueError
        When there are more groups than global cables of one can reach.
    """
    reach = spines * global_per_spine
    if groups - 1 > reach:
        raise ValueError(
            f"{spines} spines with {global_per_spine} global ports reach {reach} groups, not {groups - 1}"
        )
    group_hosts = leaves * hosts_per_leaf
    hosts = groups * group_hosts
    global_links = groups * reach // 2 if groups > 1 else 0
    across = groups * groups / 4 * reach / (groups - 1) if groups > 1 else leaves * spines / 2
    near = {2: hosts_per_leaf - 1, 4: group_hosts - hosts_per_leaf, 5: hosts - group_hosts}
    return TopologyShape(
        hosts=hosts,
        switches=groups * (leaves + spines),
        host_links=hosts,
        links=groups * leaves * spines + global_links,
        bisection_links=across,
        diameter=max((length for length, hosts_at in near.items() if hosts_at), default=0),
        mean_path=_mean(near),
    )


def torus(dims: Sequence[int]) -> TopologyShape:
    """Return the shape of a torus whose hosts have two cables in each dimension, one where it is 2 long.

    Parameters
    ----------
    dims
        Hosts along each dimension.

    Notes
    -----
    The cheapest cut is across the longest dimension and crosses it twice; exact when that is even.

    Examples
    --------
    >>> torus((4, 4, 4)).links, torus((4, 4, 4)).bisection_links
    (192, 32.0)
    """
    hosts = math.prod(dims)
    longest = max(dims)
    return TopologyShape(
        hosts=hosts,
        switches=0,
        host_links=0,
        links=sum(hosts // size * _circle_links(size) for size in dims),
        bisection_links=hosts / longest * min(2, longest - 1),
        diameter=sum(size // 2 for size in dims),
        mean_path=sum(size * size // 4 / size for size in dims) * hosts / (hosts - 1) if hosts > 1 else 0.0,
    )


def ring(hosts: int) -> TopologyShape:
    """Return the shape of a ring: a torus of one dimension."""
    return torus((hosts,))


def torus_hops(a: Sequence[int], b: Sequence[int], dims: Sequence[int]) -> int:
    """Return the cables on a shortest path between two places of a torus."""
    return sum(
        min(abs(at_a - at_b), size - abs(at_a - at_b)) for at_a, at_b, size in zip(a, b, dims, strict=True)
    )


def _circle_links(size: int) -> int:
    """Return the cables of a circle: two hosts are joined by one, not two."""
    return size if size > 2 else size - 1


def _far(hosts: int, length: int) -> int:
    return length if hosts > 1 else 0


def _mean(hosts_at: dict[int, int]) -> float:
    """Return the mean path, from path length -> hosts that far away."""
    total = sum(hosts_at.values())
    return sum(length * count for length, count in hosts_at.items()) / total if total else 0.0
