"""Snapping an item that is moved over the floor to tiles, rows and neighbours; overlaps and clearances there.

Pure geometry on the footprints of a plant, in the coordinates of the site. A thing is a shape of one or more
footprints that keep their places to one another; the first of them is the one that snaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints32
from twin.commands.place.floor_plan import TOUCH_M, FloorPlan, MovedShape, Point
from twin.commands.place.snap_building import against_building
from twin.language import tr
from twin.plant.cabinet import FRONT_M, REAR_M, WANTED_FRONT_M, WANTED_REAR_M
from twin.plant.halls import TILE_M

REACH_M = 0.3
"""A line or neighbour draws a thing to it from so far; tiles from anywhere."""
GAP_SHOWN_M = 6.0
"""Distances up to here are told."""
OUTSIDE_M = 12.0
"""A thing this far out of a hall is no longer of it; nearer, the floor of the hall grows round it."""
_EVEN_M = 1e-6


@dataclass(frozen=True)
class LandingPlace:
    """Place of the anchor (site [m]), its hall, and the slot of the row whose line it joins; -1: none."""

    x_m: float
    y_m: float
    hall: int
    row: int = -1


@dataclass(frozen=True)
class Guide:
    """A line on the floor that shows an alignment, or the distance to a neighbour."""

    kind: Literal["line", "gap"]
    start: Point
    stop: Point
    text: str = ""


@dataclass(frozen=True)
class PlacementProblem:
    """A problem of a place: a `hard` one forbids it, others are for information."""

    sentence: str
    ids: tuple[str, ...] = ()
    hard: bool = True


@dataclass(frozen=True)
class Snap:
    """The place where an item lands, its guide lines, and its problems."""

    place: LandingPlace
    guides: tuple[Guide, ...] = ()
    problems: tuple[PlacementProblem, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether the item can be put there."""
        return not any(problem.hard for problem in self.problems)

    @property
    def reason(self) -> str:
        """Return the worst problem; "" without any."""
        worst = sorted(self.problems, key=lambda problem: not problem.hard)
        return worst[0].sentence if worst else ""


def snap(
    floor: FloorPlan,
    shape: MovedShape,
    x_m: float,
    y_m: float,
    *,
    free: bool = False,
    keep_x_m: float | None = None,
    keep_y_m: float | None = None,
    subject: str = "it",
) -> Snap:
    """Return the place where a shape lands whose anchor is wanted at (x, y).

    Parameters
    ----------
    floor
        Footprints on the floor, without the moved item.
    free
        Keep the wanted place: no tile and no neighbour attracts it.
    keep_x_m, keep_y_m
        The anchor moves along the other axis only, and keeps this one.
    subject
        Its name in sentences.
    """
    row, lines = -1, list[Guide]()
    x_m, y_m = (x_m if keep_x_m is None else keep_x_m), (y_m if keep_y_m is None else keep_y_m)
    if not free:
        drawn, row, line = _row_line(floor, shape, x_m, y_m)
        if row < 0:  # a tile may lie where a row draws
            drawn, row, line = _row_line(floor, shape, x_m, drawn)
        if keep_y_m is None:
            y_m = drawn
        elif abs(drawn - keep_y_m) > _EVEN_M:
            row, line = -1, ()
        lines += line
        if keep_x_m is None:
            x_m, line = _along(floor, shape, x_m, y_m, row)
            lines += line
    hall = floor.hall_at(x_m, y_m)
    moved = _Moved(shape, x_m, y_m)
    problems = [*_collisions(floor, moved, subject), *_walls(floor, moved, hall, subject)]
    problems += [
        PlacementProblem(tr("{subject} would {clause}", subject=subject, clause=clause))
        for clause in against_building(floor, shape, moved, hall)
    ]
    problems += _clearances(floor, moved, subject) if not problems else []
    lines = [_stretched(guide, moved) for guide in lines]
    return Snap(LandingPlace(x_m, y_m, hall, row), (*lines, *_gaps(floor, moved)), tuple(problems))


# --- what draws a thing to it


def _row_line(
    floor: FloorPlan, shape: MovedShape, x_m: float, y_m: float
) -> tuple[float, int, tuple[Guide, ...]]:
    """Return y on the line of a row near by, else by tiles; the row; and the line."""
    racks = np.flatnonzero(floor.row >= 0)
    away = np.abs(floor.y_m[racks] - y_m)
    near = racks[away <= REACH_M]
    if len(near) and shape.facing[0] != 0:
        # Of rows in one line the one whose end is nearest: its pitch goes on.
        best = near[np.lexsort((np.abs(floor.x_m[near] - x_m), np.abs(floor.y_m[near] - y_m).round(3)))[0]]
        line_m, row = float(floor.y_m[best]), int(floor.row[best])
        in_row = floor.row == row
        ends = (
            float((floor.x_m - floor.width_m / 2)[in_row].min()),
            float((floor.x_m + floor.width_m / 2)[in_row].max()),
        )
        return line_m, row, (Guide("line", (ends[0], line_m), (ends[1], line_m)),)
    landed_m, line = _aligned(floor, shape, x_m, y_m, axis=1)
    return landed_m, -1, line


def _along(
    floor: FloorPlan, shape: MovedShape, x_m: float, y_m: float, row: int
) -> tuple[float, tuple[Guide, ...]]:
    """Return x at the pitch of the row, beside a neighbour of another width, aligned with other racks, or by tiles."""
    width_m = float(shape.width_m[0])
    if row >= 0:
        neighbours = np.flatnonzero((floor.row == row) & (np.abs(floor.y_m - y_m) < TOUCH_M))
        if len(neighbours):
            return _in_row(floor, neighbours, x_m, width_m), ()
    return _aligned(floor, shape, x_m, y_m, axis=0)


def _in_row(floor: FloorPlan, neighbours: NDArray[np.int64], x_m: float, width_m: float) -> float:
    next_to = neighbours[np.abs(floor.x_m[neighbours] - x_m).argmin()]
    at_m, neighbour_m = float(floor.x_m[next_to]), float(floor.width_m[next_to])
    steps = np.diff(np.unique(floor.x_m[neighbours].round(6)))
    pitch_m = float(steps.min()) if len(steps) else max(neighbour_m, TILE_M)
    touching_m = (width_m + neighbour_m) / 2
    if touching_m > pitch_m + TOUCH_M or width_m < neighbour_m - TOUCH_M:  # of another width: side by side
        side = 1.0 if x_m > at_m else -1.0
        if abs(abs(x_m - at_m) - touching_m) <= max(REACH_M, touching_m / 2):
            return at_m + side * touching_m
    return at_m + round((x_m - at_m) / pitch_m) * pitch_m


def _aligned(
    floor: FloorPlan, shape: MovedShape, x_m: float, y_m: float, axis: int
) -> tuple[float, tuple[Guide, ...]]:
    """Return the nearest place along an axis: edges on the joint of two tiles, or centre or edge where another has its.

    Return the line through both as well, if there is one.
    """
    wished_m, across = (x_m, y_m) if axis == 0 else (y_m, x_m)
    middles, middles_across = (floor.x_m, floor.y_m) if axis == 0 else (floor.y_m, floor.x_m)
    sizes = floor.width_m if axis == 0 else floor.depth_m
    half = float((shape.width_m if axis == 0 else shape.depth_m)[0]) / 2
    tile_m = _on_tile(wished_m, 2 * half)
    wishes = np.concatenate([middles, middles - sizes / 2 + half, middles + sizes / 2 - half])
    lines = np.concatenate([middles, middles - sizes / 2, middles + sizes / 2])
    away = np.abs(wishes - wished_m)
    if not len(away) or away.min() > abs(tile_m - wished_m) + _EVEN_M:
        return tile_m, ()
    along = np.abs(np.tile(middles_across, 3) - across)
    best = int(np.lexsort((along, away.round(3)))[0])
    line_m, other_m = float(lines[best]), float(np.tile(middles_across, 3)[best])
    start, stop = (
        ((line_m, other_m), (line_m, across)) if axis == 0 else ((other_m, line_m), (across, line_m))
    )
    return float(wishes[best]), (Guide("line", start, stop),)


def _on_tile(middle_m: float, size_m: float) -> float:
    """Return the centre whose low edge lies on the joint of two tiles."""
    return round((middle_m - size_m / 2) / TILE_M) * TILE_M + size_m / 2


# --- what speaks against a place


class _Moved:
    """The footprints of a shape at a place."""

    def __init__(self, shape: MovedShape, x_m: float, y_m: float) -> None:
        self.x_m, self.y_m = shape.dx_m + x_m, shape.dy_m + y_m
        half = np.stack([shape.width_m, shape.depth_m], axis=1) / 2
        middle = np.stack([self.x_m, self.y_m], axis=1)
        self.low, self.high, self.facing = middle - half, middle + half, shape.facing


def _shares(
    low: Floats, high: Floats, other_low: Floats, other_high: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of rectangles (of the one list, of the other) that share more than a touch."""
    least = np.minimum(high[:, None], other_high[None]) - np.maximum(low[:, None], other_low[None])
    first, second = np.nonzero((least > TOUCH_M).all(axis=2))
    return first, second


def _collisions(floor: FloorPlan, moved: _Moved, subject: str) -> list[PlacementProblem]:
    _, struck = _shares(moved.low, moved.high, floor.low_m, floor.high_m)
    hit = list(dict.fromkeys(floor.ids[k] for k in struck.tolist()))
    if not hit:
        return []
    more = tr(" and {hit_count} more", hit_count=len(hit) - 1) if len(hit) > 1 else ""
    return [
        PlacementProblem(
            tr("{subject} would overlap {hit}{more}", subject=subject, hit=hit[0], more=more), tuple(hit)
        )
    ]


def _walls(floor: FloorPlan, moved: _Moved, hall: int, subject: str) -> list[PlacementProblem]:
    low, high = moved.low.min(axis=0), moved.high.max(axis=0)
    other_halls = np.arange(len(floor.halls_m)) != hall
    crossing, crossed = _shares(
        low[None], high[None], floor.halls_m[other_halls, :2], floor.halls_m[other_halls, 2:]
    )
    if len(crossing):
        name = floor.hall_names[int(np.flatnonzero(other_halls)[crossed[0]])]
        return [PlacementProblem(tr("{subject} would cross the wall of {name}", subject=subject, name=name))]
    x0, y0, x1, y1 = floor.halls_m[hall]
    out = max(x0 - low[0], y0 - low[1], high[0] - x1, high[1] - y1)
    if out > OUTSIDE_M:
        return [
            PlacementProblem(
                tr(
                    "{subject} would be {out:.1f} m outside {hall_names}",
                    subject=subject,
                    out=out,
                    hall_names=floor.hall_names[hall],
                )
            )
        ]
    return []


def _clearances(floor: FloorPlan, moved: _Moved, subject: str) -> list[PlacementProblem]:
    """Return clearances that are too small, before and behind the item and its neighbours."""
    found: list[tuple[float, PlacementProblem]] = []
    fixed = floor.facing != 0
    standing = floor.low_m, floor.high_m
    fronted = moved.facing != 0
    for least_m, wanted_m, side in ((FRONT_M, WANTED_FRONT_M, 1), (REAR_M, WANTED_REAR_M, -1)):
        low, high = _zone(moved.low[fronted], moved.high[fronted], moved.facing[fronted] * side, wanted_m)
        moved_slot, standing_slot = _shares(low, high, *standing)
        for k, n in zip(moved_slot.tolist(), standing_slot.tolist(), strict=True):
            free_m = _between(moved.low[fronted][k], moved.high[fronted][k], standing[0][n], standing[1][n])
            found.append((free_m, _tight(free_m, subject, floor.ids[n], least_m, wanted_m)))
        low, high = _zone(standing[0][fixed], standing[1][fixed], floor.facing[fixed] * side, wanted_m)
        moved_slot, standing_slot = _shares(moved.low, moved.high, low, high)
        for k, n in zip(moved_slot.tolist(), np.flatnonzero(fixed)[standing_slot].tolist(), strict=True):
            free_m = _between(moved.low[k], moved.high[k], standing[0][n], standing[1][n])
            found.append((free_m, _tight(free_m, subject, floor.ids[n], least_m, wanted_m)))
    found.sort(key=lambda entry: entry[0])
    return [problem for _, problem in found[:4]]


def _tight(free_m: float, subject: str, neighbour: str, least_m: float, wanted_m: float) -> PlacementProblem:
    least = tr("{least_m:g} m minimum, ", least_m=least_m) if free_m < least_m - TOUCH_M else ""
    sentence = tr(
        "{free_m:.2f} m clear between {subject} and {neighbour}; {least}{wanted_m:g} m recommended",
        free_m=free_m,
        subject=subject,
        neighbour=neighbour,
        least=least,
        wanted_m=wanted_m,
    )
    return PlacementProblem(sentence, (neighbour,), hard=False)


def _zone(low: Floats, high: Floats, ahead: Ints32, deep_m: float) -> tuple[Floats, Floats]:
    """Return the rectangles before footprints, on the side `ahead` of y."""
    up = ahead > 0
    near_low = np.where(up, high[:, 1], low[:, 1] - deep_m)
    return np.stack([low[:, 0], near_low], axis=1), np.stack([high[:, 0], near_low + deep_m], axis=1)


def zones(
    floor_low: Point, floor_high: Point, facing: int
) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Return the rectangles to be kept clear before and behind a footprint that has a front."""
    low, high = np.array([floor_low]), np.array([floor_high])
    out = []
    for side, deep_m in ((1, WANTED_FRONT_M), (-1, WANTED_REAR_M)):
        a, b = _zone(low, high, np.array([facing * side], np.int32), deep_m)
        out.append(((float(a[0, 0]), float(a[0, 1])), (float(b[0, 0]), float(b[0, 1]))))
    return out[0], out[1]


def _between(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> float:
    """Return how far two rectangles are apart across the rows [m]."""
    return float(max(0.0, other_low[1] - high[1], low[1] - other_high[1]))


# --- lines


def _stretched(guide: Guide, moved: _Moved) -> Guide:
    """Return a line extended through the item."""
    low, high = moved.low[0], moved.high[0]
    (x0, y0), (x1, y1) = guide.start, guide.stop
    if abs(y0 - y1) < _EVEN_M:
        x0, x1 = min(x0, x1, float(low[0])), max(x0, x1, float(high[0]))
        return replace(guide, start=(x0 - TILE_M, y0), stop=(x1 + TILE_M, y1))
    y0, y1 = min(y0, y1, float(low[1])), max(y0, y1, float(high[1]))
    return replace(guide, start=(x0, y0 - TILE_M), stop=(x1, y1 + TILE_M))


def _gaps(floor: FloorPlan, moved: _Moved) -> list[Guide]:
    """Return the distances to the nearest neighbour on each side of the whole shape."""
    low, high = moved.low.min(axis=0), moved.high.max(axis=0)
    out: list[Guide] = []
    for axis in (0, 1):
        across = 1 - axis
        shared = np.minimum(floor.high_m[:, across], high[across]) - np.maximum(
            floor.low_m[:, across], low[across]
        )
        beside: Bools = shared > TOUCH_M
        for side in (-1, 1):
            edge, edges_beside = (
                (low[axis], floor.high_m[:, axis]) if side < 0 else (high[axis], floor.low_m[:, axis])
            )
            gap = np.where(beside, (edges_beside - edge) * side, np.inf)
            gap[gap < -TOUCH_M] = np.inf
            if not len(gap) or not TOUCH_M < gap.min() <= GAP_SHOWN_M:
                continue
            k = int(gap.argmin())
            middle = (
                max(low[across], floor.low_m[k, across]) + min(high[across], floor.high_m[k, across])
            ) / 2
            ends = [(float(edge), float(middle)), (float(edges_beside[k]), float(middle))]
            start, stop = ((a, b) if axis == 0 else (b, a) for a, b in ends)
            out.append(Guide("gap", start, stop, f"{gap.min():.2f} m"))
    return out
