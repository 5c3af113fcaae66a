"""How plots look: colours, axes and numbers of the theme. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme

_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
_DASH_MARKS = ("\N{EM DASH}", "- -", "\N{MIDDLE DOT}\N{MIDDLE DOT}\N{MIDDLE DOT}", "-\N{MIDDLE DOT}-")


class LogAxis(pg.AxisItem):  # type: ignore[misc]
    """A logarithmic axis that writes 1, 2, 5, 10, 20 ... with prefixes.

    Parameters
    ----------
    side
        Of the plot.
    base
        2: powers of two; 10: one, two and five of each decade.
    """

    def __init__(self, side: str, *, base: int = 10) -> None:
        super().__init__(side)
        self._base = base

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the logarithms to mark: what people count in, few enough for the length."""
        if self._base == 2:
            step = math.log10(2.0)
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            stride = max(1, math.ceil((last - first + 1) * 44.0 / max(size, 44.0)))
            return [(step, [k * step for k in range(first, last + 1) if k % stride == 0])]
        decades = range(math.floor(low), math.ceil(high) + 1)
        leads = (1, 2, 5) if (high - low) * 3 * 40 < size else (1,)
        values = [d + math.log10(lead) for d in decades for lead in leads]
        return [(1.0, [value for value in values if low - 1e-9 <= value <= high + 1e-9])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers with prefixes."""
        return [prefixed(10.0**value) if self._base == 10 else f"{round(10.0**value):,}" for value in values]


class LogPlot(QWidget):
    """A plot with two logarithmic axes and a note below, drawn anew whenever what it shows or the theme changes.

    Subclasses say in `draw` what there is.

    Parameters
    ----------
    base
        Of the axis below: 2 or 10.
    margins_px
        Left, top, right, bottom.
    role
        Of the note.
    """

    def __init__(
        self,
        look: Look,
        name: str,
        left: str,
        bottom: str,
        *,
        base: int = 10,
        margins_px: tuple[int, int, int, int] = (0, 0, 0, 0),
        role: str = "muted",
    ) -> None:
        super().__init__()
        self._look = look
        axes = {"left": LogAxis("left"), "bottom": LogAxis("bottom", base=base)}
        self.plot = plot(axes, left, bottom, name)
        self.plot.getPlotItem().setMouseEnabled(x=False, y=False)
        self.note = label("", role, wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*margins_px)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.note)
        self._items: list[Any] = []
        look.changed.connect(self._on_theme)
        paint(self.plot, look.theme)

    def draw(self, theme: Theme) -> None:
        """Draw what there is on an empty plot."""

    def redraw(self) -> None:
        """Draw anew."""
        for old in self._items:
            self.plot.getPlotItem().removeItem(old)
        self._items = []
        self.draw(self._look.theme)

    def add(self, item: Any) -> None:
        """Put an item of pyqtgraph on the plot until it is drawn anew."""
        self.plot.getPlotItem().addItem(item)
        self._items.append(item)

    def say(self, words: str, x: float, y: float, tint: str, anchor: tuple[float, float]) -> None:
        """Write words beside a place, given by its logarithms."""
        made = pg.TextItem(words, color=tint, anchor=anchor)
        made.setFont(themes.font(11))
        made.setPos(x, y)
        self.add(made)

    def dot(self, x: float, y: float, size: int, pen: QPen, fill: str, symbol: str = "o") -> None:
        """Mark a place, given by its logarithms."""
        self.add(pg.ScatterPlotItem([x], [y], size=size, pen=pen, brush=pg.mkBrush(fill), symbol=symbol))

    def _on_theme(self, theme: Theme) -> None:
        paint(self.plot, theme)
        self.redraw()


def plot(axes: dict[str, Any], left: str, bottom: str, name: str) -> Any:
    """Return an empty plot widget with these axes and their titles."""
    pg.setConfigOptions(antialias=True)
    made = pg.PlotWidget(axisItems=axes)
    for each in (made, made.viewport()):  # both can have the keyboard
        each.setAccessibleName(name)
    item = made.getPlotItem()
    item.setMenuEnabled(False)
    item.hideButtons()
    item.setLabel("left", left)
    item.setLabel("bottom", bottom)
    item.getAxis("left").setWidth(66)
    return made


def paint(made: Any, theme: Theme) -> None:
    """Give a plot the colours of a theme."""
    made.setBackground(theme.surface)
    item = made.getPlotItem()
    item.showGrid(x=True, y=True, alpha=0.16 if theme.is_dark else 0.22)
    for side in ("left", "bottom"):
        axis = item.getAxis(side)
        axis.enableAutoSIPrefix(False)  # our own axes write prefixes at the numbers
        axis.setPen(pg.mkPen(theme.border))
        axis.setTextPen(pg.mkPen(theme.muted))
        axis.setStyle(tickFont=themes.font(10), tickLength=-4)
        axis.label.setFont(themes.font(11))
        axis.setLabel(axis.labelText, color=theme.muted)


def curve_pen(theme: Theme, number: int) -> QPen:
    """Return the pen of a curve; where colour alone must not tell, its dashes are its own."""
    pen: QPen = pg.mkPen(theme.series[number], width=2.0 if theme.dashes else 1.4)
    if theme.dashes:
        pen.setStyle(_DASHES[number])
    return pen


def curve_mark(theme: Theme, number: int) -> str:
    """Return what stands before the name of a curve."""
    return _DASH_MARKS[number] if theme.dashes else "\N{BLACK CIRCLE}"
