"""The window opens an empty hall: it stands there, and its time passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow

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


def test_racks_without_nodes_and_cooling_open_and_are_looked_at(
    use_window: UseWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "racks.twin.yaml"
    rows = "    rows: [{id: net, count: 2, racks: {count: 3, role: network}}]\n"
    path.write_text(EMPTY.read_text() + rows)
    window = use_window(path)
    session = window.session
    assert window.files.problems is None
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    session.pause()
    window.go_to("net/0/0")
    assert not session.lost
