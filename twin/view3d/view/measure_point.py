"""What a place of the picture means to somebody who measures: a thing, a corner of it, or a point of the hall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Protocol

import numpy as np

from twin.arrays import Floats
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.dimension import AXES, DimensionEnd
from twin.view3d.base.edit_shapes import Place
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.place.building_parts import BuildingHit, pick_building
from twin.view3d.place.drawing_scale import drawing_axes, fine_step_m, grid_pitch
from twin.view3d.place.picking import LEAST_PX, Hit, Picker
from twin.view3d.view.edit_overlay import EditView

REACH_PX = 9.0
"""Corners, middles of edges and lines of the grid draw the pointer to them from so near."""
INSIDE_PX = 48.0
"""What is in a rack is measured where it is larger than this on screen; else the rack is."""
_OF_THING = 0.3
"""Of a small thing only from so near, as a share of how large it is on screen: its middle stays the thing itself."""
_SHARES = np.array([at for at in product((0.0, 0.5, 1.0), repeat=3) if at.count(0.5) < 2])
"""Corners of a box and middles of its edges."""


class MeasuredView(Protocol):
    """The view that is measured in, as far as that needs it."""

    plant: Plant | None
    state: ViewState
    picker: Picker | None
    edit: EditView

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands."""

    def size(self) -> tuple[float, float]:
        """Return width and height of the widget [logical px]."""

    def part_box(self, id: str, part: int) -> Box | None:
        """Return the box of a thing, of one machine where it stands in several."""


@dataclass(frozen=True)
class MeasurePoint:
    """What is under the pointer: an end of a dimension, where it is [m], and the box of the thing there."""

    end: DimensionEnd
    at_m: Place
    box: Box | None = None

    @property
    def whole(self) -> bool:
        """Return whether it is a thing as a whole."""
        return bool(self.end.id) and self.end.at is None


def measure_point(view: MeasuredView, x: float, y: float, free: bool = False) -> MeasurePoint | None:
    """Return what is meant under a place of the widget [logical px]; None where there is nothing to measure from.

    `free`: nothing draws the pointer to it.
    """
    hits = [hit for hit in (_hit(view, x + dx, y + dy) for dx, dy in _around(free)) if hit is not None]
    boxes = {(hit.id, hit.part): view.part_box(hit.id, hit.part) for hit in hits}
    found = [] if free else [_drawn_to(view, key, box, x, y) for key, box in boxes.items() if box is not None]
    points = [point for point in found if point is not None]
    if points:
        return min(points, key=lambda point: point[0])[1]
    middle = _hit(view, x, y)
    if middle is not None:
        whole = DimensionEnd(middle.id, middle.part)
        return MeasurePoint(whole, middle.point_m, boxes[middle.id, middle.part])
    place = _in_hall(view, x, y, free)
    return None if place is None else MeasurePoint(DimensionEnd(at=place), place)


def measured_plane(pose: CameraPose) -> str:
    """Return the axes that are seen, as `Dimension.along` has them."""
    axes = drawing_axes(pose)
    return AXES if axes is None else "".join(sorted(axis.name for axis in axes))


def _around(free: bool) -> list[tuple[float, float]]:
    aside = [] if free else [(REACH_PX, 0.0), (-REACH_PX, 0.0), (0.0, REACH_PX), (0.0, -REACH_PX)]
    return [(0.0, 0.0), *aside]


def _hit(view: MeasuredView, x: float, y: float) -> Hit | BuildingHit | None:
    if view.picker is None:
        return None
    px_per_m = partial(camera.px_per_m, view.pose, height_px=view.size()[1])

    def size(distance_m: float) -> float:
        return px_per_m(distance_m) * LEAST_PX / INSIDE_PX

    ray = camera.ray(view.pose, x, y, *view.size())
    hit = view.picker.pick(*ray, size)
    seen = view.plant is not None and "building" in view.state.layers
    part = pick_building(view.plant, *ray) if view.plant is not None and seen else None
    if hit is None or part is None:
        return hit or part
    return part if part.distance_m < hit.distance_m else hit


def _drawn_to(
    view: MeasuredView, key: tuple[str, int], box: Box, x: float, y: float
) -> tuple[tuple[float, float], MeasurePoint] | None:
    """Return the corner or middle of an edge that draws the pointer to it, with how far it is, [px] and in depth."""
    low, high = box
    places = low + _SHARES * (high - low)
    px = camera.project(view.pose, places, *view.size())
    away = np.hypot(px[:, 0] - x, px[:, 1] - y)
    away[px[:, 2] <= 0] = np.inf
    across = px[:, :2].max(axis=0) - px[:, :2].min(axis=0)
    best = int(np.lexsort((px[:, 2], np.round(away, 1)))[0])
    if away[best] > min(REACH_PX, _OF_THING * float(across.min())):
        return None
    share, place = _three(_SHARES[best]), _three(places[best])
    nearness = (round(float(away[best]), 1), float(px[best, 2]))
    return nearness, MeasurePoint(DimensionEnd(*key, share), place, box)


def _in_hall(view: MeasuredView, x: float, y: float, free: bool) -> Place | None:
    """Return the place of the floor, or of an elevation, drawn to the lines of the grid."""
    pose, axes = view.pose, drawing_axes(view.pose)
    if axes is None:
        floor = view.edit.floor_at(x, y)
        return None if floor is None else (round(floor[0], 2), round(floor[1], 2), 0.0)
    place = camera.ray(pose, x, y, *view.size())[0].copy()
    px_per_m = camera.px_per_m(pose, 0.0, view.size()[1])
    step_m, fine_m = grid_pitch(px_per_m, axes).step_m, fine_step_m(px_per_m)
    for axis in axes:
        line_m = round(place[axis.axis] / step_m) * step_m
        on_line = abs(line_m - place[axis.axis]) * px_per_m <= REACH_PX / 2 and not free
        place[axis.axis] = line_m if on_line else round(place[axis.axis] / fine_m) * fine_m
    deep = next(axis for axis in range(3) if axis not in [each.axis for each in axes])
    place[deep] = 0.0 if deep == 2 else pose.centre_m[deep]
    return _three(np.round(place, 6))


def _three(values: Floats) -> Place:
    return float(values[0]), float(values[1]), float(values[2])
