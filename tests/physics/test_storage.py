"""Stores shared by readers and writers, caches in front of them, and waiting for input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.input_tiers import (
    cache_hit_ratio,
    delivered_bytes_s,
    input_wait_s,
    needed_bytes_s,
    read_time_s,
    tier_shares,
)
from twin.physics.max_min import max_min_rates
from twin.physics.storage import limited_bytes_s, max_min_share, outstanding_bytes_s, store_load, transfer_s

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


@given(st.floats(1.0, 1e12), demands)
def test_one_store_is_one_link_of_the_network_solver(capacity, demand):
    n = demand.size
    rates = max_min_rates(demand, np.arange(n), np.zeros(n, np.int64), np.ones(n), np.array([capacity]))
    assert rates == pytest.approx(max_min_share(capacity, demand), rel=1e-9, abs=1e-3)


def test_reads_and_writes_share_the_time_of_a_store():
    assert store_load(125e9, 0, 125e9, 62e9) == 1.0
    assert store_load(62.5e9, 31e9, 125e9, 62e9) == pytest.approx(1.0)
    # a reader and a writer of a store 125 / 62 GB/s, each taking what it gets: r = w, r/125 + w/62 = 1
    weight = np.array([1.0, 125 / 62])
    rates = max_min_rates(np.full(2, np.inf), np.arange(2), np.zeros(2, np.int64), weight, np.array([125e9]))
    assert rates == pytest.approx([1 / (1 / 125e9 + 1 / 62e9)] * 2)
    assert float(store_load(rates[0], rates[1], 125e9, 62e9)) == pytest.approx(1.0)


def test_small_operations_are_limited_by_their_number():
    assert limited_bytes_s(90e9, 3e6, 4096) == pytest.approx(3e6 * 4096)
    assert limited_bytes_s(90e9, 3e6, 1e6) == 90e9
    assert limited_bytes_s(90e9, np.inf, 1.0) == 90e9


def test_a_slow_first_byte_is_hidden_by_requests_under_way():
    assert outstanding_bytes_s(1, 8e6, 0.02) == pytest.approx(400e6)
    assert outstanding_bytes_s(480 * 16, 8e6, 0.02) == pytest.approx(3.072e12)
    assert outstanding_bytes_s(1, 8e6, 0.0) == np.inf


def test_a_drain_takes_what_the_store_takes_and_no_less_than_was_said():
    assert transfer_s(5.68e12, 200e9) == pytest.approx(28.4)
    assert transfer_s(5.68e12, 200e9, at_least_s=30.0) == 30.0
    assert transfer_s(5.68e12, 100e9, at_least_s=30.0) == pytest.approx(56.8)
    assert transfer_s([0.0, 1.0], 0.0).tolist() == [0.0, np.inf]


def test_cache_serves_nothing_in_the_first_epoch_and_what_fits_later():
    assert cache_hit_ratio(100e12, 30e12, [0, 1, 5]).tolist() == [0.0, 0.3, 0.3]
    assert cache_hit_ratio(10e12, 30e12, 1) == 1.0
    assert cache_hit_ratio(np.inf, 30e12, 7) == 0.0


def test_in_order_a_cache_a_little_too_small_serves_nothing():
    assert cache_hit_ratio(100e12, [99e12, 100e12, 101e12], 3, shuffled=False).tolist() == [0.0, 1.0, 1.0]


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 3))
def test_hit_ratio_in_order_is_that_of_a_cache_that_drops_the_least_recently_used(samples, room, epoch):
    kept: dict[int, None] = {}
    for _ in range(epoch + 1):
        hits = 0
        for sample in range(samples):
            hits += sample in kept
            kept.pop(sample, None)
            kept[sample] = None
            if len(kept) > room:
                del kept[next(iter(kept))]
    assert float(cache_hit_ratio(samples, room, epoch, shuffled=False)) == hits / samples


@given(st.lists(st.floats(0, 1), max_size=4))
def test_tiers_deliver_everything_once(ratios):
    share = tier_shares(ratios)
    assert (share >= 0).all()
    assert share.sum() == pytest.approx(1.0)
    assert share[-1] == pytest.approx(1 - max(ratios, default=0.0))


def test_a_chain_is_as_fast_as_the_tier_that_is_first_at_its_limit():
    assert tier_shares([0.1, 0.4, 0.4]).tolist() == pytest.approx([0.1, 0.3, 0.0, 0.6])
    assert delivered_bytes_s([0.1, 0.3, 0.0, 0.6], [1e12, 3e12, 0.0, 126e9]) == pytest.approx(210e9)
    assert delivered_bytes_s([1.0, 0.0], [1e9, 0.0]) == 1e9


def test_read_is_the_slower_of_store_and_cache():
    assert read_time_s(10e9, [0.0, 1.0], [5e9, 1e9]) == pytest.approx(10.0)
    assert read_time_s(10e9, [0.8, 0.2], [4e9, 1e9]) == pytest.approx(2.0)
    assert read_time_s(10e9, [1.0, 0.0], [5e9, 0.0]) == pytest.approx(2.0)
    assert read_time_s(10e9, [0.5, 0.5], [5e9, 0.0]) == np.inf


@given(st.floats(0.1, 1e12), st.floats(0, 1), st.floats(1, 1e12), st.floats(1, 1e12), st.floats(1, 8))
def test_more_bandwidth_or_more_cache_never_slows(need, hit, store, cache, more):
    def took(hit, store):
        return float(read_time_s(need, [hit, 1 - hit], [np.inf, store]))

    assert took(hit, store * more) <= took(hit, store)
    assert took(min(1.0, hit * more), store) <= took(hit, store)


def test_input_waits_only_for_what_compute_does_not_cover():
    assert input_wait_s([1.0, 3.0], 2.0).tolist() == [0.0, 1.0]


def test_the_reference_of_a_scalable_unit_feeds_pictures_but_no_raw_video():
    """125 GB/s read, 62 GB/s write for 256 H100 (PHYSICS 8)."""
    per_gpu = 125e9 / 256
    assert per_gpu == pytest.approx(488e6, rel=1e-3)
    assert (
        needed_bytes_s(2500, 110e3) < per_gpu
    )  # ResNet-50: some 2,500 pictures of 110 kB a second [recalled]
    assert needed_bytes_s(3.4, 160e6) > per_gpu  # a clip of eight cameras every 0.3 s
    assert transfer_s(70.6e9 * 14, 62e9) == pytest.approx(
        15.9, rel=0.01
    )  # Llama 3 70B, weights and optimizer


def test_video_needs_orders_of_magnitude_more_than_text():
    flop_s = 400e12  # of one H100
    text = needed_bytes_s(flop_s / (6 * 8e9), 4.0)  # tokens of an 8B model, 32 bit each
    video = needed_bytes_s(flop_s / 3e13, 160e6)  # clips of 30 TFLOP, scenes/video-ingest
    assert text < 50e3
    assert video / text > 1e4
