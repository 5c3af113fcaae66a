"""`twin merge`, and git that shows and merges scenes by what they mean: in a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Twin = Callable[..., Result]
SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: Hall
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {count: 4, nodes: [{part: DGX-H100, count: 4}]}
"""
MORE = "      - {id: more, at: {x: 0 m, y: 8 m}, racks: {count: 2}}\n"


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a base and two scenes made of it: other racks in a row each, and one more row."""
    monkeypatch.chdir(tmp_path)
    Path("base.twin.yaml").write_text(SCENE)
    Path("a.twin.yaml").write_text(SCENE.replace("count: 4, nodes", "count: 6, nodes"))
    Path("b.twin.yaml").write_text(SCENE + MORE)
    Path("c.twin.yaml").write_text(SCENE.replace("count: 4, nodes", "count: 8, nodes") + MORE)
    return tmp_path


def test_a_rack_each_is_merged_and_passes_its_check(twin: Twin, three: Path) -> None:
    said = twin("merge", "base.twin.yaml", "a.twin.yaml", "b.twin.yaml", "-o", "both.twin.yaml")
    assert "A changed 1 thing" in said.stdout
    assert "B changed 1 thing" in said.stdout
    text = Path("both.twin.yaml").read_text()
    assert "count: 6" in text
    assert "id: more" in text
    twin("diff", "both.twin.yaml", "both.twin.yaml")


def test_a_conflict_is_told_with_both_values_and_nothing_is_written_until_it_is_decided(
    twin: Twin, three: Path
) -> None:
    words = ("merge", "base.twin.yaml", "a.twin.yaml", "c.twin.yaml", "-o", "both.twin.yaml")
    said = twin(*words, code=1).stdout
    path = "halls[hall].rows[gpu].racks.count"
    assert f"both changed {path}" in said
    assert "4 \N{RIGHTWARDS ARROW} 6" in said
    assert "4 \N{RIGHTWARDS ARROW} 8" in said
    assert f"--take '{path}=a'" in said
    assert not Path("both.twin.yaml").exists()
    twin(*words, "--take", f"{path}=b")
    assert "count: 8" in Path("both.twin.yaml").read_text()
    assert "exists already" in twin(*words, "--take", "a", code=2).stderr
    twin(*words, "--take", "a", "--replace")
    assert "count: 6" in Path("both.twin.yaml").read_text()
    assert (
        "is no place that both changed; they are halls"
        in twin(*words, "--take", "nonsense=a", "--replace", code=2).stderr
    )
    assert "says neither a nor b" in twin(*words, "--take", "mine", "--replace", code=2).stderr
    assert "must end in .twin.yaml" in twin(*words[:-1], "both.yaml", code=2).stderr


def test_what_the_rules_find_in_the_result_alone_is_told(twin: Twin, three: Path) -> None:
    beside = "      - {id: %s, at: {x: 0 m, y: 8 m}, racks: {count: 2}}\n"
    Path("a.twin.yaml").write_text(SCENE + beside % "one")
    Path("b.twin.yaml").write_text(SCENE + beside % "two")
    said = twin("merge", "base.twin.yaml", "a.twin.yaml", "b.twin.yaml", "-o", "both.twin.yaml", code=1)
    assert "two/0/0" in said.stderr
    assert Path("both.twin.yaml").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_shows_and_merges_scenes_by_what_they_mean(twin: Twin, three: Path) -> None:
    (bin := three / "bin").mkdir()
    (bin / "twin").write_text(f'#!/bin/sh\nexec {sys.executable} -m twin.cli "$@"\n')
    (bin / "twin").chmod(0o755)
    env = os.environ | {
        "PATH": f"{bin}:{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "HOME": str(three),
    }
    env["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])

    def git(*words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *words], env=env, capture_output=True, text=True, check=False, timeout=120
        )
        assert bool(done.returncode) == fails, done.stderr
        return done.stdout + done.stderr

    (repository := three / "repository").mkdir()
    os.chdir(repository)
    git("init", "-q", "-b", "main")
    git("config", "user.email", "a@b.c")
    git("config", "user.name", "A")
    Path(".gitattributes").write_text("*.png binary")
    twin("install-git-driver")
    twin("install-git-driver")
    assert Path(".gitattributes").read_text() == "*.png binary\n*.twin.yaml diff=twin merge=twin\n"
    scene = Path("hall.twin.yaml")
    scene.write_text(SCENE)
    git("add", "-A")
    git("commit", "-qm", "Base")
    git("switch", "-qc", "theirs")
    scene.write_text(SCENE + MORE)
    assert "Row more" in git("diff")
    git("commit", "-qam", "One more row")
    git("switch", "-q", "main")
    scene.write_text(SCENE.replace("count: 4, nodes", "count: 6, nodes"))
    assert "Row gpu, racks count: 4 \N{RIGHTWARDS ARROW} 6" in git("diff")
    git("commit", "-qam", "Two more racks")
    git("merge", "-q", "theirs", "-m", "Both")
    assert "count: 6" in scene.read_text()
    assert "id: more" in scene.read_text()
    git("switch", "-qc", "other", "main~2")
    scene.write_text(SCENE.replace("count: 4, nodes", "count: 9, nodes"))
    git("commit", "-qam", "Nine")
    said = git("merge", "main", "-m", "Conflict", fails=True)
    assert "both changed halls[hall].rows[gpu].racks.count" in said
    assert "4 \N{RIGHTWARDS ARROW} 6" in said
    scene.write_text("no scene: [")
    assert "cannot be read, so by lines" in git("diff", "HEAD")
    os.chdir(three)
    assert "git" in twin("install-git-driver", three / "bin", code=2).stderr
