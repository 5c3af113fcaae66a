from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

import twin
from twin.cli.app import app, with_command

LONGER = {"jobs[llama3].checkpoint.pause": "1 min"}


def command(*words: str) -> dict:
    """Return what a command prints as JSON, without its format and version; those of the program keep their name."""
    result = CliRunner().invoke(app, with_command(list(words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    del printed["format"], printed["version"]
    if "app_version" in printed:
        printed["version"] = printed.pop("app_version")
    return printed


def plain(record: object) -> dict:
    return json.loads(json.dumps(asdict(record)))  # type: ignore[call-overload]


def test_scenes_are_compared_over_seeds() -> None:
    lab = twin.load("lab-16")
    found = twin.compare(lab, lab.changed(LONGER), seeds=2, until="2 h")
    said = command(
        *("compare", "lab-16", "lab-16", "--seeds", "2", "--until", "2 h", "--json"),
        *("--set-b", "jobs[llama3].checkpoint.pause=1 min"),
    )
    assert (list(found.seeds), found.names) == (said["seeds"], ("A", "B"))
    goodput, theirs = found.differences["goodput"], said["figures"]["goodput"]
    assert (goodput.difference, goodput.paired) == (theirs["difference"], theirs["paired_half_width"])
    assert found.verdict == said["verdict"]
    assert dict(found.judgements)["goodput"] == theirs["judgement"]
    assert [step.gpu_h for step in found.waterfall.steps] == [
        step["gpu_h"] for step in said["waterfall"]["steps"]
    ]


def test_runs_and_their_files_are_compared_as_they_are(run: twin.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "a.twinrun")
    found = twin.compare(run, tmp_path / "a.twinrun")
    assert found.basis == "recorded"
    assert found.differences["goodput"].difference == 0
    assert twin.compare(run, tmp_path / "a.twinrun", at="6 h").at_s == 6 * 3600


def test_a_comparison_says_what_it_cannot_do(run: twin.Run) -> None:
    with pytest.raises(twin.BadInput, match="at: this reads two recorded runs"):
        twin.compare("lab-16", run, at="1 h")
    with pytest.raises(twin.BadInput, match="seeds: 1 must be"):
        twin.compare("lab-16", "lab-16", seeds=1)
    with pytest.raises(twin.BadInput, match="name the scene of this run"):
        twin.compare(run, run, set=LONGER)
    with pytest.raises(twin.BadInput, match="a: None is no path"):
        twin.compare(None, run)  # type: ignore[arg-type]


def test_risk_is_that_of_the_command() -> None:
    found = twin.risk("lab-16", seeds=50, spares=1, sweep={"checkpoint.interval": ["10 min", "1 h"]})
    words = ("risk", "lab-16", "--seeds", "50", "--spares", "1", "--json")
    printed = command(*words, "--sweep", "checkpoint.interval=10 min,1 h")
    assert printed.pop("seed") == twin.load("lab-16").scenario.seed
    assert plain(found) == printed
    assert found.sweep is not None
    assert [row.interval_s for row in found.sweep.values] == pytest.approx([600, 3600], rel=0.01)
    with pytest.raises(twin.BadInput, match=r"^sweep: 'x': is not PATH"):
        twin.risk("lab-16", seeds=2, sweep="x")
    with pytest.raises(twin.BadInput, match="seeds: 1 must be a whole number from 2"):
        twin.risk("lab-16", seeds=1)
    with pytest.raises(twin.PlanError, match="no job 'nosuch'"):
        twin.risk("lab-16", "nosuch")


def test_plans_are_those_of_the_command() -> None:
    ours = plain(twin.plan(twin.load("lab-16"), "llama3-8b", gpus=16, batch=128, flash=True, top=2))
    words = (
        "plan",
        "lab-16",
        "--model",
        "llama3-8b",
        "--gpus",
        "16",
        "--batch",
        "128",
        "--flash",
        "--top",
        "2",
    )
    theirs = command(*words, "--json")
    for said in (ours, theirs):
        del said["search_s"], said["scene"]
    assert ours == theirs
    with pytest.raises(twin.BadInput, match=r"^grad_bytes: 3 is neither"):
        twin.plan("lab-16", "llama3-8b", grad_bytes=3)  # type: ignore[arg-type]
    with pytest.raises(twin.ProfileError):
        twin.plan("lab-16", "nosuch")


def test_estimates_of_rows_are_those_of_a_file(tmp_path: Path) -> None:
    rows = [
        {"model": "llama3-8b", "gpu": "H100", "gpus": 16, "tp": 2, "global_batch": 128, "step_time_s": 7.5},
        {"model": "llama3-70b", "gpu": "H100", "gpus": 8, "global_batch": 8, "seq_parallel": 1},
        {"model": "nosuch", "gpu": "H100", "gpus": 8},
    ]
    found = twin.estimate(rows)
    path = tmp_path / "cases.csv"
    heads = list(dict.fromkeys(head for row in rows for head in row))
    lines = [",".join(str(row.get(head, "")) for head in heads) for row in rows]
    path.write_text("\n".join([",".join(heads), *lines]) + "\n")
    theirs = command("estimate", str(path), "--json")
    assert json.loads(json.dumps(found.rows)) == theirs["cases"]
    assert (dict(found.worth), dict(found.stacks)) == (theirs["worth"], theirs["stacks"])
    assert found.errors is not None
    assert found.errors.mape_pct == theirs["mape_pct"]
    assert found.judged[0].predicted_s == found.rows[0]["predicted_s"]
    assert "nosuch" in found.judged[2].reason
    with pytest.raises(twin.BadInput, match="cases: 'x' is no row"):
        twin.estimate(["x"])  # type: ignore[list-item]
    with pytest.raises(twin.BadInput, match="cannot be read"):
        twin.estimate(tmp_path / "nosuch.csv")


def test_validation_is_that_of_the_command(tmp_path: Path) -> None:
    found = twin.validate("dgxc-h100-bf16", data=tmp_path)
    theirs = command("validate", "dgxc-h100-bf16", "--data", str(tmp_path), "--json")
    assert (found.passed, found.unread) == (theirs["passed"], ())
    assert found.tables[0].errors is not None
    assert found.tables[0].errors.mape_pct == theirs["tables"][0]["mape_pct"]
    with pytest.raises(twin.BadInput, match="no table 'nosuch'; known are"):
        twin.validate(["nosuch"])


def test_rules_of_ones_own_stand_beside_the_shipped_ones() -> None:
    def finds(case: twin.RuleContext) -> list[twin.Found]:
        return [twin.Found(at=("jobs", 0), reason="is mine", ids=("llama3",))]

    lab = twin.load("lab-16")
    rule = twin.Rule("mine", "Mine", "work", "error", "Jobs.", "us", finds)
    report = lab.check([rule])
    assert report.failed
    assert (report.open[0].rule, report.open[0].severity) == ("mine", "error")
    assert report.open[1:] == lab.check().open
    with pytest.raises(twin.BadInput, match="rules: there is a rule 'mine' already"):
        lab.check([rule, rule])
