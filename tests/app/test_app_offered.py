"""Where a crash left work behind, the next start stands still until somebody has said what shall become of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from patience import HANG_S
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from twin.app.files.journal import journal_folder
from twin.app.files.recovery import left_behind
from twin.app.shell.edit_services import MOST_OFFERED
from twin.app.toolkit.problem_notice import Trouble
from twin.commands.edit.command import Given
from twin.scenario import Change, Patch

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

# Ends by itself without taking its leave, as a crash does, as often as it is told.
_LEFT = """
import os, sys
from twin.app.files.journal import Journal
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit
document = load(sys.argv[1])
for number in range(int(sys.argv[2])):
    journal = Journal()
    journal.begin(document)
    journal.note(edit(document, Patch((Change("title", f"Left {number}"),)))[0], "Rename")
os._exit(9)
"""

# A window as people start it, which says how it stands and then presses a button.
_STARTED = """
import sys
from PySide6.QtCore import QTimer
from twin.app.shell import main_window
from twin.app.shell.start import run_app

class Watched(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        self.word = sys.argv[2]
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.turn)
        self.timer.start(20)

    def turn(self):
        session, notes = self.session, [n for n in self.notifications.notes if n.buttons]
        if session.frame is None:
            return
        if notes and self.word:
            print("stands" if not session.playing and session.t_s == 0 else "moves", flush=True)
            notes[0].buttons[self.word].click()
            self.word = ""
        elif not notes and (session.t_s > 0 or sys.argv[2] == "Recover"):
            self.timer.stop()
            print("plays" if session.playing else "paused", self.windowTitle(), flush=True)
            self.editing.file.asks = False
            self.close()

main_window.MainWindow = Watched
sys.exit(run_app(sys.argv[1], speed=60.0))
"""


@pytest.fixture
def own(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the lab that may be written; all that is kept lies in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("TWIN_STATE_DIR", raising=False)
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def cancel() -> None:
    """Cancel the box that is about to open."""

    def click() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            box.button(QMessageBox.StandardButton.Cancel).click()
        else:
            QTimer.singleShot(10, click)  # not there yet

    QTimer.singleShot(0, click)


def leave(scene: Path, times: int = 1) -> None:
    subprocess.run([sys.executable, "-c", _LEFT, str(scene), str(times)], check=False, timeout=HANG_S)


@pytest.mark.slow
@pytest.mark.parametrize(("word", "then"), [("Discard", "plays"), ("Recover", "paused")])
def test_a_start_stands_still_until_it_is_chosen(word: str, then: str, own: Path, qapp: object) -> None:
    leave(own)
    assert len(left_behind()) == 1
    command = [sys.executable, "-c", _STARTED, str(own), word]
    said = subprocess.run(command, check=True, timeout=HANG_S, stdout=subprocess.PIPE, text=True).stdout
    first, second = said.splitlines()
    assert first == "stands"
    assert second.startswith(then)
    assert ("Left 0" in second) == (word == "Recover")


def test_the_newest_are_offered_and_stay_until_they_are_answered(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    went_on: list[bool] = []
    leave(own, MOST_OFFERED + 2)
    window = make_window(own)
    newest = [left.journal for left in left_behind()[:MOST_OFFERED]]
    window.editing.offer_recovery(lambda: went_on.append(True))
    notes = window.notifications.notes
    assert len(notes) == MOST_OFFERED
    for number in range(4):
        window.notifications.tell("Saved", f"{number}")
        window.notifications.warn(Trouble("Change refused", f"{number}"))
    assert set(notes) <= set(window.notifications.notes), "messages that come by push out no offer"
    for place, note in enumerate(reversed(notes)):
        assert went_on == []
        note.buttons["Discard"].click()
        assert not newest[place].exists()
    assert went_on == [True]
    assert len(left_behind()) == 2, "what is older waits for the next start"
    for left in left_behind():
        left.journal.unlink()
    window.editing.offer_recovery(lambda: went_on.append(True))
    assert went_on == [True, True], "nothing was left"
    assert journal_folder().is_dir()


@pytest.mark.slow
def test_work_that_is_not_recovered_now_is_offered_again(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    leave(own)
    window = make_window(own)
    assert window.editing.editor.do(Given(Patch((Change("title", "Here"),), "Rename")))
    window.editing.offer_recovery()
    (note,) = [note for note in window.notifications.notes if note.buttons]
    cancel()
    note.buttons["Recover"].click()
    assert window.windowTitle().startswith("Here"), "what is not saved here is asked about first"
    (again,) = [note for note in window.notifications.notes if note.buttons]
    again.buttons["Discard"].click()
    assert not left_behind()
