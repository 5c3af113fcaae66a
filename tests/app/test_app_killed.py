"""Kill -9 of the window's process or of the worker, amid editing and running: the next start has the work back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from patience import HANG_S
from pytestqt.qtbot import QtBot

from twin.app.files.recovery import left_behind
from twin.commands.edit.command import Given
from twin.record.reader import Reader
from twin.scenario import Change, Patch, load, loads
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
SERVES = ("cooling.loops[crah].serves", "[gpu, x-1]")
ADD = Given(Patch((Change("halls[lab].rows[x-1]", RACK), Change(*SERVES)), "Add rack"))

# A window as people start it; what it does by itself is what a person would do in it.
_DRIVEN = """
import sys
from PySide6.QtCore import QTimer
from twin.app.shell import main_window
from twin.app.shell.start import run_app
from twin.commands.edit.command import Given
from twin.scenario import Change, Patch

ADD = Given(Patch((Change("halls[lab].rows[x-1]", sys.argv[3]), Change(*sys.argv[4:6])), "Add rack"))

def say(*words):
    print(*words, flush=True)

class Driven(main_window.MainWindow):
    def begin(self):
        self.count = 0
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.turn)
        self.timer.start(20)
        self.editing.editor.refused.connect(lambda title, why: say("refused", title, why))
        self.editing.editor.landed.connect(self.tell)

    def tell(self, _proposal):
        say("landed", self.count, self.session.draft.file.scenario.title)

    def turn(self):
        session, editor = self.session, self.editing.editor
        if session.frame is None or editor.busy:
            return
        if sys.argv[2] == "running":
            if not session.playing:
                session.set_speed(600.0)
                session.play()
            if session.t_s < 120.0 * (self.count + 1):
                return
        self.count += 1
        if self.count == 1:
            editor.do(ADD)
        elif self.count == 4:
            editor.undo()
        else:
            editor.do(Given(Patch((Change("title", f"Title {self.count}"),), "Rename")))

    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(0, self.begin)

main_window.MainWindow = Driven
sys.exit(run_app(sys.argv[1], play=False))
"""


@contextmanager
def driven(scene: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    """Yield a window in a process of its own that edits a scene; it is killed at the end, its worker too."""
    command = [sys.executable, "-c", _DRIVEN, str(scene), how, RACK, *SERVES]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    children: list[psutil.Process] = []
    try:
        yield process
        children = psutil.Process(process.pid).children()
    finally:
        process.kill()
        process.wait(HANG_S)
        if process.stdout is not None:
            process.stdout.close()
        psutil.wait_procs(children, HANG_S)


def landed(process: subprocess.Popen[str], count: int) -> str:
    """Read what the window says until so many edits have landed; return the title of the scene then."""
    assert process.stdout is not None
    for line in process.stdout:
        word, _, rest = line.strip().partition(" ")
        assert word == "landed", line
        number, _, title = rest.partition(" ")
        if int(number) >= count:
            return title
    raise AssertionError(f"the window ended by itself with {process.wait(HANG_S)}")


@pytest.fixture
def own(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the lab that may be written; all that is kept lies in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def hash_of_replay(text: str, t_s: float) -> str:
    """Return the event hash of the scene, run anew up to a time."""
    engine = Engine(loads(text).scenario)
    engine.advance(t_s)
    return engine.event_hash()


def to_the_end(window: MainWindow, qtbot: QtBot) -> str:
    """Run to the end; return the event hash."""
    session = window.session
    session.set_speed(float("inf"))
    session.play()
    qtbot.waitUntil(lambda: session.summary is not None)
    assert session.client.run_file is not None
    with Reader(session.client.run_file) as reader:
        return reader.event_hash


@pytest.mark.slow
def test_no_edit_before_the_run_is_lost(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    before = own.read_bytes()
    with driven(own, "before") as process:
        title = landed(process, 6)
    (left,) = left_behind()
    assert left.steps >= 6
    found = loads(left.text).scenario
    assert found.title >= title
    assert "x-1" in {row.id for row in found.halls[0].rows}
    assert own.read_bytes() == before

    window = make_window()
    window.editing.offer_recovery()
    (note,) = window.notifications.notes
    note.buttons["Recover"].click()
    assert window.editing.file.document is not None
    assert window.editing.file.document.text == left.text
    assert window.isWindowModified()
    window.editing.offer_recovery()
    assert not window.notifications.notes, "it is in the hands of this window"
    assert window.editing.editor.do(Given(Patch((Change("title", "On"),), "Rename")))
    qtbot.waitUntil(lambda: window.session.frame is not None)
    draft = window.session.draft
    assert draft is not None
    titles = [step.title for step in draft.done]
    assert titles[0] == "Add rack"
    assert set(titles[1:]) == {"Rename"}
    assert len(titles) == left.steps - 2 + 1, (
        "one of them was taken back, and that was a step of the journal, too"
    )
    for title in reversed(titles):
        assert draft.undo_title == title
        assert window.editing.editor.undo()
    assert draft.file.text.encode() == before
    assert not window.isWindowModified(), "it is as it is saved"
    for _ in titles:
        assert window.editing.editor.redo()
    assert draft.file.scenario.title == "On"


@pytest.mark.slow
def test_a_run_goes_on_where_it_stood_with_the_edits_it_had_taken(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    with driven(own, "running") as process:
        landed(process, 5)
    (left,) = left_behind()
    edits = loads(left.text).scenario.edits
    assert len(edits) >= 5
    assert left.run_file is not None
    window = make_window()
    window.editing.offer_recovery()
    window.notifications.notes[0].buttons["Recover"].click()
    session = window.session
    qtbot.waitUntil(lambda: session.frame is not None and session.t_s > 0)
    assert session.t_s >= edits[-1].at_s, "it stands where the last edit left it, or later"
    assert session.begun
    assert session.plant is not None
    assert "x-1/0/0" in session.plant.racks.ids
    assert session.document is not None
    assert session.draft is not None
    end = to_the_end(window, qtbot)
    assert end == hash_of_replay(session.draft.file.text, session.end_s)
    assert window.editing.file.save()
    assert [edit.id for edit in load(own).scenario.edits][: len(edits)] == [edit.id for edit in edits]


def test_a_killed_worker_goes_on_with_the_edit_that_it_was_asked(
    make_window: Callable[..., MainWindow],
    own: Path,
    qtbot: QtBot,
    find_workers: Callable[[], list[psutil.Process]],
) -> None:
    window = make_window(own)
    session, editor = window.session, window.editing.editor
    session.set_speed(600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 60.0)
    assert editor.do(ADD)
    qtbot.waitUntil(lambda: not editor.busy)
    assert editor.do(Given(Patch((Change("title", "Asked"),), "Rename")))
    assert editor.busy
    (worker,) = find_workers()
    worker.kill()
    qtbot.waitUntil(lambda: session.lost)
    (lost,) = [note for note in window.notifications.notes if note.trouble.resumable]
    assert window.editing.file.journal.path is not None
    assert window.editing.file.journal.path.is_file()
    lost.buttons["Resume"].click()
    qtbot.waitUntil(lambda: not editor.busy)
    assert session.draft is not None
    assert [edit.id for edit in session.draft.file.scenario.edits] == ["edit-1", "edit-2"]
    assert session.document is not None
    assert session.document.scenario.title == "Asked"
    end = to_the_end(window, qtbot)
    assert end == hash_of_replay(session.draft.file.text, session.end_s)
