"""Edits of the hall through the worker: answered, shown, recorded, and there again after the worker was killed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import psutil
import pytest
from ready_processes import ready_processes
from replies import one_client, until, until_type

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit, racks, tiny, with_edits

from twin.record.reader import Reader
from twin.record.recorder import Recorder
from twin.runtime.client import Client
from twin.runtime.inline import InlineClient, run
from twin.runtime.protocol import Applied, At, Died, Finished, Ready, Refused, Relaid
from twin.sim.engine.engine import Engine

SCENE = tiny(nodes=3, duration="2 h")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with ready_processes(), one_client(tmp_path) as client:
        yield client


def test_an_edit_in_the_worker_shows_and_outlives_it(client: Client, tmp_path: Path) -> None:
    run_file = tmp_path / "edited.twinrun"
    client.load(SCENE, run_file=run_file)
    until_type(client, Ready)
    rev = client.intervene(edit(0.0, "more", racks(4), title="one rack more"))
    messages = until(client, lambda m: isinstance(m, At) and m.t_s > 0)
    (applied,) = [m for m in messages if isinstance(m, Applied)]
    assert applied.rev == rev
    assert applied.t_s == 0.001
    assert [m.layout.epoch for m in messages if isinstance(m, Relaid)] == [1]
    assert client.layout is not None
    assert client.layout.epoch == 1
    frame = client.latest_frame()
    assert frame is not None
    assert frame.layout.epoch == 1
    assert len(frame.values["node.condition"]) == 4
    no = client.intervene(edit(0.0, "seed", ("seed", "3")))
    (refused,) = [m for m in until_type(client, Refused) if isinstance(m, Refused)]
    assert refused.rev == no
    assert "seed" in refused.reason
    ahead = client.intervene(edit(3000.0, "less", absent("gpu/0/3")))
    until(client, lambda m: isinstance(m, Applied) and m.rev == ahead)

    (child,) = active_children()
    psutil.Process(child.pid).kill()
    until_type(client, Died)
    client.restart()
    messages = until_type(client, Ready)
    assert client.layout is not None
    assert client.layout.epoch == 1
    client.play()
    messages += until_type(client, Finished)
    (relaid,) = [m for m in messages if isinstance(m, Relaid)]
    assert relaid.layout.epoch == 2

    replay = Engine(
        with_edits(
            SCENE,
            edit(0.001, "more", racks(4), title="one rack more"),
            edit(3000.0, "less", absent("gpu/0/3")),
        )
    )
    replay.advance(replay.end_s)
    with Reader(run_file) as reader:
        assert reader.event_hash == replay.event_hash()
        assert [m.kind for m in reader.markers()] == ["edit", "edit"]


def test_what_is_ahead_is_taken_out_and_stays_out_when_the_worker_dies(
    client: Client, tmp_path: Path
) -> None:
    run_file, own = tmp_path / "out.twinrun", edit(4000.0, "own", racks(5))
    client.load(with_edits(SCENE, own), run_file=run_file)
    until_type(client, Ready)
    ahead = edit(3000.0, "less", absent("gpu/0/2"))
    client.intervene(ahead)
    client.withdraw(ahead)
    rev = client.withdraw(own)
    messages = until(client, lambda m: isinstance(m, Applied) and m.rev == rev)
    assert not any(isinstance(m, Refused) for m in messages)
    client.withdraw(own)
    (refused,) = [m for m in until_type(client, Refused) if isinstance(m, Refused)]
    assert refused.reason == "no edit 'own' is pending in this run"
    (child,) = active_children()
    psutil.Process(child.pid).kill()
    until_type(client, Died)
    client.restart()
    client.play()
    until_type(client, Finished)
    plain = Engine(SCENE)
    plain.advance(plain.end_s)
    with Reader(run_file) as reader:
        assert reader.event_hash == plain.event_hash()
        assert [m.kind for m in reader.markers()] == ["edit", "withdrawn", "withdrawn"]


def test_standing_between_events_an_edit_acts_as_in_a_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path))
    inline = InlineClient()
    inline.load(SCENE)
    for _ in range(4):  # stands exactly at an event
        inline.step()
    rev = inline.intervene(edit(0.0, "less", absent("gpu/0/0")))
    (applied,) = [m for m in inline.poll() if isinstance(m, Applied)]
    assert applied.rev == rev
    inline.play()
    while inline.pump(1.0):
        pass
    inline.close()
    assert inline.run_file is not None
    replay = Engine(with_edits(SCENE, edit(applied.t_s, "less", absent("gpu/0/0"))))
    replay.advance(replay.end_s)
    with Reader(inline.run_file) as reader:
        assert reader.event_hash == replay.event_hash()
        assert reader.summary is not None


def test_a_recording_goes_on_over_edits(tmp_path: Path) -> None:
    scene = with_edits(SCENE, edit(1800.0, "more", racks(5)), edit(3600.0, "less", absent("gpu/0/0")))
    path = tmp_path / "run.twinrun"
    result = run(scene, record=path)
    with Reader(path) as reader:
        header = reader.header
        assert header.ids["rack"] == tuple(f"gpu/0/{i}" for i in range(5))
        assert [layout.counts["rack"] for _, layout in reader.epochs()] == [3, 5, 5]
        assert header.layout == result.engine.layout
        first, late = (reader.series(i, "rack.power_w") for i in (0, 4))
        assert first.t_s[0] == 0.0
        assert late.t_s[0] >= 1800.0
        assert (first.mean[first.t_s > 3600.0] == 0.0).all()
        assert (first.mean[first.t_s < 3600.0] > 1000.0).all()
        assert (late.mean > 1000.0).all()
        t_s, columns = reader.samples(["rack.power_w", "site.spares"], -1.0, 100, header.layout)
        assert columns["rack.power_w"].shape == (5, len(t_s))
        assert np.isnan(columns["rack.power_w"][4][t_s < 1800.0]).all()
        spares = columns["site.spares"][0]
        assert (spares[(t_s > 0.0) & (t_s < 1800.0)] == 1.0).all()
        assert (spares[(t_s > 1800.0) & (t_s < 3600.0)] == 3.0).all()
        assert header.scenario == scene


def test_a_recording_that_is_resumed_keeps_its_epochs(tmp_path: Path) -> None:
    scene = with_edits(SCENE, edit(1800.0, "more", racks(5)))
    path = tmp_path / "run.twinrun"
    engine = Engine(scene)
    recorder = Recorder(engine, path)
    for until_s in np.arange(60.0, 3000.0, 60.0):
        engine.advance(float(until_s))
        recorder.observe()
    recorder.close()
    for at_s in (2500.0, 900.0):
        with Reader(path) as reader:
            snapshot = reader.nearest_snapshot(at_s)
        assert snapshot is not None
        engine = Engine.restore(scene, snapshot.data)
        recorder = Recorder(engine, path, resume=True, resumed=snapshot)
        engine.advance(3000.0)
        recorder.observe()
        recorder.close()
        with Reader(path) as reader:
            assert [layout.counts["rack"] for _, layout in reader.epochs()] == [3, 5]
            assert reader.series(4, "rack.power_w").t_s[0] >= 1800.0
