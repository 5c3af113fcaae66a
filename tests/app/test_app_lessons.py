"""A lesson from its start to handing in, in the real window: by mouse and by keys, with mistakes on the way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow
from twin.app.teach.courses import progress_of
from twin.app.teach.lesson_dock import LessonDock
from twin.app.teach.person_dialog import PersonDialog
from twin.app.teach.said import Said
from twin.commands.edit.command import Given
from twin.lessons.attempt import Attempt
from twin.lessons.judgement import judge
from twin.lessons.lesson_file import load_lesson
from twin.lessons.recount import recount
from twin.lessons.replay import replayed
from twin.lessons.result import read_result
from twin.scenario import Change, Patch, parse_injection
from twin.scenario.schema.faults import Intervention

pytestmark = pytest.mark.gl
_LESSON = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"
_ALT, _CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
_NONE = Qt.KeyboardModifier.NoModifier
_PICTURES = os.environ.get("TWIN_PICTURES")


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A lesson of the person's own."""
    return Path(shutil.copy(_LESSON, tmp_path))


@pytest.fixture
def window(request: pytest.FixtureRequest, make_window: Callable[..., MainWindow]) -> Iterator[MainWindow]:
    """A window whose person has a pseudonym."""
    made = make_window()
    made.settings.keep("lesson_person", ["anna"])
    yield made
    del made
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def test_lesson_by_mouse(window: MainWindow, lesson: Path, qtbot: QtBot, tmp_path: Path) -> None:
    dock, session = window.docks.lesson, window.session
    runner = dock.runner
    assert window.files.open(lesson)
    attempt = runner.attempt
    assert attempt is not None
    assert dock.page is not None
    qtbot.waitUntil(lambda: session.t_s == 60.0 and not runner.hall.arriving)
    assert not session.running
    assert window.docks.is_in("teach")
    assert window.windowTitle().startswith("Power of a laboratory")
    assert not window.editing.file.journal.path
    assert not window.menus.qt_actions["run.next_seed"].isEnabled()  # the report runs the seed of the lesson
    qtbot.waitUntil(lambda: runner.review is not None)
    assert "kW" in dock.page.text.words
    picture(window, "read")
    plant, hall = session.plant, window.hall.state
    assert plant is not None
    assert hall.colour_by == "gpu.temp_c"
    hall.colour_by = "gpu.power_w"
    plant.epoch += 1  # as after an edit
    runner.turned.emit()
    plant.epoch -= 1
    assert hall.colour_by == "gpu.power_w"  # a step points once
    click(dock.next_button)
    click(dock.check_button)
    assert said(dock).title == "No answer yet."
    form = dock.page.form
    assert form is not None
    click(form.buttons[1])
    click(dock.check_button)
    qtbot.waitUntil(lambda: said(dock).tone == "not yet")
    assert said(dock).text == "No GPU leaves the job."
    picture(window, "wrong")
    click(form.buttons[0])
    click(dock.check_button)
    qtbot.waitUntil(lambda: said(dock).tone == "solved")

    click(dock.next_button)  # to the step with a hall that goes on
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving)
    assert session.speed == 60.0
    session.intervene(Intervention(at=session.t_s, kind="drain", target="gpu/0/0/0"))
    assert "power cap" in window.notifications.notes[-1].trouble.text.lower()
    session.intervene(parse_injection("240 s power_cap all value=690W"))
    qtbot.waitUntil(lambda: len(attempt.hall.acts) == 1)
    session.set_speed(600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s == 480.0 and said(dock).tone == "not yet")
    assert said(dock).text.startswith("A cap of 690 W")
    picture(window, "mistake")
    click(dock.again_button)
    assert not attempt.hall.acts
    assert attempt.record.tries == 2
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving)
    click(dock.hint_button)
    assert said(dock).text == "Heat follows power."
    session.intervene(parse_injection("240 s power_cap all value=400W"))
    qtbot.waitUntil(lambda: len(attempt.hall.acts) == 1)
    session.set_speed(600.0)
    session.play()
    qtbot.waitUntil(lambda: attempt.record.solved)
    assert session.t_s == 480.0
    kept = attempt.result
    click(dock.check_button)
    assert attempt.result == kept  # what is solved stays solved
    assert said(dock).tone == "solved"
    picture(window, "solved")

    click(dock.next_button)
    form = dock.page.form
    assert form is not None
    assert form.field is not None
    QTest.keyClicks(form.field, "12,5")
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: said(dock).tone in ("solved", "not yet"))
    picture(window, "figure")
    click(dock.back_button)
    assert session.t_s == 480.0  # the hall stays as it is
    click(dock.next_button)
    click(dock.next_button)
    qtbot.waitUntil(lambda: attempt.hall_step == "plan" and session.frame is not None)
    assert not session.running
    assert session.t_s == 0.0
    interval = "jobs[llama3].checkpoint.interval"
    editor = window.editing.editor
    editor.do(Given(Patch((Change("title", "Mine"),), "Rename")))
    assert session.document is not None
    assert session.document.scenario.title != "Mine"  # the step does not allow it
    editor.do(Given(Patch((Change(interval, "10 min"),), "Checkpoint more often")))
    qtbot.waitUntil(lambda: attempt.record.solved)
    assert attempt.hall.scene is not None
    picture(window, "plan")
    click(dock.next_button)
    assert dock.end is not None
    picture(window, "end")
    handed = tmp_path / "anna.twin-result.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(handed), ""))
        click(dock.hand_in_button)
    picture(window, "handed-in")
    assert handed.stat().st_mode & 0o777 == 0o600
    result = read_result(handed)
    assert result.finished
    counted = recount(load_lesson(lesson), result)
    assert counted.findings == ()
    assert counted.points == 35
    assert counted.stuck is None
    assert all(step.solved for step in result.steps if step.step != "read")
    again = Attempt(load_lesson(lesson), "anna", result)
    again.go(2)
    first = again.hall
    acts = [done.act for done in first.acts]
    scenario = again.document().scenario
    with replayed(scenario, acts, first.until_s) as reader:
        assert reader.event_hash == first.event_hash
        assert reader.event_count == first.events
        verdict = judge(again.step, again.evidence(scenario, reader, first.until_s))
    assert verdict.solved


def said(dock: LessonDock) -> Said:
    """Return what was said last."""
    return dock.runner.said or Said("notice", "", "")


def click(button: object) -> None:
    """Press a button as a person does."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def picture(window: QWidget, name: str) -> None:
    """Keep how the window looks, where pictures are wanted."""
    if _PICTURES:
        QApplication.processEvents()
        window.grab().save(f"{_PICTURES}/{name}.png")


@pytest.mark.slow
def test_lesson_by_keys_alone(window: MainWindow, lesson: Path, qtbot: QtBot) -> None:
    window.settings.keep("own_lessons", [str(lesson)])
    key(window, Qt.Key.Key_L, _CTRL)
    dialog = window.lessons.dialog
    assert dialog is not None
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert QApplication.focusWidget() is dialog.tree
    QTest.keyClicks(dialog.tree, "Power of")
    assert dialog.entry is not None
    assert dialog.entry.path == lesson
    picture(dialog, "dialog")
    QTest.keyClick(dialog.tree, Qt.Key.Key_Return)
    dock, session = window.docks.lesson, window.session
    runner = dock.runner
    qtbot.waitUntil(lambda: runner.attempt is not None and session.t_s == 60.0 and not runner.hall.arriving)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    attempt = runner.attempt
    assert attempt is not None
    key(window, Qt.Key.Key_N, _ALT)
    qtbot.waitUntil(lambda: attempt.place == 1)
    assert dock.page is not None
    form = dock.page.form
    assert form is not None
    qtbot.waitUntil(lambda: QApplication.focusWidget() is form.buttons[0])  # an answer can be given at once
    rows = [button.parentWidget() for button in form.buttons[:2]]
    qtbot.waitUntil(lambda: rows[1].y() > rows[0].y())  # laid out: Down finds the next
    key(window, Qt.Key.Key_Down)
    key(window, Qt.Key.Key_Space)
    assert form.answer == (1,)
    key(window, Qt.Key.Key_C, _ALT)
    qtbot.waitUntil(lambda: said(dock).text == "No GPU leaves the job.")
    key(window, Qt.Key.Key_Up)
    assert form.answer == (0,)
    key(window, Qt.Key.Key_K, _CTRL)
    qtbot.waitUntil(lambda: said(dock).tone == "solved")
    key(window, Qt.Key.Key_N, _ALT)
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving)
    key(window, Qt.Key.Key_I, _ALT)
    qtbot.waitUntil(lambda: said(dock).tone == "hint")
    key(window, Qt.Key.Key_Y, _ALT)
    qtbot.waitUntil(lambda: said(dock).title == "Why?")
    key(window, Qt.Key.Key_G, _ALT)
    qtbot.waitUntil(lambda: attempt.record.tries == 2)
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving)
    key(window, Qt.Key.Key_B, _ALT)
    qtbot.waitUntil(lambda: attempt.place == 1)
    for place in (2, 3, 4):
        key(window, Qt.Key.Key_N, _ALT)
        qtbot.waitUntil(lambda place=place: attempt.place == place)  # type: ignore[misc]
    qtbot.waitUntil(lambda: attempt.hall_step == "plan" and not runner.hall.arriving)
    key(window, Qt.Key.Key_N, _ALT)
    qtbot.waitUntil(lambda: dock.end is not None)
    assert dock.end is not None
    assert QApplication.focusWidget() is dock.hand_in_button
    result = progress_of(lesson, "anna")
    assert result is not None
    assert result.finished
    key(window, Qt.Key.Key_B, _ALT)
    qtbot.waitUntil(lambda: dock.page is not None)


def test_menus_and_steps_of_a_lesson_share_no_letter(window: MainWindow) -> None:
    dock = window.docks.lesson
    menus = [action.text() for action in window.menuBar().actions()]
    steps = [button.text() for button in dock.findChildren(QAbstractButton)]
    letters = [text[text.index("&") + 1].lower() for text in menus if "&" in text]
    assert len(set(letters)) == len(letters) == len(menus)
    assert not {text[text.index("&") + 1].lower() for text in steps if "&" in text} & set(letters)


def test_pseudonym_is_asked_once(
    make_window: Callable[..., MainWindow], request: pytest.FixtureRequest, lesson: Path, qtbot: QtBot
) -> None:
    asked = []

    def answer(dialog: PersonDialog) -> int:
        asked.append(dialog)
        assert not dialog.ok_button.isEnabled()
        dialog.field.setText("Berta")
        picture(dialog, "person")
        dialog.accept()
        return int(PersonDialog.DialogCode.Accepted)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PersonDialog, "exec", answer)
        made = make_window()
        assert made.files.open(lesson)
        assert made.lessons.runner.attempt is not None
        assert made.lessons.runner.attempt.result.person == "Berta"
        assert made.files.open(lesson)
    assert len(asked) == 1
    words = [entry.title for entry in made.lessons.entries()]
    assert "Power of a laboratory" in words
    made.lessons.choose()
    dialog = made.lessons.dialog
    assert dialog is not None
    made.lessons.choose()
    assert made.lessons.dialog is dialog  # one is enough
    dialog.close()
    assert made.lessons.dialog is None
    made.show_welcome()
    qtbot.waitUntil(lambda: len(made.lessons.cards.cards) > 1)
    qtbot.wait(50)
    picture(made, "welcome")
    asked.clear()
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


@pytest.mark.slow
def test_starting_the_run_again_begins_the_step_again_and_undo_takes_an_act_back(
    window: MainWindow, lesson: Path, qtbot: QtBot
) -> None:
    assert window.files.open(lesson)
    session, runner = window.session, window.docks.lesson.runner
    attempt = runner.attempt
    assert attempt is not None
    qtbot.waitUntil(lambda: session.t_s == 60.0 and not runner.hall.arriving)
    runner.go(2)
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving)
    session.intervene(parse_injection("240 s power_cap all value=400W"))
    qtbot.waitUntil(lambda: len(attempt.hall.acts) == 1)
    assert window.editing.editor.undo()
    qtbot.waitUntil(lambda: not attempt.hall.acts)
    session.intervene(parse_injection("240 s power_cap all value=500W"))
    qtbot.waitUntil(lambda: len(attempt.hall.acts) == 1)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 250.0)
    window.menus.execute("run.restart")
    qtbot.waitUntil(lambda: session.t_s == 240.0 and not runner.hall.arriving and not session.running)
    assert attempt.record.tries == 2
    assert not attempt.hall.acts
    assert session.stop_s == 480.0
    session.intervene(parse_injection("240 s power_cap all value=400W"))
    session.play()
    qtbot.waitUntil(lambda: attempt.record.solved)
    runner.again()
    assert not attempt.record.solved  # its run is gone
    window.lessons.leave()
    assert runner.attempt is None
    assert not window.menus.forbidden("run.next_seed")
    assert window.docks.on_welcome
    session.intervene(parse_injection("300 s drain gpu/0/0/0"))  # no lesson refuses it any more
    qtbot.waitUntil(lambda: bool(session.by_hand))


def test_wrong_lesson_is_listed_with_its_keys(window: MainWindow, lesson: Path) -> None:
    lesson.write_text(lesson.read_text().replace("begins: 1 min", "begins: soon"))
    assert not window.files.open(lesson)
    assert window.files.problems is not None
    assert "begins" in window.files.problems.problems[0].key
    assert window.lessons.runner.attempt is None


def key(window: MainWindow, pressed: Qt.Key, held: Qt.KeyboardModifier = _NONE) -> None:
    """Press a key as a person does: it goes to the window in front."""
    QTest.keyClick(window.windowHandle(), pressed, held)
    QApplication.processEvents()
