"""A recording that is opened while another program still writes it, in the real window: it grows as its file does."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow
from twin.record.reader import Reader
from twin.runtime.inline import InlineClient, go_on
from twin.scenario import load
from twin.scenario.schema.document import Scenario

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl
HOUR_S = 3600.0


@pytest.fixture
def short(lab: Path) -> Scenario:
    return load(lab).scenario.model_copy(update={"duration_s": 4 * HOUR_S})


@pytest.fixture
def half(short: Scenario, tmp_path: Path) -> Path:
    """The first hours of a run that is not over."""
    path, client = tmp_path / "half.twinrun", InlineClient()
    client.load(short, run_file=path)
    client.play()
    while (frame := client.latest_frame()) is None or frame.t_s < HOUR_S:
        client.pump(0.005)
    client.close()
    return path


def test_it_grows_and_who_stands_at_its_end_goes_with_it(
    use_window: UseWindow, lab: Path, short: Scenario, half: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    session = window.session
    assert session.open_recording(half) == ""
    before_s, events = session.t_s, len(session.live.events)
    assert HOUR_S <= before_s < 3.5 * HOUR_S
    window.growing.look()
    assert session.t_s == before_s
    session.replay.back_to_live()
    assert session.looking_s == before_s
    client = InlineClient()
    client.load(short, run_file=half, branch_s=before_s + 600.0)
    client.close()
    qtbot.waitUntil(lambda: session.t_s > before_s)  # it looks by itself
    assert session.t_s == pytest.approx(before_s + 600.0)
    assert session.looking_s == session.t_s
    assert window.timeline.strip.shown.reach_s == session.t_s
    assert not session.finished
    session.replay.look(60.0)
    go_on(short, half)
    window.growing.look()
    assert session.finished
    assert session.looking_s == 60.0
    with Reader(half) as reader:
        assert session.t_s == reader.t_end_s == 4 * HOUR_S
        assert session.summary == reader.summary
        assert session.live.events == reader.events()
    assert len(session.live.events) > events
    assert session.replay.events is session.live.events


def test_what_goes_away_for_a_moment_is_no_trouble(
    use_window: UseWindow, lab: Path, short: Scenario, half: Path
) -> None:
    window = use_window(lab)
    session = window.session
    session.open_recording(half)
    before_s, aside = session.t_s, half.with_name("aside.twinrun")
    half.rename(aside)
    window.growing.look()
    assert session.t_s == before_s
    aside.rename(half)
    go_on(short, half)
    window.growing.look()
    assert session.finished
    assert not window.notifications.notes


def test_what_another_program_still_writes_is_not_gone_on_with(
    use_window: UseWindow, lab: Path, half: Path
) -> None:
    window = use_window(lab)
    with closing(sqlite3.connect(half)) as file, file:  # more was recorded than there is a snapshot of
        file.execute("DELETE FROM snapshots WHERE t = (SELECT MAX(t) FROM snapshots)")
        (left,) = file.execute("SELECT COUNT(*) FROM snapshots").fetchone()
    assert left
    window.session.open_recording(half)
    button = window.timeline.go_on_button
    os.utime(half)
    window.growing.look()
    assert window.session.grows
    assert not button.isVisible()
    for path in half.parent.glob(f"{half.name}*"):
        os.utime(path, (time.time() - 60.0,) * 2)
    window.growing.look()
    assert not window.session.grows
    assert button.isVisible()
    said: list[str] = []
    window.timeline.said.connect(said.append)
    button.click()
    assert said[0].startswith("Continues from its last snapshot, ")
    assert window.session.recording is None
