"""Goodput of two runs over their common time, and when each was struck: a low strip that is scrubbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from twin.app.plots.min_max_bands import CurveBand, band
from twin.app.plots.timeline_scale import Scale
from twin.app.toolkit.look import Look
from twin.app.toolkit.painted_widget import Painted
from twin.app.toolkit.text import elapsed
from twin.app.toolkit.theme import Theme, font, scaled
from twin.record.events import Severity

_HEIGHT_PX, _LANE_PX, _NAME_PX = 52, 5, 16
_COLUMN_PX = 4.0
_TOP = 105.0
"""Goodput at the upper edge [%]."""


@dataclass(frozen=True)
class Track:
    """One run over time.

    Attributes
    ----------
    t_s, goodput
        Samples [s], [%].
    struck
        Time [s] and severity of what happened to it, of some weight.
    """

    t_s: NDArray[np.float64]
    goodput: NDArray[np.float32]
    struck: tuple[tuple[float, Severity], ...]


class CompareStrip(Painted):
    """Shows A as a thin grey curve and B as one in the colour of the theme."""

    scrubbed = Signal(float)  # time somebody wants to see [s]

    def __init__(self, look: Look, tracks: Sequence[Track], reach_s: float) -> None:
        super().__init__(look, "Goodput of both runs over time")
        self._tracks, self._reach_s = tuple(tracks), max(reach_s, 1e-9)
        self._at_s = 0.0
        self._kept: tuple[tuple[QSize, float, Theme], QPixmap] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a low, wide strip."""
        return QSize(scaled(400), scaled(_HEIGHT_PX))

    def show_time(self, t_s: float) -> None:
        """Mark the time on screen."""
        self._at_s = t_s
        self.update()

    def t_s(self, x: float) -> float:
        """Return the time at a place [s]."""
        return min(max(x / max(self.width(), 1), 0.0), 1.0) * self._reach_s

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Look there."""
        self.scrubbed.emit(self.t_s(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.scrubbed.emit(self.t_s(event.position().x()))

    def said_at(self, place: QPointF) -> str:
        """Return the goodput of both at the time under a point."""
        t_s = self.t_s(place.x())
        lines = [f"{name}: {_at(track, t_s)}" for name, track in zip("AB", self._tracks, strict=True)]
        return f"<b>{elapsed(t_s)}</b><br>Goodput now<br>{'<br>'.join(lines)}"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the time on screen over the curves, which stay as they are."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._ground())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = self._at_s / self._reach_s * self.width()
        painter.setPen(QPen(QColor(self._look.theme.text), 1.5))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _ground(self) -> QPixmap:
        """Return both curves and marks of what happened, A above, B below; painted when size or theme changes."""
        theme, ratio = self._look.theme, self.devicePixelRatioF()
        wanted = self.size(), ratio, theme
        if self._kept is None or self._kept[0] != wanted:
            ground = QPixmap(self.size() * ratio)
            ground.setDevicePixelRatio(ratio)
            ground.fill(Qt.GlobalColor.transparent)
            self._paint_ground(QPainter(ground), theme)
            self._kept = wanted, ground
        return self._kept[1]

    def _paint_ground(self, painter: QPainter, theme: Theme) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lane = scaled(_LANE_PX)
        room = QRectF(0, lane + 1, self.width(), self.height() - 2 * lane - 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(room, 3, 3)
        for number, (track, colour) in enumerate(zip(self._tracks, (theme.muted, theme.accent), strict=True)):
            painter.setPen(QPen(QColor(colour), 1.6 if number else 1.2))
            for piece in self._band(track, room).pieces():
                painter.drawPolyline(self._curve(piece, room))
            painter.setPen(Qt.PenStyle.NoPen)
            top = room.bottom() + 1 if number else 0.0
            for at_s, severity in track.struck:
                painter.setBrush(QColor(theme.severity(severity)))
                painter.drawRect(QRectF(at_s / self._reach_s * self.width() - 1, top, 2, lane))
            self._write(painter, room, "AB"[number], colour, 1 - number)
        self._write(painter, room, "goodput now", theme.faint, 2)
        painter.end()

    def _write(self, painter: QPainter, room: QRectF, words: str, colour: str, place: int) -> None:
        """Write words in the lower right corner, where goodput seldom is, so many names from the edge."""
        painter.setFont(font(10, bold=True))
        painter.setPen(QColor(colour))
        spot = room.adjusted(0, 0, -6 - place * scaled(_NAME_PX), -3)
        painter.drawText(spot, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, words)

    def _band(self, track: Track, room: QRectF) -> CurveBand:
        """Return a run in columns of a few pixels: dips of minutes in a run of weeks would be a thicket."""
        scale = Scale.all(self._reach_s, width_px=room.width() / _COLUMN_PX)
        until_s = float(track.t_s[-1]) if len(track.t_s) else 0.0
        return band(track.t_s, track.goodput.astype(float), scale, until_s)

    def _curve(self, piece: CurveBand, room: QRectF) -> QPolygonF:
        x = (piece.column + 0.5) * _COLUMN_PX
        y = room.bottom() - 2 - np.clip(piece.mean / _TOP, 0.0, 1.0) * (room.height() - 4)
        return QPolygonF([QPointF(float(a), float(b)) for a, b in zip(x, y, strict=True)])


def _at(track: Track, t_s: float) -> str:
    place = int(np.searchsorted(track.t_s, t_s, side="right")) - 1
    if place < 0 or t_s > track.t_s[-1] + 1.0:
        return "not recorded"
    value = float(track.goodput[place])
    return f"{value:.1f} %" if np.isfinite(value) else "no job ran"
