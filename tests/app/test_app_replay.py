"""Looking at another time than the present, without a window: the record, the run behind it, and what is not done."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from twin.app.session.recording import read_recording
from twin.app.session.replay import Replay
from twin.app.session.session import Session
from twin.app.toolkit.problem_notice import Trouble
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.record.recorder import Recorder
from twin.record.runfile import RunFileError
from twin.scenario import load
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

pytestmark = pytest.mark.usefixtures("coarse_workers")

_SCENE = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"
_TURNS = count(1)
_CUT_S = 36_000.0  # an hour after the GPU failed by hand


def _record(path: Path, until_s: float) -> None:
    engine = Engine(load(_SCENE).scenario)
    recorder, until_s = Recorder(engine, path), min(until_s, engine.end_s)
    while engine.now_s < until_s:
        engine.advance(min(recorder.next_s, until_s))
        recorder.observe()
    if engine.now_s >= engine.end_s:
        recorder.finish(engine.summary())
    else:
        recorder.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory's day, recorded to its end."""
    path = tmp_path_factory.mktemp("runs") / "lab.twinrun"
    _record(path, math.inf)
    return path


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten hours of it."""
    path = tmp_path_factory.mktemp("runs") / "cut.twinrun"
    _record(path, _CUT_S)
    return path


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session without a window; its worker begins only where a run is asked for."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Session()
    yield made
    made.close()


@pytest.fixture
def replay(whole: Path) -> Iterator[Replay]:
    """The record of the day alone, with no run behind it."""
    with Reader(whole) as reader:
        events, end_s = reader.events(), reader.t_end_s
    made = Replay()
    made.open(whole, events, live=False)
    made.reach_s = end_s
    yield made
    made.clear()


def _settle(session: Session) -> None:
    """Let figures and lists come to the time on screen."""
    for _ in range(2):
        session.looking.turn(1e6 * next(_TURNS))  # long after the last


# -- the record itself ----


def test_steps_go_from_event_to_event_both_ways(replay: Replay) -> None:
    replay.look(0.0)
    seen = []
    while replay.step(1, Severity.WARNING):
        seen.append(replay.looking_s)
    wanted = sorted(
        {event.t_s for event in replay.events if event.severity >= Severity.WARNING and event.t_s > 0}
    )
    assert seen == wanted
    back = [replay.looking_s]
    while replay.step(-1, Severity.WARNING):
        back.append(replay.looking_s)
    assert back == wanted[::-1]
    assert not replay.step(-1, Severity.ALARM)


def test_it_moves_at_any_speed_both_ways_and_stands_at_the_ends(replay: Replay) -> None:
    replay.look(1000.0)
    replay.play(600.0)
    for wall_s in (10.0, 10.5, 11.0):
        replay.turn(wall_s)
    assert replay.looking_s == 1600.0
    replay.play(-3600.0)
    assert replay.backwards
    replay.turn(20.0)
    replay.turn(20.25)
    assert replay.looking_s == 700.0
    replay.turn(21.0)
    assert replay.looking_s == 0.0
    assert not replay.playing
    replay.play(math.inf)
    replay.turn(30.0)
    replay.turn(45.0)
    assert replay.looking_s == pytest.approx(replay.reach_s / 2)
    replay.turn(61.0)
    assert (replay.looking_s, replay.playing) == (replay.reach_s, False)
    replay.play(60.0)  # from the end it begins anew
    assert replay.looking_s == 0.0


def test_a_loop_is_gone_through_over_and_over(replay: Replay) -> None:
    replay.set_loop(100.0, 200.0)
    replay.look(150.0)
    replay.play(60.0)
    replay.turn(0.0)
    replay.turn(1.0)
    assert replay.looking_s == 100.0
    replay.play(-60.0)
    replay.turn(2.0)
    replay.turn(3.0)
    assert replay.looking_s == 200.0
    replay.set_loop(300.0, None)  # its other end was before: it goes to the end of the record
    assert replay.loop == (300.0, replay.reach_s)
    replay.clear_loop()
    assert replay.range_s == (0.0, replay.reach_s)


def test_a_record_alone_has_no_present(replay: Replay) -> None:
    replay.look(10.0)
    replay.back_to_live()
    assert replay.looking_s == replay.reach_s


# -- a recording in the session ----


def test_a_run_file_stands_alone_and_every_list_is_of_the_time_looked_at(
    session: Session, whole: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere" / "moved.twinrun"
    moved.parent.mkdir()
    shutil.copy(whole, moved)
    lists: list[Event] = []
    session.events_added.connect(lists.extend)
    session.rewound.connect(lambda: lists.__setitem__(slice(None), session.events))
    figures: list[Frame] = []
    session.figures_changed.connect(figures.append)
    assert session.open_recording(moved) == ""
    assert not session.client.alive  # nothing is simulated
    assert session.looking_s == session.shown_s == 0.0
    assert session.t_s == session.end_s == 86_400.0
    with Reader(moved) as reader:
        events = reader.events()
        for t_s in (50_000.0, 32_400.0, 80_000.0, 3.0, 86_400.0, 33_000.0):
            session.replay.look(t_s)
            _settle(session)
            assert lists == session.events == [event for event in events if event.t_s <= t_s]
            wanted = reader.frame(t_s)
            assert session.frame is not None
            assert session.frame.t_s == wanted.t_s == session.shown.t_s == figures[-1].t_s  # type: ignore[union-attr]
            assert all(
                np.array_equal(session.frame.values[k], wanted.values[k], equal_nan=True)
                for k in wanted.values
            )
    assert session.plant is not None
    assert len(session.plant.gpus.node) == 16
    assert [one.kind for one in session.by_hand] == []  # the scene breaks its GPU, nobody did


def test_what_is_asked_of_a_time_that_is_over_is_a_branch(session: Session, whole: Path) -> None:
    session.open_recording(whole)
    asked: list[object] = []
    session.branch_wanted.connect(asked.append)
    session.replay.look(500.0)
    one = Intervention(at=session.shown_s, kind="fail", target="gpu/0/0/0")
    session.intervene(one)
    assert asked == [one]
    assert not session.client.alive


def test_what_is_no_record_or_damaged_leaves_the_session_as_it_is(
    session: Session, whole: Path, tmp_path: Path
) -> None:
    session.open_recording(whole)
    short = tmp_path / "short.twinrun"
    short.write_bytes(whole.read_bytes()[:20_000])
    other = tmp_path / "other.twinrun"
    other.write_text("no run")
    for path in (short, other, tmp_path / "none.twinrun"):
        with pytest.raises(RunFileError, match=path.name):
            session.open_recording(path)
    assert session.path == whole


def test_another_version_or_catalogue_is_told_in_one_sentence(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_recording(whole).warning == ""
    monkeypatch.setattr("twin.app.session.recording.app_version", lambda: "9.9")
    told = read_recording(whole).warning
    assert "version 0." in told
    assert told.count(". ") == 0
    monkeypatch.undo()
    monkeypatch.setattr(
        "twin.app.session.recording.input_hashes",
        lambda scenario: {"catalog/gpus.yaml": "another", "scenario": "x"},
    )
    assert "catalog/cooling.yaml" in read_recording(whole).warning


def test_a_run_that_was_cut_goes_on_as_it_would_have(
    session: Session, qtbot: QtBot, cut: Path, whole: Path
) -> None:
    before = cut.read_bytes()
    session.open_recording(cut)
    assert session.recording == cut
    session.replay.look(10_000.0)
    troubles: list[Trouble] = []
    session.trouble.connect(troubles.append)
    session.go_on()
    assert session.recording is None
    assert session.looking_s is None
    session.set_speed(math.inf)
    session.play()
    qtbot.waitUntil(lambda: session.finished or bool(troubles))
    assert not troubles
    with Reader(whole) as reader:
        assert [event.row for event in session.events] == [event.row for event in reader.events()]
        assert session.run_file is not None
        with Reader(session.run_file) as gone_on:
            assert gone_on.event_hash == reader.event_hash
    assert cut.read_bytes() == before  # the file itself stays as it was


def test_a_record_is_read_to_its_end_however_much_has_happened(
    session: Session, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Reader(whole) as reader:
        events = reader.events()
    monkeypatch.setattr("twin.record.reader.MAX_EVENTS", len(events) // 3)
    session.open_recording(whole)
    assert session.live.events == events
    assert session.replay.events is session.live.events


def test_a_run_that_was_killed_goes_on_from_its_last_snapshot_and_nothing_is_of_later(
    session: Session, qtbot: QtBot, cut: Path, whole: Path, tmp_path: Path
) -> None:
    killed = tmp_path / "killed.twinrun"
    shutil.copy(cut, killed)
    with closing(sqlite3.connect(killed)) as file:  # as one that was killed long after its last snapshot
        file.execute("DELETE FROM snapshots WHERE t > ?", (_CUT_S / 2,))
        file.commit()
    with Reader(killed) as reader:
        last = reader.nearest_snapshot(math.inf)
    assert last is not None
    session.open_recording(killed)
    session.replay.look(_CUT_S)
    _settle(session)
    assert len(session.events) > last.events
    rewound: list[int] = []
    session.rewound.connect(lambda: rewound.append(len(session.events)))
    assert session.go_on() == session.t_s == last.t_s < _CUT_S
    assert len(session.events) == last.events
    assert rewound == [last.events]
    session.set_speed(math.inf)
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    with Reader(whole) as reader:
        assert session.events == reader.events()


def test_looking_back_disturbs_no_live_run(session: Session, qtbot: QtBot) -> None:
    session.open(_SCENE)
    session.go_on_to(20_000.0)
    qtbot.waitUntil(lambda: session.t_s == 20_000.0 and not session.running)
    session.stop_s = math.inf
    session.set_speed(3600.0)
    session.play()
    seen: list[float] = []
    session.time_changed.connect(seen.append)
    session.replay.look(5_000.0)
    assert session.looking_s == 5_000.0
    assert session.running
    assert not session.playing
    assert session.frame is not session.live.frame
    live_s = session.t_s
    qtbot.waitUntil(lambda: session.t_s > live_s + 2_000.0)
    assert session.shown_s == 5_000.0
    assert session.frame is not None
    assert session.frame.t_s <= 5_000.0
    assert seen == [5_000.0]  # nothing live was mixed in
    assert all(event.t_s <= 5_000.0 for event in session.events)
    session.set_speed(600.0)  # of the record: the run goes on at its own
    session.play()
    assert session.playing
    session.replay.back_to_live()
    assert session.looking_s is None
    assert session.events == session.live.events
    assert session.frame is session.live.frame
    assert session.running


def test_a_time_before_an_edit_shows_the_hall_as_it_stood(session: Session, tmp_path: Path) -> None:
    rack = "{id: later, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
    serves = "cooling.loops[crah].serves"
    path = tmp_path / "edited.twin.yaml"
    path.write_text(
        _SCENE.read_text() + f"\nedits:\n  - id: more\n    at: 1 h\n    title: One more rack\n    changes:\n"
        f"      - {{path: 'halls[lab].rows[later]', value: '{rack}'}}\n"
        f"      - {{path: '{serves}', value: '[gpu, later]'}}\n"
    )
    run = tmp_path / "edited.twinrun"
    engine = Engine(load(path).scenario)
    recorder = Recorder(engine, run)
    while engine.now_s < 7_200.0:
        engine.advance(min(recorder.next_s, 7_200.0))
        recorder.observe()
    recorder.close()
    session.open_recording(run)
    racks: list[int] = []
    session.plant_changed.connect(lambda plant: racks.append(len(plant.racks.ids)))
    for t_s, count_then in ((600.0, 2), (5_000.0, 3), (3_700.0, 3), (10.0, 2), (7_200.0, 3)):
        session.replay.look(t_s)
        assert session.plant is not None
        assert session.frame is not None
        assert session.document is not None
        assert len(session.plant.racks.ids) == count_then
        assert session.frame.layout.epoch == session.plant.epoch
        assert len(session.frame.values["rack.power_w"]) == count_then
        assert sum(len(hall.rows) for hall in session.document.scenario.halls) == count_then - 1
    assert racks == [3, 2, 3]  # told where it changes, and only there
