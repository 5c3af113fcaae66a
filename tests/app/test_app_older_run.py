"""A recording on screen: of an older version it says so, figures looked back at tell of when they are, and a branch
shows the alarms of the past that it shares."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from twin.analysis.branch import branch_scene, parent_scene, start_branch
from twin.record.reader import Reader
from twin.runtime.inline import go_on, run
from twin.scenario import load, parse_injection
from twin.scenario.file.effective_text import show

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
    docks = window.docks
    told = (docks.jobs, docks.job, docks.queue, docks.tenants, docks.spares, docks.energy)
    told += (docks.power, docks.cooling, docks.fabric)
    assert {dock.age for dock in told} == {"1 min before"}
    session.replay.look(begin_s)
    qtbot.waitUntil(lambda: age.text() == "")
    assert {dock.age for dock in told} == {""}


@pytest.mark.slow
def test_the_alarms_of_a_shared_past_are_those_of_the_parent(
    use_window: UseWindow, lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    """A node fails, fans stop and start again, a chiller trips; the branch leaves while some of it lasts."""
    faults = ("20 min fail gpu/0/0", "30 min fan_stop crah/0 for=7min", "50 min chiller_trip water for=1h")
    scene, cut_s = tmp_path / "hall.twin.yaml", 3722.5
    planned = tuple(parse_injection(fault) for fault in faults)
    scene.write_text(show(load(lab).scenario.model_copy(update={"interventions": planned}), exact=True))
    parent, branch = tmp_path / "hall.twinrun", tmp_path / "cut.twinrun"
    run(load(scene).scenario, record=parent, until_s=7200.0)
    with Reader(parent) as reader:
        added = [parse_injection(f"{cut_s} s fail gpu/0/1")]
        text = branch_scene(parent_scene(reader, tmp_path), tmp_path, reader, cut_s, added, "cut")
        (tmp_path / "cut.twin.yaml").write_text(text)
        started = start_branch(reader, cut_s, tmp_path / "cut.twin.yaml", branch)
    go_on(started.document.scenario, branch, 7200.0)
    window = use_window(lab)
    window.docks.show("alarms")
    session, model = window.session, window.docks.alarms.model

    def shown(path: Path, t_s: float) -> list[list[object]]:
        session.open_recording(path)
        session.replay.look(t_s)
        qtbot.waitUntil(lambda: session.shown_s == t_s and session.shown is session.frame is not None)
        qtbot.waitUntil(lambda: len(session.events) == sum(event.t_s <= t_s for event in session.live.events))
        rows, columns = range(model.rowCount()), range(model.columnCount())
        return [[model.index(row, column).data() for column in columns] for row in rows]

    for t_s, count in ((1500.0, 3), (2100.0, 5), (3000.0, 6), (cut_s - 0.001, 6)):
        mine = shown(branch, t_s)
        assert mine == shown(parent, t_s)
        assert len(mine) == count, mine
    assert shown(branch, 7000.0) != shown(parent, 7000.0)
