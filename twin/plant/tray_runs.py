"""Cables in the trays: lines cut into pieces where racks branch off, and the path of each bundle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.plant.shapes import TrayBundles
from twin.plant.tables import Plant
from twin.plant.tray_bundles import lanes
from twin.plant.tray_paths import tray_of_row

_LINE_KEY = 1e6
"""Lines are told apart by so much when places along all of them are searched at once; longer than any tray [m]."""
_SAME_M = 1e-4


@dataclass(frozen=True)
class CableRuns:
    """Pieces of the lines of `TrayBundles`, and the runs of bundles over them.

    Pieces of one line follow one another in its direction. A run is a stretch of pieces of one line that a bundle
    lies in; a bundle has up to five: down from a rack, along its row, across, along the other row, into the rack.

    Parameters
    ----------
    line
        Line of each piece.
    start_m, stop_m
        Ends of each piece, shape (P, 3) [m].
    from_m
        Distance of its start along the line [m].
    bundle
        Bundle of each run.
    first, last
        Its pieces, both included.
    ahead
        Whether the way from the bundle's rack a to its rack b goes along the direction of the line.
    """

    line: Ints32
    start_m: Floats
    stop_m: Floats
    from_m: Floats
    bundle: Ints32
    first: Ints32
    last: Ints32
    ahead: Bools

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def _doubling(self) -> tuple[int, Ints32, Ints32, Ints32]:
        """Return levels, runs in the order of the cells they fill, where each cell's runs begin, and the cells.

        A run of n pieces is two overlapping stretches of 2^k pieces; cell (k, p) stands for pieces p to p + 2^k - 1.
        """
        length = self.last - self.first + 1
        level = np.frexp(length)[1] - 1
        levels = int(level.max(initial=0)) + 1
        base = level.astype(np.int64) * len(self)
        cell = np.concatenate([base + self.first, base + self.last - (1 << level) + 1])
        order = np.argsort(cell, kind="stable")
        cells, begin = np.unique(cell[order], return_index=True)
        runs = order % max(1, len(self.first))
        return levels, runs.astype(np.int32), begin.astype(np.int32), cells.astype(np.int32)

    def highest(self, of_run: Floats) -> Floats:
        """Return the highest value of the runs over each piece, 0 where none is; values are not negative.

        Parameters
        ----------
        of_run
            One value per run, such as ``load[runs.bundle]``.
        """
        levels, runs, begin, cells = self._doubling
        table = np.zeros((levels, len(self)), of_run.dtype)
        if len(runs):
            table.reshape(-1)[cells] = np.maximum.reduceat(of_run[runs], begin)
        for k in range(levels - 1, 0, -1):
            half = 1 << (k - 1)
            np.maximum(table[k - 1], table[k], out=table[k - 1])
            np.maximum(table[k - 1, half:], table[k, :-half], out=table[k - 1, half:])
        found: Floats = table[0]
        return found

    @cached_property
    def used(self) -> Bools:
        """Whether each piece holds a bundle: ends of lines beyond the last rack hold none."""
        begin, end = (np.bincount(at, minlength=len(self) + 1) for at in (self.first, self.last + 1))
        used: Bools = np.cumsum(begin - end)[: len(self)] > 0
        return used

    def bundles_at(self, piece: int) -> Ints32:
        """Return the bundles that lie in a piece, in ascending order."""
        return np.unique(self.bundle[(self.first <= piece) & (piece <= self.last)])

    def pieces_of(self, bundles: Ints32) -> Ints32:
        """Return the pieces that some of the bundles lie in, in ascending order."""
        if not len(bundles):
            return np.zeros(0, np.int32)
        marked = np.zeros(int(max(self.bundle.max(initial=0), bundles.max())) + 1)
        marked[bundles] = 1.0
        return np.flatnonzero(self.highest(marked[self.bundle]) > 0).astype(np.int32)


def lay_runs(plant: Plant, drawn: TrayBundles) -> CableRuns:
    """Return pieces and runs of the cables drawn; those inside a rack have none, no tray leads to another hall."""
    points = drawn.lines.points
    start, stop = points[drawn.lines.first[:-1]], points[drawn.lines.first[1:] - 1]
    length_m = np.linalg.norm(stop - start, axis=1)
    in_row, crossing = (drawn.rack < 0) & (drawn.row >= 0), drawn.row < 0
    trunk = _table(len(plant.rows.ids), drawn.row, drawn.lane, in_row)
    cross = _table(len(plant.halls.ids), drawn.hall, drawn.lane, crossing)
    drop = _table(len(plant.racks.ids), drawn.rack, drawn.lane, drawn.rack >= 0)

    drops, trunks = np.flatnonzero(drawn.rack >= 0), np.flatnonzero(in_row)
    over_drop = trunk[drawn.row[drops], drawn.lane[drops]]
    over_row = cross[drawn.hall[trunks], drawn.lane[trunks]]
    has = over_row >= 0
    cut_line = np.concatenate([over_drop, over_row[has]])
    cut_m = np.concatenate(
        [start[drops, 0] - start[over_drop, 0], start[trunks[has], 1] - start[over_row[has], 1]]
    )
    line, from_m, to_m = _pieces(length_m, cut_line, cut_m)
    way = (stop - start) / np.maximum(length_m, 1e-9)[:, None]
    begins = line * _LINE_KEY + from_m
    of_line = np.bincount(line, minlength=len(length_m))
    lead = (np.cumsum(of_line) - of_line).astype(np.int32)  # first piece of each line

    def piece(lines: Ints32, at_m: Floats) -> Ints32:
        found: Ints32 = lead[lines]
        cut = np.flatnonzero(of_line[lines] > 1)  # most lines are drops of one piece
        found[cut] = np.searchsorted(begins, lines[cut] * _LINE_KEY + at_m[cut], side="right") - 1
        return found

    runs: list[tuple[Ints32, Ints32, Ints32, Bools]] = []

    def add(bundle: Ints32, lines: Ints32, a_m: Floats, b_m: Floats) -> None:
        """Take the runs of bundles along lines, from a to b."""
        low_m, high_m = np.minimum(a_m, b_m), np.maximum(a_m, b_m)
        some = np.flatnonzero((lines >= 0) & (high_m - low_m > _SAME_M))
        on = lines[some]
        first, last = piece(on, low_m[some] + _SAME_M), piece(on, high_m[some] - _SAME_M)
        runs.append((bundle[some], first, last, (b_m > a_m)[some]))

    table = plant.bundles
    out = np.flatnonzero(table.rack_a != table.rack_b).astype(np.int32)
    lane = lanes(plant)[0][out]
    tray = tray_of_row(plant.rows)[plant.racks.row]
    ends = (table.rack_a[out], table.rack_b[out])
    same = tray[ends[0]] == tray[ends[1]]
    near = [drop[end, lane] for end in ends]
    along = [trunk[tray[end], lane] for end in ends]
    at_m = [start[near[k], 0] - start[along[k], 0] for k in (0, 1)]
    none = np.zeros(len(out))
    add(out, near[0], length_m[near[0]], none)
    add(out[same], along[0][same], at_m[0][same], at_m[1][same])
    far = ~same
    add(out[far], along[0][far], at_m[0][far], length_m[along[0]][far])
    hall = plant.racks.hall
    over = np.where(hall[ends[0]] == hall[ends[1]], cross[hall[ends[0]], lane], -1)
    y_m = [start[along[k], 1] - start[over, 1] for k in (0, 1)]
    add(out[far], over[far], y_m[0][far], y_m[1][far])
    add(out[far], along[1][far], length_m[along[1]][far], at_m[1][far])
    add(out, near[1], none, length_m[near[1]])
    bundle, first, last, ahead = (np.concatenate(column) for column in zip(*runs, strict=True))
    return CableRuns(
        line=line,
        start_m=start[line] + way[line] * from_m[:, None],
        stop_m=start[line] + way[line] * to_m[:, None],
        from_m=from_m,
        bundle=bundle.astype(np.int32),
        first=first,
        last=last,
        ahead=ahead,
    )


def _table(places: int, place: Ints32, lane: Ints32, chosen: Bools) -> Ints32:
    """Return the number of the chosen line at each (place, lane), -1 for none."""
    table = np.full((places, int(lane.max(initial=0)) + 1), -1, np.int32)
    table[place[chosen], lane[chosen]] = np.flatnonzero(chosen)
    return table


def _pieces(length_m: Floats, cut_line: Ints32, cut_m: Floats) -> tuple[Ints32, Floats, Floats]:
    """Return line, start and end [m along it] of the pieces that cuts leave of lines."""
    lines = np.arange(len(length_m))
    inside = (cut_m > _SAME_M) & (cut_m < length_m[cut_line] - _SAME_M)
    line = np.concatenate([lines, lines, cut_line[inside]])
    at_m = np.concatenate([np.zeros(len(lines)), length_m, cut_m[inside]])
    order = np.lexsort((at_m, line))
    line, at_m = line[order], at_m[order]
    apart = np.concatenate([[True], (np.diff(line) > 0) | (np.diff(at_m) > _SAME_M)])[: len(line)]
    line, at_m = line[apart], at_m[apart]
    inner = np.flatnonzero(line[1:] == line[:-1])
    return line[inner].astype(np.int32), at_m[inner], at_m[inner + 1]
