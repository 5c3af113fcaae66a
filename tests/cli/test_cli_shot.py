from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from twin.cli.moment import moment_of_run, moment_of_scene
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load


def pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)


@pytest.mark.gl
def test_a_picture_shows_the_hall_and_says_what_it_is(twin, qapp, tmp_path: Path) -> None:
    out = tmp_path / "lab.png"
    twin("shot", "lab-16", "--at", "2 h", "--seed", "4", "--size", "800x500", "-o", out)
    picture = pixels(out)
    assert picture.shape == (500, 800, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500
    said = {key: QImage(str(out)).text(key) for key in QImage(str(out)).textKeys()}
    assert said["Seed"] == "4"
    assert said["Simulated time s"] == "7200.000"
    assert len(said["Inputs hash"]) == 32


@pytest.mark.gl
def test_colours_cameras_and_themes_differ(twin, qapp, tmp_path: Path) -> None:
    words = ("shot", "lab-16", "--at", "1 h", "--size", "480x300", "-o", tmp_path / "a.png")
    seen = []
    for more in (
        (),
        ("--colour-by", "state"),
        ("--cables", "load"),
        ("--camera", "top"),
        ("--camera", "gpu/0/0"),
        ("--theme", "light"),
    ):
        twin(*words, *more)
        seen.append(pixels(tmp_path / "a.png").tobytes())
    assert len(set(seen)) == len(seen)


def test_a_moment_of_a_run_file_is_that_of_the_scene(tmp_path: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    run(scenario, seed=2, record=tmp_path / "a.twinrun")
    for at_s in (0.0, 1000.0, 50_000.0):
        live = moment_of_scene(scenario, 2, at_s, None)
        recorded = moment_of_run(str(tmp_path / "a.twinrun"), at_s, None)
        assert recorded.engine.event_hash() == live.engine.event_hash()
        assert recorded.inputs_hash == live.inputs_hash
        for channel, values in live.frame.values.items():
            np.testing.assert_array_equal(recorded.frame.values[channel], values, err_msg=channel)


def test_half_way_without_a_time(tmp_path: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    assert moment_of_scene(scenario, None, None, None).frame.t_s == pytest.approx(scenario.duration_s / 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lab-16", "--size", "huge"), "--size"),
        (("lab-16", "--size", "1x1"), "--size"),
        (("lab-16", "--at", "900 day"), "--at"),
        (("lab-16", "--at", "1 h", "--camera", "nosuch"), "overview"),
        (("lab-16", "--at", "1 h", "--colour-by", "mood"), "gpu.temp_c"),
        (("nosuch",), "shipped scene"),
        (("nosuch.twinrun",), "no such run file"),
        (("nosuch.twinrun", "--seed", "1"), "--seed"),
    ],
)
def test_bad_wishes_are_told_in_a_sentence(twin, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    if not os.environ.get("DISPLAY"):
        pytest.fail("the test suite runs under a display of its own (pytest-xvfb)")
    result = twin("shot", *words, "-o", tmp_path / "a.png", code=2)
    assert said in result.stderr
    assert not (tmp_path / "a.png").exists()


@pytest.mark.gl
def test_a_recorded_run_is_shown_at_any_time_and_says_what_made_it(twin, qapp, tmp_path: Path) -> None:
    recorded, out = tmp_path / "a.twinrun", tmp_path / "a.png"
    run(load("builtin:lab-16").scenario, seed=2, record=recorded)
    seen = []
    for at in ("0 s", "9.5 h", "20 h"):
        twin("shot", recorded, "--at", at, "--size", "480x300", "-o", out)
        seen.append(pixels(out).tobytes())
    assert len(set(seen)) == 3
    said = {key: QImage(str(out)).text(key) for key in QImage(str(out)).textKeys()}
    with Reader(recorded) as reader:
        times = reader.sample_times()
        assert float(said["Simulated time s"]) == pytest.approx(times[times <= 72000.0][-1], abs=1e-3)
        assert said["Event hash"] == reader.event_hash
        assert said["Inputs hash"] == reader.header.inputs_hash
        assert said["Scenario hash"] == reader.header.inputs["scenario"]
    assert said["Software"].startswith("gpu-twin ")
    assert "after the end" in twin("shot", recorded, "--at", "2 day", "-o", out, code=2).stderr


@pytest.mark.gl
def test_the_picture_of_a_recording_is_that_of_the_scene_it_was_made_of(twin, qapp, tmp_path: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    run(scenario, record=tmp_path / "a.twinrun")
    with Reader(tmp_path / "a.twinrun") as reader:
        times = reader.sample_times()
    at_s = float(times[len(times) // 2])
    for what, name in (("lab-16", "live.png"), (tmp_path / "a.twinrun", "recorded.png")):
        twin("shot", what, "--at", f"{at_s!r} s", "--size", "480x300", "-o", tmp_path / name)
    live, recorded = (pixels(tmp_path / name).astype(int) for name in ("live.png", "recorded.png"))
    assert np.abs(live - recorded).mean() < 0.5
