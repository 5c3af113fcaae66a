"""A plane with two axes, their marks and titles, on which pictures of points are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetrics

from twin.analysis.figure_words import scale_of
from twin.analysis.figures import ComparedFigure
from twin.app.study.key_axis import KeyAxis, number_marks, widened
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.painting import CENTRE, LEFT, RIGHT, ChartPainter
from twin.app.toolkit.theme import font, scaled
from twin.arrays import Floats
from twin.shown_text import capitalised

TEXT_PX = 11
_LINE_PX, _EDGE_PX, _GAP_PX = 16.0, 12.0, 6.0
_MOST_SHARE = 0.3
"""Of the width, for the words of the upright axis."""
Marks = list[tuple[float, str]]


@dataclass(frozen=True)
class PlaneAxis:
    """One axis: its title, what part of it is shown, its marks, and the key that it is of; "": of none."""

    title: str
    low: float
    high: float
    marks: Marks
    key: str = ""


def figure_title(figure: ComparedFigure, like: float) -> str:
    """Return the title of an axis of a figure, with its unit."""
    _, unit = scale_of(figure, like)
    title = capitalised(figure.title)
    return f"{title} [{unit}]" if unit else title


def figure_axis(figure: ComparedFigure, values: Floats, like: float, room_px: float) -> PlaneAxis:
    """Return the axis of a figure over its values [SI]."""
    size, _ = scale_of(figure, like)
    low, high = widened(values)
    marks = [(value * size, words) for value, words in number_marks(low / size, high / size, room_px)]
    return PlaneAxis(figure_title(figure, like), low, high, marks)


def key_plane_axis(axis: KeyAxis, values: Floats, room_px: float) -> PlaneAxis:
    """Return the axis of a key over the places of its values."""
    if not axis.is_number:
        marks = [(place, text) for text, place in axis.places.items()]
        return PlaneAxis(axis.title, -0.5, max(len(marks) - 0.5, 0.5), marks, axis.path)
    low, high = widened(values)
    listed = sorted(set(axis.places.values()))
    if axis.is_listed and len(listed) <= max(room_px / 60.0, 2.0):
        marks = [(place, f"{place:.4g}") for place in listed]
    else:
        marks = number_marks(low, high, room_px)
    return PlaneAxis(axis.title, low, high, marks, axis.path)


class Plane:
    """Two axes laid out in a widget.

    Parameters
    ----------
    across, up
        The axes.
    width, height
        Of the widget [px].
    right_px
        Left free to the right, for a legend [px].
    """

    def __init__(
        self, across: PlaneAxis, up: PlaneAxis, width: int, height: int, right_px: float = 0.0
    ) -> None:
        metrics = QFontMetrics(font(TEXT_PX))
        line = scaled(_LINE_PX)
        widest = max((metrics.horizontalAdvance(words) for _, words in up.marks), default=0)
        left = _EDGE_PX + min(float(widest), _MOST_SHARE * width) + _GAP_PX
        top, bottom = line + 2 * _GAP_PX, height - 2 * line - 2 * _GAP_PX
        right = max(width - _EDGE_PX - right_px, left + 20.0)
        self.across, self.up = across, up
        self.room = QRectF(left, top, right - left, max(bottom - top, 20.0))
        self.x = Axis(across.low, across.high, self.room.left(), self.room.right())
        self.y = Axis(up.low, up.high, self.room.bottom(), self.room.top())
        self._line = line
        self._head = QRectF(_EDGE_PX, _GAP_PX, self.room.right() - _EDGE_PX, line)
        self._foot = QRectF(self.room.left(), self.room.bottom() + line + _GAP_PX, self.room.width(), line)

    @property
    def titles(self) -> list[tuple[QRectF, PlaneAxis]]:
        """Return where the title of each axis stands."""
        return [(self._foot, self.across), (self._head, self.up)]

    def paint(self, painter: ChartPainter, *, grid: bool = True) -> None:
        """Paint marks, titles and lines behind what is drawn."""
        theme, room, line = painter.theme, self.room, self._line
        painter.font_in(TEXT_PX)
        for value, words in _apart(self.up.marks, self.y, line):
            y = self.y.px(value)
            if grid:
                painter.line_in(theme.border)
                painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            spot = QRectF(2.0, y - line / 2, room.left() - _GAP_PX - 2.0, line)
            painter.write(spot, words, theme.muted, to=RIGHT, elided=True)
        wide = self._mark_px()
        for value, words in _apart(self.across.marks, self.x, wide):
            x = self.x.px(value)
            if grid:
                painter.line_in(theme.border)
                painter.upright(x, room.top(), room.bottom())
            spot = QRectF(x - wide / 2, room.bottom() + _GAP_PX / 2, wide, line)
            painter.write(spot, words, theme.muted, to=CENTRE, elided=True)
        painter.write(self._foot, self.across.title, theme.text, to=CENTRE, elided=True)
        painter.write(self._head, self.up.title, theme.text, to=LEFT, elided=True)

    def _mark_px(self) -> float:
        """Return the width that the words of a mark across may have [px]."""
        metrics = QFontMetrics(font(TEXT_PX))
        widest = max((metrics.horizontalAdvance(words) for _, words in self.across.marks), default=0) + 8.0
        marks = max(len(self.across.marks), 1)
        return min(widest, max(self.room.width() / marks - 2.0, 36.0))


def _apart(marks: Sequence[tuple[float, str]], axis: Axis, least_px: float) -> Marks:
    """Return marks that are so far from each other, the first of them first."""
    found: Marks = []
    last = None
    for value, words in sorted(marks):
        at = axis.px(value)
        if last is None or abs(at - last) >= least_px:
            found.append((value, words))
            last = at
    return found
