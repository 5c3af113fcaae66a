"""The docks Power, Cooling, Energy and the pages of plots in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow

UseWindow = Callable[[Path], MainWindow]
SCENES = Path(__file__).parents[2] / "scenes"
pytestmark = pytest.mark.gl


def pixels(widget: QWidget) -> np.ndarray:
    """Return what a widget shows, red, green and blue."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def test_diagrams_follow_the_selection_and_choose(use_window: UseWindow, qtbot: QtBot) -> None:
    window = use_window(SCENES / "nvl72-row.twin.yaml")
    docks, session = window.docks, window.session
    session.set_speed(600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    power, cooling, energy = docks.power, docks.cooling, docks.energy
    # Behind other tabs they work out nothing.
    assert not power.view.diagram.boxes
    assert not cooling.view.diagram.boxes
    assert not energy.view.shown.flows
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(power.view.diagram.boxes))
    assert "by stage" in power.caption.text()
    assert power.view.is_moving
    window.go_to("gpu/0/0/3/2")
    qtbot.waitUntil(lambda: any(box.chosen for box in power.view.diagram.boxes))
    assert {"duct-a/0", "duct-b/0"} <= {box.key for box in power.view.diagram.boxes}
    # A click chooses: view, inspector and diagram follow.
    QTest.mouseClick(power.view, Qt.MouseButton.LeftButton, pos=power.view.spot("ups-a/0").center().toPoint())
    assert window.hall.state.selection == ("ups-a/0",)
    assert docks.inspector.thing == "ups-a/0"
    assert power.caption.text() == "Power around ups-a/0"
    session.pause()
    assert not power.view.is_moving
    # By the keyboard: up to what feeds it.
    power.view.setFocus()
    QTest.keyClick(power.view, Qt.Key.Key_Up)
    assert power.view.current is not None
    assert power.view.current.key == "trafo-a/0"
    assert power.view.accessibleDescription().startswith("trafo-a/0")
    QTest.keyClick(power.view, Qt.Key.Key_Return)
    assert window.hall.state.selection == ("trafo-a/0",)
    place = power.view.spot("ups-a/0").center().toPoint()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, power.view.mapToGlobal(place))
    QApplication.sendEvent(power.view, asked)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Blast radius" in [action.text() for action in menu.actions()]
    menu.close()
    docks.show("cooling")
    qtbot.waitUntil(lambda: bool(cooling.view.diagram.boxes))
    assert not power.view.is_moving
    window.clear_selection()
    picture = pixels(cooling)
    water = picture[..., 2] - picture[..., 0]
    assert np.count_nonzero(water > 100) > 300  # blue pipes
    docks.show("energy")
    qtbot.waitUntil(lambda: bool(energy.view.shown.flows))
    assert energy.balance.text().startswith("In ")
    assert "Outdoors" in energy.view.accessibleDescription()
    bar = energy.view.sankey.bars["gpus"]
    row = pixels(energy.view)[int(bar.y + bar.height / 2), int(bar.x + bar.width / 2)]
    assert row[1] > row[0] + 60  # the green of GPUs
    assert "GPUs" in energy.view.said_at(QPointF(bar.x + bar.width / 2, bar.y + bar.height / 2))
    assert not window.notifications.notes


@pytest.mark.slow
def test_plots_have_pages_and_both_themes_paint_diagrams(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.session.set_speed(3600.0)
    window.session.play()
    plots = window.docks.plots
    qtbot.waitUntil(lambda: plots.area is not None)
    assert list(plots.areas) == ["Run"]
    plots.page_box.setCurrentText("Efficiency")
    qtbot.waitUntil(lambda: plots.area is not None and plots.area.isVisible())
    assert list(plots.areas) == ["Run", "Efficiency"]
    window.session.pause()
    window.docks.show("cooling")
    view = window.docks.cooling.view
    qtbot.waitUntil(lambda: bool(view.diagram.boxes))
    dark = pixels(window.docks.cooling)
    window.menus.execute("window.theme_light")
    light = pixels(window.docks.cooling)
    assert light.mean() > dark.mean() + 100
    assert light.std() > 10
    window.menus.execute("window.theme_dark")
    # A closed dock comes back in front, one behind another tab too, one in front closes.
    window.menus.execute("window.dock_power")
    assert window.docks.is_shown("power")
    qtbot.waitUntil(lambda: bool(window.docks.power.view.diagram.boxes))
    window.menus.execute("window.dock_power")
    assert not window.docks.is_shown("power")
