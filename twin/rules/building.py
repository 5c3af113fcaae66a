"""Design rules of the building: walls, columns, doors and ceiling beside what stands there, and ways to the racks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from twin.arrays import Bools, Floats
from twin.language import tr
from twin.plant.cabinet import FRONT_M
from twin.rules.finding import Found, quantity
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.rules.space import Floor, many, place_key
from twin.scenario.generators.building_shape import CEILING_M, BuildingShape
from twin.scenario.generators.wall_line import TOUCH_M, Rectangle
from twin.scenario.text.parse import Path


def _struck(kind: str, case: RuleContext) -> Iterator[Found]:
    """Yield what stands on a column, in a wall, in the swing of a door or under too low a ceiling; by key to blame."""
    halls = [hall for hall, building in enumerate(case.plant.halls.buildings) if building.binds]
    if not halls:
        return
    floor = Floor(case)
    heights_m = np.concatenate([case.plant.racks.height_m[floor.rack], np.zeros(int((~floor.is_rack).sum()))])
    found: dict[tuple[Path, str], list[str]] = {}
    for hall in halls:
        building = case.plant.halls.buildings[hall]
        in_hall = np.flatnonzero(floor.hall == hall)
        areas = floor.areas_m(in_hall)
        wrong = np.flatnonzero(building.in_conflict(areas, heights_m[in_hall]))
        for place, (x0, y0, x1, y1) in zip(in_hall[wrong].tolist(), areas[wrong].tolist(), strict=True):
            for struck, clause in building.struck((x0, y0, x1, y1), float(heights_m[place])):
                if struck == kind:
                    found.setdefault((_key(case, floor, place), clause), []).append(floor.ids[place])
    for (at, clause), ids in found.items():
        some = list(dict.fromkeys(ids))
        reason = tr("makes {many} {clause}", many=many(some), clause=clause)
        fix = tr("another place, or lower racks") if kind == "ceiling" else tr("another place")
        yield Found(at=at, reason=reason, fix=fix, ids=tuple(some))


def _key(case: RuleContext, floor: Floor, place: int) -> Path:
    """Return the key to blame for the place of a rack or machine."""
    id = floor.ids[place]
    if floor.is_rack[place]:
        return place_key(case, id)
    number, loop = next(
        (n, loop) for n, loop in enumerate(case.scenario.cooling.loops) if loop.id == id.partition("/")[0]
    )
    at: Path = ("cooling", "loops", number)
    return (*at, "places", id) if id in loop.places else at


def _ways(case: RuleContext) -> Iterator[Found]:
    """Yield rows that no free way leads to from a door, and rows whose racks no door takes."""
    rows, racks = case.plant.rows, case.plant.racks
    if not any(building.doors for building in case.plant.halls.buildings):
        return
    floor = Floor(case)
    for hall, building in enumerate(case.plant.halls.buildings):
        slots = np.flatnonzero(rows.present & (rows.hall == hall))
        entrances = [door for door in building.doors if door.wall < len(building.corners)]
        if not entrances or not len(slots):
            continue
        areas = floor.areas_m(np.flatnonzero(floor.hall == hall))
        reached = ReachedFloor(building, areas, FRONT_M)
        at: Path = ("halls", hall, "building", "doors")
        fronts = [
            _front(float(rows.x0_m[row]), float(rows.x1_m[row]), _edge_m(case, row), int(rows.facing[row]))
            for row in slots.tolist()
        ]
        cut_off = [
            rows.ids[row]
            for row, front in zip(slots.tolist(), fronts, strict=True)
            if not reached.meets(front)
        ]
        if cut_off:
            way = quantity(FRONT_M, "length")
            reason = tr("leave no free way of {way} to the front of {rows}", way=way.text, rows=many(cut_off))
            fix = tr("another place for what is in the way, or another door")
            yield Found(at=at, reason=reason, fix=fix, ids=tuple(cut_off), limit=way)
        in_hall = np.flatnonzero(racks.present & (racks.hall == hall))
        wide_m = np.minimum(racks.width_m, racks.depth_m)[in_hall]
        high_m = racks.height_m[in_hall]
        takes = np.zeros(len(in_hall), np.bool_)
        for door in entrances:
            takes |= (wide_m <= door.width_m + TOUCH_M) & (high_m <= door.height_m + TOUCH_M)
        if not takes.all():
            worst = int(np.flatnonzero(~takes)[np.argmax(high_m[~takes])])
            ids = [racks.ids[slot] for slot in in_hall[~takes].tolist()]
            reason = tr(
                "are too small for {racks}, {wide:.2f} m wide and {high:.2f} m high",
                racks=many(ids),
                wide=float(wide_m[worst]),
                high=float(high_m[worst]),
            )
            yield Found(at=at, reason=reason, fix=tr("a wider or higher door"), ids=tuple(ids))


def _edge_m(case: RuleContext, row: int) -> float:
    """Return where the fronts of a row are, across the rows [m]."""
    rows = case.plant.rows
    return float(rows.y_m[row] + int(rows.facing[row]) * rows.depth_m[row] / 2)


def _front(x0_m: float, x1_m: float, edge_m: float, facing: int) -> Rectangle:
    ends = sorted((edge_m, edge_m + facing * FRONT_M))
    return x0_m, ends[0], x1_m, ends[1]


class ReachedFloor:
    """The floor that something of some width reaches from the doors of a building.

    All that stands there is a rectangle along the axes; grown by half the width, their edges cut the floor into cells
    that are free or not as a whole, and the middle of what moves goes from free cell to free cell.

    Parameters
    ----------
    building
        With walls and doors.
    areas
        What stands on the floor: rectangles (n, 4) [m].
    wide_m
        Of what moves, a square [m].
    """

    def __init__(self, building: BuildingShape, areas: Floats, wide_m: float) -> None:
        half_m = wide_m / 2 - TOUCH_M
        self._wide_m = wide_m
        thin = [
            (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
            for a, b in pairwise((*building.corners, building.corners[0]))
        ]
        inner = [
            area
            for wall, from_m, to_m in building.inner_pieces()
            for area in wall.line.slices(from_m, to_m, -wall.thickness_m, 0.0)
        ]
        solid = np.concatenate(
            [areas, building.column_array, np.array(thin), np.array(inner, np.float64).reshape(-1, 4)]
        )
        solid = solid + np.array([-half_m, -half_m, half_m, half_m])
        entrances = [door for door in building.doors if door.wall < len(building.corners)]
        starts = np.array([door.line.rectangle(0.0, door.width_m, 0.0, wide_m) for door in entrances])
        x0, y0, x1, y1 = building.bounds or (0.0, 0.0, 0.0, 0.0)
        self._x_m = np.unique(np.clip(np.concatenate([solid[:, [0, 2]], starts[:, [0, 2]]]).ravel(), x0, x1))
        self._y_m = np.unique(np.clip(np.concatenate([solid[:, [1, 3]], starts[:, [1, 3]]]).ravel(), y0, y1))
        middle_x, middle_y = (self._x_m[1:] + self._x_m[:-1]) / 2, (self._y_m[1:] + self._y_m[:-1]) / 2
        free = building.inside(*np.meshgrid(middle_x, middle_y))
        for area in solid:
            free[self._cells(area)] = False
        self.reached = np.zeros_like(free)
        for area in starts:
            self.reached[self._cells(area)] = True
        self.reached &= free
        self._spread(free)

    def meets(self, area: Rectangle) -> bool:
        """Return whether what moves gets into an area, with its middle at least half its width from the far edges."""
        return bool(self.reached[self._cells(np.array(area))].any())

    def _cells(self, area: Floats) -> tuple[slice, slice]:
        """Return the cells that lie within a rectangle, or share more than a touch with it."""
        x0, y0, x1, y1 = area.tolist()
        return (
            slice(
                int(np.searchsorted(self._y_m, y0 + 1e-9, "right")) - 1 if y0 >= self._y_m[0] else 0,
                max(0, int(np.searchsorted(self._y_m, y1 - 1e-9, "left"))),
            ),
            slice(
                int(np.searchsorted(self._x_m, x0 + 1e-9, "right")) - 1 if x0 >= self._x_m[0] else 0,
                max(0, int(np.searchsorted(self._x_m, x1 - 1e-9, "left"))),
            ),
        )

    def _spread(self, free: Bools) -> None:
        """Let what is reached grow along free runs of both axes until it grows no more."""
        while True:
            before = int(self.reached.sum())
            self.reached = _along(self.reached, free)
            self.reached = _along(self.reached.T, free.T).T
            if int(self.reached.sum()) == before:
                return


def _along(reached: Bools, free: Bools) -> Bools:
    """Return what is reached along the second axis: each run of free cells as a whole."""
    edge = np.ones((len(free), 1), np.bool_)
    run = np.cumsum(np.concatenate([edge, ~free], axis=1).ravel()).reshape(len(free), -1)[:, 1:]
    hit = np.zeros(int(run.max(initial=0)) + 1, np.bool_)
    hit[run[reached]] = True
    return np.asarray(hit[run] & free, np.bool_)


RULES = (
    Rule(
        "wall",
        tr("In a wall"),
        "space",
        "error",
        tr("Footprints of racks and cooling units within the walls of the building."),
        tr("walls of the building, outer dimensions of the parts"),
        partial(_struck, "wall"),
    ),
    Rule(
        "column",
        tr("On a column"),
        "space",
        "error",
        tr("Footprints of racks and cooling units, and columns of the building."),
        tr("columns of the building, outer dimensions of the parts"),
        partial(_struck, "column"),
    ),
    Rule(
        "door-swing",
        tr("Door blocked"),
        "space",
        "error",
        tr("Floor that the leaves of each door sweep."),
        tr("doors of the building, outer dimensions of the parts"),
        partial(_struck, "door"),
    ),
    Rule(
        "ceiling",
        tr("Ceiling too low"),
        "space",
        "error",
        tr("Top of each rack under the ceiling, {clear:g} m of it free.", clear=CEILING_M),
        tr("NFPA 13: 18 in (0.46 m) clear below sprinklers [unverified]"),
        partial(_struck, "ceiling"),
    ),
    Rule(
        "door-path",
        tr("No way from a door"),
        "space",
        "warning",
        tr("A free way from a door to the front of each row, and a door that takes each rack."),
        tr("1 m, the clear space before a rack of ANSI/TIA-942-A 5.11.7 [unverified]"),
        _ways,
    ),
)
