from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from twin.planning.table.case_output import ADDED_COLUMNS, PART_COLUMNS
from twin.planning.table.reference import reference_table

ROWS = """model,gpu,precision,gpus,tp,pp,cp,vp,microbatch,global_batch,step_time_s,who
llama3.1-405B,H100-80GB,BF16,512,8,8,2,8,1,256,19.81,a
llama3.1-405B,H100-80GB,FP8,512,8,8,2,8,1,256,13.02,b
llama3.1-405B,V100,BF16,512,8,8,2,8,1,256,,c
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.csv"
    path.write_text(ROWS)
    return path


def test_a_table_for_people(twin, cases: Path) -> None:
    said = twin("estimate", cases).stdout
    assert " 8 8 2 4 8 1 " in " ".join(said.split())
    assert "line 4: column" not in said
    assert "line 4: no profile serves GPU 'V100'" in said
    assert "2 of 3 rows judged; 2 measured: mean error" in said
    assert "h100: calibrated on published runs of this GPU" in said
    assert "h100: where a row does not say, stack: no recompute, fused attention" in said
    assert "other stacks: --profile h100-fsdp, h100-megatron" in said


def test_a_file_with_all_columns_and_the_predictions(twin, cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = twin("estimate", cases, "--out", out)
    assert result.stdout.startswith(f"{out}: 2 of 3 rows judged")
    assert f"warning: {cases}:4: no profile serves GPU 'V100'" in result.stderr
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:12] == ROWS.splitlines()[0].split(",")
    assert set(list(rows[0])[12:]) == set(ADDED_COLUMNS)
    assert [row["who"] for row in rows] == ["a", "b", "c"]
    step_s = float(rows[0]["predicted_s"])
    assert float(rows[0]["error_pct"]) == pytest.approx(100 * (step_s / 19.81 - 1), rel=1e-3)
    booked = [
        name
        for name in PART_COLUMNS
        if name.startswith(("productive", "exposed", "pipeline", "launch", "strag"))
    ]
    assert sum(float(rows[0][name]) for name in booked) == pytest.approx(step_s, rel=1e-4)
    assert rows[2]["predicted_s"] == ""
    assert "no profile serves" in rows[2]["reason"]
    again = twin("estimate", out, "--json")  # its own output is a table of cases, too
    assert json.loads(again.stdout)["judged"] == 2


def test_json_has_null_for_the_unknown(twin, cases: Path) -> None:
    said = json.loads(twin("estimate", cases, "--json").stdout)
    assert (said["rows"], said["judged"], said["measured"]) == (3, 2, 2)
    assert said["mape_pct"] < 8
    judged, _, refused = said["cases"]
    assert judged["predicted_s"] == pytest.approx(20.2, abs=0.3)
    assert judged["fits"] is True
    assert judged["reason"] is None
    assert refused["predicted_s"] is None
    assert refused["line"] == 4
    assert refused["confidence"] is None


def test_profile_goes_before_the_column_and_may_be_a_file(twin, cases: Path, tmp_path: Path) -> None:
    def steps(*more: object) -> list[float]:
        return [
            one["predicted_s"] for one in json.loads(twin("estimate", cases, "--json", *more).stdout)["cases"]
        ]

    assert steps("--profile", "h100")[2] == steps("--profile", "h100")[0]
    assert steps("--profile", "gb200")[0] < steps("--profile", "h100")[0]
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "title: Mine\nextends: h100\nconfidence: own runs\nfigures:\n"
        "  gemm_efficiency: {value: 0.6, unit: '1', status: fitted, source: my runs}\n"
    )
    assert steps("--profile", mine)[0] > steps("--profile", "h100")[0] * 1.1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "no column of a training run"),
        ("gpus,gbs,global_batch\n8,8,8\n", ":1: column 'global_batch': means the same as 'gbs'"),
        ('gpus,model\n"8,x\n', ":2: is no CSV"),
    ],
)
def test_a_table_that_cannot_be_read_is_exit_code_2(twin, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    error = twin("estimate", path, code=2).stderr
    assert error.startswith(f"error: {path}")
    assert said in error
    assert error.count("\n") == 1


def test_missing_files_and_profiles_are_told(twin, cases: Path, tmp_path: Path) -> None:
    assert "cannot be read" in twin("estimate", tmp_path / "none.csv", code=2).stderr
    assert "no such profile" in twin("estimate", cases, "--profile", "h101", code=2).stderr
    assert "cannot be read" in twin("estimate", cases, "--profile", tmp_path / "none.yaml", code=2).stderr
    twin("estimate", cases, "--out", tmp_path / "nowhere" / "out.csv", code=2)
    assert not (tmp_path / "nowhere").exists()


def test_published_rows_as_they_are_published(twin, tmp_path: Path) -> None:
    for table, columns, bound_pct in (
        ("sc21", ("tflops_per_gpu", "flops_kind"), 4.0),
        ("korthikanti", ("iter_time_s",), 5.5),
        ("dgxc", ("step_time_s",), 4.0),
    ):
        rows = [dict(row) for row in reference_table(table).rows]
        assert set(columns) <= set(rows[0])
        path = tmp_path / f"{table}.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        said = json.loads(twin("estimate", path, "--json").stdout)
        assert said["judged"] == said["measured"] == len(rows)
        assert said["mape_pct"] <= bound_pct
