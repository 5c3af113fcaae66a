"""Dimension-order paths of rings and tori: all the way along the first axis, then along the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.links import LinkKind, Links


@dataclass(frozen=True)
class TorusAxis:
    """One dimension: neighbours of each node, and its place on its circle.

    Parameters
    ----------
    ahead, back
        Next node in + and - direction, -1 outside, shape (N,).
    ahead_link, back_link
        Directed link there.
    place, size
        Coordinate of each node, and nodes of its circle.
    """

    ahead: Ints64
    back: Ints64
    ahead_link: Ints64
    back_link: Ints64
    place: Ints64
    size: Ints64


def axes_of(links: Links, fabric: int, axis: Ints64, bytes_s: Floats) -> list[TorusAxis] | None:
    """Return the axes of a torus whose circles are all whole and of one length per axis, else None.

    Parameters
    ----------
    links
        Of the plant; `axis` says of each peer link in which dimension it runs.
    fabric
        The ring or torus.
    bytes_s
        Bandwidth of each link as built; 0: not present.
    """
    link = np.flatnonzero((links.kind == LinkKind.PEER) & (links.fabric == fabric) & (bytes_s > 0))
    first_peer = int((links.kind != LinkKind.PEER).sum())
    dimension = axis[link - first_peer]
    members = np.unique(np.concatenate([links.a[link], links.b[link]])).astype(np.int64)
    found = []
    for number in np.unique(dimension).tolist():
        torus_axis = _axis(links, link[dimension == number].astype(np.int64), members)
        if torus_axis is None:
            return None
        found.append(torus_axis)
    return found or None


def _axis(links: Links, link: Ints64, members: Ints64) -> TorusAxis | None:
    """Return one dimension: each circle walked from its lowest node towards the lower of its two neighbours."""
    ends = np.concatenate([links.a[link], links.b[link]]).astype(np.int64)
    far_ends = np.concatenate([links.b[link], links.a[link]]).astype(np.int64)
    outward = np.concatenate([2 * link, 2 * link + 1])
    degree = np.bincount(ends, minlength=links.nodes)[members]
    if len(np.unique(degree)) != 1 or degree[0] > 2:
        return None  # a gap: no whole circles
    order = np.lexsort((far_ends, ends))
    neighbour = np.full((links.nodes, 2), -1, np.int64)
    dlink = np.full((links.nodes, 2), -1, np.int64)
    neighbour[members] = far_ends[order].reshape(len(members), -1)
    dlink[members] = outward[order].reshape(len(members), -1)  # of two nodes face to face the one link, twice
    ahead, back, ahead_link, back_link, place = (np.full(links.nodes, -1, np.int64) for _ in range(5))
    walkers = members[members < neighbour[members].min(axis=1)]  # lower than both neighbours
    start, came, step = walkers, neighbour[walkers, 1], 0
    while (place[walkers] < 0).all():
        place[walkers] = step
        side = np.where(neighbour[walkers, 0] == came, 1, 0) if step else np.zeros(len(walkers), np.int64)
        ahead[walkers], ahead_link[walkers] = neighbour[walkers, side], dlink[walkers, side]
        back[walkers], back_link[walkers] = neighbour[walkers, 1 - side], dlink[walkers, 1 - side]
        came, walkers, step = walkers, ahead[walkers], step + 1
    if not np.array_equal(walkers, start) or (place[members] < 0).any():
        return None  # circles of different length, or whose lowest node is not their only low one
    return TorusAxis(ahead, back, ahead_link, back_link, place, np.full(links.nodes, step, np.int64))


def dimension_order(
    axes: list[TorusAxis], source: Ints64, target: Ints64, bytes_s: Floats
) -> tuple[Ints64, Ints64, Ints64, Bools]:
    """Return entries (pair, directed link), hops of each pair, and which pairs meet a dead link on their way.

    Of the two ways round a circle the shorter is taken, of equal ones that in + direction.

    Parameters
    ----------
    axes
        Of `axes_of`.
    source, target
        Node slots of each pair.
    bytes_s
        Bandwidth of each link now.
    """
    pairs = len(source)
    node, hops = source.astype(np.int64).copy(), np.zeros(pairs, np.int64)
    entries: list[tuple[Ints64, Ints64]] = []
    for axis in axes:
        size = axis.size[node]
        steps = (axis.place[target] - axis.place[node]) % size
        forward = 2 * steps <= size
        left = np.where(forward, steps, size - steps)
        hops += left
        while (moving := np.flatnonzero(left > 0)).size:
            at, up = node[moving], forward[moving]
            entries.append((moving, np.where(up, axis.ahead_link[at], axis.back_link[at])))
            node[moving] = np.where(up, axis.ahead[at], axis.back[at])
            left[moving] -= 1
    none = np.zeros(0, np.int64)
    pair = np.concatenate([none, *(e[0] for e in entries)])
    dlink = np.concatenate([none, *(e[1] for e in entries)])
    broken = np.zeros(pairs, np.bool_)
    broken[pair[bytes_s[dlink // 2] <= 0]] = True
    return pair, dlink, hops, broken
