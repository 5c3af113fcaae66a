"""The legend over the 3D view: title, ramp and swatches below one another, or as a strip where there is little room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from twin.app.hall.overlay import Plate
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import significant
from twin.language import tr
from twin.view3d.base.palette import Rgb
from twin.view3d.colour.legend import Legend

_PAD, _SMALL_PAD, _STRIP_PAD = 12.0, 9.0, 7.0
_BAR_WIDTH, _SMALL_BAR_WIDTH, _BAR_HEIGHT = 236.0, 150.0, 10.0
_STRIP_BAR, _PIECES_APART, _STRIP_SHARE = 80.0, 14.0, 0.5
"""Width of the ramp of a strip, between its pieces, and how much of the picture's width it may take."""
_LINE = 19.0
_WORDS_APART = 6.0
_MAX_CATEGORIES = 10
_WORDS_ONLY = ("➤", "≡", "")
"""Swatches that count nothing."""
Paint = Callable[[QPainter, float, float], None]


@dataclass(frozen=True)
class _Piece:
    """A part of a strip: how far from its left, in which row, how wide, and what paints it."""

    x: float
    row: int
    width: float
    paint: Paint


class LegendPlate(Plate):
    """The legend of the colouring: ramp with unit, or swatches with icon and count; where it is brief, a strip."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.legend: Legend | None = None
        self._small = self._brief = False
        self._most_px = float(parent.width())
        self._bold, self._plain = themes.font(12, bold=True, as_is=True), themes.font(11, as_is=True)

    def show_legend(self, legend: Legend, small: bool = False, brief: bool = False) -> None:
        """Show another legend, its ramp narrower where the picture is `small`, between its ends alone where `brief`."""
        if (legend, small, brief) == (self.legend, self._small, self._brief):
            return
        self.legend, self._small, self._brief = legend, small, brief
        self.fit(*self._extent())
        self.setAccessibleName(tr("Legend: {title}", title=legend.title))
        self.show()
        self.update()

    def keep_within(self, width_px: float) -> None:
        """Take, as a strip, a share of a picture of this width [px]."""
        if width_px != self._most_px:
            self._most_px = width_px
            self.fit(*self._extent())
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size that holds the legend."""
        return self.size_of(*self._extent())

    def _extent(self) -> tuple[float, float]:
        if self.legend is None:
            return 0.0, 0.0
        if self._brief:
            pieces = self._strip(self.legend)
            wide, rows = max(piece.x + piece.width for piece in pieces), pieces[-1].row + 1
            return wide + 2 * _PAD, 2 * _STRIP_PAD + _LINE * (rows - 1) + 14
        height = 2 * self._pad + 18
        if self.legend.stops:
            height += _BAR_HEIGHT + 24
        height += _LINE * len(self._lines()) + (4 if self._lines() else 0)
        return self._inner() + 2 * _PAD, height

    @property
    def _pad(self) -> float:
        """Room above and below what is written."""
        return _SMALL_PAD if self._small else _PAD

    def _inner(self) -> float:
        """Return the width of the ramp, or of the longest line where that is wider."""
        plain, legend = QFontMetricsF(self._plain), self.legend
        least = _SMALL_BAR_WIDTH if self._small else _BAR_WIDTH
        if legend is None:
            return least
        heading = QFontMetricsF(self._bold).horizontalAdvance(legend.title) + 6
        heading += plain.horizontalAdvance(legend.unit)
        lines = (
            plain.horizontalAdvance(text) + plain.horizontalAdvance(count) + 34
            for _, _, text, count in self._lines()
        )
        return max(least, heading, *lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint plate, title, ramp and swatches."""
        if self.legend is None:
            return
        painter = QPainter(self)
        self.paint_plate(painter)
        if self._brief:
            for piece in self._strip(self.legend):
                piece.paint(painter, _PAD + piece.x, _STRIP_PAD + _LINE * piece.row)
        else:
            y = self._paint_title(painter, self.legend)
            if self.legend.stops:
                y = self._paint_ramp(painter, self.legend, y)
            for line in self._lines():
                self._paint_line(painter, _PAD, y, *line, self._inner())
                y += _LINE
        painter.end()

    def _strip(self, legend: Legend) -> list[_Piece]:
        """Return title, ramp and swatches one behind the other, in as many rows as they need in the picture."""
        bold, plain = QFontMetricsF(self._bold), QFontMetricsF(self._plain)
        title = bold.horizontalAdvance(_capital(legend.title)) + 6 + plain.horizontalAdvance(legend.unit)
        wanted: list[tuple[float, Paint]] = [(title, partial(self._paint_words, legend=legend))]
        if legend.stops:
            low, high = (significant(value, 2) for value in (legend.ticks[0], legend.ticks[-1]))
            ends = plain.horizontalAdvance(low) + plain.horizontalAdvance(high) + 2 * _WORDS_APART
            wanted.append(
                (ends + _STRIP_BAR, partial(self._paint_short_ramp, legend=legend, ends=(low, high)))
            )
        for rgb, icon, text, count in self._lines():
            wide = plain.horizontalAdvance(text) + plain.horizontalAdvance(count) + 28
            wanted.append(
                (wide, partial(self._paint_line, rgb=rgb, icon=icon, text=text, count=count, wide=wide))
            )
        most = max(_STRIP_SHARE * self._most_px / self.scale, *(wide for wide, _ in wanted))
        pieces, x, row = list[_Piece](), 0.0, 0
        for wide, paint in wanted:
            if x and x + wide > most:
                x, row = 0.0, row + 1
            pieces.append(_Piece(x, row, wide, paint))
            x += wide + _PIECES_APART
        return pieces

    def _paint_words(self, painter: QPainter, x: float, y: float, legend: Legend) -> None:
        title = _capital(legend.title)
        painter.setFont(self._bold)
        painter.setPen(self.text_colour)
        painter.drawText(QPointF(x, y + 11), title)
        if legend.unit:
            width = QFontMetricsF(self._bold).horizontalAdvance(title)
            painter.setFont(self._plain)
            painter.setPen(self.muted_colour)
            painter.drawText(QPointF(x + width + 6, y + 11), legend.unit)

    def _paint_title(self, painter: QPainter, legend: Legend) -> float:
        self._paint_words(painter, _PAD, self._pad, legend)
        return self._pad + 22

    def _paint_bar(self, painter: QPainter, legend: Legend, bar: QRectF) -> None:
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for value, rgb in legend.stops:
            gradient.setColorAt(legend.place(value), _colour(rgb))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 4, 4)
        painter.setFont(self._plain)
        painter.setPen(self.muted_colour)

    def _paint_short_ramp(
        self, painter: QPainter, x: float, y: float, legend: Legend, ends: tuple[str, str]
    ) -> None:
        bar = QRectF(x, y + 2, _STRIP_BAR, _BAR_HEIGHT)
        bar.translate(QFontMetricsF(self._plain).horizontalAdvance(ends[0]) + _WORDS_APART, 0)
        self._paint_bar(painter, legend, bar)
        painter.drawText(QPointF(x, y + 11), ends[0])
        painter.drawText(QPointF(bar.right() + _WORDS_APART, y + 11), ends[1])

    def _paint_ramp(self, painter: QPainter, legend: Legend, y: float) -> float:
        bar = QRectF(_PAD, y, self._inner(), _BAR_HEIGHT)
        metrics = QFontMetricsF(self._plain)
        texts = [
            significant(value, 2 if value >= 10 or not legend.logarithmic else 1) for value in legend.ticks
        ]
        widths = [metrics.horizontalAdvance(text) for text in texts]
        self._paint_bar(painter, legend, bar)
        lefts = [
            bar.left() + legend.place(value) * (bar.width() - width)
            for value, width in zip(legend.ticks, widths, strict=True)
        ]
        for tick in ticks_apart(lefts, widths):
            painter.drawText(QPointF(lefts[tick], bar.bottom() + 14), texts[tick])
        return bar.bottom() + 24

    def _paint_line(
        self, painter: QPainter, x: float, y: float, rgb: Rgb, icon: str, text: str, count: str, wide: float
    ) -> None:
        painter.setFont(self._plain)
        if icon:
            swatch = QRectF(x, y, 14, 14)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_colour(rgb))
            painter.drawRoundedRect(swatch, 3, 3)
            painter.setPen(QColor("#0a0d13") if sum(rgb) > 1.3 else QColor("#ffffff"))
            painter.drawText(swatch, Qt.AlignmentFlag.AlignCenter, icon)
        painter.setPen(self.text_colour)
        painter.drawText(QPointF(x + 22, y + 11.5), text)
        painter.setPen(self.muted_colour)
        right = x + wide - QFontMetricsF(self._plain).horizontalAdvance(count)
        painter.drawText(QPointF(right, y + 11.5), count)

    def _lines(self) -> list[tuple[Rgb, str, str, str]]:
        if self.legend is None:
            return []
        categories = self.legend.categories
        lines = [
            (c.rgb, c.icon, c.label, f"{c.count:,}" if c.icon not in _WORDS_ONLY else "")
            for c in categories[:_MAX_CATEGORIES]
        ]
        if len(categories) > _MAX_CATEGORIES:
            rest = categories[_MAX_CATEGORIES:]
            grey = (0.5, 0.5, 0.5)
            lines.append(
                (grey, "+", tr("{rest_count} more", rest_count=len(rest)), f"{sum(c.count for c in rest):,}")
            )
        return lines


def ticks_apart(lefts: Sequence[float], widths: Sequence[float]) -> range:
    """Return which words below a bar are written: all, every second, every fourth, so that none touch.

    Parameters
    ----------
    lefts, widths
        Of the words, in their order [px].

    Examples
    --------
    >>> ticks_apart([0, 40, 80, 112, 132], [8, 26, 26, 26, 36]), ticks_apart([0, 40, 80], [8, 26, 26])
    (range(0, 5, 2), range(0, 3))
    """
    every = 1
    while every < len(lefts) and any(
        lefts[tick] + widths[tick] + _WORDS_APART > lefts[tick + every]
        for tick in range(0, len(lefts) - every, every)
    ):
        every *= 2
    return range(0, len(lefts), every)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _colour(rgb: Rgb) -> QColor:
    return QColor.fromRgbF(*rgb)
