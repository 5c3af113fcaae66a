"""Dimension-order paths of rings and tori: all the way along the first axis, then along the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.plant.links import LinkKind, Links

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Axis:
    """One dimension: neighbours of each node, and its place on its circle.

    Parameters
    ----------
    ahead, back
        Next node in + and - direction, -1 none, shape (N,).
    ahead_link, back_link
        Directed link there.
    place, size
        Coordinate of each node, and nodes of its circle.
    """

    ahead: Longs
    back: Longs
    ahead_link: Longs
    back_link: Longs
    place: Longs
    size: Longs


def axes_of(links: Links, fabric: int, axis: Longs, bytes_s: Floats) -> list[Axis] | None:
    """Return the axes of a torus whose circles are all whole and of one length per axis, else None.

    Parameters
    ----------
    links
        Of the plant; `axis` says of each peer link in which dimension it runs.
    fabric
        The ring or torus.
    bytes_s
        Bandwidth of each link as built; who has none was never there.
    """
    mine = np.flatnonzero((links.kind == LinkKind.PEER) & (links.fabric == fabric) & (bytes_s > 0))
    first_peer = int((links.kind != LinkKind.PEER).sum())
    dimension = axis[mine - first_peer]
    members = np.unique(np.concatenate([links.a[mine], links.b[mine]])).astype(np.int64)
    found = []
    for number in np.unique(dimension).tolist():
        one = _axis(links, mine[dimension == number].astype(np.int64), members)
        if one is None:
            return None
        found.append(one)
    return found or None


def _axis(links: Links, mine: Longs, members: Longs) -> Axis | None:
    a, b = links.a[mine].astype(np.int64), links.b[mine].astype(np.int64)
    ahead, back = (np.full(links.nodes, -1, np.int64) for _ in range(2))
    ahead_link, back_link = (np.full(links.nodes, -1, np.int64) for _ in range(2))
    ahead[a], ahead_link[a] = b, 2 * mine
    back[b], back_link[b] = a, 2 * mine + 1
    pairs = back[a] < 0  # two nodes face to face have one link between them: there and back the same way
    back[a[pairs]], back_link[a[pairs]] = b[pairs], 2 * mine[pairs]
    ahead_missing = ahead[b] < 0
    ahead[b[ahead_missing]], ahead_link[b[ahead_missing]] = a[ahead_missing], 2 * mine[ahead_missing] + 1
    if (ahead[members] < 0).any() or (back[members] < 0).any():
        return None
    if (back[ahead[members]] != members).any():
        return None
    lowest, walker, size = members.copy(), ahead[members], 1
    while not (home := walker == members).all():
        if home.any():
            return None  # circles of different length
        lowest = np.minimum(lowest, walker)
        walker, size = ahead[walker], size + 1
    return _placed(ahead, back, ahead_link, back_link, members, lowest, size, links.nodes)


def _placed(
    ahead: Longs,
    back: Longs,
    ahead_link: Longs,
    back_link: Longs,
    members: Longs,
    lowest: Longs,
    size: int,
    nodes: int,
) -> Axis:
    place = np.zeros(nodes, np.int64)
    walker = np.unique(lowest)
    for step in range(size):
        place[walker] = step
        walker = ahead[walker]
    return Axis(ahead, back, ahead_link, back_link, place, np.full(nodes, size, np.int64))


def dimension_order(
    axes: list[Axis], source: Longs, target: Longs, bytes_s: Floats
) -> tuple[Longs, Longs, Longs, Bools]:
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
    here, hops = source.astype(np.int64).copy(), np.zeros(pairs, np.int64)
    entries: list[tuple[Longs, Longs]] = []
    for axis in axes:
        size = axis.size[here]
        steps = (axis.place[target] - axis.place[here]) % size
        forward = 2 * steps <= size
        left = np.where(forward, steps, size - steps)
        hops += left
        while (moving := np.flatnonzero(left > 0)).size:
            at, up = here[moving], forward[moving]
            entries.append((moving, np.where(up, axis.ahead_link[at], axis.back_link[at])))
            here[moving] = np.where(up, axis.ahead[at], axis.back[at])
            left[moving] -= 1
    none = np.zeros(0, np.int64)
    pair = np.concatenate([none, *(e[0] for e in entries)])
    dlink = np.concatenate([none, *(e[1] for e in entries)])
    broken = np.zeros(pairs, np.bool_)
    broken[pair[bytes_s[dlink // 2] <= 0]] = True
    return pair, dlink, hops, broken
