"""Thousands of windows as arrays: the same occurrences as one by one, and no decision walks through all of them."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from tests.schedule.queue_scenes import ask, policy, run
from twin.schedule.windows import Calendar, Window

NODES = np.ones(4, bool)


def random_windows(seed: int) -> list[Window]:
    rng = np.random.default_rng(seed)
    return [
        Window(
            f"w{number}",
            float(rng.integers(0, 500)),
            float(rng.integers(1, 90)),
            float(rng.integers(5, 200)) if rng.random() < 0.5 else math.inf,
            NODES,
        )
        for number in range(12)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_windows_together_come_when_each_comes_alone(seed: int) -> None:
    windows = random_windows(seed)
    calendar = Calendar(windows)
    for now_s in (0.0, 0.5, 90.0, 250.0, 499.0, 3000.0):
        assert calendar.turn_s(now_s) == min(window.turn_s(now_s) for window in windows)
        which, begins_s, ends_s = calendar.occurrences(np.arange(12), now_s, 7)
        for number, window in enumerate(windows):
            alone = list(islice(window.occurrences(now_s, math.inf), 7))
            mine = which == number
            assert list(zip(begins_s[mine].tolist(), ends_s[mine].tolist(), strict=True)) == alone


@pytest.mark.parametrize("way", ["easy", "conservative"])
@pytest.mark.parametrize("rest", [0, 1])
def test_no_decision_walks_through_all_windows(way: str, rest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = [Window(f"w{k}", 100.0 + 50 * k, 10.0, math.inf, NODES) for k in range(300)]
    rows = [ask(float(k), 2, 20.0, rest=rest, gpus=4.0 - rest) for k in range(12)]

    def walked(*_: object) -> None:
        raise AssertionError("a decision asks a window for its occurrences")

    monkeypatch.setattr(Window, "occurrences", walked)
    done = run(rows, policy(way), nodes=4, gpus=2, windows=windows)
    assert np.isfinite(done.end_s).all()
    assert all(((done.end_s <= w.at_s) | (done.start_s >= w.at_s + w.duration_s)).all() for w in windows)
