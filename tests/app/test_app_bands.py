"""Columns of pixels on arrays: exact means over time, extremes, gaps, and the first and the last column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.app.plots.min_max_bands import band, spread
from twin.app.plots.timeline_scale import Scale

_EDGES = np.array([0.0, 10.0, 20.0, 30.0])


def _of(t_s: list[float], values: list[float], until_s: float | None = None) -> list[list[float]]:
    """Return least, mean and greatest value of three columns of 10 s."""
    found = spread(np.array(t_s), np.array(values), _EDGES, t_s[-1] if until_s is None else until_s)
    return [each.tolist() for each in found]


def test_each_sample_counts_for_as_long_as_it_holds() -> None:
    low, mean, high = _of([0.0, 4.0, 5.0, 12.0, 30.0], [8.0, 0.0, 4.0, 1.0, 9.0])
    assert mean == pytest.approx([(4 * 8 + 1 * 0 + 5 * 4) / 10, (2 * 4 + 8 * 1) / 10, 1.0])
    assert low == [0.0, 1.0, 1.0]
    assert high == [8.0, 4.0, 9.0]  # the sample at the very end is in the last column, for no time


def test_a_sample_at_an_edge_is_in_the_column_that_begins_there() -> None:
    low, mean, high = _of([0.0, 10.0, 30.0], [5.0, 1.0, 1.0])
    assert (low, mean, high) == ([5.0, 1.0, 1.0], [5.0, 1.0, 1.0], [5.0, 1.0, 1.0])


def test_the_first_and_the_last_column_are_those_of_what_is_known_of_them() -> None:
    low, mean, high = _of([6.0, 8.0, 22.0], [2.0, 6.0, 0.0], 24.0)
    assert mean == pytest.approx([(2 * 2 + 2 * 6) / 4, 6.0, (2 * 6 + 2 * 0) / 4])
    assert (low, high) == ([2.0, 6.0, 0.0], [6.0, 6.0, 6.0])
    low, mean, high = _of([12.0, 14.0], [3.0, 5.0])
    assert np.isnan([low[0], mean[0], high[0], low[2], mean[2], high[2]]).all()
    assert (low[1], mean[1], high[1]) == (3.0, 3.0, 5.0)


def test_a_gap_stays_a_gap() -> None:
    nan = np.nan
    low, mean, high = _of([0.0, 5.0, 8.0, 25.0, 30.0], [4.0, nan, nan, 2.0, 2.0])
    assert (low[0], mean[0], high[0]) == (4.0, 4.0, 4.0)  # of its known half
    assert np.isnan([low[1], mean[1], high[1]]).all()
    assert (low[2], mean[2], high[2]) == (2.0, 2.0, 2.0)
    values = np.array([4.0, nan, nan, 2.0, 2.0])
    found = band(np.array([0.0, 5.0, 8.0, 25.0, 30.0]), values, Scale.all(30.0, 0.0, 30.0), 30.0)
    pieces = list(found.pieces())
    assert [(piece.column[0], piece.column[-1]) for piece in pieces] == [(0, 4), (25, 29)]
    assert not list(band(np.zeros(0), np.zeros(0), Scale.all(30.0), 30.0).pieces())


def test_what_is_known_of_the_time_between_samples_counts() -> None:
    t_s, values = np.array([0.0, 30.0]), np.array([0.0, 100.0])
    low, mean, high = spread(t_s, values, _EDGES, 30.0, np.array([np.nan, 96.0]))
    assert mean.tolist() == [96.0] * 3
    assert low.tolist() == [0.0] * 3
    assert high.tolist() == [96.0, 96.0, 100.0]


@given(
    st.lists(
        st.tuples(st.floats(0.01, 9.0), st.floats(-1e6, 1e6) | st.just(float("nan"))), min_size=1, max_size=60
    ),
    st.integers(1, 40),
)
def test_columns_together_are_the_whole(samples: list[tuple[float, float]], count: int) -> None:
    t_s, values = np.cumsum([gap for gap, _ in samples]), np.array([value for _, value in samples])
    end_s = float(t_s[-1]) + 1.0
    edges = np.linspace(float(t_s[0]), end_s, count + 1)
    low, mean, high = spread(t_s, values, edges, end_s)
    known = np.isfinite(mean)
    assert np.array_equal(known, np.isfinite(low))
    assert np.all((low <= mean) & (mean <= high) | ~known)
    if np.isfinite(values).all():
        spans = np.diff(np.append(t_s, end_s))
        assert mean @ np.diff(edges) == pytest.approx(values @ spans, rel=1e-9, abs=1e-3)
        assert (low.min(), high.max()) == (values.min(), values.max())
