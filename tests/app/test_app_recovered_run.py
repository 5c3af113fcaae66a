"""A recovered run goes on with its past: plots, events, what was done by hand; and it takes edits again."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from plots_shown import curves_agree
from pytestqt.qtbot import QtBot

from twin.app.files.journal import SUFFIX
from twin.app.files.recovery import RecoveredWork, left_behind
from twin.app.session.plot_pages import PUE_RUN
from twin.commands.edit.command import Given
from twin.record.reader import Reader
from twin.scenario import Change, Patch, loads
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
NODE = "gpu/0/0/0"
SERVES = ("cooling.loops[crah].serves", "[gpu, x-1]")
ADD = Given(Patch((Change("halls[lab].rows[x-1]", RACK), Change(*SERVES)), "Add rack"))


@pytest.fixture
def own(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the lab that may be written; all that is kept lies in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def rename(title: str) -> Given:
    return Given(Patch((Change("title", title),), "Rename"))


def left_by(window: MainWindow, keep: bool = True) -> RecoveredWork:
    """Return what a crash at this moment would leave; the window is closed."""
    journal, run_file = window.editing.file.journal.path, window.session.run_file
    assert journal is not None
    assert run_file is not None
    left = journal.with_name(f"left{SUFFIX}")
    shutil.copy(journal, left)
    assert window.session.draft is not None
    window.session.draft.mark_saved()  # nobody is there to be asked
    window.close()
    if not keep:
        run_file.unlink()
    (found,) = left_behind()
    return found


def run_until(window: MainWindow, qtbot: QtBot, t_s: float) -> None:
    session = window.session
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s >= t_s)
    session.pause()


def so_far(window: MainWindow) -> float:
    """Return the PUE of the run so far, as its tile says it."""
    said = window.transport.kpis.tiles["site.pue"].words.partition("the run so far: ")[2]
    return float(said) if said[:1].isdigit() else math.nan


def edit(window: MainWindow, qtbot: QtBot, command: Given) -> None:
    assert window.editing.editor.do(command)
    qtbot.waitUntil(lambda: not window.editing.editor.busy)


def test_the_past_of_a_recovered_run_is_there_and_it_takes_edits_as_before(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    first = make_window(own)
    run_until(first, qtbot, 1200.0)
    edit(first, qtbot, ADD)
    edit(first, qtbot, rename("Ours"))
    first.session.intervene(Intervention(at=first.session.t_s, kind="drain", target=NODE))
    qtbot.waitUntil(lambda: bool(first.session.live.by_hand))
    qtbot.waitUntil(lambda: first.session.live.events[-2].text == "drained")
    stood_s, happened = first.session.t_s, [event.text for event in first.session.live.events]
    left = left_by(first)

    window = make_window()
    session = window.session
    assert window.editing.file.recover(left)
    said = window.notifications.notes[-1].trouble
    assert said.title == "Recovered"
    assert "is at its last state" in said.text
    qtbot.waitUntil(lambda: session.frame is not None and session.t_s > 0)
    assert not session.playing
    assert window.windowTitle().startswith("Ours"), "as the scene stands now"
    assert session.t_s == pytest.approx(stood_s, abs=0.01), "an edit keeps the state it was made in"
    assert session.run_file != left.run_file, "the recording that was left stays as it is"
    qtbot.waitUntil(lambda: len(session.curves.history) > 3)
    times_s = session.curves.history.times_s()
    assert times_s[0] < 120.0, "the plots begin where the run began"
    qtbot.waitUntil(lambda: session.curves.history.times_s()[-1] >= stood_s - 0.01)
    pue = session.curves.history.series(PUE_RUN)
    qtbot.waitUntil(lambda: so_far(window) == pytest.approx(pue[-1], abs=6e-4))
    assert pue[-1] == pytest.approx(pue[-5], rel=0.01), "it is that of the whole run"
    window.docks.show("plots")
    qtbot.waitUntil(lambda: curves_agree(window))
    assert [event.text for event in session.live.events] == happened
    assert [one.target for one in session.live.by_hand] == [NODE]
    session.replay.look(300.0)
    assert session.frame is not None
    assert session.frame.t_s <= 300.0
    assert "x-1/0/0" not in session.plant.racks.ids  # type: ignore[union-attr]
    session.replay.back_to_live()

    edit(window, qtbot, rename("After the crash"))
    assert session.draft is not None
    assert session.draft.file.scenario.edits[-1].at_s >= stood_s
    assert session.document.scenario.title == "After the crash"  # type: ignore[union-attr]
    session.set_speed(float("inf"))
    session.play()
    qtbot.waitUntil(lambda: session.summary is not None)
    with Reader(session.client.run_file) as reader:  # type: ignore[arg-type]
        engine = Engine(loads(session.draft.file.text).scenario)
        for one in session.live.by_hand:
            assert engine.intervene(one) is None
        engine.advance(session.end_s)
        assert reader.event_hash == engine.event_hash()
        edits = reader.markers("edit")
    assert len(edits) == 3, "the run file knows them all"


@pytest.mark.slow
def test_a_run_that_is_gone_is_told_of(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    first = make_window(own)
    edit(first, qtbot, rename("Before it runs"))
    run_until(first, qtbot, 600.0)
    left = left_by(first, keep=False)
    window = make_window()
    assert window.editing.file.recover(left)
    said = window.notifications.notes[-1].trouble.text
    assert said == "The run is at its start: its recording is missing."
    assert not window.session.begun
    qtbot.waitUntil(lambda: window.session.frame is not None)
    assert window.session.t_s == 0.0


@pytest.mark.slow
def test_a_run_of_a_saved_scene_that_broke_off_is_offered_once_it_is_worth_it(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    first = make_window(own)
    session, journal = first.session, first.editing.file.journal
    assert journal.path is None, "nobody would miss it yet"
    run_until(first, qtbot, 60.0)
    assert journal.path is not None
    copy = journal.path.with_name(f"early{SUFFIX}")
    shutil.copy(journal.path, copy)
    assert left_behind() == [], "it had hardly begun"
    session.intervene(Intervention(at=session.t_s, kind="drain", target=NODE))
    qtbot.waitUntil(lambda: bool(session.live.by_hand))
    stood_s = session.t_s
    copy.unlink()
    left = left_by(first)
    assert left.text == left.begun == own.read_text()

    window = make_window(own)
    window.editing.offer_recovery()
    (note,) = [note for note in window.notifications.notes if note.buttons]
    assert note.trouble.title == "Unfinished run found"
    assert f"was last written at {left.at:%H:%M}" in note.trouble.text
    assert "The program ended some time after that" in note.trouble.text
    note.buttons["Recover"].click()
    session = window.session
    qtbot.waitUntil(lambda: session.frame is not None and session.t_s > 0)
    assert session.t_s == pytest.approx(stood_s, abs=0.01)
    assert not session.playing
    assert [one.target for one in session.live.by_hand] == [NODE]
    assert not window.isWindowModified()
    assert not left.journal.exists()
    assert window.editing.file.journal.path is not None, "it is kept here now"
    window.editing.offer_recovery()
    assert not [note for note in window.notifications.notes if note.buttons]


@pytest.mark.slow
def test_a_run_of_another_version_begins_again_and_says_so(
    make_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    first = make_window(own)
    edit(first, qtbot, rename("Ours"))
    run_until(first, qtbot, 1200.0)
    left = left_by(first)
    assert left.run_file is not None
    with closing(sqlite3.connect(left.run_file)) as file:
        file.execute("UPDATE header SET value = ? WHERE key = 'versions'", ('{"twin": "0.1.0"}',))
        file.commit()
    window = make_window()
    assert window.editing.file.recover(left)
    words = window.notifications.notes[-1].trouble.text
    assert words == (
        "The run is at its start: another version of this program recorded it, and this version gives other figures."
    )
    qtbot.waitUntil(lambda: window.session.frame is not None)
    assert window.windowTitle().startswith("Ours")
    run_until(window, qtbot, 600.0)
    assert not window.session.lost
