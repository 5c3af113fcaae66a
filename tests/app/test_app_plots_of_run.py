"""Axes, units and curves of the plots belong to the run on screen, however it was opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from plots_shown import curves_agree
from PySide6.QtTest import QTest

from twin.app.session.plot_pages import PAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from twin.app.shell.main_window import MainWindow

    MakeWindow = Callable[..., MainWindow]

pytestmark = pytest.mark.gl


def _run(window: MainWindow, qtbot: QtBot, until_s: float) -> None:
    session = window.session
    session.set_speed(36_000.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > until_s)
    session.pause()
    qtbot.waitUntil(lambda: not session.running)


def _room(window: MainWindow, qtbot: QtBot) -> None:
    """Build a room by the wizard in a new, empty scene."""
    from twin.app.palette.room_wizard import RoomWizard

    window.editing.file.asks = False
    window.menus.execute("file.new")
    window.menus.execute("edit.room")
    wizard = window.findChildren(RoomWizard)[-1]
    qtbot.waitUntil(wizard.build.isEnabled)
    wizard.build.click()
    qtbot.waitUntil(lambda: window.session.plant is not None and len(window.session.plant.nodes.ids) > 2)


def test_a_hall_of_ones_own_has_its_own_axes(make_window: MakeWindow, lab: Path, qtbot: QtBot) -> None:
    window = make_window(lab)
    plots = window.docks.plots
    window.docks.show("plots")
    _run(window, qtbot, 20_000.0)
    qtbot.waitUntil(lambda: curves_agree(window))
    area = plots.area
    assert area is not None
    assert area.scales[0][1] == "kW"
    box = area.plots[0].getPlotItem().getViewBox()
    box.setRange(xRange=(0.0, 900.0), padding=0.0)  # somebody zooms in
    area.on_moved()
    assert not area.whole

    _room(window, qtbot)
    assert not plots.isVisible(), "the room is built in another workspace: the plots are hidden"
    _run(window, qtbot, 5_000.0)
    window.docks.show("plots")  # the run stands: nothing else makes them draw
    qtbot.waitUntil(lambda: curves_agree(window))
    assert area.scales[0][1] == "kW"
    assert area.whole, "the zoom belonged to the other run"

    window.menus.execute("file.new")
    window.docks.show("plots")
    qtbot.waitUntil(lambda: plots.page is plots.none)
    QTest.qWait(1)
    window.session.draft.mark_saved()  # type: ignore[union-attr]


@pytest.mark.slow
def test_other_pages_follow_as_well(make_window: MakeWindow, lab: Path, qtbot: QtBot) -> None:
    window = make_window(lab)
    window.docks.show("plots")
    _run(window, qtbot, 20_000.0)
    for page in PAGES:
        window.docks.plots.page_box.setCurrentText(page)
        qtbot.waitUntil(lambda: curves_agree(window))
    window.session.restart()
    _run(window, qtbot, 3_000.0)
    for page in PAGES:
        window.docks.plots.page_box.setCurrentText(page)
        qtbot.waitUntil(lambda: curves_agree(window))
