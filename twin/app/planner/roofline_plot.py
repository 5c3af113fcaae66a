"""The roofline, drawn: slopes and ceilings of the GPU, a dot for each job. Loaded late (pyqtgraph)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.planner.roofline import Dot, JobPoints, Roof
from twin.app.plots.style import LogAxis, paint, plot
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme

_DECADES_LEFT, _DECADES_RIGHT = 1.3, 1.5
_EDGE = 1.25
"""How far left of the right edge a job without memory traffic is drawn."""
_QUIET = "{}, no memory traffic"
_AXIS_PX = 82
"""What the left axis takes of the width, with its margins."""
_ON_IT = 0.05
"""Decades within which the draft stands on the job it was made from."""
_NEAR_X, _NEAR_Y = 0.7, 0.25
"""Decades within which the names of two dots would lie on each other."""


class RooflinePlot(QWidget):
    """Shows a roof and the dots under it."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._roof: Roof | None = None
        self.dots: tuple[Dot, ...] = ()
        self._absent: tuple[tuple[str, str], ...] = ()
        axes = {"left": LogAxis("left"), "bottom": LogAxis("bottom")}
        self.plot = plot(
            axes, "reached by a GPU [FLOP/s]", "intensity [model FLOP per byte of HBM]", "Roofline"
        )
        self.plot.getPlotItem().setMouseEnabled(x=False, y=False)
        self._note = label("", "faint", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 12, 6)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self._note)
        self._items: list[Any] = []
        look.changed.connect(self._on_theme)
        paint(self.plot, look.theme)

    def show_roof(self, roof: Roof, standing: JobPoints) -> None:
        """Show a roof and what stands under it; say of the rest why it does not."""
        self._roof, self.dots, self._absent = roof, standing.dots, standing.absent
        self._draw(self._look.theme)

    def _on_theme(self, theme: Theme) -> None:
        paint(self.plot, theme)
        self._draw(theme)

    def _draw(self, theme: Theme) -> None:
        item = self.plot.getPlotItem()
        for old in self._items:
            item.removeItem(old)
        self._items = []
        roof = self._roof
        if roof is None:
            return
        low, high, floor = self._range(roof)
        top = max(peak for _, peak in roof.peaks)
        slope = [(low, low * roof.memory_bytes_s), (roof.ridge(top), top)]
        self._line(slope, theme.text)
        middle = low * (roof.ridge(top) / low) ** 0.4
        words = f"HBM {prefixed(roof.memory_bytes_s)}B/s"
        self._say(words, middle, middle * roof.memory_bytes_s, theme.text, (-0.1, 0.0))
        for (precision, peak), tint in zip(roof.peaks, (theme.series[0], theme.series[3]), strict=False):
            ridge = roof.ridge(peak)
            self._line([(ridge, peak), (high, peak)], tint)
            self._mark(ridge, peak, tint)
            self._say(f"{precision} {prefixed(peak)}FLOP/s", high, peak, tint, (1.02, 1.0))
            place = (1.04, 0.95) if peak == top else (-0.05, 0.0)
            self._say(f"ridge {prefixed(ridge)} FLOP/B", ridge, peak, theme.muted, place)
        shown = [_at_edge(dot, high) for dot in self.dots]
        room_px = [self._right_of(dot, low, high) for dot in shown]
        for dot, at, place in zip(self.dots, shown, _places(shown, room_px), strict=True):
            self._draw_dot(theme, at, place, off_scale=math.isinf(dot.intensity))
        item.setXRange(math.log10(low), math.log10(high), padding=0.0)
        item.setYRange(math.log10(floor), math.log10(top * 1.9), padding=0.0)
        dots_text = "; ".join(
            f"{dot.title}: {_traffic(dot)}, {prefixed(dot.flops_s)}FLOP/s" for dot in self.dots
        )
        self.plot.setAccessibleDescription(dots_text)
        note = f"{roof.title}."
        if self.dots:
            note += (
                " Filled: over the whole step; ring: while it computes. The gap between is "
                "communication, bubble and waiting; the gap to the roof is kernel efficiency."
            )
        if self._absent:
            note += f" Not drawn: {', '.join(f'{title} ({why})' for title, why in self._absent)}."
        self._note.setText(note)

    @property
    def note(self) -> str:
        """Return what is said below."""
        return self._note.text()

    def _draw_dot(self, theme: Theme, dot: Dot, place: tuple[float, float], *, off_scale: bool) -> None:
        tint = theme.warning if dot.is_draft else theme.series[1]
        x, y = math.log10(dot.intensity), math.log10(dot.flops_s)
        if dot.busy_flops_s is not None:
            busy = math.log10(dot.busy_flops_s)
            dotted = pg.mkPen(tint, width=1.4, style=Qt.PenStyle.DotLine)
            self._add(pg.PlotDataItem([x, x], [y, busy], pen=dotted))
            inside = pg.mkBrush(theme.surface)
            self._add(pg.ScatterPlotItem([x], [busy], size=10, pen=pg.mkPen(tint, width=1.6), brush=inside))
        self._add(
            pg.ScatterPlotItem(
                [x],
                [y],
                size=14 if dot.is_draft else 11,
                pen=pg.mkPen(theme.surface, width=1.5),
                brush=pg.mkBrush(tint),
                symbol="t2" if off_scale else "d" if dot.is_draft else "o",
            )
        )
        self._say(
            _QUIET.format(dot.title) if off_scale else dot.title,
            dot.intensity,
            dot.flops_s,
            tint,
            place,
        )

    def _line(self, points: list[tuple[float, float]], tint: str) -> None:
        logs = [(math.log10(x), math.log10(y)) for x, y in points]
        self._add(pg.PlotDataItem([x for x, _ in logs], [y for _, y in logs], pen=pg.mkPen(tint, width=2.2)))

    def _mark(self, x: float, y: float, tint: str) -> None:
        pen = pg.mkPen(tint, width=1.5)
        brush = pg.mkBrush(self._look.theme.surface)
        self._add(
            pg.ScatterPlotItem([math.log10(x)], [math.log10(y)], size=7, pen=pen, brush=brush, symbol="s")
        )

    def _say(self, words: str, x: float, y: float, tint: str, anchor: tuple[float, float]) -> None:
        made = pg.TextItem(words, color=tint, anchor=anchor)
        made.setFont(themes.font(11))
        made.setPos(math.log10(x), math.log10(y))
        self._add(made)

    def _add(self, item: Any) -> None:
        self.plot.getPlotItem().addItem(item)
        self._items.append(item)

    def _right_of(self, dot: Dot, low: float, high: float) -> float:
        """Return the room between a dot and the right edge [px]."""
        wide_px = max(int(self.plot.width()) - _AXIS_PX, 1)
        return wide_px * math.log10(high / dot.intensity) / math.log10(high / low)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the names again: the room on the right has changed."""
        super().resizeEvent(event)
        self._draw(self._look.theme)

    def _range(self, roof: Roof) -> tuple[float, float, float]:
        """Return lowest and highest intensity, and the lowest rate shown."""
        ridges = [roof.ridge(peak) for _, peak in roof.peaks]
        known = [dot.intensity for dot in self.dots if math.isfinite(dot.intensity)]
        low = min([min(ridges) / 10**_DECADES_LEFT, *(x / 2 for x in known)])
        high = max([max(ridges) * 10**_DECADES_RIGHT, *(x * 3 for x in known)])
        rates = [dot.flops_s / 2.5 for dot in self.dots]
        return low, high, min([low * roof.memory_bytes_s, *rates])


def _at_edge(dot: Dot, high: float) -> Dot:
    """Return a dot, one without memory traffic at the right edge."""
    return dot if math.isfinite(dot.intensity) else replace(dot, intensity=high / _EDGE)


def _traffic(dot: Dot) -> str:
    return f"{dot.intensity:,.0f} FLOP/B" if math.isfinite(dot.intensity) else "no memory traffic"


def _places(dots: list[Dot], room_px: list[float]) -> list[tuple[float, float]]:
    """Return the anchor of each dot's name: the draft's below, others right, left where that has no room."""
    metrics = QFontMetrics(themes.font(11))
    places = []
    for dot, room in zip(dots, room_px, strict=True):
        wide_px = 1.08 * metrics.horizontalAdvance(dot.title) + 16
        close = [
            dot_beside
            for dot_beside in dots
            if dot_beside is not dot
            and (_ON_IT if dot_beside.is_draft else 0.0)
            <= math.log10(dot_beside.intensity / dot.intensity)
            < _NEAR_X
            and abs(math.log10(dot_beside.flops_s / dot.flops_s)) < _NEAR_Y
        ]
        if dot.is_draft:
            places.append((0.5, -0.45))
        elif close or wide_px > room:
            places.append((1.08, 0.5))
        else:
            places.append((-0.08, 0.5))
    return places
