"""A pool of processes for runs: a process that is killed costs the runs that it was at, and no other."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Generic, Self, TypeVar

from twin.language import tr

Task = TypeVar("Task")
Made = TypeVar("Made")


class RunLost(RuntimeError):
    """The process of a run ended before the run did, twice; the message is one sentence for people."""


class RunPool(Generic[Task, Made]):
    """Processes that each take one task at a time; close it, or use it in a ``with``.

    Parameters
    ----------
    work
        A function of a module, called there with a task.
    workers
        Processes; 1: this one itself; None: as many as it may use.
    begin, given
        Called first in each process, with what all its tasks need.
    """

    def __init__(
        self,
        work: Callable[[Task], Made],
        workers: int | None = None,
        begin: Callable[..., None] | None = None,
        *given: object,
    ) -> None:
        self._work = work
        self.workers = workers or processors()
        self._begin = partial(begin, *given) if begin is not None else None
        self._pool: ProcessPoolExecutor | None = None
        self._before: list[BaseProcess] = []

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Made | RunLost]]:
        """Yield each task with what came of it, as they end; tasks are taken as processes are free.

        What a killed process was at is run once more, by itself, so that one run that needs too much memory costs no
        other.
        """
        if self.workers == 1:
            if self._begin is not None:
                self._begin()
            yield from ((task, self._work(task)) for task in tasks)
            return
        waiting, again = iter(tasks), deque[Task]()
        while True:
            second = bool(again)
            source, room = (iter((again.popleft(),)), 1) if again else (waiting, self.workers)
            running: dict[Future[Made], Task] = {}
            broken = False
            while not broken:
                for task in islice(source, room - len(running)):
                    try:
                        running[self._executor().submit(self._work, task)] = task
                    except BrokenExecutor:
                        broken = True
                        again.append(task)
                        break
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task = running.pop(future)
                    try:
                        made: Made | RunLost = future.result()
                    except BrokenExecutor:
                        broken = True
                        if not second:
                            again.append(task)
                            continue
                        made = RunLost(tr("its worker process ended twice; is there enough memory?"))
                    yield task, made
            if broken:
                again += running.values()  # a pool that has lost a process has lost all
                self.close(at_once=True)  # one begun just then was told nothing, and would be waited for
            elif not again and not second:
                return

    def _executor(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._before = active_children()
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), partial(_begun, self._begin))
        return self._pool

    def close(self, at_once: bool = False) -> None:
        """End all processes; `at_once`: without waiting for their runs, which may last minutes."""
        if self._pool is None:
            return
        if at_once:
            for child in set(active_children()).difference(self._before):
                child.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=kind is not None)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begun(begin: Callable[[], None] | None) -> None:
    """Prepare a process: Ctrl+C is left to the parent, and it ends with the parent however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
