"""Batteries and sources on site: ride-through, smoothing, load acceptance, dispatch."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.batteries import one_way_efficiency, ride_through_s, smoothed_grid_w
from twin.physics.on_site import acceptance_at_s, accepted_w, dispatched_w


def test_ride_through_by_hand():
    assert ride_through_s(300e6, 1e6) == 300.0
    assert ride_through_s(1.0, 0.0) == math.inf
    assert one_way_efficiency(0.88) ** 2 == pytest.approx(0.88)


def test_the_grid_sees_no_more_than_the_peak_and_no_step_above_the_ramp():
    assert smoothed_grid_w(120.0, 80.0, math.inf, 100.0) == 100.0
    assert smoothed_grid_w(120.0, 80.0, 5.0, math.inf) == 85.0
    assert smoothed_grid_w(20.0, 80.0, 5.0, math.inf) == 75.0
    assert smoothed_grid_w(80.0, 80.0, math.inf, 100.0, recharge_w=50.0) == 100.0
    assert smoothed_grid_w(80.0, 80.0, math.inf, math.inf, recharge_w=50.0) == 130.0


@given(*[st.floats(0, 1e7)] * 4, st.floats(0, 1e6))
def test_smoothing_keeps_both_limits(load, before, step, peak, recharge):
    grid = smoothed_grid_w(load, before, step, peak, recharge)
    assert 0 <= grid <= max(peak, 0)
    if before <= peak:
        assert abs(grid - before) <= step + 1e-6


def test_a_generator_takes_load_up_linearly():
    assert accepted_w(3e6, 30.0, [-1.0, 0.0, 15.0, 60.0]).tolist() == [0.0, 0.0, 1.5e6, 3e6]
    assert accepted_w(3e6, 0.0, [-1.0, 0.0]).tolist() == [0.0, 3e6]


def test_generators_share_what_they_have_to_accept():
    one = acceptance_at_s(1.5e6, 0.0, [3e6], [30.0], [10.0])
    two = acceptance_at_s(1.5e6, 0.0, [3e6, 3e6], [30.0, 30.0], [10.0, 10.0])
    assert (one, two) == (pytest.approx(25.0), pytest.approx(17.5))
    assert acceptance_at_s(4e6, 0.0, [3e6], [30.0], [10.0]) == math.inf
    assert acceptance_at_s(2e6, 0.0, [3e6], [0.0], [12.0]) == 12.0
    assert acceptance_at_s(4e6, 0.0, [3e6, 3e6], [30.0, 0.0], [10.0, 20.0]) == pytest.approx(20.0)


@given(st.floats(1.0, 9.0), st.floats(0.1, 30.0), st.floats(0.0, 20.0))
def test_at_the_time_of_acceptance_the_load_is_just_carried(need, ramp, later):
    capacity, ramps, ready = [5.0, 5.0], [ramp, ramp], [10.0, 10.0 + later]
    at = acceptance_at_s(need, 0.0, capacity, ramps, ready)
    given_w = sum(float(accepted_w(c, r, at - t)) for c, r, t in zip(capacity, ramps, ready, strict=True))
    assert given_w == pytest.approx(need, rel=1e-6)


def test_sources_give_in_their_order():
    assert dispatched_w(100.0, [70.0, 50.0, 50.0]) == [70.0, 30.0, 0.0]
    assert dispatched_w(-5.0, [70.0]) == [0.0]
