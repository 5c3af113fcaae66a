"""Which nodes a fabric joins as it is built, and with how many network cards of each."""

from __future__ import annotations

import numpy as np

from twin.arrays import Bools, Ints64
from twin.plant.links import LinkKind, Links
from twin.plant.paths import graph_of
from twin.plant.tables import Plant

ALONE = -1
"""Island of a node that the fabric does not cable, or not with all its cards."""


def islands_of(plant: Plant, links: Links, fabric: int) -> Ints64:
    """Return the island of every node slot in an intact fabric, shape (N,); `ALONE` for nodes it does not join.

    Islands are numbered in the order of their first nodes. Two nodes are on one when each card of the one reaches the
    like card of the other, as collectives want it; in a ring or torus, when there is any way.

    Parameters
    ----------
    plant, links
        As built.
    fabric
        Number of the fabric.
    """
    of_fabric = links.fabric == fabric
    key = np.full((links.nodes, 1), ALONE, np.int64)
    if (of_fabric & (links.kind == LinkKind.PEER)).any():
        ends = np.concatenate([links.node_a[of_fabric], links.node_b[of_fabric]])
        members = np.unique(ends[ends >= 0])
        key[members, 0] = _reached(links, of_fabric)[links.switches + members]
    elif of_fabric.any():
        key = _cards(plant, links, fabric)
    joined = np.flatnonzero((key != ALONE).all(axis=1))
    island = np.full(links.nodes, ALONE, np.int64)
    if len(joined):
        _, first, which = np.unique(key[joined], axis=0, return_index=True, return_inverse=True)
        number = np.empty(len(first), np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        island[joined] = number[which.reshape(-1)]
    return island


def _reached(links: Links, chosen: Bools) -> Ints64:
    a, b = links.vertex
    which = np.flatnonzero(chosen).astype(np.int64)
    ends = (a[which].astype(np.int64), b[which].astype(np.int64))
    return graph_of(links.switches + links.nodes, *ends, which, links.bytes_s[which]).island


def _cards(plant: Plant, links: Links, fabric: int) -> Ints64:
    """Return the island of the leaves behind every card, both cables of it in order, shape (N, cards x planes)."""
    down = plant.node_links
    cables = np.flatnonzero(down.fabric == fabric)
    node, card, plane = down.node[cables], down.nic[cables], down.plane[cables]
    shape = (links.nodes, int(card.max(initial=0)) + 1, int(plane.max(initial=0)) + 1)
    behind = np.full(shape, ALONE, np.int64)
    between = (links.fabric == fabric) & (links.kind == LinkKind.SWITCH)
    behind[node, card, plane] = _reached(links, between)[down.leaf[cables]]
    # A card with one cable reaches what that one does.
    behind = np.where(behind == ALONE, behind.max(axis=2, keepdims=True), behind)
    return np.sort(behind, axis=2).reshape(links.nodes, -1)


def cards_on(plant: Plant, fabric: int | None, node: int) -> int:
    """Return how many network cards of a node a fabric cables; all of them in a ring or torus, or without a fabric."""
    down = plant.node_links
    cards = down.nic[(down.fabric == fabric) & (down.node == node)]
    return int(cards.max()) + 1 if len(cards) else int(plant.nodes.nics[node])
