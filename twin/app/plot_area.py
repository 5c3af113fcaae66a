"""Curves over simulated time, side by side. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from twin.app import theme as themes
from twin.app.charts import Chart
from twin.app.clock import Clock
from twin.app.history import History
from twin.app.look import Look, label
from twin.app.plot_cursor import PlotCursor
from twin.app.plot_style import curve_mark, curve_pen
from twin.app.text import quantity
from twin.app.theme import Theme

_TICK_PX, _EDGE_PX, _CLICK_PX = 52.0, 18.0, 4.0
_DAY_S = 86400
_TICKS_S: tuple[int, ...] = (
    *(1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200),
    *(days * _DAY_S for days in (1, 2, 5, 10, 20, 50, 100, 365)),
)
_AXIS_PX, _POINTS = 20, 2000
"""Height of the time axis, and samples of a curve from which on several are drawn as their extremes."""
_POWERS = ((1e6, "MW"), (1e3, "kW"), (1.0, "W"))


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Simulated time as the time of day, or as the date where the range spans days."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("bottom")
        self.clock = clock

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return the distance of ticks that people count time in, few enough for the width."""
        span_s = high - low
        target_s = span_s * _TICK_PX / max(size, _TICK_PX)
        edge_s = span_s * min(
            _EDGE_PX / max(size, 1.0), 0.25
        )  # the text of a tick nearer to an end is left out
        start = self.clock.start
        midnight_s = -float((start.hour * 60 + start.minute) * 60 + start.second)
        wide = next((i for i, step in enumerate(_TICKS_S) if step >= target_s), len(_TICKS_S) - 1)
        for step in reversed(_TICKS_S[: wide + 1]):
            first_s = low + edge_s + (midnight_s - low - edge_s) % step
            if first_s <= high - edge_s:
                return [(float(step), midnight_s % step)]
        return [(float(_TICKS_S[0]), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the texts of ticks."""
        return [_tick(self.clock, value, spacing) for value in values]


def _tick(clock: Clock, t_s: float, spacing_s: float) -> str:
    moment = clock.start + timedelta(seconds=round(t_s))
    if spacing_s >= _DAY_S or (clock.dated and (moment.hour, moment.minute, moment.second) == (0, 0, 0)):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if spacing_s < 60 else f"{moment:%H:%M}"


class PlotArea(QWidget):
    """Plots side by side that share their time axis.

    Parameters
    ----------
    history
        What is drawn by `draw`.
    charts
        The plots, from the left.
    clock
        Of the run.
    """

    chosen = Signal(float)  # time that was clicked [s]

    def __init__(self, look: Look, history: History, charts: tuple[Chart, ...], clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._look, self._history, self._charts = look, history, charts
        pg.setConfigOptions(antialias=True)
        self._plots: list[Any] = []
        self._cursors: list[PlotCursor] = []
        self._pressed: tuple[object, QPointF] | None = None
        self._thinner = 1
        self._titles: list[QLabel] = []
        self._curves: dict[str, Any] = {}
        self._scales = [(1.0, chart.unit) for chart in charts]
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 10, 4)
        row.setSpacing(8)
        for chart in charts:
            row.addLayout(self._add_chart(chart), 1)
        self._paint(look.theme)
        look.changed.connect(self._paint)

    def draw(self) -> None:
        """Draw the history as it is now."""
        times_s = self._history.times_s().copy()
        thinner = max(1, len(times_s) // _POINTS)
        if thinner != self._thinner:
            self._thinner = thinner
            for plot in self._plots:
                plot.getPlotItem().setDownsampling(ds=thinner, auto=False, mode="peak")
        for number, chart in enumerate(self._charts):
            self._rescale(number, chart)
            for curve in chart.curves:
                series = self._history.series(curve.series) / self._scales[number][0]
                self._curves[curve.series].setData(times_s, series)

    def show_time(self, t_s: float | None) -> None:
        """Mark a time that is looked at [s]; None: the present, which is the end of the curves."""
        for cursor in self._cursors:
            cursor.show_time(t_s)

    def tell_time_by(self, clock: Clock) -> None:
        """Follow another run."""
        self._clock = clock
        for plot in self._plots:
            plot.getPlotItem().getAxis("bottom").clock = clock

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write titles on two lines where they do not fit on one."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._set_titles)

    def _set_titles(self) -> None:
        for number, chart in enumerate(self._charts):
            self._set_title(number, chart)

    def _add_chart(self, chart: Chart) -> QVBoxLayout:
        title = label()
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        plot = pg.PlotWidget(axisItems={"bottom": TimeAxis(self._clock)})
        for each in (plot, plot.viewport()):  # both can have the keyboard
            each.setAccessibleName(chart.title)
        item = plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=True, y=False)
        plot.scene().sigMouseMoved.connect(partial(self._tell_values, len(self._plots)))
        plot.viewport().installEventFilter(self)
        self._cursors.append(PlotCursor(plot))
        item.setClipToView(True)
        item.enableAutoRange()
        if chart.low is not None:
            item.setLimits(yMin=chart.low)
        # Nothing about a plot may hang on what was painted: axes that grow with their texts, and downsampling by the
        # range on show, can each ask for another paint in every paint, and the window stands still.
        item.getAxis("left").setWidth(38)
        item.getAxis("bottom").setHeight(_AXIS_PX)
        if self._plots:
            item.setXLink(self._plots[0].getPlotItem())
        for curve in chart.curves:
            self._curves[curve.series] = drawn = item.plot(connect="finite")
            drawn.setDynamicRangeLimit(None)
        self._plots.append(plot)
        self._titles.append(title)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(title)
        column.addWidget(plot, 1)
        return column

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See clicks on a plot: pressed and let go at one place."""
        if isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            place = event.position()
            if event.type() == QEvent.Type.MouseButtonPress:
                self._pressed = watched, place
            elif event.type() == QEvent.Type.MouseButtonRelease:
                (where, began), self._pressed = self._pressed or (None, place), None
                click = where is watched and (place - began).manhattanLength() < _CLICK_PX
                plot = next((one for one in self._plots if one.viewport() is watched), None)
                if click and plot is not None:  # what was pressed elsewhere, on a menu say, is none
                    self._choose(plot, plot.mapToScene(place.toPoint()))
        return super().eventFilter(watched, event)

    def _choose(self, plot: Any, place: QPointF) -> None:
        """Go to the time of a place on a plot, where there is a curve."""
        box, times_s = plot.getPlotItem().getViewBox(), self._history.times_s()
        t_s = box.mapSceneToView(place).x()
        if len(times_s) and box.sceneBoundingRect().contains(place) and t_s <= times_s[-1]:
            self.chosen.emit(max(float(t_s), 0.0))

    def _tell_values(self, number: int, place: QPointF) -> None:
        """Say in the tool tip what the curves were at the time under the pointer."""
        times_s, plot = self._history.times_s(), self._plots[number]
        if not len(times_s):
            return
        t_s = plot.getPlotItem().getViewBox().mapSceneToView(place).x()
        at = int(np.clip(np.searchsorted(times_s, t_s), 0, len(times_s) - 1))
        chart, t_s = self._charts[number], float(times_s[at])
        said = [
            f"{c.name}: {quantity(float(self._history.series(c.series)[at]), chart.unit)}"
            for c in chart.curves
        ]
        plot.setToolTip("\n".join((f"{self._clock.says(t_s)}, {self._clock.since(t_s)}", *said)))

    def _paint(self, theme: Theme) -> None:
        for number, (chart, plot) in enumerate(zip(self._charts, self._plots, strict=True)):
            self._set_title(number, chart)
            plot.setBackground(theme.surface)
            item = plot.getPlotItem()
            item.showGrid(x=True, y=True, alpha=0.12)
            for side in ("left", "bottom"):
                axis = item.getAxis(side)
                axis.setPen(pg.mkPen(theme.border))
                axis.setTextPen(pg.mkPen(theme.muted))
                axis.setStyle(tickFont=themes.font(10), tickLength=-4)
            self._cursors[number].set_pen(pg.mkPen(theme.warning, width=1.5))
            for i, curve in enumerate(chart.curves):
                self._curves[curve.series].setPen(curve_pen(theme, i))

    def _set_title(self, number: int, chart: Chart) -> None:
        theme = self._look.theme
        names = " ".join(
            f"<span style='color:{theme.series[i]}'>{curve_mark(theme, i)}</span> {curve.name}"
            for i, curve in enumerate(chart.curves)
        )
        plain = f"{chart.title} {self._scales[number][1]}  " + " ".join(
            f"{curve_mark(theme, i)} {c.name}" for i, c in enumerate(chart.curves)
        )
        title = self._titles[number]
        between = "&nbsp; " if title.fontMetrics().horizontalAdvance(plain) <= title.width() else "<br>"
        title.setText(
            f"<b>{chart.title}</b> <span style='color:{theme.faint}'>{self._scales[number][1]}</span>{between}"
            f"<span style='color:{theme.muted}; font-size:{themes.scaled(11)}px'>{names}</span>"
        )

    def _rescale(self, number: int, chart: Chart) -> None:
        """Choose the prefix of the axis by the largest value."""
        if chart.unit != "W":
            return
        largest = max(
            float(np.fmax.reduce(np.abs(self._history.series(c.series)), initial=0.0)) for c in chart.curves
        )
        scale = next((s for s in _POWERS if largest >= s[0]), _POWERS[-1])
        if scale != self._scales[number]:
            self._scales[number] = scale
            self._set_title(number, chart)
