"""A monkey in the window: nothing that it does may raise, stop the worker, harm the file or cost memory for ever."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.monkey_level import Level, growths
from tests.app.monkey_watch import Monkey, watched
from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl
_ROOT = Path(__file__).parents[2]
_PATIENCE_WALL_S = 3_600.0


def test_what_comes_once_is_no_leak_and_what_goes_on_is() -> None:
    acts = range(2_000, 10_001, 1_000)
    levels = [
        Level(act, 500 + 4 * k, 300, 130 + 9 * k, 100 + 9 * (k % 2), 90, 1_800 if k < 1 else 2_100, 0)
        for k, act in enumerate(acts)
    ]
    app, used, worker, gl, qt = (one.share for one in growths(levels))
    assert app == pytest.approx(8 * 4 / 512, rel=1e-9)
    assert abs(worker) < 0.1
    assert used == gl == qt == 0
    assert growths(levels[:1]) == []
    drawn = (58, 71, 60, 66, 58, 72, 59, 70, 61)
    for each, leaks in ((0, False), (1, True)):
        noisy = [
            replace(level, gl=some + each * k)
            for k, (level, some) in enumerate(zip(levels, drawn, strict=True))
        ]
        assert (growths(noisy)[3].share > 0.05) is leaks
    seen = (76, 75, 83, 68, 69, 76, 76, 76, 76)  # of 10,000 acts
    noisy = [replace(level, gl=some) for level, some in zip(levels, seen, strict=True)]
    assert growths(noisy)[3].share < 0.0


@pytest.mark.slow
def test_a_hundred_random_acts(make_window: Callable[..., MainWindow], tmp_path: Path) -> None:
    window = make_window()
    window.resize(980, 640)
    monkey = Monkey(window, tmp_path, 1, ("lab-16",))
    with watched(monkey):
        monkey.run(120)
    assert monkey.landed > 1
    for dialog in monkey.hands.dialogs():
        dialog.close()


@pytest.mark.slow
def test_ten_thousand_random_acts_harm_nothing_and_keep_no_memory() -> None:
    """In a process of its own: what it weighs is only its own, and a crash is an exit code."""
    command = [sys.executable, "-m", "tests.app.monkey", "--seed", "1", "--upto", "10000"]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=_PATIENCE_WALL_S
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-6_000:]
