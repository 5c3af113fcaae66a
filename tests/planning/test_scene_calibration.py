"""A calibrated profile inside a scene: used by engine and window alike, refused where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.planning.job.scenario_job import estimate_of
from twin.planning.profile.figures import ProfileFigure
from twin.planning.profile.profile_file import write_profile
from twin.scenario import ScenarioError, load

SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:superpod-h100
jobs:
  - id: llama3
    workload:
      calibration:
"""


def scene(tmp_path: Path, calibration: str) -> Path:
    path = tmp_path / "own.twin.yaml"
    path.write_text(SCENE + "".join(f"        {line}\n" for line in calibration.splitlines()))
    return path


def test_what_calibrate_writes_can_be_pasted_into_a_job(tmp_path: Path) -> None:
    figure = ProfileFigure(0.5, "0.5", "own runs: a.csv, 2026-11-21, 3 runs", "fitted")
    write_profile(
        tmp_path / "own.yaml",
        title="Ours",
        extends="h100",
        figures={"gemm_efficiency": figure},
        gpus=("H100-SXM",),
        notes="three runs",
    )
    written = load(scene(tmp_path, (tmp_path / "own.yaml").read_text())).scenario.jobs[0]
    shipped = load("builtin:superpod-h100").scenario.jobs[0]
    own, base = (estimate_of(job, 240, "H100-SXM", 80e9) for job in (written, shipped))
    assert own.confidence == "own runs"
    assert own.step_s > 1.2 * base.step_s
    assert hash(written) == hash(load(scene(tmp_path, (tmp_path / "own.yaml").read_text())).scenario.jobs[0])


def test_a_calibration_that_extends_nothing_is_refused_at_its_key(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as refused:
        load(scene(tmp_path, "title: Ours\nextends: h1000\n"))
    assert "calibration.extends" in str(refused.value)
    assert "h100" in str(refused.value)


def test_an_unknown_figure_is_refused_with_its_line(tmp_path: Path) -> None:
    wrong = "title: Ours\nextends: h100\nfigures:\n  gem_efficiency: {value: 1, unit: '1', status: fitted, source: x}\n"
    with pytest.raises(ScenarioError) as refused:
        load(scene(tmp_path, wrong))
    assert "gem_efficiency" in str(refused.value)
    assert refused.value.problems[0].line == 12


def test_another_kind_of_workload_takes_nothing_over(tmp_path: Path) -> None:
    text = SCENE.replace(
        "      calibration:\n", "      {kind: vision, model: m, sample_flop: 1e12, parameters: 1e9,"
    )
    path = tmp_path / "other.twin.yaml"
    path.write_text(text + " batch_per_gpu: 8, sample: 1 MB, dataset: 1 TB}\n")
    workload = load(path).scenario.jobs[0].workload
    assert workload.kind == "vision"
