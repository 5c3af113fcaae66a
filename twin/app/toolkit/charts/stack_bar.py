"""A bar of stacked pieces with its legend: where a step's time or a GPU's memory goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.toolkit.account_colours import AccountShare, colour
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter, legend_entry
from twin.app.toolkit.look import Look, markup_label
from twin.app.toolkit.plain_text import MarkupLabel
from twin.app.toolkit.theme import ink_on

_BAR_PX, _LABEL_MIN_PX = 30, 30
_HATCHED = frozenset({"pipeline_bubble", "idle_no_load"})


class StackBar(QWidget):
    """Title, bar and legend.

    Parameters
    ----------
    title
        Above the bar.
    figure
        Writes an amount with its unit.
    legend_lines
        Lines kept for the legend, so that what is below stays where it is.
    """

    def __init__(
        self, look: Look, title: str, figure: Callable[[float], str], *, legend_lines: int = 1
    ) -> None:
        super().__init__()
        self._look, self._title_text, self._figure = look, title, figure
        self.pieces: tuple[AccountShare, ...] = ()
        self._headline = markup_label("value")
        self._bar = _Bar(look, figure)
        self._legend = MarkupLabel()
        self._legend.setWordWrap(True)
        self._legend.setMinimumHeight(legend_lines * self._legend.fontMetrics().height())
        self._legend.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self._headline)
        column.addWidget(self._bar)
        column.addWidget(self._legend)
        look.changed.connect(self._on_theme)
        self.show_pieces((), "")

    @property
    def legend_text(self) -> str:
        """Return the legend as plain text."""
        return self.accessibleDescription()

    def show_pieces(
        self, pieces: Sequence[AccountShare], headline: str, *, capacity: float = 0.0, usable: float = 0.0
    ) -> None:
        """Show these pieces.

        Parameters
        ----------
        headline
            Beside the title; in the colour of an alarm where the pieces are more than is usable.
        capacity, usable
            What the bar's full length stands for and how much of it may be filled; 0: the pieces fill the bar.
        """
        self.pieces = tuple(pieces)
        self._headline_words, self._over = headline, 0.0 < usable < sum(piece.value for piece in pieces)
        self._bar.show_pieces(self.pieces, capacity, usable)
        self._write()

    def _write(self) -> None:
        theme, total = self._look.theme, sum(piece.value for piece in self.pieces)
        tint = theme.alarm if self._over else theme.text
        self._headline.setText(
            f"<span style='color:{theme.muted};font-weight:400'>{escape(self._title_text)}</span>"
            f"&nbsp;&nbsp;<span style='color:{tint}'>{escape(self._headline_words)}</span>"
        )
        entries = [
            (piece, f"{self._figure(piece.value)} {piece.value / total:.1%}".replace("%", " %"))
            for piece in self.pieces
        ]
        self._legend.setText(
            "&nbsp;&nbsp;&nbsp; ".join(
                legend_entry(theme, colour(theme, piece.account), piece.title, words)
                for piece, words in entries
            )
        )
        self.setAccessibleName(f"{self._title_text}: {self._headline_words}")
        self.setAccessibleDescription(", ".join(f"{piece.title} {words}" for piece, words in entries))

    def _on_theme(self, _theme: object) -> None:
        self._write()


class _Bar(PaintedChart):
    def __init__(self, look: Look, figure: Callable[[float], str]) -> None:
        super().__init__(look, "", hint=(400, _BAR_PX), tall=False)
        self._figure = figure
        self._pieces: tuple[AccountShare, ...] = ()
        self._capacity = self._usable = 0.0

    def show_pieces(self, pieces: tuple[AccountShare, ...], capacity: float, usable: float) -> None:
        self._pieces, self._capacity, self._usable = pieces, capacity, usable
        self.update()

    def items(self) -> list[ChartItem]:
        """Return the pieces."""
        return [
            ChartItem(
                spot, f"<b>{escape(piece.title)}</b> {self._figure(piece.value)}<br>{escape(piece.hint)}"
            )
            for piece, spot in self._spots()
        ]

    def paint(self, painter: ChartPainter) -> None:
        theme, whole = painter.theme, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outline = QPainterPath()
        outline.addRoundedRect(whole, 6, 6)
        painter.fillPath(outline, QColor(theme.raised))
        painter.setClipPath(outline)
        for piece, spot in self._spots():
            self._paint_piece(painter, piece, spot)
        over = 0.0 < self._usable < sum(piece.value for piece in self._pieces)
        if self._capacity:
            self._paint_limits(painter, whole, over)
        painter.setClipping(False)
        painter.line_in(theme.alarm if over else theme.border, 1.6 if over else 1.0)
        painter.drawPath(outline)

    def _paint_piece(self, painter: ChartPainter, piece: AccountShare, spot: QRectF) -> None:
        theme, tint = painter.theme, QColor(colour(painter.theme, piece.account))
        hatched = piece.account in _HATCHED
        if hatched:  # time in which nothing is done looks like nothing
            painter.fillRect(spot, QColor(theme.surface))
            painter.fillRect(spot, QBrush(tint, Qt.BrushStyle.BDiagPattern))
        else:
            painter.fillRect(spot, tint)
        painter.fillRect(QRectF(spot.right() - 1, spot.top(), 1, spot.height()), QColor(theme.surface))
        if spot.width() >= _LABEL_MIN_PX:
            painter.font_in(11, bold=True)
            if painter.wide(piece.title) + 6 <= spot.width():
                painter.write(spot, piece.title, theme.text if hatched else ink_on(tint.name()), to=CENTRE)

    def _paint_limits(self, painter: ChartPainter, whole: QRectF, over: bool) -> None:
        theme, scale = painter.theme, whole.width() / self._length()
        usable_px, end_px = self._usable * scale, self._capacity * scale
        if end_px > usable_px + 1 and not over:
            kept = QRectF(usable_px, whole.top(), end_px - usable_px, whole.height())
            painter.fillRect(kept, QBrush(QColor(theme.faint), Qt.BrushStyle.BDiagPattern))
        painter.line_in(theme.alarm if over else theme.muted, 2.0)
        painter.upright(round(usable_px), 0, round(whole.bottom()))

    def _length(self) -> float:
        return max(self._capacity, sum(piece.value for piece in self._pieces), 1e-30)

    def _spots(self) -> list[tuple[AccountShare, QRectF]]:
        scale, left, spots = self.width() / self._length(), 0.0, []
        for piece in self._pieces:
            width = piece.value * scale
            spots.append((piece, QRectF(left, 0.0, width, float(self.height()))))
            left += width
        return spots
