"""The waterfall, painted: one line for the whole, one for each loss that is taken away, one for what is left."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from twin.app.jobs.waterfall import REST, Waterfall
from twin.app.toolkit import text
from twin.app.toolkit.account_colours import AccountShare, colour
from twin.app.toolkit.look import Look
from twin.app.toolkit.painted_widget import Painted
from twin.app.toolkit.theme import Theme, font, scaled

_NAME_PX, _FIGURE_PX, _EDGE_PX = 122.0, 142.0, 12.0
_LINE_PX, _LINE_MIN_PX, _BAR = 21.0, 13.0, 0.66
_WHOLE = "whole"
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
ALONE_BELOW = 0.3
"""Losses that are less of the whole than this are drawn alone, true to each other: from 0 they would not be seen."""
_ALONE = ("The losses alone:", "Losses alone:", "Losses:")


class WaterfallView(Painted):
    """Shows where the time of one job went; a tool tip says what a line means."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Time of the job by account")
        self.shown: Waterfall | None = None
        self.setMinimumSize(340, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Return room for every line."""
        return QSize(460, 250)

    def show_waterfall(self, shown: Waterfall | None) -> None:
        """Show another moment; None: nothing yet."""
        if shown == self.shown:
            return
        self.shown = shown
        lines = [f"{piece.title} {self.figure(piece.value)}" for _, piece, _ in self.lines()]
        self.setAccessibleDescription(", ".join(lines))
        self.update()

    def figure(self, seconds: float) -> str:
        """Return a time and its share of the whole."""
        share = self.shown.share(seconds) if self.shown is not None else 0.0
        return f"{text.duration(seconds)}  {100 * share:.1f} %"

    def lines(self) -> list[tuple[QRectF, AccountShare, float]]:
        """Return the place of each line, what it is of, and where its bar begins [s]."""
        if self.shown is None or self.shown.whole_s <= 0:
            return []
        pieces = self.shown.pieces
        high = max(min(scaled(_LINE_PX), (self.height() - 8.0) / (len(pieces) + 1)), scaled(_LINE_MIN_PX))
        found, left_s = [], self.shown.whole_s
        whole = AccountShare(
            _WHOLE, "Since submission", left_s, "Wall time until now, or until the job's end"
        )
        found.append((self._spot(0, high), whole, 0.0))
        for number, piece in enumerate(pieces, start=1):
            left_s = max(left_s - piece.value, 0.0)
            found.append((self._spot(number, high), piece, left_s))
        return found

    def _spot(self, number: int, high: float) -> QRectF:
        return QRectF(0.0, 4.0 + number * high, float(self.width()), high)

    @property
    def alone(self) -> bool:
        """Return whether the losses alone are drawn, and the whole and what is left have figures only."""
        shown = self.shown
        return bool(shown and shown.losses) and self._lost_s < ALONE_BELOW * (shown.whole_s if shown else 0.0)

    @property
    def _lost_s(self) -> float:
        return 0.0 if self.shown is None else self.shown.whole_s - self.shown.productive_s

    @property
    def from_s(self) -> float:
        """Return where the bars begin [s]: at 0, or with the losses alone where these end."""
        return self.shown.productive_s if self.shown is not None and self.alone else 0.0

    def bar_of(self, spot: QRectF, piece: AccountShare, begin_s: float) -> QRectF:
        """Return the place of the bar of a line."""
        assert self.shown is not None
        room = max(self.width() - scaled(_NAME_PX) - scaled(_FIGURE_PX) - 2 * _EDGE_PX, 20.0)
        scale, left = room / (self.shown.whole_s - self.from_s), _EDGE_PX + scaled(_NAME_PX)
        inset = spot.height() * (1 - _BAR) / 2
        begin_px = max(begin_s - self.from_s, 0.0) * scale
        width = max((begin_s + piece.value - self.from_s) * scale - begin_px, 1.5)
        at = min(left + begin_px, left + room - width)
        return QRectF(at, spot.top() + inset, width, spot.height() - 2 * inset)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines, each bar where the one above it ends."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lines = self.lines()
        if not lines:
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "Not submitted yet")
            return
        before: QRectF | None = None
        for number, (spot, piece, begin_s) in enumerate(lines):
            bar = self.bar_of(spot, piece, begin_s)
            if before is not None:
                painter.setPen(QPen(QColor(theme.faint), 1.0, Qt.PenStyle.DotLine))
                x = before.left() if number > 1 else before.right()
                painter.drawLine(QPointF(x, before.bottom()), QPointF(x, bar.top()))
            bold = number in (0, len(lines) - 1)
            if not (self.alone and bold):
                self._paint_bar(painter, theme, piece, bar)
            elif number == 0:
                painter.setFont(font(11))
                painter.setPen(QColor(theme.muted))
                room = spot.adjusted(_EDGE_PX + scaled(_NAME_PX), 0, -_EDGE_PX - scaled(_FIGURE_PX), 0)
                wide = painter.fontMetrics().horizontalAdvance
                words = next((words for words in _ALONE if wide(words) <= room.width()), "")
                painter.drawText(room, _MIDDLE, words)
            self._write(painter, theme, spot, piece, bold)
            before = bar

    def _paint_bar(self, painter: QPainter, theme: Theme, piece: AccountShare, bar: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if piece.account == _WHOLE:
            painter.setBrush(QColor(theme.hover))
        elif piece.account in (REST, "pipeline_bubble", "idle_no_load"):
            painter.setBrush(QBrush(QColor(colour(theme, piece.account)), Qt.BrushStyle.BDiagPattern))
        else:
            painter.setBrush(QColor(colour(theme, piece.account)))
        radius = min(3.0, bar.width() / 2)
        painter.drawRoundedRect(bar, radius, radius)

    def _write(self, painter: QPainter, theme: Theme, spot: QRectF, piece: AccountShare, bold: bool) -> None:
        painter.setFont(font(11 if spot.height() >= 15 else 10, bold=bold))
        painter.setPen(QColor(theme.text if bold else theme.muted))
        name = QRectF(_EDGE_PX, spot.top(), scaled(_NAME_PX) - 8, spot.height())
        words = painter.fontMetrics().elidedText(piece.title, Qt.TextElideMode.ElideRight, int(name.width()))
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.setPen(QColor(theme.text))
        figure = QRectF(
            self.width() - scaled(_FIGURE_PX) - _EDGE_PX, spot.top(), scaled(_FIGURE_PX), spot.height()
        )
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        share_px = 58.0
        painter.drawText(figure.adjusted(0, 0, -share_px, 0), middle, text.duration(piece.value))
        painter.setPen(QColor(theme.muted))
        share = self.shown.share(piece.value) if self.shown is not None else 0.0
        painter.drawText(figure, middle, f"{100 * share:.1f} %")

    def said_at(self, place: QPointF) -> str:
        """Return what the line under a point means, as rich text."""
        for spot, piece, _ in self.lines():
            if spot.contains(place):
                return f"<b>{escape(piece.title)}</b> {self.figure(piece.value)}<br>{escape(piece.hint)}"
        return ""
