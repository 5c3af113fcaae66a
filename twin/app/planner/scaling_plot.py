"""The scaling curve, drawn: work in a second over GPUs, against linear. Loaded late (pyqtgraph)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.planner.scaling import ScalingPoint, speed_ups
from twin.app.plots.style import LogAxis, paint, plot
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme

_SAME = 0.004
"""Decades; one percent above linear is not worth a word."""


class ScalingPlot(QWidget):
    """Shows points of a scaling curve."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.points: tuple[ScalingPoint, ...] = ()
        self._present, self._unit = 0, ""
        axes = {"left": LogAxis("left"), "bottom": LogAxis("bottom", base=2)}
        self.plot = plot(axes, "speed-up over the smallest", "GPUs", "Scaling curve")
        self.plot.getPlotItem().setMouseEnabled(x=False, y=False)
        self.note = label("", "muted", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.note)
        self._items: list[Any] = []
        look.changed.connect(self._on_theme)
        paint(self.plot, look.theme)

    def show_points(self, points: Sequence[ScalingPoint], present: int, unit: str) -> None:
        """Show points in order of their GPUs.

        Parameters
        ----------
        present
            GPUs of the draft, marked.
        unit
            What the work is counted in; empty where nobody counts it.
        """
        self.points, self._present, self._unit = tuple(points), present, unit
        self._draw(self._look.theme)

    def _on_theme(self, theme: Theme) -> None:
        paint(self.plot, theme)
        self._draw(theme)

    def _draw(self, theme: Theme) -> None:
        item = self.plot.getPlotItem()
        for old in self._items:
            item.removeItem(old)
        self._items = []
        base, ups = speed_ups(self.points)
        if base is None:
            self.note.setText(
                "This layout fits in memory at no number of GPUs: see the layouts above."
                if self._unit
                else "Only the power of this workload is given, not its throughput."
            )
            return
        known = [(p, up) for p, up in zip(self.points, ups, strict=True) if p.gpus >= base.gpus]
        gpus = [math.log10(p.gpus) for p, _ in known]
        last = known[-1][0]
        linear = [math.log10(p.gpus / base.gpus) for p, _ in known]
        curve = [math.log10(up) for _, up in known]
        dashed = pg.mkPen(theme.faint, width=1.4, style=Qt.PenStyle.DashLine)
        ideal = pg.PlotDataItem(gpus, linear, pen=dashed)
        real = pg.PlotDataItem(gpus, curve, pen=pg.mkPen(theme.series[0], width=2.2))
        for drawn in (*_between(gpus, linear, curve, theme), ideal, real):
            self._add(drawn)
        for fits, brush in ((True, theme.series[0]), (False, theme.surface)):
            some = [(x, y) for (p, _), x, y in zip(known, gpus, curve, strict=True) if p.fits == fits]
            tint = theme.series[0] if fits else theme.alarm
            self._add(
                pg.ScatterPlotItem(
                    [x for x, _ in some],
                    [y for _, y in some],
                    size=8,
                    pen=pg.mkPen(tint, width=1.5),
                    brush=pg.mkBrush(brush),
                )
            )
        middle = 3 * (len(known) - 1) // 5
        if known[middle][0].gpus == self._present:
            middle = max(middle - 1, 0)
        self._say("linear", gpus[middle], linear[middle], theme.muted, (1.15, 0.9))
        self._draw_present(theme, known, base)
        item.setXRange(gpus[0] - 0.08, gpus[-1] + 0.16, padding=0.0)
        item.setYRange(min(0.0, *curve) - 0.08, max(*linear, *curve, 0.3) + 0.12, padding=0.0)
        share = known[-1][1] / (last.gpus / base.gpus)
        above = any(y > x + _SAME for x, y in zip(linear, curve, strict=True))
        self.note.setText(
            f"{_does(base, self._unit)}; {_does(last, self._unit)}, {100 * share:.0f} % of linear. "
            f"MFU goes from {100 * base.mfu:.1f} to {100 * last.mfu:.1f} %."
            + (" Green: above linear, as more GPUs allow a faster layout." if above else "")
        )
        self.plot.setAccessibleDescription(self.note.text())

    def _draw_present(
        self, theme: Theme, known: list[tuple[ScalingPoint, float]], base: ScalingPoint
    ) -> None:
        found = next(((p, up) for p, up in known if p.gpus == self._present), None)
        if found is None:
            return
        point, up = found
        x, y = math.log10(point.gpus), math.log10(up)
        share = up / (point.gpus / base.gpus)
        self._add(
            pg.ScatterPlotItem(
                [x],
                [y],
                size=14,
                symbol="d",
                pen=pg.mkPen(theme.surface, width=1.5),
                brush=pg.mkBrush(theme.warning),
            )
        )
        words = f"this draft: {point.gpus:,} GPUs, {100 * share:.0f} % of linear"
        on_the_right = x > (math.log10(base.gpus) + math.log10(known[-1][0].gpus)) / 2
        self._say(words, x, y, theme.warning, (1.03, 1.35) if on_the_right else (0.0, -0.6))

    def _say(self, words: str, x: float, y: float, tint: str, anchor: tuple[float, float]) -> None:
        made = pg.TextItem(words, color=tint, anchor=anchor)
        made.setFont(themes.font(11))
        made.setPos(x, y)
        self._add(made)

    def _add(self, item: Any) -> None:
        self.plot.getPlotItem().addItem(item)
        self._items.append(item)


def _between(gpus: list[float], linear: list[float], curve: list[float], theme: Theme) -> list[Any]:
    """Return what lies between a curve and linear: what is lost red, what is won green."""
    fine = np.unique(np.concatenate([np.linspace(gpus[0], gpus[-1], 240), gpus]))
    ideal, real = np.interp(fine, gpus, linear), np.interp(fine, gpus, curve)
    made = []
    for edge, tint in ((np.minimum(ideal, real), theme.alarm), (np.maximum(ideal, real), theme.ok)):
        faint = QColor(tint)
        faint.setAlpha(26 if tint == theme.alarm else 44)
        lines = pg.PlotDataItem(fine, ideal), pg.PlotDataItem(fine, edge)
        made.append(pg.FillBetweenItem(*lines, brush=pg.mkBrush(faint)))
    return made


def _does(point: ScalingPoint, unit: str) -> str:
    who = "1 GPU does" if point.gpus == 1 else f"{point.gpus:,} GPUs do"
    return f"{who} {prefixed(point.rate_s)} {unit}/s"
