"""Dimensions that stick to things: what lies between two ends, whatever becomes of where they stand. No GL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.view3d.base.bounds import Box
from twin.view3d.base.edit_shapes import GuideLine, Place, Tone

AXES = "xyz"
MOST_DIMENSIONS = 200
"""Dimensions that a scene keeps at most."""
_SAME_M = 5e-4
_CENTIMETRES = 2
PartBox = Callable[[str, int], Box | None]
"""Returns the box of a part of a thing by its id; None where it does not stand."""


@dataclass(frozen=True)
class DimensionEnd:
    """One end of a dimension.

    Parameters
    ----------
    id
        The thing it sticks to; "" is a point of the hall.
    part
        Which machine of a thing that stands in several.
    at
        Of a thing: a point of it, as shares of its box along x, y and z; None: whichever face is nearest.
        Without a thing: the place [m].
    """

    id: str = ""
    part: int = 0
    at: Place | None = None


@dataclass(frozen=True)
class HallDimension:
    """A distance between two ends.

    Parameters
    ----------
    start, stop
        Its ends; the same thing twice is its own size.
    along
        The axes that count: "x" is a distance along x, "xy" the straight one on the floor, "xyz" that in space.
    """

    start: DimensionEnd
    stop: DimensionEnd
    along: str


@dataclass(frozen=True)
class MeasuredDimension:
    """Where a dimension lies: its line, the way from its ends to the line, its length [m]."""

    start: Place
    stop: Place
    ways: tuple[tuple[Place, Place], ...]
    length_m: float


def measure(dimension: HallDimension, box_of: PartBox) -> MeasuredDimension | None:
    """Return where a dimension lies now; None where an end stands nowhere."""
    start, stop = _room_of(dimension.start, box_of), _room_of(dimension.stop, box_of)
    if start is None or stop is None:
        return None
    from_m, to_m, line_from, line_to = (np.zeros(3) for _ in range(4))
    own = dimension.start == dimension.stop and dimension.start.at is None
    for axis, name in enumerate(AXES):
        low, high = max(start[0][axis], stop[0][axis]), min(start[1][axis], stop[1][axis])
        counts = name in dimension.along
        if counts and own:
            from_m[axis], to_m[axis] = start[0][axis], start[1][axis]
        elif own and name == "z":  # over it, where it is seen
            from_m[axis] = to_m[axis] = start[1][axis]
        elif low <= high:  # they stand beside each other there: nothing lies between them
            from_m[axis] = to_m[axis] = (low + high) / 2
        elif counts:
            below = start[1][axis] < stop[0][axis]
            from_m[axis], to_m[axis] = (
                (start[1][axis], stop[0][axis]) if below else (start[0][axis], stop[1][axis])
            )
        else:
            from_m[axis] = (start[0][axis] + start[1][axis]) / 2
            to_m[axis] = (stop[0][axis] + stop[1][axis]) / 2
        line_from[axis], line_to[axis] = (from_m[axis], to_m[axis]) if counts else (to_m[axis], to_m[axis])
    ways = [(_place(from_m), _place(line_from))] if np.abs(from_m - line_from).max() > _SAME_M else []
    return MeasuredDimension(
        _place(line_from), _place(line_to), tuple(ways), float(np.linalg.norm(line_to - line_from))
    )


def ways_to_measure(start: DimensionEnd, stop: DimensionEnd, plane: str, box_of: PartBox) -> list[str]:
    """Return along which axes two ends can be measured, the likeliest first.

    Parameters
    ----------
    plane
        The axes that are seen: two of a drawing, else all.
    """
    lengths = {}
    for way in (*plane, plane) if len(plane) > 1 else (plane,):
        found = measure(HallDimension(start, stop, way), box_of)
        if found is not None and found.length_m > _SAME_M:
            lengths[way] = found.length_m
    single = sorted((way for way in lengths if len(way) == 1), key=lambda way: -lengths[way])
    straight = [way for way in lengths if len(way) > 1 and len(single) > 1]
    if start == stop and start.at is None:
        return [way for way in plane if way in single]
    between_points = start.at is not None and stop.at is not None
    return [*straight, *single] if between_points else [*single, *straight]


def length_words(length_m: float) -> str:
    """Return a length in metres, to the millimetre where it is not one of centimetres.

    >>> length_words(1.2), length_words(0.6125)
    ('1.20 m', '0.613 m')
    """
    places = _CENTIMETRES if abs(length_m - round(length_m, _CENTIMETRES)) < _SAME_M / 5 else _CENTIMETRES + 1
    return f"{length_m:,.{places}f} m"


def dimension_lines(dimension: HallDimension, box_of: PartBox, tone: Tone) -> list[GuideLine]:
    """Return the lines of a dimension as they are drawn, the measured one first; none where it stands nowhere."""
    found = measure(dimension, box_of)
    if found is None:
        return []
    line = GuideLine(found.start, found.stop, tone, length_words(found.length_m))
    return [line, *(GuideLine(*way, tone) for way in found.ways)]


def _room_of(end: DimensionEnd, box_of: PartBox) -> tuple[Floats, Floats] | None:
    """Return the corners of what an end is measured from; a point has both alike."""
    if not end.id:
        point = np.array(end.at, float)
        return (point, point) if end.at is not None else None
    box = box_of(end.id, end.part)
    if box is None or end.at is None:
        return box
    point = box[0] + (box[1] - box[0]) * np.array(end.at)
    return point, point


def _place(point: Floats) -> Place:
    return float(point[0]), float(point[1]), float(point[2])
