"""The shipped engine in the runtime: one hash headless, recorded, in slices, in a worker, and after a crash."""

from __future__ import annotations

from multiprocessing import active_children
from pathlib import Path

import psutil
import pytest
from replies import events_of, one_client, until, until_type
from usual_cases import usually

from twin.record.reader import Reader
from twin.record.scenario_json import from_json, to_json
from twin.resources import folder
from twin.runtime.inline import InlineClient, run
from twin.runtime.protocol import At, Died, Failed, Finished, Ready
from twin.scenario import Scenario, load

SCENES = ["lab-16", "superpod-h100", "llama3-16k", "nvl72-row", "video-ingest"]


def scene(name: str) -> Scenario:
    return load(Path(str(folder("scenes") / f"{name}.twin.yaml"))).scenario


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_kept_exactly(name: str) -> None:
    original = scene(name)
    assert from_json(to_json(original)) == original


@pytest.mark.parametrize("name", usually(["lab-16", "nvl72-row"], 1))
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


@pytest.mark.slow
def test_a_crash_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    original = scene("llama3-16k").model_copy(update={"duration_s": 2 * 86400.0})
    straight = run(original, 1).engine
    with one_client(tmp_path) as client:
        client.load(original, 1, tmp_path / "a.twinrun")
        client.play()
        messages = until(client, lambda message: isinstance(message, At) and message.t_s >= 0.6 * 86400.0)
        psutil.Process(active_children()[0].pid).kill()
        messages += until_type(client, Died)
        client.restart()
        messages += until_type(client, Finished)
    finished = next(message for message in reversed(messages) if isinstance(message, Finished))
    told = events_of(messages)
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
