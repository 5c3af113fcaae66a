"""Wet bulb against tabulated values, its limits, and the known error of Stull's fit."""

import numpy as np
import pytest

from twin.physics.psychrometrics import humidity_ratio, saturation_pressure_pa, wet_bulb_c


@pytest.mark.parametrize(("temp_c", "pa"), [(-20.0, 103.24), (0.0, 611.2), (20.0, 2338.8), (60.0, 19943.9)])
def test_saturation_pressure_is_that_of_the_tables(temp_c, pa):
    assert saturation_pressure_pa(temp_c) == pytest.approx(pa, rel=1e-3)


@pytest.mark.parametrize(
    ("temp_c", "humidity", "wet_c"),
    [(20.0, 0.5, 13.8), (30.0, 0.5, 22.0), (25.0, 0.6, 19.5), (40.0, 0.2, 22.0)],
)
def test_wet_bulb_is_that_of_the_chart(temp_c, humidity, wet_c):
    assert wet_bulb_c(temp_c, humidity) == pytest.approx(wet_c, abs=0.1)


def test_saturated_air_has_its_own_temperature_as_wet_bulb():
    temp = np.linspace(-10.0, 45.0, 12)
    np.testing.assert_allclose(wet_bulb_c(temp, 1.0), temp, atol=1e-6)


def test_wet_bulb_rises_with_humidity_and_temperature():
    temp, humidity = np.meshgrid(np.linspace(1.0, 45.0, 30), np.linspace(0.02, 1.0, 30))
    wet = wet_bulb_c(temp, humidity)
    assert np.all(np.diff(wet, axis=0) > 0.0)
    assert np.all(np.diff(wet, axis=1) > 0.0)
    assert np.all(wet <= temp + 1e-9)


def test_stulls_fit_errs_by_the_published_range():
    """PHYSICS 4: -0.64 to +0.93 K over 0-42 C and 10-90 %."""
    t, share = np.meshgrid(np.arange(0.0, 43.0), np.arange(0.10, 0.905, 0.01))
    rh = 100.0 * share
    stull = t * np.arctan(0.151977 * np.sqrt(rh + 8.313659)) + np.arctan(t + rh) - np.arctan(rh - 1.676331)
    stull += 0.00391838 * rh**1.5 * np.arctan(0.023101 * rh) - 4.686035
    error = stull - wet_bulb_c(t, share)
    assert error.min() == pytest.approx(-0.64, abs=0.02)
    assert error.max() == pytest.approx(0.93, abs=0.02)


def test_thin_air_lowers_the_wet_bulb():
    assert wet_bulb_c(30.0, 0.3, 80e3) < wet_bulb_c(30.0, 0.3)
    assert humidity_ratio(30.0, 0.3, 80e3) > humidity_ratio(30.0, 0.3)
