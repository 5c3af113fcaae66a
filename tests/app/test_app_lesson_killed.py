"""Kill -9 of the window in a lesson: the next start offers to go on at the same step, and the hall stands as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from patience import HANG_S
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow
from twin.app.teach.hall_run import with_kept
from twin.lessons.attempt import unfinished_attempts
from twin.record.reader import Reader

pytestmark = [pytest.mark.gl, pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")]
_LESSON = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"

# A window as people start it; what it does by itself is what a person would do in it.
_DRIVEN = """
import sys
from PySide6.QtCore import QTimer
from twin.app.shell import main_window
from twin.app.shell.start import run_app
from twin.scenario import parse_injection

def say(*words):
    print(*words, flush=True)

class Driven(main_window.MainWindow):
    def begin(self):
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.turn)
        self.timer.start(20)
        self.settings.keep("lesson_person", ["anna"])
        self.opened = self.acted = False

    def turn(self):
        runner, session = self.lessons.runner, self.session
        attempt = runner.attempt
        if attempt is None:
            if not self.opened:
                self.opened = True
                self.lessons.open_file(__import__("pathlib").Path(sys.argv[1]))
            return
        if runner.hall.arriving or session.run_file is None or session.running:
            return
        if attempt.place < 2:
            runner.go(attempt.place + 1)
        elif attempt.place == 2 and not self.acted:
            self.acted = True
            session.intervene(parse_injection("240 s power_cap all value=400W"))
        elif attempt.place == 2 and session.by_hand and not attempt.record.solved:
            session.set_speed(600.0)
            session.play()
        elif attempt.place == 2 and attempt.record.solved:
            runner.go(3)
        elif attempt.place == 3 and session.t_s < 520.0:
            session.go_on_to(520.0)
        elif attempt.place == 3 and attempt.hall.until_s >= 520.0:
            self.timer.stop()
            say(session.t_s, session.run_file)

    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(0, self.begin)

main_window.MainWindow = Driven
if __name__ == "__main__":
    sys.exit(run_app(play=False))
"""


@pytest.fixture
def next_window(
    request: pytest.FixtureRequest, make_window: Callable[..., MainWindow]
) -> Iterator[MainWindow]:
    """The window of the next start."""
    made = make_window()
    yield made
    del made
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


@pytest.mark.slow
def test_lesson_goes_on_at_step_4_after_kill_9(
    next_window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lesson = Path(shutil.copy(_LESSON, tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-c", _DRIVEN, str(lesson)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        t_s, run_file = process.stdout.readline().split(maxsplit=1)
        children = psutil.Process(process.pid).children()
    finally:
        process.kill()
        process.wait(HANG_S)
    process.stdout.close()
    psutil.wait_procs(children, HANG_S)
    assert float(t_s) == 520.0
    (left,) = unfinished_attempts()
    assert left.at == "figure"
    assert len(left.hall("read").acts) == 1

    window = next_window
    window.settings.keep("own_lessons", [str(lesson)])
    window.editing.offer_recovery()
    window.lessons.offer()
    (note,) = window.notifications.notes
    assert "step 4" in note.trouble.title
    assert "Power of a laboratory" in note.trouble.text
    note.buttons["Go on"].click()
    session, runner = window.session, window.lessons.runner
    attempt = runner.attempt
    assert attempt is not None
    qtbot.waitUntil(lambda: session.t_s == 520.0 and not runner.hall.arriving and not session.running)
    assert attempt.place == 3
    assert [done.act.at_s for done in attempt.hall.acts] == [done.act.at_s for done in left.hall("read").acts]
    assert session.draft is not None
    acts = [done.act for done in left.hall("read").acts]
    assert session.draft.file.text == with_kept(attempt.document(), acts).text
    assert session.run_file is not None
    with Reader(session.run_file) as reader, Reader(run_file.strip()) as before:
        assert reader.event_count >= 5
        assert [(event.t_s, event.kind, event.subject) for event in reader.events()] == [
            (event.t_s, event.kind, event.subject) for event in before.events()
        ]
        assert reader.event_hash == before.event_hash
