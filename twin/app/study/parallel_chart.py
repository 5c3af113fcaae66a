"""Parallel coordinates: every key and figure is an upright axis, every point a line across them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from twin.analysis.figures import ComparedFigure
from twin.app.study.key_axis import number_marks, widened
from twin.app.study.plane import TEXT_PX, PlaneAxis, figure_axis
from twin.app.study.point_chart import PointChart, colours
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.painting import CENTRE, LEFT, ChartPainter, faded
from twin.app.toolkit.look import Look
from twin.app.toolkit.text_fields import wrapped
from twin.app.toolkit.theme import font, scaled
from twin.arrays import Floats, Ints64
from twin.language import tr

_MOST_LINES, _MOST_SMOOTH = 1200, 300
"""Drawn at most, spread evenly over the points; of more than the second, edges are not smoothed."""
_MOST_MARKS = 12
_HEAD_PX = 15.0
_NEAR_PX, _TOP_PX, _BOTTOM_PX, _SIDE_PX = 8.0, 52.0, 14.0, 70.0


class ParallelChart(PointChart):
    """All keys, then the figures; lines have the colour of the first figure."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Parallel coordinates: all keys and figures"))

    @property
    def _figures(self) -> tuple[ComparedFigure, ...]:
        assert self.figure is not None
        return tuple(dict.fromkeys((self.figure, *((self.other,) if self.other is not None else ()))))

    def _axes(self) -> list[PlaneAxis]:
        return self.kept("axes", self._find_axes)

    def _find_axes(self) -> list[PlaneAxis]:
        points = self.points
        assert points is not None
        found, room = [], 2.5 * self.height()
        for key, axis in enumerate(points.axes):
            if axis.is_number:
                low, high = widened(points.places[:, key], 0.0)
                listed = sorted(set(axis.places.values()))
                few = axis.is_listed and len(listed) <= _MOST_MARKS
                marks = (
                    [(value, f"{value:.4g}") for value in listed] if few else number_marks(low, high, room)
                )
            else:
                low, high = -0.25, max(len(axis.places) - 0.75, 0.25)
                marks = [(place, text) for text, place in axis.places.items()]
            found.append(PlaneAxis(axis.short, low, high, marks, axis.path))
        for figure in self._figures:
            bands = points.bands(figure)
            found.append(figure_axis(figure, bands.mean, bands.like, room))
        return found

    def _heights(self) -> Floats:
        """Return how high each point is on each axis, shape (points, axes) [px]; NaN: unknown."""
        return self.kept("heights", self._find_heights)

    def _find_heights(self) -> Floats:
        points = self.points
        assert points is not None
        columns = [
            *(points.places[:, key] for key in range(len(points.axes))),
            *(points.bands(figure).mean for figure in self._figures),
        ]
        return np.stack(
            [self._upright(axis).px(column) for axis, column in zip(self._axes(), columns, strict=True)],
            axis=1,
        )

    def _upright(self, axis: PlaneAxis) -> Axis:
        high = axis.high if axis.high > axis.low else axis.low + 1.0
        return Axis(axis.low, high, self.height() - scaled(_BOTTOM_PX), scaled(_TOP_PX))

    def _lefts(self) -> Floats:
        """Return where the axes stand [px]."""
        number = len(self._axes())
        return np.linspace(scaled(_SIDE_PX), self.width() - scaled(_SIDE_PX), number)

    def spots(self) -> tuple[Floats, Ints64]:
        """Return where points are on the axis of the first figure: there keys go up and down."""
        assert self.points is not None
        column = len(self.points.axes)
        heights = self._heights()[:, column]
        known = np.flatnonzero(np.isfinite(heights))
        left = self._lefts()[column]
        return np.stack((np.full(len(known), left), heights[known]), axis=1), known

    def place_at(self, at: QPointF) -> int | None:
        """Return the place of the point whose line is nearest."""
        lefts, heights = self._lefts(), self._heights()
        if len(lefts) < 2:
            return None
        gap = int(np.clip(np.searchsorted(lefts, at.x()) - 1, 0, len(lefts) - 2))
        share = np.clip((at.x() - lefts[gap]) / (lefts[gap + 1] - lefts[gap]), 0.0, 1.0)
        y = heights[:, gap] + share * (heights[:, gap + 1] - heights[:, gap])
        apart = np.where(np.isfinite(y), np.abs(y - at.y()), np.inf)
        nearest = int(np.argmin(apart))
        return nearest if apart[nearest] <= scaled(_NEAR_PX) else None

    # -- painting ----

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint lines in colours, and the axes over them."""
        heights, lefts, theme = self._heights(), self._lefts(), painter.theme
        mean = self.bands.mean
        order = np.flatnonzero(np.isfinite(mean))
        if len(order) > _MOST_LINES:
            order = order[np.linspace(0, len(order) - 1, _MOST_LINES).astype(np.int64)]
        order = order[
            np.argsort(mean[order] * (self.figure.better if self.figure is not None else 1), kind="stable")
        ]
        alpha = float(np.clip(90.0 / max(len(order), 1), 0.25, 0.95))
        low, high = float(np.nanmin(mean)), float(np.nanmax(mean))
        painter.smooth(len(order) <= _MOST_SMOOTH)
        for place, tint in zip(order.tolist(), colours(theme, mean[order], low, high), strict=True):
            painter.line_in(faded(tint, alpha), 1.6)
            self._paint_line(painter, heights[place], lefts)
        painter.smooth(True)
        for left, axis in zip(lefts.tolist(), self._axes(), strict=True):
            self._paint_axis(painter, left, axis)

    def titles(self) -> list[tuple[QRectF, PlaneAxis]]:
        """Return where the title of each axis stands."""
        two_lines = [self._head(left).adjusted(0, 0, 0, scaled(_HEAD_PX)) for left in self._lefts().tolist()]
        return list(zip(two_lines, self._axes(), strict=True))

    def _head(self, left: float) -> QRectF:
        """Return the first line of the title of an axis."""
        wide = self.width() / max(len(self._axes()), 1)
        head = QRectF(left - wide / 2 + 3.0, 6.0, wide - 6.0, scaled(_HEAD_PX))
        head.moveLeft(min(max(head.left(), 2.0), self.width() - head.width() - 2.0))
        return head

    def _paint_axis(self, painter: ChartPainter, left: float, axis: PlaneAxis) -> None:
        theme, upright = painter.theme, self._upright(axis)
        painter.line_in(theme.muted, 1.4)
        painter.upright(left, upright.end, upright.begin)
        wide = self.width() / max(len(self._axes()), 1)
        high, head = scaled(_HEAD_PX), self._head(left)
        lines = wrapped(axis.title, font(TEXT_PX), int(head.width()), 2)
        head.translate(0.0, high * (2 - len(lines)))
        for line in lines:
            painter.write(head, line, theme.text, TEXT_PX, to=CENTRE, elided=True)
            head.translate(0.0, high)
        last = None
        for value, words in sorted(axis.marks):
            y = upright.px(value)
            if last is not None and abs(y - last) < scaled(16):
                continue
            last = y
            painter.line_in(theme.muted, 1.0)
            painter.drawLine(QPointF(left - 3, y), QPointF(left + 3, y))
            room = min(wide - 14.0, self.width() - left - 8.0)
            spot = QRectF(left + 6, y - scaled(8), max(room, 24.0), scaled(16))
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(spot.width()))
            ground = QRectF(spot.left() - 1, spot.top() + 1, painter.wide(shown) + 3, spot.height() - 2)
            painter.fillRect(ground, faded(theme.surface, 0.72))
            painter.write(spot, words, theme.muted, TEXT_PX, to=LEFT, elided=True)

    def _paint_line(self, painter: ChartPainter, heights: Floats, lefts: Floats) -> None:
        known = np.isfinite(heights)
        painter.curve(lefts[known], heights[known])

    def paint(self, painter: ChartPainter) -> None:
        """Paint the lines of the scene as it stands, of what is pointed at, and of what is chosen over the others."""
        points, theme = self.points, painter.theme
        assert points is not None
        for number, ink, width in (
            *((number, theme.warning, 2.4) for number in points.best),
            (self.pointed, theme.text, 2.4),
            (self.selected, theme.alarm, 3.2),
        ):
            place = points.index(number)
            if place is not None:
                painter.line_in(ink, width)
                self._paint_line(painter, self._heights()[place], self._lefts())
