"""The window opens an empty hall: it stands there, and its time passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.main_window import MainWindow

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

EMPTY = Path(__file__).parents[1] / "findings" / "empty.twin.yaml"


def test_an_empty_hall_opens_and_its_time_passes(use_window: UseWindow, qtbot: QtBot) -> None:
    window = use_window(EMPTY)
    session = window.session
    assert window.files.problems is None
    assert window.hall.isVisible()
    assert "Untitled hall" in window.windowTitle()
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    session.pause()
    assert not session.lost
