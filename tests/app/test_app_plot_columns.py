"""What a plot draws of a curve: samples where there is room, columns where they stand too close."""

from __future__ import annotations

import numpy as np
import pytest

from twin.app.plots.columns import CLOSE_PX, Columns, drawn

_DAY_S = 86_400.0


def test_few_samples_are_drawn_as_they_are() -> None:
    t_s = np.arange(0.0, 1000.0, 10.0)
    values = np.sin(t_s)
    columns = Columns.of(t_s, 0.0, 1000.0, 400.0)
    found = drawn(t_s, values, columns)
    assert not columns.close.any()
    assert found.t_s.tolist() == t_s.tolist()
    assert found.values.tolist() == values.tolist()
    assert not found.pieces
    assert columns.at(500.0) is None


def test_many_samples_are_their_mean_between_least_and_greatest() -> None:
    t_s = np.linspace(0.0, 54 * _DAY_S, 8192)
    values = np.where(np.arange(8192) % 2, 100.0, 0.0)
    columns = Columns.of(t_s, 0.0, 54 * _DAY_S, 300.0)
    found = drawn(t_s, values, columns)
    assert len(found.t_s) < 300.0 / CLOSE_PX + 20
    assert np.all(np.diff(found.t_s) >= 0.0)
    assert (found.t_s[0], found.t_s[-1]) == (0.0, 54 * _DAY_S)
    assert found.values[3:-3] == pytest.approx(50.0, abs=3.0)
    (piece,) = found.pieces
    assert (piece.t_s[0], piece.t_s[-1]) == (0.0, 54 * _DAY_S)
    assert set(piece.low[2:-2]) == {0.0}
    assert set(piece.high[2:-2]) == {100.0}
    column = columns.at(20 * _DAY_S)
    assert column is not None
    assert columns.counts[column] > 20


def test_where_samples_stand_close_and_where_they_do_not_are_told_apart() -> None:
    t_s = np.concatenate((np.arange(0.0, 100.0, 0.05), np.arange(100.0, 1000.0, 20.0)))
    values = np.cos(t_s)
    found = drawn(t_s, values, Columns.of(t_s, 0.0, 1000.0, 500.0))
    (piece,) = found.pieces
    assert piece.t_s[0] == 0.0
    assert 100.0 <= piece.t_s[-1] <= 160.0
    alone = found.t_s > piece.t_s[-1]
    assert found.values[alone].tolist() == values[t_s > piece.t_s[-1]].tolist()


def test_a_few_samples_of_one_moment_are_no_thicket() -> None:
    t_s = np.sort(np.concatenate((np.arange(0.0, 1000.0, 20.0), 500.0 + np.arange(1.0, 9.0) * 0.1)))
    assert not Columns.of(t_s, 0.0, 1000.0, 500.0).close.any()


@pytest.mark.parametrize("count", [40, 4000])
def test_a_gap_is_drawn_in_neither_line_nor_band(count: int) -> None:
    t_s = np.linspace(0.0, 1000.0, count)
    values = np.where((t_s > 400.0) & (t_s < 600.0), np.nan, 1.0)
    found = drawn(t_s, values, Columns.of(t_s, 0.0, 1000.0, 200.0))
    inside = (found.t_s > 430.0) & (found.t_s < 570.0)
    assert inside.any()
    assert np.isnan(found.values[inside]).all()
    assert not any(np.any((piece.t_s > 410.0) & (piece.t_s < 590.0)) for piece in found.pieces)
    assert len(found.pieces) == (0 if count == 40 else 2)


def test_a_gap_within_a_column_shows_what_is_known_beside_it() -> None:
    t_s = np.linspace(0.0, 1000.0, 40_000)
    values = np.full(40_000, 3.0)
    values[20_000:20_010] = np.nan
    (piece,) = drawn(t_s, values, Columns.of(t_s, 0.0, 1000.0, 200.0)).pieces
    assert set(piece.low) == set(piece.high) == {3.0}


def test_columns_stand_still_while_a_plot_is_moved() -> None:
    t_s = np.arange(0.0, 1000.0, 0.1)
    before, after = Columns.of(t_s, 100.0, 300.0, 200.0), Columns.of(t_s, 113.7, 313.7, 200.0)
    assert np.isin(after.edges_s[20:60], before.edges_s).all()
    assert np.diff(before.edges_s)[0] == 2.0  # of a pixel each second


def test_a_line_between_far_samples_is_cut_near_the_plot() -> None:
    t_s, values = np.array([0.0, 54 * _DAY_S]), np.array([0.0, 54.0])
    found = drawn(t_s, values, Columns.of(t_s, 27 * _DAY_S, 27 * _DAY_S + 1.0, 100.0))
    assert len(found.t_s) == 2
    assert found.t_s == pytest.approx(27 * _DAY_S, abs=2.0)
    assert found.values == pytest.approx(27.0, abs=1e-3)


@pytest.mark.parametrize("t_s", [[], [5.0], [5.0, 6.0]])
def test_nothing_or_next_to_nothing_is_drawn_without_harm(t_s: list[float]) -> None:
    times = np.array(t_s)
    found = drawn(times, times * 2.0, Columns.of(times, 0.0, 10.0, 0.0))
    assert found.t_s.tolist() == t_s
    assert found.values.tolist() == [2.0 * each for each in t_s]


def test_columns_are_times_people_count_in_wide_enough_for_some_samples() -> None:
    t_s = np.arange(0.0, 54 * _DAY_S, 5184.0)
    for width_px, wanted_s in (
        (60.0, 2 * _DAY_S),
        (145.0, _DAY_S),
        (430.0, _DAY_S / 2),
        (1500.0, 4 * 3600.0),
    ):
        columns = Columns.of(t_s, 0.0, 54 * _DAY_S, width_px)
        assert np.diff(columns.edges_s) == pytest.approx(wanted_s), width_px
        assert columns.close[3:-3].all() == (width_px < 900.0)
    day_and_night = np.sin(t_s / _DAY_S * 2.0 * np.pi)
    found = drawn(t_s, day_and_night, Columns.of(t_s, 0.0, 54 * _DAY_S, 145.0))
    assert found.values == pytest.approx(0.0, abs=0.05)


def test_a_run_that_ends_at_an_edge_has_its_last_sample_in_the_column_before() -> None:
    t_s = np.arange(0.0, 54 * _DAY_S + 1.0, 1200.0)
    values = np.where(t_s == t_s[-1], 1.0, 5.0)
    found = drawn(t_s, values, Columns.of(t_s, 0.0, 54 * _DAY_S, 145.0))
    assert set(found.values) == {5.0}
    assert found.t_s[-1] == t_s[-1]
    (piece,) = found.pieces
    assert np.count_nonzero(piece.low == 1.0) == 2  # the middle and the edge of the last column
