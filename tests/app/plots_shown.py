"""Plots on screen, and how often they are painted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.plots.area import PlotArea
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.plot_pages import PAGES
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


class Paints(QObject):
    """Counts how often a widget is painted."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count."""
        self.count += event.type() == QEvent.Type.Paint
        return False


@contextmanager
def plots_of(
    history: BoundedHistory, app: QApplication, bot: QtBot, height: int, dated: bool
) -> Iterator[PlotArea]:
    """Show the plots of a history."""
    look = Look(app, "dark")
    made = PlotArea(look, history, PAGES["Run"], Clock(datetime(2026, 1, 5), dated=dated))
    bot.addWidget(made)
    made.resize(900, height)
    made.draw()
    made.show()
    bot.waitExposed(made)
    bot.wait(50)
    yield made
    look.close()


def curves_agree(window: MainWindow) -> bool:
    """Return whether the plots in front show the curves of the run on screen, on axes that hold them."""
    area, history = window.docks.plots.area, window.session.curves.history
    if area is None or not len(history) or window.docks.plots.page is not area:
        return False
    times_s = history.times_s()
    for number, (chart, plot) in enumerate(zip(area.charts, area.plots, strict=True)):
        (from_s, to_s), (low, high) = plot.getPlotItem().getViewBox().viewRange()
        span_s = times_s[-1] - times_s[0]
        if not (from_s <= times_s[0] and times_s[-1] <= to_s <= times_s[-1] + 0.1 * span_s + 1.0):
            return False
        for curve in chart.curves:
            values = history.series(curve.series) / area.scales[number][0]
            found = area.curves[curve.series].drawn
            if found is None or not (low <= np.nanmin(values) and np.nanmax(values) <= high):
                return False
    return True
