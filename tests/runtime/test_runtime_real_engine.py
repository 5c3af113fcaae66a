"""The shipped engine in the runtime: one hash headless, recorded, in slices, in a worker, and after a crash."""

from __future__ import annotations

from multiprocessing import active_children
from pathlib import Path
from select import select
from time import monotonic

import psutil
import pytest

from twin.record.events import Event
from twin.record.reader import Reader
from twin.record.scenario_json import from_json, to_json
from twin.resources import folder
from twin.runtime.client import Client
from twin.runtime.inline import InlineClient, run
from twin.runtime.protocol import At, Died, Failed, Finished, Happened, Message, Ready
from twin.scenario import Scenario, load

PATIENCE_S = 90.0
SCENES = ["lab-16", "superpod-h100", "llama3-16k", "nvl72-row", "video-ingest"]


def scene(name: str) -> Scenario:
    return load(Path(str(folder("scenes") / f"{name}.twin.yaml"))).scenario


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_kept_exactly(name: str) -> None:
    original = scene(name)
    assert from_json(to_json(original)) == original


@pytest.mark.parametrize("name", ["lab-16", "nvl72-row"])
def test_one_run_however_it_is_run(name: str, tmp_path: Path) -> None:
    original = scene(name)
    bare = run(original, 1).engine
    recorded = run(original, 1, record=tmp_path / "a.twinrun").engine
    client = InlineClient()
    client.load(original, 1, tmp_path / "b.twinrun")
    client.play()
    while client.pump(0.003):
        assert client.latest_frame() is None or client.layout == bare.layout
    client.close()
    assert recorded.event_hash() == bare.event_hash()
    assert recorded.summary() == bare.summary()
    for path in ("a.twinrun", "b.twinrun"):
        with Reader(tmp_path / path) as reader:
            assert reader.event_hash == bare.event_hash()
            assert reader.events() == list(bare.events(0))
            assert reader.header.scenario == original
            site = reader.series(0, "site.it_w", points=10**6)
            assert site.t_s[-1] == original.duration_s
            assert site.mean.min() > 0


def test_a_crash_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    original = scene("llama3-16k").model_copy(update={"duration_s": 2 * 86400.0})
    straight = run(original, 1).engine
    client = Client()
    told: list[Event] = []

    def until(kind: type, past_s: float = 0.0) -> Message:
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            messages = client.poll()
            told.extend(e for m in messages if isinstance(m, Happened) for e in m.events)
            for message in messages:
                if isinstance(message, kind) and getattr(message, "t_s", past_s) >= past_s:
                    return message
            select([], [], [], 0.005)
        raise AssertionError(f"no {kind.__name__}")

    client.load(original, 1, tmp_path / "a.twinrun")
    client.play()
    until(At, 0.6 * 86400.0)
    psutil.Process(active_children()[0].pid).kill()
    until(Died)
    client.restart()
    finished = until(Finished)
    client.close()
    assert isinstance(finished, Finished)
    assert finished.summary == straight.summary()
    assert told == list(straight.events(0))


def test_a_scene_that_cannot_run_is_said_and_the_next_one_runs(tmp_path: Path) -> None:
    good = scene("lab-16")
    job = good.jobs[0].model_copy(update={"nodes": 9999})
    client = InlineClient()
    client.load(good.model_copy(update={"jobs": (job,)}), 1, tmp_path / "a.twinrun")
    (failed,) = client.poll()
    assert isinstance(failed, Failed)
    assert job.id in failed.message
    assert "\n" not in failed.message
    client.load(good, 1, tmp_path / "a.twinrun")
    assert isinstance(client.poll()[0], Ready)
    client.close()
