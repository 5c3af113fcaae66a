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
    labels = [level[nodes] for level in levels]
    room = [np.bincount(label)[label] for label in labels]
    if room[-1].max() >= count:
        depth = next(number for number, has in enumerate(room) if has.max() >= count)
        tightness = np.zeros(len(nodes))
        for has in room[depth:]:  # of the level that holds it first, then of what that is part of
            tightness = tightness * (len(nodes) + 1.0) + has
        home = labels[depth][np.argmin(np.where(room[depth] >= count, tightness, np.inf))]
        return _packed(nodes[labels[depth] == home], count, levels[:depth])
    whole = _emptiest(labels[-1], count)
    left = count - int(whole.sum())
    return np.concatenate([nodes[whole], _packed(nodes[~whole], left, levels)])


def _emptiest(label: Ints64, count: int) -> Bools:
    """Return the nodes of the largest groups until the next one holds the rest of `count`."""
    has = np.bincount(label)
    order = np.argsort(-has, kind="stable")
    left = count - np.cumsum(has[order])
    whole = int(np.argmax(left <= np.append(has[order][1:], 0))) + 1
    taken = np.zeros(len(has), bool)
    taken[order[:whole]] = True
    result: Bools = taken[label]
    return result


PLACEMENTS: dict[str, Placement] = {"first": first, "pack": pack, "spread": spread}
"""By their names in a scenario."""
