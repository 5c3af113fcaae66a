"""Twelve bars, one of each month, over a base that they all have: PUE over 1, say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QRectF

from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled
from twin.language import tr

MONTH_NAMES = (
    *(tr("January"), tr("February"), tr("March"), tr("April"), tr("May"), tr("June")),
    *(tr("July"), tr("August"), tr("September"), tr("October"), tr("November"), tr("December")),
)
_HIGH_PX, _FOOT_PX, _HEAD_PX, _GAP = 92, 15.0, 15.0, 0.22
_LEAST_PX = 26.0
"""A bar as wide as this has its figure above it."""


class MonthBars(PaintedChart):
    """Draws a figure of each month as a bar from a base upwards.

    Parameters
    ----------
    title
        Of the figure.
    base
        Where bars begin.
    says
        Writes a figure.
    """

    def __init__(self, look: Look, title: str, base: float, says: Callable[[float], str]) -> None:
        super().__init__(
            look,
            tr("{title} by month", title=title),
            hint=(280, scaled(_HIGH_PX)),
            least=(150, scaled(_HIGH_PX)),
            tall=False,
            keys=True,
        )
        self._title, self._base, self._says = title, base, says
        self.values: tuple[float, ...] = ()

    def show_months(self, values: Sequence[float]) -> None:
        """Draw twelve figures, January first."""
        if tuple(values) != self.values:
            self.values = tuple(values)
            said = ", ".join(
                f"{name} {self._says(value)}" for name, value in zip(MONTH_NAMES, values, strict=True)
            )
            self.setAccessibleDescription(said)
            self.refresh()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return not self.values

    def items(self) -> list[ChartItem]:
        """Return the months."""
        return [
            ChartItem(spot, f"<b>{name}</b><br>{escape(words)}", name, f"{name}: {words}")
            for name, spot, value in self._spots()
            for words in [f"{self._title} {self._says(value)}"]
        ]

    def paint(self, painter: ChartPainter) -> None:
        """Paint the bars with the first letter of each month below, and their figures where there is room."""
        theme, foot_px, head_px = painter.theme, scaled(_FOOT_PX), scaled(_HEAD_PX)
        base_px = self.height() - foot_px
        top = max((*self.values, self._base + 1e-9))
        axis = Axis(self._base, top, base_px, head_px)
        current = self.current
        highest = self.values.index(max(self.values)) if self.values else -1
        for place, (name, spot, value) in enumerate(self._spots()):
            bar = QRectF(spot.left(), axis.px(value), spot.width(), base_px - axis.px(value))
            gap = _GAP * spot.width() / 2
            on = self.hasFocus() and current is not None and current.key == name
            painter.fill_in(theme.text if on else theme.accent)
            painter.drawRect(bar.adjusted(gap, 0, -gap, 0))
            label = QRectF(spot.left(), base_px, spot.width(), foot_px)
            painter.write(label, name[0], theme.text if on else theme.muted, 10, to=CENTRE)
            if spot.width() >= scaled(_LEAST_PX) or on or place == highest:
                above = QRectF(spot.center().x() - 40, bar.top() - head_px, 80, head_px)
                above.moveRight(min(above.right(), self.width() + 40 - painter.wide(self._says(value)) / 2))
                painter.write(above, self._says(value), theme.text, 10, to=CENTRE)
        painter.line_in(theme.border)
        painter.drawLine(0, round(base_px), self.width(), round(base_px))

    def _spots(self) -> list[tuple[str, QRectF, float]]:
        wide = self.width() / max(len(self.values), 1)
        return [
            (name, QRectF(place * wide, 0.0, wide, float(self.height())), value)
            for place, (name, value) in enumerate(zip(MONTH_NAMES, self.values, strict=False))
        ]
