from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from twin.cli.moment import moment_of_run, moment_of_scene
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
        ("--colour-by", "gpu.state"),
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
