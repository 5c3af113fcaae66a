"""The first picture of a recording is of a run that has begun: its jobs hold their GPUs and spares stand by."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.runtime.inline import InlineClient, go_on, run
from twin.runtime.protocol import At, Happened
from twin.scenario import load
from twin.sim.engine.engine import Engine

SHOWN = (
    "site.spares",
    "site.allocated",
    "site.nodes_down",
    "job.gpus",
    "gpu.job",
    "gpu.state",
    "node.condition",
)


def begun() -> Frame:
    """Return how a run of `SCENE` stands when what happens at its start has happened."""
    engine = Engine(SCENE, 1)
    engine.advance(0.0)
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    assert frame.values["site.spares"][0] > 0
    assert frame.values["site.allocated"][0] > 0
    return frame


def shows_it(path: Path) -> None:
    """The recording at `path` begins with that."""
    with Reader(path) as reader:
        times_s, first = reader.sample_times(), reader.frame(0.0)
    assert times_s[0] == 0.0
    assert np.all(np.diff(times_s) > 0)
    for channel in SHOWN:
        assert np.array_equal(first.values[channel], BEGUN.values[channel]), channel
    assert first.events == BEGUN.events


def test_of_a_headless_run_and_one_gone_on_with_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "run.twinrun"
    run(SCENE, 1, until_s=400.0, record=path)
    shows_it(path)
    client = InlineClient()
    client.load(SCENE, 1, tmp_path / "window.twinrun")
    client.close()  # before anything was played: there is no state to go on from but the start
    go_on(SCENE, tmp_path / "window.twinrun", until_s=400.0)
    shows_it(tmp_path / "window.twinrun")


def test_of_the_window_before_it_is_played_and_after_a_pause(tmp_path: Path) -> None:
    path = tmp_path / "run.twinrun"
    client = InlineClient()
    client.load(SCENE, 1, path)
    frame, messages = client.latest_frame(), client.poll()
    assert frame is not None
    for channel in SHOWN:
        assert np.array_equal(frame.values[channel], BEGUN.values[channel]), channel
    assert sum(len(one.events) for one in messages if isinstance(one, Happened)) == BEGUN.events
    assert [one.t_s for one in messages if isinstance(one, At)] == [0.0]
    client.pause()
    client.play()
    while client.pump() and not any(isinstance(one, At) and one.t_s > 200.0 for one in client.poll()):
        pass
    client.close()
    shows_it(path)


def test_a_run_that_never_left_its_start_has_its_picture(tmp_path: Path) -> None:
    path = tmp_path / "run.twinrun"
    client = InlineClient()
    client.load(SCENE, 1, path)
    shows_it(path)
    client.close()
    shows_it(path)


SCENE = load("builtin:superpod-h100").scenario
BEGUN = begun()
