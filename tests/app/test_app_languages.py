"""The window in another language: a process of its own, as texts are translated when their modules are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pseudo_language import NAME, write

WALK = Path(__file__).with_name("pseudo_walk.py")


def walk(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run tests of the walk in the language of no people."""
    write(folder)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(WALK)],
        cwd=WALK.parents[2],
        env=os.environ | {"LANGUAGE": NAME, "TWIN_LANGUAGES": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_nothing_is_english_in_another_language(tmp_path: Path) -> None:
    done = walk(tmp_path)
    assert done.returncode == 0, done.stdout
