"""Cold and hot aisles: the floor between rows and beside the outer ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from twin.plant.shapes import AisleKind, Aisles
from twin.plant.tables import Plant

OUTER_M = 1.2
"""Greatest width of the aisle beside the first and last row of a generator."""


def draw_aisles(plant: Plant) -> Aisles:
    """Return the aisles of all halls: between neighbours of one row generator, and beside its outer rows.

    Fronts on both sides make a cold aisle, backs a hot one; between a front and a back each has its half.
    """
    rows = plant.rows
    found: list[tuple[int, int, bool, float, float, float, float, float]] = []

    def add(row: int, other: int, y0_m: float, y1_m: float, side: int) -> None:
        """Add the floor y0..y1 on one side of a row."""
        kind = AisleKind.COLD if rows.facing[row] == side else AisleKind.HOT
        closed = other != row and bool(rows.contained[row] * rows.facing[row] == side)
        pair = [row, other]
        found.append(
            (
                int(rows.hall[row]),
                int(kind),
                closed,
                float(rows.x0_m[pair].max() if closed else rows.x0_m[pair].min()),
                y0_m,
                float(rows.x1_m[pair].min() if closed else rows.x1_m[pair].max()),
                y1_m,
                float(rows.height_m[pair].min()),
            )
        )

    generators: dict[str, list[int]] = {}
    for row in np.flatnonzero(rows.present).tolist():
        generators.setdefault(rows.ids[row].rpartition("/")[0], []).append(row)
    for members in generators.values():
        low, high = members[0], members[-1]
        low_edge = float(rows.y_m[low] - rows.depth_m[low] / 2)
        high_edge = float(rows.y_m[high] + rows.depth_m[high] / 2)
        add(low, low, low_edge - _outer_m(plant, low, -1), low_edge, -1)
        for row, other in pairwise(members):
            y0_m = float(rows.y_m[row] + rows.depth_m[row] / 2)
            y1_m = float(rows.y_m[other] - rows.depth_m[other] / 2)
            if rows.facing[row] == -rows.facing[other]:
                add(row, other, y0_m, y1_m, +1)
            else:
                middle_m = (y0_m + y1_m) / 2
                add(row, row, y0_m, middle_m, +1)
                add(other, other, middle_m, y1_m, -1)
        add(high, high, high_edge, high_edge + _outer_m(plant, high, +1), +1)
    columns = list(zip(*found, strict=True)) or [()] * 8
    return Aisles(
        hall=np.array(columns[0], np.int32),
        kind=np.array(columns[1], np.int32),
        contained=np.array(columns[2], np.bool_),
        x0_m=np.array(columns[3], np.float64),
        y0_m=np.array(columns[4], np.float64),
        x1_m=np.array(columns[5], np.float64),
        y1_m=np.array(columns[6], np.float64),
        height_m=np.array(columns[7], np.float64),
    )


def _outer_m(plant: Plant, row: int, side: int) -> float:
    """Return the width of the aisle on the outer side of a row: half the way to a row of another generator [m]."""
    rows = plant.rows
    beside = (rows.x0_m < rows.x1_m[row]) & (rows.x1_m > rows.x0_m[row])
    others = rows.present & (rows.hall == rows.hall[row]) & beside
    gap_m = side * (rows.y_m - rows.y_m[row]) - (rows.depth_m + rows.depth_m[row]) / 2
    gap_m = gap_m[others & (side * (rows.y_m - rows.y_m[row]) > 0)]
    return float(np.clip(gap_m.min(initial=2 * OUTER_M) / 2, 0.0, OUTER_M))
