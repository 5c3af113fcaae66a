"""A painter that takes colours of the theme, and draws words, lines and areas in one call each."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPaintDevice, QPainter, QPen, QPolygonF
from shiboken6 import VoidPtr

from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.theme import Theme, font
from twin.arrays import Floats

LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
CENTRE = Qt.AlignmentFlag.AlignCenter
Colour = str | QColor
_MARK_HIGH_PX = 16.0
_Memory: Any = VoidPtr  # its stub knows one of its two forms


class ChartPainter(QPainter):
    """Paints with the colours and fonts of a theme; lengths in pixels, sizes of text go with the text's scale.

    Attributes
    ----------
    theme
        Its colours.
    """

    def __init__(self, device: QPaintDevice, theme: Theme, *, smooth: bool = True) -> None:
        super().__init__(device)
        self.theme = theme
        self._fonts: dict[tuple[int, bool], QFont] = {}
        self._enlarged = False
        self.smooth(smooth)

    def enlarge(self, scale: float) -> None:
        """Paint all so much larger from now on, text too, whose size is then the usual one."""
        self.scale(scale, scale)
        self._enlarged = True
        self._fonts.clear()

    def smooth(self, on: bool) -> None:
        """Smooth edges from now on, or no more."""
        self.setRenderHint(QPainter.RenderHint.Antialiasing, on)

    def line_in(self, colour: Colour, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> None:
        """Draw lines like this from now on, and fill nothing."""
        self.setPen(QPen(QColor(colour), width, style))
        self.setBrush(Qt.BrushStyle.NoBrush)

    def fill_in(self, colour: Colour, *, hatched: bool = False, alpha: float = 1.0) -> None:
        """Fill shapes like this from now on, without an edge."""
        self.setPen(Qt.PenStyle.NoPen)
        tint = faded(colour, alpha) if alpha < 1.0 else QColor(colour)
        self.setBrush(QBrush(tint, Qt.BrushStyle.BDiagPattern if hatched else Qt.BrushStyle.SolidPattern))

    def upright(self, x: float, top: float, bottom: float) -> None:
        """Draw an upright line."""
        self.drawLine(QPointF(x, top), QPointF(x, bottom))

    def curve(self, x: Floats, y: Floats) -> None:
        """Draw a line through points."""
        self.drawPolyline(polygon(x, y))

    def area(self, x: Floats, top: Floats, bottom: Floats | float) -> None:
        """Fill what lies between two curves over the same places, or between a curve and a level."""
        back_x, back_y = (
            (x[[-1, 0]], np.full(2, bottom)) if isinstance(bottom, float) else (x[::-1], bottom[::-1])
        )
        self.drawPolygon(polygon(np.concatenate((x, back_x)), np.concatenate((top, back_y))))

    def font_in(self, px: int, *, bold: bool = False) -> None:
        """Write in this size from now on."""
        how = px, bold
        if how not in self._fonts:
            self._fonts[how] = font(px, bold=bold, as_is=self._enlarged)
        self.setFont(self._fonts[how])

    def wide(self, words: str) -> int:
        """Return how wide words are in the present font [px]."""
        return self.fontMetrics().horizontalAdvance(words)

    def write(
        self,
        spot: QRectF,
        words: str,
        ink: Colour,
        px: int = 0,
        *,
        bold: bool = False,
        to: Qt.AlignmentFlag = LEFT,
        elided: bool = False,
    ) -> None:
        """Write on one line.

        Parameters
        ----------
        px
            Size of the text; 0: the present font.
        to
            Where it stands in its spot.
        elided
            Whether what has no room gives way to an ellipsis.
        """
        if px:
            self.font_in(px, bold=bold)
        if elided:
            words = self.fontMetrics().elidedText(
                words, Qt.TextElideMode.ElideRight, int(max(spot.width(), 0))
            )
        self.setPen(QColor(ink) if isinstance(ink, str) else ink)
        self.drawText(spot, to, words)

    def value_marks(
        self,
        axis: Axis,
        marks: list[tuple[float, str]],
        room: QRectF,
        *,
        grid: bool = False,
        gap_px: float = 6.0,
    ) -> None:
        """Write the marks of an axis of values left of a room, and draw lines across where wanted."""
        for value, words in marks:
            y = axis.px(value)
            if grid:
                self.line_in(self.theme.border)
                self.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            spot = QRectF(0, y - _MARK_HIGH_PX / 2, room.left() - gap_px, _MARK_HIGH_PX)
            self.write(spot, words, self.theme.muted, to=RIGHT)


def faded(colour: Colour, alpha: float) -> QColor:
    """Return a colour that the ground shows through."""
    tint = QColor(colour)
    tint.setAlphaF(alpha)
    return tint


def polygon(x: Floats, y: Floats) -> QPolygonF:
    """Return points as Qt has them, written where it keeps them: one object a point takes hundreds of times as long."""
    made = QPolygonF()
    if len(x):
        made.resize(len(x))
        kept = np.frombuffer(_Memory(made.data(), 2 * x.itemsize * len(x), True), np.float64).reshape(-1, 2)
        kept[:, 0], kept[:, 1] = x, y
    return made


def legend_entry(theme: Theme, tint: str, name: str, figure: str, mark: str = "\N{BLACK SQUARE}") -> str:
    """Return the markup of a line of a legend: mark, name and figure, kept together."""
    space = "\N{NO-BREAK SPACE}"
    return (
        f"<span style='color:{tint}'>{mark}</span>{space}<span style='color:{theme.muted}'>{escape(name)}</span>"
        f"{space}<b>{figure.replace(' ', space)}</b>"
    )
