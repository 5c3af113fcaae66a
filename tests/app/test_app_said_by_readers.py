"""What people stumbled over in the editor: focus on a stray button, a name nobody gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from twin.app.files.scene_file import name_for
from twin.commands.place.place import AddPart

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    """A copy of the lab that may be written."""
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def test_the_hall_has_the_keys_when_the_button_that_wired_it_goes(
    make_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    window = make_window()
    window.menus.execute("file.new")
    qtbot.waitUntil(window.hint.parts.isVisible)
    window.hint.parts.setFocus()
    assert window.editing.editor.do(AddPart("DGX-H100", at=(2.0, 2.0)))
    qtbot.waitUntil(window.hint.wire.isVisible)
    assert window.hall.view.native.hasFocus()
    window.hint.wire.setFocus()
    QTest.keyClick(window.hint.wire, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not window.hint.isVisible())
    assert window.hall.view.native.hasFocus()


def test_a_file_is_offered_the_title_as_its_name(
    make_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name_for("Kaltes Büro / Nord 2") == "kaltes-büro-nord-2.twin.yaml"
    assert name_for("?!") == "untitled.twin.yaml"
    offered: list[str] = []

    def choose(_parent: object, _title: str, path: str, _filter: str) -> tuple[str, str]:
        offered.append(Path(path).name)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    window = make_window()
    window.menus.execute("file.new")
    assert not window.editing.file.save()
    assert offered == ["untitled-hall.twin.yaml"]


def test_enter_does_not_write_over_what_another_program_wrote(
    make_window: Callable[..., MainWindow], own: Path
) -> None:
    window = make_window(own)
    window.comparing.watch.follow(None)  # it is noticed when it is saved
    theirs = own.read_text() + "# theirs\n"
    own.write_text(theirs)
    asked: list[list[str]] = []

    def press(word: str) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        asked.append([button.text().replace("&", "") for button in box.buttons()])
        if word:
            next(one for one in box.buttons() if word in one.text()).click()
        else:
            QTest.keyClick(box, Qt.Key.Key_Return)

    QTimer.singleShot(0, lambda: press(""))
    assert not window.editing.file.save()
    assert own.read_text() == theirs
    assert "Compare" in asked[0]
    QTimer.singleShot(0, lambda: press("Compare"))
    assert not window.editing.file.save()
    assert own.read_text() == theirs
    from twin.app.compare.diff_dialog import DiffDialog

    assert len(window.findChildren(DiffDialog)) == 1
    QTimer.singleShot(0, lambda: press("Overwrite"))
    assert window.editing.file.save()
    assert "# theirs" not in own.read_text()


def test_a_first_window_leaves_room_for_its_frame(make_window: Callable[..., MainWindow]) -> None:
    window = make_window()
    room = window.screen().availableSize()
    window.resize(room * 2)
    window.docks.restore(window.settings)
    assert window.height() < room.height()
    assert window.width() < room.width()


def test_the_edit_menu_offers_only_what_would_do_something(
    make_window: Callable[..., MainWindow], own: Path
) -> None:
    window = make_window(own)
    editor = window.editing.editor
    menu, acts = window.menus.menus["edit"], window.menus.qt_actions
    names = ("edit.undo", "edit.redo", "edit.paste", "edit.delete", "edit.ungroup")

    def offered() -> list[bool]:
        menu.aboutToShow.emit()
        return [acts[name].isEnabled() for name in names]

    QApplication.clipboard().clear()
    window.hall.state.selection = ()
    assert offered() == [False] * 5
    menu.aboutToHide.emit()
    assert all(acts[name].isEnabled() for name in names)  # a key is answered with the reason
    window.hall.state.selection = ("gpu/0/0",)
    assert window.tools.copy()
    assert editor.do(AddPart("DGX-H100", at=(20.0, 2.0)))
    assert offered() == [True, False, True, True, True]
    assert editor.undo()
    assert offered()[:2] == [False, True]
    menu.aboutToHide.emit()
