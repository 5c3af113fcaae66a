"""Intervals of differences: exact cases by hand, and the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from twin.analysis.paired_interval import difference_of, t_quantile, t_within


@pytest.mark.parametrize(
    ("freedom", "t"),  # of printed tables, two-sided 95 %
    [
        (1, 12.7062),
        (2, 4.30265),
        (3, 3.18245),
        (4, 2.77645),
        (9, 2.26216),
        (19, 2.09302),
        (30, 2.04227),
        (120, 1.97993),
    ],
)
def test_quantiles_are_those_of_the_tables(freedom: int, t: float) -> None:
    assert t_quantile(freedom, 0.95) == pytest.approx(t, rel=3e-6)
    assert t_within(t_quantile(freedom, 0.99), freedom) == pytest.approx(0.99, abs=1e-12)


def test_two_degrees_of_freedom_have_a_closed_form() -> None:
    for level in (0.5, 0.9, 0.999):
        assert t_quantile(2, level) == pytest.approx(level * math.sqrt(2 / (1 - level**2)), rel=1e-12)


def test_three_pairs_by_hand() -> None:
    found = difference_of([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])  # differences 1, 2, 3: mean 2, spread 1
    assert found is not None
    assert (found.a, found.b, found.difference) == (2.0, 4.0, 2.0)
    assert found.paired == pytest.approx(4.302652729911275 / math.sqrt(3), rel=1e-9)
    # unpaired: variances 1 and 4 of three each: (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 50/17 degrees of freedom
    assert found.freedom == pytest.approx(50 / 17)
    assert found.unpaired == pytest.approx(stats.t.ppf(0.975, 50 / 17) * math.sqrt(5 / 3), rel=1e-9)
    assert found.beyond_chance is False


@pytest.mark.parametrize("seeds", [2, 3, 5, 20])
def test_the_unpaired_interval_is_that_of_welch(seeds: int) -> None:
    """Of goodput over seeds, with three times the scatter in B; the oracle is that of scipy."""
    rng = np.random.default_rng(seeds)
    a, b = rng.normal(93.0, 0.6, seeds), rng.normal(88.0, 1.8, seeds)
    found, oracle = difference_of(a.tolist(), b.tolist()), stats.ttest_ind(b, a, equal_var=False)
    low, high = oracle.confidence_interval(0.95)
    assert found is not None
    assert found.unpaired is not None
    assert (found.difference - found.unpaired, found.difference + found.unpaired) == pytest.approx(
        (low, high)
    )
    assert found.freedom == pytest.approx(oracle.df)


@pytest.mark.parametrize("freedom", [1.0, 1.5, 2.27, 2.94, 7.7, 60.3, 9999.0])
def test_the_distribution_of_student_holds_between_whole_degrees_of_freedom(freedom: float) -> None:
    for t in (0.0, 1e-3, 0.4, 1.0, 2.0, 5.0, 300.0):
        assert t_within(t, freedom) == pytest.approx(1.0 - 2.0 * stats.t.sf(t, freedom), abs=1e-11)
    assert t_quantile(freedom, 0.95) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_a_constant_difference_is_certain_however_the_seeds_scatter() -> None:
    a = [0.5, 0.75, 0.25, 1.0]
    found = difference_of(a, [one + 0.125 for one in a])
    assert found is not None
    assert found.paired == 0.0
    assert found.unpaired is not None
    assert found.unpaired > 0.3
    assert found.beyond_chance is True


def test_the_same_numbers_differ_by_exactly_nothing() -> None:
    a = [0.1, 0.7, 0.2]
    found = difference_of(a, a)
    assert found is not None
    assert (found.difference, found.paired) == (0.0, 0.0)
    assert found.beyond_chance is False


def test_unknown_figures_leave_their_pair_out() -> None:
    found = difference_of([1.0, None, 3.0, 5.0], [1.5, 9.0, None, 5.5])
    assert found is not None
    assert (found.seeds, found.difference, found.paired) == (2, 0.5, 0.0)
    assert difference_of([None], [1.0]) is None
    one = difference_of([1.0], [2.0])
    assert one is not None
    assert (one.paired, one.unpaired, one.beyond_chance) == (None, None, None)


def test_the_paired_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(1000):
        common = rng.normal(size=8)
        found = difference_of(
            (common + 0.1 * rng.normal(size=8)).tolist(), (common + 0.3 + 0.1 * rng.normal(size=8)).tolist()
        )
        assert found is not None
        assert found.paired is not None
        hits += abs(found.difference - 0.3) <= found.paired
    assert 930 <= hits <= 970  # 950 within three standard errors


@pytest.mark.parametrize("unit", [1e-100, 1e-60, 1e60])
def test_an_interval_does_not_depend_on_the_unit(unit: float) -> None:
    a, b = [1.0, 2.0, 4.0], [2.0, 3.5, 3.0]
    found, scaled = difference_of(a, b), difference_of([unit * x for x in a], [unit * x for x in b])
    assert found is not None
    assert found.unpaired is not None
    assert scaled is not None
    assert scaled.unpaired == pytest.approx(unit * found.unpaired)
