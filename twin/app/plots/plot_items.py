"""What a plot is made of: its time axis, its curves, and the time looked at. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPixmap, QRegion
from PySide6.QtWidgets import QGraphicsPathItem, QWidget

from twin.app.plots.columns import CurvePiece, Drawn
from twin.app.toolkit.charts.axes import since_midnight_s, time_words
from twin.app.toolkit.charts.painting import faded
from twin.app.toolkit.clock import Clock
from twin.arrays import Floats

_TICK_PX, _EDGE_PX = 52.0, 18.0
_DAY_S = 86_400
_TICKS_S: tuple[int, ...] = (
    *(1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200),
    *(days * _DAY_S for days in (1, 2, 5, 10, 20, 50, 100, 365)),
)
_BAND_ALPHA, _EDGE_ALPHA, _SEEDS_ALPHA = 0.25, 0.5, 0.16
"""Of the band and of its edges: a peak that is a column wide is hardly more than edges."""
_BESIDE_PX = 2
"""The line is not wider than this to either side."""


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Simulated time as the time of day, or as the date where the range spans days."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("bottom")
        self.clock = clock

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return the distance of ticks that people count time in, few enough for the width."""
        span_s = high - low
        target_s = span_s * _TICK_PX / max(size, _TICK_PX)
        # The text of a tick nearer to an end is left out.
        edge_s = span_s * min(_EDGE_PX / max(size, 1.0), 0.25)
        midnight_s = -since_midnight_s(self.clock)
        wide = next((i for i, step in enumerate(_TICKS_S) if step >= target_s), len(_TICKS_S) - 1)
        for step in reversed(_TICKS_S[: wide + 1]):
            first_s = low + edge_s + (midnight_s - low - edge_s) % step
            if first_s <= high - edge_s:
                # A finer step only finds a place: texts so near to each other would overlap.
                return [(float(_TICKS_S[wide]), first_s % _TICKS_S[wide])]
        return [(float(_TICKS_S[0]), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the texts of ticks."""
        return [time_words(self.clock, value, spacing) for value in values]


class PlotCurve:
    """Draws one curve.

    Parameters
    ----------
    item
        Plot item of pyqtgraph.

    Attributes
    ----------
    line, band
        Its items.
    drawn
        What they show, in the unit of the axis.
    """

    def __init__(self, item: Any) -> None:
        self.drawn: Drawn | None = None
        self.band = QGraphicsPathItem()
        self.band.setZValue(-1.0)  # behind the lines of all curves
        self.line = pg.PlotCurveItem(connect="finite")
        self.seeds, self.middle = QGraphicsPathItem(), pg.PlotCurveItem(connect="finite")
        self.seeds.setZValue(-2.0)
        box = item.getViewBox()
        for item_of_seeds in (self.seeds, self.middle):
            box.addItem(item_of_seeds, ignoreBounds=True)
        box.addItem(self.band, ignoreBounds=True)
        box.addItem(self.line, ignoreBounds=True)

    def set_pen(self, pen: QPen) -> None:
        """Draw with this pen; the band has its colour."""
        self.line.setPen(pen)
        self.band.setBrush(faded(pen.color(), _BAND_ALPHA))
        self.band.setPen(pg.mkPen(faded(pen.color(), _EDGE_ALPHA), width=1.0))
        self.seeds.setBrush(faded(pen.color(), _SEEDS_ALPHA))
        self.seeds.setPen(pg.mkPen(None))
        self.middle.setPen(pg.mkPen(faded(pen.color(), _EDGE_ALPHA), width=1.0, style=Qt.PenStyle.DashLine))

    def show(self, drawn: Drawn) -> None:
        """Draw this."""
        self.drawn = drawn
        self.line.setData(drawn.t_s, drawn.values)
        self.band.setPath(_outline(drawn.pieces))

    def show_seeds(self, t_s: Floats, band: Floats | None) -> None:
        """Draw P5 to P95 over seeds as a band, and P50 as a line, shape (3, T); None: neither."""
        known = np.isfinite(band).all(axis=0) if band is not None else np.zeros(0, np.bool_)
        if band is None or not known.any():
            self.seeds.setPath(QPainterPath())
            self.middle.setData([], [])
            return
        low, middle, high = band[:, known]
        self.seeds.setPath(_outline((CurvePiece(t_s[known], low, high),)))
        self.middle.setData(t_s[known], middle)


class PlotCursor(QWidget):
    """The time that is looked at: lies over a plot with a picture of it, and draws a line over that.

    Moving it paints no curve and no axis anew. A line that is part of the plot costs, at every move, the curves and
    axes it passes over in Python, and a turn of the event loop of its own, in which the whole window is put together
    again with the hall in it.

    Parameters
    ----------
    plot
        Widget of pyqtgraph; what changes in its scene is in the next picture.
    """

    def __init__(self, plot: Any) -> None:
        super().__init__(plot.viewport())
        self._plot = plot
        self._pen = QPen()
        self._picture: QPixmap | None = None
        self._x_px = 0.0
        self.t_s: float | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or the plot would be painted below it
        self.hide()
        plot.scene().changed.connect(self._on_changed)
        plot.viewport().installEventFilter(self)

    def show_time(self, t_s: float | None) -> None:
        """Stand at a time [s]; None: nowhere."""
        self.t_s = t_s
        if t_s is None:
            self._picture = None
        elif self._picture is not None:
            self._update_line()
            self._place()
            self._update_line()
        self.setVisible(t_s is not None)

    def set_pen(self, pen: QPen) -> None:
        """Draw with this pen, over a plot that looks different."""
        self._pen = pen
        self._on_changed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cover the whole plot."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._plot.viewport().size())
            self._on_changed()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is asked for from the picture, and the line."""
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._plot.viewport().render(self._picture, QPoint(), QRegion(), QWidget.RenderFlag(0))
            self._place()
        painter, rect = QPainter(self), event.rect()
        source = QRectF(QPointF(rect.topLeft()) * ratio, QRectF(rect).size() * ratio)
        painter.drawPixmap(QRectF(rect), self._picture, source)
        room = self._room()
        if room.left() <= self._x_px <= room.right():
            painter.setPen(self._pen)
            painter.drawLine(QPointF(self._x_px, room.top()), QPointF(self._x_px, room.bottom()))
        painter.end()

    def _on_changed(self, *_what: object) -> None:
        self._picture = None
        self.update()

    def _update_line(self) -> None:
        left = int(self._x_px) - _BESIDE_PX
        self.update(left, 0, 2 * _BESIDE_PX + 2, self.height())

    def _room(self) -> QRectF:
        """Return where curves are [px]."""
        box = self._plot.getPlotItem().getViewBox()
        room: QRectF = self._plot.viewportTransform().mapRect(box.sceneBoundingRect())
        return room

    def _place(self) -> None:
        """Find where the time is in the plot as it was painted last."""
        if self.t_s is not None:
            place = self._plot.getPlotItem().getViewBox().mapViewToScene(QPointF(self.t_s, 0.0))
            self._x_px = float(self._plot.viewportTransform().map(place).x())


def _outline(pieces: tuple[CurvePiece, ...]) -> QPainterPath:
    """Return all pieces as one path: there along the greatest values, back along the least."""
    if not pieces:
        return QPainterPath()
    x = np.concatenate([each for piece in pieces for each in (piece.t_s, piece.t_s[::-1])])
    y = np.concatenate([each for piece in pieces for each in (piece.high, piece.low[::-1])])
    joined = np.ones(len(x), np.int32)
    joined[np.cumsum([2 * len(piece.t_s) for piece in pieces]) - 1] = 0
    path: QPainterPath = pg.arrayToQPath(x, y, connect=joined)
    return path
