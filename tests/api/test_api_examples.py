"""The examples of the help are run as a reader would: each alone, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from usual_cases import usually

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "assets" / "help" / "examples").glob("*.py"))
SAYS = {
    "01_first_run": ("goodput", "productive"),
    "02_what_if": ("every 10 min", "seeds"),
    "03_checkpoint_interval": ("best interval", "drawn: intervals.svg"),
    "04_run_file": ("ALARM", "hottest GPU", "GPU-hours"),
    "05_design_rule": ("house-checkpoints", "house-racks", "nothing found"),
    "06_job_trace": ("fifo", "easy", "7 jobs done"),
}
LEAVES = {
    "03_checkpoint_interval": {"intervals.svg"},
    "04_run_file": {"lab.twinrun"},
    "06_job_trace": {"queue.swf"},
}


def test_each_example_is_known_and_short() -> None:
    assert [path.stem for path in EXAMPLES] == sorted(SAYS)
    assert all(len(path.read_text(encoding="utf-8").splitlines()) < 60 for path in EXAMPLES)


@pytest.mark.parametrize("name", usually(SAYS, ("04_run_file", "05_design_rule")))
def test_an_example_runs_without_a_warning(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "assets" / "help" / "examples" / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(words in done.stdout for words in SAYS[name]), done.stdout
    assert {path.name for path in tmp_path.iterdir()} == LEAVES.get(name, set())
