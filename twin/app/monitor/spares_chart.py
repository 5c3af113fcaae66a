"""Nodes by condition over time, stacked: those that are not at work stand on the ground, large enough to be seen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from twin.app.monitor.spares_facts import DARK_TINTS, LIGHT_TINTS, ORDER
from twin.app.session.bounded_history import BoundedHistory
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.app.toolkit.painted_widget import Painted
from twin.app.toolkit.theme import font
from twin.record.channels import NodeCondition
from twin.record.spare_pool import WORDS

_LEFT_PX, _RIGHT_PX, _TOP_PX, _AXIS_PX, _KEY_PX = 44.0, 150.0, 10.0, 20.0, 17.0
STACKED = tuple(name for name in ORDER if name not in (NodeCondition.IN_USE, NodeCondition.IDLE))
"""Nodes at work, and those that no live job may use, are the rest: they would press all others to a line."""


class SparesChart(Painted):
    """Draws the history of the pool; the key beside it has the figures of now."""

    def __init__(self, look: Look, history: BoundedHistory) -> None:
        super().__init__(look, "Nodes by condition over time")
        self._history = history
        self._clock: Clock | None = None
        self._now: Mapping[NodeCondition, int] = {}
        self.setMinimumSize(300, 110)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Return a size in which everything is legible."""
        return QSize(460, 220)

    def tell_time_by(self, clock: Clock) -> None:
        """Follow another run."""
        self._clock, self._now = clock, {}
        self.update()

    def show_moment(self, now: Mapping[NodeCondition, int]) -> None:
        """Show the newest moment."""
        self._now = now
        counts = [f"{WORDS[name]} {count:,}" for name, count in now.items() if count]
        self.setAccessibleDescription(", ".join(counts))
        self.update()

    @property
    def room(self) -> QRectF:
        """Return the place of the areas."""
        return QRectF(
            _LEFT_PX,
            _TOP_PX,
            max(self.width() - _LEFT_PX - _RIGHT_PX, 20.0),
            max(self.height() - _TOP_PX - _AXIS_PX, 20.0),
        )

    def tint(self, name: NodeCondition) -> QColor:
        """Return the colour of a condition."""
        return QColor((DARK_TINTS if self._look.theme.is_dark else LIGHT_TINTS)[name])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint areas, axes and key."""
        theme, painter = self._look.theme, QPainter(self)
        room, t_s = self.room, self._history.times_s()
        painter.setFont(font(10))
        top = 1.0
        if len(t_s):
            stacked = np.cumsum([self._history.series(name.name) for name in STACKED], axis=0)
            top = max(float(stacked[-1].max()) * 1.08, 1.0)
            self._paint_areas(painter, room, t_s, stacked, top)
        painter.setPen(QPen(QColor(theme.border), 1.0))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        painter.setPen(QColor(theme.muted))
        step = _step(top)
        for count in range(0, int(top) + 1, step):
            y = room.bottom() - room.height() * count / top
            spot = QRectF(0, y - 8, _LEFT_PX - 7, 16)
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{count:,}")
        if self._clock is not None and len(t_s):
            spot = QRectF(room.left(), room.bottom() + 2, room.width(), _AXIS_PX - 2)
            low, high = self._clock.says(float(t_s[0])), self._clock.says(float(t_s[-1]))
            both_px = painter.fontMetrics().horizontalAdvance(f"{low}  {high}")
            if both_px <= room.width():  # else the newest alone, to be read
                painter.drawText(spot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, low)
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, high)
        self._paint_key(painter)

    def _paint_areas(
        self,
        painter: QPainter,
        room: QRectF,
        t_s: NDArray[np.float64],
        stacked: NDArray[np.float64],
        top: float,
    ) -> None:
        span_s = max(float(t_s[-1] - t_s[0]), 1e-9)
        x = room.left() + room.width() * (t_s - t_s[0]) / span_s
        x = np.repeat(x, 2)[1:]  # a count holds until the next one: steps, no slopes
        before = np.full(len(x), room.bottom())
        painter.setPen(Qt.PenStyle.NoPen)
        for name, sums in zip(STACKED, stacked, strict=True):
            y = np.repeat(room.bottom() - room.height() * sums / top, 2)[:-1]
            if np.any(y < before - 1e-6):
                points = [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
                points += [
                    QPointF(a, b) for a, b in zip(x[::-1].tolist(), before[::-1].tolist(), strict=True)
                ]
                painter.setBrush(self.tint(name))
                painter.drawPolygon(QPolygonF(points))
            before = y

    def _paint_key(self, painter: QPainter) -> None:
        theme, left = self._look.theme, self.width() - _RIGHT_PX + 14
        seen = [name for name in reversed(ORDER) if self._now.get(name, 0) or self._ever(name)]
        high = min(_KEY_PX, max((self.height() - 8.0) / max(len(seen), 1), 11.0))
        for number, name in enumerate(seen):
            y = 6.0 + number * high
            painter.fillRect(QRectF(left, y + high / 2 - 4, 8, 8), self.tint(name))
            painter.setPen(QColor(theme.muted))
            spot = QRectF(left + 14, y, _RIGHT_PX - 66, high)
            painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, WORDS[name])
            painter.setPen(QColor(theme.text))
            figure = QRectF(self.width() - 48, y, 40, high)
            painter.drawText(
                figure,
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                f"{self._now.get(name, 0):,}",
            )

    def _ever(self, name: NodeCondition) -> bool:
        return bool(len(self._history)) and bool(np.any(self._history.series(name.name) > 0))

    def said_at(self, place: QPointF) -> str:
        """Return the counts at the time under a point, as rich text."""
        t_s, room = self._history.times_s(), self.room
        if not len(t_s) or self._clock is None or not room.contains(place):
            return ""
        at_s = float(t_s[0]) + (place.x() - room.left()) / room.width() * float(t_s[-1] - t_s[0])
        at = max(int(np.searchsorted(t_s, at_s, "right")) - 1, 0)
        lines = [f"<b>{self._clock.says(float(t_s[at]))}</b>"]
        for name in ORDER:
            count = int(self._history.series(name.name)[at])
            lines += [f"{WORDS[name]} {count:,}"] if count else []
        return "<br>".join(lines)


def _step(top: float) -> int:
    """Return the distance of marks, such that there are few."""
    step = 1
    for factor in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if top / step <= 5:
            break
        step = factor
    return step
