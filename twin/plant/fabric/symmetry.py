"""Vertices of a network that are alike: they have the same neighbours, over lines of the same bandwidth.

The leaves of a pod are alike, and so are the cores that join the same spines. Whoever is alike is reached from anywhere
else over the same ways but for the last line, so shortest paths between classes tell those between all their members.
A line that is cut or narrowed makes its ends unlike the others: what is broken stands alone, the rest stays together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Ints64, UInts64
from twin.plant.paths import Graph, graph_of


@dataclass(frozen=True)
class VertexClasses:
    """The vertices of a network by classes of those that are alike.

    Parameters
    ----------
    of, place
        Class of each vertex, and its place there, shape (V,).
    graph
        Classes as vertices; edges are numbered by `dlink`, from 0 without gaps.
    start, end
        Classes at the ends of each edge.
    lines, out, into
        Lines of each edge, those out of one member of the class at its start, and those into one of that at its end.
    first
        Where the lines of each edge begin.
    by_start, by_end
        Directed links of all lines, by edge, then by start, or by end, of the line.
    """

    of: Ints64
    place: Ints64
    graph: Graph
    start: Ints64
    end: Ints64
    lines: Ints64
    out: Ints64
    into: Ints64
    first: Ints64
    by_start: Ints64
    by_end: Ints64


def classes_of(graph: Graph, apart: Bools) -> VertexClasses:
    """Return the classes of the vertices of a network; those of `apart`, and who has no line, are alone in theirs."""
    of = _alike(graph, apart)
    count = int(of.max(initial=-1)) + 1
    size = np.bincount(of, minlength=count).astype(np.int64)
    order = np.argsort(of, kind="stable")
    place = np.empty(len(of), np.int64)
    place[order] = np.arange(len(of)) - (np.cumsum(size) - size)[of[order]]
    speeds, speed = np.unique(graph.bytes_s, return_inverse=True)
    a, b = of[graph.start], of[graph.to]
    key = (np.minimum(a, b) * count + np.maximum(a, b)) * max(1, len(speeds)) + speed
    keys, which = np.unique(key, return_inverse=True)
    edge = 2 * which + (a > b)  # of each line in each direction
    lines = np.bincount(edge, minlength=2 * len(keys)).astype(np.int64)
    ends, speed = np.divmod(keys, max(1, len(speeds)))
    low, high = np.divmod(ends, max(1, count))
    start = np.stack([low, high], axis=1).reshape(-1)
    end = np.stack([high, low], axis=1).reshape(-1)
    made = graph_of(
        count,
        low,
        high,
        np.arange(len(keys)),
        speeds[speed],
        size,
        lines[::2] // np.maximum(size[low] * size[high], 1),
    )
    return VertexClasses(
        of,
        place,
        made,
        start,
        end,
        lines,
        lines // size[start],
        lines // size[end],
        np.cumsum(lines) - lines,
        graph.dlink[np.lexsort((graph.start, edge))],
        graph.dlink[np.lexsort((graph.to, edge))],
    )


def _alike(graph: Graph, apart: Bools) -> Ints64:
    """Return the class of each vertex."""
    mark = _mixed(graph.to.astype(np.uint64) ^ _mixed(graph.bytes_s.view(np.uint64)))
    marks = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mark, dtype=np.uint64)])
    neighbours = marks[graph.first[1:]] - marks[graph.first[:-1]]
    alone = apart | (np.diff(graph.first) == 0)
    _, shared = np.unique(neighbours[~alone], return_inverse=True)
    of = np.empty(len(neighbours), np.int64)
    of[~alone] = shared
    of[alone] = int(shared.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    return of


def _mixed(values: UInts64) -> UInts64:
    """Return numbers whose sums tell sets apart: chances that two differ and look the same are 1 in 10^19.

    References
    ----------
    .. [1] G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: UInts64 = mixed ^ (mixed >> np.uint64(31))
    return result
