"""A small curve with its name and newest value: three of them fit where one plot would."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from twin.app.toolkit import text
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import font, scaled
from twin.arrays import Floats

_NAME_PX, _VALUE_PX, _EDGE_PX = 54.0, 66.0, 12.0


class SparkLine(QWidget):
    """Draws one series over time, from its least to its greatest value.

    Parameters
    ----------
    title, unit
        Of what is drawn.
    from_zero
        Whether the axis begins at 0.
    """

    def __init__(self, look: Look, title: str, unit: str, *, from_zero: bool) -> None:
        super().__init__()
        self._look, self._title, self._unit, self._from_zero = look, title, unit, from_zero
        self._t_s: Floats = np.zeros(0)
        self._values: Floats = np.zeros(0)
        self.setMinimumHeight(18)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(title)
        look.changed.connect(self._on_theme)

    def sizeHint(self) -> QSize:
        """Return one line."""
        return QSize(220, 24)

    def show_series(self, t_s: Floats, values: Floats) -> None:
        """Draw another series; nan leaves a gap."""
        self._t_s, self._values = t_s.copy(), values.copy()
        words = self._words()
        self.setAccessibleDescription(words)
        known = self._values[np.isfinite(self._values)]
        if len(known):
            low, high = (self._says(float(v)) for v in (known.min(), known.max()))
            self.setToolTip(plain_tip(f"{self._title}: {words}, from {low} to {high} so far"))
        self.update()

    def _words(self) -> str:
        newest = float(self._values[-1]) if len(self._values) else math.nan
        return self._says(newest)

    def _says(self, value: float) -> str:
        return text.quantity(value, self._unit) if self._unit else text.gpus(value)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name, curve and value."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(11))
        painter.setPen(QColor(theme.muted))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(_EDGE_PX, 0, scaled(_NAME_PX), self.height()), middle, self._title)
        painter.setPen(QColor(theme.text))
        painter.setFont(font(11, bold=True))
        value = QRectF(self.width() - _EDGE_PX - scaled(_VALUE_PX), 0, scaled(_VALUE_PX), self.height())
        painter.drawText(value, middle | Qt.AlignmentFlag.AlignRight, self._words())
        taken_px = scaled(_NAME_PX) + scaled(_VALUE_PX) + 2 * _EDGE_PX + 6
        room = QRectF(_EDGE_PX + scaled(_NAME_PX), 3, self.width() - taken_px, 0)
        room.setHeight(max(self.height() - 6.0, 4.0))
        self._paint_curve(painter, room)

    def _paint_curve(self, painter: QPainter, room: QRectF) -> None:
        known = np.isfinite(self._values)
        if np.count_nonzero(known) < 2 or room.width() < 10:
            return
        low = 0.0 if self._from_zero else float(self._values[known].min())
        high = float(self._values[known].max())
        span_s = max(float(self._t_s[-1] - self._t_s[0]), 1e-9)
        x = room.left() + room.width() * (self._t_s - self._t_s[0]) / span_s
        y = room.bottom() - room.height() * (self._values - low) / max(high - low, 1e-9)
        if high - low < 1e-3 * abs(high):  # steady: a line in the middle, not the noise of its last digit
            y = np.where(known, room.center().y(), y)
        painter.setPen(QPen(QColor(self._look.theme.accent), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for part in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known.astype(np.int8)) != 0) + 1):
            if known[part[0]] and len(part) > 1:
                painter.drawPolyline(QPolygonF([QPointF(float(x[k]), float(y[k])) for k in part]))

    def _on_theme(self, _theme: object) -> None:
        self.update()
