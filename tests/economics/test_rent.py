"""What clouds bill, what reclaims cost, and where owning and renting meet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.economics.hand_case import books
from twin.economics.own_or_rent import UTILISATIONS, own_or_rent
from twin.economics.ownership import owned_usd_gpu_h
from twin.economics.rent import billed_s, kept_on_spot, rented_usd_gpu_h, shapes_for


def test_whole_shapes_and_whole_units_are_billed() -> None:
    assert shapes_for([1, 8, 9, 64], 8).tolist() == [1, 1, 2, 8]
    assert billed_s([0.0, 1.0, 59.0, 61.0, 3600.0], 1.0, 60.0).tolist() == [0, 60, 60, 61, 3600]
    assert billed_s([1.0, 3600.0, 3601.0], 3600.0, 60.0).tolist() == [3600, 3600, 7200]
    asked = {way: np.array([usd]) for way, usd in (("on_demand", 80.0), ("reserved", 40.0), ("spot", 20.0))}
    usd = rented_usd_gpu_h(asked, 12, 8, [0.5, 1.0], 0.8)
    assert usd["on_demand"][:, 0].tolist() == pytest.approx([80 * 2 / 12] * 2)
    assert usd["reserved"][:, 0].tolist() == pytest.approx([40 * 2 / 12 / 0.5, 40 * 2 / 12])
    assert usd["spot"][:, 0].tolist() == pytest.approx([20 * 2 / 12 / 0.8] * 2)


def test_spot_without_reclaims_keeps_what_on_demand_does() -> None:
    for write_s in (20.0, 300.0):  # within the notice, and longer than it
        assert float(kept_on_spot(8, 0.0, 120.0, 1800.0, write_s, 600.0)) == pytest.approx(
            1800 / (1800 + write_s)
        )


def simulated(
    rate: float, notice_s: float, tau_s: float, write_s: float, restart_s: float
) -> tuple[float, float]:
    """Return the kept share of rented time and its standard error, by chance: work, write, reclaim, restart."""
    draws = np.random.default_rng(3)
    shares = []
    for _ in range(200):
        t, kept, next_s = 0.0, 0.0, draws.exponential(1 / rate)
        while t < 2e6:
            end = t + tau_s + write_s
            if next_s >= end:
                t, kept = end, kept + tau_s
                continue
            if write_s <= notice_s:  # all done by then is written within the notice
                kept += (next_s - t) * tau_s / (tau_s + write_s)
            t = next_s
            while True:  # a reclaim while it restarts begins that anew
                next_s = t + draws.exponential(1 / rate)
                if next_s >= t + restart_s:
                    t += restart_s
                    break
                t = next_s
        shares.append(kept / t)
    return float(np.mean(shares)), float(np.std(shares) / np.sqrt(len(shares)))


@pytest.mark.parametrize("write_s", [20.0, 300.0])
def test_what_spot_keeps_is_that_of_a_simulation(write_s: float) -> None:
    rate = 1 / 7200
    mean, error = simulated(rate, 120.0, 1800.0, write_s, 600.0)
    form = float(kept_on_spot(4, rate / 4, 120.0, 1800.0, write_s, 600.0))
    assert abs(mean - form) < 3 * error + 1e-3 * (write_s < 120.0)


def test_a_gang_is_reclaimed_as_often_as_its_shapes_together() -> None:
    one, eight = (float(kept_on_spot(n, 1e-5, 30.0, 1800.0, 60.0, 600.0)) for n in (1, 8))
    assert eight < one
    assert eight == pytest.approx(float(kept_on_spot(1, 8e-5, 30.0, 1800.0, 60.0, 600.0)))
    with pytest.raises(ValueError, match="notice is longer"):
        kept_on_spot(8, 1e-2, 120.0, 1800.0, 60.0, 600.0)


def test_at_break_even_both_cost_the_same_in_every_sample() -> None:
    found = books()
    both = own_or_rent(found, found.drawn)
    assert {found.catalog.part(offer.id).gpu for offer in both.offers} == {"H100-SXM"}  # type: ignore[attr-defined]
    for offer in both.offers:
        rent = offer.usd_gpu_h["on_demand"][0]
        even = offer.break_even["on_demand"]
        known = np.isfinite(even)
        own = owned_usd_gpu_h(both.fixed_usd_h[known], both.energy_usd_h[known], even[known])
        assert own == pytest.approx(rent[known], rel=1e-9)
    assert both.owned_usd_gpu_h.shape == (len(UTILISATIONS), 200)
    assert (np.diff(both.owned_usd_gpu_h, axis=0) < 0).all()
