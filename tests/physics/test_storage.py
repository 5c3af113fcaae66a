"""Fair shares of storage and waiting for input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.storage import cache_hit_ratio, input_wait_s, max_min_share, read_time_s

demands = st.lists(st.floats(0, 1e12), min_size=1, max_size=30).map(np.array)


def test_textbook_case():
    assert max_min_share(10.0, [2.0, 2.6, 4.0, 5.0]) == pytest.approx([2.0, 2.6, 2.7, 2.7])


def test_order_is_kept_and_endless_demand_is_legal():
    assert max_min_share(10.0, [np.inf, 1.0, np.inf]) == pytest.approx([4.5, 1.0, 4.5])
    assert max_min_share(0.0, [1.0, 2.0]) == pytest.approx([0.0, 0.0])
    assert max_min_share(5.0, []).shape == (0,)


@given(st.floats(0, 1e13), demands)
def test_shares_are_fair(capacity, demand):
    share = max_min_share(capacity, demand)
    assert share.sum() == pytest.approx(min(capacity, demand.sum()), rel=1e-9, abs=1e-6)
    assert (share <= demand).all()
    short = share < demand
    if short.any():
        assert share[short] == pytest.approx(share.max(), rel=1e-9, abs=1e-6)


@given(st.floats(0, 1e13), demands, st.randoms())
def test_shares_follow_a_permutation(capacity, demand, random):
    order = list(range(demand.size))
    random.shuffle(order)
    assert max_min_share(capacity, demand[order]) == pytest.approx(max_min_share(capacity, demand)[order])


def test_cache_serves_nothing_in_the_first_epoch_and_what_fits_later():
    assert cache_hit_ratio(100e12, 30e12, [0, 1, 5]).tolist() == [0.0, 0.3, 0.3]
    assert cache_hit_ratio(10e12, 30e12, 1) == 1.0


def test_read_is_the_slower_of_store_and_cache():
    assert read_time_s(10e9, 0.0, 1e9, 5e9) == pytest.approx(10.0)
    assert read_time_s(10e9, 0.8, 1e9, 4e9) == pytest.approx(2.0)
    assert read_time_s(10e9, 1.0, 0.0, 5e9) == pytest.approx(2.0)
    assert read_time_s(10e9, 0.5, 0.0, 5e9) == np.inf


def test_input_waits_only_for_what_compute_does_not_cover():
    assert input_wait_s([1.0, 3.0], 2.0).tolist() == [0.0, 1.0]
