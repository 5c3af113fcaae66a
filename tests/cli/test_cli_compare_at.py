"""`twin compare --at`: a run and a branch of it, up to and beyond the cut."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]


def test_up_to_the_cut_a_run_and_its_branch_are_the_same_and_beyond_they_are_not(
    twin: Twin, tmp_path: Path
) -> None:
    """The cut at 18,187 s lies within a thermal step: integrated again the energy differs by 1.5e-9 kWh."""
    lab, branch = tmp_path / "lab.twinrun", tmp_path / "often.twinrun"
    run(load("builtin:lab-16").scenario, record=lab)
    setting = "jobs[llama3].checkpoint.interval='10 min'"
    twin(
        "branch",
        lab,
        "--at",
        "18187 s",
        "--set",
        setting,
        "-o",
        tmp_path / "often.twin.yaml",
        "--run",
        branch,
    )
    for at in ("1 s", "4000 s", "18186.999 s", "18187 s"):
        said = json.loads(twin("compare", lab, branch, "--at", at, "--json").stdout)
        figures = [one for one in said["figures"].values() if one is not None]
        assert len(figures) >= 13
        assert [one["difference"] for one in figures if one["difference"]] == []
        assert said["waterfall"]["steps"] == []
        assert said["figures_at_s"] < said["at_s"]
    later = json.loads(twin("compare", lab, branch, "--at", "6 h", "--json").stdout)
    assert later["waterfall"]["steps"]
    refused = twin("compare", lab, "lab-16", "--at", "1 h", code=2)
    assert "--at reads two run files as they are" in refused.stderr


def test_explain_says_the_same_of_a_shared_past(twin: Twin, tmp_path: Path) -> None:
    """A node fails at 9 h: what it takes of the work of before is known in hindsight only."""
    lab, branch = tmp_path / "lab.twinrun", tmp_path / "often.twinrun"
    run(load("builtin:lab-16").scenario, record=lab)
    setting, scene = "jobs[llama3].checkpoint.interval='2 min'", tmp_path / "often.twin.yaml"
    twin("branch", lab, "--at", "8.9 h", "--set", setting, "-o", scene, "--run", branch)
    said, hindsight = [], []
    for name in (lab, branch):
        found = json.loads(twin("explain", name, "--to", "8.9 h", "--json").stdout)
        assert found.pop("run") == str(name)
        assert found["reading"] == "as known"
        assert found["provisional_gpu_s"] > 0.0
        said.append(found)
        hindsight.append(json.loads(twin("explain", name, "--to", "8.9 h", "--hindsight", "--json").stdout))
    assert said[0] == said[1]
    assert {one["reading"] for one in hindsight} == {"in hindsight"}
    lost = [
        {one["account"]: one["gpu_s"] for one in found["accounts"]}.get("lost_work", 0.0)
        for found in hindsight
    ]
    assert min(lost) > 0.0
    assert all(one["account"] != "lost_work" for one in said[0]["accounts"])
