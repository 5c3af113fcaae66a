"""Processes that tests start have the engine imported: each is forked from one that has, on systems that can.

The program starts a new interpreter for each, which takes a second to import it. So do tests of `tests/runtime`, and
programs that tests start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_all_start_methods
from multiprocessing.context import SpawnProcess
from typing import Any

import pytest

_IMPORTED = ("twin.runtime.worker", "twin.sim.engine.engine", "twin.analysis.seeds")


@contextmanager
def ready_processes() -> Iterator[None]:
    """Let the processes that are started have the engine imported."""
    with pytest.MonkeyPatch.context() as patch:
        if "forkserver" in get_all_start_methods():
            forkserver.set_forkserver_preload(list(_IMPORTED))
            patch.setattr(SpawnProcess, "_Popen", staticmethod(_fork))
        yield


def _fork(process: Any) -> object:
    from multiprocessing.popen_forkserver import Popen  # not on every system

    process._target, process._args = _begin, (dict(os.environ), process._target, process._args)
    return Popen(process)


def _begin(environment: dict[str, str], target: Callable[..., object], given: tuple[object, ...]) -> None:
    """Run in the environment of the process that asked for it, not of the one that it is forked from."""
    os.environ.clear()
    os.environ.update(environment)
    target(*given)
