"""`twin sweep`: what it says, and what it refuses before anything runs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

import pytest
from typer.testing import Result

from twin.scenario import Scenario
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.sweep_file import SweepFile
from twin.studies.sweep_records import KeyRecord, SweepHeader

Twin = Callable[..., Result]
INTERVAL = "jobs[llama3].checkpoint.interval"
VARY = ("--vary", f"{INTERVAL}=5min,30min", "--until", "1 h")


def test_a_table_has_quantiles_and_paired_differences(twin: Twin) -> None:
    lines = twin("sweep", "lab-16", *VARY, "--seeds", "2", "--figures", "goodput,it_j").stdout.splitlines()
    assert lines[0] == "lab-16: 2 points, seeds 1 to 2, until 1 h"
    heads = [line for line in lines if line.startswith(INTERVAL)]
    assert [head.split()[1:] for head in heads] == [["mean", "P5", "P95", "-", "scene", "paired", "±"]] * 2
    (changed,) = [line for line in lines if line.startswith("5min") and " pp" in line]
    (base,) = [line for line in lines if line.startswith("30min") and "%" in line]
    assert "the scene" in base
    assert "-" in changed


def test_a_file_is_shown_and_written_as_a_table_while_nothing_runs(twin: Twin, tmp_path: Path) -> None:
    path, table = tmp_path / "lab.sweep", tmp_path / "lab.csv"
    first = twin("sweep", "lab-16", *VARY, "-o", path, "--json").stdout
    before = path.read_bytes()
    assert json.loads(twin("sweep", path, "--json").stdout) == json.loads(first)
    told = twin("sweep", path, "--figures", "pue", "--table", table).stdout
    assert "PUE" in told
    with table.open() as file:
        assert [row["point"] for row in csv.DictReader(file)] == ["0", "1"]
    assert "exists already" in twin("sweep", path, "--table", table, code=2).stderr
    assert twin("sweep", "lab-16", *VARY, "-o", path, "--json").stdout == first
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--vary", "seed=1,2"), 2, "lab-16.twin.yaml:18: seed: cannot vary: every point runs with the same"),
        (("--vary", f"{INTERVAL}=soon"), 2, "lab-16.twin.yaml:70: " + INTERVAL + " = 'soon': must be daly"),
        ((), 2, "nothing varies"),
        (("--vary", "jobs[llama3].nodes=1,2", "--figures", "godput"), 2, "did you mean goodput?"),
        (("--vary", "jobs[llama3].nodes=1,2", "--on", "tcp://10.0.0.1:8786"), 2, "run code: only tls://"),
        (("--vary", "jobs[llama3].nodes=1,2", "--certificates", "."), 2, "go with --on tls://"),
        (("--vary", "jobs[llama3].nodes=1,2", "-o", "a.twinrun"), 2, "end it with .sweep"),
        (("--vary", "jobs[llama3].nodes=1,2", "--table", "a.xlsx"), 2, "--table must end in .csv"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("twin.studies.study.SweepRunner.run", None)
    assert told in " ".join(twin("sweep", "lab-16", *words, code=code).stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_lost_runs_says_so_and_shows_no_front(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(task: RunTask) -> RunOutcome:
        return RunOutcome(task.point, task.seed, {}, "out of memory", lost=True)

    asked = ("--vary", f"{INTERVAL}=5..600 min", "--optimise", "renewal_ettr", "--points", "8")
    words = ("sweep", "lab-16", *asked, "-o", str(tmp_path / "a.sweep"))
    with monkeypatch.context() as patch:
        patch.setattr("twin.studies.study.RunPool", lambda *_: _InTurn(lost))
        told = twin(*words, code=3)
    assert "4 runs were lost: out of memory; the search stopped there; the same command runs" in told.stderr
    assert "best point" not in told.stdout
    monkeypatch.setattr("twin.studies.study.RunPool", lambda *_: _InTurn(run_task))
    assert "1 best point" in twin(*words).stdout


@pytest.mark.parametrize(
    "words",
    [("--optimise", "interval_s:max"), ("--indices", "--figures", "interval_s"), ("--figures", "interval_s")],
)
def test_where_nothing_is_known_the_reason_is_told(
    twin: Twin, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def fails(_: Scenario) -> None:
        raise ValueError("no job has a checkpoint")

    monkeypatch.setattr("twin.studies.run_task.closed_forms", fails)
    monkeypatch.setattr("twin.studies.study.RunPool", lambda *_: _InTurn(run_task))
    told = twin("sweep", "lab-16", "--vary", f"{INTERVAL}=5..600 min", "--points", "8", *words).stdout
    assert f"not run: {INTERVAL}=" in told
    assert "min: no job has a checkpoint" in told


@pytest.mark.parametrize(
    "words",
    [
        VARY[:2],
        ("--design", "grid"),
        ("--points", "5"),
        ("--indices",),
        ("--optimise", "goodput"),
        ("--limit", "pue<=2"),
        ("--seeds", "1"),
        ("--seed", "1"),
        ("--until", "1 h"),
        ("--set", "seed=2"),
        ("--on", "pool"),
        ("--certificates", "."),
        ("--out", "b.sweep"),
    ],
)
def test_options_of_runs_are_refused_where_a_sweep_is_shown(
    twin: Twin, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path, key = tmp_path / "a.sweep", KeyRecord(path="a.b")
    SweepFile(
        SweepHeader(scene="a", inputs="", keys=(key,), design="grid", points=1, seeds=(1,)), path
    ).close()
    assert twin("sweep", path, "--figures", "pue", "--json").stdout
    told = twin("sweep", path, *words, code=2).stderr
    assert f"a.sweep is a sweep already, and is only shown: {words[0]} go with a scene" in told


@pytest.mark.parametrize("words", [("--indices",), ("--optimise", "goodput")])
def test_a_design_is_refused_where_points_come_otherwise(twin: Twin, words: tuple[str, ...]) -> None:
    told = twin("sweep", "lab-16", *VARY, "--design", "lhs", *words, code=2).stderr
    assert "--design: --indices and --optimise come to points of their own" in told


def test_a_front_leaves_the_cell_of_an_unknown_figure_empty(twin: Twin) -> None:
    asked = ("--vary", f"{INTERVAL}=5..600 min", "--optimise", "renewal_ettr", "--points", "8")
    shown = ("--figures", "energy_per_gpu_h,installed_gpus", "--until", "1 min")
    lines = twin("sweep", "lab-16", *asked, *shown).stdout.splitlines()
    assert "energy per productive GPU-hour" in lines[-3]
    assert lines[-1].split()[3:] == ["%", "16"]  # after the interval and its share


def test_parquet_that_cannot_be_written_is_refused_before_anything_runs(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("twin.studies.study.SweepRunner.run", None)
    told = twin("sweep", "lab-16", *VARY, "--table", tmp_path / "a.parquet", code=2).stderr
    assert "--table: writing Parquet needs pyarrow" in told
    assert not list(tmp_path.glob("*.parquet"))


class _InTurn:
    """Makes runs in this process."""

    def __init__(self, run: Callable[[RunTask], RunOutcome]) -> None:
        self._run = run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def results(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunOutcome]]:
        for task in tasks:
            yield task, self._run(task)


def test_points_that_are_no_valid_scene_are_told_with_their_reason(twin: Twin) -> None:
    told = twin("sweep", "lab-16", "--vary", "jobs[llama3].nodes=2,500", "--until", "1 h").stdout
    assert "not run: jobs[llama3].nodes=500: lab-16.twin.yaml:62" in " ".join(told.split())


def test_a_file_of_a_stranger_writes_nothing_but_text(twin: Twin, tmp_path: Path) -> None:
    from zlib import crc32

    path, table = tmp_path / "lab.sweep", tmp_path / "lab.csv"
    twin("sweep", "lab-16", *VARY, "-o", path)
    record = json.dumps(
        {"point": 7, "values": ["=cmd|' /C calc'!A0\x1b[31m"], "reason": "\x1b]0;x\x07"}
    ).encode()
    path.write_bytes(path.read_bytes() + b"%08x %s\n" % (crc32(record), record))
    told = twin("sweep", path, "--table", table).stdout
    assert "\x1b" not in told
    with table.open() as file:
        (row,) = [row for row in csv.DictReader(file) if row["point"] == "7"]
    assert row[INTERVAL].startswith("'=")
    assert "\x1b" not in table.read_text()
