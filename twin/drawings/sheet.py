"""One sheet of a drawing: strokes and words on paper, in millimetres from its top left corner. Nothing is drawn here.

Line widths are those of ISO 128, heights of letters those of ISO 3098: none is lower than 1.8 mm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Literal

import numpy as np

from twin.arrays import Bools, Floats
from twin.scenario.formats.underlay_file import Picture

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom [mm]."""
Anchor = Literal["left", "middle", "right"]
Mark = Literal["", "added", "gone", "moved", "changed"]

FINE_MM, THIN_MM, MEDIUM_MM, WIDE_MM = 0.13, 0.18, 0.35, 0.7
SMALL_MM, TEXT_MM, TITLE_MM = 1.8, 2.5, 3.5
"""Heights of capitals."""
_LETTER = 0.74
_LETTERS = {
    **dict.fromkeys("iIjl.,:;'|!()[]/ ", 0.38),
    **dict.fromkeys("ftr-", 0.5),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ+<>=#w", 0.82),
    **dict.fromkeys("MWm%@", 1.14),
}
"""Width of letters over the height of capitals, in the narrow setting of drawings; wider fonts are set closer."""
_BOLD = 1.1
_CLOSEST = 0.85
"""What a text may be set closer to at most; a longer one is cut."""
LINE = 1.6
"""From line to line, in heights of capitals."""
TICK_MM = 1.5


@dataclass(frozen=True)
class Stroke:
    """A line through points, or an outline.

    Parameters
    ----------
    points
        At least two.
    wide_mm
        Width of the line; 0: none, only the inside.
    closed
        It goes back to its first point.
    dashed
        It stands for something above, or planned.
    grey
        Its inside from 0 (white) to 1 (black), None empty.
    mark
        What it says of a change, "" nothing: it has the colour of that.
    """

    points: tuple[Point, ...]
    wide_mm: float = THIN_MM
    closed: bool = False
    dashed: bool = False
    grey: float | None = None
    mark: Mark = ""

    @property
    def bent(self) -> bool:
        """Return whether it is an arc or another line with bends."""
        return not self.closed and len(self.points) > 2

    @property
    def lines(self) -> list[tuple[float, float, float, float]]:
        """Return its straight pieces: x and y of both ends [mm]."""
        points = (*self.points, *self.points[:1]) if self.closed else self.points
        return [(*a, *b) for a, b in pairwise(points)]

    @property
    def box(self) -> Box:
        """Return left, top, right, bottom [mm]."""
        x, y = zip(*self.points, strict=True)
        return min(x), min(y), max(x), max(y)


@dataclass(frozen=True)
class SheetText:
    """One line of text.

    Parameters
    ----------
    text
        What it says.
    at
        Foot of its letters, at the anchor.
    high_mm
        Height of its capitals.
    anchor
        Where along the text `at` is.
    upright
        It reads from bottom to top.
    bold
        Heavier letters.
    most_mm
        It is set closer where it would be longer; inf: never.
    """

    text: str
    at: Point
    high_mm: float = TEXT_MM
    anchor: Anchor = "left"
    upright: bool = False
    bold: bool = False
    most_mm: float = math.inf

    @property
    def long_mm(self) -> float:
        """Return its length as it is reckoned with [mm]."""
        return min(text_mm(self.text, self.high_mm, bold=self.bold), self.most_mm)

    @property
    def box(self) -> Box:
        """Return left, top, right, bottom [mm]."""
        before = {"left": 0.0, "middle": 0.5, "right": 1.0}[self.anchor] * self.long_mm
        x, y = self.at
        if self.upright:
            return (x - self.high_mm, y + before - self.long_mm, x, y + before)
        return (x - before, y - self.high_mm, x - before + self.long_mm, y)


@dataclass(frozen=True)
class Area:
    """A rectangle on paper [mm]."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def wide(self) -> float:
        """Return its width [mm]."""
        return self.right - self.left

    @property
    def high(self) -> float:
        """Return its height [mm]."""
        return self.bottom - self.top

    def shrunk(self, left: float, top: float, right: float, bottom: float) -> Area:
        """Return what is left within margins [mm]."""
        return Area(self.left + left, self.top + top, self.right - right, self.bottom - bottom)


@dataclass(frozen=True)
class SheetPicture:
    """A picture that lies below all strokes.

    Parameters
    ----------
    picture
        As its file holds it.
    area
        Where.
    part
        What of it is there: as shares of its width and height.
    dark
        From 0, not to be seen, to 1, as it is.
    """

    picture: Picture
    area: Area
    part: Area
    dark: float


@dataclass
class SheetContents:
    """What has been drawn on a sheet so far."""

    strokes: list[Stroke] = field(default_factory=list)
    words: list[SheetText] = field(default_factory=list)
    pictures: list[SheetPicture] = field(default_factory=list)

    def picture(self, below: SheetPicture) -> None:
        """Draw a picture below all strokes."""
        self.pictures.append(below)

    def line(self, *points: Point, wide_mm: float = THIN_MM, dashed: bool = False, mark: Mark = "") -> None:
        """Draw a line through points."""
        self.strokes.append(Stroke(points, wide_mm, dashed=dashed, mark=mark))

    def box(
        self,
        area: Area,
        wide_mm: float = THIN_MM,
        *,
        dashed: bool = False,
        grey: float | None = None,
        mark: Mark = "",
    ) -> None:
        """Draw a rectangle."""
        corners = (
            (area.left, area.top),
            (area.right, area.top),
            (area.right, area.bottom),
            (area.left, area.bottom),
        )
        self.outline(corners, wide_mm, dashed=dashed, grey=grey, mark=mark)

    def outline(
        self,
        corners: tuple[Point, ...],
        wide_mm: float = THIN_MM,
        *,
        dashed: bool = False,
        grey: float | None = None,
        mark: Mark = "",
    ) -> None:
        """Draw a closed line through corners."""
        self.strokes.append(Stroke(corners, wide_mm, closed=True, dashed=dashed, grey=grey, mark=mark))

    def circle(self, centre: Point, radius_mm: float, wide_mm: float = MEDIUM_MM) -> None:
        """Draw a circle, of 36 sides."""
        turns = [2.0 * math.pi * part / 36 for part in range(36)]
        points = tuple(
            (centre[0] + radius_mm * math.cos(turn), centre[1] + radius_mm * math.sin(turn)) for turn in turns
        )
        self.strokes.append(Stroke(points, wide_mm, closed=True))

    def write(
        self,
        text: str,
        at: Point,
        high_mm: float = TEXT_MM,
        anchor: Anchor = "left",
        *,
        upright: bool = False,
        bold: bool = False,
        most_mm: float = math.inf,
        clear: bool = False,
    ) -> None:
        """Write a line of text, nothing where there is none; `clear` of the lines that it stands on.

        A text that is far too long for its room ends in an ellipsis.
        """
        if text:
            text = _cut(text, high_mm, most_mm, bold=bold)
            self.put(SheetText(text, at, high_mm, anchor, upright, bold, most_mm), clear=clear)

    def put(self, words: SheetText, *, clear: bool = False) -> None:
        """Write a text as it is, `clear` of the lines that it stands on."""
        if clear:
            self.strokes.append(_cleared(words.box))
        self.words.append(words)

    def free(self, tried: Iterable[SheetText], *, of_lines: bool = False) -> SheetText | None:
        """Return the first text that stands on no other, on no arc and no bent line; `of_lines`: on nothing solid."""
        solid = [s for s in self.strokes if not s.dashed and (of_lines or s.bent)]
        lines = np.array([line for stroke in solid for line in stroke.lines]).reshape(-1, 4)
        filled = np.array([s.box for s in solid if s.grey is not None]).reshape(-1, 4)
        written = np.array([words.box for words in self.words]).reshape(-1, 4)
        for words in tried:
            box = words.box
            if not (_meet(written, box).any() or _over(filled, box).any() or crossed(lines, box)):
                return words
        return None

    def write_lines(
        self,
        lines: Iterable[str],
        at: Point,
        high_mm: float = SMALL_MM,
        anchor: Anchor = "left",
        *,
        most_mm: float = math.inf,
    ) -> float:
        """Write lines below one another, the first with its foot at `at`; return the foot of the next one [mm]."""
        y = at[1]
        for text in lines:
            self.write(text, (at[0], y), high_mm, anchor, most_mm=most_mm)
            y += LINE * high_mm
        return y

    def dimension(
        self, places_mm: Sequence[float], lengths_m: Sequence[float], at_mm: float, *, upright: bool
    ) -> None:
        """Draw a chain of dimensions: a line with a slash at each place, the length between each two in millimetres.

        Parameters
        ----------
        places_mm
            Along the chain, ascending or descending on paper [mm].
        lengths_m
            Between each two of them, of the real thing [m].
        at_mm
            Where the chain lies: y of a level one, x of an upright one [mm].
        upright
            Along y; its numbers read from bottom to top.
        """

        def point(along: float, across: float) -> Point:
            return (across, along) if upright else (along, across)

        if len(places_mm) < 2:
            return
        self.line(point(places_mm[0], at_mm), point(places_mm[-1], at_mm), wide_mm=THIN_MM)
        for place in places_mm:
            half = TICK_MM / 2
            self.line(point(place, at_mm - TICK_MM), point(place, at_mm + TICK_MM), wide_mm=FINE_MM)
            self.line(
                (point(place, at_mm)[0] - half, point(place, at_mm)[1] + half),
                (point(place, at_mm)[0] + half, point(place, at_mm)[1] - half),
                wide_mm=MEDIUM_MM,
            )
        pieces = [
            (millimetres(length_m), (start + stop) / 2, abs(stop - start) - 0.6)
            for (start, stop), length_m in zip(pairwise(places_mm), lengths_m, strict=True)
        ]
        high = fitting((text, room) for text, _, room in pieces)
        for text, middle, room in pieces:
            if text_mm(text, high) * _CLOSEST <= room:
                self.write(text, point(middle, at_mm - 0.8), high, "middle", upright=upright, most_mm=room)
            elif high <= room + 1e-6:  # across the chain, away from what is measured or towards it
                foot = point(middle + high / 2, at_mm - 0.8)
                self.write(text, foot, high, "right" if upright else "left", upright=not upright)

    def aslant_dimension(self, start: Point, stop: Point, length_m: float) -> None:
        """Draw a single dimension between two points in any direction, its length level beside its middle."""
        self.line(start, stop, wide_mm=THIN_MM)
        half = TICK_MM / 2
        for x, y in (start, stop):
            self.line((x - half, y + half), (x + half, y - half), wide_mm=MEDIUM_MM)
        steep = abs(stop[1] - start[1]) > abs(stop[0] - start[0])
        upright = steep and abs(stop[0] - start[0]) < half
        anchor: Anchor = "left" if steep and not upright else "middle"
        text = millimetres(length_m)
        tried = []
        for away, share in product((0.8, 2.0, 3.2, -2.6, -3.8), (0.5, 0.35, 0.65, 0.2, 0.8)):
            aside = (-away, 0.0) if upright else (half, SMALL_MM / 2) if steep else (0.0, -away)
            at = tuple(a + share * (b - a) + c for a, b, c in zip(start, stop, aside, strict=True))
            tried.append(SheetText(text, (at[0], at[1]), SMALL_MM, anchor, upright))
        self.put(self.free(tried) or tried[0], clear=True)


def _meet(boxes: Floats, box: Box) -> Bools:
    """Return which texts would be read as one with another, or lie on it."""
    apart_mm = SMALL_MM / 2
    return _over(boxes, (box[0] - apart_mm, box[1] - 0.2, box[2] + apart_mm, box[3] + 0.2))


def _over(boxes: Floats, box: Box) -> Bools:
    level = (boxes[:, 0] < box[2]) & (box[0] < boxes[:, 2])
    return np.asarray(level & (boxes[:, 1] < box[3]) & (box[1] < boxes[:, 3]), np.bool_)


def crossed(lines: Floats, box: Box) -> bool:
    """Return whether any straight line, x and y of its ends (n, 4), goes through a box [mm]."""
    start, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = ((np.array(corner) - start) / way for corner in (box[:2], box[2:]))
    level = way == 0.0  # along one axis: within the box all the way, or nowhere
    within = (start > box[:2]) & (start < box[2:])
    near = np.where(level, np.where(within, -np.inf, np.inf), np.minimum(first, second)).max(
        axis=1, initial=0.0
    )
    far = np.where(level, np.inf, np.maximum(first, second)).min(axis=1, initial=1.0)
    return bool((near < far).any())


def _cleared(box: Box) -> Stroke:
    left, top, right, bottom = box
    corners = ((left, top - 0.4), (right, top - 0.4), (right, bottom + 0.4), (left, bottom + 0.4))
    return Stroke(corners, 0.0, closed=True, grey=0.0)


def _cut(text: str, high_mm: float, most_mm: float, *, bold: bool) -> str:
    """Return a text that can be set close enough for its room, cut where it cannot."""
    if text_mm(text, high_mm, bold=bold) * _CLOSEST <= most_mm:
        return text
    end = "\N{HORIZONTAL ELLIPSIS}"
    fits = (text_mm(text[:count] + end, high_mm, bold=bold) <= most_mm for count in range(len(text)))
    return text[: max(1, sum(fits) - 1)].rstrip() + end


def fitting(texts: Iterable[tuple[str, float]], heights: Sequence[float] = (TEXT_MM, SMALL_MM)) -> float:
    """Return the greatest height of letters at which all texts fit into their room, else the least [mm]."""
    rooms = list(texts)
    fits = (high for high in heights if all(text_mm(text, high) <= room for text, room in rooms))
    return next(fits, heights[-1])


def wrapped(text: str, high_mm: float, wide_mm: float) -> list[str]:
    """Return a text broken into lines that fit a width [mm]; a word that is longer is broken too."""
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if text_mm(joined, high_mm) <= wide_mm:
            lines[-1:] = [joined]
            continue
        rest = word
        while text_mm(rest, high_mm) > wide_mm and len(rest) > 1:
            count = next(
                n for n in range(len(rest), 0, -1) if n == 1 or text_mm(rest[:n], high_mm) <= wide_mm
            )
            lines.append(rest[:count])
            rest = rest[count:]
        lines.append(rest)
    return lines or [""]


def text_mm(text: str, high_mm: float, *, bold: bool = False) -> float:
    """Return the length that a text is reckoned with [mm]."""
    return sum(_LETTERS.get(letter, _LETTER) for letter in text) * high_mm * (_BOLD if bold else 1.0)


def millimetres(length_m: float) -> str:
    """Return a length as drawings of buildings have it: 1,200.

    >>> millimetres(1.2), millimetres(0.6000001)
    ('1,200', '600')
    """
    return f"{1e3 * length_m:,.0f}"
