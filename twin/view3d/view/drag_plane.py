"""From the pointer to the floor and back: where a drag is in the hall, and what a rectangle on screen holds. No GL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.layers.rubber_band import Rect

FARTHEST_M = 400.0
"""Beyond this, near the horizon, a pixel is many metres: nothing is placed there."""


def floor_at(
    pose: CameraPose, x_px: float, y_px: float, width_px: float, height_px: float, z_m: float = 0.0
) -> tuple[float, float] | None:
    """Return the place (x, y) [m] under a pixel on the level `z_m`; None at the sky or too far away."""
    origin, direction = camera.ray(pose, x_px, y_px, width_px, height_px)
    if abs(direction[2]) < 1e-6:
        return None
    reach_m = (z_m - origin[2]) / direction[2]
    if not 0.0 < reach_m < FARTHEST_M:
        return None
    place = origin + direction * reach_m
    return float(place[0]), float(place[1])


def unit_at(plant: Plant, rack: int, z_m: float) -> float:
    """Return the rack unit at a height, as a fraction from 1 at the bottom of the lowest."""
    return min(max((z_m - RACK_FOOT_M) / U_M + 1.0, 0.5), float(plant.racks.units_u[rack]) + 0.99)


def height_on_front(
    plant: Plant, rack: int, origin: NDArray[np.float64], direction: NDArray[np.float64]
) -> float:
    """Return how high [m] a ray meets the plane of a rack's front."""
    racks = plant.racks
    front = float(racks.y_m[rack]) + float(racks.facing[rack]) * float(racks.depth_m[rack]) / 2
    if abs(direction[1]) < 1e-6:
        return float(origin[2])
    return float(origin[2] + direction[2] * (front - origin[1]) / direction[1])


def boxes_in(
    pose: CameraPose,
    ids: Sequence[str],
    low_m: NDArray[np.float64],
    high_m: NDArray[np.float64],
    rect: Rect,
    width_px: float,
    height_px: float,
) -> list[str]:
    """Return the things whose middle, or whole outline, lies in a rectangle of the screen."""
    if not len(ids):
        return []
    middle = camera.project(pose, (low_m + high_m) / 2, width_px, height_px)
    left, top, wide, high = rect
    inside = (middle[:, 2] > 0) & (middle[:, 0] >= left) & (middle[:, 0] <= left + wide)
    inside &= (middle[:, 1] >= top) & (middle[:, 1] <= top + high)
    return [ids[k] for k in np.flatnonzero(inside).tolist()]
