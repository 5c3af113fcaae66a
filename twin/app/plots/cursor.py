"""The time that is looked at, as a line over a plot: moving it paints no curve and no axis anew.

A line that is part of the plot costs, at every move, the curves and axes it passes over in Python, and a turn of the
event loop of its own, in which the whole window is put together again with the hall in it.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

_BESIDE_PX = 2
"""The line is not wider than this to either side."""


class PlotCursor(QWidget):
    """Lies over a plot with a picture of it, and draws the line over that.

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
