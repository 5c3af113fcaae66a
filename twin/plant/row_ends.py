"""Free floor at the end of a row for the cabinets that feed it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from twin.arrays import Ints32
from twin.plant.layout import Layout
from twin.plant.tables import LoopKind, Loops, Machines

PDU_WIDTH_M, PDU_DEPTH_M = 0.6, 0.9
"""Footprint of a floor PDU, along the rows and across them [estimated]."""
FROM_ROW_M = 0.75
"""Row end to the middle of the first PDU."""
STEP_M = 0.7
"""From one PDU to the next, along the row."""
APART_M = 0.5
"""Middle of the row to PDUs of feed A on one side and of feed B on the other."""
MOST_AT_ROW_END = 2
"""Where more feed a row they would hide it: they are drawn behind the hall, whose floor does not grow for them."""
TOUCH_M = 0.01
"""So much two footprints may overlap: they stand side to side."""


class RowEnds:
    """The floor past the high-x ends of rows: gives one place after another, each clear of all that stands.

    Parameters
    ----------
    layout
        Rows and racks, in the coordinates of their halls.
    loops, machines
        What cools them, in the same coordinates; doors on racks take no floor.
    given
        Hall, x and y of cabinets that a person has placed, shape (n, 3); hall -1: any.
    """

    def __init__(
        self, layout: Layout, loops: Loops, machines: Machines, given: Sequence[Sequence[float]]
    ) -> None:
        racks, self._rows = layout.racks, layout.rows
        rack = racks.present
        stands = loops.kind[machines.loop] != LoopKind.REAR_DOOR
        placed = np.array(given, np.float64).reshape(-1, 3)
        self._hall = np.concatenate([racks.hall[rack], loops.hall[machines.loop[stands]], placed[:, 0]])
        self._x_m = np.concatenate([racks.x_m[rack], machines.x_m[stands], placed[:, 1]])
        self._y_m = np.concatenate([racks.y_m[rack], machines.y_m[stands], placed[:, 2]])
        pdu = np.ones(len(placed))
        wide_m = np.concatenate([racks.width_m[rack], machines.width_m[stands], PDU_WIDTH_M * pdu])
        deep_m = np.concatenate([racks.depth_m[rack], machines.depth_m[stands], PDU_DEPTH_M * pdu])
        self._near_x_m = (wide_m + PDU_WIDTH_M) / 2 - TOUCH_M
        self._near_y_m = (deep_m + PDU_DEPTH_M) / 2 - TOUCH_M
        self._taken: dict[tuple[int, int], list[tuple[float, float]]] = {}  # by hall and strip of a depth
        self._reached: dict[tuple[int, int], tuple[float, list[tuple[float, float]]]] = {}
        # By row and feed: the place given last, and what stands past that end.

    def next(self, row: int, feed: int) -> tuple[float, float]:
        """Return the middle of the nearest free place past the end of a row, and take it [m].

        Parameters
        ----------
        feed
            0 for A, 1 for B: the side of the row.
        """
        rows = self._rows
        hall, y_m = int(rows.hall[row]), float(rows.y_m[row]) + APART_M * (2 * feed - 1)
        if (row, feed) not in self._reached:
            first_m = float(rows.x1_m[row]) + FROM_ROW_M
            self._reached[row, feed] = first_m, self._spans(hall, first_m, y_m)
        x_m, standing = self._reached[row, feed]
        strip, clear_m = math.floor(y_m / PDU_DEPTH_M), PDU_WIDTH_M - TOUCH_M
        spans = [span for span in standing if span[1] > x_m]
        for near in (strip - 1, strip, strip + 1):
            for taken_x_m, taken_y_m in self._taken.get((hall, near), ()):
                if taken_x_m + clear_m > x_m and abs(taken_y_m - y_m) < PDU_DEPTH_M - TOUCH_M:
                    spans.append((taken_x_m - clear_m, taken_x_m + clear_m))
        while any(low < x_m < high for low, high in spans):
            x_m += STEP_M
        self._taken.setdefault((hall, strip), []).append((x_m, y_m))
        self._reached[row, feed] = x_m, standing
        return x_m, y_m

    def _spans(self, hall: int, x_m: float, y_m: float) -> list[tuple[float, float]]:
        """Return from where to where along x, from `x_m` on, the middle of a PDU cannot be [m]."""
        near = (self._hall == hall) | (self._hall < 0)
        near &= (np.abs(self._y_m - y_m) < self._near_y_m) & (self._x_m + self._near_x_m > x_m)
        low_m, high_m = self._x_m - self._near_x_m, self._x_m + self._near_x_m
        return list(zip(low_m[near].tolist(), high_m[near].tolist(), strict=True))


def crowded_row(layout: Layout, items: int) -> Ints32:
    """Return for each power item the first row it feeds, where more than `MOST_AT_ROW_END` feed that line; else -1.

    Rows in one line, end to end, have one end in common.
    """
    racks, rows = layout.racks, layout.rows
    row = np.full(items, -1, np.int32)
    for column in (racks.feed_b, racks.feed_a):
        fed = np.flatnonzero(column >= 0)[::-1]  # the first rack of an item is written last
        row[column[fed]] = racks.row[fed]
    if not len(rows.ids):
        return row
    line = np.unique(np.stack([rows.hall, np.round(rows.y_m, 1)]), axis=1, return_inverse=True)[1].ravel()
    count = np.bincount(line[row[row >= 0]], minlength=line.max() + 1)
    return np.where((row >= 0) & (count[line[row]] > MOST_AT_ROW_END), row, -1).astype(np.int32)
