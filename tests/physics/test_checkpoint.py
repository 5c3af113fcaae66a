"""Checkpoint interval and expected share of kept work."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.checkpoint import (
    checkpoint_bytes,
    daly_interval_s,
    first_order_ettr,
    first_order_loss,
    renewal_ettr,
    young_interval_s,
)

seconds = st.floats(1e-3, 1e6)


def test_published_checkpoint_sizes():
    assert checkpoint_bytes(70.55e9) / 1e12 == pytest.approx(0.99, abs=0.005)
    assert checkpoint_bytes(405.85e9) / 1e12 == pytest.approx(5.68, abs=0.005)
    assert checkpoint_bytes(1e9, with_16bit_copy=False) == 12e9


@given(seconds, seconds, seconds)
def test_no_failures_leave_exactly_the_write_overhead(tau, write, restart):
    assert renewal_ettr(tau, write, restart, 0.0) == tau / (tau + write)


@given(seconds, seconds, seconds, st.floats(1e-9, 1e-2))
def test_ettr_is_a_share_and_falls_with_each_cost(tau, write, restart, rate):
    ettr = renewal_ettr(tau, write, restart, rate)
    assert 0 <= ettr <= 1
    assert renewal_ettr(tau, write * 1.1, restart, rate) <= ettr
    assert renewal_ettr(tau, write, restart * 1.1, rate) <= ettr
    assert renewal_ettr(tau, write, restart, rate * 1.1) <= ettr


def test_renewal_form_against_a_simulated_job():
    rng = np.random.default_rng(7)
    tau, write, restart, mean = 600.0, 20.0, 300.0, 7000.0
    kept = clock = 0.0
    for lasts in rng.exponential(mean, 200_000):
        clock += lasts
        # Restart first (a failure in it starts it again), then whole cycles; a broken one is lost.
        kept += tau * max(0.0, (lasts - restart) // (tau + write))
    assert kept / clock == pytest.approx(float(renewal_ettr(tau, write, restart, 1 / mean)), abs=0.002)


@given(seconds, seconds)
def test_young_loses_least_to_the_first_order(write, between):
    best = young_interval_s(write, between)
    least = first_order_loss(best, write, between)
    assert least.writes == pytest.approx(least.lost)
    assert least.whole == pytest.approx(math.sqrt(2.0 * write / between))
    assert first_order_loss(1.1 * best, write, between).whole > least.whole
    assert first_order_loss(best / 1.1, write, between).whole > least.whole


def test_tiny_rates_do_not_lose_digits():
    assert renewal_ettr(600.0, 20.0, 300.0, 1e-18) == pytest.approx(600 / 620, rel=1e-14)


def test_hopeless_rates_give_zero_without_overflow():
    assert renewal_ettr(1e6, 20.0, 300.0, 10.0) == 0.0


def test_first_order_curve_agrees_while_failures_are_rare_and_departs_later():
    rare = (3600.0, 10.0, 300.0, 1 / 200_000)
    often = (3600.0, 10.0, 300.0, 1 / 10_000)
    assert first_order_ettr(*rare) == pytest.approx(float(renewal_ettr(*rare)), abs=0.002)
    assert abs(first_order_ettr(*often) - renewal_ettr(*often)) > 0.01


def test_arguments_broadcast():
    taus = np.array([100.0, 1000.0, 10_000.0])
    assert renewal_ettr(taus, 10.0, 300.0, 1e-5).shape == (3,)


def test_interval_rules_by_hand():
    # w = 10 s, M = 10,140 s: sqrt(2 w M) = 450.3 s.
    assert young_interval_s(10.0, 10_140.0) == pytest.approx(450.33, abs=0.01)
    daly = 450.333 * (1 + math.sqrt(10 / 20280) / 3 + 10 / 20280 / 9) - 10
    assert daly_interval_s(10.0, 10_140.0) == pytest.approx(daly, rel=1e-5)
    assert daly_interval_s(300.0, 100.0) == 100.0
    assert daly_interval_s(10.0, math.inf) == math.inf
    assert daly_interval_s(0.0, 1e4) == 0.0


@given(st.floats(1.0, 100.0), st.floats(1e4, 1e7))
def test_daly_is_near_the_best_interval_of_the_exact_form(write, mean):
    grid = np.geomspace(write / 10, 10 * mean, 4000)
    best = renewal_ettr(grid, write, 0.0, 1 / mean).max()
    assert renewal_ettr(daly_interval_s(write, mean), write, 0.0, 1 / mean) >= best - 1e-4
