"""Figures of a fabric: switches by tier, oversubscription, bisection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.plant.tables import Plant, SwitchRole


@dataclass(frozen=True)
class FabricFigures:
    """Figures of one fabric as it was built.

    Parameters
    ----------
    nodes
        Nodes on it.
    switches
        How many of each tier, lowest first: leaves, spines, cores.
    cables
        All of them.
    oversubscription
        Bandwidth from nodes into the leaves over that from the leaves upwards; 0 where nothing leads on.
    bisection_bytes_s
        What half the nodes can send to the other half, one way [B/s].
    full_bisection_bytes_s
        What their cards could send [B/s].
    """

    nodes: int
    switches: tuple[int, int, int]
    cables: int
    oversubscription: float
    bisection_bytes_s: float
    full_bisection_bytes_s: float


def fabric_figures(plant: Plant, fabric: int) -> FabricFigures:
    """Return the figures of a fabric.

    Notes
    -----
    Bisection: every tier is taken to be spread evenly, so half of the bandwidth between two tiers crosses; groups of
    a dragonfly+ are joined each with each, so of G groups G / (2 (G - 1)) of the cables between groups do; a torus is
    cut across its longest axis.
    """
    down, up, peers, switches = plant.node_links, plant.switch_links, plant.peer_links, plant.switches
    to_nodes, above, straight = (table.fabric == fabric for table in (down, up, peers))
    of_fabric = (switches.fabric == fabric) & switches.present
    tiers = tuple(int((of_fabric & (switches.role == role)).sum()) for role in SwitchRole)
    nodes = np.unique(np.concatenate([down.node[to_nodes], peers.a[straight], peers.b[straight]]))
    cables = int(to_nodes.sum()) + int(up.cables[above].sum()) + int(peers.cables[straight].sum())
    into = float(down.bytes_s[to_nodes].sum())
    lower, upper = switches.role[up.lower], switches.role[up.upper]
    from_leaf = above & (lower == SwitchRole.LEAF) & (upper != SwitchRole.LEAF)
    out = float(up.bytes_s[from_leaf].sum())
    if straight.any():
        full = float((plant.nodes.nics * plant.nodes.nic_bytes_s)[nodes].sum()) / 2
        bisection = min(full, _torus_cut_bytes_s(plant, fabric, len(nodes)))
    else:
        full = into / 2
        least = [full]
        if out:
            least.append(out / 2)
        to_core = above & (lower == SwitchRole.SPINE) & (upper == SwitchRole.CORE)
        if to_core.any():
            least.append(float(up.bytes_s[to_core].sum()) / 2)
        between = above & (lower == upper)
        if between.any():
            groups = len(
                np.unique(
                    switches.unit[up.lower[between]].tolist() + switches.unit[up.upper[between]].tolist()
                )
            )
            least.append(float(up.bytes_s[between].sum()) * groups / (2 * max(1, groups - 1)))
        bisection = min(least)
    return FabricFigures(
        nodes=len(nodes),
        switches=(tiers[0], tiers[1], tiers[2]),
        cables=cables,
        oversubscription=into / out if out else 0.0,
        bisection_bytes_s=bisection,
        full_bisection_bytes_s=full,
    )


def _torus_cut_bytes_s(plant: Plant, fabric: int, nodes: int) -> float:
    """Return the bandwidth across the longest axis of a ring or torus [B/s]."""
    peers = plant.peer_links
    of_fabric = np.flatnonzero(peers.fabric == fabric)
    longest, bytes_s = 1, 0.0
    for axis in np.unique(peers.axis[of_fabric]).tolist():
        links = of_fabric[peers.axis[of_fabric] == axis]
        onward = dict(zip(peers.a[links].tolist(), peers.b[links].tolist(), strict=True))
        first = int(peers.a[links[0]])
        length, at = 1, onward[first]
        while at != first and at in onward:
            length, at = length + 1, onward[at]
        length += at != first
        if length > longest:
            longest, bytes_s = length, float(peers.bytes_s[links[0]])
    return nodes / longest * min(2, longest - 1) * bytes_s
