"""Runs of shipped scenes that several tests read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from coarse_recordings import coarse_recordings
from ready_processes import ready_processes

from twin.runtime.inline import run
from twin.scenario import load


@pytest.fixture(scope="module", autouse=True)
def _ready_processes() -> Iterator[None]:
    with ready_processes():
        yield


@pytest.fixture(scope="module", autouse=True)
def recordings() -> Iterator[None]:
    """What is recorded in this process has few samples; a module that wants them all has a fixture instead."""
    with coarse_recordings():
        yield


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    made = {}
    with coarse_recordings():
        for name in ("lab-16", "pump-trip", "blackout"):
            made[name] = folder / f"{name}.twinrun"
            run(load(f"builtin:{name}").scenario, record=made[name])
    return made
