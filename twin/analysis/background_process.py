"""Work in a process of its own that reports its progress, and can be cancelled."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Generic, TypeVar

from twin.language import tr

Made = TypeVar("Made")
Tell = Callable[[float, float], None]
"""Takes how much is done, and of how much."""


@dataclass(frozen=True)
class RunProgress:
    """Progress of the work: how much is done, and of how much."""

    done: float
    of: float


@dataclass(frozen=True)
class PartMade(Generic[Made]):
    """Something that is made already, before the work is over."""

    made: Made


@dataclass(frozen=True)
class ProcessFailed:
    """The work failed, with the reason."""

    why: str


class Aside(Generic[Made]):
    """Work in another process; call `words` from time to time, and `close` at its end or to cancel it.

    Parameters
    ----------
    work
        A function of a module, called there with `given` and then a `Tell`; of a generator each `PartMade` that it
        yields is told.
    given
        Arguments that can be sent to another process.
    name
        Of the process.
    alone
        Whether it starts no processes itself, so that it can be ended at once, even before it begins.
    """

    def __init__(
        self,
        work: Callable[..., Made | Generator[Made, None, Made]],
        *given: object,
        name: str,
        alone: bool = False,
    ) -> None:
        self._alone = alone
        context = get_context("spawn")
        self._near_end, far_end = context.Pipe()
        self._process = context.Process(target=_work, args=(work, given, far_end), name=name)
        self._process.start()
        far_end.close()
        self._over = False

    @property
    def pid(self) -> int | None:
        """Number of the process."""
        return self._process.pid

    def words(self) -> list[RunProgress | ProcessFailed | Made]:
        """Return the messages since the last call; the last one is the result, or `ProcessFailed`."""
        found: list[RunProgress | ProcessFailed | Made] = []
        while not self._over:
            try:
                if not self._near_end.poll():
                    break
                found.append(self._near_end.recv())
            except (EOFError, OSError):
                found.append(ProcessFailed(tr("its worker process ended; is there enough memory?")))
            self._over = not isinstance(found[-1], RunProgress | PartMade)
        return found

    def close(self) -> None:
        """End the process and those it started; harmless when it has ended."""
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
        if isinstance(outcome, Generator):
            outcome = _parts_sent(outcome, far_end)
    except Exception as error:  # noqa: BLE001 - whatever it fails of, somebody waits for a word
        outcome = ProcessFailed(f"{type(error).__name__}: {error}")
    with suppress(OSError):
        far_end.send(outcome)


def _parts_sent(work: Generator[Any, None, Any], far_end: Connection) -> Any:
    """Send what a generator yields; return what it returns."""
    while True:
        try:
            part = next(work)
        except StopIteration as end:
            return end.value
        with suppress(OSError):
            far_end.send(part)


def _leave_with(far_end: Connection) -> None:
    """End the process at once when the other end is closed."""
    try:
        far_end.recv()
    except (EOFError, OSError):
        for child in active_children():
            child.kill()
        os._exit(1)
