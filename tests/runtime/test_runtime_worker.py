"""The engine in its own process: same run as inline, whatever happens to the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import psutil
import pytest
from patience import HANG_S
from ready_processes import ready_processes
from replies import events_of, one_client, until, until_type
from toy_engine import NAME, scenario

from twin.record.frame import FrameLayout
from twin.record.reader import Reader
from twin.runtime.client import Client
from twin.runtime.inline import run
from twin.runtime.protocol import (
    Applied,
    At,
    Died,
    Failed,
    Finished,
    Ready,
    Refused,
)
from twin.runtime.shared_frames import FrameReader, NoMemory, memory_folder
from twin.scenario.schema.faults import Intervention

LONG = "200 h"  # 70,000 events: a second or two flat out


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with ready_processes(), one_client(tmp_path, NAME) as client:
        yield client


def worker_of(client: Client) -> psutil.Process:
    (child,) = active_children()
    assert client.alive
    return psutil.Process(child.pid)


def test_same_run_as_inline(client: Client) -> None:
    inline = run(scenario(), 3, engine=NAME)
    session = client.load(scenario(), 3)
    client.play()
    messages = until_type(client, Finished)
    assert isinstance(messages[0], Ready)
    assert messages[0].session == session
    assert client.layout == inline.engine.layout
    assert events_of(messages) == list(inline.engine.events(0))
    finished = next(m for m in messages if isinstance(m, Finished))
    assert finished.summary == inline.engine.summary()
    frame = client.latest_frame()
    assert frame is not None
    assert (frame.t_s, frame.events) == (7200.0, len(inline.engine.events(0)))
    assert client.latest_frame() is None
    assert client.run_file is not None
    with Reader(client.run_file) as reader:
        assert reader.event_hash == inline.engine.event_hash()


@pytest.mark.parametrize(
    "share", [0.2, *(pytest.param(share, marks=pytest.mark.slow) for share in (0.0, 0.6))]
)
def test_a_killed_worker_is_noticed_and_its_run_goes_on(client: Client, share: float) -> None:
    straight = run(scenario(LONG), 3, engine=NAME).engine
    client.load(scenario(LONG), 3)
    client.play()
    messages = until(client, lambda m: isinstance(m, At) and m.t_s > share * straight.end_s)
    worker_of(client).kill()
    messages += until_type(client, Died)
    assert isinstance(messages[-1], Died)
    assert messages[-1].exit_code == -signal.SIGKILL
    assert not client.alive
    assert client.poll() == []
    told = events_of(messages)
    client.restart()
    after = until_type(client, Finished)
    assert isinstance(after[0], Ready)
    assert told + events_of(after) == list(straight.events(0))
    assert next(m for m in after if isinstance(m, Finished)).summary == straight.summary()
    assert client.run_file is not None
    with Reader(client.run_file) as reader:
        assert reader.events() == list(straight.events(0))


def test_edits_are_answered_and_outlive_the_worker(client: Client) -> None:
    client.load(scenario(), 3)
    client.play(100.0)
    until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    cap = client.intervene(Intervention(at="0 s", kind="power_cap", target="all", value="400 W"))
    trip = client.intervene(Intervention(at="7000 s", kind="fail", target="gpu/0/0/0"))
    moon = client.intervene(Intervention(at="0 s", kind="fail", target="moon"))
    messages = until(client, lambda m: isinstance(m, Refused) and m.rev == moon)
    applied = {m.rev: m.t_s for m in messages if isinstance(m, Applied)}
    assert applied[trip] == 7000.0
    client.pause()
    until(client, lambda m: isinstance(m, At) and not m.playing)
    worker_of(client).kill()
    until_type(client, Died)
    client.restart()
    client.play()
    messages = until_type(client, Finished)
    interventions = (
        Intervention(at=f"{applied[cap]!r} s", kind="power_cap", target="all", value="400 W"),
        Intervention(at="7000 s", kind="fail", target="gpu/0/0/0"),
    )
    straight = run(scenario(), 3, interventions=interventions, engine=NAME)
    assert next(m for m in messages if isinstance(m, Finished)).summary == straight.engine.summary()


def test_a_broken_engine_says_why_and_the_next_load_works(client: Client) -> None:
    client.load(scenario(), 3)
    client.intervene(Intervention(at="50 s", kind="set", target="toy"))
    client.play()
    messages = until_type(client, Died)
    failed = next(m for m in messages if isinstance(m, Failed))
    assert failed.message == "ArithmeticError: the toy was told to break"
    assert "in _do" in failed.traceback
    assert isinstance(messages[-1], Died)
    assert messages[-1].exit_code == 1
    assert {e.kind for e in events_of(messages)} <= {"beat", "failure"}
    client.load(scenario(), 3)
    client.play()
    assert isinstance(until_type(client, Finished)[0], Ready)


def test_what_broke_is_told_though_its_run_was_put_away_meanwhile(client: Client) -> None:
    client.load(scenario(), 3)
    client.intervene(Intervention(at="50 s", kind="set", target="toy"))
    client.play()
    until_type(client, Ready)
    (worker,) = active_children()
    worker.join(HANG_S)
    client.load(scenario(), 4)
    died = until_type(client, Died)[-1]
    assert isinstance(died, Died)
    assert died.session == client.session
    assert died.last_words is not None
    assert died.last_words.message == "ArithmeticError: the toy was told to break"


def test_a_run_file_that_cannot_be_written_ends_nothing(client: Client, tmp_path: Path) -> None:
    client.load(scenario(), run_file=tmp_path / "no" / "a.twinrun")
    (failed,) = until_type(client, Failed)
    assert isinstance(failed, Failed)
    assert failed.message.endswith(f"a.twinrun: no folder {tmp_path / 'no'}; create it first")
    client.load(scenario(), run_file=tmp_path / "a.twinrun")
    until_type(client, Ready)
    assert client.run_file == tmp_path / "a.twinrun"


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    with one_client(tmp_path, "toy_engine:Nothing") as client:
        client.start()
        messages = until_type(client, Died)
    assert "has no attribute 'Nothing'" in next(m for m in messages if isinstance(m, Failed)).message


def test_loading_again_drops_the_old_run(client: Client) -> None:
    client.load(scenario(LONG), 3)
    client.play()
    until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    first = client.run_file
    second = client.load(scenario("100 s", racks=7), 1)
    assert client.latest_frame() is None
    messages = until_type(client, Ready)
    assert {m.session for m in messages} == {second}
    client.step()
    until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    frame = client.latest_frame()
    assert frame is not None
    assert len(frame.values["rack.power_w"]) == 7
    assert first is not None
    with Reader(first) as reader:  # closed in good order, to be looked at or gone on with
        assert reader.nearest_snapshot(1e9) is not None
        assert reader.summary is None


def test_pause_step_and_speed(client: Client) -> None:
    client.load(scenario(), 3)
    client.step()
    stepped = until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    assert [e.row for e in events_of(stepped)] == [0]
    client.play(50.0)
    at = until(client, lambda m: isinstance(m, At) and m.playing and m.t_s > 12.0)[-1]
    client.play(500.0)
    until(client, lambda m: isinstance(m, At) and m.t_s > at.t_s + 20.0)  # type: ignore[union-attr]
    client.pause()
    stood = until(client, lambda m: isinstance(m, At) and not m.playing)[-1]
    client.step()
    assert len(events_of(until(client, lambda m: isinstance(m, At) and m.t_s > stood.t_s))) == 1  # type: ignore[union-attr]


def test_a_worker_that_does_not_listen_blocks_nobody(client: Client) -> None:
    big = scenario(notes="n" * 400_000)
    client.load(scenario())
    until_type(client, Ready)
    worker = worker_of(client)
    worker.suspend()
    for _ in range(5):
        client.load(big)
        assert client.poll() == []
    worker.resume()
    messages = until_type(client, Ready)
    assert messages[0].session == client.session


def test_the_worker_ends_with_its_parent(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from multiprocessing import active_children
        from toy_engine import NAME, scenario
        from twin.runtime.client import Client
        from twin.runtime.protocol import Ready
        if __name__ == "__main__":
            client = Client(NAME)
            client.load(scenario("2000 h"), 3, sys.argv[1])
            client.play()
            while not any(isinstance(m, Ready) for m in client.poll()):
                pass
            print(active_children()[0].pid, flush=True)
            sys.stdin.read()
    """
    path = tmp_path / "a.twinrun"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    ) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    gone, alive = psutil.wait_procs([worker], timeout=HANG_S)
    for left in memory_folder().glob(f"twin-frames-{parent.pid}-*"):  # the next start would remove it
        left.unlink()
    assert gone
    assert not alive
    with Reader(path) as reader:
        assert reader.header.seed == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a.twinrun"]  # folded: the worker had time to close it


def test_a_machine_without_memory_for_frames_says_so(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_layout: FrameLayout) -> FrameReader:
        raise NoMemory("There is no room")

    monkeypatch.setattr("twin.runtime.client.FrameReader", full)
    client.load(scenario(LONG), run_file=tmp_path / "a.twinrun")
    messages = until(client, lambda m: isinstance(m, Died))
    died = messages[-1]
    assert isinstance(died, Died)
    assert died.last_words is not None
    assert died.last_words.message == "There is no room"
    assert not [message for message in messages if isinstance(message, Failed)], "no fault of the scene"


def test_closing_folds_the_run_file(client: Client, tmp_path: Path) -> None:
    client.load(scenario(LONG), run_file=tmp_path / "r" / ".." / "a.twinrun")
    client.close()
    client.load(scenario(LONG), run_file=tmp_path / "a.twinrun")
    client.play()
    until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    client.close()
    client.close()
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["a.twinrun"]
    with Reader(tmp_path / "a.twinrun") as reader:
        at_s = reader.t_end_s
        assert at_s > 0
        assert reader.nearest_snapshot(1e9).t_s == at_s  # type: ignore[union-attr]
