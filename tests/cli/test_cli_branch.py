"""`twin branch`: a scene cut from a run, its run, the tree, and what is told when it cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from twin.analysis.branch import end_of_branch
from twin.record.reader import Reader
from twin.runtime.inline import InlineClient, run
from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.units import spoken

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
    again = twin("run", out, "--no-record", "--json")
    assert "This branch differs from its run" not in again.stderr
    anew = json.loads(again.stdout)
    other = out.with_name("other.twin.yaml")
    text = out.read_text()
    other.write_text(text.replace(scene.branch.event_hash, "a" * 64))
    told = twin("run", other, "--no-record", "--until", "6 h").stderr
    assert "This branch differs from its run, lab.twinrun, before the branch time 5 h" in told
    other.unlink()
    assert anew["event_hash"] == said["summary"]["event_hash"]
    assert said["parent"]["event_hash"] != anew["event_hash"]
    twin("verify", record)

    below = twin("branch", record, "--at", "8 h", "-o", folder / "more.twin.yaml")
    assert "no change: the branch repeats its run" in below.stdout
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
    assert "kWh" in table


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
        (("--set", "seed=4"), "the seed cannot change during a run"),
        (("--set", "power_caps=[]"), "inject one: --inject"),
        (("--set", "duration=2 h"), "the duration cannot change"),
        (("--set", "seed"), "is not PATH=VALUE"),
        (("--inject", "5 h pump_stop cdu/9"), "unknown coolant"),
        (("--inject", "4 h fail gpu/0/0"), "before the branch at 5 h"),
        (("--inject", "5 h power_cap all value=1W"), "power_cap takes"),
        (("--at", "50 h"), "the run has no time"),
        (("--until", "8 h"), "--until says where the branch stops that --run FILE simulates"),
        (("--run", "none.twinrun", "--until", "5 h"), "which lasts from 5 h to 1 d"),
        (("--run", "none.twinrun", "--until", "2 d"), "which lasts from 5 h to 1 d"),
    ],
)
def test_what_cannot_be_is_one_sentence(twin: Twin, lab: Path, words: tuple[str, ...], told: str) -> None:
    out = lab.parent / "wrong.twin.yaml"
    result = twin("branch", lab, "--at", "5 h", *words, "-o", out, code=2)
    assert told in result.stderr
    assert result.stderr.count("error:") == 1
    assert not out.exists()


def test_what_is_injected_after_the_end_of_the_branch_is_warned_of(twin: Twin, lab: Path) -> None:
    out = lab.parent / "late.twin.yaml"
    told = twin("branch", lab, "--at", "1 h 10 min", "--inject", "99 day hang llama3", "-o", out).stderr
    assert "'99 day hang llama3': is at 99 d, after the end of the run at 1 d" in told
    assert load(out).scenario.branch.at_s == 4200.0
    out.unlink()


def test_what_is_missing_is_named(twin: Twin, lab: Path, tmp_path: Path) -> None:
    assert "missing RUN" in twin("branch", code=2).stderr
    assert "missing -o SCENE or --run FILE" in twin("branch", lab, "--at", "1 h", code=2).stderr
    assert "end it with .twin.yaml" in twin("branch", lab, "--at", "1 h", "-o", tmp_path / "x", code=2).stderr
    own = twin("branch", lab, "--at", "1 h", "-o", lab.parent / "o.twin.yaml", "--run", lab, code=2)
    assert "name another file" in own.stderr
    assert "is no folder" in twin("branch", "--tree", tmp_path / "none", code=2).stderr
    with Reader(lab) as reader:
        assert reader.summary is not None  # nobody has touched it


def lengths(said: dict[str, Any]) -> tuple[float, float]:
    """Return for how long a run and its branch were simulated [s]."""
    return said["parent_simulated_s"], said["summary"]["simulated_s"]


def test_a_branch_of_a_run_that_was_stopped_stops_there_too(twin: Twin, tmp_path: Path) -> None:
    stopped, out, record = (tmp_path / name for name in ("lab.twinrun", "b.twin.yaml", "b.twinrun"))
    twin("run", "lab-16", "--until", "3 h", "--out", stopped)
    words = ("branch", stopped, "--at", "2 h", "-o", out)
    assert f"twin run {out} --until '3 h'" in twin(*words).stdout
    text = twin(*words, "--run", record).stdout
    assert "to 3 h, where the run was stopped; its scene lasts 1 d" in text
    assert "was simulated for" not in text
    with Reader(record) as reader:
        assert reader.summary is not None
        assert (reader.t_end_s, reader.header.end_s) == (10800.0, 86400.0)
    twin("verify", record)
    same = twin("compare", stopped, record, "--json").stdout
    assert json.loads(same)["remarks"] == []

    longer = twin(*words, "--run", record, "--replace", "--until", "3.5 h")
    assert "to 3 h 30 min\n" in longer.stdout
    apart = "was simulated for 3 h, {} for 3 h 30 min: counts, energies and GPU-hours of the longer one are larger"
    assert f"The run {apart.format('the branch')}" in longer.stdout
    tree = twin("branch", "--tree", tmp_path).stdout
    assert f"lab-16 (shipped) {apart.format('b')}" in tree
    assert "3 h 30 min" in tree.splitlines()[3]
    page = tmp_path / "c.html"
    compared = json.loads(twin("compare", stopped, record, "--html", page, "--json").stdout)
    assert compared["simulated_s"] == {"a": 10800.0, "b": 12600.0}
    assert compared["remarks"][0].startswith(f"A {apart.format('B')}")
    assert compared["remarks"][0] in page.read_text(encoding="utf-8").replace("\xa0", " ")
    assert apart.format("B") in " ".join(twin("compare", stopped, record).stdout.split())


def test_a_branch_of_a_run_that_is_not_over_goes_on_to_the_end_of_the_scene(
    twin: Twin, tmp_path: Path
) -> None:
    half, out, record = (tmp_path / name for name in ("half.twinrun", "b.twin.yaml", "b.twinrun"))
    client = InlineClient()
    client.load(set_texts(load("builtin:lab-16"), ["duration=4 h"]).scenario, run_file=half)
    client.play()
    while (frame := client.latest_frame()) is None or frame.t_s < 3600.0:
        client.pump(0.005)
    client.close()
    with Reader(half) as reader:
        reached = spoken(reader.t_end_s)
    words = ("branch", half, "--at", "30 min", "-o", out, "--run", record)
    text = twin(*words).stdout
    assert "to 4 h, the end of its scene\n" in text
    assert f"The run is not over: it is recorded up to {reached}, and its figures are not known." in text
    said = json.loads(twin(*words, "--replace", "--json").stdout)
    assert (said["parent_over"], said["until_s"], said["parent"]) == (False, None, None)
    assert lengths(said)[1] == 14400.0
    assert f"{reached}, not over" in twin("branch", "--tree", tmp_path).stdout


def test_a_run_that_ended_with_its_last_job_does_not_stop_its_branch(tmp_path: Path) -> None:
    scene = set_texts(load("builtin:lab-16"), ["ends=jobs", "jobs[llama3].run=1 h"]).scenario
    path = tmp_path / "short.twinrun"
    run(scene, record=path)
    with Reader(path) as reader:
        assert reader.t_end_s < reader.header.end_s
        assert end_of_branch(reader, 600.0) is None
    run(scene, record=path, until_s=1800.0)
    with Reader(path) as reader:
        assert end_of_branch(reader, 600.0) == 1800.0
        assert end_of_branch(reader, 1800.0) is None  # who branches at the end wants to see on


def test_a_branch_is_written_over_nothing_but_a_branch_of_the_same_parent(twin: Twin, tmp_path: Path) -> None:
    path, out, record = (tmp_path / name for name in ("lab.twinrun", "b.twin.yaml", "b.twinrun"))
    run(load("builtin:lab-16").scenario, record=path, until_s=7200.0)
    words = ("branch", path, "--at", "1 h", "-o", out)
    twin(*words)
    first = out.read_bytes()
    twin(*words, "--title", "Anew", "--run", record)
    assert out.read_bytes() != first
    kept = {}
    for name, text, told in (
        ("own", load("builtin:lab-16").text, "is a scene and no branch, and would be overwritten"),
        ("bad", "no: [scene", "exists and is no branch ("),
        (
            "other",
            first.decode().replace("builtin:lab-16", "own.twin.yaml"),
            "is a branch of own.twin.yaml, and",
        ),
    ):
        other = tmp_path / f"{name}.twin.yaml"
        other.write_text(text)
        kept[other] = text
        said = twin("branch", path, "--at", "1 h", "--scene", "lab-16", "-o", other, code=2).stderr
        assert f"error: -o: {other} {told}" in said
        assert said.count("\n") == 1
    assert {other: other.read_text() for other in kept} == kept
    for other in kept:
        other.unlink()
    self = twin("branch", record, "--at", "1.5 h", "-o", out, code=2).stderr
    assert f"{out} is a branch of builtin:lab-16, and would become one of b.twin.yaml" in self
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert "is no recorded run" in twin(*words, "--run", notes, code=2).stderr
    assert notes.read_text() == "mine"


def test_the_tree_tells_of_a_shipped_parent_from_which_run_its_figures_are(
    twin: Twin, tmp_path: Path
) -> None:
    scene = load("builtin:lab-16").scenario
    for name, until_s in (("parent", 7200.0), ("some-other", 3600.0)):  # of the same title
        run(scene, record=tmp_path / f"{name}.twinrun", until_s=until_s)
    words = ("branch", tmp_path / "parent.twinrun", "--at", "1 h", "--title", "Same", "-o")
    twin(*words, tmp_path / "a.twin.yaml", "--run", tmp_path / "a.twinrun")
    twin(*words, tmp_path / "b.twin.yaml")
    lines = twin("branch", "--tree", tmp_path).stdout.splitlines()
    assert lines[2].startswith("lab-16 (shipped, parent.twinrun)")
    assert " 2 h " in lines[2]
    assert "%" in lines[3]
    assert "%" not in lines[4]  # the run of the other branch of this title is not its own


def test_a_branch_without_its_parent_says_what_is_missing(twin: Twin, tmp_path: Path) -> None:
    branch = tmp_path / "second.twin.yaml"
    branch.write_text(
        "format: twin/scenario\nversion: 3\nextends: secund.twin.yaml\nbranch: {at: 1 h, run: r.twinrun, events: 3, "
        f"hash: {'ab' * 16}}}\n"
    )
    told = twin("show", branch, code=2).stderr
    assert "'secund.twin.yaml', which does not exist" in told
    assert "copy it next to this file" in told  # and not: did you mean itself
    assert "secund (not in this folder)" in twin("branch", "--tree", tmp_path).stdout


def test_a_branch_is_compared_with_its_run_at_one_end(twin: Twin, tmp_path: Path) -> None:
    """The run was stopped early and is no file of a scene: both go on to the end that is asked for."""
    stopped, out = tmp_path / "stopped.twinrun", tmp_path / "often.twinrun"
    run(load("builtin:lab-16").scenario, until_s=6 * 3600.0, record=stopped)
    words = ["--at", "5 h", "--set", "jobs[llama3].checkpoint.interval=5 min", "--until", "8 h"]
    said = json.loads(twin("branch", stopped, *words, "--run", out, "--compare", "--json").stdout)
    assert said["scene"] == str(tmp_path / "often.twin.yaml")  # beside its run
    found = said["comparison"]
    assert (found["basis"], found["since_s"], found["seeds"]) == ("same_past", 18000.0, [1])
    assert found["simulated_s"] == {"a": 28800.0, "b": 28800.0}
    assert found["answer"].startswith("Checkpoint interval of llama3 5 min instead of 30 min: goodput -")
    whole = run(load("builtin:lab-16").scenario, until_s=8 * 3600.0).engine.summary()
    assert found["figures"]["goodput"]["a"] == whole["goodput"]
    assert found["figures"]["goodput"]["b"] == said["summary"]["goodput"]
    assert {"difference", "paired_half_width", "judgement"} <= set(found["figures"]["energy_j"])

    table = twin("branch", stopped, *words, "--run", out, "--replace", "--compare", "--seeds", "2").stdout
    assert "Same past until 5 h." in table
    assert table.splitlines()[-1].startswith(
        "Checkpoint interval of llama3 5 min instead of 30 min: goodput -"
    )
    assert "(paired, 2 seeds:" in table.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-o", "a.twin.yaml", "--compare"), "--compare compares the run with its branch, which --run FILE"),
        (("--run", "a.twinrun", "--seeds", "3"), "--seeds says over how many futures --compare compares"),
        ((), "missing -o SCENE or --run FILE"),
    ],
)
def test_what_compare_needs_is_named(
    twin: Twin, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told in twin("branch", lab, "--at", "5 h", *words, code=2).stderr


def test_a_scene_called_parent_is_branched(twin: Twin, tmp_path: Path) -> None:
    scene, record = tmp_path / "parent.twin.yaml", tmp_path / "parent.twinrun"
    scene.write_text(load("builtin:lab-16").text)
    run(load(scene).scenario, until_s=3600.0, record=record)
    twin("branch", record, "--at", "30 min", "-o", tmp_path / "branch.twin.yaml")
    twin("branch", record, "--at", "40 min", "-o", tmp_path / "branch.twin.yaml")


@pytest.mark.slow
def test_a_future_of_the_comparison_is_run_and_recorded_by_its_seed(twin: Twin, tmp_path: Path) -> None:
    scene, parent = tmp_path / "often.twin.yaml", tmp_path / "lab.twinrun"
    rates = "failures.causes=[{id: faulty_gpu, rate: 6 per node-day, repair: restart}]"
    text = load("builtin:lab-16").text
    (tmp_path / "lab.twin.yaml").write_text(text)
    again = ("--seed", "3", "--set", rates)
    twin("run", tmp_path / "lab.twin.yaml", *again, "--until", "12 h", "--out", parent)
    words = ["--at", "5 h", "--set", "jobs[llama3].checkpoint.interval=5 min", "-o", scene]
    words += ["--run", tmp_path / "often.twinrun", "--compare", "--seeds", "2", "--json"]
    found = json.loads(twin("branch", parent, *words).stdout)["comparison"]["figures"]["goodput"]
    record = tmp_path / "seed-4.twinrun"
    redraw = ("--until", "12 h", "--redraw", "5 h=4", "--out", record, "--json")
    a = json.loads(twin("run", tmp_path / "lab.twin.yaml", *again, *redraw).stdout)
    assert found["by_seed"][1] == {"seed": 4, "a": a["goodput"], "b": found["by_seed"][1]["b"]}
    assert found["by_seed"][0]["a"] != a["goodput"]
    twin("verify", record)
    b = json.loads(twin("run", scene, "--until", "12 h", "--redraw", "5 h=4", "--no-record", "--json").stdout)
    assert found["by_seed"][1]["b"] == b["goodput"]
    for wrong in ("5 h", "5 h=x", "soon=4"):
        assert "--redraw: " in twin("run", "lab-16", "--redraw", wrong, code=2).stderr
