"""Coolant pipes: facility headers, branches to the machines, manifolds behind the liquid-cooled racks."""

from __future__ import annotations

import math

import numpy as np

from twin.plant.line_builder import LineBuilder
from twin.plant.shapes import Circuit, PipeKind, Pipes
from twin.plant.tables import Floats, LoopKind, Plant

HEADER_ABOVE_RACK_M = 0.9
"""Roof of the highest rack to the supply header; the return header lies another `RISE_M` above."""

RISE_M = 0.4
BEHIND_M = 0.4
"""Outermost machine to the first header, and from header to header."""

APART_M = 0.17
"""Half the distance between supply and return where they go down into a machine."""

MANIFOLD_M = 0.12
"""Back of the racks to the manifold."""

MANIFOLD_Z_M = {PipeKind.SUPPLY: 0.45, PipeKind.RETURN: 0.85}
STUB_M = 0.8
"""How far a manifold reaches beyond the last rack of its row."""

SPEED_M_S = 2.0
"""Design speed in a pipe, which gives its radius."""

WATER_PER_AIR = 5e-4
"""Facility water per air of a CRAH, by volume: 10 K of air against 6 K of water."""


class _PipeList:
    """Pipes as they are found."""

    def __init__(self) -> None:
        self.lines = LineBuilder()
        self.columns: list[tuple[int, int, int, int, int, float]] = []

    def add(
        self,
        points: list[tuple[float, float, float]],
        kind: PipeKind,
        circuit: Circuit,
        *,
        loop: int = -1,
        plant: int,
        row: int = -1,
        radius_m: float,
    ) -> None:
        """Add a pipe whose points are given in supply direction."""
        self.lines.add(points if kind == PipeKind.SUPPLY else points[::-1])
        self.columns.append((int(kind), int(circuit), loop, plant, row, radius_m))


def draw_pipes(plant: Plant) -> Pipes:
    """Return all coolant pipes of a plant."""
    pipes = _PipeList()
    for hall in range(len(plant.halls.ids)):
        _draw_facility(plant, hall, pipes)
    _draw_manifolds(plant, pipes)
    columns = list(zip(*pipes.columns, strict=True)) or [()] * 6
    return Pipes(
        lines=pipes.lines.build(),
        kind=np.array(columns[0], np.int32),
        circuit=np.array(columns[1], np.int32),
        loop=np.array(columns[2], np.int32),
        plant=np.array(columns[3], np.int32),
        row=np.array(columns[4], np.int32),
        radius_m=np.array(columns[5], np.float64),
    )


def radius_m(flow_m3_s: float, low_m: float, high_m: float) -> float:
    """Return the radius of a pipe at design speed, within what can be seen and fits [m]."""
    return float(np.clip(math.sqrt(max(flow_m3_s, 0.0) / (math.pi * SPEED_M_S)), low_m, high_m))


def _draw_facility(plant: Plant, hall: int, pipes: _PipeList) -> None:
    """Draw the headers of one hall and a branch to each machine, per facility loop and side of the hall."""
    loops, machines = plant.loops, plant.machines
    racks = plant.racks
    here = np.flatnonzero((loops.hall[machines.loop] == hall) & loops.present[machines.loop])
    if not len(here):
        return
    middle_m = float(racks.x_m[racks.hall == hall].mean())
    top_m = float(racks.height_m[racks.hall == hall].max()) + HEADER_ABOVE_RACK_M
    far_m, near_m = float(plant.halls.y1_m[hall]) - 0.3, float(plant.halls.y0_m[hall]) + 0.3
    share = _water(plant)[machines.loop] / np.maximum(loops.units[machines.loop], 1)
    east = machines.x_m[here] > middle_m
    for side, mine in ((-1, here[~east]), (1, here[east])):
        header_m = _header_x_m(plant, mine, side)
        for order, source in enumerate(np.unique(loops.plant[machines.loop[mine]]).tolist()):
            served = mine[loops.plant[machines.loop[mine]] == source]
            wide_m = radius_m(float(share[served].sum()), 0.09, 0.2)
            for kind in PipeKind:
                x_m = header_m + side * BEHIND_M * (2 * order + kind)
                z_m = top_m + RISE_M * kind
                pipes.add(
                    [(x_m, far_m, z_m), (x_m, near_m, z_m)],
                    kind,
                    Circuit.FACILITY,
                    plant=source,
                    radius_m=wide_m,
                )
                for machine in served.tolist():
                    mx, y_m = float(machines.x_m[machine]), float(machines.y_m[machine])
                    y_m += APART_M if kind == PipeKind.SUPPLY else -APART_M
                    pipes.add(
                        [(x_m, y_m, z_m), (mx, y_m, z_m), (mx, y_m, float(machines.height_m[machine]))],
                        kind,
                        Circuit.FACILITY,
                        loop=int(machines.loop[machine]),
                        plant=source,
                        radius_m=radius_m(float(share[machine]), 0.06, 0.1),
                    )


def _header_x_m(plant: Plant, mine: np.ndarray, side: int) -> float:
    """Return x of the first header: right behind the CDUs, else behind the outermost CRAHs."""
    loops, machines = plant.loops, plant.machines
    liquid = mine[loops.kind[machines.loop[mine]] == LoopKind.LIQUID]
    behind = liquid if len(liquid) else mine
    if not len(behind):
        return 0.0
    edge = machines.x_m[behind] + side * machines.width_m[behind] / 2
    return float(edge.min() if side < 0 else edge.max()) + side * BEHIND_M * 0.75


def _water(plant: Plant) -> Floats:
    """Return the facility water each loop needs [m3/s]."""
    loops = plant.loops
    return np.where(loops.kind == LoopKind.LIQUID, 1.1, WATER_PER_AIR) * loops.flow_m3_s


def _draw_manifolds(plant: Plant, pipes: _PipeList) -> None:
    """Draw supply and return from each CDU along the back of the racks it serves, row by row."""
    racks, rows, loops = plant.racks, plant.rows, plant.loops
    served = np.flatnonzero(racks.present & (racks.loop >= 0))
    pairs, which = np.unique(
        np.stack([racks.loop[served], racks.row[served]], axis=1), axis=0, return_inverse=True
    )
    which = which.reshape(-1)
    drawn = np.zeros(len(rows.ids), np.int32)
    for number, (loop, row) in enumerate(pairs.tolist()):
        mine = served[which == number]
        side = -float(rows.facing[row])  # the back of the racks, in y
        out_m = MANIFOLD_M * (1 + 2 * int(drawn[row]))
        drawn[row] += 1
        y_m = float(rows.y_m[row]) + side * (float(rows.depth_m[row]) / 2 + out_m)
        last_m = float((racks.x_m[mine] + racks.width_m[mine] / 2).max())
        end_m = last_m + (STUB_M if last_m > float(rows.x1_m[row]) - 1e-6 else 0.0)
        start_m = float(loops.x_m[loop] + loops.width_m[loop] / 2)
        from_m = float(loops.y_m[loop])
        for kind in PipeKind:
            turn_m = float(rows.x0_m[row]) - 0.25 - 0.2 * kind
            z_m = MANIFOLD_Z_M[kind]
            pipes.add(
                [(start_m, from_m, z_m), (turn_m, from_m, z_m), (turn_m, y_m, z_m), (end_m, y_m, z_m)],
                kind,
                Circuit.SECONDARY,
                loop=loop,
                plant=int(loops.plant[loop]),
                row=row,
                radius_m=radius_m(float(loops.flow_m3_s[loop]), 0.045, 0.075),
            )
