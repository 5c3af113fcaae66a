"""Routes between the leaves of a switched fabric, by classes of leaves that are alike.

A way from leaf to leaf has three legs: out of the first leaf, through the network, into the last leaf. The first is the
same whichever leaf of a class it leads to, the second the same for all pairs of two classes, the third the same from
wherever it comes: so loads are summed by leg, and cost grows with leaves and links, not with pairs of leaves.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.fabric.entry_rows import EntryRows, KeyNumbers, ranges
from twin.plant.fabric.symmetry import VertexClasses, classes_of
from twin.plant.paths import Graph, shortest_paths

LEGS = 3
"""Out, through and into."""


class LeafRoutes:
    """Legs of ways between leaves, found when they are asked for and kept.

    Parameters
    ----------
    graph
        Switches of the fabric and the links between them.
    leaves
        Which vertices are leaves, shape (V,).
    """

    def __init__(self, graph: Graph, leaves: Bools) -> None:
        self.graph = graph
        beside = leaves[graph.start] & leaves[graph.to]
        apart = np.zeros(len(leaves), np.bool_)
        apart[graph.start[beside]] = True  # leaves cabled to each other have no legs in common with anybody
        self.classes: VertexClasses = classes_of(graph, apart)
        self.island: Ints64 = self.classes.graph.island[self.classes.of]
        self._pairs = KeyNumbers()  # of classes
        self._hops = np.zeros(0, np.int64)  # of each pair
        self._splits = np.zeros((0, 2), np.int64)  # of each pair: how it leaves and arrives, -1 not by a leg
        self._known_splits: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self._split_rows = EntryRows(), EntryRows()  # edges of classes
        self._ends = KeyNumbers(), KeyNumbers()  # of split and leaf
        self._through = EntryRows()  # of each pair: edges of classes
        self._end_rows = EntryRows(), EntryRows()  # directed links

    @property
    def found(self) -> int:
        """Return how many pairs of classes have been routed."""
        return len(self._pairs)

    def between(self, a: Ints64, b: Ints64) -> tuple[Ints64, Ints64]:
        """Return the legs of the ways between leaves, shape (n, LEGS), -1 where there is none, and their hops.

        a[k] and b[k] differ and reach one another.
        """
        of, count = self.classes.of, len(self.classes.graph.size)
        pair, new = self._pairs.of(of[a] * count + of[b])
        if len(new):
            self._find(*np.divmod(new, count))
        legs = np.empty((len(a), LEGS), np.int64)
        legs[:, 1] = LEGS * pair + 1
        for side, leaf in ((0, a), (1, b)):
            split = self._splits[pair, side]
            there = split >= 0
            ends, new = self._ends[side].of(split[there] * len(of) + leaf[there])
            if len(new):
                self._reach(side, *np.divmod(new, len(of)))
            legs[:, 2 * side] = -1
            legs[there, 2 * side] = LEGS * ends + 2 * side
        return legs, self._hops[pair]

    def _find(self, a: Ints64, b: Ints64) -> None:
        """Find the ways between pairs of classes."""
        classes, count = self.classes, len(a)
        paths = shortest_paths(classes.graph, a, b)
        same = np.flatnonzero(a == b)  # up and down again
        leaving = (classes.start[paths.dlink] == a[paths.pair]).astype(np.bool_)
        arriving = (classes.end[paths.dlink] == b[paths.pair]) & ~leaving
        within = ~leaving & ~arriving
        self._through.add(
            np.bincount(paths.pair[within], minlength=count), paths.dlink[within], paths.share[within]
        )
        self._hops = np.concatenate([self._hops, np.where(a == b, 2, paths.hops)])
        up_pair, up, up_share = self._up(a[same])
        parts = (
            (paths.pair[leaving], paths.dlink[leaving], paths.share[leaving], up),
            (paths.pair[arriving], paths.dlink[arriving], paths.share[arriving], up ^ 1),
        )
        splits = [
            self._split(side, count, np.r_[pair, same[up_pair]], np.r_[edge, more], np.r_[share, up_share])
            for side, (pair, edge, share, more) in enumerate(parts)
        ]
        self._splits = np.concatenate([self._splits, np.stack(splits, axis=1)])

    def _up(self, kinds: Ints64) -> tuple[Ints64, Ints64, Floats]:
        """Return the edges out of classes and the share of each of their lines when all are used by bandwidth."""
        graph, out = self.classes.graph, self.classes.out
        which, at = ranges(graph.first[kinds], graph.first[kinds + 1] - graph.first[kinds])
        edge, bytes_s = graph.dlink[at], graph.bytes_s[at]
        total = np.bincount(which, out[edge] * bytes_s, minlength=len(kinds))
        return which, edge, bytes_s / total[which]

    def _split(self, side: int, pairs: int, pair: Ints64, edge: Ints64, share: Floats) -> Ints64:
        """Return the number of the split of each pair over edges; -1 where it has none."""
        order = np.lexsort((edge, pair))
        pair, edge, share = pair[order], edge[order], share[order]
        bounds = np.searchsorted(pair, np.arange(pairs + 1))
        known, numbers, new = self._known_splits[side], [-1] * pairs, []
        for k, (begin, end) in enumerate(pairwise(bounds.tolist())):
            if begin < end:
                key = edge[begin:end].tobytes() + share[begin:end].tobytes()
                if key not in known:
                    known[key] = len(known)
                    new.append(k)
                numbers[k] = known[key]
        if new:
            count = np.diff(bounds)[new]
            at = ranges(bounds[new], count)[1]
            self._split_rows[side].add(count, edge[at], share[at])
        return np.array(numbers, np.int64)

    def _reach(self, side: int, split: Ints64, leaf: Ints64) -> None:
        """Find the links of splits at leaves."""
        classes = self.classes
        each, lines = (classes.out, classes.by_start) if side == 0 else (classes.into, classes.by_end)
        which, edge, share = self._split_rows[side].entries(split)
        place = classes.place[leaf[which]]
        entry, at = ranges(classes.first[edge] + place * each[edge], each[edge])
        count = np.bincount(which[entry], minlength=len(split))
        self._end_rows[side].add(count, lines[at], share[entry])

    # --- loads

    def load(self, amount: Floats) -> tuple[Ints64, Floats]:
        """Return directed links and what they carry, entries to be summed, for an amount on each leg."""
        found: list[tuple[Ints64, Floats]] = []
        used = np.flatnonzero(amount)
        number, leg = np.divmod(used, LEGS)
        for side in (0, 1):
            chosen = leg == 2 * side
            found.append(self._end_rows[side].shared_out(number[chosen], amount[used[chosen]]))
        chosen = leg == 1
        edge, on = self._through.shared_out(number[chosen], amount[used[chosen]])
        if len(edge):
            classes = self.classes
            on_edge = np.bincount(edge, on, minlength=len(classes.start)).astype(np.float64, copy=False)
            crossed = np.flatnonzero(on_edge)
            lines = classes.lines[crossed]
            at = ranges(classes.first[crossed], lines)[1]
            found.append((classes.by_start[at], np.repeat(on_edge[crossed], lines)))
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def over(self, legs: Ints64, marked: Bools) -> Floats:
        """Return how much of what takes each leg goes over marked links, there and back, shape (n, 2).

        Parameters
        ----------
        legs
            Different ones.
        marked
            Of each link.
        """
        result = np.zeros((len(legs), 2))
        number, leg = np.divmod(legs, LEGS)
        for side in (0, 1):
            chosen = np.flatnonzero(leg == 2 * side)
            which, dlink, share = self._end_rows[side].entries(number[chosen])
            _add(result, chosen[which], dlink, np.where(marked[dlink // 2], share, 0.0))
        chosen = np.flatnonzero(leg == 1)
        which, edge, share = self._through.entries(number[chosen])
        classes = self.classes
        lines = np.zeros((len(classes.start), 2))  # marked ones of each edge
        of_line = np.repeat(np.arange(len(classes.start)), classes.lines)
        _add(lines, of_line, classes.by_start, marked[classes.by_start // 2].astype(np.float64))
        for way in (0, 1):
            on = np.bincount(chosen[which], share * lines[edge, way], minlength=len(legs))
            result[:, way] += on
        return result


def _add(total: Floats, row: Ints64, dlink: Ints64, amount: Floats) -> None:
    """Add amounts on directed links to the rows of a table by direction, shape (n, 2), in place."""
    total += np.bincount(2 * row + dlink % 2, amount, minlength=total.size).reshape(total.shape)
