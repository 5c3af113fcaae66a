"""`twin compare --at`: a run and a branch of it, up to and beyond the cut."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from shared_past import assert_same_curves, assert_same_past
from typer.testing import Result

from twin.analysis.rerun import scenario_of_run
from twin.analysis.what_if import what_if
from twin.record.reader import Reader
from twin.record.redraw import Redraw
from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All 54 days of llama3-16k, recorded."""
    path = tmp_path_factory.mktemp("llama") / "llama.twinrun"
    run(load("builtin:llama3-16k").scenario, record=path)
    return path


def said_alike(twin: Twin, parent: Path, branch: Path, at_s: float) -> None:
    """Assert that the commands say the same of both at the cut and at five times before it."""
    for t_s in (at_s, at_s - 0.001, 0.93 * at_s, 0.6 * at_s, 0.25 * at_s, 1.0):
        at = f"{t_s!r} s"
        said = json.loads(twin("compare", parent, branch, "--at", at, "--json").stdout)
        figures = {key: one for key, one in said["figures"].items() if one is not None}
        assert len(figures) >= 13
        assert {key: one["difference"] for key, one in figures.items() if one["difference"]} == {}
        assert said["waterfall"]["steps"] == []
        assert said["figures_at_s"] < said["at_s"] == t_s
        table = twin("compare", parent, branch, "--at", at).stdout
        assert "A and B are the same in every figure and every account of GPU time." in table
        why = [
            json.loads(twin("explain", name, "--to", at, "--json").stdout) | {"run": ""}
            for name in (parent, branch)
        ]
        assert why[0] == why[1]
        words = [twin("explain", name, "--to", at).stdout.replace(str(name), "") for name in (parent, branch)]
        assert words[0] == words[1]


def test_up_to_the_cut_a_run_and_its_branch_are_the_same_and_beyond_they_are_not(
    twin: Twin, tmp_path: Path
) -> None:
    """The cut at 18,187 s lies within a thermal step: integrated again the energy differs by 1.5e-9 kWh."""
    lab, branch = tmp_path / "lab.twinrun", tmp_path / "often.twinrun"
    run(load("builtin:lab-16").scenario, record=lab)
    setting = "jobs[llama3].checkpoint.interval='10 min'"
    scene = tmp_path / "often.twin.yaml"
    twin("branch", lab, "--at", "18187 s", "--set", setting, "-o", scene, "--run", branch)
    said_alike(twin, lab, branch, 18187.0)
    with Reader(lab) as one, Reader(branch) as other:
        for t_s in (18187.0, 18186.999, 12000.0, 4000.0, 600.0, 1.0):
            assert_same_past(one, other, t_s)
        assert assert_same_curves(one, other, 18187.0) > 50
    later = json.loads(twin("compare", lab, branch, "--at", "6 h", "--json").stdout)
    assert later["waterfall"]["steps"]
    assert (later["basis"], later["since_s"]) == ("same_past", 18187.0)
    for b, more in (("lab-16", ()), (branch, ("--inject", "2 h hang llama3"))):
        refused = twin("compare", lab, b, "--at", "1 h", *more, code=2)
        assert "--at reads two run files as they are" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("at", "at_s"), [("13:24:31", 48271.0), ("20 day 7 h 43 min 19.5 s", 1755799.5)])
def test_a_branch_of_54_days_of_16384_gpus_keeps_its_past_and_each_pair_is_the_pair_from_the_start(
    twin: Twin, llama: Path, at: str, at_s: float
) -> None:
    branch, setting = llama.with_name("five.twinrun"), "jobs[llama3-405b].checkpoint.interval='5 min'"
    twin("branch", llama, "--at", at, "--set", setting, "--run", branch, "--replace")
    said_alike(twin, llama, branch, at_s)
    twin("verify", branch)
    with Reader(llama) as one, Reader(branch) as other:
        assert (one.t_end_s, other.t_end_s) == (54 * 86400.0, 54 * 86400.0)
        for t_s in (at_s, math.nextafter(at_s, 0.0), 0.93 * at_s, 0.6 * at_s, 0.25 * at_s, 1.0):
            assert_same_past(one, other, t_s)
        assert assert_same_curves(one, other, at_s) > 5000
        question = what_if(one, other.header.scenario, at_s)
        if at_s < min(t_s for t_s, _, _ in one.snapshot_hashes()):
            assert question.parent.snapshot is None  # such a pair is simulated from the start
            return
        apart = set()
        for kept, scene in (
            (question.parent, scenario_of_run(one)),
            (question.branch, other.header.scenario),
        ):
            engine = kept.engine(7)
            engine.advance(engine.end_s)
            begun = run(scene, seed=1, redraws=(Redraw(at_s, 7),)).engine
            assert engine.summary() == begun.summary()
            assert engine.event_hash() == begun.event_hash()
            assert begun.summary()["interruptions"]["unexpected"] > 300
            apart.add(begun.event_hash())
        assert len(apart | {one.event_hash, other.event_hash}) == 4


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
