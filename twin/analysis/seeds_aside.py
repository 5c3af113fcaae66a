"""Runs of designs over several seeds in a process of their own, so that whoever asked goes on, and may give up."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from threading import Thread

from twin.analysis.compare import Sample
from twin.analysis.seeds import samples
from twin.scenario.document import Scenario


@dataclass(frozen=True)
class Progress:
    """How many runs are done, and of how many."""

    done: int
    of: int


@dataclass(frozen=True)
class Failed:
    """Nothing comes of it, and why."""

    why: str


Word = Progress | Failed | list[list[Sample]]


class SeedsAside:
    """Runs that go on by themselves; ask `words` from time to time, and `close` when done or tired of it.

    Parameters
    ----------
    designs, seeds
        As `twin.analysis.seeds.samples` takes them.
    """

    def __init__(self, designs: Sequence[Scenario], seeds: Sequence[int]) -> None:
        context = get_context("spawn")
        self._mine, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(tuple(designs), tuple(seeds), theirs), name="twin-seeds"
        )
        self._process.start()
        theirs.close()
        self._over = False

    def words(self) -> list[Word]:
        """Return what it has said since the last time; the last word is the samples, or `Failed`."""
        found: list[Word] = []
        while not self._over:
            try:
                if not self._mine.poll():
                    break
                found.append(self._mine.recv())
            except (EOFError, OSError):
                found.append(Failed("the process that ran them ended; is there enough memory?"))
            self._over = not isinstance(found[-1], Progress)
        return found

    def close(self) -> None:
        """End it and all its processes; harmless when done."""
        self._over = True
        self._mine.close()  # they end themselves then, see `_work`
        self._process.join(5.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _work(designs: tuple[Scenario, ...], seeds: tuple[int, ...], theirs: Connection) -> None:
    Thread(target=_leave_with, args=(theirs,), daemon=True).start()

    def tell(done: int, of: int) -> None:
        theirs.send(Progress(done, of))

    try:
        theirs.send(samples(designs, seeds, progress=tell))
    except OSError:  # nobody listens any more
        return
    except Exception as error:  # noqa: BLE001 - whatever a run fails of, somebody waits for a word
        theirs.send(Failed(f"{type(error).__name__}: {error}"))


def _leave_with(theirs: Connection) -> None:
    """End at once when whoever asked is gone or gives up: nobody waits for the runs under way."""
    try:
        theirs.recv()
    except (EOFError, OSError):
        for child in active_children():
            child.kill()
        os._exit(1)
