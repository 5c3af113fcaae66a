"""Shortcuts: every key can be changed; conflicts name both actions; changes act at once and outlive the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.shortcuts import Shortcuts
from twin.app.toolkit.shortcuts_dialog import ShortcutsDialog

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


@pytest.fixture
def shortcuts(window: MainWindow) -> Iterator[Shortcuts]:
    """The keys of the window; afterwards as shipped."""
    yield window.menus.shortcuts
    window.menus.shortcuts.reset_all()


@pytest.fixture
def dialog(window: MainWindow, shortcuts: Shortcuts) -> Iterator[ShortcutsDialog]:
    """The dialog, open."""
    made = ShortcutsDialog(window.look, shortcuts, window)
    made.show()
    yield made
    made.close()


def test_no_two_actions_are_shipped_with_one_key(shortcuts: Shortcuts) -> None:
    keys = [key for id in shortcuts.actions if (key := shortcuts.shipped(id))]
    assert sorted(keys) == sorted(set(keys))


def test_a_key_acts_at_once_in_menus_and_palette(
    window: MainWindow, shortcuts: Shortcuts, qtbot: QtBot
) -> None:
    assert shortcuts.assign("help.keys", "Ctrl+F9") is None
    assert window.menus.qt_actions["help.keys"].shortcut().toString() == "Ctrl+F9"
    assert next(e for e in window.menus.entries() if e.title == "Keyboard shortcuts").shortcut == "Ctrl+F9"
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier)
    page = next(w for w in QApplication.topLevelWidgets() if w.windowTitle().startswith("Keyboard shortcuts"))
    page.close()
    shortcuts.reset("help.keys")
    assert window.menus.qt_actions["help.keys"].shortcut().toString() == "Shift+F1"


def test_tool_tips_name_the_key_in_force(window: MainWindow, shortcuts: Shortcuts) -> None:
    play = window.transport.play_button
    assert play.toolTip() == "Play (Space)"
    shortcuts.assign("run.toggle", "Ctrl+P")
    assert play.toolTip() == "Play (Ctrl+P)"
    shortcuts.assign("run.break", "Ctrl+F9")
    assert window.docks.inspector.break_button.toolTip() == "Inject a fault (Ctrl+F9)"
    shortcuts.assign("run.toggle", "")
    assert play.toolTip() == "Play"


def test_a_key_belongs_to_one_action(shortcuts: Shortcuts) -> None:
    assert shortcuts.holder("F11") == "window.full_screen"
    assert shortcuts.assign("help.about", "F11") == "window.full_screen"
    assert shortcuts.key("window.full_screen") == ""
    assert shortcuts.reset("window.full_screen") == "help.about"
    assert shortcuts.key("window.full_screen") == "F11"


def test_keys_of_the_user_go_before_those_of_newer_actions(window: MainWindow, tmp_path: Path) -> None:
    """As kept by a version in which F1 listed the keys: its user gave F1 to something else."""
    settings = UserSettings(tmp_path / "settings.ini")
    settings.keys = {"help.about": "F1", "help.keys": ""}
    shortcuts = Shortcuts(window.menus.model, settings)
    assert shortcuts.holder("F1") == "help.about"
    assert shortcuts.key("help.open") == ""
    assert shortcuts.reset("help.open") == "help.about"
    assert shortcuts.key("help.open") == "F1"


def test_only_what_was_changed_is_kept(window: MainWindow, shortcuts: Shortcuts) -> None:
    shortcuts.assign("help.about", "Ctrl+F9")
    shortcuts.assign("file.open", "")
    window.settings.flush()
    again = UserSettings(window.settings.path)
    assert again.keys == {"help.about": "Ctrl+F9", "file.open": ""}
    shortcuts.reset_all()
    window.settings.flush()
    assert UserSettings(window.settings.path).keys == {}


def test_the_dialog_lists_all_and_finds_by_name_and_by_key(
    dialog: ShortcutsDialog, shortcuts: Shortcuts
) -> None:
    model = dialog.table.model()
    assert model.rowCount() == len(shortcuts.actions)
    dialog.search.setText("full scr")
    assert model.rowCount() == 1
    dialog.search.setText("Ctrl+Shift+P")
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["Command palette"]


def test_a_recorded_key_tells_its_conflict_with_both_names(
    dialog: ShortcutsDialog, shortcuts: Shortcuts
) -> None:
    dialog.choose("help.about")
    QTest.keyClick(dialog.recorder, Qt.Key.Key_F11)
    assert "Full screen" in dialog.note.text()
    assert "About gpu-twin" in dialog.note.text()
    assert dialog.note.text().startswith("\N{WARNING SIGN}")  # not by colour alone
    assert shortcuts.key("help.about") == ""  # nothing is done yet
    dialog.assign_button.click()
    assert shortcuts.key("help.about") == "F11"
    assert "Full screen has no key now" in dialog.note.text()
    dialog.reset_button.click()
    assert shortcuts.key("help.about") == ""
    dialog.choose("help.about")
    QTest.keyClick(dialog.recorder, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier)
    assert dialog.note.text() == "Ctrl+F9 is free."
    dialog.reset_all_button.click()
    assert shortcuts.key("window.full_screen") == "F11"
    assert not dialog.reset_all_button.isEnabled()
