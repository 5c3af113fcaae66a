"""Time value of money against hand cases, its own identities, and numpy-financial where it is there."""

from __future__ import annotations

import importlib.util
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from twin.economics.demand_charge import billed_kw, demand_charge, quarter_hour_peak_w
from twin.economics.finance import annuity, capital_recovery, levelised, npv
from twin.economics.returns import payback_years, rates_of_return

RATES = some.floats(-0.2, 0.6).filter(lambda rate: abs(rate) > 1e-6)
MONEY = some.floats(-1e6, 1e6)


def test_payments_of_all_years_repay_the_loan_with_its_interest() -> None:
    paid, debt = float(capital_recovery(0.10, 4)), 1.0
    for _ in range(4):
        debt = debt * 1.10 - paid
    assert abs(debt) < 1e-12
    assert float(capital_recovery(0.0, 5)) == 0.2
    with pytest.raises(ValueError, match="above 0"):
        capital_recovery(0.1, 0)


@given(some.floats(1.0, 1e9), some.floats(0.0, 1.0), some.floats(0.0, 0.5), some.integers(1, 40))
def test_annuities_are_worth_the_capital_less_what_is_left(
    capital: float, left: float, rate: float, years: int
) -> None:
    paid = float(annuity(capital, left * capital, rate, years))
    worth = sum(paid / (1 + rate) ** year for year in range(1, years + 1))
    assert worth == pytest.approx(
        capital - left * capital / (1 + rate) ** years, rel=1e-9, abs=1e-9 * capital
    )


def test_what_never_wears_out_costs_its_interest() -> None:
    assert annuity([100.0, 100.0], 100.0, 0.08, [np.inf, 7]).tolist() == pytest.approx([8.0, 8.0], rel=1e-12)


def test_the_first_flow_is_not_discounted_and_samples_come_first() -> None:
    flows = np.array([[-100.0, 110.0], [-50.0, 0.0]])
    assert npv(np.array([0.10, 0.10]), flows).tolist() == pytest.approx([0.0, -50.0], abs=1e-12)
    assert float(levelised(0.10, [100.0, 0.0], [0.0, 11.0])) == pytest.approx(10.0)
    assert np.isnan(levelised(0.1, [1.0], [0.0]))


@settings(max_examples=60)
@given(RATES, some.lists(MONEY, min_size=2, max_size=40))
def test_npv_is_that_of_its_oracle(rate: float, flows: list[float]) -> None:
    by_hand = sum(flow / (1 + rate) ** year for year, flow in enumerate(flows))
    scale = sum(abs(flow) / (1 + rate) ** year for year, flow in enumerate(flows))
    assert abs(float(npv(rate, flows)) - by_hand) <= 1e-9 * max(scale, 1.0)
    if importlib.util.find_spec("numpy_financial"):
        import numpy_financial

        assert abs(float(npv(rate, flows)) - numpy_financial.npv(rate, flows)) <= 1e-9 * max(scale, 1.0)


@settings(max_examples=60)
@given(
    some.lists(some.floats(1.0, 1e3), min_size=1, max_size=3),
    some.lists(some.floats(1.0, 1e3), min_size=1, max_size=37),
)
def test_one_change_of_sign_has_one_rate_and_its_npv_is_nothing(
    spent: list[float], earned: list[float]
) -> None:
    flows = [*(-flow for flow in spent), *earned]
    found = rates_of_return(flows)
    assert found.rate is not None
    scale = sum(abs(flow) / (1 + found.rate) ** year for year, flow in enumerate(flows))
    assert abs(float(npv(found.rate, flows))) <= 1e-9 * scale
    assert found.rate == pytest.approx(_bisected(flows), rel=1e-9, abs=1e-9)
    if importlib.util.find_spec("numpy_financial"):
        import numpy_financial

        assert found.rate == pytest.approx(float(numpy_financial.irr(flows)), rel=1e-9, abs=1e-9)


def _bisected(flows: list[float]) -> float:
    """Return the rate of flows with one change of sign by halving the discount factor's range."""
    low, high = 0.0, 1.0

    def worth(x: float) -> float:
        return sum(flow * x**year for year, flow in enumerate(flows))

    while worth(high) < 0.0:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if worth(middle) < 0.0 else (low, middle)
    return 1.0 / (0.5 * (low + high)) - 1.0


def test_flows_without_a_change_of_sign_have_no_rate_and_several_are_all_told() -> None:
    assert rates_of_return([100.0, 20.0]).rate is None
    assert rates_of_return([0.0, 0.0]).rates == ()
    several = rates_of_return([-1000.0, 2300.0, -1320.0])
    assert several.rates == pytest.approx((0.1, 0.2), rel=1e-9)
    assert several.rate is None
    assert several.words.startswith("several rates")
    assert rates_of_return([-1.0, 3.0, -2.5]).rates == ()  # complex roots alone


def test_payback_is_linear_within_its_year_and_waits_for_the_last_time_below() -> None:
    assert payback_years([-100.0, 60.0, 60.0]) == pytest.approx(1.0 + 40.0 / 60.0)
    assert payback_years([-100.0, 60.0, 60.0], 0.10) == pytest.approx(1.0 + (100 - 60 / 1.1) / (60 / 1.21))
    assert payback_years([-100.0, 150.0, -100.0, 80.0]) == pytest.approx(2.0 + 50.0 / 80.0)
    assert payback_years([-100.0, 99.0]) is None
    assert payback_years([5.0, 5.0]) == 0.0


def test_a_ratchet_bills_the_highest_of_eleven_months_before() -> None:
    peaks = [1000.0, *[100.0] * 12]
    billed = billed_kw(peaks, 0.75)
    assert billed[1:12].tolist() == [750.0] * 11
    assert billed[12] == 100.0
    assert float(demand_charge(peaks, 7.0, 0.75)) == pytest.approx(7.0 * (1000 + 11 * 750 + 100))
    with pytest.raises(ValueError, match="0 to 1"):
        billed_kw([1.0], 1.5)


def test_a_short_spike_counts_as_the_mean_of_its_quarter_hour() -> None:
    t_s = [0.0, 850.0, 900.0, 1800.0, 2000.0]
    assert quarter_hour_peak_w(t_s, [10.0, 190.0, 10.0, 40.0, 0.0]) == pytest.approx(40.0)
    assert quarter_hour_peak_w(t_s[:4], [10.0, 190.0, 10.0, 0.0]) == pytest.approx(
        (850 * 10 + 50 * 190) / 900
    )


@settings(max_examples=60)
@given(some.lists(some.floats(-1e3, 1e3), min_size=2, max_size=40), some.floats(0.0, 0.3))
def test_payback_is_that_of_its_oracle(flows: list[float], rate: float) -> None:
    """The oracle walks the straight lines between year ends and remembers the last time the sum was below nothing."""
    sums, total = [], 0.0
    for year, flow in enumerate(flows):
        total += flow / (1 + rate) ** year
        sums.append(total)
    found: float | None = 0.0
    for year, (before, after) in enumerate(itertools.pairwise(sums)):
        if after < 0.0:
            found = None
        elif before < 0.0:
            found = year + before / (before - after)
    years = payback_years(flows, rate)
    assert years is None if found is None else years == pytest.approx(found, rel=1e-9, abs=1e-9)
