"""A recording on screen: of an older version it says so, and figures looked back at tell of when they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

if TYPE_CHECKING:
    from conftest import UseWindow


def test_an_older_run_says_so_and_its_notice_leads_to_what_changed(
    use_window: UseWindow, lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=path, until_s=7200.0)
    window = use_window(lab)
    window.session.open_recording(path)
    qtbot.waitUntil(lambda: window.session.recording == path)
    assert not [note for note in window.notifications.notes if "older version" in note.trouble.title]
    old = tmp_path / "old.twinrun"
    with Reader(path) as reader:
        reader.save_copy(old)
    with closing(sqlite3.connect(old)) as file, file:
        file.execute("""UPDATE header SET value = '{"twin": "0.1.0"}' WHERE key = 'versions'""")
    window.session.open_recording(old)
    qtbot.waitUntil(lambda: window.session.recording == old)
    (note,) = [note for note in window.notifications.notes if "older version" in note.trouble.title]
    note.buttons["Why figures changed"].click()
    page = next(one for one in window.findChildren(QDialog) if "figures" in one.windowTitle())
    page.close()


def test_figures_of_before_the_time_shown_tell_of_when_they_are(
    use_window: UseWindow, lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=path)
    with Reader(path) as reader:
        times = reader.sample_times()
    place = int(np.argmax(np.diff(times)))
    begin_s, age_s = float(times[place]), 80.0
    assert times[place + 1] - begin_s > age_s
    window = use_window(lab)
    session = window.session
    session.open_recording(path)
    age, clock = window.transport.kpis.age, session.clock
    session.replay.look(begin_s + age_s)
    qtbot.waitUntil(lambda: age.text() == f"{clock.says(begin_s)}, 1 min before")
    session.replay.look(begin_s)
    qtbot.waitUntil(lambda: age.text() == "")
