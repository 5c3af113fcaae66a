"""A recording shows a stop of a job for as long as it lasted, however far its regular samples are apart."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from twin.record.channels import State
from twin.record.reader import Reader
from twin.record.recorder import SAMPLES, SETTLED_S, WARM_S, Recorder
from twin.runtime.inline import run
from twin.scenario import load
from twin.scenario.schema.faults import Intervention

RUNS_ON = ("job_running", "job_resumed")


def test_a_sample_of_a_job_that_stands_is_followed_by_one_when_it_runs_on(tmp_path: Path) -> None:
    fails = [
        Intervention(id=f"f{hour}", at_s=3600.0 * hour + 7.0, kind="fail", target="gpu/0/1", duration_s=600.0)
        for hour in (2, 5, 8)
    ]
    path = tmp_path / "lab.twinrun"
    run(load("builtin:lab-16").scenario, 1, until_s=32000.0, record=path, interventions=fails)
    with Reader(path) as reader:
        curve = reader.series(0, "site.goodput_now", points=10**6)
        events = reader.events(0, 10**5)
    goodput = dict(zip(curve.t_s.tolist(), curve.mean.tolist(), strict=True))
    stops = [event.t_s for event in events if event.kind == "job_interrupted"]
    returns = [event.t_s for event in events if event.kind in RUNS_ON]
    assert stops == [fail.at_s for fail in fails]
    assert len(returns) == len(stops) + 1  # the first of them is the begin
    assert all(goodput[t_s] == 0.0 for t_s in stops)
    assert all(goodput[t_s] > 0.0 for t_s in returns)


def test_gpus_that_work_again_are_shown_warm_soon(tmp_path: Path) -> None:
    path = tmp_path / "row.twinrun"
    run(load("builtin:nvl72-row").scenario, 1, until_s=1500.0, record=path)
    with Reader(path) as reader:
        curve = reader.series(0, "site.gpu_max_c", points=10**6)
        begin_s = next(event.t_s for event in reader.events(0, 100) if event.kind in RUNS_ON)
    hottest_c = dict(zip(curve.t_s.tolist(), curve.mean.tolist(), strict=True))
    assert hottest_c[begin_s] < hottest_c[1500.0] - 20.0
    assert abs(hottest_c[begin_s + SETTLED_S] - hottest_c[1500.0]) < 1.0


@pytest.mark.slow
def test_every_one_of_many_stops_has_its_picture_and_one_when_the_job_runs_on(tmp_path: Path) -> None:
    """Each interruption is seen where it happened, counted, with its node down."""
    fails = [
        Intervention(id=f"f{n}", at_s=1000.0 + 3600.0 * n, kind="fail", target="gpu/0/1", duration_s=600.0)
        for n in range(110)
    ]
    path, asked_s = tmp_path / "lab.twinrun", {fail.at_s for fail in fails}
    scene = load("builtin:lab-16").scenario.model_copy(update={"duration_s": fails[-1].at_s + 3600.0})
    run(scene, 1, record=path, interventions=fails)
    with Reader(path) as reader:
        times_s = set(reader.sample_times().tolist())
        events = reader.events(0, 10**5)
        stops = [event.t_s for event in events if event.kind == "job_interrupted"]
        returns = [event.t_s for event in events if event.kind in RUNS_ON]
        assert len(stops) > 100
        assert times_s.issuperset(stops)
        ahead = [min(one for one in times_s if one >= t_s) - t_s for t_s in returns]
        assert max(ahead) <= WARM_S  # at work again; where stops are many, once it is warm
        for t_s in returns:
            assert reader.frame(t_s + WARM_S).values["site.goodput_now"][0] > 50.0
        for number, t_s in enumerate(stops, 1):
            values = reader.frame(t_s).values
            assert values["site.interruptions"][0] == number
            assert values["site.goodput_now"][0] == 0.0
            if t_s in asked_s:
                assert values["site.nodes_down"][0] >= 1
                assert (values["gpu.state"] == State.FAILED).any()


def test_many_events_leave_fewer_samples_to_regular_times() -> None:
    """The more samples came at events, the further are those at regular times apart: a run costs no more for them."""

    class Busy(Recorder):
        _is_past = False

        def __init__(self, last_s: float, irregular: int) -> None:
            self._interval_s, self._begin_s, self._settled_s = 100.0, 0.0, math.inf
            self._last_sample_s, self._irregular = last_s, irregular

    assert [Busy(5030.0, many).next_s for many in (0, 20, 30, 60, 120)] == [5100, 5100, 5200, 5200, 5600]
    assert Busy(100.0, 2).next_s == 200.0  # at the start of a run


def test_two_runs_that_part_have_pictures_of_the_same_times(tmp_path: Path) -> None:
    fails = [
        Intervention(id=f"f{n}", at_s=1000.0 + 777.0 * n, kind="fail", target="gpu/0/1", duration_s=100.0)
        for n in range(30)
    ]
    times_s = []
    for name, done in (("quiet", []), ("busy", fails)):
        path = tmp_path / f"{name}.twinrun"
        run(load("builtin:lab-16").scenario, 1, until_s=40_000.0, record=path, interventions=done)
        with Reader(path) as reader:
            times_s.append(reader.sample_times())
    common_s = np.intersect1d(*times_s)
    assert np.diff(common_s).max() <= 8 * load("builtin:lab-16").scenario.duration_s / SAMPLES
