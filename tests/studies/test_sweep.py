"""Sweeps of a small scene: the same seeds at every point, bad points as outcomes, and going on where it stopped."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from twin.analysis.compare import Sample
from twin.analysis.paired_interval import difference_of
from twin.analysis.run_pool import RunLost
from twin.analysis.seeds import sample, samples
from twin.api.sweep import swept
from twin.scenario import Scenario, load
from twin.scenario.file.set_option import set_texts
from twin.studies.bands import band_of
from twin.studies.design import design_of
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.study import SweepRequest
from twin.studies.study_error import StudyError
from twin.studies.study_figures import CLOSED_FORMS, STUDY_FIGURES, chosen_figures, closed_forms
from twin.studies.sweep import SweepRunner
from twin.studies.sweep_export import write_table
from twin.studies.sweep_file import SweepFile, read_sweep
from twin.studies.sweep_records import header_of
from twin.studies.sweep_table import sweep_rows
from twin.studies.varied_key import varied_keys

LAB = load("builtin:lab-16")
INTERVAL = "jobs[llama3].checkpoint.interval"
ASKED = SweepRequest(
    "lab-16", [f"{INTERVAL}=5min,30min", "jobs[llama3].nodes=2,500"], seeds=2, until_s=7200.0, workers=1
)
FIGURES = chosen_figures(["goodput", "it_j"])


class Here:
    """Runs in this process, and counts them; ends after some."""

    def __init__(self, most: int = 1000) -> None:
        self.left, self.made = most, 0

    def results(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunOutcome | RunLost]]:
        for task in tasks:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            self.made += 1
            yield task, run_task(task)


def test_every_point_runs_with_the_same_seeds_and_bad_points_are_outcomes() -> None:
    made = swept(ASKED, FIGURES)
    contents, lost = made.contents, made.lost
    assert not lost
    good, bad, base, _ = sweep_rows(contents, FIGURES)
    assert contents.header.base == base.point == 2
    assert "500: is too many" in bad.reason
    assert (good.runs, bad.runs, base.runs) == (2, 0, 2)
    other = set_texts(LAB, [f"{INTERVAL}=5min"]).scenario
    first, second = samples([LAB.scenario, other], [1, 2], 7200.0, workers=1)
    for key in ("goodput", "it_j"):
        a, b = ([run.figures[key] for run in runs] for runs in (first, second))
        assert base.bands[key] == band_of(a)
        assert good.bands[key] == band_of(b)
        assert good.differences[key] == difference_of(a, b)
    assert base.differences == {}


def test_a_point_whose_run_fails_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(design: Scenario, seed: int, until_s: float | None) -> Sample:
        if design.jobs[0].checkpoint.interval == 300.0:
            raise {1: ZeroDivisionError("by zero"), 2: MemoryError()}[seed]
        return sample(design, seed, until_s)

    monkeypatch.setattr("twin.studies.run_task.sample", fails)
    made = swept(ASKED, FIGURES)
    contents, lost = made.contents, made.lost
    first, _, second, _ = sweep_rows(contents, FIGURES)
    assert first.reason == "ZeroDivisionError: by zero"
    assert (first.runs, second.runs) == (0, 2)
    assert lost == ("MemoryError",)
    assert (0, 2) not in contents.runs


def test_a_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path, keys = tmp_path / "lab.sweep", varied_keys(LAB, ASKED.vary)
    design = design_of(LAB, keys, "grid")
    header = header_of(LAB, design, (1, 2), 7200.0, "lab-16")
    told: list[tuple[int, int]] = []

    def run(executor: Here) -> None:
        with SweepFile(header, path) as file:
            runner = SweepRunner(LAB, design, file, FIGURES, executor, lambda *done: told.append(done))
            runner.run(list(enumerate(design.points)))

    with pytest.raises(KeyboardInterrupt):
        run(Here(3))
    assert len(read_sweep(path).runs) == 3
    rest = Here()
    run(rest)
    assert rest.made == 1
    again = Here()
    run(again)
    assert again.made == 0
    assert told[-1] == (8, 8)
    whole = swept(ASKED, FIGURES).contents
    assert read_sweep(path).runs == whole.runs


def test_other_points_of_the_same_design_are_refused(tmp_path: Path) -> None:
    keys = varied_keys(LAB, ASKED.vary)
    design = design_of(LAB, keys, "grid")
    header = header_of(LAB, design, (1,), 60.0, "lab-16")
    with SweepFile(header, tmp_path / "a.sweep") as file:
        SweepRunner(LAB, design, file, FIGURES, Here()).run([(0, design.points[0])])
        with pytest.raises(StudyError, match="other values for point 0"):
            SweepRunner(LAB, design, file, FIGURES, Here()).run([(0, design.points[2])])


def test_closed_forms_alone_run_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twin.studies.run_task.sample", None)
    figures = chosen_figures([figure.key for figure in CLOSED_FORMS])
    contents = swept(
        replace(ASKED, vary=["failures.enabled=true", f"{INTERVAL}=5 min,20 min"]), figures
    ).contents
    assert set(contents.runs) == {(0, None), (1, None), (2, None)}
    rows = sweep_rows(contents, figures)
    assert rows[0].bands["installed_gpus"].mean == 16.0
    assert rows[1].bands["interval_s"].mean == pytest.approx(300.0, rel=0.05)
    assert closed_forms(LAB.scenario)["renewal_ettr"] == rows[0].bands["renewal_ettr"].mean


@pytest.mark.parametrize(
    ("seeds", "figures", "runs"),
    [(5000, ["goodput"], None), (5001, ["goodput"], "500,100"), (5000, ["goodput", "interval_s"], "500,100")],
)
def test_more_runs_than_a_sweep_holds_are_refused_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: int, figures: list[str], runs: str | None
) -> None:
    class Began(Exception):
        pass

    def began(_: SweepRequest) -> None:
        raise Began

    monkeypatch.setattr(SweepRequest, "executor", began)
    out, told = tmp_path / "lab.sweep", list[str]()
    asked = replace(ASKED, vary=[f"{INTERVAL}=5..600 min"], design="lhs", points=99, seeds=seeds, out=out)
    with pytest.raises(StudyError if runs else Began, match=runs and f"{runs} runs are too many"):
        swept(asked, chosen_figures(figures), budget=told.append)
    assert bool(told) == (runs is None)
    assert not out.exists()


def test_closed_forms_that_fail_beside_runs_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Scenario) -> None:
        raise ValueError("no job has a checkpoint")

    monkeypatch.setattr("twin.studies.run_task.closed_forms", fails)
    figures, path = chosen_figures(["goodput", "interval_s"]), tmp_path / "lab.csv"
    contents = swept(replace(ASKED, vary=[f"{INTERVAL}=5min,30min"], until_s=60.0), figures).contents
    rows = sweep_rows(contents, figures)
    assert [(row.runs, row.reason) for row in rows] == [(2, "no job has a checkpoint")] * 2
    write_table(contents, figures, path)
    with path.open() as file:
        assert [row["reason"] for row in csv.DictReader(file)] == ["no job has a checkpoint"] * 4


def test_an_unknown_figure_is_told_with_the_nearest() -> None:
    with pytest.raises(StudyError, match="did you mean goodput"):
        chosen_figures(["godput"])


@pytest.mark.parametrize("name", ["lab.csv", "lab.parquet"])
def test_a_table_has_a_row_for_each_run(tmp_path: Path, name: str) -> None:
    figures = [*FIGURES, STUDY_FIGURES["installed_gpus"]]
    contents = swept(replace(ASKED, until_s=600.0), figures).contents
    path = tmp_path / name
    assert write_table(contents, figures, path) == 6
    if name.endswith(".csv"):
        with path.open() as file:
            rows = list(csv.DictReader(file))
        kind = float
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        rows, kind = parquet.read_table(path).to_pylist(), lambda value: value
    assert [str(row["seed"] or "").replace("None", "") for row in rows] == ["1", "2", "", "1", "2", ""]
    assert [row[INTERVAL] for row in rows] == ["5min"] * 3 + ["30min"] * 3
    assert kind(rows[0]["goodput"]) == contents.figures(0, "goodput")[0]
    assert kind(rows[0]["installed_gpus"]) == 16.0
    assert "too many" in rows[2]["reason"]


def test_a_table_that_cannot_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, contents = tmp_path / "lab.csv", swept(replace(ASKED, until_s=60.0), FIGURES[:1]).contents
    path.write_text("before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_table(contents, FIGURES, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
