"""Moist air against tables and another implementation, its limits, and the known error of Stull's fit."""

import numpy as np
import pytest

from twin.physics.psychrometrics import (
    dew_point_c,
    humidity_of_wet_bulb,
    humidity_ratio,
    relative_humidity,
    saturation_pressure_pa,
    standard_pressure_pa,
    wet_bulb_c,
)


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


ORACLE = (
    # dry bulb [C], relative humidity [-], altitude [m], then by PsychroLib 2.5.0 (an implementation of its own of the
    # ASHRAE equations): pressure [Pa], wet bulb [C], dew point [C], humidity ratio [kg/kg]
    (-30, 0.8, 0, 101325.00, -30.1233, -32.1260, 0.00018673),
    (-12.5, 0.5, 200, 98945.31, -13.9008, -19.9394, 0.00065354),
    (-2, 0.95, 0, 101325.00, -2.2574, -2.6123, 0.00303364),
    (0.5, 0.3, 0, 101325.00, -3.8725, -13.4742, 0.00116925),
    (4, 1.0, 0, 101325.00, 4.0000, 4.0000, 0.00503365),
    (10, 0.75, 20, 101084.97, 7.8456, 5.7783, 0.00571871),
    (18, 0.2, 0, 101325.00, 7.9542, -4.6809, 0.00254454),
    (22, 0.6, 337, 97341.51, 16.8013, 13.8857, 0.01030691),
    (27, 0.85, 15, 101144.93, 24.9740, 24.2608, 0.01922147),
    (30, 0.5, 0, 101325.00, 22.0052, 18.4466, 0.01331020),
    (35, 0.15, 545, 94946.82, 17.0425, 4.5279, 0.00557932),
    (38, 0.4, 182, 99157.61, 26.2053, 22.0485, 0.01709511),
    (43, 0.08, 337, 97341.51, 18.9953, 1.7196, 0.00445263),
    (48.9, 0.05, 337, 97341.51, 20.2709, -0.5391, 0.00375753),
    (33, 0.7, 1600, 83523.46, 28.0301, 26.7923, 0.02739718),
    (15, 0.01, 0, 101325.00, 3.3501, -37.4679, 0.00010470),
)


def test_all_agrees_with_another_implementation():
    dry, share, altitude, pressure, wet, dew, ratio = np.array(ORACLE).T
    np.testing.assert_allclose(standard_pressure_pa(altitude), pressure, atol=0.01)
    np.testing.assert_allclose(wet_bulb_c(dry, share, pressure), wet, atol=2e-3)
    np.testing.assert_allclose(dew_point_c(dry, share), dew, atol=2e-3)
    np.testing.assert_allclose(humidity_ratio(dry, share, pressure), ratio, atol=2e-8)


def test_humidity_comes_back_from_wet_bulb_and_dew_point():
    dry, share = np.meshgrid(np.linspace(-25.0, 48.0, 20), np.linspace(0.05, 1.0, 20))
    pressure = standard_pressure_pa(337.0)
    np.testing.assert_allclose(
        humidity_of_wet_bulb(dry, wet_bulb_c(dry, share, pressure), pressure), share, atol=1e-8
    )
    np.testing.assert_allclose(relative_humidity(dry, dew_point_c(dry, share)), share, atol=1e-9)


def test_dew_point_wet_bulb_and_dry_bulb_are_in_order():
    dry, share = np.meshgrid(np.linspace(-25.0, 48.0, 20), np.linspace(0.01, 1.0, 20))
    wet, dew = wet_bulb_c(dry, share), dew_point_c(dry, share)
    assert np.all(dew <= wet + 1e-9)
    assert np.all(wet <= dry + 1e-9)


def test_a_wet_bulb_no_air_can_have_counts_as_dry_air():
    assert humidity_of_wet_bulb(40.0, 5.0) == 0.0
    assert relative_humidity(10.0, 12.0) == 1.0
    assert dew_point_c(10.0, 0.0) == pytest.approx(-100.0)
