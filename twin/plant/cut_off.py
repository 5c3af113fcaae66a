"""Nodes cut off by a fault of their fabric."""

from __future__ import annotations

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.links import LinkKind, Links
from twin.plant.paths import graph_of
from twin.plant.tables import Plant


def cut_off(plant: Plant, links: Links, bytes_s: Floats) -> Bools:
    """Return which nodes a fault cuts off, shape (N,): those with a card without a path to most cards of its rail.

    Parameters
    ----------
    plant, links
        As built.
    bytes_s
        Bandwidth of each link now, 0 when it is down [B/s].
    """
    cut = np.zeros(links.nodes, np.bool_)
    for fabric in range(len(plant.fabrics)):
        of_fabric = links.fabric == fabric
        if (of_fabric & (links.kind == LinkKind.PEER)).any():
            cut |= _nodes_apart(links, of_fabric, bytes_s)
        elif of_fabric.any():
            cut |= _cards_apart(plant, links, fabric, bytes_s)
    return cut


def _islands(links: Links, of_fabric: Bools, bytes_s: Floats) -> Ints64:
    a, b = links.vertex
    chosen = np.flatnonzero(of_fabric)
    graph = graph_of(
        links.switches + links.nodes,
        a[chosen].astype(np.int64),
        b[chosen].astype(np.int64),
        chosen.astype(np.int64),
        bytes_s[chosen],
    )
    return graph.island


def _nodes_apart(links: Links, of_fabric: Bools, bytes_s: Floats) -> Bools:
    members = np.unique(np.concatenate([links.node_a[of_fabric], links.node_b[of_fabric]]))
    members = members[members >= 0]
    before = _islands(links, of_fabric, links.bytes_s)[links.switches + members]
    now = _islands(links, of_fabric, bytes_s)[links.switches + members]
    cut = np.zeros(links.nodes, np.bool_)
    cut[members[now != _largest(before, now)]] = True
    return cut


def _cards_apart(plant: Plant, links: Links, fabric: int, bytes_s: Floats) -> Bools:
    down = plant.node_links
    cables = np.flatnonzero(down.fabric == fabric)
    between = (links.fabric == fabric) & (links.kind == LinkKind.SWITCH)
    leaf = down.leaf[cables]
    before = _islands(links, between, links.bytes_s)[leaf]
    now = _islands(links, between, bytes_s)[leaf]
    alive = bytes_s[cables] > 0
    group = before * (int(down.rail[cables].max(initial=0)) + 1) + down.rail[cables]
    good = alive & (now == _largest(group, np.where(alive, now, -1)))
    card = down.node[cables].astype(np.int64) * (int(down.nic[cables].max(initial=0)) + 1) + down.nic[cables]
    cards, which = np.unique(card, return_inverse=True)
    lost = np.bincount(which, good, minlength=len(cards)) == 0
    cut = np.zeros(links.nodes, np.bool_)
    cut[down.node[cables][lost[which]]] = True
    return cut


def _largest(group: Ints64, island: Ints64) -> Ints64:
    """Return for each entry the island, other than -1, that most entries of its group are on."""
    lowest = int(island.min(initial=0))
    span = int(island.max(initial=0)) - lowest + 1
    keys, count = np.unique(group * span + island - lowest, return_counts=True)
    count = np.where(keys % span + lowest < 0, 0, count)
    order = np.lexsort((keys, -count, keys // span))
    groups, first = np.unique((keys // span)[order], return_index=True)
    main = keys[order][first] % span + lowest
    return np.asarray(main[np.searchsorted(groups, group)], np.int64)
