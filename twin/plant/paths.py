"""Shortest paths between many pairs of vertices of a network at once, traffic split over all of them.

The search meets in the middle: level by level from both ends, all pairs together. What a vertex sends on is split
over its next hops by the bandwidth that is left towards the target through each, so equal paths get equal shares.

A vertex may stand for several that are alike, as `twin.plant.fabric.symmetry` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Floats, Ints64


@dataclass(frozen=True)
class Graph:
    """A network in both directions: edges sorted by the vertex they leave.

    Parameters
    ----------
    first
        Where the edges of each vertex begin, shape (V + 1,).
    to, dlink
        End and directed link of each edge; the edge back has `dlink` ^ 1.
    bytes_s
        Bandwidth of each edge [B/s].
    size
        For how many each vertex stands, shape (V,).
    lines
        Lines, each of the bandwidth of the edge, between every two of those that its ends stand for.
    """

    first: Ints64
    to: Ints64
    dlink: Ints64
    bytes_s: Floats
    size: Ints64
    lines: Ints64

    @cached_property
    def start(self) -> Ints64:
        """The vertex that each edge leaves."""
        return np.repeat(np.arange(len(self.size)), np.diff(self.first))

    @cached_property
    def island(self) -> Ints64:
        """Number of each vertex; those that reach one another share it."""
        return _islands(len(self.size), self.start, self.to)


@dataclass(frozen=True)
class Paths:
    """Shortest paths of pairs, sparse: pair[e] sends the share[e] of its traffic over dlink[e].

    Parameters
    ----------
    pair, dlink, share
        Entries, by pair; the share is that of each line of an edge.
    width_bytes_s
        Bandwidth of all shortest paths of each pair together, 0 where there is none [B/s].
    hops
        Edges of a shortest path of each pair.
    """

    pair: Ints64
    dlink: Ints64
    share: Floats
    width_bytes_s: Floats
    hops: Ints64


def graph_of(
    vertices: int,
    a: Ints64,
    b: Ints64,
    link: Ints64,
    bytes_s: Floats,
    size: Ints64 | None = None,
    lines: Ints64 | None = None,
) -> Graph:
    """Return the graph of links between vertices `a` and `b`; those without bandwidth are left out.

    Vertices stand for one each and links for one line, where no other numbers are given.
    """
    alive = bytes_s > 0
    a, b, link, bytes_s = a[alive], b[alive], link[alive], bytes_s[alive]
    lines = np.ones(len(a), np.int64) if lines is None else lines[alive]
    start = np.concatenate([a, b]).astype(np.int64)
    order = np.argsort(start, kind="stable")
    first = np.zeros(vertices + 1, np.int64)
    np.cumsum(np.bincount(start, minlength=vertices), out=first[1:])
    return Graph(
        first,
        np.concatenate([b, a]).astype(np.int64)[order],
        np.concatenate([2 * link, 2 * link + 1]).astype(np.int64)[order],
        np.concatenate([bytes_s, bytes_s])[order],
        np.ones(vertices, np.int64) if size is None else size,
        np.concatenate([lines, lines])[order],
    )


def _islands(vertices: int, a: Ints64, b: Ints64) -> Ints64:
    """Return the lowest vertex that each vertex reaches: labels fall along edges, and jump to their label's label."""
    label = np.arange(vertices, dtype=np.int64)
    while True:
        lower = label.copy()
        least = np.minimum(label[a], label[b])
        np.minimum.at(lower, label[a], least)
        np.minimum.at(lower, label[b], least)
        lower = lower[lower]
        if np.array_equal(lower, label):
            return label
        label = lower


@dataclass(frozen=True)
class _Step:
    """Edges of one level: from key to key (pair * V + vertex)."""

    source: Ints64
    target: Ints64
    dlink: Ints64
    bytes_s: Floats
    lines: Ints64


def shortest_paths(graph: Graph, source: Ints64, target: Ints64) -> Paths:
    """Return the shortest paths from source[k] to target[k], for all pairs k.

    A pair whose ends are one vertex, or whose ends do not reach one another, has no entries. Of vertices that stand for
    several, one sends to one.
    """
    pairs, vertices = len(source), len(graph.first) - 1
    number = np.arange(pairs, dtype=np.int64)
    width, hops = np.zeros(pairs), np.zeros(pairs, np.int64)
    todo = number[(source != target) & (graph.island[source] == graph.island[target])]
    ahead, behind = todo * vertices + source[todo], todo * vertices + target[todo]
    steps: tuple[list[_Step], list[_Step]] = ([], [])
    found: list[tuple[Ints64, Ints64, Floats]] = []
    forward = True
    while len(ahead):
        side = steps[0 if forward else 1]
        side.append(_expand(graph, ahead if forward else behind, vertices, back=not forward))
        level = np.unique(side[-1].target if forward else side[-1].source)
        ahead, behind = (level, behind) if forward else (ahead, level)
        met = np.intersect1d(ahead, behind, assume_unique=True)
        if len(met):
            done = np.zeros(pairs, np.bool_)
            done[met // vertices] = True
            layers = _layers(steps, met)
            entries = _split(layers, graph.size, width)
            found.append(entries)
            hops[done] = len(layers)
            ahead, behind = ahead[~done[ahead // vertices]], behind[~done[behind // vertices]]
        forward = not forward
    if not found:
        none = np.zeros(0, np.int64)
        return Paths(none, none, np.zeros(0), width, hops)
    pair = np.concatenate([f[0] for f in found])
    order = np.argsort(pair, kind="stable")
    return Paths(
        pair[order],
        np.concatenate([f[1] for f in found])[order],
        np.concatenate([f[2] for f in found])[order],
        width,
        hops,
    )


def _expand(graph: Graph, keys: Ints64, vertices: int, *, back: bool) -> _Step:
    """Return all edges out of the vertices of a level; `back`: into them."""
    vertex = keys % vertices
    count = graph.first[vertex + 1] - graph.first[vertex]
    start = np.cumsum(count) - count
    edge = np.arange(count.sum()) + np.repeat(graph.first[vertex] - start, count)
    start_keys = np.repeat(keys, count)
    end_keys = start_keys - np.repeat(vertex, count) + graph.to[edge]
    if back:
        return _Step(end_keys, start_keys, graph.dlink[edge] ^ 1, graph.bytes_s[edge], graph.lines[edge])
    return _Step(start_keys, end_keys, graph.dlink[edge], graph.bytes_s[edge], graph.lines[edge])


def _layers(steps: tuple[list[_Step], list[_Step]], met: Ints64) -> list[_Step]:
    """Return the edges on shortest paths of the pairs that have met, level by level from source to target."""
    before: list[_Step] = []
    wanted = met
    for step in reversed(steps[0]):
        kept = _kept(step, np.isin(step.target, wanted))
        before.append(kept)
        wanted = np.unique(kept.source)
    after: list[_Step] = []
    wanted = met
    for step in reversed(steps[1]):
        kept = _kept(step, np.isin(step.source, wanted))
        after.append(kept)
        wanted = np.unique(kept.target)
    return [*reversed(before), *after]


def _kept(step: _Step, mask: Bools) -> _Step:
    return _Step(step.source[mask], step.target[mask], step.dlink[mask], step.bytes_s[mask], step.lines[mask])


def _split(layers: list[_Step], size: Ints64, width: Floats) -> tuple[Ints64, Ints64, Floats]:
    """Return entries (pair, directed link, share) of the layers; writes the width of each pair, in place."""
    vertices = len(size)
    weights: list[Floats] = []
    onto: list[Ints64] = []  # lines out of each at the source of an edge
    keys = np.zeros(0, np.int64)  # vertices of the level behind, with what they pass on
    onward = np.zeros(0)
    for step in reversed(layers):
        beyond = np.full(len(step.target), np.inf)
        if len(keys):
            beyond = onward[np.searchsorted(keys, step.target)]
        weight = np.minimum(step.bytes_s, beyond)
        out = step.lines if step is layers[-1] else step.lines * size[step.target % vertices]
        weights.append(weight)
        onto.append(out)
        keys, group = np.unique(step.source, return_inverse=True)
        onward = np.bincount(group, out * weight, minlength=len(keys)).astype(np.float64)
    weights.reverse()
    onto.reverse()
    width[keys // vertices] = onward
    held, share_here = keys, np.ones(len(keys))
    found: list[tuple[Ints64, Ints64, Floats]] = []
    for step, weight, out in zip(layers, weights, onto, strict=True):
        place = np.searchsorted(held, step.source)
        total = np.bincount(place, out * weight, minlength=len(held))
        share = share_here[place] * weight / total[place]
        found.append((step.source // vertices, step.dlink, share))
        into = step.lines if step is layers[0] else step.lines * size[step.source % vertices]
        keys, group = np.unique(step.target, return_inverse=True)
        held, share_here = keys, np.bincount(group, into * share, minlength=len(keys)).astype(np.float64)
    return (
        np.concatenate([f[0] for f in found]),
        np.concatenate([f[1] for f in found]),
        np.concatenate([f[2] for f in found]),
    )
