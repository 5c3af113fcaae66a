"""Where cable trays run: over the rows, rows that lie in one line sharing one, and across at the row ends."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints32
from twin.plant.tables import Racks, Rows

TRAY_ABOVE_RACK_M = 0.28
"""Roof of the racks to the cable tray over them."""

TRAY_FORWARD_M = 0.3
"""Middle of a row to its tray, towards the fronts; the busways lie as far towards the backs."""

CROSS_TRAY_M = 0.9
"""End of the longest row to the tray that joins the rows."""

SAME_LINE_M = 0.3
"""Trays closer than this in y are one tray."""


def tray_places(rows: Rows) -> tuple[Floats, Floats]:
    """Return y and z of the tray over each row [m]; the same for rows that share one."""
    line = tray_of_row(rows)
    z_m = rows.height_m + TRAY_ABOVE_RACK_M
    top_m = np.full(len(line), -np.inf)
    np.maximum.at(top_m, line, z_m)
    return (rows.y_m + rows.facing * TRAY_FORWARD_M)[line], top_m[line]


def tray_of_row(rows: Rows) -> Ints32:
    """Return, per row, the first row whose tray it shares: rows of one hall that lie in one line, end to end."""
    y_m = rows.y_m + rows.facing * TRAY_FORWARD_M
    order = np.lexsort((np.arange(len(y_m)), y_m, rows.hall))
    line = np.arange(len(y_m), dtype=np.int32)
    for before, row in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        if rows.hall[before] == rows.hall[row] and y_m[row] - y_m[before] < SAME_LINE_M:
            line[row] = line[before]
    lowest = np.full(len(line), len(line), np.int32)
    np.minimum.at(lowest, line, np.arange(len(line), dtype=np.int32))
    return lowest[line]


def cross_tray_x_m(racks: Racks, halls: int) -> Floats:
    """Return x of the tray that joins the rows of each hall [m]; nan for a hall without racks."""
    end_m = np.full(halls, -np.inf)
    present = racks.present
    np.maximum.at(end_m, racks.hall[present], (racks.x_m + racks.width_m / 2)[present])
    return np.where(np.isfinite(end_m), end_m + CROSS_TRAY_M, np.nan)
