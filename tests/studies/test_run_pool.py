"""A process that is killed costs what it was at, and nobody is left when the program ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures.process import _ExecutorManagerThread
from pathlib import Path
from threading import Thread

import psutil
import pytest
from patience import wait_until

from twin.analysis.run_pool import RunLost, RunPool

ENDLESS = """
import sys, time
from twin.analysis.run_pool import RunPool
if __name__ == "__main__":
    with RunPool(time.sleep, 2) as pool:
        list(pool.results([1000.0, 1000.0]))
"""


def killed_once(task: tuple[str, int]) -> int:
    """Return the number of a task; the process of number 3 is killed the first time, that of 5 each time."""
    folder, number = task
    seen = Path(folder) / str(number)
    if (number == 3 and not seen.exists()) or number == 5:
        seen.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_costs_no_other_run(tmp_path: Path) -> None:
    tasks = [(str(tmp_path), number) for number in range(8)]
    with RunPool(killed_once, 2) as pool:
        found = {task[1]: made for task, made in pool.results(iter(tasks))}
    lost = found.pop(5)
    assert isinstance(lost, RunLost)
    assert "ended twice" in str(lost)
    assert found == {number: number for number in (0, 1, 2, 3, 4, 6, 7)}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_process_that_begins_while_another_is_killed_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is begun while the pool ends its others is not among them, but is waited for."""
    end = _ExecutorManagerThread.terminate_broken

    def all_but_one(manager: _ExecutorManagerThread, cause: object) -> None:
        number, late = next(item for item in manager.processes.items() if item[1].is_alive())
        del manager.processes[number]
        tell = manager.shutdown_workers

        def tell_others() -> None:
            tell()
            manager.processes[number] = late

        monkeypatch.setattr(manager, "shutdown_workers", tell_others)
        end(manager, cause)

    monkeypatch.setattr(_ExecutorManagerThread, "terminate_broken", all_but_one)
    found: list[tuple[tuple[str, int], int | RunLost]] = []

    def run() -> None:
        with RunPool(killed_once, 2) as pool:
            found.extend(pool.results([(str(tmp_path), 3), (str(tmp_path), 4)]))

    running = Thread(target=run, daemon=True)
    running.start()
    wait_until(lambda: not running.is_alive(), "the pool")
    assert sorted(number for (_, number), _ in found) == [3, 4]


def test_one_worker_is_this_process() -> None:
    with RunPool(lambda task: (task, os.getpid()), 1) as pool:
        assert list(pool.results([1])) == [(1, (1, os.getpid()))]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_workers_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    program = subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    me = psutil.Process(program.pid)

    def workers() -> list[psutil.Process]:
        return [child for child in me.children() if "spawn_main" in " ".join(child.cmdline())]

    wait_until(lambda: len(workers()) == 2, "both workers")
    found = workers()
    program.kill()
    program.wait()
    wait_until(lambda: not any(psutil.pid_exists(worker.pid) for worker in found), "workers left")
