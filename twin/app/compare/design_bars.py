"""One figure of several designs as bars with whiskers: the best marked, differences to the first beside them."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QRectF

from twin.analysis.designs_comparison import (
    DesignFigureCell,
    DesignFigureRow,
    DesignsCompared,
    apart_beside,
    range_words,
    verdict_words,
)
from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled
from twin.language import tr

_TEXT_PX, _LINE_PX, _HEAD_PX, _FOOT_PX, _EDGE_PX, _GAP_PX = 11, 34.0, 22.0, 20.0, 8.0, 12.0
_BAR_SHARE, _CAP_SHARE, _NAME_SHARE, _LEAST_BARS_PX = 0.5, 0.3, 0.26, 90.0
_STAR = "\N{BLACK STAR}"


class DesignBars(PaintedChart):
    """Shows one figure of a comparison."""

    empty = tr("Not known of these designs without runs")

    def __init__(self, look: Look) -> None:
        super().__init__(
            look, tr("Figure with ranges"), hint=(600, -1), least=(260, 60), tall=False, keys=True
        )
        self._found: DesignsCompared | None = None
        self.row: DesignFigureRow | None = None

    def show_row(self, found: DesignsCompared, row: DesignFigureRow | None) -> None:
        """Show another figure."""
        self._found, self.row = found, row
        title = f"{row.figure.title}, {row.figure.unit}" if row is not None else ""
        self.setAccessibleName(title or tr("Figure with ranges"))
        self.setAccessibleDescription("; ".join(self._words(place) for place in range(len(found.titles))))
        self.refresh()

    def refresh(self) -> None:
        """Take the height that all lines need, and repaint."""
        count = len(self._found.titles) if self._found is not None else 1
        high = round(scaled(_HEAD_PX) + count * scaled(_LINE_PX) + scaled(_FOOT_PX))
        if self.minimumHeight() != high or self.maximumHeight() != high:
            self.setFixedHeight(high)
        super().refresh()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return self.row is None

    def items(self) -> list[ChartItem]:
        """Return the lines of the designs."""
        titles = self._found.titles if self._found is not None else ()
        return [
            ChartItem(
                self._spot(place),
                f"<b>{escape(title)}</b><br>{escape(self._words(place).partition(': ')[2])}",
                str(place),
                self._words(place),
            )
            for place, title in enumerate(titles)
        ]

    def paint(self, painter: ChartPainter) -> None:
        """Paint names, bars, whiskers and figures."""
        found, row, theme = self._found, self.row, painter.theme
        assert found is not None
        assert row is not None
        painter.font_in(_TEXT_PX)
        names_px, figures_px, apart_px = self._columns(painter)
        axis = self._axis(names_px, figures_px)
        head = scaled(_HEAD_PX)
        title = QRectF(_EDGE_PX, 0, self.width() - 2 * _EDGE_PX, head)
        painter.write(
            title, f"{row.figure.title}, {row.figure.unit}", theme.text, _TEXT_PX, bold=True, elided=True
        )
        for left, words in ((figures_px, "P50 (P5\N{EN DASH}P95)"), (apart_px, tr("against the first"))):
            painter.write(QRectF(left, 0, self.width() - left, head), words, theme.muted, _TEXT_PX)
        if axis is not None:
            self._grid(painter, axis)
        for place, name in enumerate(found.titles):
            spot, cell, best = self._spot(place), row.cells[place], place == row.best
            on = self.hasFocus() and self.current is not None and self.current.key == str(place)
            if on:
                painter.fill_in(theme.selection)
                painter.drawRoundedRect(spot, 4, 4)
            room = QRectF(_EDGE_PX, spot.top(), names_px - _EDGE_PX - _GAP_PX, spot.height())
            painter.write(
                room, f"{name} {_STAR}" if best else name, theme.text, _TEXT_PX, bold=best, elided=True
            )
            if cell is not None and axis is not None:
                self._bar(painter, spot, axis, cell, best=best)
            ink = theme.ok if best else theme.text
            known = range_words(row.figure, cell.values) if cell is not None else tr("not known")
            painter.write(
                QRectF(figures_px, spot.top(), apart_px - figures_px, spot.height()),
                known,
                ink,
                _TEXT_PX,
                bold=best,
            )
            if cell is not None:
                beside = QRectF(apart_px, spot.top(), self.width() - apart_px, spot.height())
                painter.write(beside, apart_beside(row.figure, cell), theme.muted, _TEXT_PX)

    def _grid(self, painter: ChartPainter, axis: Axis) -> None:
        step = round_step((axis.high - axis.low) / 6)
        foot = self.height() - scaled(_FOOT_PX)
        number = round(axis.low / step)
        while number * step <= axis.high + 1e-9 * step:
            x = axis.px(number * step)
            painter.line_in(painter.theme.border)
            painter.upright(x, scaled(_HEAD_PX), foot)
            spot = QRectF(x - 40, foot, 80, scaled(_FOOT_PX))
            painter.write(spot, f"{round(number * step, 9):,.10g}", painter.theme.muted, _TEXT_PX, to=CENTRE)
            number += 1

    def _bar(
        self, painter: ChartPainter, spot: QRectF, axis: Axis, cell: DesignFigureCell, *, best: bool
    ) -> None:
        theme, middle, high = painter.theme, spot.center().y(), spot.height() * _BAR_SHARE
        low, centre, upper = (axis.px(value) for value in self._scaled(cell))
        painter.fill_in(theme.ok if best else theme.accent, alpha=0.75)
        begin = axis.px(max(0.0, axis.low))
        painter.drawRect(QRectF(min(begin, centre), middle - high / 2, max(abs(centre - begin), 1.0), high))
        if not cell.is_certain:
            painter.line_in(theme.text, 1.4)
            painter.drawLine(QPointF(low, middle), QPointF(upper, middle))
            cap = spot.height() * _CAP_SHARE / 2
            for end in (low, upper):
                painter.upright(end, middle - cap, middle + cap)

    def _scaled(self, cell: DesignFigureCell) -> tuple[float, ...]:
        assert self.row is not None
        return tuple(value / self.row.figure.scale for value in cell.values)

    def _columns(self, painter: ChartPainter) -> tuple[float, float, float]:
        """Return where bars, figures and differences begin [px]."""
        assert self.row is not None
        assert self._found is not None
        figure = self.row.figure
        cells = [cell for cell in self.row.cells if cell is not None]
        painter.font_in(_TEXT_PX, bold=True)
        figures = max((painter.wide(range_words(figure, cell.values)) for cell in cells), default=0)
        figures = max(figures, painter.wide("P50 (P5\N{EN DASH}P95)"))
        apart = max((painter.wide(apart_beside(figure, cell)) for cell in cells), default=0)
        apart = max(apart, painter.wide(tr("against the first")))
        names = max(painter.wide(f"{title} {_STAR}") for title in self._found.titles) + 2 * _GAP_PX + _EDGE_PX
        apart_px = self.width() - apart - _EDGE_PX
        figures_px = apart_px - figures - _GAP_PX
        return min(names, _NAME_SHARE * self.width()), figures_px, apart_px

    def _axis(self, begin: float, end: float) -> Axis | None:
        """Return where values stand; None: there is no room for bars."""
        assert self.row is not None
        if end - begin < _LEAST_BARS_PX:
            return None
        ends = [value for cell in self.row.cells if cell is not None for value in self._scaled(cell)]
        low, high = min(0.0, *ends), max(ends)
        step = round_step((high - low) / 6) if high > low else 1.0
        return Axis(
            step * (low // step),
            -step * (-high // step) if high > low else low + 1.0,
            begin,
            end - 2 * _GAP_PX,
        )

    def _spot(self, place: int) -> QRectF:
        line = scaled(_LINE_PX)
        return QRectF(0.0, scaled(_HEAD_PX) + place * line, float(self.width()), float(line))

    def _words(self, place: int) -> str:
        found, row = self._found, self.row
        if found is None or row is None:
            return ""
        cell, title = row.cells[place], found.titles[place]
        if cell is None:
            return tr("{title}: not known", title=title)
        words = f"{title}: {range_words(row.figure, cell.values)} {row.figure.unit}"
        if cell.difference is None:
            return words
        return tr(
            "{words}; against the first {apart}, {sure}",
            words=words,
            apart=apart_beside(row.figure, cell),
            sure=verdict_words(row.figure, cell),
        )
