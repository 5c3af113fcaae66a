"""Where an arrow key takes what is carried: the next rack, the next line of racks."""

from __future__ import annotations

import numpy as np

from twin.plant.halls import TILE_M
from twin.plant.tables import Plant


def next_rack(plant: Plant, at: tuple[int, float], axis: int, sign: int) -> tuple[int, float]:
    """Return the next rack along its row (axis 0) or in the next row (axis 1), at the same unit."""
    racks, (rack, unit) = plant.racks, at
    dx, dy = racks.x_m - racks.x_m[rack], racks.y_m - racks.y_m[rack]
    ahead, aside = (dx, dy) if axis == 0 else (dy, dx)
    places = np.flatnonzero(racks.present & (ahead * sign > 0.05))
    if not len(places):
        return at
    cost = np.abs(ahead[places]) + 3.0 * np.abs(aside[places])
    return int(places[cost.argmin()]), unit


def next_line_m(plant: Plant, y_m: float, sign: int) -> float:
    """Return where the next line of racks is along y, or a few tiles on without one [m]."""
    lines = plant.rows.y_m[plant.rows.present]
    ahead = lines[(lines - y_m) * sign > 0.05]
    if not len(ahead):
        return y_m + sign * 5 * TILE_M
    return float(ahead.min() if sign > 0 else ahead.max())
