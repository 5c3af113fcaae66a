from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from twin.cli.run import SchedulerPolicy
from twin.scenario.schema.scheduling import Policy

SWF = """; four processors are a GPU here
1   0 0  600 16 -1 -1 16 1200 -1 1 3 2 -1 1 -1 -1 -1
2  60 0  300 48 -1 -1 48  900 -1 1 4 2 -1 1 -1 -1 -1
3 120 0 1000 16 -1 -1 16  500 -1 1 4 2 -1 1 -1 -1 -1
4 180 0   60 99 -1 -1 99   90 -1 1 4 2 -1 1 -1 -1 -1
5 240 0   -1  4 -1 -1  4   90 -1 5 4 2 -1 1 -1 -1 -1
"""
FINDINGS = Path(__file__).parents[1] / "findings"
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "traces"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "old.swf"
    path.write_text(SWF)
    return path


def ran(twin, *words: str) -> dict:
    return json.loads(twin("run", *words, "--no-record", "--json").stdout)


def test_a_trace_runs_to_the_end_of_its_last_job(twin, trace: Path) -> None:
    summary = ran(twin, "lab-16", "--jobs", trace, "--map", "gpus_per_processor=0.25", "--policy", "easy")
    jobs = {job["id"]: job for job in summary["jobs"]}
    assert {id: (job["gpus"], job["state"]) for id, job in jobs.items()} == {
        "trace-1": (4, "done"),
        "trace-2": (12, "done"),
        "trace-3": (4, "killed"),
    }
    assert (jobs["trace-1"]["start_s"], jobs["trace-1"]["end_s"]) == (0.0, pytest.approx(600.0))
    assert (jobs["trace-2"]["start_s"], jobs["trace-2"]["end_s"]) == (60.0, pytest.approx(360.0))
    # Until 360 s all 16 GPUs are held; the third then runs until its wall time is over.
    assert jobs["trace-3"]["end_s"] - jobs["trace-3"]["start_s"] == pytest.approx(500.0)
    assert summary["simulated_s"] == pytest.approx(max(job["end_s"] for job in jobs.values()))
    assert sum(summary["ledger_gpu_s"].values()) == pytest.approx(16 * summary["simulated_s"], rel=1e-9)


def test_a_time_ends_the_run_before_and_the_same_command_gives_the_same_run(twin, trace: Path) -> None:
    words = ("lab-16", "--jobs", trace, "--map", "size=0.25")
    assert ran(twin, *words, "--until", "300 s")["simulated_s"] == 300.0
    assert ran(twin, *words, "--set", "duration=2 h")["simulated_s"] == 7200.0
    assert ran(twin, *words)["event_hash"] == ran(twin, *words)["event_hash"]


def test_jobs_of_the_scene_stay_when_asked(twin, trace: Path) -> None:
    summary = ran(twin, "lab-16", "--jobs", trace, "--keep-jobs", "--map", "size=0.01", "--until", "1 h")
    assert [job["id"] for job in summary["jobs"]][:2] == ["llama3", "trace-1"]


def test_what_was_left_out_is_told(twin, trace: Path) -> None:
    result = twin("run", "lab-16", "--jobs", trace, "--map", "gpus_per_processor=0.25", "--no-record")
    assert "old.swf: 1 left out: larger than the scene" in result.output
    assert "old.swf: 1 left out: cancelled before they started" in result.output


def test_injections_mean_jobs_of_the_trace(twin, trace: Path) -> None:
    words = ("lab-16", "--jobs", trace, "--map", "gpus_per_processor=0.25")
    jobs = {job["id"]: job for job in ran(twin, *words, "--inject", "100 s cancel trace-1")["jobs"]}
    assert jobs["trace-1"]["end_s"] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--map", "size"), "is not KEY=VALUE"),
        (("--map", "sise=2"), "there is no 'sise'; did you mean size?"),
        (("--map", "size=big"), "--map size = "),
        (("--map", "partition=nowhere"), "unknown partition: 'nowhere'"),
        (("--format", "xls"), "--format 'xls' is not known; there are swf, sacct"),
        (("--map", "size=1000"), "none of its jobs fits into the scene"),
        (("--policy", "lottery"), "Invalid value for '--policy'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(twin, trace: Path, words: tuple[str, ...], said: str) -> None:
    result = twin("run", "lab-16", "--jobs", trace, *words, "--no-record", code=2)
    assert said in result.output


def test_policies_are_those_of_the_scene_language() -> None:
    assert tuple(SchedulerPolicy) == get_args(Policy)


def test_options_of_a_trace_need_one(twin, trace: Path) -> None:
    assert "name that file" in twin("run", "lab-16", "--map", "size=2", code=2).output
    assert "no such file" in twin("run", "lab-16", "--jobs", trace.with_name("old.swv"), code=2).output


def test_twin_jobs_tells_what_a_trace_holds(twin, trace: Path) -> None:
    held = json.loads(twin("jobs", trace, "--map", "gpus_per_processor=0.25", "--json").stdout)
    assert (held["trace_format"], held["jobs"], held["gpus"]) == ("swf", 4, {"4": 2, "12": 1, "25": 1})
    assert held["left_out"] == {"cancelled before they started": 1}
    assert held["users"] == {"user-4": 3, "user-3": 1}
    assert (held["span_s"], held["with_limit"]) == (180.0, 4)
    assert held["gpu_s"] == 4 * 600 + 12 * 300 + 4 * 1000 + 25 * 60
    text = twin("jobs", trace).output
    assert "old.swf" in text
    assert "99 (1)" in text


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_gaps_are_filled_by_gpus_of_a_shared_node(twin, policy: str) -> None:
    """Four GPUs run until 100 s, and six wait for them: two more are free before and after that."""
    summary = ran(twin, FINDINGS / "one.twin.yaml", "--jobs", FINDINGS / "min.swf", "--policy", policy)
    assert [job["start_s"] for job in summary["jobs"]] == pytest.approx([0, 100, 2, 3], abs=1e-9)


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the shared reference traces are not there")
@pytest.mark.parametrize(
    ("name", "scene", "rules", "count"),
    [
        ("swf/accasim_tests_workload.swf", "lab-16", ("--map", "size=0.25"), 25),
        ("gavel_philly/23dbec.trace", "superpod-h100", (), 9),
        ("gavel_philly/51b7ef.trace", "superpod-h100", (), 18),
    ],
)
def test_published_traces_run_to_the_end(
    twin, name: str, scene: str, rules: tuple[str, ...], count: int
) -> None:
    summary = ran(
        twin, scene, "--jobs", REFERENCE / name, *rules, "--policy", "easy", "--map", "limits=false"
    )
    assert [job["state"] for job in summary["jobs"]] == ["done"] * count
    assert sum(summary["ledger_gpu_s"].values()) == pytest.approx(
        summary["gpus"] * summary["simulated_s"], rel=1e-9
    )
    assert summary["energy"]["residual"] < 1e-9
