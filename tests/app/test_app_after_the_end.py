"""After the end of a run an edit is offered from its start; a card that says why none can start goes with its cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.problem_notice import CANNOT_START, Trouble
from twin.commands.place.properties import Rename

pytestmark = pytest.mark.gl


def notes(window: MainWindow) -> list[str]:
    return [note.trouble.title for note in window.notifications.notes]


def test_an_edit_after_the_end_begins_again_and_is_undone(
    make_window: Callable[..., MainWindow], my_lab: Path, qtbot: QtBot
) -> None:
    my_lab.write_text(my_lab.read_text().replace("duration: 1 day", "duration: 1 min"))
    window = make_window(my_lab)
    session, editor = window.session, window.editing.editor
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    before = session.draft.file.text if session.draft is not None else ""
    command = Rename("gpu", "gpus")
    assert not editor.do(command)
    assert notes(window).count("The run has finished") == 1
    assert not editor.do(command)
    assert notes(window).count("The run has finished") == 1, "asked once"
    note = next(note for note in window.notifications.notes if note.trouble.title == "The run has finished")
    button = next(each for each in note.findChildren(QPushButton) if each.text().startswith("Back to"))
    button.click()
    assert session.t_s == 0.0
    assert not session.begun
    assert session.draft is not None
    assert session.draft.file.text != before
    assert "The run has finished" not in notes(window)
    assert editor.undo()
    assert session.draft.file.text == before


def test_the_card_that_no_run_can_start_goes_with_its_cause(
    open_rows: Callable[..., MainWindow],
) -> None:
    window = open_rows()
    window.session.trouble.emit(Trouble(CANNOT_START, "no rack has cooling"))
    assert CANNOT_START in notes(window)
    window.session.cannot_begin.emit("")
    assert CANNOT_START not in notes(window)
