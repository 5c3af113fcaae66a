"""A history that is full forgets no extreme, and lets no dip count for more than it lasted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.app.plots.min_max_bands import spread
from twin.app.session.bounded_history import BoundedHistory


def _mean(history: BoundedHistory) -> float:
    """Return the mean over all the history."""
    t_s = history.times_s()
    _, mean, _ = spread(t_s, history.series("a"), t_s[[0, -1]], float(t_s[-1]), history.means("a"))
    return float(mean[0])


def test_a_value_holds_until_the_next_sample() -> None:
    history = BoundedHistory(("a",))
    for t_s, value in ((0.0, 1.0), (10.0, 4.0), (12.0, 2.0)):
        history.append(t_s, (value,))
    assert np.isnan(history.means("a")[0])
    assert history.means("a")[1:].tolist() == [1.0, 4.0]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_the_mean_of_a_run_stays_that_of_its_samples_however_often_the_past_is_thinned(seed: int) -> None:
    draws = np.random.default_rng(seed)
    times = np.cumsum(draws.exponential(10.0, 3000))
    values = np.where(draws.uniform(size=3000) < 0.05, 0.0, 100.0)
    history = BoundedHistory(("a",), capacity=64)
    for t_s, value in zip(times.tolist(), values.tolist(), strict=True):
        history.append(t_s, (value,))
    assert len(history) <= 64
    wanted = float(values[:-1] @ np.diff(times) / (times[-1] - times[0]))
    assert _mean(history) == pytest.approx(wanted)
    assert history.series("a").min() == values.min()


def test_frames_between_samples_of_the_record_keep_their_means() -> None:
    history = BoundedHistory(("a",))
    for t_s in range(0, 101, 10):
        history.append(float(t_s), (0.0 if t_s == 40 else 100.0,))
    history.merge(np.array([[0.0, 35.0, 100.0], [100.0, 100.0, 100.0]]))
    assert history.times_s().tolist() == sorted([*map(float, range(0, 101, 10)), 35.0])
    assert _mean(history) == pytest.approx(90.0)


def test_what_is_not_known_has_no_mean() -> None:
    history = BoundedHistory(("a",), capacity=64)
    for t_s in range(1000):
        history.append(float(t_s), (np.nan if 300 <= t_s < 700 else 7.0,))
    t_s, means = history.times_s(), history.means("a")
    assert np.isnan(means[(t_s > 360.0) & (t_s < 690.0)]).all()
    assert set(means[np.isfinite(means)].tolist()) == {7.0}
