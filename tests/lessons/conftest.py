"""Lessons are replayed as runs that are recorded, again and again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from coarse_recordings import coarse_recordings


@pytest.fixture(scope="module", autouse=True)
def recordings() -> Iterator[None]:
    """What is recorded in this process has few samples; a module that wants them all has a fixture instead."""
    with coarse_recordings():
        yield
