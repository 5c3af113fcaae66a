"""Rows of traces as jobs of a scene: mapping rules, names, and traces beside the scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.record.scenario_json import from_json, to_json
from twin.scenario import Scenario, load, loads, set_value
from twin.scenario.file.warnings import doubts
from twin.scenario.formats.trace_file import table_of
from twin.scenario.formats.trace_rows import pack
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.job_traces import cleaned, mapped, trace_jobs
from twin.scenario.schema.streams import JobTrace
from twin.scenario.text.problem import ScenarioError

LAB = load("builtin:lab-16").scenario
SWF = "\n".join(
    [
        "; two nodes of eight",
        "7 1000 0 600 4 -1 -1 4 1200 -1 1 3 2 -1 1 -1 -1 -1",
        "8 1060 0 300 12 -1 -1 12 300 -1 1 4 2 -1 1 -1 -1 -1",
        "9 1120 0 60 64 -1 -1 64 -1 -1 1 4 2 -1 1 -1 -1 -1",
    ]
)
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "traces"


def trace(**map) -> JobTrace:
    return JobTrace(id="old", file="a.swf", map=map, rows=pack(table_of(SWF, "a.swf")))


def jobs(scenario: Scenario = LAB, **map) -> list:
    return trace_jobs(trace(**map), scenario, ())


def test_jobs_come_at_their_gaps_with_their_limits_and_start_at_once() -> None:
    first, second = jobs()
    assert (first.id, first.submit_s, first.run_s, first.limit_s) == ("old-7", 0.0, 600.0, 1200.0)
    assert (second.id, second.submit_s, second.run_s, second.limit_s) == ("old-8", 60.0, 300.0, 300.0)
    assert (first.nodes, first.gpus) == (1, 4)
    assert (second.nodes, second.gpus) == (2, 12)
    assert (first.user, first.tenant, first.partition) == ("user-3", None, None)
    assert first.recovery.constant_s == 0.0
    assert first.checkpoint.interval == "none"
    assert first.workload.gpu == 0.8


def test_what_is_larger_than_the_scene_is_left_out_and_told() -> None:
    assert mapped(trace(), LAB).left_out == {"larger than the scene": 1}
    assert len(jobs(size=0.25)) == 3


def test_every_rule_acts() -> None:
    assert [job.gpus for job in jobs(size=0.25)] == [1, 3, None]
    assert [job.gpus for job in jobs(gpus_per_processor=0.125)] == [1, 2, None]
    assert [(job.run_s, job.limit_s) for job in jobs(time=2.0)] == [(1200.0, 2400.0), (600.0, 600.0)]
    assert [job.submit_s for job in jobs(gaps=0.5)] == [0.0, 30.0]
    assert [job.id for job in jobs(skip=1)] == ["old-8"]
    assert jobs(skip=1)[0].submit_s == 0.0
    assert [job.id for job in jobs(first=1)] == ["old-7"]
    assert [job.limit_s for job in jobs(limits=False)] == [None, None]
    assert [job.estimate_s for job in jobs(limits=False)] == [1200.0, 300.0]
    assert [job.estimate_s for job in jobs(estimate="exact")] == [600.0, 300.0]
    assert jobs(utilisation=0.3)[0].workload.gpu == 0.3
    assert jobs(rows=("gpu",))[0].rows == ("gpu",)
    model = {"kind": "llm", "model": "llama3-8b", "global_batch": 16}
    assert jobs(workload=model)[0].workload.model == "llama3-8b"


def test_tenants_and_partitions_are_those_of_the_scene_alone() -> None:
    here = Scenario.model_validate(
        {
            **dict(LAB),
            "tenants": [{"id": "group-2"}, {"id": "user-4"}],
            "partitions": [{"id": "queue-1", "rows": ["gpu"], "limit": 900.0}],
        }
    )
    assert [job.tenant for job in jobs(here)] == ["group-2", "group-2"]
    assert [job.tenant for job in jobs(here, tenants="user")] == [None, "user-4"]
    assert [job.tenant for job in jobs(here, tenants="none")] == [None, None]
    assert [(job.partition, job.limit_s) for job in jobs(here)] == [("queue-1", 900.0), ("queue-1", 300.0)]


def test_names_are_ids_and_never_twice() -> None:
    assert (cleaned("Anna.Berg@x", "user"), cleaned("7", "group"), cleaned("--", "user")) == (
        "anna-berg-x",
        "group-7",
        "",
    )
    text = "\n".join(f"{name} {n} 0 5 1" for n, name in enumerate((1, 1, 2)))
    one = JobTrace(id="t", file="a", rows=pack(table_of(text, "a")))
    assert [job.id for job in trace_jobs(one, LAB, {"t-2"})] == ["t-1", "t-n1", "t-n2"]
    long = JobTrace(
        id="t" * 32, file="a", rows=pack(table_of(SWF.replace("7 1000", "77777777777 1000"), "a"))
    )
    assert all(len(job.id) <= 40 for job in trace_jobs(long, LAB, ()))


SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: with a trace
extends: builtin:lab-16
traces:
  - {id: old, file: a.swf, map: {size: 0.25}}
"""


def test_a_trace_beside_a_scene_travels_inside_it(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_text(SWF)
    (tmp_path / "s.twin.yaml").write_text(SCENE)
    scenario = load(tmp_path / "s.twin.yaml").scenario
    made = jobs_of(scenario)
    assert [job.id for job in made] == ["llama3", "old-7", "old-8", "old-9"]
    (tmp_path / "a.swf").unlink()
    assert jobs_of(from_json(to_json(scenario))) == made
    assert jobs_of(set_value(scenario, "seed", "5")) == made


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "a.swf",
            "b.swf",
            "s.twin.yaml:7: traces[old].file = 'b.swf': does not exist; did you mean 'a.swf'?",
        ),
        ("a.swf", "../a.swf", "must be a path inside the folder of its file"),
        ("a.swf", "s.twin.yaml", "s.twin.yaml:1: 'format: twin/scenario': unknown trace format"),
        (
            "size: 0.25",
            "partition: nowhere",
            "s.twin.yaml:7: traces[old].map.partition = 'nowhere': unknown partition",
        ),
        ("size: 0.25", "rows: [other]", "unknown row generator: 'other'"),
        ("map:", "rows: eJwrSS0uAQAEXQHB, map:", "traces[old].rows"),
    ],
)
def test_what_is_wrong_with_a_trace_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "a.swf").write_text(SWF)
    (tmp_path / "s.twin.yaml").write_text(SCENE.replace(old, new))
    with pytest.raises(ScenarioError) as error:
        load(tmp_path / "s.twin.yaml")
    assert said in str(error.value)


def test_jobs_too_large_for_the_scene_are_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_text(SWF)
    (tmp_path / "s.twin.yaml").write_text(SCENE.replace("size: 0.25", "size: 1"))
    told = [str(one) for one in doubts(load(tmp_path / "s.twin.yaml"), load_catalog())]
    assert any("traces[old].map: leaves out 1 of 3 jobs" in one for one in told), told


def test_a_trace_needs_a_folder() -> None:
    with pytest.raises(ScenarioError, match="this text has no folder yet; save it first"):
        loads(SCENE)


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the shared reference traces are not there")
@pytest.mark.parametrize(
    ("name", "format", "count", "largest"),
    [
        ("swf/accasim_tests_workload.swf", "swf", 25, 36),
        ("gavel_philly/23dbec.trace", "gavel", 9, 8),
        ("gavel_philly/51b7ef.trace", "gavel", 18, 8),
        ("gavel_philly/2869ce.trace", "gavel", 533, 32),
        ("gavel_philly/0e4a51.trace", "gavel", 1181, 8),
    ],
)
def test_published_traces_are_read_whole(name: str, format: str, count: int, largest: int) -> None:
    table = table_of((REFERENCE / name).read_text(), name)
    assert (table.format, len(table.rows), dict(table.left_out)) == (format, count, {})
    assert max(row.gpus or row.processors for row in table.rows) == largest
