"""Where CDUs and CRAHs stand: in columns beyond the row ends, each loop before the racks it serves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.plant.tables import Floats, LoopKind, Machines

WALKWAY_M = 1.2
"""Free floor between row ends and the first column, and between columns."""

GAP_M = 0.3
"""Free floor between machines of a column."""

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
        CDUs stand in line with the rows on the low-x side. CRAHs stand across behind them, and on both sides
        when there are many.
    loops, units, sizes_m, middles_m
        Per loop: slot, machines, (width, depth, height) of one [m], and the y [m] its racks are centred on.

    Returns
    -------
    Machines
        One entry per machine, in the coordinates of the hall.
    """
    along = [size[1] if kind == LoopKind.LIQUID else size[0] for size in sizes_m]  # extent in y
    across = [size[0] if kind == LoopKind.LIQUID else size[1] for size in sizes_m]  # extent in x
    room_m = wall.y1_m - wall.y0_m
    sides = 1
    columns = _columns(units, along, room_m)
    if kind == LoopKind.AIR and columns > 2 and len(loops) > 1:
        sides = 2
    x_edge = {1: wall.x1_m + WALKWAY_M, -1: wall.x0_m - WALKWAY_M}
    loop, x, y, width, depth, height = ([] for _ in range(6))
    for side in (-1, 1)[:sides]:
        mine = [k for k in range(len(loops)) if sides == 1 or k % 2 == (side > 0)]
        columns = _columns([units[k] for k in mine], [along[k] for k in mine], room_m)
        column_m = max(across[k] for k in mine)
        slots = [-(-units[k] // columns) for k in mine]
        blocks = [s * (along[k] + GAP_M) for s, k in zip(slots, mine, strict=True)]
        low_m = spread([middles_m[k] for k in mine], blocks)
        for k, low, slot_count in zip(mine, low_m, slots, strict=True):
            for unit in range(units[k]):
                column, slot = divmod(unit, slot_count)
                loop.append(loops[k])
                x.append(x_edge[side] + side * (column * (column_m + WALKWAY_M) + column_m / 2))
                y.append(low + (slot + 0.5) * (along[k] + GAP_M))
                width.append(across[k])
                depth.append(along[k])
                height.append(sizes_m[k][2])
    machines = Machines(np.array(loop, np.int32), *(np.array(a) for a in (x, y, width, depth, height)))
    behind_m = HEADER_M if kind == LoopKind.LIQUID else 0.0
    wall.x0_m = min(wall.x0_m, float((machines.x_m - machines.width_m / 2).min()) - behind_m)
    wall.x1_m = max(wall.x1_m, float((machines.x_m + machines.width_m / 2).max()))
    return machines


def _columns(units: list[int], along_m: list[float], room_m: float) -> int:
    """Return the fewest columns in which the blocks of all loops fit the depth of the hall."""
    for columns in range(1, max(units) + 1):
        needed = sum(-(-n // columns) * (a + GAP_M) for n, a in zip(units, along_m, strict=True))
        if needed <= room_m + GAP_M:
            return columns
    return max(units)


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
