"""Places of CDUs and CRAHs: in columns beyond the row ends, each loop near the racks it serves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.plant.tables import LoopKind, Machines, Plant

WALKWAY_M = 1.2
"""Free floor between row ends and the first column of machines."""

GAP_M = 0.2
COLUMN_GAP_M = 0.4
"""Free floor between machines of a column, and between columns."""

BESIDE_M = 1.2
"""How far a column may reach beyond the outer rows."""

LEAST_ROOM_M = 6.0
"""Depth that machines may use in a small hall."""

ONE_SIDE_COLUMNS = 12
"""With more columns than this the CRAHs stand at both ends of the rows, else all on the low-x side."""

HEADER_M = 1.0
"""Strip behind the CDUs kept for the facility water headers."""


@dataclass
class Wall:
    """The rectangle round the racks of a hall; `place` widens it by what it sets beside them."""

    x0_m: float
    x1_m: float
    y0_m: float
    y1_m: float


def place(
    wall: Wall,
    kind: LoopKind,
    loops: list[int],
    units: list[int],
    sizes_m: list[tuple[float, float, float]],
    middles_m: list[float],
) -> Machines:
    """Set the machines of some loops beside the rows without overlap.

    Parameters
    ----------
    wall
        Where the racks and earlier machines are; widened in place.
    kind
        CDUs stand in line with the rows on the low-x side. CRAHs stand behind them, and on both sides when there
        are very many.
    loops, units, sizes_m, middles_m
        Per loop: slot, machines, (width, depth, height) of one [m], and the y [m] its racks are centred on.

    Returns
    -------
    Machines
        One entry per machine, in the coordinates of the hall.
    """
    room_m = max(wall.y1_m - wall.y0_m + 2 * BESIDE_M, LEAST_ROOM_M)
    both = kind == LoopKind.AIR and len(loops) > 1
    if both:
        both = min(_block(units, sizes_m, turned, room_m)[0] for turned in (False, True)) > ONE_SIDE_COLUMNS
    pieces: list[tuple[int, float, float, float, float, float]] = []
    for side in (-1, 1) if both else (-1,):
        on_side = [k for k in range(len(loops)) if not both or k % 2 == (side > 0)]
        edge_m = wall.x1_m + WALKWAY_M if side > 0 else wall.x0_m - WALKWAY_M
        counts, sizes = [units[k] for k in on_side], [sizes_m[k] for k in on_side]
        turns = (False,) if kind == LoopKind.LIQUID else (True, False)
        turned = min(turns, key=lambda t: _block(counts, sizes, t, room_m)[1:])
        columns, _, _ = _block(counts, sizes, turned, room_m)
        slots = [-(-count // columns) for count in counts]
        across, along = _extents(sizes, turned)
        pitch_m = max(across) + COLUMN_GAP_M
        blocks = [n * (extent + GAP_M) for n, extent in zip(slots, along, strict=True)]
        low_m = spread([middles_m[k] for k in on_side], blocks)
        for place, k in enumerate(on_side):
            column, slot = np.divmod(np.arange(units[k]), slots[place])
            x_m = edge_m + side * (column * pitch_m + max(across) / 2)
            y_m = low_m[place] + (slot + 0.5) * (along[place] + GAP_M)
            box = (across[place], along[place], sizes_m[k][2])
            pieces += [(loops[k], x, y, *box) for x, y in zip(x_m.tolist(), y_m.tolist(), strict=True)]
    loop, x, y, width, depth, height = (np.array(column) for column in zip(*pieces, strict=True))
    behind_m = HEADER_M if kind == LoopKind.LIQUID else 0.0
    wall.x0_m = min(wall.x0_m, float((x - width / 2).min()) - behind_m)
    wall.x1_m = max(wall.x1_m, float((x + width / 2).max()))
    return Machines(loop.astype(np.int32), x, y, width, depth, height)


def machine_ids(plant: Plant) -> list[str]:
    """Return an id for each CDU and CRAH: that of its loop, with a number where that has several ("cdu/0#1")."""
    loops = plant.machines.loop.tolist()
    turn: dict[int, int] = {}
    ids = []
    for loop in loops:
        number = turn[loop] = turn.get(loop, -1) + 1
        ids.append(f"{plant.loops.ids[loop]}#{number}")
    return [plant.loops.ids[loop] if turn[loop] == 0 else id for id, loop in zip(ids, loops, strict=True)]


def _extents(sizes_m: list[tuple[float, float, float]], turned: bool) -> tuple[list[float], list[float]]:
    """Return the extents in x and in y [m] of machines that stand as they are or turned by 90 degrees."""
    widths, depths = [size[0] for size in sizes_m], [size[1] for size in sizes_m]
    return (depths, widths) if turned else (widths, depths)


def _block(
    units: list[int], sizes_m: list[tuple[float, float, float]], turned: bool, room_m: float
) -> tuple[int, float, float]:
    """Return the columns for all loops, how far they stick out of the depth of the hall, and their reach in x [m].

    The fewest columns that fit the depth; when none do, as many as the loop with most machines has.
    """
    across, along = _extents(sizes_m, turned)
    for columns in range(1, max(units) + 1):
        needed_m = sum(-(-n // columns) * (a + GAP_M) for n, a in zip(units, along, strict=True))
        if needed_m <= room_m + GAP_M:
            break
    return columns, max(0.0, needed_m - room_m - GAP_M), columns * (max(across) + COLUMN_GAP_M)


def spread(middles_m: list[float], lengths_m: list[float]) -> Floats:
    """Return the low ends of blocks on a line that do not overlap and stay near their middles [m].

    Blocks keep the order of their middles (ties: of the list). Runs of blocks that touch are centred on the
    mean of their wishes, which is the least-squares answer.
    """
    wish = np.array(middles_m, np.float64)
    length = np.array(lengths_m, np.float64)
    order = np.argsort(wish, kind="stable")
    runs: list[list[float]] = []  # [sum of wished low ends relative to the run, blocks, length]
    starts: list[int] = []
    for position, k in enumerate(order):
        runs.append([wish[k] - length[k] / 2, 1.0, length[k]])
        starts.append(position)
        while len(runs) > 1 and runs[-2][0] / runs[-2][1] + runs[-2][2] > runs[-1][0] / runs[-1][1]:
            total, count, run_length = runs.pop()
            starts.pop()
            runs[-1][0] += total - count * runs[-1][2]
            runs[-1][1] += count
            runs[-1][2] += run_length
    low = np.empty(len(wish))
    for start, end, (total, count, _) in zip(starts, [*starts[1:], len(order)], runs, strict=True):
        members = order[start:end]
        low[members] = total / count + np.cumsum(length[members]) - length[members]
    return low
