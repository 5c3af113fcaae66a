"""The curves of a run come from its record: they show what happened however fast it was played; no window needed."""

from __future__ import annotations

import math
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from twin.app.session.plot_pages import CURVES_SHOWN, PUE_RUN
from twin.app.session.session import DEFAULT_SPEED, Session
from twin.app.session.site_curves import RunCurves
from twin.app.toolkit.clock import Clock
from twin.record.frame import Frame
from twin.record.recorder import SAMPLES, Recorder
from twin.scenario import load
from twin.sim.engine.engine import Engine

_SCENES = Path(__file__).parents[2] / "scenes"
_UNTIL_S = 600.0  # a run of two hours is sampled every 8 s, and when something happens


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Engine, Frame]:
    """The pump trip, ten minutes of it, as the worker records it; only the last frame reached the window."""
    path = tmp_path_factory.mktemp("runs") / "trip.twinrun"
    engine = Engine(load(_SCENES / "pump-trip.twin.yaml").scenario)
    recorder = Recorder(engine, path)
    while engine.now_s < _UNTIL_S:
        engine.advance(min(recorder.next_s, _UNTIL_S), alert=recorder.alert)
        recorder.observe()
    recorder.commit()
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    frame.t_s = engine.now_s
    recorder.abandon()
    return path, engine, frame


def followed(path: Path, frame: Frame) -> RunCurves:
    curves = RunCurves()
    curves.follow(path)
    curves.add(frame)
    for turn in range(100):
        curves.read(frame.t_s, float(turn))
    return curves


def test_a_trip_of_twenty_seconds_shows_though_no_frame_saw_it(recorded: tuple[Path, Engine, Frame]) -> None:
    path, _, frame = recorded
    curves = followed(path, frame)
    history = curves.history
    assert len(history) > _UNTIL_S * SAMPLES / 7200  # each regular sample, and those at warnings
    assert np.all(np.diff(history.times_s()) > 0)
    assert history.times_s()[-1] == _UNTIL_S
    assert history.series("site.gpu_max_c").max() > 88.0
    later = history.times_s() > 240.0
    assert history.series("site.it_w")[later].min() < 0.8 * history.series("site.it_w")[later].max()


def test_pue_so_far_is_energy_over_energy(recorded: tuple[Path, Engine, Frame]) -> None:
    path, _, frame = recorded
    history = followed(path, frame).history
    t_s, it_w, all_w = (history.times_s(), history.series("site.it_w"), history.series("site.facility_w"))
    expected = np.trapezoid(all_w, t_s) / np.trapezoid(it_w, t_s)
    assert history.series(PUE_RUN)[-1] == pytest.approx(expected, rel=2e-3)
    assert followed(path, frame).at(PUE_RUN, math.inf) == history.series(PUE_RUN)[-1]


def test_a_run_that_is_put_back_goes_on_with_the_curves_it_had(recorded: tuple[Path, Engine, Frame]) -> None:
    path, _, frame = recorded
    curves = followed(path, frame)
    history, names = curves.history, ("site.it_w", PUE_RUN)
    times_s, before = history.times_s().copy(), [history.series(name).copy() for name in names]
    curves.go_back(400.0)
    stays = int((times_s <= 400.0).sum())
    assert (history.times_s() == times_s[:stays]).all()
    assert curves.at("site.it_w", math.inf) == before[0][stays - 1]
    for turn in range(100):
        curves.read(frame.t_s, 1000.0 + turn)
    assert (history.times_s() == times_s).all()
    for name, known in zip(names, before, strict=True):
        assert history.series(name) == pytest.approx(known, rel=1e-9, nan_ok=True)


def test_without_a_record_frames_are_drawn(recorded: tuple[Path, Engine, Frame], tmp_path: Path) -> None:
    _, _, frame = recorded
    curves = RunCurves()
    assert math.isnan(curves.at(PUE_RUN, math.inf))
    curves.follow(tmp_path / "none.twinrun")
    curves.add(frame)
    curves.read(frame.t_s, 0.0)
    assert len(curves.history) == 1
    assert curves.history.names == CURVES_SHOWN


def test_a_scene_tells_how_fast_it_wants_to_be_played(qapp: object) -> None:
    session = Session()
    try:
        session.open(_SCENES / "pump-trip.twin.yaml")
        assert session.speed == 10.0
        session.open(_SCENES / "lab-16.twin.yaml")
        assert session.speed == DEFAULT_SPEED
        session.set_speed(60.0)
        session.open(_SCENES / "pump-trip.twin.yaml")
        session.open(_SCENES / "lab-16.twin.yaml")
        assert session.speed == 60.0
    finally:
        session.close()


def test_the_clock_says_the_day_only_where_there_are_several() -> None:
    start = datetime.fromisoformat("2026-06-01T09:55-05:00")
    assert Clock(start, dated=False).says(300.0) == "10:00:00"
    assert Clock(start, dated=True).says(86_400.0) == "2 Jun 09:55:00"
    assert Clock(start, dated=False).since(320.0) == "00:05:20 after the start"
