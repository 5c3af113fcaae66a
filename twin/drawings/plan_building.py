"""The building in a plan: hatched walls, doors with their swing, columns and lines through them, a drawing below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from twin.drawings.floor import PlanFloor
from twin.drawings.sheet import (
    FINE_MM,
    MEDIUM_MM,
    SMALL_MM,
    THIN_MM,
    Area,
    Point,
    SheetContents,
    SheetPicture,
    SheetText,
    text_mm,
)
from twin.plant.design_load import GRAVITY_M_S2
from twin.plant.tables import Plant
from twin.scenario.formats.underlay_file import picture
from twin.scenario.generators.building_shape import BuildingShape, DoorShape
from twin.scenario.generators.wall_line import Rectangle
from twin.scenario.schema.quantity import rendered

Bounds = tuple[float, float, float, float]
"""Low and high x, low and high y [m]."""

_HATCH_MM = 1.2
_ARC_PIECES = 12
_AROUND_MM, _LEADER_MM = 10.0, 2.5
"""How far from the floor ids of doors may stand, and from which distance on a line leads to them."""
_FAINT = 0.3
"""How dark a drawing lies below the plan."""


def hall_bounds_m(plant: Plant, hall: int) -> Bounds:
    """Return the floor of a hall, up to the inner faces of its walls [m]."""
    halls = plant.halls
    columns = (halls.x0_m, halls.x1_m, halls.y0_m, halls.y1_m)
    return tuple(float(column[hall]) for column in columns)  # type: ignore[return-value]


def plan_bounds_m(plant: Plant, hall: int) -> Bounds:
    """Return the floor of a hall with its walls, and doors that open outwards [m]."""
    building = plant.halls.buildings[hall]
    x0_m, x1_m, y0_m, y1_m = hall_bounds_m(plant, hall)
    out_m = building.thickness_m
    points = [place for door in building.doors for leaf in door.leaves for place in leaf]
    points += [place for wall in building.inner for place in (wall.line.start, wall.line.stop)]
    points += [(x - out_m, y - out_m) for x, y in building.corners]
    points += [(x + out_m, y + out_m) for x, y in building.corners]
    return (
        min([x0_m, *(x for x, _ in points)]),
        max([x1_m, *(x for x, _ in points)]),
        min([y0_m, *(y for _, y in points)]),
        max([y1_m, *(y for _, y in points)]),
    )


def column_lines_m(building: BuildingShape) -> tuple[list[float], list[float]]:
    """Return the lines through the middles of columns, along x and along y, ascending [m]."""
    areas = building.column_array
    middles = ((areas[:, 0] + areas[:, 2]) / 2, (areas[:, 1] + areas[:, 3]) / 2)
    x_m, y_m = (np.unique(middle.round(3)).tolist() for middle in middles)
    return x_m, y_m


def draw_underlay(drawn: SheetContents, floor: PlanFloor, building: BuildingShape) -> None:
    """Draw the drawing on the floor, faintly; nothing where no scene has named its file lately."""
    underlay = building.underlay
    found = picture(underlay.digest) if underlay is not None else None
    if underlay is None or found is None:
        return
    (x_m, y_m), wide_m = building.underlay_at, underlay.width_m
    high_m = wide_m * found.height / found.width
    x0_m, x1_m = max(x_m, floor.x0_m), min(x_m + wide_m, floor.x0_m + floor.wide_m)
    y0_m, y1_m = max(y_m, floor.y0_m), min(y_m + high_m, floor.y0_m + floor.high_m)
    if x1_m > x0_m and y1_m > y0_m:
        across = (x0_m - x_m) / wide_m, (x1_m - x_m) / wide_m
        down = 1 - (y1_m - y_m) / high_m, 1 - (y0_m - y_m) / high_m
        part = Area(across[0], down[0], across[1], down[1])
        drawn.picture(SheetPicture(found, Area(*_area(floor, (x0_m, y0_m, x1_m, y1_m))), part, _FAINT))


def draw_building(drawn: SheetContents, floor: PlanFloor, building: BuildingShape) -> None:
    """Draw walls, doors and columns."""
    pieces = [_area(floor, piece) for piece in building.wall_pieces()]
    for piece in pieces:
        drawn.box(Area(*piece), 2 * MEDIUM_MM)
    quads = [
        tuple((floor.x(x), floor.y(y)) for x, y in wall.line.quad(from_m, to_m, -wall.thickness_m, 0.0))
        for wall, from_m, to_m in building.inner_pieces()
    ]
    for quad in quads:
        drawn.outline(quad, MEDIUM_MM, grey=0.12)
        _hatch(drawn, quad)
    for piece in pieces:  # over the inner half of all outlines: none stays where two pieces meet
        drawn.box(Area(*piece), 0.0, grey=0.12)
        left, top, right, bottom = piece
        _hatch(drawn, ((left, top), (right, top), (right, bottom), (left, bottom)))
    for door in building.doors:
        _door(drawn, floor, door)
    for column in building.columns:
        drawn.box(Area(*_area(floor, column.area)), MEDIUM_MM, grey=0.7)


def building_words(plant: Plant, hall: int) -> str:
    """Return heights and the load of the floor in words."""
    building, limit_pa = plant.halls.buildings[hall], float(plant.halls.floor_load_pa[hall])
    told = []
    if math.isfinite(building.clear_m):
        told.append(f"ceiling {building.clear_m * 1e3:,.0f} mm above the floor")
    if building.raised_floor_m:
        told.append(f"raised floor {building.raised_floor_m * 1e3:,.0f} mm")
    kg_m2 = limit_pa / GRAVITY_M_S2
    told.append(f"floor load at most {rendered(limit_pa, 'pressure')} ({kg_m2:,.0f} kg/m2)")
    words = ", ".join(told)
    return f"{words[:1].upper()}{words[1:]}."


def _area(floor: PlanFloor, area: Rectangle) -> tuple[float, float, float, float]:
    return floor.x(area[0]), floor.y(area[3]), floor.x(area[2]), floor.y(area[1])


def _hatch(drawn: SheetContents, corners: Sequence[Point]) -> None:
    """Draw lines at 45 degrees over a piece of wall, as ISO 128 has cut masonry."""
    step = _HATCH_MM * math.sqrt(2)
    sums = [x + y for x, y in corners]
    for number in range(math.ceil(min(sums) / step), int(max(sums) / step) + 1):
        rest = number * step  # x + y of every point of the line
        met = []
        for (ax, ay), (bx, by) in pairwise((*corners, corners[0])):
            rise = bx + by - ax - ay
            share = (rest - ax - ay) / rise if abs(rise) > 1e-9 else -1.0
            if 0.0 <= share <= 1.0:
                met.append((ax + share * (bx - ax), ay + share * (by - ay)))
        if met and max(met)[0] - min(met)[0] > 0.05:
            drawn.line(min(met), max(met), wide_mm=FINE_MM)


def _door(drawn: SheetContents, floor: PlanFloor, door: DoorShape) -> None:
    def on_paper(place: tuple[float, float]) -> Point:
        return floor.x(place[0]), floor.y(place[1])

    for hinge, shut, opened in door.leaves:
        drawn.line(on_paper(hinge), on_paper(opened), wide_mm=MEDIUM_MM)
        arc = [_turned(hinge, shut, opened, part / _ARC_PIECES) for part in range(_ARC_PIECES + 1)]
        drawn.line(*(on_paper(place) for place in arc), wide_mm=FINE_MM)
    if not door.leaves:
        drawn.line(on_paper(door.line.start), on_paper(door.line.stop), wide_mm=THIN_MM, dashed=True)


def write_door_words(drawn: SheetContents, floor: PlanFloor, building: BuildingShape) -> None:
    """Write the id of each door beside it, where nothing else is drawn: across the wall first, then before its swing.

    Farther away there is a line to it.
    """
    room = Area(
        floor.left - _AROUND_MM,
        floor.bottom - floor.mm(floor.high_m) - _AROUND_MM,
        floor.left + floor.mm(floor.wide_m) + _AROUND_MM,
        floor.bottom + _AROUND_MM,
    )
    for door in building.doors:
        middle, ways = door.line.point(door.width_m / 2), _word_ways(door, door.thickness_m)
        tried: dict[SheetText, Point] = {}
        for more_mm, aside, (near_m, way) in product((0.0, 3.0, 6.0, 10.0, 15.0), (0, 1, -1), ways):
            start = (floor.x(middle[0] + near_m * way[0]), floor.y(middle[1] + near_m * way[1]))
            out, along = (way[0], -way[1]), (way[1], way[0])
            long, high = text_mm(door.id, SMALL_MM) / 2, SMALL_MM / 2
            away = 0.8 + more_mm + abs(out[0]) * long + abs(out[1]) * high
            side = aside * (floor.mm(door.width_m) / 2 + abs(along[0]) * long + abs(along[1]) * high)
            x, y = (start[axis] + out[axis] * away + along[axis] * side for axis in (0, 1))
            words = SheetText(door.id, (x, y + high), SMALL_MM, "middle")
            left, top, right, bottom = words.box
            if room.left <= left and room.top <= top and right <= room.right and bottom <= room.bottom:
                tried.setdefault(words, start)
        free = drawn.free(tried, of_lines=True)
        if free is not None:
            drawn.put(free, clear=True)
            left, top, right, bottom = free.box
            start = tried[free]
            near = (min(max(start[0], left), right), min(max(start[1], top), bottom))
            if math.dist(start, near) > _LEADER_MM:
                drawn.line(start, near, wide_mm=FINE_MM)


def _word_ways(door: DoorShape, thickness_m: float) -> list[tuple[float, tuple[float, float]]]:
    """Return ways from the middle of a door to where its id may stand: how far that begins [m], and its direction."""
    (ax, ay), (bx, by) = door.line.point(0.0, -1.0), door.line.point(0.0)
    inwards = (bx - ax, by - ay)
    leaf_m = max((math.dist(hinge, shut) for hinge, shut, _ in door.leaves), default=0.0)
    ways = [
        (thickness_m + (0.0 if door.inside else leaf_m), (-inwards[0], -inwards[1])),
        (leaf_m if door.inside else 0.0, inwards),
    ]
    return ways if door.inside else ways[::-1]


def _turned(
    hinge: tuple[float, float], shut: tuple[float, float], opened: tuple[float, float], share: float
) -> tuple[float, float]:
    """Return the end of a leaf that is open to a share of a quarter turn."""
    turn = share * math.pi / 2
    along, across = math.cos(turn), math.sin(turn)
    return (
        hinge[0] + along * (shut[0] - hinge[0]) + across * (opened[0] - hinge[0]),
        hinge[1] + along * (shut[1] - hinge[1]) + across * (opened[1] - hinge[1]),
    )
