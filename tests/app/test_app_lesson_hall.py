"""The hall of a lesson without a window: what was done in it stays, and its run is that of the report on a class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from twin.app.session.session import Session
from twin.app.teach import hall_run
from twin.app.teach.lesson_dock import LessonDock
from twin.app.teach.lesson_editor_model import LessonInWriting
from twin.app.teach.lesson_editor_recorder import StepRecorder
from twin.app.teach.runner import LessonRunner
from twin.app.toolkit.look import Look
from twin.app.toolkit.problem_notice import Trouble
from twin.lessons.attempt import Attempt
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import LessonFile, lesson_from, load_lesson
from twin.lessons.recount import recount
from twin.lessons.result import read_result
from twin.scenario import ScenarioError, parse_injection
from twin.scenario.text.problem import Problem

LAB = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"
CAP, FIGURE, PLAN = 2, 3, 4
"""Places of steps of it."""
MakeRunner = Callable[[Attempt], LessonRunner]


@pytest.fixture
def dock(qapp: QApplication) -> Iterator[LessonDock]:
    """The dock of lessons on a session of its own."""
    look, session, window = Look(qapp, "dark"), Session(), QMainWindow()
    made = LessonDock(look, session, window)
    yield made
    made.runner.close()
    session.client.close()
    window.deleteLater()
    look.close()


@pytest.fixture
def run(dock: LessonDock, qtbot: QtBot) -> MakeRunner:
    """What opens the hall of an attempt, and waits until the run stands where its step begins."""

    def opened(attempt: Attempt) -> LessonRunner:
        runner = dock.runner
        runner.take(attempt)
        qtbot.waitUntil(lambda: runner.session.run_file is not None and not runner.hall.arriving)
        return runner

    return opened


def at(place: int, file: LessonFile | None = None, path: Path | None = None) -> Attempt:
    """Return an attempt that stands at a step."""
    attempt = Attempt(file or load_lesson(LAB), "anna", None, path)
    attempt.go(place)
    return attempt


def test_another_seed_begins_the_step_again(run: MakeRunner, qtbot: QtBot) -> None:
    attempt = at(PLAN)
    runner = run(attempt)
    session = runner.session
    seed = session.seed
    session.restart(seed + 1)
    assert session.seed == seed
    assert attempt.record.tries == 2
    qtbot.waitUntil(lambda: not runner.hall.arriving)
    session.go_on_to(300.0)
    qtbot.waitUntil(lambda: session.t_s >= 300.0 and not session.running)
    runner.check()
    qtbot.waitUntil(lambda: not runner.checking)
    assert recount(attempt.file, attempt.result).findings == ()


def test_next_keeps_what_solved_the_step_before(run: MakeRunner, qtbot: QtBot) -> None:
    text = LAB.read_text().replace("begins: 8 min", "begins: 4 min")
    file = lesson_from(text, LAB.name, LAB.parent)
    told = [problem.reason for problem in check_lesson(file) if problem.key == "steps[figure].begins"]
    assert [reason for reason in told if "'cap'" in reason]
    attempt = at(CAP, file)
    runner = run(attempt)
    session = runner.session
    session.intervene(parse_injection("240 s power_cap all value=400W"))
    qtbot.waitUntil(lambda: len(attempt.hall.acts) == 1)
    session.set_speed(6000.0)
    session.play()
    qtbot.waitUntil(lambda: attempt.record.solved)
    runner.go(FIGURE)
    assert len(attempt.hall.acts) == 1
    assert session.t_s == 480.0
    runner.check(12.0)
    qtbot.waitUntil(lambda: not runner.checking)
    assert recount(file, attempt.result).findings == ()


def test_a_check_lets_go_when_the_run_is_no_longer_recorded(
    run: MakeRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_run, "STALLED_WALL_S", 0.3)
    attempt = at(CAP)
    runner = run(attempt)
    session = runner.session
    parent = QObject()
    recorder = StepRecorder(session, LessonInWriting(), parent)
    told: list[Trouble] = []
    recorder.failed.connect(told.append)
    recorder.start()
    assert session.run_file is not None
    session.run_file.rename(session.run_file.with_suffix(".away"))
    runner.check()
    assert runner.checking
    recorder.stop()
    qtbot.waitUntil(lambda: not runner.checking and not recorder.recording)
    assert runner.said is not None
    assert runner.said.title == "Not checked."
    assert [each.title for each in told] == ["Not recorded"]
    assert not attempt.record.solved


def test_the_end_stays_while_its_hall_arrives(dock: LessonDock, qtbot: QtBot) -> None:
    attempt = at(FIGURE)
    attempt.finish()
    runner = dock.runner
    runner.take(attempt)
    dock.show_end()
    assert runner.hall.arriving
    qtbot.waitUntil(lambda: not runner.hall.arriving)
    assert dock.end is not None
    assert dock.page is None
    dock.go(-1)
    assert dock.end is None
    assert dock.page is not None


def test_a_full_disk_stops_nobody(
    dock: LessonDock, run: MakeRunner, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = at(0, path=tmp_path / "anna.twin-result.json")
    runner = run(attempt)
    told: list[Trouble] = []
    runner.failed.connect(told.append)
    monkeypatch.setattr("twin.lessons.attempt.write_result", _full_disk)
    for place in (1, CAP):
        runner.go(place)
        assert attempt.place == place
        assert dock.page is not None
        assert dock.page.heading.text().startswith(f"{place + 1}. ")
    runner.hint()
    assert attempt.record.hints == 1
    assert runner.said is not None
    assert runner.said.text == "Heat follows power."
    qtbot.waitUntil(lambda: not runner.hall.arriving)
    runner.check()
    qtbot.waitUntil(lambda: not runner.checking)
    assert runner.said.title == "Not yet."
    assert {each.title for each in told} == {"Progress not saved"}
    assert attempt.solved[0]  # it was read
    monkeypatch.undo()
    runner.hint()
    assert read_result(tmp_path / "anna.twin-result.json") == attempt.result


def _full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_progress_is_written_over_once_the_hall_is_open(
    run: MakeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "anna.twin-result.json"
    before = at(CAP, path=path).result
    runner = run(at(0))
    with monkeypatch.context() as patch:
        patch.setattr(runner.hall, "open", _no_hall)
        with pytest.raises(ScenarioError):
            runner.take(Attempt(load_lesson(LAB), "anna"), path)
    assert read_result(path) == before
    runner.take(Attempt(load_lesson(LAB), "anna"), path)
    assert read_result(path).at == "read"


def _no_hall(*_: object) -> None:
    raise ScenarioError([Problem("lab", 0, "", "", "cannot be opened")])
