"""Types are checked in each tree; a tree without mypy's cache begins with that of the last one that passed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging" / "types.sh"
MYPY = """#!/bin/sh
mkdir -p .mypy_cache
echo checked >>.mypy_cache/times
exit {code}
"""


def check(tree: Path, code: int = 0) -> int:
    """Check a tree with a mypy that notes each check in its cache and ends with `code`; return the exit code."""
    mypy = tree / ".venv" / "bin" / "mypy"
    mypy.parent.mkdir(parents=True, exist_ok=True)
    mypy.write_text(MYPY.format(code=code))
    mypy.chmod(0o755)
    (tree / "packaging").mkdir(exist_ok=True)
    shutil.copy(SCRIPT, tree / "packaging")
    env = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tree.parent / "cache")}
    return subprocess.run(["sh", str(tree / "packaging" / "types.sh")], env=env, check=False).returncode


def times(tree: Path) -> int:
    """Return how often mypy wrote into the cache that a tree has now."""
    return len((tree / ".mypy_cache" / "times").read_text().splitlines())


@pytest.mark.skipif(shutil.which("tar") is None, reason="no tar here")
def test_a_fresh_tree_is_checked_from_the_cache_of_the_last_that_passed(tmp_path: Path) -> None:
    first, second, third, fourth = (tmp_path / name for name in ("first", "second", "third", "fourth"))
    assert check(first) == 0
    assert check(first) == 0
    assert times(first) == 2
    assert check(second, code=1) == 1  # what the check says is passed on, and what it wrote is not
    assert times(second) == 3
    assert check(third) == 0
    assert times(third) == 3
    (tmp_path / "cache" / "gpu-twin" / "mypy.tar").write_bytes(b"torn")
    assert check(fourth) == 0
    assert times(fourth) == 1
    assert [path.name for path in (tmp_path / "cache" / "gpu-twin").iterdir()] == ["mypy.tar"]
