"""A waterfall: a line for where one begins, one for each step, one for where one arrives; bars joined end to end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt

from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled

ALONE_BELOW = 0.3
"""Steps that span less of the whole than this are drawn alone, true to each other: from 0 they would not be seen."""
_EDGE_PX, _TOP_PX, _SECOND_PX, _LEAST_PX, _BARS_PX = 12.0, 4.0, 58.0, 1.5, 20.0
_ROOMY_PX = 15.0


@dataclass(frozen=True)
class WaterfallRow:
    """One line: an end of the way, or a step of it.

    Parameters
    ----------
    figures
        At its right, the most important first.
    said
        What a tool tip says of it, as rich text.
    low, high
        Where its bar begins and ends.
    joins
        Which of them the next bar hangs on.
    colour
        Of its bar.
    is_end
        Whether it is an end.
    """

    title: str
    figures: tuple[str, ...]
    said: str
    low: float
    high: float
    joins: float
    colour: str
    is_end: bool = False
    hatched: bool = False


class WaterfallChart(PaintedChart):
    """Shows rows; subclasses make them, and say how much room names and figures take."""

    name_px, figure_px, line_px, line_min_px = 122.0, 142.0, 21.0, 13.0
    bar_share = 0.66
    """Of a line's height that its bar takes."""
    text_px = 11
    alone_words: tuple[str, ...] = ("",)
    """What stands over steps that are drawn alone: the first that has room."""
    _rows: list[WaterfallRow] | None = None

    def make_rows(self) -> list[WaterfallRow]:
        """Return the lines, from the top."""
        return []

    def __init__(
        self, look: Look, name: str, *, hint: tuple[int, int] = (-1, -1), least: tuple[int, int] = (0, 0)
    ) -> None:
        super().__init__(look, name, hint=hint, least=least)
        self._least_px = least[1]

    @property
    def rows(self) -> list[WaterfallRow]:
        """Return the lines of what is shown, in the colours of the theme."""
        if self._rows is None:
            self._rows = self.make_rows()
        return self._rows

    @property
    def is_empty(self) -> bool:
        """Return whether there is no line."""
        return not self.rows

    def refresh(self) -> None:
        """Paint what is shown now, in no less room than its lines take."""
        self._rows = None
        least_px = math.ceil(2 * _TOP_PX + len(self.rows) * scaled(self.line_min_px))
        self.setMinimumHeight(max(self._least_px, least_px))
        super().refresh()

    def describe(self) -> None:
        """Paint what is shown now, and tell it to readers."""
        self.refresh()
        self.setAccessibleDescription(", ".join(f"{row.title} {'  '.join(row.figures)}" for row in self.rows))

    def items(self) -> list[ChartItem]:
        """Return the lines with what they mean."""
        return [ChartItem(self.spot(number), row.said) for number, row in enumerate(self.rows)]

    def spot(self, number: int) -> QRectF:
        """Return the place of a line."""
        room_px = (self.height() - 2 * _TOP_PX) / max(len(self.rows), 1)
        high = max(min(scaled(self.line_px), room_px), scaled(self.line_min_px))
        return QRectF(0.0, _TOP_PX + number * high, float(self.width()), high)

    @property
    def axis(self) -> Axis:
        """Return where values lie: from 0, or those that the steps alone span."""
        rows = self.rows
        ends = [end for row in rows for end in ((row.high,) if row.is_end else (row.low, row.high))]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        if not (len(rows) > 2 and high - low < ALONE_BELOW * high):
            low = min(low, 0.0)
        left = _EDGE_PX + scaled(self.name_px)
        room = max(self._bars_px, _BARS_PX)
        return Axis(low, high if high > low else low + 1.0, left, left + room)

    @property
    def _bars_px(self) -> float:
        """Return the room between names and figures; with too little of it there are no bars."""
        return self.width() - 2 * _EDGE_PX - scaled(self.name_px) - scaled(self.figure_px)

    @property
    def figures_px(self) -> float:
        """Return the room for figures: where it is narrow all but the first give way, and then the names."""
        seconds = max((len(row.figures) for row in self.rows), default=1) - 1 if self._bars_px < 0.0 else 0
        return _EDGE_PX + scaled(self.figure_px) - scaled(_SECOND_PX) * seconds

    @property
    def name_end_px(self) -> float:
        """Return where names end."""
        least, wanted = _EDGE_PX + 8.0, _EDGE_PX + scaled(self.name_px)
        return max(min(wanted, self.width() - self.figures_px), least)

    @property
    def alone(self) -> bool:
        """Return whether the steps alone are drawn, and the ends have figures only."""
        return self.axis.low > 0.0

    def bar(self, number: int) -> QRectF:
        """Return the place of the bar of a line."""
        row, spot, axis = self.rows[number], self.spot(number), self.axis
        left, right = (axis.px(max(end, axis.low)) for end in (row.low, row.high))
        width, inset = max(right - left, _LEAST_PX), spot.height() * (1 - self.bar_share) / 2
        return QRectF(min(left, axis.end - width), spot.top() + inset, width, spot.height() - 2 * inset)

    def paint(self, painter: ChartPainter) -> None:
        """Paint the lines, each bar where the one above it ends."""
        rows, axis = self.rows, self.axis
        bars = [self.bar(number) for number in range(len(rows))]
        if self._bars_px < _BARS_PX:
            for number, row in enumerate(rows):
                self._write(painter, row, self.spot(number))
            return
        for number, (row, bar) in enumerate(zip(rows, bars, strict=True)):
            spot = self.spot(number)
            if number:
                painter.line_in(painter.theme.faint, 1.0, Qt.PenStyle.DotLine)
                x = axis.px(max(rows[number - 1].joins, axis.low))
                painter.upright(x, bars[number - 1].bottom(), bar.top())
            if not (row.is_end and axis.low > 0.0):
                painter.fill_in(row.colour, hatched=row.hatched)
                radius = min(3.0, bar.width() / 2)
                painter.drawRoundedRect(bar, radius, radius)
            elif number == 0:
                painter.font_in(11)
                fitting = (
                    words for words in self.alone_words if painter.wide(words) <= axis.end - axis.begin
                )
                words = next(fitting, self.alone_words[-1])
                painter.write(spot.adjusted(axis.begin, 0, 0, 0), words, painter.theme.muted)
            self._write(painter, row, spot)

    def _write(self, painter: ChartPainter, row: WaterfallRow, spot: QRectF) -> None:
        theme, px = painter.theme, self.text_px if spot.height() >= _ROOMY_PX else self.text_px - 1
        figures = row.figures[:1] if self._bars_px < 0.0 else row.figures
        name = QRectF(_EDGE_PX, spot.top(), self.name_end_px - _EDGE_PX - 8, spot.height())
        ink = theme.text if row.is_end else theme.muted
        painter.write(name, row.title, ink, px, bold=row.is_end, elided=True)
        for number, words in enumerate(figures):
            after_px = scaled(_SECOND_PX) * (len(figures) - 1 - number)
            figure = spot.adjusted(0, 0, -_EDGE_PX - after_px, 0)
            painter.write(figure, words, theme.muted if number else theme.text, to=RIGHT)
