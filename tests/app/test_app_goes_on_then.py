"""Beside a live run one looks back: what goes on is told of the time on screen, whatever follows first."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]
_FAILED_S = 32_400.0  # nine in the morning


def _look(window: MainWindow, t_s: float, qtbot: QtBot) -> None:
    """Look at a time; its figures come before its alarms, as they may while lists are dear."""
    session = window.session
    session.looking.events_wall_s = math.inf
    session.replay.look(t_s)
    qtbot.waitUntil(lambda: session.shown is session.frame)
    count = sum(event.t_s <= t_s for event in session.live.events)
    assert len(session.events) != count
    session.looking.events_wall_s = -math.inf
    qtbot.waitUntil(lambda: len(session.events) == count)


def _told(window: MainWindow) -> str:
    plate = window.hall.story_plate
    return "; ".join(plate.told.lines) if plate.isVisible() and plate.told is not None else ""


def test_what_goes_on_is_of_the_time_that_is_looked_at(
    use_window: Callable[[Path], MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    session = window.session
    session.go_on_to(_FAILED_S + 3_600.0)
    qtbot.waitUntil(lambda: session.t_s == _FAILED_S + 3_600.0 and not session.running)
    qtbot.waitUntil(lambda: "gpu/" in _told(window))
    now = _told(window)
    _look(window, 10_000.0, qtbot)
    assert _told(window) == ""
    assert not window.hall.alarm_badge.isVisible()
    _look(window, _FAILED_S + 60.0, qtbot)
    assert now.split(" away")[0] in _told(window)
    _look(window, 10_000.0, qtbot)
    assert _told(window) == ""
    session.replay.back_to_live()
    assert _told(window) == now
