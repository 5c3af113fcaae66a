"""Headless runs and slices in this process: same events however they are run, cut, watched or recorded."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from toy_engine import NAME, ToyEngine, scenario

from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.runtime.inline import InlineClient, InterventionRefused, run
from twin.runtime.protocol import Applied, At, Failed, Finished, Happened, LoadScene, Message, Ready, Refused
from twin.runtime.session import EngineSession
from twin.scenario.schema.faults import Intervention

TRIP = Intervention(at="600 s", kind="fail", target="gpu/0/1/0")
CAP = Intervention(at="0 s", kind="power_cap", target="all", value="500 W")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))


def events_of(messages: list[Message]) -> list[Event]:
    return [event for m in messages if isinstance(m, Happened) for event in m.events]


def finish(client: InlineClient) -> list[Message]:
    messages: list[Message] = []
    while client.pump(0.005):
        messages += client.poll()
    return messages + client.poll()


def test_recording_and_watching_change_nothing(tmp_path: Path) -> None:
    told: list[tuple[float, float]] = []
    bare = run(scenario(), 3, engine=NAME)
    twice = run(scenario(), 3, engine=NAME)
    recorded = run(scenario(), 3, record=tmp_path / "a.twinrun", engine=NAME)
    watched = run(scenario(), 3, progress=lambda now, end: told.append((now, end)), engine=NAME)
    hashes = {result.engine.event_hash() for result in (bare, twice, recorded, watched)}
    assert len(hashes) == 1
    assert told[-1] == (7200.0, 7200.0)
    assert bare.ended
    assert bare.run_file is None
    assert bare.peak_rss_bytes is None or bare.peak_rss_bytes > 10**6
    assert run(scenario(), 4, engine=NAME).engine.event_hash() not in hashes
    with Reader(tmp_path / "a.twinrun") as reader:
        assert reader.event_hash in hashes
        assert reader.summary == bare.engine.summary()


def test_until_stops_there(tmp_path: Path) -> None:
    result = run(scenario(), 3, until_s=1234.5, record=tmp_path / "a.twinrun", engine=NAME)
    assert result.engine.now_s == 1234.5
    assert not result.ended
    with Reader(tmp_path / "a.twinrun") as reader:
        assert reader.t_end_s == 1234.5


def test_interventions_act_or_are_refused() -> None:
    calm, tripped = (run(scenario(), 3, interventions=i, engine=NAME).engine for i in ((), (TRIP,)))
    before = [e for e in tripped.events(0) if e.t_s < 600.0]
    assert before == [e for e in calm.events(0) if e.t_s < 600.0]
    assert [e.subject for e in tripped.events(0) if e.t_s == 600.0 and e.kind == "failure"] == ["gpu/0/1/0"]
    with pytest.raises(InterventionRefused, match="there is no moon here"):
        run(scenario(), interventions=(Intervention(at="1 s", kind="fail", target="moon"),), engine=NAME)


def test_slices_tell_everything_once_and_in_order() -> None:
    client = InlineClient(NAME)
    session = client.load(scenario(), 3)
    client.play()
    messages = finish(client)
    client.close()
    assert isinstance(messages[0], Ready)
    assert messages[0].session == session
    assert messages[0].end_s == 7200.0
    assert [e.row for e in events_of(messages)] == list(range(len(events_of(messages))))
    assert isinstance(messages[-1], Finished)
    assert messages[-1].summary["event_hash"] == run(scenario(), 3, engine=NAME).engine.event_hash()
    last = [m for m in messages if isinstance(m, At)][-1]
    assert (last.t_s, last.playing, last.ended) == (7200.0, False, True)
    assert last.events == len(events_of(messages))
    assert client.run_file is not None
    with Reader(client.run_file) as reader:
        assert reader.events() == events_of(messages)


def test_step_goes_to_each_event_and_stands() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.poll()
    times = []
    for _ in range(5):
        client.step()
        messages = client.poll()
        assert len(events_of(messages)) == 1
        assert [m.playing for m in messages if isinstance(m, At)] == [False]
        times.append(events_of(messages)[0].t_s)
        frame = client.latest_frame()
        assert frame is not None
        assert frame.t_s == times[-1]
    assert times == [e.t_s for e in ToyEngineRun(5)]
    assert client.pump() is False
    assert client.poll() == []
    client.close()


def ToyEngineRun(count: int) -> list[Event]:
    engine = ToyEngine(scenario(), 3)
    engine.advance(math.inf)
    return list(engine.events(0))[:count]


def test_pause_stands_and_play_goes_on() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.play(1e5)
    client.pump(0.01)
    client.pause()
    stood = [m for m in client.poll() if isinstance(m, At)][-1]
    assert not stood.playing
    client.pump(0.01)
    assert client.poll() == []
    assert client.run_file is not None
    with Reader(client.run_file) as reader:  # what is on screen is in the file
        assert (reader.t_end_s, reader.event_count) == (stood.t_s, stood.events)
    client.play()
    assert isinstance(finish(client)[-1], Finished)
    client.close()


def test_real_time_does_not_run_ahead() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.play(1e-6)
    for _ in range(5):
        client.pump(0.01)
    assert max(m.t_s for m in client.poll() if isinstance(m, At)) < 1.0
    client.play(0.0)
    assert not client.pump()
    client.close()


def test_step_passes_what_is_not_listed_and_takes_the_samples_on_its_way() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.poll()
    wanted = [event for event in ToyEngineRun(400) if event.severity >= Severity.ALARM][:3]
    for failure in wanted:
        client.step(Severity.ALARM)
        messages = client.poll()
        assert [event for event in events_of(messages) if event.severity >= Severity.ALARM] == [failure]
        assert events_of(messages)[-1] == failure
        assert [m.playing for m in messages if isinstance(m, At)][-1] is False
    assert client.run_file is not None
    with Reader(client.run_file) as reader:
        assert np.diff(reader.sample_times()).max() <= 7200.0 / 900 * 1.001
    client.close()


def test_edits_while_standing_show_at_once() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.step()
    client.poll()
    rev = client.intervene(CAP)
    messages = client.poll()
    applied = [m for m in messages if isinstance(m, Applied)]
    assert [(m.rev, m.t_s) for m in applied] == [(rev, 10.001)]  # after all that happened at 10 s
    assert [e.kind for e in events_of(messages)] == ["power_cap"]
    frame = client.latest_frame()
    assert frame is not None
    assert frame.values["gpu.power_w"].max() == 500.0
    other = client.intervene(Intervention(at="0 s", kind="drain", target="moon"))
    assert [(m.rev, m.reason) for m in client.poll() if isinstance(m, Refused)] == [
        (other, "there is no moon here")
    ]
    client.close()


def test_edits_survive_a_restart_and_are_in_the_file() -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3)
    client.play(1e5)
    client.pump(0.005)
    client.pause()
    client.intervene(CAP)
    client.intervene(Intervention(at="6000 s", kind="fail", target="gpu/0/2/1"))
    at = [m.t_s for m in client.poll() if isinstance(m, Applied)]
    assert at[1] == 6000.0
    client.restart()
    client.play()
    messages = finish(client)
    client.close()
    assert [e.t_s for e in events_of(messages) if e.subject == "gpu/0/2/1" and e.t_s == 6000.0] == [6000.0]
    straight = run(
        scenario(),
        3,
        interventions=(
            CAP.model_copy(update={"at_s": at[0]}),
            Intervention(at="6000 s", kind="fail", target="gpu/0/2/1"),
        ),
        engine=NAME,
    )
    assert isinstance(messages[-1], Finished)
    assert messages[-1].summary["event_hash"] == straight.engine.event_hash()
    assert client.run_file is not None
    with Reader(client.run_file) as reader:
        assert [m.t_s for m in reader.markers("intervention")] == at


def test_a_branch_begins_at_a_snapshot(tmp_path: Path) -> None:
    whole = run(scenario(), 3, record=tmp_path / "a.twinrun", engine=NAME)
    with Reader(tmp_path / "a.twinrun") as reader:
        snapshot = reader.nearest_snapshot(4000.0)
    assert snapshot is not None
    client = InlineClient(NAME)
    client.load(scenario(), snapshot=snapshot.data, run_file=tmp_path / "b.twinrun")
    client.play()
    messages = finish(client)
    client.close()
    assert isinstance(messages[-1], Finished)
    assert messages[-1].summary["event_hash"] == whole.engine.event_hash()
    assert events_of(messages)[0].row == snapshot.events


def test_a_run_file_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    client = InlineClient(NAME)
    client.load(scenario(), run_file=tmp_path / "no" / "a.twinrun")
    (failed,) = client.poll()
    assert f"no folder {tmp_path / 'no'}; create it first" in failed.message  # type: ignore[union-attr]
    client.play()
    assert client.poll() == []
    client.close()


def test_a_full_disk_costs_the_recording_and_not_the_run(tmp_path: Path) -> None:
    client = InlineClient(NAME)
    client.load(scenario("20 h"), 3, run_file=tmp_path / "a.twinrun")
    recorder = client.engine_session.recorder
    assert recorder is not None
    recorder.writer.file.execute("PRAGMA max_page_count=12")
    client.play()
    messages = finish(client)
    client.close()
    (failed,) = [m for m in messages if isinstance(m, Failed)]
    assert "the disk is full" in failed.message
    assert "continues without recording" in failed.message
    assert isinstance(messages[-1], Finished)
    with Reader(tmp_path / "a.twinrun") as reader:
        assert reader.header.seed == 3


def test_an_engine_that_breaks_leaves_no_snapshot_of_its_ruins(tmp_path: Path) -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3, run_file=tmp_path / "a.twinrun")
    client.intervene(Intervention(at="50 s", kind="set", target="toy"))
    client.play()
    with pytest.raises(ArithmeticError), client.engine_session:
        client.pump()
    with Reader(tmp_path / "a.twinrun") as reader:
        snapshot = reader.nearest_snapshot(math.inf)
    assert snapshot is not None
    assert snapshot.t_s == 0.0


class Kept:
    """An outlet that keeps what is said."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def send(self, message: Message, *, droppable: bool = False) -> None:
        self.messages.append(message)

    def open(self, session: int, layout: FrameLayout) -> str:
        return ""

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        pass


def test_events_between_what_was_told_and_the_snapshot_are_told_on_resume(tmp_path: Path) -> None:
    """A worker can die after it wrote a snapshot and before it told of the events up to it."""
    path = tmp_path / "a.twinrun"
    whole = run(scenario(), 3, until_s=5000, record=path, engine=NAME)
    outlet = Kept()
    with EngineSession(outlet, NAME) as session:
        session.handle(LoadScene(1, scenario(), 3, None, str(path), resume=True, told=2))
    assert [event.row for event in events_of(outlet.messages)] == list(range(2, len(whole.engine.events(0))))


def test_a_run_stands_still_at_the_time_it_was_played_to(tmp_path: Path) -> None:
    client = InlineClient(NAME)
    client.load(scenario(), 3, tmp_path / "a.twinrun")
    client.play(math.inf, 1234.5)
    stands = [message for message in finish(client) if isinstance(message, At)][-1]
    assert (stands.t_s, stands.playing, stands.ended) == (1234.5, False, False)
    client.play(math.inf)
    assert any(isinstance(message, Finished) for message in finish(client))
    engine = client.engine_session.engine
    assert engine is not None
    assert engine.event_hash() == run(scenario(), 3, engine=NAME).engine.event_hash()
    client.close()
