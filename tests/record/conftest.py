"""Fixtures of the run file tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_run import write


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "a.twinrun"
    write(path)
    return path
