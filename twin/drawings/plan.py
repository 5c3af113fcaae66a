"""The plan of a hall: walls, rows with their racks, machines, aisles, a grid of floor tiles, chains of dimensions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.drawings.floor import PlanFloor, floor_within
from twin.drawings.paper import SheetDraft, drawing_area, scale_for
from twin.drawings.plan_building import (
    Bounds,
    building_words,
    column_lines_m,
    draw_building,
    draw_underlay,
    hall_bounds_m,
    plan_bounds_m,
    write_door_words,
)
from twin.drawings.sheet import (
    FINE_MM,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    THIN_MM,
    WIDE_MM,
    Area,
    SheetContents,
    SheetText,
    fitting,
    text_mm,
)
from twin.drawings.tray_plan import TrayLine, draw_tray_edges, tray_legend, write_tray_words
from twin.language import counted
from twin.plant.aisles import draw_aisles
from twin.plant.machines import machine_ids
from twin.plant.shapes import AisleKind
from twin.plant.tables import Plant
from twin.scenario.generators.building_shape import NO_BUILDING, BuildingShape

TILE_M = 0.6
"""Side of a floor tile [m]."""
AROUND_MM = (19.5, 12.0, 12.0, 18.5)
"""Around the hall, at its left, top, right and bottom, for chains of dimensions and bubbles of the grid."""
_GRID_MM, _BUBBLE_MM = 20.0, 3.0
_SAME_M = 1e-3
_STEPS = (1, 2, 5, 10, 20, 50)
"""Every how many racks a number stands."""
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # I and O are left out: ISO 8560


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


def plan_sheet(
    plant: Plant,
    hall: int,
    paper: str,
    trays: Sequence[TrayLine] = (),
    dimensions: Sequence[PlanDimension] = (),
) -> SheetDraft:
    """Return the plan of one hall, on the side of the paper at which it is drawn larger.

    Parameters
    ----------
    plant
        The site.
    hall
        Its slot.
    paper
        Of `twin.drawings.paper.PAPERS`.
    trays
        Cable trays of the site; those of the hall are drawn.
    dimensions
        Drawn where they lie in this hall, beside those that every plan has.
    """
    within = [tray for tray in trays if tray.hall == hall]
    draft = plan_draft(plant, hall, paper, plan_bounds_m(plant, hall), within)
    _taken_dimensions(draft.drawn, draft.floor, dimensions)
    title = f"Plan of {plant.halls.titles[hall] or plant.halls.ids[hall]}"
    told = {words.text for words in draft.drawn.words}
    return SheetDraft(
        "plan",
        title,
        draft.landscape,
        draft.floor.scale,
        draft.drawn,
        (*_legend(plant, hall, told), *tray_legend(within, told)),
    )


def plan_draft(
    plant: Plant,
    hall: int,
    paper: str,
    bounds_m: Bounds,
    trays: Sequence[TrayLine] = (),
) -> PlanDraft:
    """Return the plan of one hall with room for all within some bounds [m]: low and high x, low and high y."""
    wide_m, high_m = bounds_m[1] - bounds_m[0], bounds_m[3] - bounds_m[2]
    areas = {lying: drawing_area(paper, lying).shrunk(*AROUND_MM) for lying in (True, False)}
    landscape = min(areas, key=lambda lying: scale_for(wide_m, high_m, areas[lying]))
    floor = floor_within(areas[landscape], bounds_m, scale_for(wide_m, high_m, areas[landscape]))
    drawn = SheetContents()
    draw_plan(drawn, floor, plant, hall, trays)
    return PlanDraft(floor, landscape, drawn)


def draw_plan(
    drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int, trays: Sequence[TrayLine] = ()
) -> None:
    """Draw the plan of one hall on a floor."""
    building = plant.halls.buildings[hall]
    draw_underlay(drawn, floor, building)
    _grid(drawn, floor, building)
    _aisles(drawn, floor, plant, hall)
    if not building.corners:
        x0_m, x1_m, y0_m, y1_m = hall_bounds_m(plant, hall)
        drawn.box(Area(floor.x(x0_m), floor.y(y1_m), floor.x(x1_m), floor.y(y0_m)), WIDE_MM)
    draw_building(drawn, floor, building)
    _racks(drawn, floor, plant, hall)
    draw_tray_edges(drawn, floor, trays)
    _machines(drawn, floor, plant, hall)
    _row_labels(drawn, floor, plant, hall)
    write_tray_words(drawn, floor, trays)
    _dimensions(drawn, floor, plant, hall)
    write_door_words(drawn, floor, building)


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


def _grid(drawn: SheetContents, floor: PlanFloor, building: BuildingShape) -> None:
    """Draw lines through the columns of the building, else along every so many floor tiles; letters and numbers."""
    along_m, across_m = column_lines_m(building)
    if not along_m:
        tiles = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200) if floor.mm(n * TILE_M) >= _GRID_MM), 500)
        step_m = tiles * TILE_M
        along_m = [floor.x0_m + number * step_m for number in range(int(floor.wide_m / step_m) + 1)]
        across_m = [floor.y0_m + number * step_m for number in range(int(floor.high_m / step_m) + 1)]
    top, right = floor.y(floor.y0_m + floor.high_m), floor.x(floor.x0_m + floor.wide_m)
    told = -np.inf
    for number, x_m in enumerate(along_m):
        x = floor.x(x_m)
        drawn.line((x, floor.bottom), (x, top - 2), wide_mm=FINE_MM, dashed=True)
        if x - told > 2 * _BUBBLE_MM:
            drawn.circle((x, top - 2 - _BUBBLE_MM), _BUBBLE_MM, FINE_MM)
            drawn.write(_letters(number), (x, top - 1.1 - _BUBBLE_MM), SMALL_MM, "middle")
            told = x
    told = np.inf
    for number, y_m in enumerate(across_m):
        y = floor.y(y_m)
        drawn.line((floor.left, y), (right + 2, y), wide_mm=FINE_MM, dashed=True)
        if told - y > 2 * _BUBBLE_MM:
            drawn.circle((right + 2 + _BUBBLE_MM, y), _BUBBLE_MM, FINE_MM)
            drawn.write(str(number + 1), (right + 2 + _BUBBLE_MM, y + SMALL_MM / 2), SMALL_MM, "middle")
            told = y


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
    """Draw racks with a wide line at their fronts, and every so many numbers in their back halves, clear of trays."""
    racks = plant.racks
    rack_slots = np.flatnonzero(racks.present & (racks.hall == hall)).tolist()
    areas = {
        slot: floor.area(
            *(float(column[slot]) for column in (racks.x_m, racks.y_m, racks.width_m, racks.depth_m))
        )
        for slot in rack_slots
    }
    for slot, area in areas.items():
        drawn.box(area, THIN_MM, grey=0.0)
        front = area.top if racks.facing[slot] > 0 else area.bottom
        drawn.line((area.left, front), (area.right, front), wide_mm=MEDIUM_MM)
    numbers = {slot: racks.ids[slot].rpartition("/")[2] for slot in rack_slots}
    high = fitting((number, areas[slot].wide - 0.8) for slot, number in numbers.items())
    steps = (step for step in _STEPS if _has_room(numbers, areas, step, high))
    step = next(steps, 0)
    for slot, number in numbers.items():
        area = areas[slot]
        if not step or not number.isdigit() or int(number) % step:
            continue
        back = area.high / 4 if racks.facing[slot] > 0 else -area.high / 4
        middle = ((area.left + area.right) / 2, (area.top + area.bottom + high) / 2 + back)
        drawn.write(number, middle, high, "middle", clear=text_mm(number, high) > area.wide - 0.4)


def _has_room(numbers: Mapping[int, str], areas: Mapping[int, Area], step: int, high_mm: float) -> bool:
    """Return whether every so many racks can bear their numbers in their back halves."""
    return all(
        text_mm(number, high_mm) <= step * areas[slot].wide - 0.8 and high_mm + 0.4 <= areas[slot].high / 2
        for slot, number in numbers.items()
    )


def _row_labels(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    """Write the labels of rows behind their last rack, beside the tray; else before the first one, or upon the row."""
    rows = plant.rows
    row_slots = np.flatnonzero(rows.present & (rows.hall == hall)).tolist()
    starts_m = sorted((float(rows.y_m[row]), float(rows.x0_m[row])) for row in row_slots)
    for row in row_slots:
        label, x0_m, x1_m, y_m = (
            rows.labels[row],
            *(float(column[row]) for column in (rows.x0_m, rows.x1_m, rows.y_m)),
        )
        next_m = min(
            (x for y, x in starts_m if abs(y - y_m) < 1.0 and x > x1_m - _SAME_M),
            default=floor.x0_m + floor.wide_m,
        )
        back_m = float(rows.facing[row] * rows.depth_m[row] / 4)
        foot = floor.y(y_m - back_m) + SMALL_MM / 2
        behind = SheetText(label, (floor.x(x1_m) + 0.8, foot), SMALL_MM, bold=True)
        before = SheetText(label, (floor.x(x0_m) - 0.8, foot), SMALL_MM, "right", bold=True)
        upon = (floor.x((x0_m + x1_m) / 2), floor.y(y_m) + SMALL_MM / 2)
        fits = behind.long_mm <= floor.mm(next_m - x1_m) - 1.6
        words = (
            (drawn.free([behind]) if fits else None)
            or (drawn.free([before], of_lines=True) if before.box[0] > floor.left else None)
            or drawn.free([SheetText(label, upon, SMALL_MM, "middle", bold=True)])
        )
        if words is not None:
            drawn.put(words, clear=True)


def _machines(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    """Draw machines with their ids, those of their loops or the last part of those: what there is room for in all."""
    machines, loops = plant.machines, plant.loops
    columns = (machines.x_m, machines.y_m, machines.width_m, machines.depth_m)
    areas = {
        place: floor.area(*(float(column[place]) for column in columns))
        for place, loop in enumerate(machines.loop.tolist())
        if int(loops.hall[loop]) == hall and loops.present[loop]
    }
    for area in areas.values():
        drawn.box(area, MEDIUM_MM, grey=0.12)
    ids, shown = machine_ids(plant), {}
    for name in (str, _loop_of, _number_of):
        shown = {place: name(ids[place]) for place in areas}
        if all(_within(area, shown[place], SMALL_MM) for place, area in areas.items()):
            break
    for place, area in areas.items():
        text = shown[place]
        high = next((high for high in (TEXT_MM, SMALL_MM) if _within(area, text, high)), None)
        if high is not None:
            x, y, tall = (area.left + area.right) / 2, (area.top + area.bottom) / 2, area.high > area.wide
            at = (x + high / 2, y) if tall else (x, y + high / 2)
            drawn.write(text, at, high, "middle", upright=tall)


def _loop_of(id: str) -> str:
    return id.partition("#")[0]


def _number_of(id: str) -> str:
    return _loop_of(id).rpartition("/")[2]


def _within(area: Area, text: str, high_mm: float) -> bool:
    long, across = max(area.wide, area.high), min(area.wide, area.high)
    return text_mm(text, high_mm) <= long - 0.6 and high_mm <= across - 0.4


def _dimensions(drawn: SheetContents, floor: PlanFloor, plant: Plant, hall: int) -> None:
    x0_m, x1_m, y0_m, y1_m = hall_bounds_m(plant, hall)
    for places, out in ((row_edges_m(plant, hall), 6.0), ([y0_m, y1_m], 14.5)):
        across = [floor.y(y_m) for y_m in places]
        drawn.dimension(across, np.diff(places).tolist(), floor.left - out, upright=True)
    for places, out in ((row_ends_m(plant, hall), 7.5), ([x0_m, x1_m], 14.5)):
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


def _legend(plant: Plant, hall: int, told: Collection[str]) -> tuple[str, ...]:
    """Return what the legend says of a hall; `told`: all words of its plan."""
    rows, racks, loops = plant.rows, plant.racks, plant.loops
    row_mask = rows.present & (rows.hall == hall)
    labels = [f"{rows.labels[row]}: {rows.ids[row]}" for row in np.flatnonzero(row_mask).tolist()]
    rack_mask = racks.present & (racks.hall == hall)
    numbers = {racks.ids[slot].rpartition("/")[2] for slot in np.flatnonzero(rack_mask).tolist()}
    words = "; ".join(labels[:6]) + ("; ..." if len(labels) > 6 else "")
    building = plant.halls.buildings[hall]
    grid = "lines through columns" if building.columns else f"the grid of {TILE_M * 1e3:.0f} mm floor tiles"
    count = counted(int(rack_mask.sum()), "rack")
    found = [
        f"Dimensions in millimetres. {count} in {counted(int(row_mask.sum()), 'row')}. {words}",
        f"Wide edge of a rack: its front. Dashed: contained aisles, and {grid}.",
    ]
    if not numbers <= set(told):
        found.append("Racks of a row are numbered from 0 on, from left to right.")
    machine_loops = np.unique(plant.machines.loop)
    ids = [loops.ids[loop] for loop in machine_loops if loops.hall[loop] == hall and loops.present[loop]]
    if ids and not any(_loop_of(text) in ids for text in told):
        found.append(f"Numbers of machines: those of their loops, {_number_of(ids[0])} for {ids[0]}.")
    if building is not NO_BUILDING:
        found.append(building_words(plant, hall))
    return tuple(found)
