"""The heat map: a figure over two keys, as cells of a grid, or as points where no cells are filled."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from twin.analysis.figure_words import value_words
from twin.app.study.key_axis import KeyAxis
from twin.app.study.plane import TEXT_PX, Plane, PlaneAxis, figure_title, key_plane_axis
from twin.app.study.point_chart import PointChart, colours, paint_legend
from twin.app.toolkit.charts.painting import CENTRE, LEFT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import ink_on, scaled
from twin.arrays import Bools, Floats, Ints64
from twin.language import tr

_MOST_CELLS = 60
"""Along one axis; of more values points are drawn."""
_MANY = 2000
"""Of more points dots are squares, which are painted at once."""
_LEGEND_PX, _DOT_PX, _NEAR_BASE_PX = 84.0, 5.0, 8.0


class HeatMap(PointChart):
    """A figure over two keys; cells are means over the others, which a line above them says."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Heat map of a figure over two keys"))

    @property
    def _axes(self) -> tuple[KeyAxis, KeyAxis]:
        assert self.points is not None
        return self.points.axes[self.across], self.points.axes[self.up]

    def _levels(self) -> tuple[Floats, Floats] | None:
        """Return the values of both keys in cells; None where they fill no grid."""
        return self.kept("levels", self._find_levels)

    def _find_levels(self) -> tuple[Floats, Floats] | None:
        assert self.points is not None
        found = []
        for key in (self.across, self.up):
            column = self.points.places[self._in_grid, key]
            found.append(np.unique(column[np.isfinite(column)]))
        cells = len(found[0]) * len(found[1])
        few = all(len(levels) <= _MOST_CELLS for levels in found)
        filled = len(np.unique(self.points.places[self._in_grid][:, [self.across, self.up]], axis=0))
        return (found[0], found[1]) if few and cells and filled >= 0.5 * cells else None

    @property
    def _in_grid(self) -> Bools:
        """Return which points are of the design, and not the scene as it stands beside it."""
        points = self.points
        assert points is not None
        inside = np.ones(len(points.numbers), bool)
        base = points.index(points.base)
        if base is not None and points.base is not None and not points.contents.points[points.base].values:
            inside[base] = False
        return inside

    def _plane(self) -> Plane:
        return self.kept("plane", self._lay_out)

    def _lay_out(self) -> Plane:
        levels = self._levels()
        right = scaled(_LEGEND_PX)
        if levels is None:
            made = [
                key_plane_axis(axis, self._column(key), room)
                for axis, key, room in zip(
                    self._axes,
                    (self.across, self.up),
                    (float(self.width()), 3.0 * self.height()),
                    strict=True,
                )
            ]
            return Plane(made[0], made[1], self.width(), self.height(), right)
        ends = []
        for axis, values in zip(self._axes, levels, strict=True):
            marks = [
                (float(place), f"{value:.4g}" if axis.is_number else axis.words(value))
                for place, value in enumerate(values.tolist())
            ]
            ends.append(PlaneAxis(axis.title, -0.5, len(values) - 0.5, marks, axis.path))
        return Plane(ends[0], ends[1], self.width(), self.height(), right)

    def titles(self) -> list[tuple[QRectF, PlaneAxis]]:
        """Return where the title of each axis stands."""
        return self._plane().titles

    def _column(self, key: int) -> Floats:
        assert self.points is not None
        return self.points.places[:, key]

    def _xy(self) -> tuple[Floats, Floats]:
        """Return where points are in the plane."""
        levels = self._levels()
        x, y = self._column(self.across), self._column(self.up)
        if levels is None:
            return x, y
        axes = self._axes
        return _place_in(levels[0], x, axes[0]), _place_in(levels[1], y, axes[1])

    def spots(self) -> tuple[Floats, Ints64]:
        """Return where points are on screen."""
        plane, (x, y) = self._plane(), self._xy()
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        return np.stack((plane.x.px(x[known]), plane.y.px(y[known])), axis=1), known

    def place_at(self, at: QPointF) -> int | None:
        """Return the place of the point in the cell there; of several, the one after the chosen one."""
        if self._levels() is None:
            return super().place_at(at)
        plane = self._plane()
        if not plane.room.contains(at):
            return None
        cell = round(plane.x.value(at.x())), round(plane.y.value(at.y()))
        inside = self.cells.get(cell, [])
        assert self.points is not None
        base, (x, y) = self.points.index(self.points.base), self._xy()
        if base is not None and base not in inside and np.isfinite(x[base] + y[base]):
            apart = np.hypot(plane.x.px(x[base]) - at.x(), plane.y.px(y[base]) - at.y())
            if apart < scaled(_NEAR_BASE_PX):
                return base
        chosen = self.points.index(self.selected)
        if chosen in inside and len(inside) > 1:
            return inside[(inside.index(chosen) + 1) % len(inside)]
        return inside[0] if inside else None

    @property
    def cells(self) -> dict[tuple[int, int], list[int]]:
        """Return the places of the points of each cell, by column and row."""
        return self.kept("cells", self._find_cells)

    def _find_cells(self) -> dict[tuple[int, int], list[int]]:
        x, y = self._xy()
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        whole = np.isfinite(x) & np.isfinite(y) & (x == np.round(x)) & (y == np.round(y))
        for place in np.flatnonzero(whole).tolist():
            found[int(x[place]), int(y[place])].append(place)
        return found

    # -- painting ----

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint cells or points, and the legend."""
        assert self.figure is not None
        bands, plane = self.bands, self._plane()
        low, high = float(np.nanmin(bands.mean)), float(np.nanmax(bands.mean))
        plane.paint(painter, grid=self._levels() is None)
        if self._levels() is None:
            self._paint_dots(painter, low, high)
        else:
            self._paint_cells(painter, plane, low, high)
        room = plane.room
        legend = QRectF(room.right() + scaled(12), room.top(), scaled(_LEGEND_PX) - scaled(12), room.height())
        paint_legend(painter, legend, self.figure, low, high, bands.like)
        title = figure_title(self.figure, bands.like)
        most = max((len(inside) for inside in self.cells.values()), default=1) if self._levels() else 1
        if most > 1:
            title = tr("{title}, mean of up to {most} points a cell", title=title, most=most)
        painter.font_in(TEXT_PX)
        wide = painter.wide(plane.up.title) + 3 * TEXT_PX
        spot = QRectF(12.0 + wide, 6.0, self.width() - wide - 24.0, scaled(16))
        painter.write(spot, f"\N{BLACK SQUARE} {title}", painter.theme.muted, to=LEFT, elided=True)

    def _paint_cells(self, painter: ChartPainter, plane: Plane, low: float, high: float) -> None:
        assert self.figure is not None
        bands = self.bands
        painter.font_in(TEXT_PX)
        for cell, inside in self.cells.items():
            spot = self._cell_spot(plane, cell).adjusted(1, 1, -1, -1)
            known = bands.mean[inside][np.isfinite(bands.mean[inside])]
            if not len(known):
                painter.fill_in(painter.theme.border, hatched=True)
                painter.drawRect(spot)
                continue
            value = float(known.mean())
            tint = colours(painter.theme, np.array([value]), low, high)[0]
            painter.fillRect(spot, tint)
            words = value_words(self.figure, value, bands.like)
            if painter.wide(words) < spot.width() - 6 and spot.height() > scaled(15):
                painter.write(spot, words, ink_on(tint.name()), to=CENTRE)

    def _paint_dots(self, painter: ChartPainter, low: float, high: float) -> None:
        xy, places = self._kept_spots()
        values = self.bands.mean[places]
        for (x, y), tint, value in zip(
            xy.tolist(), colours(painter.theme, values, low, high), values.tolist(), strict=True
        ):
            if len(places) > _MANY:
                painter.fillRect(QRectF(x - 2.0, y - 2.0, 4.0, 4.0), tint)
                continue
            painter.line_in(painter.theme.muted, 0.8)
            if np.isfinite(value):
                painter.setBrush(tint)
            painter.drawEllipse(QPointF(x, y), scaled(_DOT_PX), scaled(_DOT_PX))

    def paint(self, painter: ChartPainter) -> None:
        """Paint a frame round what is chosen and pointed at."""
        plane, levels, (x, y) = self._plane(), self._levels(), self._xy()
        assert self.points is not None
        for number, ink, width in (
            (self.points.base, painter.theme.text, 1.5),
            (self.pointed, painter.theme.text, 2.0),
            (self.selected, painter.theme.alarm, 3.0),
        ):
            place = self.points.index(number)
            if place is None or not np.isfinite(x[place] + y[place]):
                continue
            painter.line_in(ink, width)
            if levels is not None:
                spot = self._cell_spot(plane, (round(x[place]), round(y[place])))
                if place not in self.cells.get((round(x[place]), round(y[place])), []):
                    _paint_diamond(painter, QPointF(plane.x.px(x[place]), plane.y.px(y[place])), ink)
                elif number == self.points.base and number not in (self.pointed, self.selected):
                    _paint_diamond(painter, spot.topLeft() + QPointF(scaled(8), scaled(8)), ink)
                else:
                    painter.drawRect(spot.adjusted(1, 1, -1, -1))
            else:
                painter.drawEllipse(QPointF(plane.x.px(x[place]), plane.y.px(y[place])), scaled(8), scaled(8))

    def _cell_spot(self, plane: Plane, cell: tuple[int, int]) -> QRectF:
        left, right = plane.x.px(cell[0] - 0.5), plane.x.px(cell[0] + 0.5)
        top, bottom = plane.y.px(cell[1] + 0.5), plane.y.px(cell[1] - 0.5)
        return QRectF(left, top, right - left, bottom - top)


def _place_in(levels: Floats, values: Floats, axis: KeyAxis) -> Floats:
    """Return which level each value is, of numbers between them also a part; NaN: none."""
    found: Floats = np.interp(values, levels, np.arange(len(levels), dtype=np.float64))
    between = (values >= levels.min()) & (values <= levels.max()) if axis.is_number and len(levels) else False
    inside = np.isfinite(values) & (np.isin(values, levels) | between)
    return np.where(inside, found, np.nan)


def _paint_diamond(painter: ChartPainter, at: QPointF, ink: str) -> None:
    """Mark the scene as it stands."""
    half = scaled(4)
    painter.fill_in(painter.theme.ground)
    painter.line_in(ink, 1.5)
    painter.setBrush(painter.theme.ground)
    painter.drawPolygon(
        [at + QPointF(0, -half), at + QPointF(half, 0), at + QPointF(0, half), at + QPointF(-half, 0)]
    )
