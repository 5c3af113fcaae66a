"""The line of the time that is looked at lies over a plot, and paints nothing of the plot anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from plots_shown import Paints, plots_of
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.plots.area import PlotArea
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.plot_pages import CURVES_SHOWN


@pytest.fixture
def history() -> BoundedHistory:
    """An hour of curves that rise."""
    made = BoundedHistory(CURVES_SHOWN)
    for t_s in range(0, 3601, 60):
        made.append(float(t_s), tuple(1e6 + t_s for _ in CURVES_SHOWN))
    return made


@pytest.fixture
def area(qapp: QApplication, qtbot: QtBot, history: BoundedHistory) -> Iterator[PlotArea]:
    """Plots of it, on screen."""
    with plots_of(history, qapp, qtbot, 200, False) as made:
        yield made


def _seen(area: PlotArea) -> NDArray[np.uint8]:
    image = area.plots[0].viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return lines[:, : image.width(), :3].copy()


def _columns(area: PlotArea, before: NDArray[np.uint8]) -> list[int]:
    """Return which columns of the first plot are others than before."""
    found: list[int] = np.flatnonzero((_seen(area) != before).any(axis=(0, 2))).tolist()
    return found


def test_the_line_stands_at_its_time_and_leaves_nothing_behind(area: PlotArea) -> None:
    before = _seen(area)
    box = area.plots[0].getPlotItem().getViewBox()
    for t_s in (900.0, 2700.0, 1800.0):
        area.show_time(t_s)
        x = box.mapViewToScene(box.viewRect().center()).x() if t_s == 1800.0 else None
        columns = _columns(area, before)
        assert 1 <= len(columns) <= 3
        assert max(columns) - min(columns) <= 2
        if x is not None:
            assert columns[0] - 2 <= x <= columns[-1] + 2
    area.show_time(None)
    assert not _columns(area, before)


def test_moving_it_paints_no_plot(area: PlotArea, qtbot: QtBot) -> None:
    area.show_time(60.0)
    qtbot.wait(50)
    paints = Paints()
    area.plots[0].viewport().installEventFilter(paints)
    for t_s in range(600, 3000, 300):
        area.show_time(float(t_s))
        qtbot.wait(5)
    assert paints.count == 0


def test_curves_that_change_below_it_are_seen(area: PlotArea, history: BoundedHistory, qtbot: QtBot) -> None:
    area.show_time(60.0)
    qtbot.wait(50)
    before = _seen(area)
    for t_s in range(3660, 7201, 60):
        history.append(float(t_s), tuple(3e6 for _ in CURVES_SHOWN))
    area.draw()
    qtbot.waitUntil(lambda: len(_columns(area, before)) > 20)
    with_line = _seen(area)
    area.show_time(None)
    assert 1 <= len(_columns(area, with_line)) <= 3
