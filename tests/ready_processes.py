"""Processes that tests start have the engine imported: each is forked from one that has, on systems that can.

The program starts a new interpreter for each, which takes a second to import it. So do those of `tests/runtime` that
run the real engine or end with their parent, and programs that tests start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import forkserver, get_all_start_methods
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess

import pytest
from coarse_recordings import coarse_recordings

COARSE = "TWIN_TESTS_COARSE"
"""Set in the environment of a process that records few samples (`coarse_recordings`)."""
_IMPORTED = ("twin.runtime.worker", "twin.sim.engine.engine", "twin.analysis.seeds", "coarse_recordings")


@contextmanager
def ready_processes() -> Iterator[None]:
    """Let the processes that are started have the engine imported."""
    with pytest.MonkeyPatch.context() as patch:
        if "forkserver" in get_all_start_methods():
            forkserver.set_forkserver_preload(list(_IMPORTED))
            patch.setattr(SpawnProcess, "_Popen", staticmethod(_fork))
        yield


def _fork(process: BaseProcess) -> object:
    from multiprocessing.popen_forkserver import Popen  # not on every system

    return Popen(_InEnvironment(process))


class _InEnvironment:
    """A process in the environment of the one that asked for it, not of the one that it is forked from."""

    def __init__(self, process: BaseProcess) -> None:
        self.process, self.environment, self._name = process, dict(os.environ), process.name

    def _bootstrap(self, parent_sentinel: int) -> object:
        os.environ.clear()
        os.environ.update(self.environment)
        with coarse_recordings() if COARSE in os.environ else nullcontext():
            return self.process._bootstrap(parent_sentinel)
