"""A scene is begun, changed, saved, reverted, and offered back after a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from patience import HANG_S
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from twin.app.files.journal import Journal
from twin.app.files.recovery import left_behind
from twin.app.toolkit.problem_notice import Trouble
from twin.commands.edit.command import Given
from twin.commands.place.place import AddPart
from twin.scenario import Change, Patch, load, loads
from twin.scenario.file.patch_text import edit

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"


def given(path: str, value: str | None, title: str) -> Given:
    return Given(Patch((Change(path, value),), title))


SERVES = ("cooling.loops[crah].serves", "[gpu, x-1]")
ADD = Given(Patch((Change("halls[lab].rows[x-1]", RACK), Change(*SERVES)), "Add rack"))


def answer(word: str) -> None:
    """Press a button of the box that is about to open."""

    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        next(button for button in box.buttons() if word in button.text().replace("&", "")).click()

    QTimer.singleShot(0, press)


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    """A copy of the lab that may be written."""
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def test_what_is_done_before_the_run_is_saved_as_those_lines_only(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    before = own.read_text()
    window = make_window(own)
    editor, file = window.editing.editor, window.editing.file
    hall = window.grab()
    assert editor.do(ADD)
    assert window.isWindowModified()
    assert window.session.plant is not None
    assert "x-1/0/0" in window.session.plant.racks.ids
    assert window.menus.qt_actions["edit.undo"].text() == "Undo: Add rack"
    assert editor.do(given("title", "Mine", "Rename"))
    qtbot.waitUntil(lambda: window.session.frame is not None)  # the worker has the new hall
    assert window.grab() != hall
    editor.undo()
    assert file.save()
    after = own.read_text()
    new = [line for line in after.splitlines() if line not in before.splitlines()]
    assert len(new) == 2
    assert new[0] == f"      - {RACK}"
    assert "serves: [gpu, x-1]" in new[1]
    assert not window.isWindowModified()
    editor.undo()
    assert file.document is not None
    assert file.document.text == before
    assert window.isWindowModified()
    answer("Cancel")
    assert not window.close()
    own.write_text(after + "# touched elsewhere\n")
    answer("Cancel")
    assert not file.save()
    assert own.read_text().endswith("elsewhere\n")
    answer("Revert")
    file.revert()
    assert "touched" in file.document.text
    assert not window.isWindowModified()


def test_of_a_scene_that_others_keep_a_copy_is_saved_and_what_is_open_stays(
    make_window: Callable[..., MainWindow], own: Path, tmp_path: Path
) -> None:
    window = make_window(own)
    file, session, copy = window.editing.file, window.session, tmp_path / "copy.twin.yaml"
    assert window.editing.editor.do(given("title", "Mine", "Rename"))
    file.kept_elsewhere = lambda: True
    journal, recent = file.journal.path, window.settings.recent
    assert journal is not None
    assert file.save_as(copy)
    assert load(copy).scenario.title == "Mine"
    assert window.notifications.notes[-1].trouble == Trouble("Copy saved", str(copy))
    assert session.path == own
    assert session.draft is not None
    assert session.draft.dirty
    assert file.journal.path == journal
    assert window.settings.recent == recent
    file.kept_elsewhere = lambda: False
    assert file.path == own


def test_a_new_hall_begins_and_is_renamed_and_saved(
    make_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    window.menus.execute("file.new")
    qtbot.waitUntil(lambda: window.session.frame is not None)
    assert window.hint.isVisible()
    assert window.hint.reason == ""
    assert not window.notifications.notes
    assert window.editing.editor.do(given("title", "Mine", "Rename"))
    assert window.editing.file.save_as(tmp_path / "mine.twin.yaml")
    assert load(tmp_path / "mine.twin.yaml").scenario.title == "Mine"
    assert window.windowTitle().startswith("Mine")


def test_a_hall_that_cannot_run_yet_says_why_and_is_wired_by_a_click(
    make_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    window = make_window()
    window.menus.execute("file.new")
    hint, editor = window.hint, window.editing.editor
    qtbot.waitUntil(lambda: window.session.frame is not None)
    assert hint.isVisible()
    assert editor.do(AddPart("DGX-H100", at=(2.0, 2.0)))
    qtbot.waitUntil(lambda: "coolant or air loop" in hint.reason)
    wire = next(button for button in hint.findChildren(QPushButton) if button.text().startswith("Connect"))
    assert wire.isVisible()
    wire.click()
    qtbot.waitUntil(lambda: not hint.isVisible())
    qtbot.waitUntil(lambda: window.session.frame is not None)
    assert window.session.document is not None
    assert window.session.document.scenario.cooling.loops


def test_a_lock_and_a_wrong_value_are_refused_with_the_reason(
    make_window: Callable[..., MainWindow], own: Path
) -> None:
    window = make_window(own)
    editor = window.editing.editor
    assert not editor.do(given("halls[lab].rows[x-1]", "{racks: {count: 0}}", "Add rack"))
    assert "count" in window.statusBar().currentMessage()
    window.menus.execute("edit.lock")
    assert not editor.do(ADD)
    assert "lock" in window.statusBar().currentMessage()
    assert own.read_text() == load(own).text


_CRASH = """
import os, signal, sys
from twin.app.files.journal import Journal
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit
journal, document = Journal(), load(sys.argv[1])
journal.begin(document)
for title in ("First", "Second"):
    document = edit(document, Patch((Change("title", title),)))[0]
    journal.note(document, title)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_what_a_killed_program_left_is_offered_back(
    make_window: Callable[..., MainWindow], own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    subprocess.run([sys.executable, "-c", _CRASH, str(own)], check=False, timeout=HANG_S)
    (left,) = left_behind()
    assert (left.steps, left.path) == (2, own.resolve())
    with left.journal.open("ab") as file:
        file.write(b'{"start": 0, "end": 5, "te')  # cut short
    window = make_window()
    window.editing.offer_recovery()
    (note,) = window.notifications.notes
    assert note.trouble.text.startswith("2 changes of ")
    assert " were never saved. " in note.trouble.text
    note.buttons["Recover"].click()
    assert window.windowTitle().startswith("Second")
    assert window.isWindowModified()
    assert not left.journal.exists()
    assert own.read_text() == load(own).text
    assert window.editing.file.save()
    assert load(own).scenario.title == "Second"
    window.editing.offer(replace(left, steps=1))
    said = window.notifications.notes[-1].trouble.text
    assert said.startswith("One change of ")
    assert " was never saved. " in said


def test_a_journal_of_a_running_program_or_of_nothing_is_nothing_to_recover(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    journal, document = Journal(), load(lab)
    journal.begin(document)
    assert not left_behind()
    changed = edit(document, Patch((Change("title", "Mine"),)))[0]
    journal.note(changed, "Rename")
    assert journal.path is not None
    assert not left_behind(), "its program still runs"
    (journal.path.parent / "broken.twinjournal").write_bytes(b"\x00\xff{}\n")
    (journal.path.parent / "empty.twinjournal").write_bytes(b"")
    assert not left_behind()
    journal.end()
    assert not list(journal.path.parent.glob("*.twinjournal.lock")) if journal.path else True
    assert loads(changed.text).scenario.title == "Mine"


def test_a_scene_that_cannot_be_written_says_so_until_it_is_saved_elsewhere(
    make_window: Callable[..., MainWindow], own: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = make_window(own)
    window.editing.editor.do(ADD)
    qtbot.waitUntil(lambda: not window.editing.editor.busy)
    own.unlink()
    own.mkdir()  # nobody may write here, not even root
    scene = window.editing.file
    scene.look_at_disk()
    assert not scene.save()
    assert not scene.save()
    [note] = [one for one in window.notifications.notes if one.trouble.title == "Not saved"]
    assert own.name in note.trouble.text
    assert list(note.buttons) == ["Save as\N{HORIZONTAL ELLIPSIS}"]
    assert scene.save_as(tmp_path / "elsewhere.twin.yaml")
    assert not [one for one in window.notifications.notes if one.trouble.title == "Not saved"]
