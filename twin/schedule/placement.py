"""Placement on free nodes: the first, the closest together, or spread over racks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from twin.arrays import Bools, IntP, Ints64
from twin.schedule.queue import NodeLabels

Placement = Callable[[IntP, int, NodeLabels], IntP]
"""Free nodes in order, how many of them, where they stand -> those to take, in order."""


def first(nodes: IntP, count: int, labels: NodeLabels) -> IntP:
    """Take the lowest numbers."""
    return nodes[:count]


def spread(nodes: IntP, count: int, labels: NodeLabels) -> IntP:
    """Take nodes of as many racks as there are, then the second of each, and so on."""
    rack = labels.rack[nodes]
    order = np.argsort(rack, kind="stable")
    begins = np.searchsorted(rack[order], rack[order])
    turn = np.empty(len(nodes), np.int64)
    turn[order] = np.arange(len(nodes)) - begins
    chosen: IntP = np.sort(nodes[np.lexsort((rack, turn))[:count]])
    return chosen


def pack(nodes: IntP, count: int, labels: NodeLabels) -> IntP:
    """Take nodes of the fewest NVLink domains, then leaves, then pods; what fits tightest, so that whole ones stay.

    A job that fits into one domain, leaf or pod stays in the smallest of these that holds it: of several the one with
    least room, and of equals the one whose leaf, then whose pod has least room. One that fits into none takes the
    emptiest whole, and its remainder the tightest.
    """
    chosen: IntP = np.sort(_packed(nodes, count, labels.levels))
    return chosen


def _packed(nodes: IntP, count: int, levels: tuple[Ints64, ...]) -> IntP:
    if count <= 0 or not levels or len(nodes) == count:
        return nodes[: max(count, 0)]
    labels = [level.take(nodes) for level in levels]
    sizes = [np.bincount(label) for label in labels]
    holds = [bool(size[size.argmax()] >= count) for size in sizes]
    if holds[-1]:
        depth = holds.index(True)
        room = sizes[depth].take(labels[depth])
        homes = (room >= count).nonzero()[0]
        tightness = room.take(homes)
        for size, label in zip(
            sizes[depth + 1 :], labels[depth + 1 :], strict=True
        ):  # what that is part of comes second
            tightness = tightness * (len(nodes) + 1) + size.take(label.take(homes))
        home = labels[depth][homes[tightness.argmin()]]
        return _packed(nodes[labels[depth] == home], count, levels[:depth])
    whole = _emptiest(labels[-1], sizes[-1], count)
    left = count - int(np.count_nonzero(whole))
    return np.concatenate([nodes[whole], _packed(nodes[~whole], left, levels)])


def _emptiest(label: Ints64, size: IntP, count: int) -> Bools:
    """Return the nodes of the largest groups until the next one holds the rest of `count`; `size`: of each group."""
    groups = size.nonzero()[0]
    order = groups[(-size[groups]).argsort(kind="stable")]
    ordered = size[order]
    left = count - ordered.cumsum()
    whole = int((left <= np.append(ordered[1:], 0)).argmax()) + 1
    taken = np.zeros(len(size), bool)
    taken[order[:whole]] = True
    result: Bools = taken[label]
    return result


PLACEMENTS: dict[str, Placement] = {"first": first, "pack": pack, "spread": spread}
"""By their names in a scenario."""
