"""The line with its band: a figure over one key, P50 with P5 to P95 over seeds, a line for each value of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from twin.app.study.plane import TEXT_PX, Plane, PlaneAxis, figure_axis, key_plane_axis
from twin.app.study.point_chart import PointChart
from twin.app.toolkit.charts.painting import LEFT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats, Ints64
from twin.language import tr

_MOST_NAMED = 4
"""Lines with a colour and a name of their own; more are drawn alike, and that of the chosen point stands out."""
_MOST_LINES = 60
_DOT_PX = 3.5
_MANY = 2000
"""Of more points dots are squares without whiskers, which are painted at once."""
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


@dataclass(frozen=True)
class PointLine:
    """Points that differ in the key across alone: their places in the arrays, from left to right, and the others."""

    places: Ints64
    name: str


class LineChart(PointChart):
    """A figure over one key."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("A figure over one key, with its band over seeds"))

    @property
    def lines(self) -> list[PointLine]:
        """Return the lines, each for one combination of the other keys; none where no two points share one."""
        return self.kept("lines", self._find_lines)

    def _find_lines(self) -> list[PointLine]:
        points = self.points
        assert points is not None
        others = [key for key in range(len(points.axes)) if key != self.across]
        x = points.places[:, self.across]
        groups: dict[tuple[str, ...], list[int]] = {}
        for place, number in enumerate(points.numbers.tolist()):
            if np.isfinite(x[place]) and np.isfinite(self.bands.mean[place]):
                texts = points.texts(number)
                groups.setdefault(tuple(texts[key] for key in others), []).append(place)
        found = []
        for texts, places in groups.items():
            name = ", ".join(
                f"{points.axes[key].name} {text}" for key, text in zip(others, texts, strict=True)
            )
            ordered = np.array(places, np.int64)
            found.append(PointLine(ordered[np.argsort(x[ordered], kind="stable")], name))
        return found

    def _plane(self) -> Plane:
        return self.kept("plane", self._lay_out)

    def _lay_out(self) -> Plane:
        assert self.points is not None
        assert self.figure is not None
        bands = self.bands
        across = key_plane_axis(
            self.points.axes[self.across], self.points.places[:, self.across], float(self.width())
        )
        ends = np.concatenate((bands.p5, bands.p95, bands.p50))
        return Plane(
            across,
            figure_axis(self.figure, ends, bands.like, 3.0 * self.height()),
            self.width(),
            self.height(),
        )

    def titles(self) -> list[tuple[QRectF, PlaneAxis]]:
        """Return where the title of each axis stands."""
        return self._plane().titles

    def spots(self) -> tuple[Floats, Ints64]:
        """Return where points are on screen."""
        assert self.points is not None
        plane, x = self._plane(), self.points.places[:, self.across]
        known = np.flatnonzero(np.isfinite(x) & self.bands.known)
        return np.stack((plane.x.px(x[known]), plane.y.px(self.bands.p50[known])), axis=1), known

    # -- painting ----

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint axes, lines, bands and points."""
        plane, theme, lines = self._plane(), painter.theme, self.lines
        plane.paint(painter)
        joined = [line for line in lines if len(line.places) > 1]
        if len(joined) <= _MOST_NAMED:
            for number, line in enumerate(joined):
                self._paint_line(painter, line, theme.series[number], _DASHES[number], band=True)
            self._paint_names(painter, joined)
        else:
            for line in joined[:_MOST_LINES]:
                self._paint_line(painter, line, theme.faint, Qt.PenStyle.SolidLine, band=False)
        stands = self.points.index(self.points.base) if self.points is not None else None
        alone = [int(line.places[0]) for line in lines if len(line.places) == 1]
        ordinary = [place for place in alone if place != stands or not joined]
        self._paint_dots(painter, np.array(ordinary, np.int64), theme.series[0])
        if len(ordinary) < len(alone) and stands is not None:
            self._paint_cross(painter, stands)
        base = self._base_value()
        if base is not None:
            y = plane.y.px(base)
            painter.line_in(theme.muted, 1.2, Qt.PenStyle.DashLine)
            painter.drawLine(QPointF(plane.room.left(), y), QPointF(plane.room.right(), y))
            spot = QRectF(plane.room.left() + 4, y - scaled(16), plane.room.width() - 8, scaled(15))
            painter.write(spot, tr("the scene as it stands"), theme.muted, TEXT_PX, to=LEFT, elided=True)

    def _base_value(self) -> float | None:
        """Return the figure of the scene as it stands where that has no place across; None: it has, or is unknown."""
        points = self.points
        place = points.index(points.base) if points is not None else None
        if points is None or place is None or np.isfinite(points.places[place, self.across]):
            return None
        value = float(self.bands.p50[place])
        return value if np.isfinite(value) else None

    def _paint_cross(self, painter: ChartPainter, place: int) -> None:
        """Mark the scene as it stands, which is on no line."""
        assert self.points is not None
        plane, half = self._plane(), scaled(6)
        at = QPointF(
            plane.x.px(float(self.points.places[place, self.across])),
            plane.y.px(float(self.bands.p50[place])),
        )
        painter.line_in(painter.theme.text, 2.0)
        painter.drawLine(at - QPointF(half, 0), at + QPointF(half, 0))
        painter.drawLine(at - QPointF(0, half), at + QPointF(0, half))

    def _paint_line(
        self, painter: ChartPainter, line: PointLine, ink: str, style: Qt.PenStyle, *, band: bool
    ) -> None:
        assert self.points is not None
        plane, bands, at = self._plane(), self.bands, line.places
        x = plane.x.px(self.points.places[at, self.across])
        if band and (bands.seeds[at] > 1).any():
            painter.fill_in(ink, alpha=0.22)
            painter.area(x, plane.y.px(bands.p95[at]), plane.y.px(bands.p5[at]))
        painter.line_in(ink, 2.0 if band else 1.0, style)
        painter.curve(x, plane.y.px(bands.p50[at]))
        if band:
            self._paint_dots(painter, at, ink)

    def _paint_dots(self, painter: ChartPainter, at: Ints64, ink: str) -> None:
        """Paint points with whiskers over seeds."""
        assert self.points is not None
        plane, bands = self._plane(), self.bands
        x = plane.x.px(self.points.places[at, self.across])
        if len(at) > _MANY:
            for left, top in zip(x.tolist(), plane.y.px(bands.p50[at]).tolist(), strict=True):
                painter.fillRect(QRectF(left - 1.5, top - 1.5, 3.0, 3.0), QColor(ink))
            return
        for left, place in zip(x.tolist(), at.tolist(), strict=True):
            painter.line_in(ink, 1.2)
            if bands.seeds[place] > 1:
                painter.upright(left, plane.y.px(float(bands.p5[place])), plane.y.px(float(bands.p95[place])))
            painter.fill_in(ink)
            painter.drawEllipse(
                QPointF(left, plane.y.px(float(bands.p50[place]))), scaled(_DOT_PX), scaled(_DOT_PX)
            )

    def _paint_names(self, painter: ChartPainter, lines: list[PointLine]) -> None:
        """Write which line is which, in a row over the plane."""
        if len(lines) < 2:
            return
        plane, theme = self._plane(), painter.theme
        painter.font_in(TEXT_PX)
        left = 12.0 + painter.wide(plane.up.title) + 3 * TEXT_PX
        share = max(self.width() - left - 12.0, 10.0) / len(lines)
        for number, line in enumerate(lines):
            begin = left + number * share
            painter.line_in(theme.series[number], 2.0, _DASHES[number])
            y = 6.0 + scaled(16) / 2
            painter.drawLine(QPointF(begin, y), QPointF(begin + 18, y))
            painter.write(
                QRectF(begin + 22, 6.0, share - 28, scaled(16)), line.name, theme.muted, to=LEFT, elided=True
            )

    def paint(self, painter: ChartPainter) -> None:
        """Paint rings round what is chosen and pointed at, and the line of the chosen point."""
        points, theme = self.points, painter.theme
        assert points is not None
        joined = [line for line in self.lines if len(line.places) > 1]
        chosen = points.index(self.selected)
        if len(joined) > _MOST_NAMED and chosen is not None:
            for line in joined:
                if chosen in line.places:
                    self._paint_line(painter, line, theme.series[0], Qt.PenStyle.SolidLine, band=True)
        for number in points.best:
            self._paint_ring(painter, number, theme.warning, 2.0, 5.0)
        self._paint_ring(painter, self.pointed, theme.text, 2.0, 7.0)
        self._paint_ring(painter, self.selected, theme.alarm, 3.0, 7.0)

    def _paint_ring(
        self, painter: ChartPainter, number: int | None, ink: str, width: float, radius: float
    ) -> None:
        points, plane = self.points, self._plane()
        place = points.index(number) if points is not None else None
        if points is None or place is None:
            return
        x, y = float(points.places[place, self.across]), float(self.bands.p50[place])
        if np.isfinite(x) and np.isfinite(y):
            painter.line_in(ink, width)
            painter.drawEllipse(QPointF(plane.x.px(x), plane.y.px(y)), scaled(radius), scaled(radius))
