"""Two scenes side by side; a file that another program writes; one that needs a newer program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from twin.app.compare.diff_dialog import DiffDialog
from twin.app.compare.hall_pair import HallPair
from twin.app.compare.scene_comparison import compare, things_of
from twin.app.files.newer_file import NewerFile
from twin.commands.edit.command import Given
from twin.commands.place.move import MoveThings
from twin.scenario import Change, Patch, load, loads
from twin.scenario.file.diff import SECTIONS
from twin.scenario.file.patch_text import edit

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
ADD = Given(
    Patch(
        (Change("halls[lab].rows[x-1]", RACK), Change("cooling.loops[crah].serves", "[gpu, x-1]")), "Add rack"
    )
)


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def rename(title: str) -> Given:
    return Given(Patch((Change("title", title),), "Rename"))


def replace(path: Path, text: str) -> None:
    """Write a file as editors do: another one, renamed over it."""
    beside = path.with_name("beside")
    beside.write_text(text)
    os.replace(beside, path)


def test_things_that_came_went_or_moved_are_found(lab: Path) -> None:
    before = load(lab)
    after = edit(before, ADD.done)[0]
    found = compare(before, after)
    assert found.things["x-1/0/0"] == "added"
    assert found.things["crah/0"] == "changed"
    assert "gpu/0/0" not in found.things
    back = compare(after, before)
    assert back.things["x-1/0/0"] == "removed"
    assert {one.section for one in found.differences} == {"Halls", "Cooling"}
    racks = next(one for one in found.figures if one.title == "Racks")
    assert int(racks.after) == int(racks.before) + 1
    assert not compare(before, before).differences
    assert things_of("halls[lab].rows[x-1].racks", found.after.plant) == ("x-1/0/0",)
    assert things_of("title", found.after.plant) == ()
    timed = "[{id: e, at: 1 h, title: Rename, changes: [{path: title, value: Late}]}]"
    later = edit(before, Patch((Change("edits", timed),)))[0]
    assert [one.section for one in compare(before, later).differences] == [SECTIONS["interventions"]]
    assert any(one.path == "title" for one in compare(before, later, 3600.0).differences)


def test_both_halls_are_shown_with_one_camera_and_let_go(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = use_window(own)
    editor = window.editing.editor
    assert editor.do(ADD)
    assert editor.do(MoveThings(("gpu/0/0",), (0.0, 1.2)))
    window.menus.execute("file.compare_saved")
    dialog = window.findChild(DiffDialog)
    assert dialog is not None
    halls = dialog.halls
    assert halls is not None
    assert len(dialog.findChildren(HallPair)) == 1
    before, after = halls.views
    assert dialog.comparison.things["gpu/0/0"] == "changed"
    assert {box.tone for box in after.edit.ghost.boxes} == {"good", "warn"}
    assert {box.tone for box in before.edit.ghost.boxes} == {"warn"}
    qtbot.waitUntil(lambda: halls.laid_out == (after.pose, after.native.size()))
    assert before.pose == after.pose
    pictures = [view.grab().astype(int) for view in halls.views]
    green = [int(np.sum((p[:, :, 1] > p[:, :, 0] + 50) & (p[:, :, 1] > p[:, :, 2] + 20))) for p in pictures]
    assert green[1] > green[0] + 50, "the new rack is green in the second hall only"

    start = after.pose
    for _ in range(20):  # by keyboard, to the new row
        QTest.keyClick(dialog.tree, Qt.Key.Key_Down)
        if "x-1" in dialog.sentence.text():
            break
    assert "x-1" in dialog.sentence.text()
    qtbot.waitUntil(lambda: after.pose != start and before.pose == after.pose)
    before.orbit(40.0, 0.0)
    qtbot.waitUntil(lambda: before.pose == after.pose)
    window.menus.execute("window.theme_light")
    assert before.state.theme == "light"
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(DiffDialog) is None)
    assert window.editing.file.save()
    window.menus.execute("file.compare_saved")
    again = window.findChild(DiffDialog)
    assert again is not None
    assert not again.comparison.differences
    again.buttons["Close"].click()


def press(word: str) -> None:
    """Press a button of the box that is about to open."""

    def now() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        next(button for button in box.buttons() if word in button.text().replace("&", "")).click()

    QTimer.singleShot(0, now)


@pytest.mark.slow
def test_a_file_that_another_program_wrote_is_asked_about(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = use_window(own)
    notes, editor, file = window.notifications, window.editing.editor, window.editing.file
    text = own.read_text()
    os.utime(own)  # touched, not changed
    replace(own, text + "# theirs\n")
    qtbot.waitUntil(lambda: len(notes.notes) == 1)
    notes.notes[0].buttons["Reload"].click()
    assert file.document is not None
    assert file.document.text.endswith("# theirs\n")
    assert not window.isWindowModified()

    assert editor.do(rename("Mine"))
    own.write_text(text.replace("seed:", "seed :"))
    qtbot.waitUntil(lambda: len(notes.notes) == 1)
    assert set(notes.notes[0].buttons) == {"Compare", "Keep my changes", "Reload from disk"}
    notes.notes[0].buttons["Compare"].click()
    dialog = window.findChild(DiffDialog)
    assert dialog is not None
    assert [one.path for one in dialog.comparison.differences] == ["title"]
    assert [word for word in dialog.buttons if dialog.buttons[word].property("role") == "primary"] == [
        "Keep my changes"
    ]
    dialog.buttons["Keep my changes"].click()
    assert window.isWindowModified()
    assert file.save(), "nobody is asked again"
    assert "Mine" in own.read_text()

    assert editor.do(rename("Other"))
    own.write_text("no scene at all")
    qtbot.waitUntil(lambda: any(note.buttons for note in notes.notes))
    asked = next(note for note in notes.notes if "Reload from disk" in note.buttons)
    press("Cancel")
    asked.buttons["Reload from disk"].click()
    assert window.isWindowModified(), "what is not saved goes only when that is said twice"
    press("Reload from disk")
    file.take_theirs()
    assert file.document.scenario.title == "Other", "theirs is no scene: mine stays"
    assert window.files.problems is not None
    window.files.problems.close()
    own.unlink()
    qtbot.waitUntil(lambda: any("deleted" in note.trouble.title for note in notes.notes))
    assert file.save()
    assert load(own).scenario.title == "Other"


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    rest = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(50, 50), *rest))
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), *rest))


def test_a_newer_file_that_is_dropped_is_shown_as_text_and_the_scene_stays(
    use_window: Callable[..., MainWindow], own: Path, tmp_path: Path
) -> None:
    window = use_window(own)
    newer = tmp_path / "newer.twin.yaml"
    newer.write_text(own.read_text().replace("version: 3", "version: 7"))
    drop(window, newer)
    (shown,) = window.findChildren(NewerFile)
    assert "version 7" in shown.sentence.text()
    assert shown.text.isReadOnly()
    assert shown.text.toPlainText() == newer.read_text()
    assert window.session.path == own
    assert newer.resolve() not in window.settings.recent
    shown.close()
    other = tmp_path / "other.twin.yaml"
    other.write_text(own.read_text())
    drop(window, other)
    assert window.session.path == other
    assert window.settings.recent[0] == other.resolve()


def test_a_scene_that_extends_another_is_saved_elsewhere_only_with_it(
    use_window: Callable[..., MainWindow], own: Path, tmp_path: Path
) -> None:
    child = tmp_path / "child.twin.yaml"
    child.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: own.twin.yaml\ntitle: Child\n'
    )
    window = use_window(child)
    assert window.editing.editor.do(rename("Grown"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert not window.editing.file.save_as(elsewhere / "child.twin.yaml")
    assert not list(elsewhere.iterdir())
    assert window.isWindowModified()
    assert window.editing.file.save_as(tmp_path / "twin.twin.yaml")
    assert "extends: own.twin.yaml" in (tmp_path / "twin.twin.yaml").read_text()
    assert load(tmp_path / "twin.twin.yaml").scenario.title == "Grown"
    assert loads(child.read_text(), folder=tmp_path).scenario.title == "Child"
