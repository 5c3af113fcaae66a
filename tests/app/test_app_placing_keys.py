"""Things are placed by keys, copied and duplicated, in the real window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QGuiApplication,
)

from tests.app.placing_hands import (
    NODE,
    RACK,
    SCENE,
    SHIFT,
    key,
    place_of,
    racks,
    spot,
)
from twin.app.shell.main_window import MainWindow
from twin.commands.place.snap import Snap
from twin.commands.place.snap_units import UnitSnap

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


def test_a_part_is_placed_by_keys_alone(open_rows: MakeWindow) -> None:
    window = open_rows()
    tool = window.tools.place
    assert window.tools.place_by_keys(RACK)
    assert tool.plate.isVisible()
    landing = tool.landing
    assert isinstance(landing, Snap)
    start = landing.place
    key(window, Qt.Key.Key_Down)
    key(window, Qt.Key.Key_Down)
    landing = tool.landing
    assert isinstance(landing, Snap)
    assert landing.place.y_m < start.y_m  # towards the eye, which looks along +y
    key(window, Qt.Key.Key_Up, SHIFT)
    landing = tool.landing
    assert isinstance(landing, Snap)
    assert landing.place.row == 0
    assert not landing.ok  # in the row
    key(window, Qt.Key.Key_Return)
    assert tool.active  # refused: it stays in hand
    for _ in range(6):
        if not tool.ok:
            key(window, Qt.Key.Key_Right)
    assert tool.ok
    key(window, Qt.Key.Key_Return)
    assert len(racks(window)) == 9
    assert spot(window, racks(window)[-1])[1] == 3.6
    assert not tool.active


def test_a_node_is_placed_by_keys_in_units(open_rows: MakeWindow) -> None:
    window = open_rows()
    tool = window.tools.place
    window.hall.state.selection = ("gpu/0/0",)
    assert window.tools.place_by_keys(NODE)
    first = tool.landing
    assert isinstance(first, UnitSnap)
    assert first.u == 17
    key(window, Qt.Key.Key_PageUp)
    key(window, Qt.Key.Key_PageUp)
    key(window, Qt.Key.Key_Right)
    landing = tool.landing
    assert isinstance(landing, UnitSnap)
    plant = window.session.plant
    assert plant is not None
    assert (plant.racks.ids[landing.rack], landing.u) == ("gpu/0/1", 19)
    key(window, Qt.Key.Key_Escape)
    assert not tool.active
    assert window.hall.state.selection == ("gpu/0/0",)  # Escape put the node away, not the selection


def test_copies_go_through_the_clipboard_as_text(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/3",)
    window.hall.view.native.setFocus()
    key(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert "halls:" in text
    key(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    tool = window.tools.place
    assert tool.active
    at = place_of(window, 8.0, 1.0)
    tool.point(at.x(), at.y(), set())
    assert tool.ok
    key(window, Qt.Key.Key_Return)
    assert len(racks(window)) == 9
    window.hall.state.selection = ("gpu/0/0",)
    key(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert len(racks(window)) == 10
    key(window, Qt.Key.Key_R)
    key(window, Qt.Key.Key_Delete)
    assert len(racks(window)) == 9
    for _ in range(4):
        key(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    draft = window.editing.editor.draft
    assert draft is not None
    assert draft.file.text == SCENE
    QGuiApplication.clipboard().setText("no scene at all")
    key(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.statusBar().currentMessage().startswith("Not pasted")


def test_a_copied_node_goes_into_free_units_by_keys_and_by_duplicate(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/1/0",)
    window.hall.view.native.setFocus()
    key(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert "part: DGX-H100" in text
    window.hall.state.selection = ("gpu/0/1/0/3", "gpu/0/1/0/4")  # GPUs come with their node
    key(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == text
    assert window.statusBar().currentMessage().startswith("node gpu/0/1/0 copied")
    key(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    tool = window.tools.place
    landing = tool.landing
    assert isinstance(landing, UnitSnap)
    assert window.session.plant is not None
    assert window.session.plant.racks.ids[landing.rack] == "gpu/0/1"  # that of the node
    assert [line.label for line in tool.plate.lines] == ["Power", "Cooling", "Ports", "Weight", "Cost"]
    at = place_of(window, 8.0, 1.0)
    tool.point(at.x(), at.y(), set())
    assert not tool.ok
    assert tool.plate.reason == "it must go into a rack"
    key(window, Qt.Key.Key_Escape)
    key(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    key(window, Qt.Key.Key_Return)
    assert window.hall.state.selection == ("gpu/0/1/2",)
    key(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    draft = window.editing.editor.draft
    assert draft is not None
    assert draft.file.text == SCENE
    window.hall.state.selection = ("gpu/0/1/0",)
    key(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert "gpu/0/1/2: {part: DGX-H100" in draft.file.text


def test_more_of_a_kind_is_selected(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/1/0/3",)
    window.tools.select("row")
    assert window.hall.state.selection == tuple(f"gpu/0/{k}" for k in range(4))
    window.tools.select("similar")
    assert len(window.hall.state.selection) == 8
    window.tools.select("job")
    assert "Nothing found" in window.statusBar().currentMessage()
    assert len(window.hall.state.selection) == 8
