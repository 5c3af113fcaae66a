"""`twin compare` at the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def runs(twin, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("compare")
    a, b = folder / "a.twinrun", folder / "b.twinrun"
    twin("run", "lab-16", "--until", "12 h", "--out", a)
    twin("run", "lab-16", "--until", "12 h", "--out", b, "--set", "jobs[llama3].checkpoint.interval=10 min")
    return a, b


def test_two_recordings_are_read_not_run(
    twin, runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twin.analysis.seeds.samples", None)
    said = json.loads(twin("compare", *runs, "--json").stdout)
    assert said["seeds"] == [1]
    goodput = said["figures"]["goodput"]
    assert goodput["difference"] == goodput["b"] - goodput["a"] != 0
    assert goodput["paired_half_width"] is None
    way = said["waterfall"]
    total = way["a_productive_gpu_h"] + math.fsum(step["gpu_h"] for step in way["steps"])
    assert total == pytest.approx(way["b_productive_gpu_h"], abs=1e-9)
    text = twin("compare", *runs).stdout
    assert "checkpoint stall" in text
    assert "One run of each" in text


@pytest.mark.usefixtures("qapp")
def test_halls_of_runs_and_designs_are_drawn_side_by_side(
    twin, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    of_runs, of_designs = tmp_path / "runs.pdf", tmp_path / "designs.pdf"
    twin("compare", *runs, "--drawing", of_runs, "--paper", "A4")
    assert of_runs.read_bytes().startswith(b"%PDF")
    twin("compare", "lab-16", "superpod-h100", "--designs", "--drawing", of_designs)
    assert of_designs.read_bytes().startswith(b"%PDF")
    assert "must end in .pdf" in twin("compare", *runs, "--drawing", tmp_path / "c.txt", code=2).stderr


def test_scenes_are_run_over_the_same_seeds(twin) -> None:
    words = ("compare", "lab-16", "lab-16", "--set-b", "jobs[llama3].checkpoint.pause=40 s", "--until", "8 h")
    said = json.loads(twin(*words, "--seeds", "3", "--seed", "5", "--json").stdout)
    assert said["seeds"] == [5, 6, 7]
    ettr = said["figures"]["ettr"]
    assert ettr["difference"] < 0
    assert ettr["beyond_chance"] is True
    assert ettr["paired_half_width"] >= 0
    text = twin(*words, "--seeds", "2").stdout
    assert "paired ±" in text
    assert "unpaired ±" in text
    assert "Significant" in text
    assert "ETTR (A is better)" in " ".join(text.split())
    assert "Rerun from the start." in text
    assert "A: A laboratory with 16 GPUs (lab-16)" in text
    assert "B: the same, with jobs[llama3].checkpoint.pause=40 s" in text
    assert [one["seed"] for one in ettr["by_seed"]] == [5, 6, 7]
    assert (ettr["seeds_higher"], ettr["seeds_lower"]) == (0, 3)
    apart = [one["b"] - one["a"] for one in ettr["by_seed"]]
    assert math.fsum(apart) / 3 == pytest.approx(ettr["difference"], abs=1e-15)


def test_a_run_beside_a_scene_is_run_anew(twin, runs: tuple[Path, Path]) -> None:
    said = json.loads(twin("compare", runs[0], "lab-16", "--until", "12 h", "--json").stdout)
    assert said["figures"]["goodput"]["difference"] == 0.0
    assert said["waterfall"]["steps"] == []


def test_what_cannot_be_compared_is_said_in_one_sentence(
    twin, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    assert "shipped scene" in twin("compare", "lab-16", "lab-17", code=2).stderr
    assert "--set" in twin("compare", runs[0], "lab-16", "--set", "seed=3", code=2).stderr
    broken = tmp_path / "x.twinrun"
    broken.write_bytes(b"no")
    assert "not a run file" in twin("compare", broken, runs[1], code=2).stderr
