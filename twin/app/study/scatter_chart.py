"""The scatter: two figures against each other, with the front that no point is better than in both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from twin.app.study.plane import TEXT_PX, Plane, figure_axis
from twin.app.study.point_chart import PointChart
from twin.app.study.points import FigureBands, front_of_two
from twin.app.toolkit.charts.painting import LEFT, RIGHT, ChartPainter, faded
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats, Ints64
from twin.language import counted, tr

_ACROSS = {1: "\N{RIGHTWARDS ARROW}", -1: "\N{LEFTWARDS ARROW}", 0: ""}
_UP = {1: "\N{UPWARDS ARROW}", -1: "\N{DOWNWARDS ARROW}", 0: ""}
"""Which way a figure is better."""
_DOT_PX = 3.5
_MANY = 3000
"""Of more points dots are squares, which are painted at once."""


class ScatterChart(PointChart):
    """Two figures: `figure` across, `other` up."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Two figures against each other, with the front"))

    @property
    def is_empty(self) -> bool:
        """Return whether no point has both figures."""
        return super().is_empty or self.other is None or not (self.bands.known & self._up.known).any()

    @property
    def _up(self) -> FigureBands:
        assert self.points is not None
        assert self.other is not None
        return self.points.bands(self.other)

    @property
    def front(self) -> Ints64:
        """Return the places of the front, from left to right: that of the study, or that of these two figures."""
        return self.kept("front", self._find_front)

    def _find_front(self) -> Ints64:
        points, figure, other = self.points, self.figure, self.other
        assert points is not None
        assert figure is not None
        assert other is not None
        if points.best:
            listed = [place for number in points.best if (place := points.index(number)) is not None]
            best = np.array(listed, np.int64)
            return best[np.argsort(self.bands.mean[best], kind="stable")]
        return front_of_two(self.bands.mean, self._up.mean, figure.better, other.better)

    def _plane(self) -> Plane:
        return self.kept("plane", self._lay_out)

    def _lay_out(self) -> Plane:
        assert self.figure is not None
        assert self.other is not None
        across = figure_axis(self.figure, self.bands.mean, self.bands.like, float(self.width()))
        up = figure_axis(self.other, self._up.mean, self._up.like, 3.0 * self.height())
        across = replace(across, title=f"{across.title} {_ACROSS[self.figure.better]}".rstrip())
        up = replace(up, title=f"{up.title} {_UP[self.other.better]}".rstrip())
        return Plane(across, up, self.width(), self.height())

    def spots(self) -> tuple[Floats, Ints64]:
        """Return where points are on screen."""
        plane, known = self._plane(), np.flatnonzero(self.bands.known & self._up.known)
        return np.stack((plane.x.px(self.bands.mean[known]), plane.y.px(self._up.mean[known])), axis=1), known

    # -- painting ----

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint axes, points and the front."""
        plane, theme = self._plane(), painter.theme
        plane.paint(painter)
        xy, places = self._kept_spots()
        front = self.front
        half = scaled(_DOT_PX)
        painter.fill_in(theme.series[0], alpha=0.75)
        if len(places) > _MANY:
            for x, y in xy.tolist():
                painter.drawRect(QRectF(x - 1.5, y - 1.5, 3.0, 3.0))
        else:
            for x, y in xy.tolist():
                painter.drawEllipse(QPointF(x, y), half, half)
        if len(front):
            x, y = plane.x.px(self.bands.mean[front]), plane.y.px(self._up.mean[front])
            painter.line_in(theme.warning, 1.4, Qt.PenStyle.DashLine)
            painter.curve(x, y)
            painter.line_in(theme.warning, 1.4)
            painter.setBrush(faded(theme.warning, 1.0))
            for left, top in zip(x.tolist(), y.tolist(), strict=True):
                painter.drawPolygon(
                    [
                        QPointF(left, top - half - 2),
                        QPointF(left + half + 2, top),
                        QPointF(left, top + half + 2),
                        QPointF(left - half - 2, top),
                    ]
                )
        self._paint_legend(painter, len(front))

    def _paint_legend(self, painter: ChartPainter, front: int) -> None:
        """Say what the marks are."""
        theme, plane = painter.theme, self._plane()
        words = [tr("\N{BLACK DIAMOND} front: {points}", points=counted(front, "point"))] if front else []
        if any(figure is not None and figure.better for figure in (self.figure, self.other)):
            words.append(tr("arrows: better"))
        painter.font_in(TEXT_PX)
        left = 12.0 + painter.wide(plane.up.title) + 3 * TEXT_PX
        spot = QRectF(left, 6.0, self.width() - left - 12.0, scaled(16))
        painter.write(spot, "   ".join(words), theme.muted, to=RIGHT, elided=True)

    def paint(self, painter: ChartPainter) -> None:
        """Paint the scene as it stands, and rings round what is chosen and pointed at."""
        points, theme = self.points, painter.theme
        assert points is not None
        for number, ink, width, radius in (
            (points.base, theme.text, 1.5, 6.0),
            (self.pointed, theme.text, 2.0, 8.0),
            (self.selected, theme.alarm, 3.0, 8.0),
        ):
            self._paint_mark(
                painter, number, ink, width, radius, is_base=number == points.base and radius < 7.0
            )

    def _paint_mark(
        self,
        painter: ChartPainter,
        number: int | None,
        ink: str,
        width: float,
        radius: float,
        *,
        is_base: bool,
    ) -> None:
        plane = self._plane()
        place = self.points.index(number) if self.points is not None else None
        if place is None:
            return
        x, y = float(self.bands.mean[place]), float(self._up.mean[place])
        if not (np.isfinite(x) and np.isfinite(y)):
            return
        at = QPointF(plane.x.px(x), plane.y.px(y))
        painter.line_in(ink, width, Qt.PenStyle.SolidLine)
        if is_base:
            half = scaled(radius)
            painter.drawLine(at - QPointF(half, 0), at + QPointF(half, 0))
            painter.drawLine(at - QPointF(0, half), at + QPointF(0, half))
            spot = QRectF(at.x() + half + 2, at.y() - scaled(16), 200.0, scaled(15))
            if spot.right() > self.width():
                spot.moveRight(at.x() - half - 2)
            to = RIGHT if spot.right() < at.x() else LEFT
            painter.write(spot, tr("the scene as it stands"), painter.theme.muted, TEXT_PX, to=to)
        else:
            painter.drawEllipse(at, scaled(radius), scaled(radius))
