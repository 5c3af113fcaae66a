"""Cost over time: all candidates that were screened, the designs of the front with their ranges, and the front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QKeyEvent, QMouseEvent, Qt

from twin.app.needs.front_rows import FoundDesign, front_line, range_text
from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import significant
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats
from twin.designs.answer import Designs
from twin.designs.design import Design
from twin.designs.need import DAY_S
from twin.language import tr

_TEXT_PX, _LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 11, 58.0, 16.0, 22.0, 36.0
_DOT_PX, _POINT_PX, _NEAR_PX, _ROOM, _LEAST = 5.0, 1.8, 11.0, 0.06, 0.1
_MUSD, _MW = 1e6, 1e6


class FrontChart(PaintedChart):
    """Shows designs; a click looks at one, a double-click or Enter opens it.

    Attributes
    ----------
    found
        What is shown.
    looked_at
        Name of the design that stands out.
    """

    chosen = Signal(str)
    opened = Signal(str)
    keeps_ground = True
    empty = tr("Cost over time of the designs that are found")

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Cost over time"), least=(260, 150), keys=True)
        self.found: list[FoundDesign] = []
        self.looked_at = ""
        self._points: Floats = np.zeros((0, 3))
        self._timed = True

    def show_designs(self, answer: Designs | None, found: Sequence[FoundDesign]) -> None:
        """Show other designs, and the candidates that they are of."""
        self.found = list(found)
        self._timed = all(candidate.design.promises for candidate in found)
        points = answer.points if answer is not None and self._timed else ()
        known = [point for point in points if math.isfinite(point.time_s)]
        self._points = np.array(known, np.float64).reshape(-1, 3)
        self.setAccessibleDescription("; ".join(self._words(candidate) for candidate in self.found))
        self.refresh()

    def look_at(self, name: str) -> None:
        """Let a design stand out."""
        if name != self.looked_at:
            self.looked_at = name
            self.update()

    @property
    def is_empty(self) -> bool:
        """Return whether there is no design."""
        return not self.found

    def items(self) -> list[ChartItem]:
        """Return the designs, that which is looked at first."""
        across, up = self.axes()
        order = sorted(self.found, key=lambda candidate: candidate.name != self.looked_at)
        return [
            ChartItem(
                QRectF(x - _NEAR_PX, y - _NEAR_PX, 2 * _NEAR_PX, 2 * _NEAR_PX),
                f"<b>{escape(candidate.title)}</b><br>{escape(self._words(candidate))}",
                candidate.name,
                self._words(candidate),
            )
            for candidate in order
            for x, y in [(across.px(self._x(candidate.design)), up.px(candidate.design.yearly_usd / _MUSD))]
        ]

    def axes(self) -> tuple[Axis, Axis]:
        """Return where time [day], or power [MW], and cost [MUSD a year] stand: round all designs with their ranges."""
        x, y = [], []
        for candidate in self.found:
            x += self._x_range(candidate.design)
            y += self._y_range(candidate.design)
        return (
            _round(x, scaled(_LEFT_PX), self.width() - scaled(_RIGHT_PX)),
            _round(y, self.height() - scaled(_BOTTOM_PX), scaled(_TOP_PX)),
        )

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint axes, candidates and the front."""
        theme = painter.theme
        across, up = self.axes()
        room = QRectF(across.begin, up.end, across.end - across.begin, up.begin - up.end)
        painter.font_in(_TEXT_PX)
        painter.value_marks(up, _marks(up, 5), room, grid=True)
        painter.write(
            QRectF(4, 0, self.width() - 8, scaled(_TOP_PX)), tr("Cost of a year, million USD"), theme.muted
        )
        high = scaled(_BOTTOM_PX) / 2
        for value, words in _marks(across, 6):
            painter.write(
                QRectF(across.px(value) - 40, room.bottom() + 1, 80, high), words, theme.muted, to=CENTRE
            )
        foot = QRectF(room.left(), room.bottom() + high, room.width(), high)
        title = tr("Time of all work, days") if self._timed else tr("Site power, MW")
        painter.write(foot, title, theme.muted, to=CENTRE)
        painter.write(foot, tr("whiskers: P5 to P95"), theme.faint, to=RIGHT)
        painter.save()
        painter.setClipRect(room)
        self._candidates(painter, across, up)
        self._front(painter, across, up)
        painter.restore()

    def paint(self, painter: ChartPainter) -> None:
        """Paint the designs with their ranges."""
        across, up = self.axes()
        theme, current = painter.theme, self.current
        for candidate in sorted(self.found, key=lambda candidate: candidate.name == self.looked_at):
            on = candidate.name == self.looked_at
            x, y = across.px(self._x(candidate.design)), up.px(candidate.design.yearly_usd / _MUSD)
            painter.line_in(theme.text if on else theme.muted, 1.6 if on else 1.0)
            low, high = (across.px(value) for value in self._x_range(candidate.design)[:2])
            painter.drawLine(QPointF(low, y), QPointF(high, y))
            painter.upright(x, *(up.px(value) for value in self._y_range(candidate.design)[:2]))
            painter.fill_in(
                theme.alarm if candidate.checked is not None and candidate.checked.reason else theme.accent
            )
            radius = _DOT_PX + (2.0 if on else 0.0)
            painter.drawEllipse(QPointF(x, y), radius, radius)
            if self.hasFocus() and current is not None and current.key == candidate.name:
                painter.line_in(theme.text, 2.0)
                painter.drawEllipse(QPointF(x, y), radius + 3, radius + 3)
            elif on:
                painter.line_in(theme.text, 1.6)
                painter.drawEllipse(QPointF(x, y), radius, radius)

    def _candidates(self, painter: ChartPainter, across: Axis, up: Axis) -> None:
        for yearly_usd, time_s, feasible in self._points.tolist():
            painter.fill_in(painter.theme.muted if feasible else painter.theme.border, alpha=0.55)
            spot = QPointF(across.px(time_s / DAY_S), up.px(yearly_usd / _MUSD))
            painter.drawEllipse(spot, _POINT_PX, _POINT_PX)

    def _front(self, painter: ChartPainter, across: Axis, up: Axis) -> None:
        """Draw the front in steps: what lies beyond it no design reaches."""
        line = front_line(self.found) if self._timed else []
        painter.line_in(painter.theme.accent, 1.4, Qt.PenStyle.DashLine)
        for before, after in pairwise(line):
            x, y = across.px(self._x(after.design)), up.px(before.design.yearly_usd / _MUSD)
            painter.drawLine(QPointF(across.px(self._x(before.design)), y), QPointF(x, y))
            painter.upright(x, y, up.px(after.design.yearly_usd / _MUSD))

    def _x(self, design: Design) -> float:
        return design.time_range_s[1] / DAY_S if self._timed else design.site_w / _MW

    def _x_range(self, design: Design) -> list[float]:
        if not self._timed:
            return [design.site_w / _MW] * 2
        return [design.time_range_s[0] / DAY_S, design.time_range_s[2] / DAY_S]

    def _y_range(self, design: Design) -> list[float]:
        ranges = design.ranges
        own = design.yearly_usd / _MUSD
        return [own, own] if ranges is None else [ranges.yearly_usd[0] / _MUSD, ranges.yearly_usd[2] / _MUSD]

    def _words(self, candidate: FoundDesign) -> str:
        design = candidate.design
        year = design.ranges.yearly_usd if design.ranges is not None else (design.yearly_usd,) * 3
        if not self._timed:
            return tr(
                "{title}: {power} MW, {cost} million USD a year",
                title=candidate.title,
                power=significant(design.site_w / _MW),
                cost=range_text(year, _MUSD),
            )
        return tr(
            "{title}: {days} days, {cost} million USD a year",
            title=candidate.title,
            days=range_text(design.time_range_s, DAY_S),
            cost=range_text(year, _MUSD),
        )

    # -- pointer and keys ----

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Look at the design that is clicked."""
        item = self.item_at(event.position())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.go_to(item.key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the design that is clicked twice."""
        item = self.item_at(event.position())
        if item is not None:
            self.opened.emit(item.key)

    def beside(self, across: int, down: int) -> str:
        """Return the design that an arrow key leads to: they stand in the order of the table."""
        names = [candidate.name for candidate in self.found]
        at = names.index(self.looked_at) + across + down if self.looked_at in names else 0
        return names[at % len(names)] if names else ""

    def go_to(self, key: str) -> None:
        """Look at a design, and tell of it."""
        self.looked_at = key
        super().go_to(key)
        self.chosen.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the design by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.looked_at:
            self.opened.emit(self.looked_at)
        else:
            super().keyPressEvent(event)


def _round(values: list[float], begin: float, end: float) -> Axis:
    """Return an axis round values, with some room on both sides."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = max(_ROOM * (high - low), (_LEAST * abs(high) - (high - low)) / 2, 1e-6)
    return Axis(low - room, high + room, begin, end)


def _marks(axis: Axis, count: int) -> list[tuple[float, str]]:
    step = round_step((axis.high - axis.low) / count)
    first = math.ceil(axis.low / step)
    values = [number * step for number in range(first, math.floor(axis.high / step) + 1)]
    return [(value, f"{round(value, 9):,.10g}") for value in values]
