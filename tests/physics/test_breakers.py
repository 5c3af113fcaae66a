"""Breakers: inverse-time trips, their memory of earlier load, magnetic trips."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.breakers import heated, trip_time_s


def test_breaker_trips_faster_the_more_it_carries_and_never_at_its_rating():
    assert trip_time_s(1.0, 100.0) == math.inf
    assert trip_time_s(2.0, 90.0) == pytest.approx(30.0)
    assert trip_time_s(8.0, 90.0) == pytest.approx(0.02)
    times = trip_time_s(np.linspace(1.01, 9.0, 100), 90.0)
    assert np.all(np.diff(times) <= 0.0)


def test_a_breaker_remembers_half_a_trip():
    half = heated(0.0, 2.0, 90.0, 15.0)
    assert half == pytest.approx(0.5)
    assert trip_time_s(2.0, 90.0, heat=half) == pytest.approx(15.0)


def test_a_breaker_cools_below_its_rating_and_not_below_cold():
    assert heated(0.5, 0.5, 90.0, 30.0) == pytest.approx(0.25)
    assert heated(0.5, 0.0, 90.0, 1e6) == 0.0
    assert heated(0.5, 1.0, 90.0, 1e6) == 0.5


@given(
    loads=st.lists(st.floats(1.0, 3.0), min_size=1, max_size=6),
    times=st.lists(st.floats(0.0, 20.0), min_size=6, max_size=6),
)
def test_heat_over_a_varying_overload_is_its_integral(loads, times):
    heat, expected = 0.0, 0.0
    for ratio, dt in zip(loads, times, strict=False):
        heat = float(heated(heat, ratio, 60.0, dt))
        expected += (ratio**2 - 1) * dt / 60.0
    assert heat == pytest.approx(expected, abs=1e-12)


@given(st.floats(1.01, 6.9), st.floats(1.0, 600.0))
def test_heat_reaches_one_when_the_trip_time_is_over(ratio, thermal_s):
    assert heated(0.0, ratio, thermal_s, float(trip_time_s(ratio, thermal_s))) == pytest.approx(1.0)
