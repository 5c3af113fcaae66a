"""One sheet of a drawing: strokes and words on paper, in millimetres from its top left corner. Nothing is drawn here.

Line widths are those of ISO 128, heights of letters those of ISO 3098, times 0.7 where a plan is dense.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Literal

from twin.scenario.formats.underlay_file import Picture

Point = tuple[float, float]
Anchor = Literal["left", "middle", "right"]
Mark = Literal["", "added", "gone", "moved", "changed"]

FINE_MM, THIN_MM, MEDIUM_MM, WIDE_MM = 0.13, 0.18, 0.35, 0.7
SMALL_MM, TEXT_MM, TITLE_MM = 1.8, 2.5, 3.5
"""Heights of capitals."""
LETTER = 0.72
"""Width of a letter over the height of capitals, generously: text that is wider is set closer."""
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
        return min(text_mm(self.text, self.high_mm), self.most_mm)

    @property
    def box(self) -> tuple[float, float, float, float]:
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
        """Write a line of text, nothing where there is none; `clear` of the lines that it stands on."""
        if text:
            if clear:
                self.strokes.append(
                    _cleared(SheetText(text, at, high_mm, anchor, upright, bold, most_mm).box)
                )
            self.words.append(SheetText(text, at, high_mm, anchor, upright, bold, most_mm))

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
            if text_mm(text, high) <= room:
                self.write(text, point(middle, at_mm - 0.8), high, "middle", upright=upright)

    def aslant_dimension(self, start: Point, stop: Point, length_m: float) -> None:
        """Draw a single dimension between two points in any direction, its length level beside its middle."""
        self.line(start, stop, wide_mm=THIN_MM)
        half = TICK_MM / 2
        for x, y in (start, stop):
            self.line((x - half, y + half), (x + half, y - half), wide_mm=MEDIUM_MM)
        steep = abs(stop[1] - start[1]) > abs(stop[0] - start[0])
        upright = steep and abs(stop[0] - start[0]) < half
        anchor: Anchor = "left" if steep and not upright else "middle"
        text, long = millimetres(length_m), math.dist(start, stop)
        high = fitting([(text, long - 0.6)], (SMALL_MM, 1.3))
        tried = []
        for away, share in product((0.8, 2.0, 3.2, -2.6, -3.8), (0.5, 0.35, 0.65, 0.2, 0.8)):
            aside = (-away, 0.0) if upright else (half, high / 2) if steep else (0.0, -away)
            at = tuple(a + share * (b - a) + c for a, b, c in zip(start, stop, aside, strict=True))
            tried.append(SheetText(text, (at[0], at[1]), high, anchor, upright))
        said = next((each for each in tried if not any(_meet(each.box, w.box) for w in self.words)), tried[0])
        self.write(said.text, said.at, high, anchor, upright=upright, clear=True)


def _meet(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Return whether two texts would be read as one, or lie on each other."""
    apart_mm = SMALL_MM / 2
    level = box[0] < other[2] + apart_mm and other[0] < box[2] + apart_mm
    return level and box[1] < other[3] + 0.2 and other[1] < box[3] + 0.2


def _cleared(box: tuple[float, float, float, float]) -> Stroke:
    left, top, right, bottom = box
    corners = ((left, top - 0.4), (right, top - 0.4), (right, bottom + 0.4), (left, bottom + 0.4))
    return Stroke(corners, 0.0, closed=True, grey=0.0)


def fitting(texts: Iterable[tuple[str, float]], heights: Sequence[float] = (TEXT_MM, SMALL_MM, 1.3)) -> float:
    """Return the greatest height of letters at which all texts fit into their room, else the least [mm]."""
    rooms = list(texts)
    fits = (high for high in heights if all(text_mm(text, high) <= room for text, room in rooms))
    return next(fits, heights[-1])


def wrapped(text: str, high_mm: float, wide_mm: float) -> list[str]:
    """Return a text broken into lines that fit a width [mm]."""
    return textwrap.wrap(text, max(8, int(wide_mm / (LETTER * high_mm))), break_long_words=True) or [""]


def text_mm(text: str, high_mm: float) -> float:
    """Return the length that a text is reckoned with [mm]."""
    return len(text) * LETTER * high_mm


def millimetres(length_m: float) -> str:
    """Return a length as drawings of buildings have it: 1,200.

    >>> millimetres(1.2), millimetres(0.6000001)
    ('1,200', '600')
    """
    return f"{1e3 * length_m:,.0f}"
