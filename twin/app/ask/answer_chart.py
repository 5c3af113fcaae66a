"""The chart of an answer: curves with their bands and marks, or bars with their ranges."""

from __future__ import annotations

import math
from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics

from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import font, scaled
from twin.arrays import Floats
from twin.language import tr
from twin.questions.answer import AnswerBar, AnswerChart, AnswerCurve, worded

_HIGH_PX, _RIGHT_PX, _TOP_PX, _FOOT_PX = 260, 16.0, 24.0, 36.0
_TEXT_PX, _DOT_PX, _KEY_PX, _LINE_PX, _NAME_SHARE = 11, 4.0, 18.0, 22.0, 0.42
_DASHES = (
    *(Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine),
    *(Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine),
)
_UNITS_S = (365.25 * 86_400.0, 30.4375 * 86_400.0, 86_400.0, 3600.0, 60.0, 1.0)


class TradeChart(PaintedChart):
    """Paints one `AnswerChart`.

    Attributes
    ----------
    shown
        What is painted; None: nothing.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            tr("Chart of the answer"),
            hint=(420, scaled(_HIGH_PX)),
            least=(220, scaled(_HIGH_PX)),
            tall=False,
            keys=True,
        )
        self.shown: AnswerChart | None = None

    def show_chart(self, chart: AnswerChart | None) -> None:
        """Show another chart."""
        self.shown = chart
        if chart is not None:
            self.setAccessibleName(chart.title)
            self.setAccessibleDescription("; ".join(item.words for item in self.items()))
        self.refresh()

    def refresh(self) -> None:
        """Take the height that all of it needs, and repaint."""
        high = scaled(_HIGH_PX)
        if self.shown is not None and self.shown.bars:
            high = round(scaled(_TOP_PX) + len(self.shown.bars) * scaled(_LINE_PX) + 8)
        elif self.shown is not None:
            high += round((len(self.shown.curves) - 1) * scaled(_KEY_PX))
        if self.minimumHeight() != high or self.maximumHeight() != high:
            self.setFixedHeight(high)
        super().refresh()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return self.shown is None or not (self.shown.curves or self.shown.bars)

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return heads and values as cells."""
        chart = self.shown
        if chart is None:
            return []
        if chart.bars:
            return [
                ("", chart.y_title, tr("low"), tr("high")),
                *(
                    (bar.title, *(_cell(value) for value in (bar.value, bar.low, bar.high)))
                    for bar in chart.bars
                ),
            ]
        rows: list[tuple[str, ...]] = [(tr("curve"), chart.x_title, chart.y_title, tr("low"), tr("high"))]
        for curve in chart.curves:
            low, high = curve.low or (None,) * len(curve.x), curve.high or (None,) * len(curve.x)
            rows += [
                (curve.title, *(_cell(value) for value in row))
                for row in zip(curve.x, curve.y, low, high, strict=True)
            ]
        return rows

    def items(self) -> list[ChartItem]:
        """Return the marks, or the bars."""
        chart = self.shown
        if chart is None or self.is_empty:
            return []
        if chart.bars:
            return [
                self._item(self._bar_spot(place), bar.title, _bar_words(bar, chart))
                for place, bar in enumerate(chart.bars)
            ]
        across, up = self.axes()
        return [
            self._item(
                QRectF(self._x(across, mark.x) - 8, up.px(mark.y) - 8, 16, 16),
                mark.title,
                tr("{y} at {x}", y=worded(mark.y, chart.y_unit), x=_worded_x(mark.x, chart)),
            )
            for mark in chart.marks
        ]

    def _item(self, spot: QRectF, title: str, words: str) -> ChartItem:
        return ChartItem(spot, f"<b>{escape(title)}</b><br>{escape(words)}", title, f"{title}: {words}")

    def paint(self, painter: ChartPainter) -> None:
        """Paint curves or bars."""
        assert self.shown is not None
        painter.font_in(_TEXT_PX)
        if self.shown.bars:
            self._paint_bars(painter, self.shown)
        else:
            self._paint_curves(painter, self.shown)

    # -- curves ----

    def colour(self, place: int) -> str:
        """Return the colour of a curve."""
        others = self.theme.series[1:]
        return self.theme.accent if not place else others[(place - 1) % len(others)]

    def axes(self) -> tuple[Axis, Axis]:
        """Return where places and values stand; on a logarithmic scale the logarithms of places."""
        chart = self.shown
        assert chart is not None
        every = np.array([x for curve in chart.curves for x in curve.x] + [mark.x for mark in chart.marks])
        x = np.log(every) if chart.is_log else every
        tops = [value for curve in chart.curves for value in (*curve.y, *curve.high) if math.isfinite(value)]
        most, low = _top(chart, tops), 0.0
        least = min((v for curve in chart.curves for v in (*curve.y, *curve.low)), default=0.0)
        if least > 0.6 * most:  # a difference that a scale from zero would hide
            low = least - 0.4 * (most - least)
        keys_px = scaled(_KEY_PX) * len(chart.curves)
        first, last = float(x.min()), float(x.max())
        metrics = QFontMetrics(font(_TEXT_PX))
        return (
            Axis(
                first,
                last if last > first else first + 1.0,
                8.0 + max(metrics.horizontalAdvance(words) for _, words in _marks(chart, low, most)),
                self.width() - scaled(_RIGHT_PX),
            ),
            Axis(low, most, self.height() - scaled(_FOOT_PX) - keys_px, scaled(_TOP_PX)),
        )

    def _x(self, across: Axis, value: float) -> float:
        assert self.shown is not None
        return across.px(math.log(value) if self.shown.is_log else value)

    def _xs(self, across: Axis, curve: AnswerCurve) -> Floats:
        assert self.shown is not None
        x = np.array(curve.x)
        return across.px(np.log(x) if self.shown.is_log else x)

    def _paint_curves(self, painter: ChartPainter, chart: AnswerChart) -> None:
        theme, (across, up) = painter.theme, self.axes()
        room = QRectF(across.begin, up.end, across.end - across.begin, up.begin - up.end)
        painter.value_marks(up, _marks(chart, up.low, up.high), room, grid=True)
        head = QRectF(4, 0, self.width() - 8, scaled(_TOP_PX))
        painter.write(head, chart.y_title, theme.muted, elided=True)
        self._foot(painter, chart, across, room)
        painter.save()
        painter.setClipRect(room.adjusted(-1, -1, 1, 1))
        for place, curve in enumerate(chart.curves):
            x = self._xs(across, curve)
            if curve.low and curve.high:
                painter.fill_in(self.colour(place), alpha=0.2)
                painter.area(x, up.px(np.array(curve.high)), up.px(np.array(curve.low)))
            painter.line_in(self.colour(place), 2.0, self._dash(place))
            painter.curve(x, up.px(np.array(curve.y)))
        painter.restore()
        self._dots(painter, chart, across, up, room)
        self._keys(painter, chart, room)

    def _dots(self, painter: ChartPainter, chart: AnswerChart, across: Axis, up: Axis, room: QRectF) -> None:
        theme, current = painter.theme, self.current
        taken: list[QRectF] = []
        for mark in chart.marks:
            x, y = self._x(across, mark.x), up.px(mark.y)
            on = self.hasFocus() and current is not None and current.key == mark.title
            painter.fill_in(theme.text)
            painter.drawEllipse(QPointF(x, y), _DOT_PX + 2 * on, _DOT_PX + 2 * on)
            high = scaled(_KEY_PX)
            spots = [
                QRectF(left, top, painter.wide(mark.title) + 4.0, high)
                for level in range(len(chart.marks))
                for top in (y - high * (level + 1), y + high * level)
                for left in (x + 8, x - 12 - painter.wide(mark.title))
            ]
            inside = [spot for spot in spots if room.contains(spot)] or spots
            free = [spot for spot in inside if not any(spot.intersects(placed) for placed in taken)]
            taken.append((free or inside)[0])
            painter.write(taken[-1], mark.title, theme.text, _TEXT_PX)

    def _keys(self, painter: ChartPainter, chart: AnswerChart, room: QRectF) -> None:
        """Write which curve is which, one a line below the picture."""
        line = scaled(_KEY_PX)
        top = self.height() - line * len(chart.curves)
        for place, curve in enumerate(chart.curves):
            middle = top + line * (place + 0.5)
            painter.line_in(self.colour(place), 2.0, self._dash(place))
            painter.drawLine(QPointF(room.left(), middle), QPointF(room.left() + 24, middle))
            band = f" ({tr('with its range')})" if curve.low else ""
            spot = QRectF(room.left() + 32, middle - line / 2, room.width() - 32, line)
            painter.write(spot, curve.title + band, painter.theme.text, _TEXT_PX, elided=True)

    def _dash(self, place: int) -> Qt.PenStyle:
        return _DASHES[place % len(_DASHES)] if self.theme.dashes or place else _DASHES[0]

    def _foot(self, painter: ChartPainter, chart: AnswerChart, across: Axis, room: QRectF) -> None:
        theme, high = painter.theme, scaled(_FOOT_PX) / 2
        last = -math.inf
        for value in _ticks(chart, across):
            words = _worded_x(value, chart)
            x, half = self._x(across, value), painter.wide(words) / 2 + 6
            if x - half < last:
                continue
            last = x + half
            spot = QRectF(x - half, room.bottom() + 1, 2 * half, high)
            spot.moveRight(min(spot.right(), self.width() - 2.0))
            painter.write(spot, words, theme.muted, to=CENTRE)
        foot = QRectF(room.left(), room.bottom() + high, room.width(), high)
        painter.write(foot, chart.x_title, theme.muted, to=CENTRE, elided=True)

    # -- bars ----

    def _bar_spot(self, place: int) -> QRectF:
        line = scaled(_LINE_PX)
        return QRectF(0.0, scaled(_TOP_PX) + place * line, float(self.width()), float(line))

    def _paint_bars(self, painter: ChartPainter, chart: AnswerChart) -> None:
        theme, current = painter.theme, self.current
        painter.write(
            QRectF(4, 0, self.width() - 8, scaled(_TOP_PX)), chart.y_title, theme.muted, elided=True
        )
        words = [worded(bar.value, chart.y_unit) for bar in chart.bars]
        figures_px = max(painter.wide(text) for text in words) + 6.0
        longest = max(painter.wide(bar.title) for bar in chart.bars) + 8.0
        name_px = min(longest, self.width() * _NAME_SHARE)
        most = max((bar.high or bar.value for bar in chart.bars), default=0.0)
        begin = 4.0 + name_px + 8.0
        axis = Axis(0.0, most or 1.0, begin, max(self.width() - figures_px - 12.0, begin + 20.0))
        for place, (bar, text) in enumerate(zip(chart.bars, words, strict=True)):
            spot = self._bar_spot(place)
            if self.hasFocus() and current is not None and current.key == bar.title:
                painter.fill_in(theme.hover)
                painter.drawRect(spot)
            name = QRectF(4.0, spot.top(), name_px, spot.height())
            painter.write(name, bar.title, theme.text, _TEXT_PX, elided=True)
            painter.fill_in(theme.accent, alpha=0.75)
            inset = spot.height() * 0.22
            painter.drawRect(
                QRectF(
                    begin, spot.top() + inset, max(axis.px(bar.value) - begin, 1.0), spot.height() - 2 * inset
                )
            )
            if bar.low is not None and bar.high is not None:
                painter.line_in(theme.text, 1.4)
                middle = spot.center().y()
                painter.drawLine(QPointF(axis.px(bar.low), middle), QPointF(axis.px(bar.high), middle))
                for end in (bar.low, bar.high):
                    painter.upright(axis.px(end), middle - 4, middle + 4)
            figure = QRectF(self.width() - figures_px - 6, spot.top(), figures_px, spot.height())
            painter.write(figure, text, theme.text, _TEXT_PX, to=RIGHT)


def _top(chart: AnswerChart, values: list[float]) -> float:
    """Return where the axis of values ends: what matters is near the marks, not where a curve runs away."""
    if chart.most is not None:
        return chart.most
    most = max(values, default=1.0) or 1.0
    marked = max((mark.y for mark in chart.marks), default=0.0)
    return min(1.05 * most, 3.5 * marked) if marked > 0.0 else 1.05 * most


def _marks(chart: AnswerChart, low: float, high: float) -> list[tuple[float, str]]:
    """Return the values that the axis bears a mark at, with their words."""
    step = round_step((high - low) / 4)
    first = math.ceil(low / step) * step
    return [(value, worded(value, chart.y_unit)) for value in np.arange(first, high, step).tolist()]


def _bar_words(bar: AnswerBar, chart: AnswerChart) -> str:
    words = worded(bar.value, chart.y_unit)
    if bar.low is None or bar.high is None:
        return words
    return tr(
        "{words}, {low} to {high}",
        words=words,
        low=worded(bar.low, chart.y_unit),
        high=worded(bar.high, chart.y_unit),
    )


def _worded_x(value: float, chart: AnswerChart) -> str:
    if not chart.x_unit:
        return f"{value:.3g}"
    return worded(value, chart.x_unit)


def _ticks(chart: AnswerChart, across: Axis) -> list[float]:
    """Return the places of an axis that bear a mark."""
    if chart.is_log:
        low, high = math.exp(across.low), math.exp(across.high)
        seconds = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0]
        round_s = [
            *seconds,
            *(60.0 * n for n in seconds),
            *(3600.0 * n for n in (1, 2, 4, 8, 12, 24, 48, 96)),
        ]
        if chart.x_unit == "duration":
            return [value for value in round_s if low <= value <= high]
        return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    unit = 1.0
    if chart.x_unit == "duration":
        unit = next((unit_s for unit_s in _UNITS_S if across.high >= 2.0 * unit_s), 1.0)
    step = round_step((across.high - across.low) / 5.0 / unit) * unit
    first = math.ceil(across.low / step - 1e-9)
    return [step * place for place in range(first, math.floor(across.high / step + 1e-9) + 1)]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
