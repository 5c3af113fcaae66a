"""Questions of the trade in the window: found by their words, a form from the table, answers aside of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from twin.app.ask.ask_dialog import AskDialog
from twin.app.shell.main_window import MainWindow
from twin.app.shell.palette_entries import palette_entries
from twin.catalog import load_catalog
from twin.commands.place.properties import SetProperty
from twin.questions.question import Setting
from twin.questions.table import QUESTIONS

Open = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def form_of(window: MainWindow, qtbot: QtBot, key: str) -> AskDialog:
    """Return the form of a question with its answer."""
    window.questions.open(key)
    dialog = window.questions.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.page.answer is not None)
    return dialog


def enter(qtbot: QtBot, dialog: AskDialog, key: str, text: str) -> None:
    """Type into a field as a person does."""
    field = dialog.rows[key].field
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("how many gpus fit", "gpus-in"),
        ("when do spares run out", "run-out"),
        ("one more nine", "one-more-nine"),
        ("cheapest checkpoint interval", "checkpoint-interval"),
        ("one big rack", "rack-size"),
        ("own or rent", "own-or-rent"),
    ],
)
def test_the_palette_finds_each_question_by_its_words(
    use_window: Open, lab: Path, typed: str, key: str
) -> None:
    found = {entry.title: entry.score(typed) or 0.0 for entry in palette_entries(use_window(lab))}
    assert QUESTIONS[key].title in sorted(found, key=lambda title: -found[title])[:3]


def test_an_answer_follows_what_is_entered(use_window: Open, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    dialog = form_of(window, qtbot, "gpus-in")
    expected = QUESTIONS["gpus-in"].answer(
        Setting(load_catalog(), None, {"power": "20 MW", "part": "DGX-H100"})
    )
    enter(qtbot, dialog, "power", "20 MW")
    assert dialog.is_working
    qtbot.waitUntil(lambda: not dialog.is_working)
    assert dialog.page.answer is not None
    assert dialog.page.answer.sentence == expected.sentence
    assert [item.key for item in dialog.page.chart.items()] == [bar.title for bar in expected.chart.bars]
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0] == expected.sentence
    assert "GPUs that fit\t14,400 GPUs\t13,320 to 15,840 GPUs" in copied
    dialog.reset_button.click()
    assert dialog.rows["power"].text == "50 kW"  # what the scene is connected for


def test_what_means_nothing_is_told_at_its_field(use_window: Open, qtbot: QtBot, lab: Path) -> None:
    dialog = form_of(use_window(lab), qtbot, "checkpoint-interval")
    enter(qtbot, dialog, "pause", "10 parrots")
    told = dialog.rows["pause"].told
    assert told.isVisible()
    assert "unknown unit 'parrots'" in told.text()
    assert dialog.page.answer is None
    assert not dialog.copy_button.isEnabled()
    enter(qtbot, dialog, "pause", "20 s")
    qtbot.waitUntil(lambda: dialog.page.answer is not None)
    assert not told.isVisible()


def test_defaults_are_those_of_the_scene_as_it_stands(use_window: Open, qtbot: QtBot, my_lab: Path) -> None:
    window = use_window(my_lab)
    dialog = form_of(window, qtbot, "checkpoint-interval")
    assert dialog.rows["pause"].text == "20 s"
    enter(qtbot, dialog, "kept", "7")
    first = dialog.page.answer
    assert window.editing.editor.do(SetProperty(("llama3",), "checkpoint.pause", "40 s"))
    qtbot.waitUntil(lambda: dialog.rows["pause"].text == "40 s")
    assert dialog.rows["kept"].text == "7"  # what a person gave stays
    qtbot.waitUntil(lambda: dialog.page.answer is not None and dialog.page.answer is not first)


def test_every_field_and_page_has_a_name(use_window: Open, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.questions.open()
    dialog = window.questions.dialog
    assert dialog is not None
    for key, question in QUESTIONS.items():
        dialog.ask(key)
        assert list(dialog.rows) == [entry.key for entry in question.inputs]
        for row in dialog.rows.values():
            assert row.field.accessibleName()
            assert row.text or row.of.optional
    qtbot.waitUntil(lambda: dialog.page.answer is not None)
    assert dialog.page.chart.accessibleName()
    assert dialog.page.chart.accessibleDescription()
