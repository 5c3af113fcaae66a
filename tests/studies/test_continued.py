"""A study is known from its file: what was asked goes on, and what follows from its points is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import wait_until

from twin.analysis.figures import FIGURES
from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.studies.background import StudyEnd, StudyProcess, timing_aside
from twin.studies.continued import (
    front_of_study,
    goals_of,
    indices_so_far,
    plan_of,
    same_scene,
    values_text,
)
from twin.studies.study import SweepRequest, carried_out, planned
from twin.studies.study_error import StudyError
from twin.studies.study_figures import chosen_figures
from twin.studies.sweep_file import SweepReader, read_sweep
from twin.studies.sweep_records import PointRecord, SweepHeader, header_of
from twin.studies.varied_key import varied_key

LAB = load("builtin:lab-16")
INTERVAL = "jobs[llama3].checkpoint.interval"
GOODPUT = FIGURES[0]


def header_and_plan(request: SweepRequest):
    document = set_texts(LAB, request.settings)
    plan = planned(document, request, [GOODPUT])
    made = header_of(
        document, plan.design, plan.seeds, request.until_s, request.scene, tuple(request.settings)
    )
    return document, plan, made


@pytest.mark.parametrize(
    "request_of_study",
    [
        SweepRequest("lab-16", [f"{INTERVAL}=5min, 10min"], seeds=2, until_s=600.0),
        SweepRequest("lab-16", [f"{INTERVAL}=5..20 min", "jobs[llama3].nodes=1..2"], points=7, seed=9),
        SweepRequest("lab-16", [f"{INTERVAL}=0.1..0.35 h", "jobs[llama3].nodes=1,2"], "lhs", 8),
        SweepRequest("lab-16", [f"{INTERVAL}=5..20 min"], "sobol", 16, settings=["duration=2 h"]),
        SweepRequest("lab-16", [f"{INTERVAL}=5..20 min", "jobs[llama3].nodes=1,2"], indices=True, points=8),
        SweepRequest(
            "lab-16",
            [f"{INTERVAL}=5..20 min"],
            points=20,
            optimise=["goodput", "power_mean_w:min"],
            limits=["power_max_w<=20 kW"],
        ),
    ],
)
def test_what_was_asked_is_read_off_the_file(request_of_study: SweepRequest) -> None:
    document, plan, header = header_and_plan(request_of_study)
    again = plan_of(document, header, [GOODPUT], None)
    assert again.design == plan.design
    assert again.seeds == plan.seeds
    assert (again.samples is None) == (plan.samples is None)
    assert (again.aims, again.limits) == (plan.aims, plan.limits)
    assert goals_of(header) == (plan.aims, plan.limits)


@pytest.mark.parametrize("text", ["5min, 10min", "5..20 min", "0.1..0.35 h", "2..8", "1.0..8", "0.5..1.25"])
def test_values_are_typed_as_they_were(text: str) -> None:
    key = varied_key(f"a={text}")
    assert varied_key(f"a={values_text(key)}") == key


def test_another_scene_is_told_apart() -> None:
    document, _, header = header_and_plan(
        SweepRequest("lab-16", [f"{INTERVAL}=5min,9min"], settings=["duration=2 h"])
    )
    found = same_scene(LAB, header)
    assert found is not None
    assert found.text == document.text
    assert same_scene(set_texts(LAB, ["storage[nas].read=9 GB/s"]), header) is None


def test_a_header_of_other_points_cannot_go_on() -> None:
    document, _, header = header_and_plan(SweepRequest("lab-16", [f"{INTERVAL}=5min,9min"]))
    other = SweepHeader.model_validate(header.model_dump() | {"points": header.points + 900})
    with pytest.raises(StudyError, match="other points"):
        plan_of(document, other, [GOODPUT], None)


def test_a_halted_study_keeps_its_runs_and_comes_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    asked = SweepRequest("lab-16", [f"{INTERVAL}=5min,10min,20min"], until_s=600.0, out=path, workers=1)
    plan = planned(LAB, asked, [GOODPUT])
    done: list[int] = []
    halted = carried_out(LAB, plan, lambda runs, of: done.append(runs), lambda: done[-1] >= 2)
    assert halted.halted
    assert len(halted.contents.runs) == 2
    header = read_sweep(path).header
    whole = carried_out(LAB, plan_of(LAB, header, [GOODPUT], path))
    assert not whole.halted
    assert len(whole.contents.runs) == plan.runs
    assert whole.contents.runs.items() >= halted.contents.runs.items()


def test_front_and_indices_are_those_of_the_study(tmp_path: Path) -> None:
    closed = chosen_figures(["renewal_ettr", "mean_between_s"])
    keys = [f"{INTERVAL}=5..60 min", "jobs[llama3].checkpoint.pause=1..60 s"]
    asked = SweepRequest("lab-16", keys, points=8, indices=True, out=tmp_path / "i.sweep", workers=1)
    found = carried_out(LAB, planned(LAB, asked, closed))
    assert found.indices is not None
    again = read_sweep(tmp_path / "i.sweep")
    assert indices_so_far(again, closed[0], LAB.scenario.seed) == found.indices["renewal_ettr"]
    asked = SweepRequest(
        "lab-16", keys, points=16, optimise=["renewal_ettr"], out=tmp_path / "o.sweep", workers=1
    )
    found = carried_out(LAB, planned(LAB, asked, []))
    assert found.front is not None
    assert front_of_study(read_sweep(tmp_path / "o.sweep")) == sorted(found.front)


def test_a_file_is_read_on_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    asked = SweepRequest("lab-16", [f"{INTERVAL}=5min,10min,20min"], until_s=60.0, out=path, workers=1)
    carried_out(LAB, planned(LAB, asked, [GOODPUT]))
    lines = path.read_bytes().splitlines(keepends=True)
    growing = tmp_path / "growing.sweep"
    growing.write_bytes(lines[0])
    reader = SweepReader(growing)
    assert not reader.read_on()
    for line in lines[1:]:
        with growing.open("ab") as file:
            file.write(line[:20])
        assert not reader.read_on()
        with growing.open("ab") as file:
            file.write(line[20:])
        assert reader.read_on()
        assert reader.is_whole
    assert reader.contents == read_sweep(path)
    assert isinstance(reader.contents.points[0], PointRecord)
    growing.write_bytes(lines[0])
    with pytest.raises(StudyError, match="written anew"):
        reader.read_on()


def test_a_long_file_is_read_a_part_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    asked = SweepRequest("lab-16", [f"{INTERVAL}=5min,10min,20min"], until_s=60.0, out=path, workers=1)
    carried_out(LAB, planned(LAB, asked, [GOODPUT]))
    reader = SweepReader(path)
    reader.read_on(-1.0)
    assert not reader.is_whole
    assert not reader.contents.points
    reader.read_on()
    assert reader.is_whole
    assert len(reader.contents.runs) == 4


def ended(process: StudyProcess) -> StudyEnd:
    ends: list[StudyEnd] = []
    wait_until(lambda: bool(ends.extend(w for w in process.words() if isinstance(w, StudyEnd)) or ends))
    return ends[0]


@pytest.mark.slow
def test_a_study_aside_is_paused_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    values = ",".join(f"{minutes}min" for minutes in range(5, 15))
    asked = SweepRequest("lab-16", [f"{INTERVAL}={values}"], until_s=600.0, out=path, workers=1)
    process = StudyProcess(LAB, asked, path, ["goodput"])
    try:
        wait_until(lambda: path.is_file() and len(read_sweep(path).runs) > 0)
        process.pause()
        assert ended(process) == StudyEnd(halted=True)
    finally:
        process.close()
    there = len(read_sweep(path).runs)
    assert 0 < there < 11
    process = StudyProcess(LAB, read_sweep(path).header, path, ["goodput"])
    try:
        assert ended(process) == StudyEnd()
    finally:
        process.close()
    assert len(read_sweep(path).runs) == 11


def test_why_a_study_cannot_be_is_told(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    process = StudyProcess(LAB, SweepRequest("lab-16", ["seed=1,2"], out=path), path, ["goodput"])
    try:
        assert "every point runs with the same seeds" in ended(process).why
    finally:
        process.close()
    assert not path.exists()


def test_runs_aside_are_made_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    asked = SweepRequest("lab-16", [f"{INTERVAL}=5min"], until_s=600.0, out=path, workers=1)
    header = header_of(LAB, planned(LAB, asked, chosen_figures(["goodput"])).design, (1,), 600.0, "lab-16")
    for what in (asked, header):
        process = StudyProcess(LAB, what, path, ["goodput"], "tcp://10.0.0.5:8786")
        try:
            assert "messages of a scheduler run code" in ended(process).why
        finally:
            process.close()


def test_a_run_is_timed() -> None:
    aside = timing_aside(LAB.scenario, 1, 600.0)
    try:
        found: list[object] = []
        wait_until(lambda: bool(found.extend(aside.words()) or (found and isinstance(found[-1], float))))
        assert 0.0 < found[-1] < 60.0
    finally:
        aside.close()
