"""What is named on the command line and is something else: a sentence says what it is, and what to give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a run and a scene."""
    made = tmp_path / "made"
    made.mkdir()
    run(load("builtin:lab-16").scenario, record=made / "lab.twinrun", until_s=3600.0)
    (made / "own.twin.yaml").write_text(load("builtin:lab-16").text)
    return made


def sentence(twin: Twin, *words: object) -> str:
    said = twin(*words, code=2).stderr
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    return said.removeprefix("error: ").rstrip()


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "{}"),
        ("verify", "{}"),
        ("export", "{}", "-o", "out.csv"),
        ("branch", "{}", "--at", "1 h", "-o", "out.twin.yaml"),
        ("video", "{}", "-o", "out.mp4"),
    ],
)
def test_what_is_no_run_is_named(twin: Twin, folder: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    def told(name: object) -> str:
        return sentence(twin, *(word.format(name) for word in words))

    assert told(folder) == f"{folder}: this is a folder; give a file in it: {folder / 'lab.twinrun'}"
    (folder / "lab.twinrun").unlink()
    assert told(folder) == f"{folder}: this is a folder; give a *.twinrun file"
    own = folder / "own.twin.yaml"
    needed = "and a recorded run is needed; make one with: twin run"
    assert told(own) == f"{own}: this is a scene, {needed} {own} --out own.twinrun"
    bare = folder / "own"
    assert told(bare) == f"{bare}: this is a scene, {needed} {bare} --out own.twinrun"
    assert told("lab-16") == f"lab-16: this is a shipped scene, {needed} lab-16 --out lab-16.twinrun"
    assert "shipped scene" in told("builtin:lab-16")
    assert "there is no such run file" in told(tmp_path / "none")


@pytest.mark.parametrize(
    "words", [("run", "{}"), ("check", "{}"), ("grow", "{}", "--to", "64"), ("risk", "{}")]
)
def test_what_is_no_scene_is_named(twin: Twin, folder: Path, words: tuple[str, ...]) -> None:
    def told(name: object) -> str:
        return sentence(twin, *(word.format(name) for word in words))

    path = folder / "lab.twinrun"
    assert told(path).startswith(
        f"{path}: this is a recorded run, and a scene is needed; give a .twin.yaml file or a"
    )
    assert told(folder) == f"{folder}: this is a folder; give a file in it: {folder / 'own.twin.yaml'}"


@pytest.mark.parametrize("words", [("show", "{}"), ("compare", "{}", "lab-16"), ("report", "{}")])
def test_where_either_may_stand_a_folder_is_named(
    twin: Twin, folder: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (folder / "own.twin.yaml").unlink()
    said = sentence(twin, *(word.format(folder) for word in words))
    assert said == f"{folder}: this is a folder; give a file in it: {folder / 'lab.twinrun'}"
    empty = tmp_path / "empty"
    empty.mkdir()
    said = sentence(twin, *(word.format(empty) for word in words))
    assert said == f"{empty}: this is a folder; give a *.twin.yaml or *.twinrun file"


def test_times_are_told_as_everywhere(twin: Twin, folder: Path, tmp_path: Path) -> None:
    said = sentence(twin, "shot", folder / "lab.twinrun", "--at", "5 h", "-o", tmp_path / "a.png")
    assert said == "--at: 5 h lies after the end, 1 h; give a time before it"
    said = sentence(twin, "shot", "lab-16", "--at", "50 h", "-o", tmp_path / "a.png")
    assert said == "--at: 2 d 2 h lies after the end, 1 d; give a time before it"


def test_a_choice_that_there_is_not_is_told_in_our_words(twin: Twin, folder: Path) -> None:
    words = ("export", folder / "lab.twinrun", "--format", "trace", "-o", "x.json")
    said = twin(*words, code=2).stderr
    assert "Invalid value for '--format': 'trace' is not one of 'csv', 'openmetrics', 'parquet'" in said
    assert "Value error" not in said


def test_halls_of_very_different_size_are_remarked(twin: Twin) -> None:
    said = " ".join(twin("compare", "lab-16", "nvl72-row", "--until", "60 s").stdout.split())
    assert (
        "A has 16 GPUs, B 576: what grows with a hall, as energy, power and interruptions do, differs" in said
    )
