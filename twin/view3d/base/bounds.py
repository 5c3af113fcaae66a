"""Where things stand: the box of anything with an id, for outlines, flights and picking. No GL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import Geometry, Tiles
from twin.plant.graph import find
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base.fronts import face_corners

SLAB_M = 0.03
"""Depth behind the front of the box of a node, GPU or switch: it is looked at from before, so a slab will do."""
MODULE_M = 0.022
"""How far GPU modules stand out of the panel."""
Box = tuple[NDArray[np.float64], NDArray[np.float64]]


def box_of(plant: Plant, geometry: Geometry, id: str) -> Box | None:
    """Return (lowest, highest corner) [m] of a hall, row, rack, node, GPU, switch or loop; None for anything else."""
    found = find(plant, id)
    if found is None:
        return None
    kind, slot = found
    if kind == "rack":
        low, high = rack_boxes(plant, np.array([slot]))
        return low[0], high[0]
    if kind == "row":
        return _around(*rack_boxes(plant, np.flatnonzero((plant.racks.row == slot) & plant.racks.present)))
    if kind == "hall":
        return _around(*rack_boxes(plant, np.flatnonzero((plant.racks.hall == slot) & plant.racks.present)))
    if kind == "loop":
        return _around(*machine_boxes(geometry, np.flatnonzero(geometry.machines.loop == slot)))
    tiles = {"node": geometry.node_tiles, "gpu": geometry.gpu_tiles, "switch": geometry.switch_tiles}.get(
        kind
    )
    return None if tiles is None else _tile_box(plant, tiles, slot)


def rack_boxes(plant: Plant, slots: NDArray[np.int64]) -> Box:
    """Return the corners of racks, two arrays of shape (n, 3) [m]."""
    racks = plant.racks
    half = np.column_stack([racks.width_m[slots], racks.depth_m[slots]]) / 2
    middle = np.column_stack([racks.x_m[slots], racks.y_m[slots]])
    low = np.column_stack([middle - half, np.zeros(len(slots))])
    return low, np.column_stack([middle + half, racks.height_m[slots]])


def machine_boxes(geometry: Geometry, slots: NDArray[np.int64]) -> Box:
    """Return the corners of CDU and CRAH units, two arrays of shape (n, 3) [m]."""
    boxes = geometry.machines
    half = np.column_stack([boxes.width_m[slots], boxes.depth_m[slots]]) / 2
    middle = np.column_stack([boxes.x_m[slots], boxes.y_m[slots]])
    low = np.column_stack([middle - half, np.zeros(len(slots))])
    return low, np.column_stack([middle + half, boxes.height_m[slots]])


def _around(low: NDArray[np.float64], high: NDArray[np.float64]) -> Box | None:
    return (low.min(axis=0), high.max(axis=0)) if len(low) else None


def _tile_box(plant: Plant, tiles: Tiles, slot: int) -> Box:
    slots = np.array([slot])
    corners = face_corners(
        plant,
        tiles.rack[slots],
        RACK_FOOT_M + tiles.u0[slots] * U_M,
        RACK_FOOT_M + tiles.u1[slots] * U_M,
        tiles.column[slots] / tiles.columns[slots],
        (tiles.column[slots] + 1) / tiles.columns[slots],
    )[0]
    low, high = corners.min(axis=0), corners.max(axis=0)
    rack = int(tiles.rack[slot])
    facing = float(plant.racks.facing[rack])
    ends = (low[1] - facing * SLAB_M, low[1] + facing * MODULE_M)
    low[1], high[1] = min(ends), max(ends)
    return low, high
