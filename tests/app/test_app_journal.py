"""The journal where the disk is full, the scene is open twice, or many were left; and what is given up."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from patience import HANG_S
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from twin.app.files import journal as journals
from twin.app.files.journal import SUFFIX, Journal, journal_folder
from twin.app.files.recovery import KEPT, discard, left_behind, prune, run_of
from twin.commands.edit.command import Given
from twin.scenario import Change, Document, Patch, load, loads
from twin.scenario.file.patch_text import edit

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

EMPTY = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\ntitle: Untitled\nhalls: [{id: hall}]\n"

# Ends by itself without taking its leave, as a crash does: what it has written stays.
_LEFT = """
import os, sys
from pathlib import Path
from twin.app.files.journal import Journal
from twin.scenario import Change, Patch, load, loads
from twin.scenario.file.patch_text import edit
for place, where in enumerate(sys.argv[2:]):
    document = load(where) if where != "-" else loads(sys.argv[1], "untitled.twin.yaml")
    journal = Journal()
    journal.begin(document)
    for step in range(place + 1):
        document = edit(document, Patch((Change("title", f"Left {place} {step}"),)))[0]
        journal.note(document, "Rename")
os._exit(9)
"""


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def leave(*where: str) -> None:
    subprocess.run([sys.executable, "-c", _LEFT, EMPTY, *where], check=False, timeout=HANG_S)


def titled(document: Document, title: str) -> Document:
    return edit(document, Patch((Change("title", title),)))[0]


def rename(title: str) -> Given:
    return Given(Patch((Change("title", title),), "Rename"))


def press(word: str) -> None:
    """Press a button of the box that is about to open."""

    def click() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            next(button for button in box.buttons() if word in button.text().replace("&", "")).click()
        else:
            QTimer.singleShot(10, click)  # not there yet

    QTimer.singleShot(0, click)


def steps_of(path: Path) -> list[str]:
    """Return the titles of the changes in a journal as a crash at this moment would leave it."""
    copy = path.with_name(f"copy{SUFFIX}")
    copy.write_bytes(path.read_bytes())
    try:
        return [loads(left.text).scenario.title for left in left_behind() if left.journal == copy]
    finally:
        discard(copy)


def test_a_full_disk_is_told_once_and_what_comes_after_it_is_whole(
    monkeypatch: pytest.MonkeyPatch, lab: Path
) -> None:
    told: list[str] = []
    journal, document = Journal(), load(lab)
    journal.failed.connect(told.append)
    journal.begin(document)
    journal.note(document := titled(document, "First"), "Rename")
    assert journal.path is not None
    first = journal.path
    assert steps_of(first) == ["First"], "on the disk when `note` returns"

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journals.os, "fsync", full)
    journal.note(document := titled(document, "Second"), "Rename")
    journal.note(document := titled(document, "Third"), "Rename")
    assert told == ["No space left on device"]
    assert first.is_file(), "what was safe stays so"
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(first.parents[2]))
    journal.note(document := titled(document, "Fourth"), "Rename")
    assert steps_of(journal.path) == ["Fourth"]
    assert journal.path != first
    assert not first.exists()
    journal.end()
    assert not list(journal_folder().iterdir())


def test_two_windows_of_one_scene_keep_journals_of_their_own(lab: Path) -> None:
    document = load(lab)
    both = Journal(), Journal()
    for journal, title in zip(both, ("One", "Two"), strict=True):
        journal.begin(document)
        journal.note(titled(document, title), "Rename")
    assert both[0].path is not None
    assert both[1].path is not None
    assert [steps_of(journal.path) for journal in both if journal.path] == [["One"], ["Two"]]
    prune(keep=0)
    assert both[0].path.is_file(), "its program runs"
    both[0].end()
    assert both[1].path.is_file()
    both[1].end()


def test_old_journals_and_more_than_a_few_are_thrown_away(lab: Path) -> None:
    leave(str(lab), str(lab))
    old, young = sorted(journal_folder().glob(f"*{SUFFIX}"))
    os.utime(old, (time.time() - 40 * 86_400,) * 2)
    for number in range(KEPT + 4):
        copy = young.with_name(f"more-{number:02}{SUFFIX}")
        copy.write_bytes(young.read_bytes())
        os.utime(copy, (time.time() - 3600 - number,) * 2)
    found = left_behind()
    assert len(found) == KEPT
    assert not old.exists()
    assert young in {left.journal for left in found}


@pytest.mark.slow
def test_several_are_recovered_one_by_one_and_what_is_discarded_is_gone(
    make_window: Callable[..., MainWindow], lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    own = tmp_path / "own.twin.yaml"
    own.write_bytes(lab.read_bytes())
    state = tmp_path / "state"
    leave(str(own), "-", str(own))
    window = make_window(own)
    assert str(state) in str(journal_folder())
    window.editing.offer_recovery()
    notes = {note.trouble.text.split(" of ")[0]: note for note in window.notifications.notes}
    assert set(notes) == {"One change", "2 changes", "3 changes"}
    notes["One change"].buttons["Discard"].click()
    assert {left.steps for left in left_behind()} == {2, 3}

    assert window.editing.editor.do(rename("Here"))
    press("Cancel")
    notes["3 changes"].buttons["Recover"].click()
    assert window.windowTitle().startswith("Here"), "what is not saved here is asked about first"
    assert {left.steps for left in left_behind()} == {2, 3}
    (again,) = [left for left in left_behind() if left.steps == 3]
    press("Discard")
    assert window.editing.file.recover(again)
    assert window.windowTitle().startswith("Left 2 2")
    window.session.draft.mark_saved()  # type: ignore[union-attr]

    (new,) = left_behind()
    assert new.path is None
    assert window.editing.file.recover(new)
    assert window.editing.file.is_new
    assert window.windowTitle().startswith("Left 1 1")
    assert window.editing.file.save_as(tmp_path / "kept.twin.yaml")
    assert load(tmp_path / "kept.twin.yaml").scenario.title == "Left 1 1"
    assert not left_behind()
    assert not list(journal_folder().iterdir()), "nothing is left of any"
    assert own.read_bytes() == lab.read_bytes(), "never over the file of a person"


def test_a_scene_whose_file_is_broken_meanwhile_is_recovered_all_the_same(
    make_window: Callable[..., MainWindow], lab: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.twin.yaml"
    own.write_bytes(lab.read_bytes())
    leave(str(own))
    own.write_text("broken")
    window = make_window()
    (left,) = left_behind()
    assert window.editing.file.recover(left)
    assert window.isWindowModified()
    assert window.windowTitle().startswith("Left 0 0")
    window.editing.editor.undo()
    run = run_of(load(lab), tmp_path / "none.twinrun")
    assert run.snapshot is None


def test_a_run_of_another_scene_does_not_go_on(
    make_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = make_window(lab)
    session = window.session
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    session.pause()
    run_file = session.client.run_file
    document = load(lab)
    window.session.close()
    assert run_of(document, run_file).snapshot is not None
    assert run_of(titled(document, "Changed at t = 0"), run_file).snapshot is None
