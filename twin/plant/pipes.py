"""Coolant pipes: facility headers, branches to the machines, manifolds behind the liquid-cooled racks."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Floats, Ints32
from twin.plant.facility import facility_flow_m3_s
from twin.plant.line_builder import LineBuilder
from twin.plant.shapes import PipeKind, Pipes, WaterCircuit
from twin.plant.tables import LoopKind, Plant

HEADER_ABOVE_RACK_M = 0.9
"""Roof of the highest rack to the supply header; the return header lies another `RISE_M` above."""

RISE_M = 0.4
BEHIND_M = 0.4
"""Outermost machine to the first header, and from header to header."""

APART_M = 0.17
"""Half the distance between supply and return where they go down into a machine."""

MANIFOLD_M = 0.12
"""Back of the racks to the manifold."""

TURN_M = 0.2
TURNS_M = 0.9
"""Row end to the first pipe that turns into the row, and the strip in which all of them turn."""

MANIFOLD_Z_M = {PipeKind.SUPPLY: 0.45, PipeKind.RETURN: 0.85}
STUB_M = 0.8
"""How far a manifold reaches beyond the last rack of its row."""

SPEED_M_S = 2.0
"""Design speed in a pipe, which gives its radius."""


class _PipeList:
    """Pipes as they are found."""

    def __init__(self) -> None:
        self.lines = LineBuilder()
        self.columns: list[tuple[int, int, int, int, int, float]] = []

    def add(
        self,
        points: list[tuple[float, float, float]],
        kind: PipeKind,
        circuit: WaterCircuit,
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
    return min(max(math.sqrt(max(flow_m3_s, 0.0) / (math.pi * SPEED_M_S)), low_m), high_m)


def _draw_facility(plant: Plant, hall: int, pipes: _PipeList) -> None:
    """Draw the overhead headers of one hall with drops, per kind of machine, end of the rows and plant."""
    loops, machines, racks = plant.loops, plant.machines, plant.racks
    in_hall = np.flatnonzero((loops.hall[machines.loop] == hall) & loops.present[machines.loop])
    if not len(in_hall) or not (racks.hall == hall).any():  # headers run over racks
        return
    east = machines.x_m[in_hall] > float(racks.x_m[racks.hall == hall].mean())
    groups = np.stack([loops.kind[machines.loop[in_hall]], loops.plant[machines.loop[in_hall]], east], axis=1)
    taken: dict[int, int] = {}
    for kind, source, at_east in np.unique(groups, axis=0).tolist():
        in_group = in_hall[(groups == [kind, source, at_east]).all(axis=1)]
        side = 1 if at_east else -1
        order = taken.get(side, 0)
        taken[side] = order + 1
        _draw_overhead(plant, hall, _served(plant, in_group, side), side, order, source, pipes)


def _served(plant: Plant, in_group: Ints32, side: int) -> Ints32:
    """Return the machines that get a branch: all CDUs, all CRAHs of one column, else one of each loop."""
    loop, x_m = plant.machines.loop[in_group], plant.machines.x_m[in_group]
    if np.ptp(x_m) < 1e-3 or (plant.loops.kind[loop] == LoopKind.LIQUID).all():
        return in_group
    chosen = []
    for loop_slot in np.unique(loop).tolist():
        nearest_m = (side * x_m[loop == loop_slot]).min()
        near = in_group[(loop == loop_slot) & (side * x_m < nearest_m + 1e-6)]
        chosen.append(near[len(near) // 2])
    return np.array(chosen, np.int32)


def _behind_m(plant: Plant, chosen: Ints32, side: int) -> float:
    """Return x of the outermost edge of machines [m]."""
    edge = plant.machines.x_m[chosen] + side * plant.machines.width_m[chosen] / 2
    return float(edge.max() if side > 0 else edge.min())


def _share(plant: Plant, chosen: Ints32) -> Floats:
    """Return the facility water of each branch [m3/s]: that of its loop over the branches of the loop."""
    loop = plant.machines.loop[chosen]
    branches = np.bincount(loop, minlength=len(plant.loops.ids))
    return (facility_flow_m3_s(plant.loops)[loop] / branches[loop]).astype(np.float64)


def _draw_overhead(
    plant: Plant, hall: int, chosen: Ints32, side: int, order: int, source: int, pipes: _PipeList
) -> None:
    machines, racks = plant.machines, plant.racks
    top_m = float(racks.height_m[racks.hall == hall].max()) + HEADER_ABOVE_RACK_M
    share = _share(plant, chosen)
    first_m = _behind_m(plant, chosen, side) + side * 0.75 * BEHIND_M
    for kind in PipeKind:
        x_m, z_m = first_m + side * BEHIND_M * (2 * order + kind), top_m + RISE_M * kind
        _add_header(plant, hall, x_m, z_m, kind, source, float(share.sum()), pipes)
        for machine, flow_m3_s in zip(chosen.tolist(), share.tolist(), strict=True):
            to_m, y_m = float(machines.x_m[machine]), float(machines.y_m[machine])
            y_m += APART_M if kind == PipeKind.SUPPLY else -APART_M
            pipes.add(
                [(x_m, y_m, z_m), (to_m, y_m, z_m), (to_m, y_m, float(machines.height_m[machine]))],
                kind,
                WaterCircuit.FACILITY,
                loop=int(machines.loop[machine]),
                plant=source,
                radius_m=radius_m(flow_m3_s, 0.06, 0.1),
            )


def _add_header(
    plant: Plant,
    hall: int,
    x_m: float,
    z_m: float,
    kind: PipeKind,
    source: int,
    flow_m3_s: float,
    pipes: _PipeList,
) -> None:
    """Draw a header through the depth of a hall; its water enters at the far wall."""
    far_m, near_m = float(plant.halls.y1_m[hall]) - 0.3, float(plant.halls.y0_m[hall]) + 0.3
    pipes.add(
        [(x_m, far_m, z_m), (x_m, near_m, z_m)],
        kind,
        WaterCircuit.FACILITY,
        plant=source,
        radius_m=radius_m(flow_m3_s, 0.09, 0.2),
    )


def _draw_manifolds(plant: Plant, pipes: _PipeList) -> None:
    """Draw supply and return from each CDU along the back of the racks it serves, row by row."""
    racks, rows, loops = plant.racks, plant.rows, plant.loops
    served = np.flatnonzero(racks.present & (racks.loop >= 0))
    pairs, which = np.unique(
        np.stack([racks.loop[served], racks.row[served]], axis=1), axis=0, return_inverse=True
    )
    which = which.reshape(-1)
    drawn = np.zeros(len(rows.ids), np.int32)
    manifolds = np.bincount(pairs[:, 1], minlength=len(rows.ids))
    for number, (loop, row) in enumerate(pairs.tolist()):
        rack_slots = served[which == number]
        side = -float(rows.facing[row])  # the back of the racks, in y
        nth = int(drawn[row])
        drawn[row] += 1
        out_m = MANIFOLD_M * (1 + 2 * nth)
        y_m = float(rows.y_m[row]) + side * (float(rows.depth_m[row]) / 2 + out_m)
        last_m = float((racks.x_m[rack_slots] + racks.width_m[rack_slots] / 2).max())
        end_m = last_m + (STUB_M if last_m > float(rows.x1_m[row]) - 1e-6 else 0.0)
        start_m = float(loops.x_m[loop] + loops.width_m[loop] / 2)
        from_m = float(loops.y_m[loop])
        for kind in PipeKind:
            turn_m = float(rows.x0_m[row]) - TURN_M - TURNS_M * (2 * nth + kind) / (2 * manifolds[row])
            z_m = MANIFOLD_Z_M[kind]
            pipes.add(
                [(start_m, from_m, z_m), (turn_m, from_m, z_m), (turn_m, y_m, z_m), (end_m, y_m, z_m)],
                kind,
                WaterCircuit.SECONDARY,
                loop=loop,
                plant=int(loops.plant[loop]),
                row=row,
                radius_m=radius_m(float(loops.flow_m3_s[loop]), 0.045, 0.075),
            )
