"""Checks of buildings: walls run along or across the rows, doors fit into a wall, columns stand within the walls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from twin.scenario.generators.building_shape import ON_WALL_M, BuildingShape, shape_of, wall_of
from twin.scenario.generators.wall_line import WallLine
from twin.scenario.schema.building import Building
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_LEVEL_M = 1e-6
MOST_COLUMNS = 20_000
"""Columns of one hall."""


def buildings(scenario: Scenario) -> Iterator[Wrong]:
    """Yield what cannot be of the buildings of a scene."""
    for h, hall in enumerate(scenario.halls):
        if hall.building is not None:
            yield from _building(("halls", h, "building"), hall.building)


def _building(at: Path, building: Building) -> Iterator[Wrong]:
    if building.height_m is not None and building.raised_floor_m >= building.height_m:
        reason = f"is not below the ceiling at {rendered(building.height_m, 'length')}"
        yield (*at, "raised_floor"), reason, "both are heights above the structural floor"
    if sum(grid.along * grid.across for grid in building.columns) > MOST_COLUMNS:
        yield (*at, "columns"), f"are more than {MOST_COLUMNS:,} columns", "fewer of them"
        return
    wrong = list(_walls((*at, "walls"), building))
    yield from wrong
    if not wrong:
        shape = shape_of(building)
        yield from _inner_walls((*at, "inner_walls"), building)
        yield from _doors((*at, "doors"), building, shape)
        yield from _columns((*at, "columns"), building, shape)


def _walls(at: Path, building: Building) -> Iterator[Wrong]:
    """Yield corners that make no room."""
    corners = building.walls.corners if building.walls is not None else ()
    if not corners:
        return
    if len(corners) < 4:
        yield (
            (*at, "corners"),
            f"are {len(corners)}: a room has four or more",
            "each wall along or across the rows",
        )
        return
    points = [(corner.x_m, corner.y_m) for corner in corners]
    for number, (first, second) in enumerate(pairwise([*points, points[0]])):
        level = abs(first[1] - second[1]) < _LEVEL_M
        upright = abs(first[0] - second[0]) < _LEVEL_M
        if level == upright:
            reason = (
                "is where the corner before it is"
                if level
                else "is neither level with nor straight across from"
            )
            reason += "" if level else " the corner before it"
            yield (
                (*at, "corners", (number + 1) % len(points)),
                reason,
                "each wall runs along or across the rows",
            )
            return
    lines = [WallLine(a, b) for a, b in pairwise([*points, points[0]])]
    for number, line in enumerate(lines):
        for other in range(number + 2, len(lines) - (number == 0)):
            if _cross(line, lines[other]):
                yield (
                    (*at, "corners", other),
                    "begins a wall that crosses another one",
                    "go round the hall once",
                )
                return


def _cross(first: WallLine, second: WallLine) -> bool:
    """Return whether two walls that run along the axes meet."""
    for axis in (0, 1):
        low = max(min(line.start[axis], line.stop[axis]) for line in (first, second))
        high = min(max(line.start[axis], line.stop[axis]) for line in (first, second))
        if low > high + _LEVEL_M:
            return False
    return True


def _inner_walls(at: Path, building: Building) -> Iterator[Wrong]:
    """Yield inner walls that go nowhere."""
    for w, wall in enumerate(building.inner_walls):
        if wall.start == wall.end:
            yield (*at, w, "end"), "is where the wall starts", "another place"


def _doors(at: Path, building: Building, shape: BuildingShape) -> Iterator[Wrong]:
    """Yield doors on no wall, wider than it, over its ends, over another door, or higher than the room."""
    walls = shape.all_walls
    if building.doors and not walls:
        yield at, "need walls to be in", "say walls: with width and depth, or corners; or inner_walls"
        return
    spans: dict[int, list[tuple[float, float, str]]] = {}
    for d, door in enumerate(building.doors):
        number = wall_of(walls, door)
        if number is None:
            middle = (door.at.x_m, door.at.y_m)
            away_m = min(wall.away(middle) for wall in walls)
            reason = f"is {away_m:.2f} m from the nearest wall"
            yield (*at, d, "at"), reason, f"at most {ON_WALL_M:g} m"
            continue
        wall = walls[number]
        if door.width_m > wall.long_m:
            reason = f"is wider than its wall of {wall.long_m:.2f} m"
            yield (*at, d, "width"), reason, "a narrower door, or another wall"
            continue
        middle_m = wall.along((door.at.x_m, door.at.y_m))
        low_m, high_m = middle_m - door.width_m / 2, middle_m + door.width_m / 2
        if low_m < -_LEVEL_M or high_m > wall.long_m + _LEVEL_M:
            reason = f"puts the door {max(-low_m, high_m - wall.long_m):.2f} m beyond the end of its wall"
            yield (*at, d, "at"), reason, f"at least {door.width_m / 2:.2f} m from its ends"
            continue
        for other_low_m, other_high_m, other in spans.setdefault(number, []):
            if min(high_m, other_high_m) - max(low_m, other_low_m) > _LEVEL_M:
                yield (*at, d, "at"), f"puts the door into door {other!r}", "another place on the wall"
                break
        spans[number].append((low_m, high_m, door.id))
        if door.height_m > shape.clear_m > 0:
            reason = f"is above the ceiling, {shape.clear_m:.2f} m over the floor"
            yield (*at, d, "height"), reason, ""


def _columns(at: Path, building: Building, shape: BuildingShape) -> Iterator[Wrong]:
    """Yield grids of columns that leave the walls, or are closer than they are wide."""
    for c, grid in enumerate(building.columns):
        for key, number, pitch_m, size_m in (
            ("pitch", grid.along, grid.pitch_m, grid.width_m),
            ("pitch_across", grid.across, grid.pitch_across_m, grid.depth_m),
        ):
            if number > 1 and pitch_m < size_m:
                yield (*at, c, key), f"is less than a column is wide, {rendered(size_m, 'length')}", ""
    if not shape.corners or not shape.columns:
        return
    areas = shape.column_array
    within = shape.inside((areas[:, 0] + areas[:, 2]) / 2, (areas[:, 1] + areas[:, 3]) / 2)
    gone: dict[str, list[str]] = {}
    for column, is_in in zip(shape.columns, within.tolist(), strict=True):
        if not is_in:
            gone.setdefault(column.id.partition("/")[0], []).append(column.id)
    for c, grid in enumerate(building.columns):
        if outside := gone.get(grid.id):
            more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
            yield (*at, c), f"puts {outside[0]}{more} outside the walls", "another place, pitch or number"
