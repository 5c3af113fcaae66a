"""A lesson written in the real window: a step recorded by doing it, a condition picked, checked, saved, undone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from test_app_access import nameless, tipless

from twin.app.shell.main_window import MainWindow
from twin.app.teach.lesson_editor_conditions import ConditionPicker, ConditionRow
from twin.app.teach.lesson_editor_dock import LessonEditorDock
from twin.app.teach.lesson_editor_form import LessonForm
from twin.app.teach.lesson_editor_rows import TextRow
from twin.commands.edit.command import Given
from twin.lessons.attempt import Attempt
from twin.lessons.draft import LessonDraft
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import load_lesson, shipped_lessons
from twin.scenario import Change, Patch, parse_injection

pytestmark = pytest.mark.gl
_PICTURES = os.environ.get("TWIN_PICTURES")
_LESSON = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"
_SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture
def window(request: pytest.FixtureRequest, make_window: Callable[..., MainWindow]) -> Iterator[MainWindow]:
    """A window with the smallest hall."""
    made = make_window(_SCENES / "lab-16.twin.yaml")
    yield made
    made.docks.lesson_editor.writing.close()  # nobody is there to be asked
    del made
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


@pytest.mark.slow
def test_lesson_recorded_and_saved(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    dock, session, writing = window.docks.lesson_editor, window.session, window.docks.lesson_editor.writing
    window.menus.execute("teach.write")
    picture(window, "start")
    click(dock.new_button)
    assert writing.lesson.steps[0].scene == "builtin:lab-16"
    assert form_of(dock).fields.rows

    # A shorter run, whose faults are left out: typed into the form.
    settings = text_row(dock, "settings")
    type_into(settings, "duration")
    assert settings.told.isVisible()
    assert "PATH=VALUE" in settings.told.text()
    assert settings.field.toPlainText() == "duration"  # it stays there to be put right
    assert not writing.lesson.steps[0].settings
    click(dock.save_button)
    type_into(settings, "duration=20 min\ninterventions=[]")
    assert not settings.told.isVisible()
    assert writing.lesson.steps[0].settings == {"duration": "20 min", "interventions": "[]"}

    # The open hall is not that of the lesson any more: recording offers to open it.
    click(dock.record_button)
    assert not dock.recorder.recording
    (note,) = [each for each in window.notifications.notes if "hall of the step" in each.trouble.title]
    note.dismiss()
    click(dock.hall_button)
    assert dock.recorder.is_open
    assert window.editing.file.path is None  # nobody saves this hall as a scene
    qtbot.waitUntil(lambda: session.frame is not None)
    session.go_on_to(300.0)
    qtbot.waitUntil(lambda: session.t_s == 300.0 and not session.running)

    click(dock.record_button)
    assert dock.recorder.recording
    assert dock.recorder.since_s == 300.0
    picture(window, "recording")
    session.intervene(parse_injection("300 s power_cap all value=450W"))
    session.go_on_to(900.0)
    qtbot.waitUntil(lambda: session.t_s == 900.0 and not session.running)
    click(dock.record_button)
    qtbot.waitUntil(lambda: len(writing.lesson.steps) == 2)
    step = writing.lesson.steps[1]
    assert writing.place == 1
    assert (step.begins_s, step.ends_s, step.allowed.acts) == (300.0, 900.0, ("power_cap",))
    assert step.solution is not None
    assert step.solution.acts[0].endswith("power_cap all value=450W")

    # Conditions picked from what is on screen.
    picker = picker_of(dock)
    window.hall.state.selection = ("gpu/0/0",)
    qtbot.waitUntil(lambda: any("of gpu/0/0" in row.condition.text for row in picker.rows))
    power = row_of(picker, "IT power of the site: at most")
    assert not power.box.isChecked()
    before = power.bound.text()
    enter(power.bound, "warm")
    power = row_of(picker, "IT power of the site: at most")
    assert power.told.isVisible()
    assert power.bound.text() == "warm"
    enter(power.bound, "12.5 kW")
    click(power.box)
    condition = writing.lesson.steps[1].conditions[-1]
    assert condition.text == "IT power of the site: at most 12.5 kW"
    assert condition.at_most == 12500.0
    picture(window, "conditions")
    dock.undo()
    assert len(writing.lesson.steps[1].conditions) == 1
    power = row_of(picker_of(dock), "IT power of the site: at most")
    assert not power.box.isChecked()
    dock.redo()
    chosen = row_of(picker_of(dock), "IT power of the site: at most")
    assert chosen.box.isChecked()
    enter(chosen.bound, before)
    assert writing.lesson.steps[1].conditions[-1].text.endswith(before)

    # Ctrl+Z in a field that holds nothing new is that of the lesson.
    title = next(row for spot, row in form_of(dock).fields.rows if spot.path[-1] == "title")
    assert isinstance(title.field, QLineEdit)
    enter(title.field, "Cap the hall")
    assert writing.lesson.steps[1].title == "Cap the hall"
    QTest.keyClick(title.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert writing.lesson.steps[1].title == "Step 2"
    QTest.keyClick(title.field, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    dock.redo()
    assert writing.lesson.steps[1].title == "Cap the hall"
    enter(title.field, "")
    assert title.told.isVisible()
    assert writing.lesson.steps[1].title == "Cap the hall"
    title.restore()

    # Checked in the background, saved, and nothing is left to ask.
    click(dock.check_button)
    qtbot.waitUntil(lambda: "Nothing is wrong" in dock.problems.words.text())
    picture(window, "checked")
    path = tmp_path / "cap.twin-lesson.yaml"
    assert writing.dirty
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
        click(dock.save_button)
    assert not writing.dirty
    file = load_lesson(path)
    assert file.lesson() == writing.lesson
    assert check_lesson(file) == []
    assert path in window.lessons.own

    # What a check says is of the text as it was checked.
    judged = writing.draft
    assert judged is not None
    writing.go(0)
    assert dock.problems.isVisible()
    writing.set(("minutes",), 26)
    assert not dock.problems.isVisible()
    dock.show_problems(judged, [])  # of a check that ends now
    assert dock.problems.words.text() == "The lesson was changed meanwhile: check it again."
    writing.undo()
    writing.go(1)
    assert not dock.problems.isVisible()

    # Asked before it is lost.
    click(dock.steps.buttons["duplicate"])
    assert [step.id for step in writing.lesson.steps] == ["look", "step", "step-2"]
    click(dock.steps.buttons["up"])
    assert [step.id for step in writing.lesson.steps] == ["look", "step-2", "step"]
    assert writing.place == 1
    click(dock.steps.buttons["remove"])
    assert [step.id for step in writing.lesson.steps] == ["look", "step"]
    assert not writing.dirty  # it is as it was saved
    click(dock.steps.buttons["add"])
    assert writing.dirty
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Cancel)
        assert not window.lesson_writing.may_leave()
    click(dock.try_button)
    attempt = window.docks.lesson.runner.attempt
    assert attempt is not None
    assert attempt.path is None  # nothing of it is kept
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twin.app.shell.lesson_actions.sure", lambda *_, **__: True)
        window.lessons.begin_anew()
    anew = window.docks.lesson.runner.attempt
    assert anew is not None
    assert anew is not attempt
    assert anew.path is None
    assert anew.file is attempt.file  # as it is written, not as it was saved
    picture(window, "tried")


def test_fields_question_and_pages(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = Path(shutil.copy(_LESSON, tmp_path))
    dock, writing = window.docks.lesson_editor, window.docks.lesson_editor.writing
    window.menus.execute("teach.write")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
        click(dock.open_button)
    assert writing.path == path
    assert not writing.dirty
    places = {step.id: place for place, step in enumerate(writing.lesson.steps)}
    before = writing.lesson
    for place in (-1, *places.values()):
        writing.go(place)
        assert "\n".join([*nameless(dock), *tipless(dock)]) == ""

    # What is said of the lesson.
    dock.steps.list.setCurrentRow(0)
    minutes = next(row for spot, row in form_of(dock).fields.rows if spot.path == ("minutes",))
    assert isinstance(minutes.field, QLineEdit)
    enter(minutes.field, "1000")
    assert "at most 180" in minutes.told.text()
    dock.steps.list.setCurrentRow(1)
    assert dock.steps.list.currentRow() == 0  # what is refused is put right first
    enter(minutes.field, "25")
    assert writing.lesson.minutes == 25

    # A question for a figure instead of none, with a hint.
    dock.steps.list.setCurrentRow(1 + places["read"])
    box = form_of(dock).question_box
    assert box is not None
    box.setCurrentIndex(box.findData("number"))
    box.activated.emit(box.currentIndex())
    question = writing.lesson.steps[places["read"]].question
    assert question is not None
    assert question.kind == "number"
    right = next(row for spot, row in form_of(dock).fields.rows if spot.path[-1] == "right")
    assert isinstance(right.field, QLineEdit)
    enter(right.field, "many")
    assert right.told.isVisible()
    assert right.field.text() == "many"
    enter(right.field, "17.5")
    assert getattr(writing.lesson.steps[places["read"]].question, "right", None) == 17.5
    click(next(each for each in form_of(dock).findChildren(QPushButton) if each.text() == "Add a hint"))
    assert len(writing.lesson.steps[places["read"]].hints) == 1
    typed = next(row for spot, row in form_of(dock).fields.rows if spot.path[-3:] == ("hints", 0, "text"))
    assert isinstance(typed, TextRow)
    typed.field.selectAll()
    typed.field.insertPlainText("Look there.")
    click(next(each for each in form_of(dock).findChildren(QPushButton) if each.text() == "Add a hint"))
    hints = writing.lesson.steps[places["read"]].hints
    assert [hint.text == "Look there." for hint in hints] == [True, False]  # what was typed stays
    reading = next(row for spot, row in form_of(dock).fields.rows if spot.path[-1] == "text" and spot.shown)
    assert isinstance(reading, TextRow)
    preview = reading.preview
    assert preview is not None
    as_it_was = preview.words
    reading.field.selectAll()
    reading.field.insertPlainText("It is *warm*.")
    assert preview.words == as_it_was  # not at each letter
    qtbot.waitUntil(lambda: preview.words == "It is warm.")
    reading.restore()
    assert preview.words == as_it_was
    while writing.can_undo:
        click(dock.undo_button)
    assert writing.lesson == before
    assert not writing.dirty

    # Pages for the class, made in the background.
    Attempt(load_lesson(path), "anna").hand_in(tmp_path / "anna.twin-result.json")
    for action, name, words in (
        ("teach.handout", "handout.html", "Handout."),
        ("teach.answer_key", "key.html", "Right answer"),
        ("teach.class_report", "class.html", "anna"),
    ):
        page = tmp_path / name
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(QFileDialog, "getSaveFileName", lambda *_, at=page: (str(at), ""))
            patch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
            window.menus.execute(action)
        qtbot.waitUntil(page.exists)
        assert words in page.read_text()

    # A copy of a shipped lesson goes where the teacher says, and its hall with it.
    writing.close()
    shipped = next(each for each in shipped_lessons() if each.name.startswith("breaker."))
    writing.open(shipped)
    mine = tmp_path / "mine"
    mine.mkdir()
    offered: list[Path] = []

    def where(_parent: QWidget, _title: str, at: str, *_: object) -> tuple[str, str]:
        offered.append(Path(at))
        return str(mine / "breakers"), ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", where)
        window.menus.execute("teach.save_lesson")
    assert offered == [Path.home() / shipped.name]
    assert {each.name for each in mine.iterdir()} == {"breakers.twin-lesson.yaml", "liquid-row.twin.yaml"}
    assert LessonDraft.of(load_lesson(mine / "breakers.twin-lesson.yaml")) == writing.draft
    (mine / "liquid-row.twin.yaml").write_text("mine")
    writing.open(shipped)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(mine / "again"), ""))
        window.menus.execute("teach.save_lesson")
    assert window.notifications.notes[-1].trouble.title == "Lesson not saved"
    assert (mine / "liquid-row.twin.yaml").read_text() == "mine"
    assert not (mine / "again.twin-lesson.yaml").exists()


@pytest.mark.slow
def test_edits_before_the_run_and_mistakes_are_recorded(window: MainWindow, qtbot: QtBot) -> None:
    dock, session, writing = window.docks.lesson_editor, window.session, window.docks.lesson_editor.writing
    window.menus.execute("teach.write")
    click(dock.new_button)
    writing.set(("steps", 0, "settings"), {"duration": "20 min", "interventions": "[]"})
    click(dock.hall_button)
    qtbot.waitUntil(lambda: session.frame is not None and not session.running)
    assert session.t_s == 0.0
    click(dock.record_button)
    interval = "jobs[llama3].checkpoint.interval"
    window.editing.editor.do(Given(Patch((Change(interval, "5 min"),), "Checkpoint more often")))
    session.go_on_to(600.0)
    qtbot.waitUntil(lambda: session.t_s == 600.0 and not session.running)
    click(dock.record_button)
    qtbot.waitUntil(lambda: len(writing.lesson.steps) == 2)
    step = writing.lesson.steps[1]
    assert step.solution is not None
    assert step.solution.settings == {interval: "5 min"}
    assert not step.solution.acts
    assert step.allowed.keys == (interval,)
    dock.record("mistake")  # the hall is not as the step finds it any more
    assert not dock.recorder.recording
    (note,) = [each for each in window.notifications.notes if "hall of the step" in each.trouble.title]
    click(next(each for each in note.findChildren(QPushButton) if each.text() == "Open it"))
    qtbot.waitUntil(lambda: session.frame is not None and not session.running)
    dock.record("mistake")
    assert dock.recorder.recording
    session.go_on_to(300.0)
    qtbot.waitUntil(lambda: session.t_s == 300.0 and not session.running)
    session.intervene(parse_injection("300 s drain gpu/0/0/0"))
    session.go_on_to(360.0)
    qtbot.waitUntil(lambda: session.t_s == 360.0 and not session.running)
    dock.record("mistake")
    qtbot.waitUntil(lambda: len(writing.lesson.steps[1].mistakes) == 1)
    assert writing.lesson.steps[1].mistakes[0].acts == ("300 s drain gpu/0/0/0",)
    assert writing.place == 1


def form_of(dock: LessonEditorDock) -> LessonForm:
    """Return the form of the step in hand."""
    assert dock.form is not None
    return dock.form


def picker_of(dock: LessonEditorDock) -> ConditionPicker:
    """Return the conditions of the step in hand."""
    conditions = form_of(dock).conditions
    assert conditions is not None
    return conditions


def row_of(picker: ConditionPicker, words: str) -> ConditionRow:
    """Return the row of a condition."""
    return next(row for row in picker.rows if row.condition.text.startswith(words))


def text_row(dock: LessonEditorDock, key: str) -> TextRow:
    """Return the row of a text."""
    row = next(row for spot, row in form_of(dock).fields.rows if spot.path[-1] == key)
    assert isinstance(row, TextRow)
    return row


def type_into(row: TextRow, words: str) -> None:
    """Type a text as a person does, and leave it."""
    field: QPlainTextEdit = row.field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, words.partition("\n")[0])
    for line in words.split("\n")[1:]:
        QTest.keyClick(field, Qt.Key.Key_Return)
        QTest.keyClicks(field, line)
    QTest.keyClick(field, Qt.Key.Key_Tab)


def enter(field: QLineEdit, words: str) -> None:
    """Type into a field, and Enter."""
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)


def click(button: QWidget) -> None:
    """Press a button as a person does."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def picture(window: MainWindow, name: str) -> None:
    """Keep how the window looks, where pictures are wanted."""
    if _PICTURES:
        QTest.qWait(400)
        QApplication.processEvents()
        window.grab().save(f"{_PICTURES}/{name}.png")
