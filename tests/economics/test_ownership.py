"""What an own GPU-hour costs: the published figures, and what must hold for any others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from twin.economics.ownership import OwnershipCost, break_even_utilisation, owned_from, owned_usd_gpu_h

_COST = OwnershipCost(50_000, 4, 0.10, 0.03, 1050, 1.15, 0.08)
H100 = _COST.fixed_usd_h, _COST.energy_usd_h


def test_published_cost_of_an_own_gpu_hour_by_utilisation() -> None:
    assert owned_usd_gpu_h(*H100, [1.0, 0.8, 0.6]).round(2).tolist() == [2.07, 2.57, 3.41]


def test_published_break_even_with_rent() -> None:
    assert round(float(break_even_utilisation(*H100, 2.95)), 2) == 0.70


@pytest.mark.parametrize("rent_usd", [2.2, 2.95, 6.0, 40.0])
def test_at_break_even_both_cost_the_same(rent_usd: float) -> None:
    use = float(break_even_utilisation(*H100, rent_usd))
    assert float(owned_usd_gpu_h(*H100, use)) == pytest.approx(rent_usd, rel=1e-12)


def test_rent_below_the_energy_of_a_busy_hour_is_never_beaten() -> None:
    assert break_even_utilisation(*H100, 0.01) == math.inf
    assert owned_usd_gpu_h(*H100, 0.0) == math.inf


def test_owning_that_pays_above_a_hundred_percent_never_does() -> None:
    assert owned_from(np.full(40, 1.285)) == (math.inf,) * 3
    assert owned_from(np.full(40, math.inf)) == (math.inf,) * 3
    assert owned_from(np.linspace(0.5, 1.0, 41)) == pytest.approx((0.525, 0.75, 0.975))


def test_more_use_is_always_cheaper() -> None:
    assert np.all(np.diff(owned_usd_gpu_h(*H100, np.linspace(0.05, 1.0, 50))) < 0)
