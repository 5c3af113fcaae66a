"""A need that is a trace of jobs: GPU-hours, peak and largest by hand, and the stage they ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.designs.answer import answer
from twin.designs.design_rows import answer_row
from twin.designs.need_file import load_need
from twin.scenario.text.problem import ScenarioError

# Job, submit, wait, run, processors: 100 of them for 10 h, 60 beside them from 5 h to 15 h, 8 for an hour at 19 h.
SWF = """; UnixStartTime: 0
1 0 0 36000 100 -1 -1 100 -1 -1 1 1 1 1 1 1 -1 -1
2 18000 0 36000 60 -1 -1 60 -1 -1 1 1 1 1 1 1 -1 -1
3 68400 0 3600 8 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1
"""


def need(folder: Path, more: str = "", stages: str = "") -> Path:
    (folder / "jobs.swf").write_text(SWF)
    path = folder / "mine.twin-need.yaml"
    path.write_text(f"format: twin/need\nversion: 1\ngpus: [H100]\n{stages}trace: {{file: jobs.swf{more}}}\n")
    return path


def test_its_figures_are_those_of_the_jobs(tmp_path: Path) -> None:
    file = load_need(need(tmp_path))
    asked = file.trace
    assert asked is not None
    assert (asked.jobs, asked.largest, asked.peak) == (3, 100, 160)
    assert asked.gpu_h == pytest.approx(100 * 10 + 60 * 10 + 8)
    assert asked.span_s == pytest.approx(20 * 3600)
    # A mean of 80.4 GPUs at 70 % are 115; the largest job needs fewer.
    assert asked.gpus == 115
    assert [stage.gpus for stage in file.need.stages] == [115]


@pytest.mark.parametrize(
    ("more", "gpus"),
    [
        (", utilisation: 1", 100),  # the largest job
        (", utilisation: 0.1", 160),  # no more than at the peak
        (", map: {size: 2}", 230),
        (", map: {time: 0.5}", 100),  # half as long: little is asked for, but the largest job stays
    ],
)
def test_use_and_mapping_change_what_is_asked(tmp_path: Path, more: str, gpus: int) -> None:
    asked = load_need(need(tmp_path, more)).trace
    assert asked is not None
    assert asked.gpus == gpus


def test_the_last_stage_has_enough_and_the_first_stays(tmp_path: Path) -> None:
    stages = "stages: [{date: 2027-01, gpus: 16}, {date: 2028-01, gpus: 64}]\n"
    assert [stage.gpus for stage in load_need(need(tmp_path, "", stages)).need.stages] == [16, 115]
    more = "stages: [{date: 2027-01, gpus: 512}]\n"
    assert [stage.gpus for stage in load_need(need(tmp_path, "", more)).need.stages] == [512]


def test_designs_of_a_trace_hold_its_gpus(tmp_path: Path) -> None:
    file = load_need(need(tmp_path))
    found = answer(file, load_catalog(), 20)
    assert found.designs
    assert all(design.choice.gpus == 120 for design in found.designs)  # whole nodes of eight
    row = answer_row(found, [str(place) for place in range(len(found.designs))])
    assert row["trace"]["gpus"] == 115


def test_a_trace_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    path = need(tmp_path)
    path.write_text(path.read_text().replace("jobs.swf", "../jobs.swf"))
    with pytest.raises(ScenarioError) as wrong:
        load_need(path)
    problem = wrong.value.problems[0]
    assert (problem.line, problem.key) == (4, "trace.file")
