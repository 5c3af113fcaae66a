"""Ring and torus: nodes joined straight to their neighbours, without switches."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.plant.fabric.wiring import PeerCables, Wiring, none
from twin.scenario.checks.fabric_size import Size


def torus(size: Size, cards: Ints32) -> Wiring:
    """Return each node joined to the next and the previous one along every axis, the last to the first.

    Nodes in order fill the last axis first, so neighbours in a rack are neighbours there. The cards of a node are
    shared out over the axes in pairs, one for each direction; the first axes take those that do not come out. On an
    axis of two nodes both directions lead to the same neighbour. A cable leads from `a` onwards along its axis to `b`.

    Parameters
    ----------
    size
        With the lengths of the axes.
    cards
        Network cards of each node; the fewest decide.
    """
    nodes = len(cards)
    unit = (np.arange(nodes) // size.unit_nodes).astype(np.int32)
    long = [axis for axis, length in enumerate(size.dims) if length > 1]
    if not long:
        return Wiring(unit)
    pairs = int(cards.min()) // 2
    number = np.arange(nodes, dtype=np.int32).reshape(size.dims)
    columns: list[tuple[Ints32, Ints32, Ints32, Ints32]] = []
    for turn, axis in enumerate(long):
        cables = pairs // len(long) + (turn < pairs % len(long))
        length = size.dims[axis]
        following = np.roll(number, -1, axis)
        starts = number if length > 2 else np.take(number, [0], axis)
        ends = following if length > 2 else np.take(following, [0], axis)
        a, b = starts.ravel(), ends.ravel()
        each = np.full(len(a), cables if length > 2 else 2 * cables, np.int32)
        columns.append((np.full(len(a), axis, np.int32), a, b, each))
    joined = (np.concatenate([*parts, none()]).astype(np.int32) for parts in zip(*columns, strict=True))
    return Wiring(unit, peers=PeerCables(*joined))
