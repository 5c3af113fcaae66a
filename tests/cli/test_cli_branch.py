"""`twin branch`: a scene cut from a run, its run, the tree, and what is told when it cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the laboratory."""
    path = tmp_path_factory.mktemp("cli-branch") / "lab.twinrun"
    run(load("builtin:lab-16").scenario, seed=2, record=path)
    return path


def test_a_branch_is_written_and_run_and_stands_in_the_tree(twin: Twin, lab: Path) -> None:
    folder = lab.parent
    words = ["--at", "5 h", "--inject", "6 h power_cap all value='500 W'", "--set", "scheduler.policy=easy"]
    words += ["--set", "jobs[llama3].checkpoint.interval=5 min"]
    out, record = folder / "capped.twin.yaml", folder / "capped.twinrun"
    said = json.loads(twin("branch", lab, *words, "-o", out, "--run", record, "--json").stdout)
    assert said["extends"] == "builtin:lab-16"
    assert 0 < said["from_s"] < said["at_s"] == 18000.0
    assert said["changes"] == [
        "Queue policy: easy",
        "Checkpoint interval of llama3: 5 min",
        "Power cap: all jobs, 500 W",
    ]
    scene = load(out).scenario
    assert scene.seed == 2
    assert [one.at_s for one in scene.interventions][-3:] == [18000.0, 18000.0, 21600.0]
    anew = json.loads(twin("run", out, "--no-record", "--json").stdout)
    assert anew["event_hash"] == said["summary"]["event_hash"]
    assert said["parent"]["event_hash"] != anew["event_hash"]
    twin("verify", record)

    below = twin("branch", record, "--at", "8 h", "-o", folder / "more.twin.yaml")
    assert "nothing is changed" in below.stdout
    (root,) = json.loads(twin("branch", "--tree", folder, "--json").stdout)["scenes"]
    assert (root["scene"], root["run"]) == ("builtin:lab-16", "lab.twinrun")
    (capped,) = root["branches"]
    assert (capped["at_s"], capped["over"], capped["changes"]) == (18000.0, True, said["changes"])
    assert capped["goodput"] == said["summary"]["goodput"]
    assert capped["energy_j"] < root["energy_j"]
    assert [one["scene"] for one in capped["branches"]] == ["more.twin.yaml"]
    table = twin("branch", "--tree", folder).stdout
    assert "  capped" in table
    assert "    more" in table
    assert "MWh" in table


def test_hardware_changes_as_an_edit(twin: Twin, lab: Path) -> None:
    out = lab.parent / "wider.twin.yaml"
    said = twin(
        "branch", lab, "--at", "0 s", "--set", "halls[lab].rows[gpu].racks.count=3", "-o", out, "--json"
    )
    assert json.loads(said.stdout)["events"] == 0
    (one,) = load(out).scenario.edits
    assert (one.at_s, one.changes[0].value) == (0.0, "3")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--set", "seed=4"), "the seed cannot change in a run that goes on"),
        (("--set", "power_caps=[]"), "inject one: --inject"),
        (("--set", "duration=2 h"), "how long the run lasts cannot change"),
        (("--set", "seed"), "is not PATH=VALUE"),
        (("--inject", "5 h pump_stop cdu/9"), "names no coolant"),
        (("--inject", "4 h fail gpu/0/0"), "before the cut at 5 h"),
        (("--inject", "5 h power_cap all value=1W"), "power_cap takes"),
        (("--at", "50 h"), "the run has no time"),
    ],
)
def test_what_cannot_be_is_one_sentence(twin: Twin, lab: Path, words: tuple[str, str], told: str) -> None:
    out = lab.parent / "wrong.twin.yaml"
    result = twin("branch", lab, "--at", "5 h", *words, "-o", out, code=2)
    assert told in result.stderr
    assert result.stderr.count("error:") == 1
    assert not out.exists()


def test_what_is_missing_is_named(twin: Twin, lab: Path, tmp_path: Path) -> None:
    assert "RUN is missing" in twin("branch", code=2).stderr
    assert "-o SCENE is missing" in twin("branch", lab, "--at", "1 h", code=2).stderr
    assert "end it with .twin.yaml" in twin("branch", lab, "--at", "1 h", "-o", tmp_path / "x", code=2).stderr
    own = twin("branch", lab, "--at", "1 h", "-o", lab.parent / "o.twin.yaml", "--run", lab, code=2)
    assert "name another file" in own.stderr
    assert "is no folder" in twin("branch", "--tree", tmp_path / "none", code=2).stderr
    with Reader(lab) as reader:
        assert reader.summary is not None  # nobody has touched it
