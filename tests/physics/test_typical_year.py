"""The typical year keeps the normals it was made from, looks like weather, and is the same everywhere; the sun."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics import weather
from twin.physics.weather import MONTH_DAYS, Normals, annual_curve, day_shape, monthly_means, typical_year
from twin.scenario.formats import climates

MILD = Normals((10.0,) * 12, (5.0,) * 12, (8.0,) * 12, 3.0, 2.0)


@pytest.mark.parametrize("name", climates.names())
def test_monthly_means_are_the_normals(name):
    here, year = climates.place(name), climates.year_of(name)
    np.testing.assert_allclose(monthly_means(year.dry_c), here.normals.dry_c, atol=0.01)
    np.testing.assert_allclose(monthly_means(year.dew_c), here.normals.dew_c, atol=0.05)
    days = year.dry_c.reshape(365, 24)
    assert (days.max(axis=1) - days.min(axis=1)).mean() == pytest.approx(
        np.mean(here.normals.range_k), rel=0.06
    )


@pytest.mark.parametrize("name", climates.names())
def test_dew_point_wet_bulb_and_dry_bulb_are_in_order_every_hour(name):
    year = climates.year_of(name)
    assert np.all(year.wet_c <= year.dry_c)
    assert np.all(year.dew_c <= year.wet_c + 1e-6)
    assert year.dry_c.min() > -50
    assert year.dry_c.max() < 55


def test_afternoons_are_warmest_and_dawn_is_coldest():
    mean_day = climates.year_of("phoenix").dry_c.reshape(365, 24).mean(axis=0)
    assert mean_day.argmax() in (14, 15)
    assert mean_day.argmin() in (4, 5, 6)
    assert np.ptp(day_shape()) == pytest.approx(1.0)
    assert day_shape().mean() == pytest.approx(0.0, abs=1e-12)


def test_days_differ_as_much_as_said_and_remember_yesterday():
    days = typical_year("x", MILD, 0.0).dry_c.reshape(365, 24).mean(axis=1)
    winter, summer = np.r_[0:59, 334:365], np.arange(151, 243)
    assert days[winter].std() == pytest.approx(3.0, rel=0.35)
    assert days[summer].std() == pytest.approx(2.0, rel=0.35)
    off = days - days.mean()
    assert 0.6 < (off[1:] * off[:-1]).mean() / off.var() < 0.95
    assert abs(days[0] - days[-1]) < 6.0  # December leads on to January


def test_the_year_is_that_of_its_name():
    first, again, other = (typical_year(name, MILD, 0.0) for name in ("x", "x", "y"))
    assert np.array_equal(first.wet_c, again.wet_c)
    assert not np.array_equal(first.dry_c, other.dry_c)
    np.random.seed(1)  # noqa: NPY002 - the global state is what must not matter
    assert np.array_equal(typical_year("x", MILD, 0.0).dry_c, first.dry_c)


def test_the_weather_of_a_place_stays_what_it_was():
    """Runs name places: their hours must not change unless somebody means it."""
    year = climates.year_of("ashburn")
    assert year.wet_c[500::1100] == pytest.approx(
        [6.149, 5.429, 6.538, 17.955, 18.632, 13.548, 14.211, -4.939], abs=1e-3
    )


@given(st.lists(st.floats(-30, 40), min_size=12, max_size=12))
def test_the_annual_curve_has_the_means_it_is_asked_for(monthly):
    assert np.abs(monthly_means(annual_curve(tuple(monthly))) - monthly).max() < 1e-9
    assert sum(MONTH_DAYS) == 365


def test_free_cooling_is_what_the_climate_allows():
    """Wet bulb + tower 4 K + exchanger 2 K <= 18 C: the colder and drier the place, the more hours of the year."""
    names = ("lulea", "dublin", "ashburn", "phoenix", "singapore")
    free = [int((climates.year_of(name).wet_c + 6.0 <= 18.0).sum()) for name in names]
    assert free == sorted(free, reverse=True)
    assert free[0] > 7000
    assert free[-1] == 0


# --- the sun


def test_equinox_noon_on_the_equator_is_the_sun_overhead():
    declination = np.radians(23.45) * np.sin(2 * np.pi * (284 + 81) / 365)
    assert declination == pytest.approx(0.0, abs=1e-12)
    beam = 1353 * 0.7 ** ((1 / (1 + 0.50572 * 96.07995**-1.6364)) ** 0.678)
    assert weather.clear_sky_output(0.0, 81, 12.0) == pytest.approx(0.85 * 1.1 * beam / 1000, rel=1e-9)
    assert weather.clear_sky_output(0.0, 81, 0.0) == 0.0


def test_day_length_follows_latitude_and_season():
    hours = np.arange(0, 24, 0.05)

    def length(latitude, day):
        return 24 * float((weather.clear_sky_output(latitude, day, hours) > 0).mean())

    assert length(50.0, 172) == pytest.approx(16.1, abs=0.2)  # cos H = -tan(50) tan(23.45)
    assert length(50.0, 355) == pytest.approx(7.9, abs=0.2)
    assert length(-50.0, 355) == pytest.approx(16.1, abs=0.2)
    assert length(70.0, 355) == 0.0
    assert length(70.0, 172) > 20.0  # midnight sun; behind the panel some of it


def test_capacity_factors_are_those_of_real_panels():
    """Fixed panels: about 1,850-2,000 kWh a year and kW in Phoenix, 900-1,050 in Dublin [recalled]."""
    yields = {}
    for name in ("phoenix", "dublin"):
        here = climates.place(name)
        yields[name] = weather.year_of_output(here.latitude_deg, here.sunshine).sum()
    assert 1700 < yields["phoenix"] < 2050
    assert 850 < yields["dublin"] < 1100


@given(st.floats(-90, 90), st.integers(1, 365), st.floats(0, 24), st.floats(0, 1))
def test_output_is_a_share_of_the_rated_power(latitude, day, hour, sunshine):
    clear = float(weather.clear_sky_output(latitude, day, hour))
    assert 0.0 <= clear <= 1.0
    assert 0.3 < weather.cloudiness_factor(sunshine) <= 1.0
