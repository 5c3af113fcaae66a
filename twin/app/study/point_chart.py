"""The base of pictures of points: which is under the pointer, which is chosen, by mouse and keys; colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeVar

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QLinearGradient, QMouseEvent
from PySide6.QtWidgets import QToolTip

from twin.analysis.figure_words import scale_of, value_words
from twin.analysis.figures import ComparedFigure
from twin.app.study.key_axis import number_marks
from twin.app.study.plane import PlaneAxis
from twin.app.study.points import FigureBands, StudyPoints
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import LEFT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import Theme, scaled
from twin.arrays import Floats, Ints64
from twin.language import tr
from twin.shown_text import capitalised
from twin.view3d.base.palette import ramp

Made = TypeVar("Made")
RAMP = "cividis"
"""Read alike with all kinds of colour blindness, and in grey."""
_ON_DARK, _ON_LIGHT = (0.24, 1.0), (0.0, 0.9)
"""What part of the ramp is seen on a dark and on a light ground."""
_NEAR_PX = 14.0
_TEXT_PX, _BAR_PX, _STOPS = 11, 12, 16
_IN_LINE_PX = 3.0
"""Points no further from the line of an arrow key come before others."""


class PointChart(PaintedChart):
    """A picture of the points of a study.

    Attributes
    ----------
    points, figure, other
        What is shown; `other`: the second figure where a picture has two.
    across, up
        Numbers of the keys that it is drawn over.
    selected, pointed
        Numbers of the point that is chosen, and of that under the pointer here or in another picture.
    """

    chosen = Signal(int)  # number of a point
    opened = Signal(int)  # number of a point whose run is wanted
    hovered = Signal(object)  # number of a point, or None
    keeps_ground = True

    def __init__(self, look: Look, name: str) -> None:
        super().__init__(look, name, hint=(520, 360), least=(200, 140), keys=True)
        self.points: StudyPoints | None = None
        self.figure: ComparedFigure | None = None
        self.other: ComparedFigure | None = None
        self.across, self.up = 0, 0
        self.selected: int | None = None
        self.pointed: int | None = None
        self.empty = tr("No runs yet")
        self._memo: dict[str, Any] = {}
        self.setMouseTracking(True)

    # -- what a picture says of itself ----

    def spots(self) -> tuple[Floats, Ints64]:
        """Return where points are on screen, shape (spots, 2) [px], and the place of each in the arrays."""
        return np.zeros((0, 2)), np.zeros(0, np.int64)

    def place_at(self, at: QPointF) -> int | None:
        """Return the place in the arrays of the point nearest to a place on screen; None: none is near."""
        xy, places = self._kept_spots()
        if not len(places):
            return None
        apart = np.hypot(xy[:, 0] - at.x(), xy[:, 1] - at.y())
        nearest = int(np.argmin(apart))
        return int(places[nearest]) if apart[nearest] <= scaled(_NEAR_PX) else None

    # -- showing ----

    def show_points(
        self,
        points: StudyPoints | None,
        figure: ComparedFigure | None,
        other: ComparedFigure | None = None,
        across: int = 0,
        up: int = 0,
    ) -> None:
        """Show points, or none."""
        self.points, self.figure, self.other, self.across, self.up = points, figure, other, across, up
        if points is not None:
            last = len(points.axes) - 1
            self.across, self.up = min(across, last), min(up, last)
        self.refresh()

    def mark(self, selected: int | None, pointed: int | None) -> None:
        """Mark the point that is chosen, and that under the pointer."""
        if (selected, pointed) == (self.selected, self.pointed):
            return
        self.selected, self.pointed = selected, pointed
        words = self.told(selected, "\n") if selected is not None else ""
        self.setAccessibleDescription(words)
        self.update()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return self.points is None or self.figure is None or not self.bands.known.any()

    @property
    def bands(self) -> FigureBands:
        """Return the figure at all points."""
        assert self.points is not None
        assert self.figure is not None
        return self.points.bands(self.figure)

    def refresh(self) -> None:
        """Paint everything anew."""
        self._memo.clear()
        super().refresh()

    def kept(self, name: str, work_out: Callable[[], Made]) -> Made:
        """Return something that holds until the next `refresh`."""
        if name not in self._memo:
            self._memo[name] = work_out()
        found: Made = self._memo[name]
        return found

    def _kept_spots(self) -> tuple[Floats, Ints64]:
        if self.is_empty:
            return np.zeros((0, 2)), np.zeros(0, np.int64)
        return self.kept("spots", self.spots)

    def items(self) -> Sequence[ChartItem]:
        """Return the points that are marked: others are found by where they are."""
        xy, places = self._kept_spots()
        found, points = [], self.points
        for number in dict.fromkeys((self.pointed, self.selected)):
            place = points.index(number) if points is not None else None
            at = np.flatnonzero(places == place) if place is not None else places[:0]
            if len(at) and number is not None:
                x, y = xy[at[0]].tolist()
                found.append(ChartItem(QRectF(x - 5, y - 5, 10, 10), self._tip(number), str(number)))
        return found

    def told(self, number: int, between: str = ", ") -> str:
        """Return what there is to say of a point."""
        points = self.points
        if points is None or points.index(number) is None:
            return ""
        lines = [points.named(number) or tr("The scene as it stands")]
        for figure in dict.fromkeys((self.figure, self.other)):
            words = points.words(figure, number) if figure is not None else ""
            if figure is not None and words:
                lines.append(tr("{figure}: {words}", figure=capitalised(figure.title), words=words))
        reason = points.reason(number)
        return between.join([*lines, *([reason] if reason else [])])

    def said_at(self, place: QPointF) -> str:
        """Return what there is to say of the point there, or which key the axis is of, as rich text."""
        at = self.place_at(place) if not self.is_empty else None
        if at is not None and self.points is not None:
            return self._tip(int(self.points.numbers[at]))
        titles = [] if self.is_empty else self.titles()
        axis = next((axis for spot, axis in titles if axis.key and spot.contains(place)), None)
        return "" if axis is None else f"<b>{escape(axis.title)}</b><br>{escape(axis.key)}"

    def titles(self) -> list[tuple[QRectF, PlaneAxis]]:
        """Return where the title of each axis stands."""
        return []

    def _tip(self, number: int) -> str:
        head = tr("Point {number}", number=number)
        if self.points is not None and number == self.points.base:
            head = tr("Point {number}, the scene as it stands", number=number)
        lines = self.told(number, "\n").splitlines()
        return "<br>".join([f"<b>{escape(head)}</b>", *map(escape, lines)])

    # -- pointer and keys ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which point is under the pointer."""
        super().mouseMoveEvent(event)
        at = self.place_at(event.position()) if not self.is_empty else None
        number = None if at is None or self.points is None else int(self.points.numbers[at])
        if number != self.pointed:
            self.hovered.emit(number)
        if said := self.said_at(event.position()):
            QToolTip.showText(event.globalPosition().toPoint(), said, self)
        else:
            QToolTip.hideText()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the point that is clicked."""
        self.setFocus()
        at = self.place_at(event.position()) if not self.is_empty else None
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the run of the point that is clicked twice."""
        if self.selected is not None and self.place_at(event.position()) is not None:
            self.opened.emit(self.selected)

    def _choose(self, at: int) -> None:
        assert self.points is not None
        self.chosen.emit(int(self.points.numbers[at]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the nearest point in the direction of an arrow key; Enter asks for the run of the chosen one."""
        ways = {
            Qt.Key.Key_Left: (-1.0, 0.0),
            Qt.Key.Key_Right: (1.0, 0.0),
            Qt.Key.Key_Up: (0.0, -1.0),
            Qt.Key.Key_Down: (0.0, 1.0),
        }
        way = ways.get(Qt.Key(event.key()))
        if way is not None and not self.is_empty:
            at = self.next_place(*way)
            if at is not None:
                self._choose(at)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selected is not None:
            self.opened.emit(self.selected)
        else:
            super().keyPressEvent(event)

    def next_place(self, right: float, down: float) -> int | None:
        """Return the place of the nearest point in a direction; without one that is chosen: the first."""
        xy, places = self._kept_spots()
        if not len(places):
            return None
        assert self.points is not None
        chosen = self.points.index(self.selected)
        here = np.flatnonzero(places == chosen) if chosen is not None else places[:0]
        if not len(here):
            return int(places[np.lexsort((xy[:, 1], xy[:, 0]))[0]])
        apart = xy - xy[int(here[0])]
        ahead = apart[:, 0] * right + apart[:, 1] * down
        beside = np.abs(apart[:, 0] * down) + np.abs(apart[:, 1] * right)
        in_line = (beside < _IN_LINE_PX) & (ahead > 0.5)
        candidates = in_line if in_line.any() else (ahead > 0.5) & (places != chosen)
        cost = np.where(candidates, ahead + 3.0 * beside, np.inf)
        nearest = int(np.argmin(cost))
        return int(places[nearest]) if np.isfinite(cost[nearest]) else None


def colours(theme: Theme, values: Floats, low: float, high: float) -> list[QColor]:
    """Return the colour of each value between two ends, all of them seen on the ground of the theme."""
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    return _tints(theme, np.nan_to_num(share, nan=0.0))


def _tints(theme: Theme, shares: Floats) -> list[QColor]:
    begin, end = _ON_DARK if theme.is_dark else _ON_LIGHT
    return [QColor.fromRgbF(*rgb) for rgb in ramp(RAMP, begin + shares * (end - begin)).tolist()]


def paint_legend(
    painter: ChartPainter, spot: QRectF, figure: ComparedFigure, low: float, high: float, like: float
) -> None:
    """Paint the ramp of a figure upright, with marks to its right."""
    theme, bar = painter.theme, QRectF(spot.left(), spot.top(), scaled(_BAR_PX), spot.height())
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    stops = np.linspace(0.0, 1.0, _STOPS)
    for place, tint in zip(stops.tolist(), _tints(theme, stops), strict=True):
        gradient.setColorAt(place, tint)
    painter.fillRect(bar, gradient)
    painter.line_in(theme.border)
    painter.drawRect(bar)
    painter.font_in(_TEXT_PX)
    if not high > low:
        words = value_words(figure, low, like)
        painter.write(QRectF(bar.right() + 5, bar.center().y() - 8, 200, 16), words, theme.muted, to=LEFT)
        return
    size, _ = scale_of(figure, like)
    axis = Axis(low / size, high / size, bar.bottom(), bar.top())
    for value, words in number_marks(low / size, high / size, 3 * spot.height()):
        painter.write(
            QRectF(bar.right() + 5, axis.px(value) - 8, spot.right() - bar.right() - 5, 16),
            words,
            theme.muted,
            to=LEFT,
        )
