"""Work in a process of its own that says how far it is, so that whoever asked goes on, and may give up."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")
Tell = Callable[[float, float], None]
"""Takes how much is done, and of how much."""


@dataclass(frozen=True)
class RunProgress:
    """How much is done, and of how much."""

    done: float
    of: float


@dataclass(frozen=True)
class ProcessFailed:
    """Nothing comes of it, and why."""

    why: str


class Aside(Generic[Made]):
    """Work that goes on by itself; ask `words` from time to time, and `close` when done or tired of it.

    Parameters
    ----------
    work
        A function of a module: called there with `given`, and last with a `Tell`.
    given
        What can be sent to another process.
    name
        Of the process.
    alone
        Whether it starts no processes itself, so that it can be ended at once, even before it has begun.
    """

    def __init__(self, work: Callable[..., Made], *given: object, name: str, alone: bool = False) -> None:
        self._alone = alone
        context = get_context("spawn")
        self._near_end, far_end = context.Pipe()
        self._process = context.Process(target=_work, args=(work, given, far_end), name=name)
        self._process.start()
        far_end.close()
        self._over = False

    @property
    def pid(self) -> int | None:
        """The number of its process."""
        return self._process.pid

    def words(self) -> list[RunProgress | ProcessFailed | Made]:
        """Return what it has said since the last time; the last word is what it made, or `ProcessFailed`."""
        found: list[RunProgress | ProcessFailed | Made] = []
        while not self._over:
            try:
                if not self._near_end.poll():
                    break
                found.append(self._near_end.recv())
            except (EOFError, OSError):
                found.append(ProcessFailed("its worker process ended; is there enough memory?"))
            self._over = not isinstance(found[-1], RunProgress)
        return found

    def close(self) -> None:
        """End it and all its processes; harmless when done."""
        self._over = True
        self._near_end.close()  # they end themselves then, see `_leave_with`
        if not self._alone:
            self._process.join(5.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _work(work: Callable[..., Any], given: tuple[object, ...], far_end: Connection) -> None:
    Thread(target=_leave_with, args=(far_end,), daemon=True).start()

    def tell(done: float, of: float) -> None:
        with suppress(OSError):  # nobody listens any more
            far_end.send(RunProgress(done, of))

    try:
        outcome = work(*given, tell)
    except Exception as error:  # noqa: BLE001 - whatever it fails of, somebody waits for a word
        outcome = ProcessFailed(f"{type(error).__name__}: {error}")
    with suppress(OSError):
        far_end.send(outcome)


def _leave_with(far_end: Connection) -> None:
    """End at once when whoever asked is gone or gives up: nobody waits for what is under way."""
    try:
        far_end.recv()
    except (EOFError, OSError):
        for child in active_children():
            child.kill()
        os._exit(1)
