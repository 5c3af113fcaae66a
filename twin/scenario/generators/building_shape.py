"""A building as lines and rectangles in the coordinates of its hall: walls, doors with their swing, columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from twin.arrays import Bools, Floats
from twin.language import tr
from twin.scenario.generators.wall_line import (
    TOUCH_M,
    XY,
    InnerWallShape,
    Quad,
    Rectangle,
    WallLine,
    inner_wall,
    overlaps,
    overlaps_quad,
)
from twin.scenario.schema.building import Building, Door, Underlay, Walls

CEILING_M = 0.46
"""Between the top of a rack and the ceiling [m]: 18 in below sprinklers, NFPA 13 [recalled]."""
USUAL_M = 3.0
"""Height of walls and columns under a ceiling that is not known [m]; usual doors are lower."""
LEAF_M = 0.05
"""Thickness of the leaves of doors [m]."""
ON_WALL_M = 0.5
"""A door may be said to be this far from its wall [m]."""


@dataclass(frozen=True)
class DoorShape:
    """A door in its wall.

    Parameters
    ----------
    id
        Its id.
    wall
        Place of its wall in the outline.
    line
        Its opening, along the inner face of the wall.
    height_m
        Clear opening [m].
    leaves
        Each leaf: its hinge, where it ends when shut, where when open; none: it slides.
    inside
        Whether the leaves swing into the hall.
    thickness_m
        Of its wall [m].
    """

    id: str
    wall: int
    line: WallLine
    height_m: float
    leaves: tuple[tuple[XY, XY, XY], ...]
    inside: bool
    thickness_m: float

    @property
    def width_m(self) -> float:
        """Return its clear opening [m]."""
        return self.line.long_m

    @property
    def leaf_lines(self) -> tuple[WallLine, ...]:
        """Return the leaves from their hinges on as they stand open; one that slides as it is shut."""
        return tuple(WallLine(hinge, opened) for hinge, _, opened in self.leaves) or (self.line,)

    @property
    def swing(self) -> Quad | None:
        """Return the floor inside that the leaves sweep, as a rectangle; None for leaves that stay out of the hall."""
        if not self.inside or not self.leaves:
            return None
        return self.line.quad(0.0, self.width_m, 0.0, self.width_m / len(self.leaves))


@dataclass(frozen=True)
class ColumnShape:
    """One column: its id, and its footprint [m]."""

    id: str
    area: Rectangle


@dataclass(frozen=True)
class BuildingShape:
    """A building in the coordinates of its hall, or of the site.

    Parameters
    ----------
    corners
        Of the inner faces of the walls, anticlockwise; none: no walls are known.
    thickness_m
        Of the walls, outwards [m].
    doors, columns
        In the order of the file, grids column by column.
    clear_m
        Raised floor to ceiling [m]; inf: no limit.
    raised_floor_m
        Height of the raised floor [m].
    inner
        Walls between two places.
    underlay, underlay_at
        Drawing on the floor, and the corner where it begins [m]; None without one.
    """

    corners: tuple[XY, ...] = ()
    thickness_m: float = 0.0
    doors: tuple[DoorShape, ...] = ()
    columns: tuple[ColumnShape, ...] = ()
    clear_m: float = math.inf
    raised_floor_m: float = 0.0
    underlay: Underlay | None = None
    underlay_at: XY = (0.0, 0.0)
    inner: tuple[InnerWallShape, ...] = ()

    @property
    def binds(self) -> bool:
        """Return whether anything of it can be in the way."""
        return bool(self.corners or self.columns or self.inner) or math.isfinite(self.clear_m)

    @property
    def walls(self) -> tuple[WallLine, ...]:
        """Return the walls, one after the other."""
        return _lines(self.corners)

    @property
    def all_walls(self) -> tuple[WallLine, ...]:
        """Return the faces of the outer walls, then of the inner ones: `DoorShape.wall` is a place of these."""
        return (*self.walls, *(wall.line for wall in self.inner))

    @property
    def thicknesses_m(self) -> tuple[float, ...]:
        """Return how thick each of `all_walls` is [m]."""
        return (*(self.thickness_m for _ in self.corners), *(wall.thickness_m for wall in self.inner))

    @property
    def bounds(self) -> Rectangle | None:
        """Return the rectangle round the inner faces of the walls; None without any."""
        if not self.corners:
            return None
        x, y = zip(*self.corners, strict=True)
        return min(x), min(y), max(x), max(y)

    def moved(self, x_m: float) -> BuildingShape:
        """Return it moved along x [m]."""
        if not x_m:
            return self

        def at(place: XY) -> XY:
            return place[0] + x_m, place[1]

        return replace(
            self,
            corners=tuple(at(corner) for corner in self.corners),
            doors=tuple(
                replace(
                    door,
                    line=WallLine(at(door.line.start), at(door.line.stop)),
                    leaves=tuple((at(a), at(b), at(c)) for a, b, c in door.leaves),
                )
                for door in self.doors
            ),
            columns=tuple(
                replace(
                    column, area=(column.area[0] + x_m, column.area[1], column.area[2] + x_m, column.area[3])
                )
                for column in self.columns
            ),
            underlay_at=at(self.underlay_at),
            inner=tuple(
                replace(wall, line=WallLine(at(wall.line.start), at(wall.line.stop))) for wall in self.inner
            ),
        )

    def wall_pieces(self) -> list[Rectangle]:
        """Return the walls as rectangles between doors, corners belonging to the wall that ends there."""
        found = []
        for number, wall in enumerate(self.walls):
            gaps = self._gaps(number, wall)
            after = self.walls[(number + 1) % len(self.walls)]
            convex = wall.ahead[0] * after.ahead[1] - wall.ahead[1] * after.ahead[0] > 0
            from_m = 0.0
            for start_m, stop_m in [*gaps, (wall.long_m + (self.thickness_m if convex else 0.0), math.inf)]:
                if start_m - from_m > TOUCH_M:
                    found.append(wall.rectangle(from_m, start_m, -self.thickness_m, 0.0))
                from_m = max(from_m, stop_m)
        return found

    def inner_pieces(self) -> Iterator[tuple[InnerWallShape, float, float]]:
        """Yield the inner walls between their doors: each with where along it a piece begins and ends [m]."""
        for number, wall in enumerate(self.inner):
            from_m = 0.0
            for start_m, stop_m in [
                *self._gaps(len(self.corners) + number, wall.line),
                (wall.line.long_m, math.inf),
            ]:
                if start_m - from_m > TOUCH_M:
                    yield wall, from_m, start_m
                from_m = max(from_m, stop_m)

    def _gaps(self, number: int, wall: WallLine) -> list[tuple[float, float]]:
        """Return where along a wall its doors are, in order [m]."""
        spans = (
            (wall.along(door.line.start), wall.along(door.line.stop))
            for door in self.doors
            if door.wall == number
        )
        return sorted((min(span), max(span)) for span in spans)

    @cached_property
    def _wall_array(self) -> Floats:
        return np.array(self.wall_pieces(), np.float64).reshape(-1, 4)

    @cached_property
    def column_array(self) -> Floats:
        """Return the columns as rectangles, shape (n, 4) [m]."""
        return np.array([column.area for column in self.columns], np.float64).reshape(-1, 4)

    @cached_property
    def part_boxes(self) -> tuple[tuple[str, ...], Floats]:
        """Return doors, columns, walls ("/0", "/1"), inner walls with their boxes: low and high x, y, z, (n, 6) [m].

        Of a slanted wall there are its two ends ("wall/0", "wall/1").
        """
        high_m = self.clear_m if math.isfinite(self.clear_m) else USUAL_M
        found: dict[str, tuple[Rectangle, float]] = {}
        for door in self.doors:
            if not door.line.slanted:
                area = door.line.rectangle(0.0, door.width_m, -door.thickness_m, 0.0)
                found[door.id] = area, door.height_m
        for column in self.columns:
            found[column.id] = column.area, high_m
        for number, wall in enumerate(self.walls):
            found[f"/{number}"] = wall.rectangle(0.0, wall.long_m, -self.thickness_m, 0.0), high_m
        for inner in self.inner:
            long_m, thick_m = inner.line.long_m, inner.thickness_m
            if not inner.line.slanted:
                found[inner.id] = inner.line.rectangle(0.0, long_m, -thick_m, 0.0), high_m
                continue
            for number, along_m in enumerate(
                (0.0, long_m)
            ):  # its ends: a box along the axes is not what it is
                x, y = inner.line.point(along_m, -thick_m / 2)
                half_m = thick_m / 2
                found[f"{inner.id}/{number}"] = (x - half_m, y - half_m, x + half_m, y + half_m), high_m
        boxes = [(x0, y0, 0.0, x1, y1, top_m) for (x0, y0, x1, y1), top_m in found.values()]
        return tuple(found), np.array(boxes, np.float64).reshape(-1, 6)

    def inside(self, x_m: Floats, y_m: Floats) -> Bools:
        """Return which places are within the walls; all without any."""
        found = np.full(np.shape(x_m), not self.corners, np.bool_)
        for wall in self.walls:
            (x0, y0), (x1, y1) = wall.start, wall.stop
            if x0 == x1:  # a ray along +x crosses upright walls alone
                found ^= (np.minimum(y0, y1) <= y_m) & (y_m < np.maximum(y0, y1)) & (x_m < x0)
        return found

    def in_conflict(self, areas: Floats, height_m: Floats) -> Bools:
        """Return of which footprints (n, 4) [m] with their heights [m] `struck` has something to say."""
        solid = np.concatenate([self.column_array, self._wall_array])
        slanted = [quad for _, quad in self._inner_quads()]
        slanted += [door.swing for door in self.doors if door.swing is not None]
        found = height_m > self.clear_m - CEILING_M + TOUCH_M
        for x, y in ((0, 1), (2, 1), (0, 3), (2, 3)):
            inwards = [TOUCH_M if side < 2 else -TOUCH_M for side in (x, y)]
            found |= ~self.inside(areas[:, x] + inwards[0], areas[:, y] + inwards[1])
        for area in solid.tolist():
            found |= overlaps(areas, tuple(area))
        for quad in slanted:
            found |= overlaps_quad(areas, quad)
        return found

    def _inner_quads(self) -> Iterator[tuple[InnerWallShape, Quad]]:
        for wall, from_m, to_m in self.inner_pieces():
            yield wall, wall.line.quad(from_m, to_m, -wall.thickness_m, 0.0)

    def struck(self, area: Rectangle, height_m: float = 0.0) -> Iterator[tuple[str, str]]:
        """Yield what speaks against a footprint: the kind, and a clause after "makes it" or "it would".

        Kinds are "column", "wall", "door" and "ceiling".

        Parameters
        ----------
        area
            The footprint [m].
        height_m
            Of what stands there [m].
        """
        over = overlaps(self.column_array, area)
        if over.any():
            yield "column", tr("stand on column {column}", column=self.columns[int(np.argmax(over))].id)
        low, high = np.array(area[:2]) + TOUCH_M, np.array(area[2:]) - TOUCH_M
        corners_x, corners_y = (
            np.array([low[0], high[0], low[0], high[0]]),
            np.array([low[1], low[1], high[1], high[1]]),
        )
        if not self.inside(corners_x, corners_y).all():
            outside = not self.inside(corners_x, corners_y).any()
            yield "wall", tr("stand outside the walls") if outside else tr("stand in a wall")
        elif overlaps(self._wall_array, area).any():
            yield "wall", tr("stand in a wall")
        else:
            struck = (
                wall for wall, quad in self._inner_quads() if overlaps_quad(np.array([area]), quad).any()
            )
            if (met := next(struck, None)) is not None:
                yield "wall", tr("stand in wall {wall}", wall=met.id)
        for door in self.doors:
            if door.swing is not None and overlaps_quad(np.array([area]), door.swing).any():
                yield "door", tr("stand in the swing of door {door}", door=door.id)
                break
        if height_m > self.clear_m - CEILING_M + TOUCH_M:
            yield (
                "ceiling",
                tr(
                    "reach {height:.2f} m up, under a ceiling at {clear:.2f} m; {least:g} m must stay free",
                    height=height_m,
                    clear=self.clear_m,
                    least=CEILING_M,
                ),
            )


NO_BUILDING = BuildingShape()
"""Of which nothing is known."""


def shape_of(building: Building) -> BuildingShape:
    """Return a building as shapes; doors that are on no wall are left out."""
    corners = corners_of(building.walls)
    outer_m = building.walls.thickness_m if building.walls is not None else 0.0
    inner = tuple(inner_wall(wall) for wall in building.inner_walls if wall.start != wall.end)
    walls = (*_lines(corners), *(wall.line for wall in inner))
    thick_m = [outer_m] * len(corners) + [wall.thickness_m for wall in inner]
    placed = ((door, wall_of(walls, door)) for door in building.doors)
    underlay = building.underlay
    return BuildingShape(
        corners,
        outer_m,
        tuple(_door(door, wall, walls[wall], thick_m[wall]) for door, wall in placed if wall is not None),
        tuple(
            ColumnShape(f"{grid.id}/{along}/{across}", _round(at, grid.width_m, grid.depth_m))
            for grid in building.columns
            for along in range(grid.along)
            for across in range(grid.across)
            for at in ((grid.at.x_m + along * grid.pitch_m, grid.at.y_m + across * grid.pitch_across_m),)
        ),
        math.inf if building.height_m is None else building.height_m - building.raised_floor_m,
        building.raised_floor_m,
        underlay,
        (underlay.at.x_m, underlay.at.y_m) if underlay is not None else (0.0, 0.0),
        inner,
    )


def corners_of(walls: Walls | None) -> tuple[XY, ...]:
    """Return the corners of the inner faces of walls, anticlockwise."""
    if walls is None:
        return ()
    if walls.width_m is not None and walls.depth_m is not None:
        x, y = walls.at.x_m, walls.at.y_m
        return (x, y), (x + walls.width_m, y), (x + walls.width_m, y + walls.depth_m), (x, y + walls.depth_m)
    corners = tuple((corner.x_m, corner.y_m) for corner in walls.corners)
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise((*corners, corners[0])))
    return corners if area >= 0 else corners[::-1]


def wall_of(walls: tuple[WallLine, ...], door: Door) -> int | None:
    """Return the wall that a door is in; None where none is near enough."""
    at = (door.at.x_m, door.at.y_m)
    away = [wall.away(at) for wall in walls]
    if not away or min(away) > ON_WALL_M:
        return None
    return away.index(min(away))


def _lines(corners: tuple[XY, ...]) -> tuple[WallLine, ...]:
    return tuple(WallLine(a, b) for a, b in pairwise((*corners, *corners[:1])))


def _door(door: Door, number: int, wall: WallLine, thickness_m: float) -> DoorShape:
    middle_m, half_m = wall.along((door.at.x_m, door.at.y_m)), door.width_m / 2
    line = WallLine(wall.point(middle_m - half_m), wall.point(middle_m + half_m))
    side = 1.0 if door.swing == "in" else -1.0
    # Who stands inside and faces the wall has its end on the left.
    left, right, middle = line.stop, line.start, line.point(half_m)
    shut = {"both": ((left, middle), (right, middle)), "left": ((left, right),), "right": ((right, left),)}
    leaves = tuple(
        (hinge, end, line.point(line.along(hinge), side * math.dist(hinge, end)))
        for hinge, end in shut[door.hinge]
    )
    return DoorShape(
        door.id, number, line, door.height_m, () if door.swing == "sliding" else leaves, side > 0, thickness_m
    )


def _round(at: XY, width_m: float, depth_m: float) -> Rectangle:
    return at[0] - width_m / 2, at[1] - depth_m / 2, at[0] + width_m / 2, at[1] + depth_m / 2
