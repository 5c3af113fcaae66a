"""A dock is added by one entry of the table: layout, menus, keys, palette and help follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from twin.app.shell import dock_table
from twin.app.shell.dock_table import DOCKS, DockEntry, MenuLine
from twin.app.shell.main_window import MainWindow
from twin.app.shell.workspaces import Spot
from twin.app.toolkit.dock import Dock

pytestmark = pytest.mark.gl


def test_one_entry_of_the_table_adds_a_dock(
    make_window: Callable[..., MainWindow], lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = DockEntry(
        "toy",
        "Toy",
        "window.md#docks",
        "plaything",
        lambda look, session, parent: Dock(look, "toy", "Toy", "star", parent),
        spots={"run": Spot("bottom", 1), "teach": Spot("bottom")},
        view=MenuLine("A toy to play with", "Ctrl+F12", "star"),
    )
    monkeypatch.setattr(dock_table, "DOCKS", (*DOCKS, toy))
    window = make_window(lab)
    docks = window.docks
    docks.enter("run")
    assert docks.is_shown("toy")
    made = next(dock for dock in window.findChildren(Dock) if dock.objectName() == "toy")
    assert window.dockWidgetArea(made) == Qt.DockWidgetArea.BottomDockWidgetArea
    assert docks.plots in window.tabifiedDockWidgets(made)
    docks.enter("design")
    assert not docks.is_shown("toy")
    assert window.menus.qt_actions["view.toy"].shortcut().toString() == "Ctrl+F12"
    window.menus.execute("view.toy")
    assert docks.is_shown("toy")
    window.menus.execute("window.dock_toy")
    assert not docks.is_shown("toy")
    assert docks.help_of(made.widget()) == toy.help
    assert docks.help_of(window.hall) == ""
    window.open_palette()
    QTest.keyClicks(window.palette_popup.field, "playth")
    assert "Show Toy" in [entry.title for entry in window.palette_popup.shown[:2]]
    window.palette_popup.hide()
