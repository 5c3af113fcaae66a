from __future__ import annotations

import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import pytest

from twin.cli.app import GROUPS, command_names, with_command


@pytest.mark.parametrize("command", [*command_names(), "catalog list", "catalog show", "catalog check"])
def test_every_command_shows_an_example(twin, command: str) -> None:
    text = twin(*command.split(), "--help").stdout
    assert "Usage:" in text
    if command != "catalog":
        assert f"Example: twin {command}" in text


def test_a_scene_alone_opens_the_app() -> None:
    assert with_command(["llama3-16k", "--seed", "3"]) == ["open", "llama3-16k", "--seed", "3"]
    assert with_command([]) == ["open"]
    assert with_command(["run", "lab-16"]) == ["run", "lab-16"]
    assert with_command(["--version"]) == ["--version"]


def test_a_command_loads_no_other_and_nothing_heavy() -> None:
    code = """
import sys
import twin.cli
sys.argv = ["twin", "completion", "bash"]
try:
    twin.cli.main()
finally:
    print("loaded:", *sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    script, _, loaded = done.stdout.partition("loaded: ")
    assert "_TWIN_COMPLETE" in script
    heavy = {"numpy", "simpy", "PySide6", "vispy", "pint", "ruamel.yaml", "twin.scenario"}
    others = {entry.function.partition(":")[0] for group in GROUPS.values() for entry in group}
    assert "twin.cli.completion" in loaded.split()
    own = {"twin.cli.completion", "twin.cli.commands"}
    assert not (heavy | others - own) & set(loaded.split())


def test_wrong_words_are_refused_in_one_message(twin) -> None:
    result = twin("run", "lab-16", "--sed", "3", code=2)
    assert "--sed" in result.stderr
    assert result.stdout == ""


def test_without_a_display_open_says_what_to_do_instead(twin, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform in ("win32", "darwin"):
        return
    monkeypatch.setenv("DISPLAY", ":65000")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert "twin run" in twin("lab-16", code=3).stderr


def test_open_refuses_a_bad_scene_before_any_window(twin) -> None:
    assert "no such file or shipped scene" in twin("open", "nosuch", code=2).stderr
    assert not any(process.name == "twin worker" for process in active_children()), "it was for nothing"


def test_open_hands_scene_and_seed_to_the_window(
    twin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened = []
    monkeypatch.setattr("twin.app.shell.start.run_app", lambda path, **more: opened.append((path, more)) or 0)
    twin("lab-16", "--seed", "3")
    twin("run", "lab-16", "--until", "1 h", "--seed", "8", "--out", tmp_path / "a.twinrun", "--json")
    twin("open", tmp_path / "a.twinrun", "--no-play")
    twin()
    paths = [path() if callable(path) else path for path, _ in opened]
    names = [path and path.name for path in paths]
    assert names == ["lab-16.twin.yaml", "a.twinrun", None]
    assert [(more["seed"], more["play"]) for _, more in opened] == [(3, True), (None, False), (None, True)]


def test_a_recorded_run_takes_no_seed_and_no_time_to_show(twin, tmp_path: Path) -> None:
    recorded = tmp_path / "lab.twinrun"
    twin("run", "lab-16", "--until", "0 h 10 min", "--out", recorded)
    assert "--seed" in twin("open", recorded, "--seed", "3", code=2).stderr
    assert "--at" in twin("show", recorded, "--at", "5 min", code=2).stderr
