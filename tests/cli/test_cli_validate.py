from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin.analysis import facility_tables, reliability_tables
from twin.planning.table import validation_tables
from twin.planning.table.validation_tables import TABLE_NAMES, compare_steps

ALL_NAMES = [*TABLE_NAMES, *facility_tables.TABLE_NAMES, *reliability_tables.TABLE_NAMES]


@pytest.mark.slow
def test_every_table_is_compared_and_passes(twin, tmp_path: Path) -> None:
    said = json.loads(twin("validate", "--data", tmp_path, "--json").stdout)
    assert said["passed"] is True
    assert [one["table"] for one in said["tables"]] == ALL_NAMES
    by_name = {one["table"]: one for one in said["tables"]}
    assert "give --data DIR" in by_name["reliability-infinitehbd"]["skipped"]
    assert by_name["vtrain"]["passed"] is None
    assert "give --data DIR" in by_name["vtrain"]["skipped"]
    dgxc = by_name["dgxc-h100-bf16"]
    assert (dgxc["rows"], len(dgxc["cases"]), dgxc["profile"]) == (31, 31, "h100")
    assert dgxc["mape_pct"] <= dgxc["goals"]["mape_pct"] == 3.0
    assert dgxc["mape_pct"] < dgxc["baseline_mape_pct"]
    assert abs(dgxc["worst"]["error_pct"]) == pytest.approx(dgxc["worst_pct"])
    assert {one["generation"] for one in said["generations"]} == {"H100", "GB200", "A100", "MI325X"}
    assert all(one["passed"] for one in said["generations"])


def test_some_tables_are_compared_and_pass(twin, tmp_path: Path) -> None:
    names = ("dgxc-h100-bf16", "facility-frontier", "schedule-cases", "reliability-mttf")
    said = json.loads(twin("validate", *names, "--data", tmp_path, "--json").stdout)
    assert said["passed"] is True
    assert [one["table"] for one in said["tables"]] == list(names[:2]) + [
        "reliability-mttf",
        "schedule-cases",
    ][::-1]
    rows = {row["label"]: row for one in said["tables"] for row in one["cases"]}
    assert rows["16,384 GPUs"]["basis"] == "arithmetic"
    assert rows["first case, easy: exact starts"]["within"] == 0


def test_what_is_calibrated_and_what_predicted_stands_beside_each_figure(twin) -> None:
    said = twin("validate", "reliability-mttf", "reliability-lemons").stdout
    for word in ("ours is", "arithmetic", "predicted", "allowed", "all goals reached"):
        assert word in said


def test_tables_for_people(twin) -> None:
    said = twin("validate", "sc21", "memory-state").stdout
    for word in ("sc21", "memory-state", "pass", "worst row", "goal mape <= 4 %", "all goals reached"):
        assert word in said
    assert "dgxc" not in said


def test_a_table_asked_for_by_name_that_is_not_there_is_exit_code_1(twin, tmp_path: Path) -> None:
    result = twin("validate", "vtrain", "sc21", "--data", tmp_path, code=1)
    assert "not validated: vtrain" in result.stdout
    assert "all goals reached" not in result.stdout
    assert (
        json.loads(twin("validate", "vtrain", "--data", tmp_path, "--json", code=1).stdout)["passed"] is False
    )


def test_a_missed_goal_is_exit_code_1(twin, monkeypatch: pytest.MonkeyPatch) -> None:
    strict = next(table for table in validation_tables.STEP_TABLES if table.name == "sc21")
    object.__setattr__(strict, "goals", {"mape_pct": 0.01})
    try:
        assert compare_steps(strict).passed is False
        result = twin("validate", "sc21", code=1)
    finally:
        object.__setattr__(strict, "goals", {"mape_pct": 4.0})
    assert "FAIL" in result.stdout
    assert "MISSED: mape" in result.stdout
    assert "goals missed" in result.stdout


def test_an_unknown_table_names_the_known_ones(twin) -> None:
    assert "no table 'dgx'; known are dgxc-h100-bf16" in twin("validate", "dgx", code=2).stderr
