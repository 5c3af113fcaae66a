"""A small curve with its name and newest value: three of them fit where one plot would."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from twin.app.toolkit import text
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats
from twin.language import tr

_NAME_PX, _VALUE_PX, _EDGE_PX = 54.0, 66.0, 12.0


class SparkLine(PaintedChart):
    """Draws one series over time, from its least to its greatest value.

    Parameters
    ----------
    title, unit
        Of what is drawn.
    from_zero
        Whether the axis begins at 0.
    """

    def __init__(self, look: Look, title: str, unit: str, *, from_zero: bool) -> None:
        super().__init__(look, title, hint=(220, 24), least=(0, 18))
        self._title, self._unit, self._from_zero = title, unit, from_zero
        self._t_s: Floats = np.zeros(0)
        self._values: Floats = np.zeros(0)

    def show_series(self, t_s: Floats, values: Floats) -> None:
        """Draw another series; nan leaves a gap."""
        self._t_s, self._values = t_s.copy(), values.copy()
        words = self._words()
        self.setAccessibleDescription(words)
        known = self._values[np.isfinite(self._values)]
        if len(known):
            low, high = (self._says(float(v)) for v in (known.min(), known.max()))
            self.setToolTip(
                plain_tip(
                    tr(
                        "{title}: {words}, from {low} to {high} so far",
                        title=self._title,
                        words=words,
                        low=low,
                        high=high,
                    )
                )
            )
        self.update()

    def said_at(self, place: QPointF) -> str:
        """Return the newest value and the range so far, wherever the pointer is."""
        return self.toolTip()

    def _words(self) -> str:
        newest = float(self._values[-1]) if len(self._values) else math.nan
        return self._says(newest)

    def _says(self, value: float) -> str:
        return text.quantity(value, self._unit) if self._unit else text.gpus(value)

    def paint(self, painter: ChartPainter) -> None:
        """Paint name, curve and value."""
        theme, value_px = painter.theme, scaled(_VALUE_PX)
        painter.font_in(11, bold=True)
        value_px = min(value_px, painter.wide(self._words()) + 6)
        painter.font_in(11)
        name_px = max(
            scaled(_NAME_PX), min(painter.wide(self._title) + 6.0, self.width() - value_px - 2 * _EDGE_PX)
        )
        name = QRectF(_EDGE_PX, 0, name_px, self.height())
        painter.write(name, self._title, theme.muted, 11, elided=True)
        value = QRectF(self.width() - _EDGE_PX - value_px, 0, value_px, self.height())
        painter.write(value, self._words(), theme.text, 11, bold=True, to=RIGHT)
        wide = self.width() - name_px - value_px - 2 * _EDGE_PX - 6
        room = QRectF(_EDGE_PX + name_px, 3, wide, max(self.height() - 6.0, 4.0))
        known = np.isfinite(self._values)
        if np.count_nonzero(known) < 2 or room.width() < 10:
            return
        low = 0.0 if self._from_zero else float(self._values[known].min())
        high = float(self._values[known].max())
        begin_s = float(self._t_s[0])
        end_s = max(float(self._t_s[-1]), begin_s + 1e-9)
        x = Axis(begin_s, end_s, room.left(), room.right()).px(self._t_s)
        y = Axis(low, max(high, low + 1e-9), room.bottom(), room.top()).px(self._values)
        if high - low < 1e-3 * abs(high):  # steady: a line in the middle, not the noise of its last digit
            y = np.where(known, room.center().y(), y)
        painter.line_in(theme.accent, 1.4)
        for part in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known.astype(np.int8)) != 0) + 1):
            if known[part[0]] and len(part) > 1:
                painter.curve(x[part], y[part])
