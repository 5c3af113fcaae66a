from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from twin.planning.table.reference import reference_table


def runs(path: Path, model: str, gpus: tuple[int, ...], slower: float = 1.0, **more: str) -> Path:
    rows = [
        {**row, "step_time_s": float(row["step_time_s"] or 0) * slower, **more}
        for row in reference_table("dgxc").rows
        if (row["model"], row["precision"], row["gpu"]) == (model, "BF16", "H100-80GB")
        and row["gpus"] in gpus
    ]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_one_run_calibrates_the_rest_of_the_scale(twin, tmp_path: Path) -> None:
    own = runs(tmp_path / "own.csv", "llama3.1-70B", (64,), slower=1.2)
    mine = tmp_path / "mine.yaml"
    result = twin("calibrate", own, "-o", mine, "--base", "h100")
    assert f"{mine}: calibrated on one of your runs: expect up to " in result.stdout
    assert "gemm_efficiency" in result.stdout
    rest = runs(tmp_path / "rest.csv", "llama3.1-70B", (128, 256, 1024, 2048), slower=1.2)
    assert json.loads(twin("estimate", rest, "--json").stdout)["mape_pct"] > 12
    said = json.loads(twin("estimate", rest, "--profile", mine, "--json").stdout)
    assert said["mape_pct"] <= 4
    assert {case["confidence"] for case in said["cases"]} == {"own runs"}
    assert {case["profile"] for case in said["cases"]} == {"mine"}


def test_json_says_what_moved_and_how_well(twin, tmp_path: Path) -> None:
    own = runs(tmp_path / "own.csv", "gpt3-175B", (128, 256, 512, 2048), slower=1.1)
    said = json.loads(twin("calibrate", own, "-o", tmp_path / "mine.yaml", "--json").stdout)
    assert (said["base"], said["runs"]) == ("h100", 4)
    moved = said["moved"]["gemm_efficiency"]
    assert moved["fitted"] < moved["base"]
    assert said["fitted_errors"]["mape_pct"] < said["base_errors"]["mape_pct"]
    assert said["left_out_errors"]["mape_pct"] < 4
    assert "4 of your runs" in said["worth"]


def test_lines_that_cannot_be_used_are_told(twin, tmp_path: Path) -> None:
    own = runs(tmp_path / "own.csv", "gpt3-175B", (128, 256))
    text = own.read_text().splitlines()
    own.write_text("\n".join([*text, text[1].replace("H100-80GB", "V100")]) + "\n")
    result = twin("calibrate", own, "-o", tmp_path / "mine.yaml")
    assert f"warning: {own}:4: no profile serves GPU 'V100'" in result.stderr


def test_a_base_of_another_gpu_is_doubted(twin, tmp_path: Path) -> None:
    own = runs(tmp_path / "own.csv", "gpt3-175B", (128,))
    result = twin("calibrate", own, "-o", tmp_path / "mine.yaml", "--base", "gb200")
    assert "is it the right GPU" in result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("step_time_s", "time"), "no line has a run with a measured step time"),
        (lambda text: text.replace("H100-80GB", "V100"), "no profile serves GPU 'V100'"),
        (lambda text: text.replace(",8.91,", ",8910,"), "check step_time_s"),
        (lambda text: text.replace(",8.91,", ",0.891,"), "faster than the hardware"),
        (lambda text: "", "is empty"),
    ],
)
def test_runs_that_tell_nothing_write_nothing(twin, tmp_path: Path, change, said: str) -> None:
    own = runs(tmp_path / "own.csv", "gpt3-175B", (128,))
    own.write_text(change(own.read_text()))
    mine = tmp_path / "mine.yaml"
    mine.write_text("old")
    error = twin("calibrate", own, "-o", mine, code=2).stderr
    assert said in error
    assert error.count("\n") == 1
    assert mine.read_text() == "old"


def test_runs_of_two_gpus_need_a_base(twin, tmp_path: Path) -> None:
    own = runs(tmp_path / "own.csv", "gpt3-175B", (128, 256))
    text = own.read_text().splitlines()
    own.write_text("\n".join([text[0], text[1], text[2].replace("H100-80GB", "GB200")]) + "\n")
    assert (
        "runs of several profiles (gb200, h100)"
        in twin("calibrate", own, "-o", tmp_path / "m.yaml", code=2).stderr
    )
