"""A marked-up drawing of what a revision changed: racks and machines that came, went, moved or hold something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.drawings.elevation import rack_stacks
from twin.drawings.floor import PlanFloor
from twin.drawings.paper import SheetDraft, drawing_area
from twin.drawings.plan import plan_draft
from twin.drawings.plan_building import plan_bounds_m
from twin.drawings.sheet import (
    LINE,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    TITLE_MM,
    Mark,
    Point,
    SheetContents,
    wrapped,
)
from twin.plant.machines import machine_ids
from twin.plant.tables import Plant
from twin.scenario.generators.wall_line import Rectangle, WallLine

_MOVED_M = 1e-3
_MARK_MM = 0.6
WALLS = "walls"
"""What the walls of a hall are called among marked things."""
_LEGEND = (
    "Green, thick: added. Orange, crossed out: gone. Blue, with a line from its old place: moved.",
    "Violet, underlined: holds something else.",
)


@dataclass(frozen=True)
class MarkedThing:
    """A rack, machine or part of the building that a revision changed: x, y, width, depth now and before [m].

    Behind those of a part of the building stands the unit vector that its width lies along.
    """

    id: str
    mark: Mark
    now_m: tuple[float, ...] | None
    before_m: tuple[float, ...] | None


def marked_things(before: Plant, after: Plant, hall: str, now: str | None = None) -> list[MarkedThing]:
    """Return what changed in one hall, racks first; `now` is its id in the plant after, where that is another one."""
    now = hall if now is None else now
    old, new = _racks(before, hall), _racks(after, now)
    found = _compared(
        {id: place for id, (place, _) in old.items()}, {id: place for id, (place, _) in new.items()}
    )
    told = {thing.id for thing in found}
    for id, (place, inside) in new.items():
        if id in old and id not in told and old[id][1] != inside:
            found.append(MarkedThing(id, "changed", place, place))
    found += _compared(_machines(before, hall), _machines(after, now))
    return found + _compared(_building(before, hall), _building(after, now))


def revision_sheets(before: Plant, after: Plant, sentences: Sequence[str], paper: str) -> list[SheetDraft]:
    """Return a marked plan of each hall that changed, and the changes in words on as many sheets as they need."""
    drafts = []
    for id in dict.fromkeys([*after.halls.ids, *before.halls.ids]):
        things = marked_things(before, after, id)
        if things:
            drafts.append(_marked(before, after, id, things, paper))
    return [*drafts, *change_sheets(sentences, paper)]


def _marked(before: Plant, after: Plant, id: str, things: list[MarkedThing], paper: str) -> SheetDraft:
    """Return the plan of a hall as it is now, or was where it is gone, with marks."""
    shown = after if id in after.halls.ids else before
    hall = shown.halls.ids.index(id)
    there = [(plant, plant.halls.ids.index(id)) for plant in (before, after) if id in plant.halls.ids]
    draft = plan_draft(shown, hall, paper, bounds_of_all_m(there))
    for thing in things:
        draw_mark(draft.drawn, draft.floor, thing)
    title = f"Changes of {shown.halls.titles[hall] or id}"
    return SheetDraft("revision", title, draft.landscape, draft.floor.scale, draft.drawn, _LEGEND)


def bounds_of_all_m(halls: Sequence[tuple[Plant, int]]) -> tuple[float, float, float, float]:
    """Return what holds all of some halls: low and high x, low and high y [m]."""
    bounds = np.array([plan_bounds_m(plant, hall) for plant, hall in halls])
    low, high = bounds.min(axis=0), bounds.max(axis=0)
    return (float(low[0]), float(high[1]), float(low[2]), float(high[3]))


def draw_mark(drawn: SheetContents, floor: PlanFloor, thing: MarkedThing) -> None:
    """Mark a thing on a plan: where it stands now, and where it stood if it moved, or is gone."""
    place = thing.now_m or thing.before_m
    assert place is not None
    corners = _corners(floor, place)
    drawn.outline(corners, _MARK_MM, mark=thing.mark, dashed=thing.mark == "gone")
    if thing.mark == "gone":
        drawn.line(corners[0], corners[2], wide_mm=MEDIUM_MM, mark="gone")
        drawn.line(corners[3], corners[1], wide_mm=MEDIUM_MM, mark="gone")
    elif thing.mark == "moved" and thing.before_m is not None:
        old = _corners(floor, thing.before_m)
        drawn.outline(old, MEDIUM_MM, mark="moved", dashed=True)
        if thing.id != WALLS:  # round everything: a line in their middle would be of something else
            drawn.line(_middle(old), _middle(corners), wide_mm=MEDIUM_MM, mark="moved")
    elif thing.mark == "changed":
        (left, bottom), (right, _) = corners[3], corners[2]
        drawn.line((left, bottom - 0.8), (right, bottom - 0.8), wide_mm=_MARK_MM, mark="changed")


def _corners(floor: PlanFloor, place: Sequence[float]) -> tuple[Point, ...]:
    """Return the corners of a thing on paper; of what is not turned from the upper left one on, clockwise."""
    x_m, y_m, wide_m, deep_m, *ahead = place
    (u, v), half_x, half_y = ahead or (1.0, 0.0), wide_m / 2, deep_m / 2
    sides = ((-half_x, half_y), (half_x, half_y), (half_x, -half_y), (-half_x, -half_y))
    return tuple((floor.x(x_m + a * u - b * v), floor.y(y_m + a * v + b * u)) for a, b in sides)


def _middle(corners: tuple[Point, ...]) -> Point:
    return ((corners[0][0] + corners[2][0]) / 2, (corners[0][1] + corners[2][1]) / 2)


def change_sheets(sentences: Sequence[str], paper: str) -> list[SheetDraft]:
    """Return changes in words, on as many sheets as they need."""
    area = drawing_area(paper, True)
    high_mm, lines, room = SMALL_MM, [""], 0
    for high_mm in (TEXT_MM, SMALL_MM):  # small letters where there are more than a sheet of them
        lines = [
            line for words in sentences for line in wrapped(f"\N{EN DASH} {words}", high_mm, area.wide - 8)
        ]
        room = max(1, int((area.high - 14) / (LINE * high_mm)))
        if len(lines) <= room:
            break
    drafts = []
    for first in range(0, max(1, len(lines)), room):
        drawn = SheetContents()
        left, shown = area.left + 4, lines[first : first + room] or ["none"]
        drawn.write("Changes in words", (left, area.top + 6), TITLE_MM, bold=True)
        drawn.write_lines(shown, (left, area.top + 12), high_mm, most_mm=area.wide - 8)
        drafts.append(SheetDraft("revision", "Changes in words", True, 0, drawn))
    return drafts


def _compared(old: dict[str, tuple[float, ...]], new: dict[str, tuple[float, ...]]) -> list[MarkedThing]:
    found = []
    for id in dict.fromkeys([*old, *new]):
        was, now = old.get(id), new.get(id)
        if was is None or now is None:
            found.append(MarkedThing(id, "added" if was is None else "gone", now, was))
        elif max(abs(a - b) for a, b in zip(was, now, strict=True)) > _MOVED_M:
            found.append(MarkedThing(id, "moved", now, was))
    return found


def _racks(plant: Plant, hall: str) -> dict[str, tuple[tuple[float, ...], object]]:
    racks, stacks = plant.racks, rack_stacks(plant, plant.catalog)
    if hall not in plant.halls.ids:
        return {}
    rack_mask = racks.present & (racks.hall == plant.halls.ids.index(hall))
    columns = (racks.x_m, racks.y_m, racks.width_m, racks.depth_m)
    return {
        racks.ids[slot]: (_place(columns, slot), (stacks[slot].part, stacks[slot].devices))
        for slot in np.flatnonzero(rack_mask).tolist()
    }


def _machines(plant: Plant, hall: str) -> dict[str, tuple[float, ...]]:
    machines, loops = plant.machines, plant.loops
    if hall not in plant.halls.ids:
        return {}
    slot = plant.halls.ids.index(hall)
    columns = (machines.x_m, machines.y_m, machines.width_m, machines.depth_m)
    stands = loops.present[machines.loop] & (loops.hall[machines.loop] == slot)
    return {id: _place(columns, place) for place, id in enumerate(machine_ids(plant)) if stands[place]}


def _building(plant: Plant, hall: str) -> dict[str, tuple[float, ...]]:
    """Return walls as a whole, columns, and doors with the floor they sweep."""
    if hall not in plant.halls.ids:
        return {}
    building = plant.halls.buildings[plant.halls.ids.index(hall)]
    found = {column.id: _level(column.area) for column in building.columns}
    for wall in building.inner:
        found[wall.id] = _along(wall.line, -wall.thickness_m, 0.0)
    for door in building.doors:
        near_m, far_m = -door.thickness_m, door.width_m / max(1, len(door.leaves))
        found[door.id] = _along(door.line, near_m, far_m if door.inside else 0.0)
    if (walls := building.bounds) is not None:
        out_m = building.thickness_m
        found[WALLS] = _level((walls[0] - out_m, walls[1] - out_m, walls[2] + out_m, walls[3] + out_m))
    return found


def _level(area: Rectangle) -> tuple[float, ...]:
    x0_m, y0_m, x1_m, y1_m = area
    return ((x0_m + x1_m) / 2, (y0_m + y1_m) / 2, x1_m - x0_m, y1_m - y0_m, 1.0, 0.0)


def _along(line: WallLine, near_m: float, far_m: float) -> tuple[float, ...]:
    """Return what lies along a line, between two distances from it."""
    if not line.slanted:
        return _level(line.rectangle(0.0, line.long_m, near_m, far_m))
    x, y = line.ahead if line.ahead[0] > 0 else (-line.ahead[0], -line.ahead[1])  # it has no beginning
    return (*line.point(line.long_m / 2, (near_m + far_m) / 2), line.long_m, far_m - near_m, x, y)


def _place(columns: Sequence[Floats], slot: int) -> tuple[float, ...]:
    return tuple(float(column[slot]) for column in columns)
