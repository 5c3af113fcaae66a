"""Nodes by condition over time, stacked: those that are not at work stand on the ground, large enough to be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from twin.app.monitor.spares_facts import DARK_TINTS, LIGHT_TINTS, ORDER
from twin.app.session.bounded_history import BoundedHistory
from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import RIGHT, ChartPainter
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.arrays import Floats
from twin.language import tr
from twin.record.channels import NodeCondition
from twin.record.spare_pool import WORDS

_LEFT_PX, _RIGHT_PX, _TOP_PX, _AXIS_PX, _KEY_PX = 44.0, 150.0, 10.0, 20.0, 17.0
_MOST_MARKS = 5
STACKED = tuple(name for name in ORDER if name not in (NodeCondition.IN_USE, NodeCondition.IDLE))
"""Nodes at work, and those that no live job may use, are the rest: they would press all others to a line."""


class SparesChart(PaintedChart):
    """Draws the history of the pool; the key beside it has the figures of now."""

    smooth = False

    def __init__(self, look: Look, history: BoundedHistory) -> None:
        super().__init__(look, tr("Nodes by condition over time"), hint=(460, 220), least=(300, 110))
        self._history = history
        self._clock: Clock | None = None
        self._now: Mapping[NodeCondition, int] = {}

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
        wide = max(self.width() - _LEFT_PX - _RIGHT_PX, 20.0)
        return QRectF(_LEFT_PX, _TOP_PX, wide, max(self.height() - _TOP_PX - _AXIS_PX, 20.0))

    @property
    def times(self) -> Axis:
        """Return where times are [s]."""
        t_s, room = self._history.times_s(), self.room
        begin_s, end_s = (float(t_s[0]), float(t_s[-1])) if len(t_s) else (0.0, 0.0)
        return Axis(begin_s, max(end_s, begin_s + 1e-9), room.left(), room.right())

    def tint(self, name: NodeCondition) -> QColor:
        """Return the colour of a condition."""
        return QColor((DARK_TINTS if self.theme.is_dark else LIGHT_TINTS)[name])

    def paint(self, painter: ChartPainter) -> None:
        """Paint areas, axes and key."""
        theme, room, t_s = painter.theme, self.room, self._history.times_s()
        painter.font_in(10)
        nodes = Axis(0.0, 1.0, room.bottom(), room.top())
        if len(t_s):
            stacked = np.cumsum([self._history.series(name.name) for name in STACKED], axis=0)
            nodes = replace(nodes, high=max(float(stacked[-1].max()) * 1.08, 1.0))
            self._paint_areas(painter, t_s, stacked, nodes)
        painter.line_in(theme.border)
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        counts = range(0, int(nodes.high) + 1, max(int(round_step(nodes.high / _MOST_MARKS)), 1))
        painter.value_marks(nodes, [(float(count), f"{count:,}") for count in counts], room, gap_px=7)
        if self._clock is not None and len(t_s):
            spot = QRectF(room.left(), room.bottom() + 2, room.width(), _AXIS_PX - 2)
            low, high = self._clock.says(float(t_s[0])), self._clock.says(float(t_s[-1]))
            if painter.wide(f"{low}  {high}") <= room.width():  # else the newest alone, to be read
                painter.write(spot, low, theme.muted)
            painter.write(spot, high, theme.muted, to=RIGHT)
        self._paint_key(painter)

    def _paint_areas(self, painter: ChartPainter, t_s: Floats, stacked: Floats, nodes: Axis) -> None:
        x = np.repeat(self.times.px(t_s), 2)[1:]  # a count holds until the next one: steps, no slopes
        before = np.full(len(x), nodes.begin)
        for name, sums in zip(STACKED, stacked, strict=True):
            y = np.repeat(nodes.px(sums), 2)[:-1]
            if np.any(y < before - 1e-6):
                painter.fill_in(self.tint(name))
                painter.area(x, y, before)
            before = y

    def _paint_key(self, painter: ChartPainter) -> None:
        theme, left = painter.theme, self.width() - _RIGHT_PX + 14
        seen = [name for name in reversed(ORDER) if self._now.get(name, 0) or self._ever(name)]
        high = min(_KEY_PX, max((self.height() - 8.0) / max(len(seen), 1), 11.0))
        for number, name in enumerate(seen):
            y = 6.0 + number * high
            painter.fillRect(QRectF(left, y + high / 2 - 4, 8, 8), self.tint(name))
            painter.write(QRectF(left + 14, y, _RIGHT_PX - 66, high), WORDS[name], theme.muted)
            figure = QRectF(self.width() - 48, y, 40, high)
            painter.write(figure, f"{self._now.get(name, 0):,}", theme.text, to=RIGHT)

    def _ever(self, name: NodeCondition) -> bool:
        return bool(len(self._history)) and bool(np.any(self._history.series(name.name) > 0))

    def said_at(self, place: QPointF) -> str:
        """Return the counts at the time under a point, as rich text."""
        t_s = self._history.times_s()
        if not len(t_s) or self._clock is None or not self.room.contains(place):
            return ""
        at = max(int(np.searchsorted(t_s, self.times.value(place.x()), "right")) - 1, 0)
        lines = [f"<b>{self._clock.says(float(t_s[at]))}</b>"]
        for name in ORDER:
            count = int(self._history.series(name.name)[at])
            lines += [f"{WORDS[name]} {count:,}"] if count else []
        return "<br>".join(lines)
