"""Plots on screen, and how often they are painted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.charts import PAGES
from twin.app.clock import Clock
from twin.app.history import History
from twin.app.look import Look
from twin.app.plot_area import PlotArea


class Paints(QObject):
    """Counts how often a widget is painted."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count."""
        self.count += event.type() == QEvent.Type.Paint
        return False


@contextmanager
def plots_of(history: History, app: QApplication, bot: QtBot, height: int, dated: bool) -> Iterator[PlotArea]:
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
