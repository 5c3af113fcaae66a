"""What fails in a scene, by command: the table of causes, and words where nothing fails."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from twin.cli.app import app
from twin.scenario import load

NOTHING = "nothing fails by itself in this scene"
ask = partial(CliRunner().invoke, app, catch_exceptions=False)
QUIET = ["--set", "failures={}"]
FAILING = ["--set", "failures={rates: catalog, off: [cpu]}"]


def said(*words: str) -> Any:
    return json.loads(ask([*words, "--json"]).stdout)


def test_check_prints_each_cause_and_what_they_come_to() -> None:
    text = ask(["check", "lab-16", "--failures", *FAILING]).stdout
    assert "Faulty GPU" in text
    assert "published count on" in text
    assert "expected in this hall: 2.8 failures a year, and 0.3 planned" in text
    assert "job llama3 on 2 nodes: 2.8 interruptions in a year of work" in text
    assert "counted twice" not in text
    both = ask(["check", "lab-16", "--failures", "--set", "failures.rates=catalog"]).stdout
    assert "switch off what is counted twice" in both
    table = said("check", "lab-16", "--failures", *FAILING)
    off = [row["id"] for row in table["rows"] if not row["acts"]]
    assert off == ["cpu"]
    assert table["per_year"] == pytest.approx((419 - 2) / 54 * 365.25 / 2048 * 2)
    assert table["planned_per_year"] == pytest.approx(47 / 54 * 365.25 / 2048 * 2)
    first = table["rows"][0]
    assert first["low_s"] < first["rate_s"] < first["high_s"]


def test_the_published_run_has_its_interruptions() -> None:
    table = said("check", "llama3-16k", "--failures")
    assert table["job_per_year"] * 54 / 365.25 == pytest.approx(419)


def test_other_gpus_have_the_counts_carried_over() -> None:
    table = said("check", "nvl72-row", "--failures", "--set", "failures={rates: catalog}")
    by_id = {row["id"]: row for row in table["rows"]}
    assert by_id["faulty_gpu"]["standing"] == "estimated: carried over from H100-SXM"
    assert by_id["nvlink_switch_tray"]["count"] == 9 * by_id["faulty_gpu"]["count"] / 72
    assert "power_supply" not in by_id


def test_a_scene_without_failures_says_so_everywhere(tmp_path: Path) -> None:
    assert NOTHING in ask(["check", "lab-16", "--failures", *QUIET]).stdout
    table = said("check", "lab-16", "--failures", *QUIET)
    assert (table["per_year"], table["job_per_year"]) == (None, None)
    assert NOTHING in ask(["risk", "lab-16", "--seeds", "2", *QUIET]).stdout
    risk = said("risk", "lab-16", "--seeds", "2", *QUIET)
    assert (risk["mean_between_s"], risk["best_interval_s"], risk["failures"]["per_year"]) == (
        None,
        None,
        None,
    )
    rules = [finding["rule"] for finding in said("check", "lab-16", *QUIET)["findings"]]
    assert "no-failures" in rules
    meant = said("check", "lab-16", "--set", "failures={enabled: false}")["findings"]
    assert "no-failures" not in [finding["rule"] for finding in meant]
    short = ["run", "lab-16", "--until", "10 min", *QUIET]
    assert said(*short, "--no-record")["interruptions"] == {
        "unexpected": None,
        "planned": None,
        "by_cause": {},
    }
    recorded = tmp_path / "quiet.twinrun"
    assert NOTHING in ask([*short, "--out", str(recorded)]).stdout
    page = tmp_path / "quiet.html"
    assert ask(["report", str(recorded), "--out", str(page)]).exit_code == 0
    assert NOTHING in page.read_text()


def test_shipped_scenes_say_what_they_mean() -> None:
    scene = load("builtin:ethernet-tcp").scenario
    assert scene.failures.causes
