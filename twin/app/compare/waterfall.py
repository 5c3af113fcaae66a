"""Where the GPU time went from one run to another, painted: from the productive hours of A to those of B."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from twin.analysis.account_words import INSTALLED, MEANINGS, step_title
from twin.analysis.compare import DesignWaterfall, WaterfallStep
from twin.app.toolkit.look import Look
from twin.app.toolkit.painted_widget import Painted
from twin.app.toolkit.text import significant
from twin.app.toolkit.theme import font, scaled

_NAME_PX, _FIGURE_PX, _EDGE_PX = 168.0, 96.0, 12.0
_LINE_PX, _LINE_MIN_PX, _BAR = 23.0, 14.0, 0.64
_MOST_STEPS = 9
_LEAST = 0.0005
"""Share of the largest step below which steps are told together."""
_NOTHING = 1e-6
"""Share of the largest step below which the rest is no step, but how sums round."""
ALONE_BELOW = 0.3
"""Steps that span less of the whole than this are drawn alone, true to each other: from 0 they would not be seen."""
REST = "rest"
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


@dataclass(frozen=True)
class WaterfallLine:
    """One line: an end of the way, or a step of it.

    Parameters
    ----------
    account
        Of the ledger; "": an end.
    from_h, to_h
        Where its bar begins and ends [GPU h].
    """

    account: str
    title: str
    from_h: float
    to_h: float


def lines_of(way: DesignWaterfall) -> list[WaterfallLine]:
    """Return the ends and the steps between them; the least steps together."""
    largest = max((abs(step.gpu_h) for step in way.steps), default=0.0)
    told = [step for step in way.steps if abs(step.gpu_h) >= _LEAST * largest][:_MOST_STEPS]
    rest_h = math.fsum(step.gpu_h for step in way.steps) - math.fsum(step.gpu_h for step in told)
    steps = [(step.account, _title(step), step.gpu_h) for step in told]
    rested = len(way.steps) - len(told)
    if rested and abs(rest_h) > _NOTHING * largest:
        steps.append((REST, f"{rested} smaller one{'s' * (rested != 1)}", rest_h))
    at_h = way.a_gpu_h
    lines = [WaterfallLine("", "Productive in A", 0.0, at_h)]
    for account, title, gpu_h in steps:
        lines.append(WaterfallLine(account, title, at_h, at_h + gpu_h))
        at_h += gpu_h
    return [*lines, WaterfallLine("", "Productive in B", 0.0, way.b_gpu_h)]


class CompareWaterfall(Painted):
    """Shows the way from A to B; a tool tip says what a line means.

    Attributes
    ----------
    lines
        What is shown.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Where the GPU time went, from A to B")
        self.lines: list[WaterfallLine] = []
        self.setMinimumSize(scaled(340), scaled(120))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Return room for some lines."""
        return QSize(scaled(460), scaled(250))

    def show_way(self, way: DesignWaterfall | None) -> None:
        """Show another way; None: there is none."""
        self.lines = [] if way is None else lines_of(way)
        self.setMinimumHeight(scaled(max(120.0, len(self.lines) * _LINE_MIN_PX + 8)))
        self.setAccessibleDescription(", ".join(f"{line.title} {self.figure(line)}" for line in self.lines))
        self.update()

    def figure(self, line: WaterfallLine) -> str:
        """Return the hours of a line; of a step with its sign."""
        hours = line.to_h - line.from_h
        sign = "" if not line.account else "+" if hours >= 0 else "\N{MINUS SIGN}"
        return f"{sign}{significant(abs(hours), 4)}"

    def spot(self, number: int) -> QRectF:
        """Return the place of a line."""
        high = (self.height() - 8.0) / max(len(self.lines), 1)
        high = max(min(high, scaled(_LINE_PX)), scaled(_LINE_MIN_PX))
        return QRectF(0.0, 4.0 + number * high, float(self.width()), high)

    @property
    def range_h(self) -> tuple[float, float]:
        """Return where the bars begin and end [GPU h]: from 0, or those that the steps alone span."""
        ends = [
            end for line in self.lines for end in ((line.from_h, line.to_h) if line.account else (line.to_h,))
        ]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        alone = len(self.lines) > 2 and high - low < ALONE_BELOW * high
        return (low if alone else min(low, 0.0)), high

    @property
    def alone(self) -> bool:
        """Return whether the steps alone are drawn, and the ends have figures only."""
        return self.range_h[0] > 0.0

    def bar_of(self, number: int) -> QRectF:
        """Return the place of the bar of a line."""
        line, spot, (low, high) = self.lines[number], self.spot(number), self.range_h
        left = _EDGE_PX + scaled(_NAME_PX)
        room = max(self.width() - left - scaled(_FIGURE_PX) - _EDGE_PX, 20.0)
        scale = room / ((high - low) or 1.0)
        ends = sorted(max(end - low, 0.0) * scale for end in (line.from_h, line.to_h))
        inset = spot.height() * (1 - _BAR) / 2
        return QRectF(
            left + ends[0], spot.top() + inset, max(ends[1] - ends[0], 1.5), spot.height() - 2 * inset
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines, each bar where the one above it ends."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.lines:
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "The ledger of one run is empty")
            return
        low, high = self.range_h
        left = _EDGE_PX + scaled(_NAME_PX)
        scale = max(self.width() - left - scaled(_FIGURE_PX) - _EDGE_PX, 20.0) / ((high - low) or 1.0)
        for number, line in enumerate(self.lines):
            bar, end = self.bar_of(number), not line.account
            if number + 1 < len(self.lines):
                painter.setPen(QPen(QColor(theme.faint), 1.0, Qt.PenStyle.DotLine))
                x = left + max(line.to_h - low, 0.0) * scale
                painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, self.bar_of(number + 1).top()))
            gains = line.to_h >= line.from_h
            if not (end and self.alone):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.accent if end else theme.ok if gains else theme.warning))
                painter.drawRoundedRect(bar, min(3.0, bar.width() / 2), min(3.0, bar.width() / 2))
            elif number == 0:
                painter.setFont(font(11))
                painter.setPen(QColor(theme.muted))
                painter.drawText(self.spot(0).adjusted(left, 0, 0, 0), _MIDDLE, "The steps alone:")
            self._write(painter, number, line)
        painter.end()

    def _write(self, painter: QPainter, number: int, line: WaterfallLine) -> None:
        theme, spot, end = self._look.theme, self.spot(number), not line.account
        painter.setFont(font(12 if spot.height() >= 15 else 11, bold=end))
        painter.setPen(QColor(theme.text if end else theme.muted))
        name = QRectF(_EDGE_PX, spot.top(), scaled(_NAME_PX) - 8, spot.height())
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line.title)
        painter.setPen(QColor(theme.text))
        figure = spot.adjusted(0, 0, -_EDGE_PX, 0)
        painter.drawText(
            figure, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.figure(line)
        )

    def said_at(self, place: QPointF) -> str:
        """Return what the line under a point means, as rich text."""
        for number, line in enumerate(self.lines):
            if self.spot(number).contains(place):
                hint = MEANINGS.get(line.account or "productive", "")
                way = ""
                if line.account not in ("", INSTALLED, REST):
                    way = f": {'less' if line.to_h >= line.from_h else 'more'} of it in B"
                return f"<b>{escape(line.title)}</b> {self.figure(line)} GPU-hours{way}<br>{escape(hint)}"
        return ""


def _title(step: WaterfallStep) -> str:
    title = step_title(step.account, step.gpu_h)
    return title[:1].upper() + title[1:]
