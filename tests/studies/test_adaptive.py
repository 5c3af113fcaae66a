"""Indices and optimisation of a small scene, within a budget, and continued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from twin.analysis.run_pool import RunLost
from twin.api.sweep import swept
from twin.studies.adaptive import generations_of
from twin.studies.aim import aims_of, limits_of
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.study import SweepOutcome, SweepRequest
from twin.studies.study_error import StudyError
from twin.studies.study_figures import chosen_figures
from twin.studies.sweep_file import read_sweep
from twin.studies.sweep_table import mean_of

INTERVAL, PAUSE = "jobs[llama3].checkpoint.interval", "jobs[llama3].checkpoint.pause"
ASKED = SweepRequest("lab-16", [f"{INTERVAL}=5..60 min", f"{PAUSE}=1..60 s"], workers=1)


def test_indices_of_a_closed_form_say_which_key_it_follows_from() -> None:
    told: list[str] = []
    figures = chosen_figures(["interval_s"])
    made = swept(replace(ASKED, indices=True, points=16), figures, budget=told.append)
    assert told == ["budget: 16 base samples for 2 keys are 64 points; with 1 seed at most 64 runs"]
    assert made.indices is not None
    indices, samples = made.indices["interval_s"]
    assert samples == 16
    assert indices is not None
    assert indices[0].total == pytest.approx(1.0, abs=0.3)
    assert indices[1].total == 0.0
    assert len(made.contents.points) <= 64


def test_an_optimum_is_found_within_the_budget_and_limits_hold(tmp_path: Path) -> None:
    path, told = tmp_path / "lab.sweep", list[str]()
    asked = replace(
        ASKED,
        vary=[f"{INTERVAL}=5..600 min", "jobs[llama3].nodes=1,2,3"],
        optimise=["renewal_ettr"],
        limits=["interval_s<=2 h"],
        points=100,
        out=path,
    )
    made = swept(asked, (), budget=told.append)
    assert "10 generations of 10 points are 100 points" in told[0]
    contents = made.contents
    assert len(contents.points) <= 100
    assert made.front
    (ettr,) = chosen_figures(["renewal_ettr"])
    (interval,) = chosen_figures(["interval_s"])
    kept = [
        mean_of(contents, number, ettr)
        for number in contents.points
        if mean_of(contents, number, interval) <= 7200.0
    ]
    assert mean_of(contents, made.front[0], ettr) == max(kept)
    assert mean_of(contents, made.front[0], interval) <= 7200.0
    assert all(contents.points[number].values[1] != "3" for number in made.front)  # no valid scene
    before = path.read_bytes()
    again = swept(asked, ())
    assert again.front == made.front
    assert path.read_bytes() == before
    lines = before.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    assert swept(asked, ()).front == made.front
    assert read_sweep(path).runs == contents.runs


class _Losing:
    """Runs in this process, of which one is lost."""

    def __init__(self, place: int | None) -> None:
        self.place, self.made = place, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def results(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunOutcome | RunLost]]:
        for task in tasks:
            self.made += 1
            yield task, RunLost("its process ended") if self.made == self.place else run_task(task)


@pytest.mark.parametrize("place", [1, 7, 20])
def test_a_search_that_lost_a_run_stops_and_the_same_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    def found(executor: _Losing, out: Path) -> SweepOutcome:
        monkeypatch.setattr(SweepRequest, "executor", lambda _: executor)
        vary = [f"{INTERVAL}=5..600 min"]
        return swept(replace(ASKED, vary=vary, optimise=["renewal_ettr"], points=40, out=out), ())

    path = tmp_path / "lost.sweep"
    lost = found(_Losing(place), path)
    assert lost.lost == ("its process ended",)
    assert lost.front is None
    assert len(lost.contents.points) == -(-place // 6) * 6  # to the end of its generation
    assert len(lost.contents.runs) == len(lost.contents.points) - 1
    again = found(_Losing(None), path)
    whole = found(_Losing(None), tmp_path / "whole.sweep")
    assert again.front == whole.front
    assert again.front
    assert again.contents.runs == whole.contents.runs


def test_another_aim_is_another_study(tmp_path: Path) -> None:
    asked = replace(ASKED, optimise=["renewal_ettr"], points=8, out=tmp_path / "a.sweep")
    swept(asked, ())
    with pytest.raises(StudyError, match="another sweep: the design"):
        swept(replace(asked, optimise=["renewal_ettr:min"]), ())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"optimise": ["godput"]}, "did you mean goodput"),
        ({"optimise": ["power_mean_w"]}, "must say min or max"),
        ({"optimise": ["goodput:most"]}, "must say min or max"),
        ({"optimise": ["goodput", "goodput:min"]}, "named twice"),
        ({"optimise": ["goodput"], "limits": ["pue"]}, "is not FIGURE<=VALUE"),
        ({"optimise": ["goodput"], "limits": ["power_max_w<=20"]}, "power_max_w: '20' has no unit"),
        ({"limits": ["pue<=2"]}, "--limit goes with --optimise"),
        ({"optimise": ["goodput"], "indices": True}, "neither with --indices"),
        ({"optimise": ["goodput"], "points": 7}, "from 8 to"),
        ({"vary": []}, "nothing varies"),
    ],
)
def test_what_cannot_be_asked_is_told(changes: dict[str, object], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        swept(replace(ASKED, **changes), chosen_figures(["goodput"]))  # type: ignore[arg-type]


def test_aims_and_limits_are_read_in_units() -> None:
    assert [str(aim) for aim in aims_of(["pue", "goodput:min"])] == ["pue:min", "goodput:min"]
    least, most = limits_of(["goodput>=95 %", "pue<=1.3"])
    assert (least.value, most.value) == (0.95, 1.3)
    assert least.violation(0.9) == pytest.approx(0.05 / 0.95)
    assert least.violation(0.97) == most.violation(1.2) == 0.0


def test_generations_fit_the_budget() -> None:
    for points in np.unique(np.geomspace(8, 5000, 40).astype(int)).tolist():
        generations, population = generations_of(points)
        assert population % 2 == 0
        assert population >= 4
        assert generations * population <= points
        assert points - generations * population < population
