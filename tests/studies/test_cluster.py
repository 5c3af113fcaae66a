"""Runs on a scheduler of Dask: only where it is safe, the same to the bit, and whatever is killed costs little."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import psutil
import pytest
from patience import HANG_S, wait_until

from twin.api.sweep import swept
from twin.scenario import load
from twin.studies import cluster
from twin.studies.background import StudyEnd, StudyProcess
from twin.studies.cluster import Cluster, must_be_safe
from twin.studies.run_task import RunTask, run_task
from twin.studies.study import SweepRequest
from twin.studies.study_error import StudyError
from twin.studies.study_figures import chosen_figures
from twin.studies.sweep_file import read_sweep

ASKED = SweepRequest(
    "lab-16",
    ["jobs[llama3].checkpoint.interval=5min,15min,30min,60min", "jobs[llama3].checkpoint.pause=10 s,20 s"],
    seeds=3,
)
"""24 runs: one of the eight points is the scene as it stands."""
FIGURES = chosen_figures(["goodput"])
LONG = replace(ASKED, settings=("duration=6 day",))
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://10.0.0.5:8786", "only tls://10.0.0.5:8786 with certificates"),
        ("tcp://scheduler:8786", "messages of a scheduler run code"),
        ("tls://10.0.0.5:8786", "needs certificates: a folder with ca.pem"),
        ("tcp://127.0.0.1", "no place to run"),
        ("http://127.0.0.1:8786", "no place to run"),
        ("tcp://127.0.0.1:99999", "no place to run"),
        ("local", "no place to run"),
    ],
)
def test_a_scheduler_that_strangers_can_reach_is_refused(address: str, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        must_be_safe(address, None)


def test_certificates_are_looked_for_and_go_with_tls(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"no file .*ca\.pem"):
        must_be_safe("tls://10.0.0.5:8786", tmp_path)
    with pytest.raises(StudyError, match="not encrypted"):
        must_be_safe("tcp://127.0.0.1:8786", tmp_path)
    for name in cluster.CERTIFICATES:
        (tmp_path / name).touch()
    must_be_safe("tls://10.0.0.5:8786", tmp_path)


def test_a_worker_with_another_program_is_no_outcome() -> None:
    made = run_task(RunTask(0, 1, None, program={"model": "1"}))  # type: ignore[arg-type]
    assert made.lost
    assert "another program: model" in made.reason


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_REACH_S", 0.5)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(StudyError, match=f"no scheduler answers at {address}"):
        swept(replace(ASKED, on=address), FIGURES)


# --- real schedulers


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program whose standard error is a file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with TemporaryFile() as told:
        process = subprocess.Popen(
            [sys.executable, *map(str, words)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=told,
            start_new_session=True,
        )
        process.told = told  # type: ignore[attr-defined]
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def told_by(process: subprocess.Popen[bytes]) -> str:
    """Return what a program has told by its end."""
    process.wait(HANG_S)
    process.told.seek(0)  # type: ignore[attr-defined]
    return process.told.read().decode()  # type: ignore[attr-defined,no-any-return]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return what starts a program that ends with the test."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(started(*words))


def scheduler(start: Start) -> tuple[str, subprocess.Popen[bytes]]:
    pytest.importorskip("distributed")
    port = free_port()
    process = start(
        "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
    )
    address = f"tcp://127.0.0.1:{port}"

    def answers() -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return True
        return False

    wait_until(answers, "the scheduler")
    return address, process


def worker(start: Start, address: str) -> subprocess.Popen[bytes]:
    words = ("--no-nanny", "--nthreads", "1", "--no-dashboard")
    return start("-m", "distributed.cli.dask_worker", address, *words)


def sweeping(start: Start, path: Path, address: str) -> subprocess.Popen[bytes]:
    vary = [word for text in LONG.vary for word in ("--vary", text)]
    words = ("--set", LONG.settings[0], "--seeds", str(LONG.seeds), "--on", address, "-o", path)
    return start("-m", "twin.cli", "sweep", "lab-16", *vary, *words)


def runs_in(path: Path) -> int:
    with suppress(OSError, StudyError):
        return len(read_sweep(path).runs)
    return 0


@pytest.mark.slow
def test_the_same_runs_on_the_pool_and_on_schedulers_are_the_same_to_the_bit(start: Start) -> None:
    distributed = pytest.importorskip("distributed")
    here = swept(ASKED, FIGURES).contents.runs
    assert len(here) == 24
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address="127.0.0.1:0"
    ) as local:
        there = swept(replace(ASKED, on=local.scheduler_address), FIGURES).contents.runs
    address, _ = scheduler(start)
    for _ in range(2):
        worker(start, address)
    apart = swept(replace(ASKED, on=address), FIGURES).contents.runs
    for runs in (there, apart):
        assert runs == here
        assert [json.dumps(runs[key].figures) for key in here] == [
            json.dumps(run.figures) for run in here.values()
        ]


@pytest.mark.slow
def test_a_study_aside_runs_on_a_scheduler(start: Start, tmp_path: Path) -> None:
    address, _ = scheduler(start)
    worker(start, address)
    path = tmp_path / "lab.sweep"
    process = StudyProcess(load("builtin:lab-16"), replace(ASKED, out=path), path, ["goodput"], address)
    ends: list[StudyEnd] = []
    try:
        wait_until(
            lambda: bool(ends.extend(w for w in process.words() if isinstance(w, StudyEnd)) or ends),
            "the end",
        )
    finally:
        process.close()
    assert ends == [StudyEnd()]
    assert read_sweep(path).runs == swept(ASKED, FIGURES).contents.runs


@pytest.mark.slow
def test_a_killed_worker_costs_no_run_and_a_killed_scheduler_those_in_flight(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "lab.sweep"
    address, head = scheduler(start)
    first = worker(start, address)
    worker(start, address)
    command = sweeping(start, path, address)
    wait_until(lambda: runs_in(path) >= 2, "two runs")
    first.kill()
    wait_until(lambda: runs_in(path) >= 6, "six runs")
    head.kill()
    told = told_by(command)
    assert f"the scheduler at {address} is gone" in told
    assert command.returncode == 3
    assert [line.partition(":")[0] for line in told.splitlines()] == ["budget", "error"]
    done = runs_in(path)
    assert 6 <= done < 24
    made = swept(replace(LONG, out=path), FIGURES)
    contents, lost = made.contents, made.lost
    assert not lost
    assert len(contents.runs) == 24
    assert path.read_bytes().count(b'"figures":') == 24
    assert contents.runs == swept(LONG, FIGURES).contents.runs


@pytest.mark.slow
@pytest.mark.parametrize("on", ["pool", "cluster"])
def test_a_killed_command_loses_at_most_the_runs_in_flight(start: Start, tmp_path: Path, on: str) -> None:
    path, address = tmp_path / "lab.sweep", "pool"
    if on == "cluster":
        address, _ = scheduler(start)
        for _ in range(2):
            worker(start, address)
    command = sweeping(start, path, address)
    wait_until(lambda: runs_in(path) >= 3, "three runs")
    children = psutil.Process(command.pid).children(recursive=True)
    command.kill()
    command.wait()
    wait_until(lambda: not any(child.is_running() and child.status() != "zombie" for child in children))
    done = runs_in(path)
    before = path.read_bytes()
    again = sweeping(start, path, address)
    told = told_by(again)
    assert again.returncode == 0, told
    assert path.read_bytes().startswith(before)
    assert path.read_bytes().count(b'"figures":') == 24
    assert 3 <= done < 24
    assert read_sweep(path).runs == swept(LONG, FIGURES).contents.runs


@pytest.mark.slow
def test_an_unreachable_scheduler_is_told_in_one_sentence_within_ten_seconds() -> None:
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{free_port()}"
    began_s = time.monotonic()
    with pytest.raises(StudyError, match="no scheduler answers"):
        Cluster(address)
    assert time.monotonic() - began_s < 10.0


@pytest.mark.slow
def test_a_scheduler_without_workers_is_told(start: Start) -> None:
    address, _ = scheduler(start)
    with pytest.raises(StudyError, match="has no workers"):
        Cluster(address)


@pytest.mark.slow
def test_a_killed_worker_of_the_pool_costs_no_run(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "lab.sweep"
    command = sweeping(start, path, "pool")
    wait_until(lambda: runs_in(path) >= 2, "two runs")
    workers = [
        child for child in psutil.Process(command.pid).children() if "spawn_main" in " ".join(child.cmdline())
    ]
    workers[0].kill()
    told = told_by(command)
    assert command.returncode == 0, told
    assert path.read_bytes().count(b'"figures":') == 24
    assert read_sweep(path).runs == swept(LONG, FIGURES).contents.runs
