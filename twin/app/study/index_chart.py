"""Which keys matter: bars of Sobol' indices, each key alone and together with the others, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetrics

from twin.app.study.plane import TEXT_PX
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, LEFT, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import font, scaled
from twin.language import tr
from twin.studies.sensitivity import SobolIndex

_ROW_PX, _BAR_PX, _HEAD_PX, _EDGE_PX, _GAP_PX = 52.0, 13.0, 30.0, 14.0, 8.0
_MOST_NAME = 0.4
_MARKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class IndexChart(PaintedChart):
    """Shares of the variance of a figure that each key explains.

    Attributes
    ----------
    rows
        Key and its indices, the most telling first.
    titles
        Of the keys.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            tr("Which keys matter: shares of the variance of a figure"),
            hint=(520, 360),
            least=(200, 140),
            keys=True,
        )
        self.rows: tuple[tuple[str, SobolIndex], ...] = ()
        self.titles: Mapping[str, str] = {}
        self._note = ""
        self.empty = tr("Indices are known when the runs are done")

    def show_indices(
        self, rows: Sequence[tuple[str, SobolIndex]], note: str, titles: Mapping[str, str]
    ) -> None:
        """Show the indices of keys, called by their titles; `note` says of what and from how many samples."""
        self.titles = titles
        self.rows = tuple(sorted(rows, key=lambda row: -row[1].total))
        self._note = note
        self.refresh()

    def say(self, why: str) -> None:
        """Show no indices, but why there are none."""
        self.rows, self.empty = (), why
        self.refresh()

    @property
    def is_empty(self) -> bool:
        """Return whether there are no indices."""
        return not self.rows

    def items(self) -> Sequence[ChartItem]:
        """Return the rows."""
        found = []
        for place, (key, index) in enumerate(self.rows):
            words = tr(
                "{key}: alone {first:.3f} ± {first_error:.3f}, with the others {total:.3f} ± {total_error:.3f}",
                key=self.titles[key],
                first=index.first,
                first_error=index.first_error,
                total=index.total,
                total_error=index.total_error,
            )
            found.append(ChartItem(self._spot(place), f"{escape(words)}<br>{escape(key)}", key, words))
        return found

    def _spot(self, place: int) -> QRectF:
        row = min(scaled(_ROW_PX), (self.height() - scaled(_HEAD_PX) * 2) / max(len(self.rows), 1))
        return QRectF(0.0, scaled(_HEAD_PX) + place * row, float(self.width()), row)

    def _axis(self) -> Axis:
        metrics = QFontMetrics(font(TEXT_PX, bold=True))
        longest = max((metrics.horizontalAdvance(self.titles[key]) for key, _ in self.rows), default=0) + 4.0
        left = _EDGE_PX + min(longest, _MOST_NAME * self.width()) + _GAP_PX
        figures = metrics.horizontalAdvance("0.000 ± 0.000") + _GAP_PX
        high = max([1.0, *(index.total + index.total_error for _, index in self.rows)])
        return Axis(0.0, min(high, 1.5), left, max(self.width() - _EDGE_PX - figures, left + 20.0))

    def paint(self, painter: ChartPainter) -> None:
        """Paint a row of two bars for each key."""
        theme, axis = painter.theme, self._axis()
        painter.write(
            QRectF(_EDGE_PX, 4.0, self.width() - 2 * _EDGE_PX, scaled(18)),
            self._note,
            theme.muted,
            TEXT_PX,
            to=LEFT,
            elided=True,
        )
        bottom = self._spot(len(self.rows) - 1).bottom()
        for value in _MARKS:
            painter.line_in(theme.border)
            painter.upright(axis.px(value), scaled(_HEAD_PX), bottom)
            spot = QRectF(axis.px(value) - 24, bottom + 2, 48, scaled(16))
            painter.write(spot, f"{value:g}", theme.muted, TEXT_PX, to=CENTRE)
        for place, (key, index) in enumerate(self.rows):
            spot = self._spot(place)
            if self.hasFocus() and key == self._current:
                painter.fillRect(spot, QColor(theme.hover))
            name = QRectF(_EDGE_PX, spot.top(), axis.begin - _EDGE_PX - _GAP_PX, spot.height())
            painter.write(name, self.titles[key], theme.text, TEXT_PX, bold=True, to=LEFT, elided=True)
            high = min(scaled(_BAR_PX), spot.height() / 2 - 2)
            for value, error, ink, top in (
                (index.first, index.first_error, theme.series[0], spot.center().y() - high - 1),
                (index.total, index.total_error, theme.series[2], spot.center().y() + 1),
            ):
                bar = QRectF(QPointF(axis.px(0.0), top), QPointF(axis.px(max(value, 0.0)), top + high))
                painter.fill_in(ink)
                painter.drawRect(bar)
                painter.line_in(theme.text, 1.2)
                y = bar.center().y()
                low, far = axis.px(max(value - error, 0.0)), axis.px(max(value + error, 0.0))
                painter.drawLine(QPointF(low, y), QPointF(far, y))
                figure = QRectF(axis.end, top - 1, self.width() - axis.end - _EDGE_PX, high + 2)
                painter.write(figure, f"{value:.3f} ± {error:.3f}", ink, TEXT_PX, to=RIGHT)
        self._paint_legend(painter, bottom + scaled(18))

    def _paint_legend(self, painter: ChartPainter, top: float) -> None:
        theme, left = painter.theme, _EDGE_PX
        for ink, words in ((theme.series[0], tr("alone")), (theme.series[2], tr("together with the others"))):
            painter.font_in(TEXT_PX)
            painter.fillRect(QRectF(left, top + 4, 10, 10), QColor(ink))
            painter.write(QRectF(left + 15, top, 240, scaled(18)), words, theme.muted, to=LEFT)
            left += painter.wide(words) + 34
