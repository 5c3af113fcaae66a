"""Undo and redo in a field of the inspector: its own while something is typed, the scene's once it is entered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from twin.app.inspector.property_row import PropertyRow

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    """A copy of the lab that may be written."""
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def test_undo_in_a_field_that_was_entered_is_the_scenes(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = make_window(own)
    draft = window.session.draft
    assert draft is not None
    before = draft.file.text
    window.docks.show("inspector")
    window.hall.state.selection = ("gpu/0/0",)
    window.docks.inspector.show_page("properties")
    panel = window.docks.inspector.properties

    def fields() -> list[PropertyRow]:
        return [row for row in panel.rows.values() if isinstance(row.field, QLineEdit)]

    qtbot.waitUntil(lambda: any(row.field.isVisible() for row in fields()))
    row = fields()[0]
    row.field.setFocus()
    QTest.keyClick(row.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(row.field, "3")
    QTest.keyClick(
        row.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    )  # typed only: the field's own
    assert row.text != "3"
    assert draft.file.text == before
    QTest.keyClick(row.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(row.field, "3")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: draft.file.text != before)
    after = draft.file.text
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert draft.file.text == before
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | shift)
    assert draft.file.text == after
