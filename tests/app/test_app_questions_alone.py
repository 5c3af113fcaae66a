"""Questions of the trade in a window of their own: before a scene is open, and as the window closes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from twin.app.shell.main_window import MainWindow
from twin.questions.table import QUESTIONS

Open = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def test_without_a_scene_questions_about_one_say_so(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    reasons = {entry.title: entry.why_not for entry in window.questions.entries()}
    assert reasons[QUESTIONS["own-or-rent"].title] == "open a scene first"
    assert reasons[QUESTIONS["gpus-in"].title] == ""


def test_the_form_ends_with_the_window(make_window: Open, lab: Path) -> None:
    window = make_window(lab)
    window.questions.open("rack-size")
    dialog = window.questions.dialog
    assert dialog is not None
    assert dialog.is_working
    window.close()
    assert not dialog.is_working
    assert not dialog.isVisible()
