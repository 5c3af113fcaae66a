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
    hall, facing, contained = rows.hall.tolist(), rows.facing.tolist(), rows.contained.tolist()
    x0_m, x1_m, height_m = rows.x0_m.tolist(), rows.x1_m.tolist(), rows.height_m.tolist()
    low_m, high_m = (rows.y_m - rows.depth_m / 2).tolist(), (rows.y_m + rows.depth_m / 2).tolist()
    found: list[tuple[int, int, bool, float, float, float, float, float]] = []

    def add(row: int, neighbour: int, y0_m: float, y1_m: float, side: int) -> None:
        """Add the floor y0..y1 on one side of a row."""
        kind = AisleKind.COLD if facing[row] == side else AisleKind.HOT
        closed = neighbour != row and contained[row] * facing[row] == side
        inner, outer = (max, min) if closed else (min, max)
        from_m, to_m = inner(x0_m[row], x0_m[neighbour]), outer(x1_m[row], x1_m[neighbour])
        top_m = min(height_m[row], height_m[neighbour])
        found.append((hall[row], int(kind), closed, from_m, y0_m, to_m, y1_m, top_m))

    generators: dict[str, list[int]] = {}
    for row in np.flatnonzero(rows.present).tolist():
        generators.setdefault(rows.ids[row].rpartition("/")[0], []).append(row)
    ends = [(members[0], members[-1]) for members in generators.values()]
    before_m = _outer_m(plant, [low for low, _ in ends], -1)
    behind_m = _outer_m(plant, [high for _, high in ends], +1)
    for members, outer_m, beyond_m in zip(generators.values(), before_m, behind_m, strict=True):
        low, high = members[0], members[-1]
        add(low, low, low_m[low] - outer_m, low_m[low], -1)
        for row, neighbour in pairwise(members):
            y0_m, y1_m = high_m[row], low_m[neighbour]
            if facing[row] == -facing[neighbour]:
                add(row, neighbour, y0_m, y1_m, +1)
            else:
                middle_m = (y0_m + y1_m) / 2
                add(row, row, y0_m, middle_m, +1)
                add(neighbour, neighbour, middle_m, y1_m, -1)
        add(high, high, high_m[high], high_m[high] + beyond_m, +1)
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


def _outer_m(plant: Plant, chosen: list[int], side: int) -> list[float]:
    """Return the width of the aisle on the outer side of rows: half the way to a row of another generator [m]."""
    rows, chosen_rows = plant.rows, np.array(chosen, np.int64)[:, None]
    beside = (rows.x0_m < rows.x1_m[chosen_rows]) & (rows.x1_m > rows.x0_m[chosen_rows])
    away_m = side * (rows.y_m - rows.y_m[chosen_rows])
    opposite = rows.present & (rows.hall == rows.hall[chosen_rows]) & beside & (away_m > 0)
    gap_m = np.where(opposite, away_m - (rows.depth_m + rows.depth_m[chosen_rows]) / 2, 2 * OUTER_M)
    widths_m: list[float] = np.clip(gap_m.min(axis=1, initial=2 * OUTER_M) / 2, 0.0, OUTER_M).tolist()
    return widths_m
