"""Draws of prices: PERT, one for each price, tied together by group, the same in every scene."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from twin.economics.price_draws import SHARED, pert_quantile, uniform_draws

MANY = 20_000


@pytest.mark.parametrize(
    ("low", "likely", "high"), [(0.0, 1.0, 2.0), (10.0, 11.0, 30.0), (5.0, 5.0, 9.0), (1, 4, 4)]
)
def test_quantiles_are_those_of_the_beta_distribution(low: float, likely: float, high: float) -> None:
    share = np.linspace(0.0, 1.0, 201)
    a, b = 1 + 4 * (likely - low) / (high - low), 1 + 4 * (high - likely) / (high - low)
    exact = low + (high - low) * stats.beta.ppf(share, a, b)
    assert np.abs(pert_quantile(low, likely, high, share) - exact).max() < 2e-5 * (high - low)


def test_the_mean_is_that_of_pert_and_a_certain_price_stays() -> None:
    drawn = pert_quantile(10.0, 12.0, 20.0, uniform_draws("x", "g", MANY, 1))
    assert drawn.mean() == pytest.approx((10 + 4 * 12 + 20) / 6, rel=0.005)
    assert pert_quantile(3.0, 3.0, 3.0, [0.1, 0.9]).tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="rise"):
        pert_quantile(3.0, 2.0, 4.0, 0.5)


def test_prices_of_a_group_move_together_and_others_do_not() -> None:
    normal = stats.norm.ppf
    first, second = (uniform_draws(name, "compute", MANY, 1) for name in ("a", "b"))
    other = uniform_draws("c", "power", MANY, 1)
    assert np.corrcoef(normal(first), normal(second))[0, 1] == pytest.approx(SHARED, abs=0.02)
    assert abs(np.corrcoef(normal(first), normal(other))[0, 1]) < 0.03
    assert stats.kstest(first, "uniform").pvalue > 0.001


def test_a_price_has_the_same_draws_in_every_scene() -> None:
    assert np.array_equal(
        uniform_draws("H100-SXM", "compute", 50, 7), uniform_draws("H100-SXM", "compute", 50, 7)
    )
    assert not np.array_equal(
        uniform_draws("H100-SXM", "compute", 50, 7), uniform_draws("H100-SXM", "compute", 50, 8)
    )
