"""Amounts with their ranges, one a line: bars from zero with P5 to P95, or what a price moves a total by."""

from __future__ import annotations

from html import escape

from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent

from twin.app.money.figures import MoneyRow, figure, unit_of
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import font, scaled
from twin.language import tr

_TEXT_PX, _LINE_PX, _HEAD_PX, _EDGE_PX, _GAP_PX = 11, 21.0, 20.0, 12.0, 10.0
_LEAST_BARS_PX, _MOST_NAME = 60.0, 0.42
_BAR_SHARE, _CAP_SHARE = 0.56, 0.34


class RangeChart(PaintedChart):
    """Lines with a name, a bar and figures in one unit.

    Parameters
    ----------
    swings
        Whether bars lie between low and high around the middle, as of a tornado; else from 0 to the middle, with a
        whisker from low to high.

    Attributes
    ----------
    rows
        What is shown.
    """

    chosen = Signal(str)  # key of a line that is clicked, or that Enter is pressed on
    opened = Signal(str)  # key of one that is clicked twice

    def __init__(self, look: Look, name: str, *, swings: bool = False) -> None:
        super().__init__(look, name, hint=(380, -1), least=(150, 0), tall=False, keys=True)
        self._swings = swings
        self.rows: list[MoneyRow] = []
        self.scale, self.unit = 1.0, "USD"

    def show_rows(self, rows: list[MoneyRow]) -> None:
        """Show other lines, in the unit that fits the largest."""
        self.rows = rows
        self.scale, self.unit = unit_of(max((abs(row.high) for row in rows), default=0.0))
        self.setAccessibleDescription(
            "; ".join(f"{row.title} {self._words(row)} {self.unit}" for row in rows)
        )
        self._fit()
        self.refresh()

    def refresh(self) -> None:
        """Take the height that all lines need, and repaint."""
        self._fit()
        super().refresh()

    def _fit(self) -> None:
        high = round(scaled(_HEAD_PX) + len(self.rows) * scaled(_LINE_PX) + 6)
        if self.height() != high or self.minimumHeight() != high:
            self.setFixedHeight(high)

    @property
    def is_empty(self) -> bool:
        """Return whether there is no line."""
        return not self.rows

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return heads and lines as cells, amounts in USD."""
        heads = ("at its low", "likely", "at its high") if self._swings else ("P5", "P50", "P95")
        return [
            ("", *(f"{head} [USD]" for head in heads)),
            *((row.title, *(f"{usd:.10g}" for usd in (row.low, row.middle, row.high))) for row in self.rows),
        ]

    def items(self) -> list[ChartItem]:
        """Return the lines."""
        return [
            ChartItem(
                self._spot(place),
                self._said(row),
                row.key or "total",
                f"{row.title}: {self._words(row)} {self.unit}",
            )
            for place, row in enumerate(self.rows)
        ]

    def paint(self, painter: ChartPainter) -> None:
        """Paint head, names, bars and figures."""
        theme, axis, current = painter.theme, self._axis(), self.current
        columns = self._columns()
        inks = (theme.series[0], theme.series[2]) if self._swings else (theme.muted,) * 3
        for words, right, wide, ink in zip(self._heads, columns, self._wide(), inks, strict=True):
            head = QRectF(right - wide, 0, wide, scaled(_HEAD_PX))
            painter.write(head, words, ink, _TEXT_PX, bold=self._swings, to=RIGHT)
        unit = QRectF(_EDGE_PX, 0, columns[0] - self._wide()[0] - _GAP_PX - _EDGE_PX, scaled(_HEAD_PX))
        painter.write(unit, self.unit, theme.muted, _TEXT_PX, elided=True)
        for place, row in enumerate(self.rows):
            spot = self._spot(place)
            if self.hasFocus() and current is not None and current.key == (row.key or "total"):
                painter.fill_in(theme.hover)
                painter.drawRect(spot)
            if row.is_total:
                painter.line_in(theme.border)
                painter.drawLine(QPointF(_EDGE_PX, spot.top()), QPointF(self.width() - _EDGE_PX, spot.top()))
            name = QRectF(_EDGE_PX, spot.top(), self._name_px(), spot.height())
            painter.write(name, row.title, theme.text, _TEXT_PX, bold=row.is_total, elided=True)
            if axis is not None and not row.is_total:
                self._bar(painter, row, spot, axis)
            painter.font_in(_TEXT_PX, bold=row.is_total)
            for words, right, wide in zip(self._figures(row), columns, self._wide(), strict=True):
                figure_spot = QRectF(right - wide, spot.top(), wide, spot.height())
                painter.write(
                    figure_spot, words, theme.text if right == columns[self._main] else theme.muted, to=RIGHT
                )
        if axis is not None and self._swings and self.rows:
            painter.line_in(theme.muted)
            painter.upright(axis.px(self.rows[0].middle), scaled(_HEAD_PX), float(self.height() - 6))

    def _bar(self, painter: ChartPainter, row: MoneyRow, spot: QRectF, axis: Axis) -> None:
        theme, middle, high = painter.theme, spot.center().y(), spot.height() * _BAR_SHARE
        top = middle - high / 2
        if self._swings:
            base, low, upper = (axis.px(usd) for usd in (row.middle, row.low, row.high))
            for end, colour in ((low, theme.series[0]), (upper, theme.series[2])):
                painter.fill_in(colour)
                painter.drawRect(QRectF(min(base, end), top, abs(end - base), high))
            return
        painter.fill_in(theme.accent, alpha=0.75)
        painter.drawRect(QRectF(axis.begin, top, max(axis.px(row.middle) - axis.begin, 1.0), high))
        painter.line_in(theme.text, 1.4)
        low, upper, cap = axis.px(row.low), axis.px(row.high), spot.height() * _CAP_SHARE / 2
        painter.drawLine(QPointF(low, middle), QPointF(upper, middle))
        for end in (low, upper):
            painter.upright(end, middle - cap, middle + cap)

    # -- where what is ----

    @property
    def _heads(self) -> tuple[str, ...]:
        return (tr("at its low"), tr("at its high")) if self._swings else ("P5", "P50", "P95")

    @property
    def _main(self) -> int:
        """Return the column of figures that is read first."""
        return 0 if self._swings else 1

    def _figures(self, row: MoneyRow) -> tuple[str, ...]:
        ends = (row.low, row.high) if self._swings else (row.low, row.middle, row.high)
        return tuple(figure(usd, self.scale) for usd in ends)

    def _words(self, row: MoneyRow) -> str:
        words = [figure(usd, self.scale) for usd in (row.low, row.middle, row.high)]
        return tr("{middle} ({low} to {high})", low=words[0], middle=words[1], high=words[2])

    def _said(self, row: MoneyRow) -> str:
        lines = [f"<b>{escape(row.title)}</b>"]
        if self._swings:
            lines.append(
                tr(
                    "A year costs {low} {unit} with it at its low, {high} {unit} at its high, all others likely.",
                    low=figure(row.low, self.scale),
                    high=figure(row.high, self.scale),
                    unit=self.unit,
                )
            )
            lines.append(tr("Double-click to give a price of your own"))
        else:
            lines.append(f"{escape(self._words(row))} {self.unit}")
        return "<br>".join([*lines, *(escape(part) for part in row.tip.splitlines())])

    def _metrics(self, *, bold: bool = False) -> QFontMetrics:
        made = QFont(font(_TEXT_PX, bold=bold))
        return QFontMetrics(made)

    def _wide(self) -> list[float]:
        """Return the width of each column of figures [px]."""
        metrics = self._metrics(bold=True)
        cells = [self._heads, *(self._figures(row) for row in self.rows)]
        return [max(map(metrics.horizontalAdvance, column)) + 2.0 for column in zip(*cells, strict=True)]

    def _columns(self) -> list[float]:
        """Return the right end of each column of figures [px]."""
        rights, right = [], self.width() - _EDGE_PX
        for wide in reversed(self._wide()):
            rights.append(right)
            right -= wide + _GAP_PX
        return rights[::-1]

    def _left_px(self) -> float:
        """Return where the first figures begin [px]."""
        return self._columns()[0] - self._wide()[0] - _GAP_PX

    def _name_px(self) -> float:
        metrics = self._metrics(bold=True)
        longest = max((metrics.horizontalAdvance(row.title) for row in self.rows), default=0) + 4.0
        room = self._left_px() - _EDGE_PX
        if room - longest - _GAP_PX >= _LEAST_BARS_PX:
            return min(longest, room)
        return max(min(longest, room), 10.0)

    def _axis(self) -> Axis | None:
        """Return where amounts stand; None: there is no room for bars."""
        begin, end = _EDGE_PX + self._name_px() + _GAP_PX, self._left_px()
        shown = [row for row in self.rows if not row.is_total]
        if end - begin < _LEAST_BARS_PX or not shown:
            return None
        ends = [usd for row in shown for usd in (row.low, row.high)]
        low, high = (min(ends), max(ends)) if self._swings else (min(0.0, min(ends)), max(ends))
        return Axis(low, high if high > low else low + 1.0, begin, end)

    def _spot(self, place: int) -> QRectF:
        line = scaled(_LINE_PX)
        return QRectF(0.0, scaled(_HEAD_PX) + place * line, float(self.width()), float(line))

    # -- pointer and keys ----

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the line that is clicked."""
        item = self.item_at(event.position())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.go_to(item.key)
            self.chosen.emit(item.key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the line that is clicked twice."""
        item = self.item_at(event.position())
        if item is not None:
            self.opened.emit(item.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter, where the keys are; open by F2."""
        item = self.current
        if item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self.opened if self._swings else self.chosen).emit(item.key)
        elif item is not None and event.key() == Qt.Key.Key_F2:
            self.opened.emit(item.key)
        else:
            super().keyPressEvent(event)
