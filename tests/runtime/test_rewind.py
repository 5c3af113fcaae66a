"""Undo at the time of an act puts the run back: neither the run nor its file has anything of the act."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import psutil
import pytest
from coarse_recordings import coarse_recordings
from ready_processes import ready_processes
from replies import events_of, one_client, until, until_type

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit, racks, tiny, with_edits

from twin.analysis.rerun import asked_of, scenario_of_run, undone_edits
from twin.analysis.verify import verify
from twin.record.events import Event
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.runtime import recent_acts
from twin.runtime.client import Client
from twin.runtime.inline import InlineClient
from twin.runtime.protocol import (
    ENGINE,
    Applied,
    At,
    Died,
    Finished,
    Intervene,
    LoadScene,
    Message,
    Ready,
    Refused,
    Relaid,
    Rewound,
    Withdraw,
)
from twin.runtime.session import EngineSession
from twin.scenario import parse_injection
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

SCENE = tiny(nodes=3, duration="2 h")
LESS, MORE = absent("gpu/0/0"), racks(4)


@pytest.fixture(scope="module", autouse=True)
def _recordings() -> Iterator[None]:
    with coarse_recordings():
        yield


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with ready_processes(), one_client(tmp_path) as client:
        yield client


def answer(inline: InlineClient, rev: int) -> Applied | Refused:
    """Return what was answered to a request."""
    (found,) = [m for m in inline.poll() if isinstance(m, Applied | Refused) and m.rev == rev]
    return found


def to_the_end(inline: InlineClient) -> Path:
    """Let the run come to its end; return its file."""
    inline.play()
    while inline.pump(1.0):
        pass
    inline.close()
    assert inline.run_file is not None
    return inline.run_file


def hash_of(scene: Scenario, *acts: Edit | Intervention) -> str:
    """Return the event hash of a run in which these acts were known from the start."""
    edits = [act for act in acts if isinstance(act, Edit)]
    by_hand = tuple(act for act in acts if isinstance(act, Intervention))
    engine = Engine(with_edits(scene, *edits).model_copy(update={"interventions": by_hand}))
    engine.advance(engine.end_s)
    return engine.event_hash()


def is_run_of(run_file: Path, *acts: Edit | Intervention) -> None:
    """Assert that the run file, in all that it holds, is of a run with these acts and no other."""
    assert verify(run_file).clean
    with Reader(run_file) as reader:
        assert reader.event_hash == hash_of(SCENE, *acts)
        assert [request.done for request in asked_of(reader)] == list(acts)
        events = reader.all_events()
        again = Engine(scenario_of_run(reader))
        again.advance(again.end_s)
        assert [(e.row, e.t_s, e.kind) for e in events] == [(e.row, e.t_s, e.kind) for e in again.events(0)]
        racks_then = [layout.counts["rack"] for _, layout in reader.epochs()]
        assert len(racks_then) == 1 + sum(isinstance(act, Edit) for act in acts)
        t_s, columns = reader.samples(["rack.power_w"], -1.0, 10_000, reader.header.layout)
        assert (t_s[1:] > t_s[:-1]).all()
        assert len(columns["rack.power_w"]) == racks_then[-1]
        booked = reader.bookings()
        assert booked is not None
        assert (booked.end_s >= booked.begin_s).all()


def test_an_edit_undone_at_its_time_never_was(inline: InlineClient) -> None:
    engine = inline.engine_session.engine
    assert engine is not None
    at_s, state = engine.now_s, engine.snapshot()
    less = edit(0.0, "less", LESS)
    inline.intervene(less)
    inline.poll()
    assert inline.layout is not None
    assert inline.layout.epoch == 1
    rev = inline.withdraw(less)
    messages = inline.poll()
    (rewound,) = [m for m in messages if isinstance(m, Rewound)]
    (applied,) = [m for m in messages if isinstance(m, Applied)]
    assert messages.index(rewound) < messages.index(applied)
    assert (applied.rev, applied.t_s, rewound.t_s) == (rev, at_s, at_s)
    assert [m.layout.epoch for m in messages if isinstance(m, Relaid)] == [0]
    (at,) = [m for m in messages if isinstance(m, At)]
    assert (at.t_s, at.events) == (at_s, rewound.events)
    engine = inline.engine_session.engine
    assert engine is not None
    assert engine.snapshot() == state
    is_run_of(to_the_end(inline))


def test_a_reader_that_stays_open_shows_nothing_of_what_was_undone(inline: InlineClient) -> None:
    assert inline.run_file is not None
    with Reader(inline.run_file) as reader:
        drain = parse_injection("0 s drain gpu/0/1", None)
        for act in (drain, edit(0.0, "less", LESS)):
            done = answer(inline, inline.intervene(act))
            assert isinstance(done, Applied)
            kept = reader.frame(done.t_s)
            inline.withdraw(act)
            inline.step()
            with Reader(inline.run_file) as fresh:
                frames = [each.frame(done.t_s) for each in (reader, fresh)]
                assert frames[0].layout.epoch == frames[1].layout.epoch == 0
                for name, values in frames[1].values.items():
                    assert np.array_equal(frames[0].values[name], values, equal_nan=True), name
            assert kept.t_s <= done.t_s


def test_done_undone_and_done_again_is_done_once(inline: InlineClient) -> None:
    less = edit(0.0, "less", LESS)
    times = set()
    for _ in range(3):
        done = answer(inline, inline.intervene(less))
        assert isinstance(done, Applied)
        times.add(done.t_s)
        inline.withdraw(less)
    done = answer(inline, inline.intervene(less))
    assert isinstance(done, Applied)
    assert times == {done.t_s}
    is_run_of(to_the_end(inline), less.model_copy(update={"at_s": done.t_s}))


@pytest.mark.parametrize("halls", [recent_acts.MOST_HALLS, 0], ids=["known", "built again"])
def test_several_are_undone_one_by_one_and_others_come_in_their_place(
    inline: InlineClient, halls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_acts, "MOST_HALLS", halls)
    first, second = edit(0.0, "first", MORE), edit(0.0, "second", LESS)
    begun = answer(inline, inline.intervene(first))
    assert isinstance(begun, Applied)
    drain = parse_injection("0 s drain gpu/0/1", None)
    acts: list[Edit | Intervention] = [second, drain]
    for act in acts:
        assert isinstance(answer(inline, inline.intervene(act)), Applied)
    assert isinstance(answer(inline, inline.withdraw(second)), Refused), "the drain came after it"
    for act in reversed(acts):
        assert isinstance(answer(inline, inline.withdraw(act)), Applied)
    third = answer(inline, inline.intervene(edit(0.0, "third", absent("gpu/0/3"))))
    assert isinstance(third, Applied)
    is_run_of(
        to_the_end(inline),
        edit(begun.t_s, "first", MORE),
        edit(third.t_s, "third", absent("gpu/0/3")),
    )


@pytest.mark.parametrize("what", ["drain gpu/0/1", "fail gpu/0/0"])
def test_an_act_by_hand_undone_at_its_time_never_was(inline: InlineClient, what: str) -> None:
    act = parse_injection(f"0 s {what}", None)
    for _ in range(2):
        assert isinstance(answer(inline, inline.intervene(act)), Applied)
        assert isinstance(answer(inline, inline.withdraw(act)), Applied)
    is_run_of(to_the_end(inline))


@pytest.mark.parametrize(
    "move", [InlineClient.step, lambda client: client.engine_session.engine.advance(4e3)]
)
def test_what_the_run_has_left_behind_stays(
    inline: InlineClient, move: Callable[[InlineClient], object]
) -> None:
    less = edit(0.0, "less", LESS)
    done = answer(inline, inline.intervene(less))
    assert isinstance(done, Applied)
    move(inline)
    refused = answer(inline, inline.withdraw(less))
    assert isinstance(refused, Refused)
    assert "already been applied" in refused.reason
    is_run_of(to_the_end(inline), less.model_copy(update={"at_s": done.t_s}))


def test_what_was_ahead_and_taken_out_does_not_come_back_with_an_undo(inline: InlineClient) -> None:
    ahead, less = edit(5000.0, "ahead", MORE), edit(0.0, "less", LESS)
    inline.intervene(ahead)
    done = answer(inline, inline.intervene(less))
    assert isinstance(done, Applied)
    assert isinstance(answer(inline, inline.withdraw(ahead)), Applied)
    assert isinstance(answer(inline, inline.withdraw(less)), Refused), "its snapshot holds the other"
    is_run_of(to_the_end(inline), less.model_copy(update={"at_s": done.t_s}))


def test_a_worker_puts_the_run_back_and_outlives_a_kill(client: Client, tmp_path: Path) -> None:
    run_file, less = tmp_path / "back.twinrun", edit(0.0, "less", LESS)
    client.load(SCENE, run_file=run_file)
    heard = until_type(client, Ready)
    client.step()
    heard += until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    client.intervene(less)
    rev = client.withdraw(less)
    heard += until(client, lambda m: isinstance(m, Applied) and m.rev == rev)
    assert any(isinstance(m, Rewound) for m in heard)
    client.intervene(less)
    rev = client.withdraw(less)
    (child,) = active_children()
    psutil.Process(child.pid).kill()  # the answer comes of this worker, or of the next
    heard += until_type(client, Died)
    client.restart()
    if not any(isinstance(m, Applied) and m.rev == rev for m in heard):
        heard += until(client, lambda m: isinstance(m, Applied) and m.rev == rev)
    assert client.layout is not None
    assert client.layout.epoch == 0
    client.play()
    heard += until_type(client, Finished)
    is_run_of(run_file)
    with Reader(run_file) as reader:
        assert told(heard) == reader.all_events()


def test_an_answer_that_was_lost_is_given_again_with_how_far_the_run_went_back(tmp_path: Path) -> None:
    said: list[Message] = []
    run_file, less = tmp_path / "lost.twinrun", edit(0.0, "less", LESS)
    with EngineSession(_Heard(said), ENGINE) as session:
        session.handle(LoadScene(1, SCENE, run_file=str(run_file)))
        session.handle(Intervene(1, 7, less))
        session.handle(Withdraw(1, 8, less))
        answers = [m for m in said if isinstance(m, Rewound) or (isinstance(m, Applied) and m.rev == 8)]
        rows = session.told
    assert len(answers) == 2
    said.clear()
    with EngineSession(_Heard(said), ENGINE) as session:
        session.handle(LoadScene(1, SCENE, run_file=str(run_file), resume=True, told=rows + 3))
        session.handle(Intervene(1, 7, less))  # both answers were lost, so both are asked again
        session.handle(Withdraw(1, 8, less))
        again = [m for m in said if isinstance(m, Rewound | Applied)]
        assert again[0] == Applied(1, 7, answers[0].t_s)
        assert again[1:] == answers
        assert session.engine is not None
        assert session.engine.layout.epoch == 0, "what was undone does not act again"


def test_each_of_several_undone_edits_is_told_in_the_file(tmp_path: Path) -> None:
    run_file, said = tmp_path / "nested.twinrun", list[Message]()
    first, second = edit(0.0, "first", MORE), edit(0.0, "second", LESS)
    with EngineSession(_Heard(said), ENGINE) as session:
        session.handle(LoadScene(1, SCENE, run_file=str(run_file)))
        for rev, request in enumerate((first, second)):
            session.handle(Intervene(1, rev, request))
        for rev, request in zip((8, 9), (second, first), strict=True):
            session.handle(Withdraw(1, rev, request))
    with Reader(run_file) as reader:
        assert undone_edits(reader) == {"first", "second"}
        assert not list(reader.markers("edit"))


class _Heard:
    """An outlet that keeps what is said."""

    def __init__(self, said: list[Message]) -> None:
        self._said = said

    def send(self, message: Message, *, droppable: bool = False) -> None:
        self._said.append(message)

    def open(self, session: int, layout: FrameLayout) -> str:
        return ""

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        pass


def told(messages: list[Message]) -> list[Event]:
    """Return the events that somebody knows of who has heard these messages."""
    known: list[Event] = []
    for message in messages:
        if isinstance(message, Rewound):
            del known[message.events :]
        known += events_of([message])
    return known
