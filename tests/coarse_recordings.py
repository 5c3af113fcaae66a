"""Recordings of a tenth of the usual samples, for tests of what is made of runs: samples take longer than the runs.

How dense samples lie, and what is read of them, is tested in `tests/record` and `tests/runtime`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from twin.record import recorder


@contextmanager
def coarse_recordings() -> Iterator[None]:
    """Let runs that this process records take few samples at regular times; those at events stay."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SAMPLES", "FEWEST_SAMPLES"):
            patch.setattr(recorder, name, getattr(recorder, name) // 10)
        yield
