"""The plan of a hall: walls, rows with their racks, machines, aisles, a grid of floor tiles, chains of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.drawings.paper import SheetDraft, drawing_area, scale_for
from twin.drawings.sheet import (
    FINE_MM,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    THIN_MM,
    WIDE_MM,
    Area,
    SheetContents,
    fitting,
    text_mm,
)
from twin.plant.aisles import draw_aisles
from twin.plant.shapes import AisleKind
from twin.plant.tables import Plant

TILE_M = 0.6
"""Side of a floor tile [m]."""
_LEFT_MM, _TOP_MM, _RIGHT_MM, _BOTTOM_MM = 18.0, 12.0, 12.0, 18.0
"""Around the hall, for chains of dimensions and bubbles of the grid."""
_GRID_MM, _BUBBLE_MM = 20.0, 3.0
_SAME_M = 1e-3
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # I and O are left out: ISO 8560


@dataclass(frozen=True)
class PlanFloor:
    """The floor of a hall on paper: y of the hall goes up.

    Parameters
    ----------
    x0_m, y0_m
        Its lowest corner in the hall [m].
    wide_m, high_m
        Its size [m].
    left, bottom
        That corner on paper [mm].
    scale
        1 to so many.
    """

    x0_m: float
    y0_m: float
    wide_m: float
    high_m: float
    left: float
    bottom: float
    scale: int

    def mm(self, length_m: float) -> float:
        """Return a length on paper [mm]."""
        return length_m * 1e3 / self.scale

    def x(self, x_m: float) -> float:
        """Return where an x of the hall is on paper [mm]."""
        return self.left + self.mm(x_m - self.x0_m)

    def y(self, y_m: float) -> float:
        """Return where a y of the hall is on paper [mm]."""
        return self.bottom - self.mm(y_m - self.y0_m)

    def area(self, x_m: float, y_m: float, wide_m: float, deep_m: float) -> Area:
        """Return the rectangle of something by its middle and size."""
        left, top = self.x(x_m - wide_m / 2), self.y(y_m + deep_m / 2)
        return Area(left, top, left + self.mm(wide_m), top + self.mm(deep_m))


@dataclass(frozen=True)
class PlanDimension:
    """A dimension that somebody took in the hall: the ends of its line, the ways to them, its length [m]."""

    start_m: tuple[float, float]
    stop_m: tuple[float, float]
    length_m: float
    ways_m: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()


@dataclass(frozen=True)
class PlanDraft:
    """A plan that others may draw on: the floor says where."""

    floor: PlanFloor
    landscape: bool
    drawn: SheetContents


def plan_sheet(plant: Plant, hall: int, paper: str, dimensions: Sequence[PlanDimension] = ()) -> SheetDraft:
    """Return the plan of one hall, on the side of the paper at which it is drawn larger.

    Parameters
    ----------
    plant
        The site.
    hall
        Its slot.
    paper
        Of `twin.drawings.paper.PAPERS`.
    dimensions
        Drawn where they lie in this hall, beside those that every plan has.
    """
    draft = plan_draft(plant, hall, paper, hall_bounds_m(plant, hall))
    _taken_dimensions(draft.drawn, draft.floor, dimensions)
    title = f"Plan of {plant.halls.titles[hall] or plant.halls.ids[hall]}"
    return SheetDraft("plan", title, draft.landscape, draft.floor.scale, draft.drawn, _legend(plant, hall))


def hall_bounds_m(plant: Plant, hall: int) -> tuple[float, float, float, float]:
    """Return the walls of a hall: low and high x, low and high y [m]."""
    halls = plant.halls
    columns = (halls.x0_m, halls.x1_m, halls.y0_m, halls.y1_m)
    return tuple(float(column[hall]) for column in columns)  # type: ignore[return-value]


def plan_draft(plant: Plant, hall: int, paper: str, bounds_m: tuple[float, float, float, float]) -> PlanDraft:
    """Return the plan of one hall with room for all within some bounds [m]: low and high x, low and high y."""
    x0_m, x1_m, y0_m, y1_m = bounds_m
    wide_m, high_m = x1_m - x0_m, y1_m - y0_m
    areas = {
        lying: drawing_area(paper, lying).shrunk(_LEFT_MM, _TOP_MM, _RIGHT_MM, _BOTTOM_MM)
        for lying in (True, False)
    }
    landscape = min(areas, key=lambda lying: scale_for(wide_m, high_m, areas[lying]))
    area = areas[landscape]
    scale = scale_for(wide_m, high_m, area)
    left = area.left + (area.wide - wide_m * 1e3 / scale) / 2
    bottom = area.top + (area.high + high_m * 1e3 / scale) / 2
    floor = PlanFloor(x0_m, y0_m, wide_m, high_m, left, bottom, scale)
    drawn = SheetContents()
    _grid(drawn, floor)
    _aisles(drawn, floor, plant, hall)
    wall0_m, wall1_m, wall2_m, wall3_m = hall_bounds_m(plant, hall)
    drawn.box(Area(floor.x(wall0_m), floor.y(wall3_m), floor.x(wall1_m), floor.y(wall2_m)), WIDE_MM)
    _racks(drawn, floor, plant, hall)
    _machines(drawn, floor, plant, hall)
    _dimensions(drawn, floor, plant, hall)
    return PlanDraft(floor, landscape, drawn)


def row_edges_m(plant: Plant, hall: int) -> list[float]:
    """Return the edges of rows across a hall and its walls, ascending: what the upright chain is of [m]."""
    rows = plant.rows
    row_mask = rows.present & (rows.hall == hall)
    edges = [
        *(rows.y_m - rows.depth_m / 2)[row_mask].tolist(),
        *(rows.y_m + rows.depth_m / 2)[row_mask].tolist(),
    ]
    return _apart([float(plant.halls.y0_m[hall]), *edges, float(plant.halls.y1_m[hall])])


def row_ends_m(plant: Plant, hall: int) -> list[float]:
    """Return the first and last ends of rows along a hall and its walls, ascending [m]."""
    rows = plant.rows
    row_mask = rows.present & (rows.hall == hall)
    ends = [float(rows.x0_m[row_mask].min()), float(rows.x1_m[row_mask].max())] if row_mask.any() else []
    return _apart([float(plant.halls.x0_m[hall]), *ends, float(plant.halls.x1_m[hall])])


def _apart(places_m: Sequence[float]) -> list[float]:
    """Return places in order, those that are the same once."""
    found: list[float] = []
    for place_m in sorted(places_m):
        if not found or place_m - found[-1] > _SAME_M:
            found.append(place_m)
    return found


def _grid(drawn: SheetContents, floor: PlanFloor) -> None:
    """Draw lines along every so many floor tiles, with letters and numbers."""
    tiles = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200) if floor.mm(n * TILE_M) >= _GRID_MM), 500)
    step_m = tiles * TILE_M
    top, right = floor.y(floor.y0_m + floor.high_m), floor.x(floor.x0_m + floor.wide_m)
    for number in range(int(floor.wide_m / step_m) + 1):
        x = floor.x(floor.x0_m + number * step_m)
        drawn.line((x, floor.bottom), (x, top - 2), wide_mm=FINE_MM, dashed=True)
        drawn.circle((x, top - 2 - _BUBBLE_MM), _BUBBLE_MM, FINE_MM)
        drawn.write(_letters(number), (x, top - 1.1 - _BUBBLE_MM), SMALL_MM, "middle")
    for number in range(int(floor.high_m / step_m) + 1):
        y = floor.y(floor.y0_m + number * step_m)
        drawn.line((floor.left, y), (right + 2, y), wide_mm=FINE_MM, dashed=True)
        drawn.circle((right + 2 + _BUBBLE_MM, y), _BUBBLE_MM, FINE_MM)
        drawn.write(str(number + 1), (right + 2 + _BUBBLE_MM, y + SMALL_MM / 2), SMALL_MM, "middle")


def _letters(number: int) -> str:
    """Return A, B, ... Z, AA, AB, ... without I and O."""
    more, last = divmod(number, len(_LETTERS))
    return (_letters(more - 1) if more else "") + _LETTERS[last]


def _aisles(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    aisles = draw_aisles(plant)
    for place in np.flatnonzero(aisles.hall == hall).tolist():
        x0_m, x1_m = float(aisles.x0_m[place]), float(aisles.x1_m[place])
        y0_m, y1_m = float(aisles.y0_m[place]), float(aisles.y1_m[place])
        area = floor.area((x0_m + x1_m) / 2, (y0_m + y1_m) / 2, x1_m - x0_m, y1_m - y0_m)
        if aisles.contained[place]:
            drawn.box(area, MEDIUM_MM, dashed=True)
        text = "COLD AISLE" if aisles.kind[place] == AisleKind.COLD else "HOT AISLE"
        if area.high >= SMALL_MM + 0.8 and area.wide >= text_mm(text, SMALL_MM):
            middle = (area.left + area.right) / 2
            drawn.write(
                text, (middle, (area.top + area.bottom + SMALL_MM) / 2), SMALL_MM, "middle", clear=True
            )


def _racks(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    """Draw racks with their numbers, a wide line at their fronts, and the labels of rows behind their last rack."""
    racks, rows = plant.racks, plant.rows
    rack_slots = np.flatnonzero(racks.present & (racks.hall == hall))
    numbers = {slot: racks.ids[slot].rpartition("/")[2] for slot in rack_slots.tolist()}
    rooms = [(number, floor.mm(float(racks.width_m[slot])) - 0.3) for slot, number in numbers.items()]
    high = fitting(rooms, (TEXT_MM, SMALL_MM, 1.3, 1.0))
    for slot in rack_slots.tolist():
        area = floor.area(
            *(float(column[slot]) for column in (racks.x_m, racks.y_m, racks.width_m, racks.depth_m))
        )
        drawn.box(area, THIN_MM, grey=0.0)
        front = area.top if racks.facing[slot] > 0 else area.bottom
        drawn.line((area.left, front), (area.right, front), wide_mm=MEDIUM_MM)
        if text_mm(numbers[slot], high) <= area.wide:
            foot = (area.top + area.bottom + high) / 2
            drawn.write(numbers[slot], ((area.left + area.right) / 2, foot), high, "middle")
    starts_m = sorted(
        {
            (float(rows.y_m[row]), float(rows.x0_m[row]))
            for row in np.flatnonzero(rows.present & (rows.hall == hall))
        }
    )
    for row in np.flatnonzero(rows.present & (rows.hall == hall)).tolist():
        x1_m, y_m = float(rows.x1_m[row]), float(rows.y_m[row])
        next_m = min(
            (x for y, x in starts_m if abs(y - y_m) < 1.0 and x > x1_m - _SAME_M),
            default=floor.x0_m + floor.wide_m,
        )
        room = floor.mm(next_m - x1_m) - 1.6
        if room > 2.0 and floor.mm(float(rows.depth_m[row])) > SMALL_MM:
            at = (floor.x(x1_m) + 0.8, floor.y(y_m) + SMALL_MM / 2)
            drawn.write(rows.labels[row], at, SMALL_MM, bold=True, most_mm=room)


def _machines(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    machines, loops = plant.machines, plant.loops
    for place, loop in enumerate(machines.loop.tolist()):
        if int(loops.hall[loop]) != hall or not loops.present[loop]:
            continue
        area = floor.area(
            *(
                float(column[place])
                for column in (machines.x_m, machines.y_m, machines.width_m, machines.depth_m)
            )
        )
        drawn.box(area, MEDIUM_MM, grey=0.12)
        text = loops.ids[loop]
        tall = area.high > area.wide
        long, across = max(area.wide, area.high), min(area.wide, area.high)
        high = next(
            (
                h
                for h in (TEXT_MM, SMALL_MM, 1.3, 1.0)
                if text_mm(text, h) <= long - 0.4 and h <= across - 0.4
            ),
            None,
        )
        if high is not None:
            x, y = (area.left + area.right) / 2, (area.top + area.bottom) / 2
            at = (x + high / 2, y) if tall else (x, y + high / 2)
            drawn.write(text, at, high, "middle", upright=tall)


def _dimensions(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    x0_m, x1_m, y0_m, y1_m = hall_bounds_m(plant, hall)
    for places, out in ((row_edges_m(plant, hall), 6.0), ([y0_m, y1_m], 13.0)):
        across = [floor.y(y_m) for y_m in places]
        drawn.dimension(across, np.diff(places).tolist(), floor.left - out, upright=True)
    for places, out in ((row_ends_m(plant, hall), 7.0), ([x0_m, x1_m], 14.0)):
        along = [floor.x(x_m) for x_m in places]
        drawn.dimension(along, np.diff(places).tolist(), floor.bottom + out, upright=False)


def _taken_dimensions(drawn: SheetContents, floor: PlanFloor, dimensions: Sequence[PlanDimension]) -> None:
    """Draw dimensions that were taken in the hall, level, upright or aslant, with their lengths clear of the rest."""
    for taken in dimensions:
        start, stop = ((floor.x(x_m), floor.y(y_m)) for x_m, y_m in (taken.start_m, taken.stop_m))
        if not (_inside(floor, start) and _inside(floor, stop)):
            continue
        for way in taken.ways_m:
            drawn.line(*((floor.x(x_m), floor.y(y_m)) for x_m, y_m in way), wide_mm=FINE_MM)
        drawn.aslant_dimension(start, stop, taken.length_m)


def _inside(floor: PlanFloor, point: tuple[float, float]) -> bool:
    across, up = point[0] - floor.left, floor.bottom - point[1]
    return -0.1 <= across <= floor.mm(floor.wide_m) + 0.1 and -0.1 <= up <= floor.mm(floor.high_m) + 0.1


def _legend(plant: Plant, hall: int) -> tuple[str, ...]:
    rows, racks = plant.rows, plant.racks
    row_mask = rows.present & (rows.hall == hall)
    labels = [f"{rows.labels[row]}: {rows.ids[row]}" for row in np.flatnonzero(row_mask).tolist()]
    count = int((racks.present & (racks.hall == hall)).sum())
    told = "; ".join(labels[:6]) + ("; ..." if len(labels) > 6 else "")
    return (
        f"Dimensions in millimetres. {count:,} racks in {int(row_mask.sum())} rows. {told}",
        f"Wide edge of a rack: its front. Dashed: contained aisles, and the grid of {TILE_M * 1e3:.0f} mm floor tiles.",
    )
