"""Walls as lines with a thickness, in any direction, and what overlaps them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats
from twin.scenario.schema.building import InnerWall

XY = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Low x, low y, high x, high y [m]."""
Quad = tuple[XY, XY, XY, XY]
"""Corners of a rectangle in any direction, in order [m]."""

LEVEL = 1e-6
"""Of a unit vector: less across an axis is along it."""
TOUCH_M = 0.005
"""So much things may overlap: roundings of pitch and width."""
SLICE_M = 0.1
"""A slanted wall is taken as pieces so long, where only rectangles along the axes are known [m]."""


@dataclass(frozen=True)
class WallLine:
    """The inner face of one wall, walked with the hall on its left.

    Parameters
    ----------
    start, stop
        Its ends [m].
    """

    start: XY
    stop: XY

    @property
    def long_m(self) -> float:
        """Return its length [m]."""
        return math.dist(self.start, self.stop)

    @property
    def ahead(self) -> XY:
        """Return its direction, a unit vector."""
        long_m = self.long_m or 1.0
        return (self.stop[0] - self.start[0]) / long_m, (self.stop[1] - self.start[1]) / long_m

    @property
    def inwards(self) -> XY:
        """Return the direction into the hall, a unit vector."""
        x, y = self.ahead
        return -y, x

    def along(self, at: XY) -> float:
        """Return how far a place is along it [m]."""
        x, y = self.ahead
        return (at[0] - self.start[0]) * x + (at[1] - self.start[1]) * y

    def away(self, at: XY) -> float:
        """Return how far a place is from it [m]."""
        along_m = min(max(self.along(at), 0.0), self.long_m)
        return math.dist(at, self.point(along_m))

    def point(self, along_m: float, inwards_m: float = 0.0) -> XY:
        """Return a place by how far it is along it and into the hall [m]."""
        (x, y), (u, v) = self.ahead, self.inwards
        return self.start[0] + along_m * x + inwards_m * u, self.start[1] + along_m * y + inwards_m * v

    @property
    def slanted(self) -> bool:
        """Return whether it runs neither along nor across the rows."""
        return min(map(abs, self.ahead)) > LEVEL

    def quad(self, from_m: float, to_m: float, near_m: float, far_m: float) -> Quad:
        """Return the corners of what lies between two places along it, and two distances into the hall [m]."""
        ends = ((from_m, near_m), (to_m, near_m), (to_m, far_m), (from_m, far_m))
        first, second, third, fourth = (self.point(*end) for end in ends)
        return first, second, third, fourth

    def rectangle(self, from_m: float, to_m: float, near_m: float, far_m: float) -> Rectangle:
        """Return the rectangle along the axes round the same [m]."""
        return bounds_of(self.quad(from_m, to_m, near_m, far_m))

    def slices(self, from_m: float, to_m: float, near_m: float, far_m: float) -> Iterator[Rectangle]:
        """Yield the same as rectangles along the axes: one, or of a slanted wall short pieces of it [m]."""
        count = math.ceil((to_m - from_m) / SLICE_M) if self.slanted else 1
        step_m = (to_m - from_m) / max(1, count)
        for number in range(count):
            yield self.rectangle(from_m + number * step_m, from_m + (number + 1) * step_m, near_m, far_m)


@dataclass(frozen=True)
class InnerWallShape:
    """A wall between two places.

    Parameters
    ----------
    id
        Its id.
    line
        Its face on the left of who goes from its start to its end.
    thickness_m
        To the right of that [m].
    """

    id: str
    line: WallLine
    thickness_m: float


def inner_wall(wall: InnerWall) -> InnerWallShape:
    """Return an inner wall by its face on the left."""
    middle = WallLine((wall.start.x_m, wall.start.y_m), (wall.end.x_m, wall.end.y_m))
    half_m = wall.thickness_m / 2
    face = WallLine(middle.point(0.0, half_m), middle.point(middle.long_m, half_m))
    return InnerWallShape(wall.id, face, wall.thickness_m)


def bounds_of(corners: Quad) -> Rectangle:
    """Return the rectangle along the axes round some corners [m]."""
    x, y = zip(*corners, strict=True)
    return min(x), min(y), max(x), max(y)


def overlaps(areas: Floats, area: Rectangle) -> Bools:
    """Return which rectangles along the axes (n, 4) share more than a touch with another one [m]."""
    shared_x = np.minimum(areas[:, 2], area[2]) - np.maximum(areas[:, 0], area[0])
    shared_y = np.minimum(areas[:, 3], area[3]) - np.maximum(areas[:, 1], area[1])
    return np.asarray((shared_x > TOUCH_M) & (shared_y > TOUCH_M), np.bool_)


def overlaps_quad(areas: Floats, quad: Quad) -> Bools:
    """Return which rectangles along the axes (n, 4) share more than a touch with one in any direction [m]."""
    found = overlaps(areas, bounds_of(quad))
    corners = areas[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]
    own = np.array(quad)
    for side in (own[1] - own[0], own[3] - own[0]):
        way = side / (np.hypot(*side) or 1.0)
        theirs, ours = corners @ way, own @ way
        shared = np.minimum(theirs.max(axis=1), ours.max()) - np.maximum(theirs.min(axis=1), ours.min())
        found &= shared > TOUCH_M
    return np.asarray(found, np.bool_)
