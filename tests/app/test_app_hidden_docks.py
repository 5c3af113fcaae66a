"""Docks behind another tab take in nothing while one scrubs, and all of it when they are shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from twin.app.queue.history import JobHistory

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]


def _look(window: MainWindow, t_s: float, qtbot: QtBot) -> int:
    """Look at a time; return how many events were before it."""
    session = window.session
    session.replay.look(t_s)
    count = sum(event.t_s <= t_s for event in session.live.events)
    qtbot.waitUntil(lambda: session.shown is session.frame and session.looking.told == count)
    return count


def test_they_follow_when_they_are_shown(
    use_window: Callable[[Path], MainWindow], lab: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    session, docks = window.session, window.docks
    taken: list[int] = []
    add = JobHistory.add

    def counted(self: JobHistory, events: list) -> None:
        taken.append(len(events))
        add(self, events)

    monkeypatch.setattr(JobHistory, "add", counted)
    session.go_on_to(40_000.0)
    qtbot.waitUntil(lambda: session.t_s == 40_000.0 and not session.running)
    docks.show("events")
    docks.inspector.show_thing(None)
    qtbot.waitUntil(lambda: not docks.job.seen and not docks.queue.seen and not docks.spares.seen)
    taken.clear()
    for t_s in (10_000.0, 39_000.0, 20_000.0, 33_000.0, 5_000.0):
        few = _look(window, t_s, qtbot)
    assert taken == []

    docks.show("job")
    qtbot.waitUntil(lambda: taken == [few])  # begun anew, with as many as had happened
    many = _look(window, 33_000.0, qtbot)
    qtbot.waitUntil(lambda: taken == [few, many - few])
    events = [event for event in session.live.events if event.t_s <= 33_000.0]
    assert docks.job.events.of("llama3") == [event for event in events if event.subject == "llama3"]

    docks.show("spares")
    qtbot.waitUntil(lambda: docks.spares.seen)
    _look(window, 33_000.0, qtbot)
    qtbot.waitUntil(lambda: docks.spares.last.of("gpu/0/1/0") is not None)
    _look(window, 10_000.0, qtbot)
    qtbot.waitUntil(lambda: docks.spares.last.of("gpu/0/1/0") is None)
    session.replay.back_to_live()
    qtbot.waitUntil(lambda: docks.spares.last.of("gpu/0/1/0") is not None)
