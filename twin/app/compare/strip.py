"""Goodput of two runs over their common time, and when each was struck: a low strip that is scrubbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent

from twin.app.plots.min_max_bands import CurveBand, band
from twin.app.plots.timeline_scale import Scale
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import elapsed
from twin.app.toolkit.theme import scaled
from twin.language import tr
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


class CompareStrip(PaintedChart):
    """Shows A as a thin grey curve and B as one in the colour of the theme, A's marks above and B's below."""

    scrubbed = Signal(float)  # time somebody wants to see [s]
    keeps_ground = True

    def __init__(self, look: Look, tracks: Sequence[Track], reach_s: float) -> None:
        super().__init__(look, tr("Goodput of both runs over time"), tall=False)
        self._tracks, self._reach_s = tuple(tracks), max(reach_s, 1e-9)
        self._at_s = 0.0

    def sizeHint(self) -> QSize:
        """Return a low, wide strip."""
        return QSize(scaled(400), scaled(_HEIGHT_PX))

    def show_time(self, t_s: float) -> None:
        """Mark the time on screen."""
        self._at_s = t_s
        self.update()

    @property
    def axis(self) -> Axis:
        """Return where times are [s]."""
        return Axis(0.0, self._reach_s, 0.0, max(self.width(), 1))

    def _scrub(self, event: QMouseEvent) -> None:
        self.scrubbed.emit(self._t_s(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Look there."""
        self._scrub(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event)

    def _t_s(self, place: QPointF) -> float:
        return min(max(self.axis.value(place.x()), 0.0), self._reach_s)

    def said_at(self, place: QPointF) -> str:
        """Return the goodput of both at the time under a point."""
        t_s = self._t_s(place)
        lines = [f"{name}: {_at(track, t_s)}" for name, track in zip("AB", self._tracks, strict=True)]
        return tr("<b>{time}</b><br>Goodput now<br>{lines}", time=elapsed(t_s), lines="<br>".join(lines))

    def paint(self, painter: ChartPainter) -> None:
        """Paint the time on screen."""
        painter.line_in(painter.theme.text, 1.5)
        painter.upright(self.axis.px(self._at_s), 0, self.height())

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint both curves and marks of what happened."""
        theme, lane = painter.theme, scaled(_LANE_PX)
        room = QRectF(0, lane + 1, self.width(), self.height() - 2 * lane - 2)
        painter.fill_in(theme.raised)
        painter.drawRoundedRect(room, 3, 3)
        up = Axis(0.0, _TOP, room.bottom() - 2, room.top() + 2)
        for number, (track, tint) in enumerate(zip(self._tracks, (theme.muted, theme.accent), strict=True)):
            painter.line_in(tint, 1.6 if number else 1.2)
            for piece in self._band(track, room).pieces():
                painter.curve(
                    (piece.column.astype(float) + 0.5) * _COLUMN_PX, up.px(np.clip(piece.mean, 0.0, _TOP))
                )
            top = room.bottom() + 1 if number else 0.0
            for at_s, severity in track.struck:
                painter.fill_in(theme.severity(severity))
                painter.drawRect(QRectF(self.axis.px(at_s) - 1, top, 2, lane))
            self._write(painter, room, "AB"[number], tint, 1 - number)
        self._write(painter, room, tr("goodput now"), theme.faint, 2)

    def _write(self, painter: ChartPainter, room: QRectF, words: str, tint: str, place: int) -> None:
        """Write words in the lower right corner, where goodput seldom is, so many names from the edge."""
        corner = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight
        spot = room.adjusted(0, 0, -6 - place * scaled(_NAME_PX), -3)
        painter.write(spot, words, tint, 10, bold=True, to=corner)

    def _band(self, track: Track, room: QRectF) -> CurveBand:
        """Return a run in columns of a few pixels: dips of minutes in a run of weeks would be a thicket."""
        scale = Scale.all(self._reach_s, width_px=room.width() / _COLUMN_PX)
        until_s = float(track.t_s[-1]) if len(track.t_s) else 0.0
        return band(track.t_s, track.goodput.astype(float), scale, until_s)


def _at(track: Track, t_s: float) -> str:
    place = int(np.searchsorted(track.t_s, t_s, side="right")) - 1
    if place < 0 or t_s > track.t_s[-1] + 1.0:
        return tr("not recorded")
    value = float(track.goodput[place])
    return f"{value:.1f} %" if np.isfinite(value) else tr("no job ran")
