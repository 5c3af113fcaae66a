"""Where the boxes and lines of a diagram go, in pixels. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.app.diagrams.diagram import Box, Diagram, DiagramLine

BOX_PX, SMALL_PX, SMALL_STATE_PX = 50.0, 30.0, 50.0
"""Heights: of boxes, of small ones, of small ones that have a state to tell."""
WIDEST_PX, NARROWEST_PX, SCROLLED_PX = 210.0, 57.0, 104.0
"""Widths of boxes: the most, the least with which all are seen at once, and that of a picture that is scrolled."""
LANE_PX, THIN_LANE_PX, STATE_PX = 70.0, 52.0, 8.0
"""Width of the edge for small boxes: of those with words, of those that only count; more of both for a state."""
PIPE_APART_PX, PAIR_PX = 14.0, 112.0
"""Between the two pipes of a pair, and between pairs whose values have room beside each other."""
_MARGIN_PX, _BETWEEN_PX = 8.0, 8.0
_GAP_PX, _WIDE_GAP_PX, _PIPE_GAP_PX = 21.0, 46.0, 42.0
_STUB_PX, _CROWDED_PX = 7.0, 10.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """Return the middle across."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Return the lower edge."""
        return self.y + self.height

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point lies inside."""
        return self.x <= x <= self.x + self.width and self.y <= y <= self.bottom


@dataclass(frozen=True)
class Route:
    """Way of one line from its upper to its lower box, and where its value is written (left, middle).

    Of pipes that are `crowded` the two values have no room beside each other.
    """

    points: tuple[Point, ...]
    label: Point
    crowded: bool = False


@dataclass(frozen=True)
class DiagramPicture:
    """A diagram on pixels: size, the place of each box by key, the way of each line."""

    width: float
    height: float
    spots: dict[str, Rectangle]
    routes: tuple[Route, ...]


def lay_out(diagram: Diagram, width: float, height: float) -> DiagramPicture:
    """Return a diagram laid out for a surface, wider or higher than it where it does not fit."""
    left, right = (_lane(diagram, side) for side in (-1, 1))
    room = width - 2 * _MARGIN_PX - left - right
    pitch = room / diagram.columns
    if pitch < NARROWEST_PX + _BETWEEN_PX:
        pitch = SCROLLED_PX + _BETWEEN_PX
    pitch = min(pitch, WIDEST_PX + 6 * _BETWEEN_PX)
    box_px = min(pitch - _BETWEEN_PX, WIDEST_PX)
    used = pitch * diagram.columns
    whole = max(width, used + left + right + 2 * _MARGIN_PX)
    x0 = _MARGIN_PX + left + (whole - 2 * _MARGIN_PX - left - right - used) / 2
    crowded = diagram.columns > 1 and pitch < PAIR_PX
    tops, heights, bottom = _levels(diagram, height, crowded)
    spots: dict[str, Rectangle] = {}
    for box in diagram.boxes:
        if not box.side:
            middle = x0 + (box.place + 0.5) * pitch
            own_px = box_px
            if _is_alone(diagram, box):  # as wide as it can be about its middle
                own_px = min(2 * min(middle - x0, x0 + used - middle) - _BETWEEN_PX, WIDEST_PX)
            y = tops[box.level] + (heights[box.level] - BOX_PX) / 2
            spots[box.key] = Rectangle(middle - own_px / 2, y, own_px, BOX_PX)
    for level in range(len(tops)):
        for side, lane in ((-1, left), (1, right)):
            small = [box for box in diagram.boxes if box.level == level and box.side == side]
            # As near to the boxes of the level as these leave room, so that the lines stay short.
            edge = x0 - lane if side < 0 else x0 + used
            y = tops[level] + (heights[level] - _stacked_px(small) + 4) / 2
            for box in small:
                own_px = min(_lane_px(box), lane) - _BETWEEN_PX / 2 if box.symbol == "more" else lane - 4.0
                x = edge + (lane - _BETWEEN_PX / 2 - own_px) / 2
                spots[box.key] = Rectangle(x, y, own_px, _small_px(box))
                y += _small_px(box) + 4
    routes = [_route(diagram, line, spots, tops) for line in diagram.lines]
    if crowded:
        routes = [
            replace(route, crowded=True) if line.is_pair else route
            for line, route in zip(diagram.lines, routes, strict=True)
        ]
    return DiagramPicture(whole, bottom, spots, tuple(routes))


def _is_alone(diagram: Diagram, box: Box) -> bool:
    """Return whether a box has its level for itself."""
    return sum(beside.level == box.level and not beside.side for beside in diagram.boxes) == 1


def _lane(diagram: Diagram, side: int) -> float:
    small = [box for box in diagram.boxes if box.side == side]
    return max(map(_lane_px, small), default=0.0)


def _lane_px(box: Box) -> float:
    return (THIN_LANE_PX if box.symbol == "more" else LANE_PX) + (STATE_PX if box.state else 0.0)


def _small_px(box: Box) -> float:
    return SMALL_STATE_PX if box.state else SMALL_PX


def _stacked_px(small: list[Box]) -> float:
    """Return how high small boxes are below one another, with the room between them."""
    return sum(_small_px(box) + 4 for box in small)


def _levels(diagram: Diagram, height: float, crowded: bool) -> tuple[list[float], list[float], float]:
    """Return top and height of each level, and where the picture ends."""
    count = 1 + max((box.level for box in diagram.boxes), default=0)
    heights = []
    for level in range(count):
        small = max(
            _stacked_px([b for b in diagram.boxes if b.level == level and b.side == side]) for side in (-1, 1)
        )
        heights.append(max(BOX_PX, small - 4))
    pipes = any(line.is_pair for line in diagram.lines)
    pipe_gap_px = _PIPE_GAP_PX + (_CROWDED_PX if crowded else 0.0)
    least, most = (pipe_gap_px, pipe_gap_px + 14) if pipes else (_GAP_PX, _WIDE_GAP_PX)
    spare = height - 2 * _MARGIN_PX - sum(heights)
    gap = min(max(spare / max(count - 1, 1), least), most)
    tops, y = [], _MARGIN_PX
    for own in heights:
        tops.append(y)
        y += own + gap
    return tops, heights, y - gap + _MARGIN_PX


def _route(diagram: Diagram, line: DiagramLine, spots: dict[str, Rectangle], tops: list[float]) -> Route:
    above, below = spots[line.above], spots[line.below]
    by_key = {box.key: box for box in diagram.boxes}
    if by_key[line.above].level == by_key[line.below].level:
        return _beside(above, below, by_key[line.below])
    start, end = (above.centre, above.bottom), (below.centre, below.y)
    if line.is_pair:
        turn = above.bottom + 16.0
        label_y = below.y - 14.0
    else:
        before = _STUB_PX + 6.0 if by_key[line.below].side else _STUB_PX  # small boxes on a lane of their own
        turn = tops[by_key[line.below].level] - before if line.late else above.bottom + _STUB_PX
        label_y = min((turn + below.y) / 2, turn + 10.0) if not line.late else (above.bottom + turn) / 2
    x = start[0] if line.late else end[0]
    if abs(start[0] - end[0]) < 1.0:
        points: tuple[Point, ...] = (start, end)
    else:
        points = (start, (start[0], turn), (end[0], turn), end)
    return Route(points, (x + 6.0, label_y))


def _beside(above: Rectangle, below: Rectangle, small: Box) -> Route:
    """Return the way from a box to a small one of its level: to the line that leaves the box below it."""
    y = below.y + below.height / 2
    inner = below.x + below.width if small.side < 0 else below.x
    edge = above.x if small.side < 0 else above.x + above.width
    if above.y <= y <= above.bottom:
        return Route(((edge, y), (inner, y)), (min(edge, inner) + 2, y - 7))
    corner = above.centre
    return Route(
        ((corner, above.bottom if y > above.bottom else above.y), (corner, y), (inner, y)), (inner, y)
    )
