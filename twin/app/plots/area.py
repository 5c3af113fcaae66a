"""Curves over simulated time, side by side. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from twin.app.plots.columns import Columns, drawn
from twin.app.plots.plot_items import PlotCursor, PlotCurve, TimeAxis
from twin.app.plots.style import curve_mark, curve_pen
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.over_seeds import OverSeeds
from twin.app.session.plot_pages import Chart
from twin.app.toolkit import theme as themes
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look, markup_label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import MISSING, per_hour, quantity
from twin.app.toolkit.theme import Theme
from twin.language import tr
from twin.studies.seed_curves import SeedCurves

_AXIS_PX, _CLICK_PX = 20, 4.0
"""Height of the time axis, and how far a click may slip."""
_EDGE = 0.02, 0.06
"""Room beside and above the curves, in parts of the plot."""
_LEAST_S = 1.0
"""The shortest part that can be shown [s]."""
_KEY = tr("Where samples are dense: the line is their mean over time, the band spans minimum to maximum")
_POWERS = ((1e6, "MW"), (1e3, "kW"), (1.0, "W"))


def _scale_of(chart: Chart) -> tuple[float, str]:
    """Return what values of a chart are divided by at first, and the unit they then have."""
    factor, unit = per_hour(chart.unit)
    return 1.0 / factor, unit


class PlotArea(QWidget):
    """Plots side by side that share their time axis.

    They show the whole run as it grows until somebody zooms in, and again when they zoom out as far. What is drawn
    is worked out when data, size or range change, never while painting.

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

    def __init__(self, look: Look, history: BoundedHistory, charts: tuple[Chart, ...], clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self.look, self._history, self._charts = look, history, charts
        pg.setConfigOptions(antialias=True)
        self._plots: list[Any] = []
        self._cursors: list[PlotCursor] = []
        self._pressed: tuple[object, QPointF] | None = None
        self.whole = True
        self.over_seeds: OverSeeds | None = None  # bands of the curves over runs with other seeds
        self._columns: list[Columns | None] = [None] * len(charts)
        self._lay_out_soon = QTimer(self)
        self._lay_out_soon.setSingleShot(True)
        self._lay_out_soon.setInterval(0)
        self._lay_out_soon.timeout.connect(self._lay_out)
        self._titles: list[QLabel] = []
        self._curves: dict[str, PlotCurve] = {}
        self._scales = [_scale_of(chart) for chart in charts]
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 10, 4)
        row.setSpacing(8)
        for chart in charts:
            nest(row, self._add_chart(chart), 1)
        self._paint(look.theme)
        look.changed.connect(self._paint)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """What each plot shows."""
        return self._charts

    @property
    def plots(self) -> list[Any]:
        """The plots, from the left."""
        return self._plots

    @property
    def cursors(self) -> list[PlotCursor]:
        """The cursor of each plot."""
        return self._cursors

    @property
    def curves(self) -> dict[str, PlotCurve]:
        """The curves, by series."""
        return self._curves

    @property
    def scales(self) -> list[tuple[float, str]]:
        """The divisor and the unit of each plot."""
        return self._scales

    @property
    def columns(self) -> list[Columns | None]:
        """What is drawn of each plot; None: nothing yet."""
        return self._columns

    def draw(self) -> None:
        """Draw the history as it is now."""
        for number, chart in enumerate(self._charts):
            self._rescale(number, chart)
        self._fit()
        self._lay_out()

    def _fit(self) -> None:
        """Show all values, and all times where nobody has chosen some."""
        times_s = self._history.times_s()
        if not len(times_s):
            return
        if self.whole:
            room_s = max((times_s[-1] - times_s[0]) * _EDGE[0], _LEAST_S / 2)
            box = self._plots[0].getPlotItem().getViewBox()  # the others go along
            box.setRange(xRange=(times_s[0] - room_s, times_s[-1] + room_s), padding=0.0)
        for number, (chart, plot) in enumerate(zip(self._charts, self._plots, strict=True)):
            series = [self._history.series(curve.series) for curve in chart.curves]
            low = float(np.fmin.reduce([np.fmin.reduce(each) for each in series])) / self._scales[number][0]
            high = float(np.fmax.reduce([np.fmax.reduce(each) for each in series])) / self._scales[number][0]
            low, high = self._with_seeds(number, low, high)
            if np.isfinite(low):
                room = max((high - low) * _EDGE[1], abs(high) * 0.005) or 0.5
                floor = low - room if chart.low is None else max(low - room, chart.low)
                plot.getPlotItem().getViewBox().setRange(yRange=(floor, high + room), padding=0.0)

    def _lay_out(self) -> None:
        """Work out what is drawn of the history as it is now, in the range on show."""
        self._lay_out_soon.stop()
        times_s = self._history.times_s()
        for number, (chart, plot) in enumerate(zip(self._charts, self._plots, strict=True)):
            box = plot.getPlotItem().getViewBox()
            from_s, to_s = box.viewRange()[0]
            self._columns[number] = columns = Columns.of(times_s, from_s, to_s, box.width())
            for curve in chart.curves:
                series, means = self._history.series(curve.series), self._history.means(curve.series)
                factor = self._scales[number][0]
                self._curves[curve.series].show(drawn(times_s, series / factor, columns, means / factor))
                found = self._seeds
                band = found.curves.get(curve.series) if found is not None else None
                self._curves[curve.series].show_seeds(
                    found.times_s if found is not None else times_s, None if band is None else band / factor
                )

    @property
    def _seeds(self) -> SeedCurves | None:
        return self.over_seeds.found if self.over_seeds is not None else None

    def _with_seeds(self, number: int, low: float, high: float) -> tuple[float, float]:
        """Return a range of a plot with that of the bands over seeds, as far as the run goes."""
        found, times_s = self._seeds, self._history.times_s()
        if found is None:
            return low, high
        seen, ends = found.times_s <= times_s[-1], [low, high]
        for curve in self._charts[number].curves:
            band = found.curves.get(curve.series)
            if band is not None and np.isfinite(band[:, seen]).any():
                ends += [float(np.nanmin(band[:, seen])), float(np.nanmax(band[:, seen]))]
                ends[-2:] = [end / self._scales[number][0] for end in ends[-2:]]
        return min(ends), max(ends)

    def on_moved(self, *_axes: object) -> None:
        """Keep the range that somebody chose, but follow the run again when it is all of it."""
        times_s = self._history.times_s()
        from_s, to_s = self._plots[0].getPlotItem().getViewBox().viewRange()[0]
        self.whole = not len(times_s) or (from_s <= times_s[0] and to_s >= times_s[-1])
        self._fit()

    def show_time(self, t_s: float | None) -> None:
        """Mark a time that is looked at [s]; None: the present, which is the end of the curves."""
        for cursor in self._cursors:
            cursor.show_time(t_s)

    def begin(self, clock: Clock) -> None:
        """Follow another run, all of it."""
        self._clock, self.whole = clock, True
        for plot in self._plots:
            plot.getPlotItem().getAxis("bottom").clock = clock

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write titles on two lines where they do not fit on one."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._set_titles)

    def _lay_out_later(self, *_what: object) -> None:
        self._lay_out_soon.start()

    def _set_titles(self) -> None:
        for number, chart in enumerate(self._charts):
            self._set_title(number, chart)

    def _add_chart(self, chart: Chart) -> QVBoxLayout:
        title = markup_label("")
        title.setToolTip(_KEY)
        title.setWordWrap(True)
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        plot = pg.PlotWidget(axisItems={"bottom": TimeAxis(self._clock)})
        for each in (plot, plot.viewport()):  # both can have the keyboard
            each.setAccessibleName(chart.title)
        item = plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=True, y=False)
        plot.scene().sigMouseMoved.connect(partial(self.tell_values, len(self._plots)))
        plot.viewport().installEventFilter(self)
        self._cursors.append(PlotCursor(plot))
        item.disableAutoRange()
        item.setLimits(minXRange=_LEAST_S)
        # Nothing about a plot may hang on what was painted: axes that grow with their texts, and ranges that follow
        # their curves, can each ask for another paint in every paint, and the window stands still.
        item.getAxis("left").setWidth(38)
        item.getAxis("bottom").setHeight(_AXIS_PX)
        if self._plots:
            item.setXLink(self._plots[0].getPlotItem())
        box = item.getViewBox()
        box.sigXRangeChanged.connect(self._lay_out_later)
        box.sigResized.connect(self._lay_out_later)
        box.sigRangeChangedManually.connect(self.on_moved)
        for curve in chart.curves:
            self._curves[curve.series] = PlotCurve(item)
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
                plot = next((plot for plot in self._plots if plot.viewport() is watched), None)
                if click and plot is not None:  # what was pressed elsewhere, on a menu say, is none
                    self._choose(plot, plot.mapToScene(place.toPoint()))
        return super().eventFilter(watched, event)

    def _choose(self, plot: Any, place: QPointF) -> None:
        """Go to the time of a place on a plot, where there is a curve."""
        box, times_s = plot.getPlotItem().getViewBox(), self._history.times_s()
        t_s = box.mapSceneToView(place).x()
        if len(times_s) and box.sceneBoundingRect().contains(place) and t_s <= times_s[-1]:
            self.chosen.emit(max(float(t_s), 0.0))

    def tell_values(self, number: int, place: QPointF) -> None:
        """Say in the tool tip what the curves were under the pointer: a sample, or a column of many."""
        plot, columns, times_s = self._plots[number], self._columns[number], self._history.times_s()
        if columns is not None and len(times_s):
            t_s = float(plot.getPlotItem().getViewBox().mapSceneToView(place).x())
            t_s = min(
                max(t_s, float(times_s[0])), float(np.nextafter(times_s[-1], 0.0))
            )  # beside the curves: an end
            column = columns.at(t_s)
            lines = self._sample(number, t_s) if column is None else self._column(number, columns, column)
            plot.setToolTip(plain_tip("\n".join(lines)))

    def _sample(self, number: int, t_s: float) -> list[str]:
        """Return what the sample nearest to a time [s] says."""
        times_s, chart = self._history.times_s(), self._charts[number]
        at = int(np.argmin(np.abs(times_s - t_s)))
        t_s = float(times_s[at])
        values = [(c.name, float(self._history.series(c.series)[at])) for c in chart.curves]
        return [
            f"{self._clock.says(t_s)}, {self._clock.since(t_s)}",
            *(f"{name}: {quantity(value, chart.unit)}" for name, value in values),
            *self._seed_words(chart, t_s),
        ]

    def _seed_words(self, chart: Chart, t_s: float) -> list[str]:
        """Return what the curves are over seeds at a time [s]."""
        found, lines = self._seeds, []
        for curve in chart.curves if found is not None else ():
            band = found.at(curve.series, t_s) if found is not None else None
            if found is not None and band is not None:
                low, middle, high = (quantity(value, chart.unit) for value in band)
                lines.append(
                    tr(
                        "{name} over {seeds} seeds: P5 {low}, P50 {middle}, P95 {high}",
                        name=curve.name,
                        seeds=found.count,
                        low=low,
                        middle=middle,
                        high=high,
                    )
                )
        return lines

    def _column(self, number: int, columns: Columns, column: int) -> list[str]:
        """Return what the samples of a column say together."""
        chart, factor = self._charts[number], self._scales[number][0]
        from_s, to_s = columns.edges_s[column : column + 2].tolist()
        count = int(columns.counts[column])
        many = tr("{count} samples", count=count) if count != 1 else "1 sample"
        lines = [
            tr(
                "{max} to {to_time}, {many}",
                max=self._clock.says(max(from_s, 0.0)),
                to_time=self._clock.says(to_s),
                many=many,
            )
        ]
        for curve in chart.curves:
            found = self._curves[curve.series].drawn
            if found is not None and np.isfinite(found.mean[column]):
                low, mean, high = (
                    quantity(float(each[column]) * factor, chart.unit)
                    for each in (found.low, found.mean, found.high)
                )
                lines.append(
                    tr(
                        "{name}: mean {mean}, min. {low}, max. {high}",
                        name=curve.name,
                        mean=mean,
                        low=low,
                        high=high,
                    )
                )
            else:
                lines.append(f"{curve.name}: {MISSING}")
        return [*lines, *self._seed_words(chart, (from_s + to_s) / 2.0)]

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
                self._curves[curve.series].set_pen(curve_pen(theme, i))

    def _set_title(self, number: int, chart: Chart) -> None:
        theme = self.look.theme
        names = " ".join(
            f"<span style='color:{theme.series[i]}'>{curve_mark(theme, i)}</span> {escape(curve.name)}"
            for i, curve in enumerate(chart.curves)
        )
        plain = f"{chart.title} {self._scales[number][1]}  " + " ".join(
            f"{curve_mark(theme, i)} {c.name}" for i, c in enumerate(chart.curves)
        )
        title = self._titles[number]
        between = "&nbsp; " if title.fontMetrics().horizontalAdvance(plain) <= title.width() else "<br>"
        title.setText(
            f"<b>{escape(chart.title)}</b> <span style='color:{theme.faint}'>{self._scales[number][1]}</span>{between}"
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
