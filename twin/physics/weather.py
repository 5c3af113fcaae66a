"""A typical year of outdoor air, hour by hour, made from the monthly normals of a place.

The dry bulb is a smooth annual curve whose monthly means are the normals, plus a day of two harmonics as wide as the
normal daily range, plus day-to-day weather: anomalies with a memory of a few days, the same ones for the same name.
The dew point has a curve and partly the same anomalies, and never passes the dry bulb; the wet bulb follows from both
by psychrometrics. Hour 0 is midnight of 1 January, local standard time; the year is a circle of 365 days.

It is a typical year, not a record: it has the spells, not the extremes, of the place.

Solar panels give a share of their rated power through the days of a year: fixed panels, tilted by the latitude
towards the equator, under a clear sky, times what clouds leave on the mean.
References: Cooper, Solar Energy 12 (1969): declination. Kasten and Young, Applied Optics 28 (1989): air mass.
Meinel and Meinel, Applied Solar Energy (1976): clear-sky beam, and a tenth of it from the rest of the sky.
Allen et al., FAO Irrigation and Drainage Paper 56 (1998), equation 35: what clouds leave (Angstrom).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats
from twin.physics.normal import normal_quantile
from twin.physics.psychrometrics import relative_humidity, standard_pressure_pa, wet_bulb_c
from twin.physics.reliability import component_key, hash_uniform

HOURS = 8760
DAYS = 365
MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

MEMORY = 0.75
"""Correlation of one day's anomaly with the day before [-]; 0.7-0.8 at most places [est]."""
DEW_SHARE = 0.6
"""Correlation of the dew point's anomaly with that of the dry bulb [-] [est]."""
DEW_SPREAD = 1.2
"""Standard deviation of the dew point's anomalies over that of the dry bulb's [-] [est]."""
RANGE_SPREAD = 0.25
"""Standard deviation of the daily range over its normal: clear and overcast days [-] [est]."""

PERFORMANCE = 0.85
"""Electricity over what the cells would give at 25 C: heat, inverters, cables, dust [-]; 0.75-0.9 [est]."""
BEAM_W_M2, CLEARNESS, CLEARNESS_POWER, REST_OF_SKY = 1353.0, 0.7, 0.678, 0.1
RATED_W_M2 = 1000.0
"""Irradiance that panels are rated at, standard test conditions [W/m2]."""
_ANGSTROM_A, _ANGSTROM_B = 0.25, 0.5

_DAY_SHAPE = (0.488, 14.97, 0.088, 1.13)
"""Two harmonics of the day, peak to trough 1: amplitude, hour of the crest, for 24 h and 12 h.

Fitted to the fractions of the daily range in ASHRAE Handbook Fundamentals 2009, chapter 14, table 6 [recalled].
"""
_SETTLE = 12
"""Rounds in which the cut at saturation is made good, so that the monthly dew points stay the normals."""


@dataclass(frozen=True)
class Normals:
    """Monthly means, January first.

    Attributes
    ----------
    dry_c, dew_c : tuple of 12 floats
        Mean dry bulb and mean dew point [C].
    range_k : tuple of 12 floats
        Mean of the warmest less the coldest hour of each day [K].
    january_k, july_k : float
        Standard deviation of the mean of a day around the annual curve; in between a cosine [K].
    """

    dry_c: tuple[float, ...]
    dew_c: tuple[float, ...]
    range_k: tuple[float, ...]
    january_k: float
    july_k: float


@dataclass(frozen=True)
class Year:
    """Outdoor air at each full hour of a year, shape (8760,) [C]."""

    dry_c: Floats
    wet_c: Floats
    dew_c: Floats


def typical_year(name: str, normals: Normals, altitude_m: float) -> Year:
    """Return the typical year of a place; the same for the same arguments, on every machine.

    Parameters
    ----------
    name
        Of the place: the seed of its weather.
    normals
        Its months.
    altitude_m
        For the pressure of its air [m].
    """
    key = component_key(name)
    warm, moist, clear = (_anomalies(key, stream) for stream in ("warm", "moist", "clear"))
    season = np.cos(2 * np.pi * (np.arange(DAYS) - 15) / DAYS)
    spread = (normals.january_k + normals.july_k) / 2 + (normals.january_k - normals.july_k) / 2 * season
    width = np.maximum(1.0 + RANGE_SPREAD * clear, 0.2)
    swing = np.maximum(annual_curve(normals.range_k), 0.0) * np.repeat(width / width.mean(), 24)
    dry = annual_curve(normals.dry_c) + swing * np.tile(day_shape(), DAYS) + _hourly(spread * warm)
    dry += annual_curve(np.asarray(normals.dry_c) - monthly_means(dry))
    mixed = DEW_SHARE * warm + np.sqrt(1 - DEW_SHARE**2) * moist
    free = annual_curve(normals.dew_c) + _hourly(DEW_SPREAD * spread * mixed)
    dew = np.minimum(free, dry)
    for _ in range(_SETTLE):
        free += annual_curve(np.asarray(normals.dew_c) - monthly_means(dew))
        dew = np.minimum(free, dry)
    humidity = relative_humidity(dry, dew)
    return Year(dry, wet_bulb_c(dry, humidity, standard_pressure_pa(altitude_m)), dew)


def annual_curve(monthly: Floats | tuple[float, ...]) -> Floats:
    """Return the harmonic curve over the hours of a year whose monthly means are `monthly`, shape (8760,)."""
    basis, inverse = _harmonics()
    result: Floats = basis @ (inverse @ np.asarray(monthly, dtype=np.float64))
    return result


def monthly_means(hourly: Floats) -> Floats:
    """Return the mean of each month of an hourly year, shape (12,)."""
    result: Floats = np.add.reduceat(hourly, _month_starts()) / (24 * np.array(MONTH_DAYS))
    return result


def day_shape() -> Floats:
    """Return the course of a clear day, mean 0, peak to trough 1, at hours 0 to 23."""
    hour = np.arange(24.0)
    first, crest, second, crest2 = _DAY_SHAPE
    shape = first * np.cos(np.pi / 12 * (hour - crest)) + second * np.cos(np.pi / 6 * (hour - crest2))
    result: Floats = shape / (shape.max() - shape.min())
    return result


def _anomalies(key: int, stream: str) -> Floats:
    """Return unit-variance anomalies of the days of a year with a memory, closed to a circle, shape (365,)."""
    draws = normal_quantile(hash_uniform(0, [key], f"weather {stream}", np.arange(DAYS))).reshape(DAYS)
    value, course = 0.0, np.empty(DAYS)
    for day in (*range(DAYS - 60, DAYS), *range(DAYS)):  # 60 days of run-up: December leads on to January
        value = MEMORY * value + np.sqrt(1 - MEMORY**2) * draws[day]
        course[day] = value
    result: Floats = (course - course.mean()) / course.std()
    return result


def _hourly(daily: Floats) -> Floats:
    """Return values of days, met at noon, as a course over the hours, shape (8760,)."""
    noon = np.arange(-1, DAYS + 1) * 24.0 + 12.0
    around = np.concatenate([daily[-1:], daily, daily[:1]])
    result: Floats = np.interp(np.arange(HOURS), noon, around)
    return result


def _month_starts() -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(MONTH_DAYS)[:-1]]).astype(np.intp) * 24


@lru_cache(maxsize=1)
def _harmonics() -> tuple[Floats, Floats]:
    """Return twelve harmonics over the hours, and what makes their weights from monthly means."""
    angle = 2 * np.pi * np.arange(HOURS) / HOURS
    columns = [np.ones(HOURS)]
    for k in range(1, 6):
        columns += [np.cos(k * angle), np.sin(k * angle)]
    columns.append(np.sin(6 * angle))  # its cosine is 0 in the mean of every month
    basis = np.stack(columns, axis=1)
    means = np.stack([monthly_means(column) for column in columns], axis=1)
    inverse: Floats = np.linalg.inv(means).astype(np.float64)
    return basis, inverse


def clear_sky_output(latitude_deg: float, day: ArrayLike, hour: ArrayLike) -> Floats:
    """Output of panels over rated power under a clear sky, 0..1 [-].

    Parameters
    ----------
    latitude_deg : float
        North is positive, -90 to 90 [degree].
    day : array_like
        Day of the year, 1 January is 1.
    hour : array_like
        Solar time: the sun is highest at 12; local standard time is within an hour of it nearly everywhere [h].
    """
    number, time = np.asarray(day, dtype=np.float64), np.asarray(hour, dtype=np.float64)
    declination = np.radians(23.45) * np.sin(2 * np.pi * (284.0 + number) / 365.0)
    turned = np.pi / 12 * (time - 12.0)
    latitude = np.radians(latitude_deg)
    sine = np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(turned)
    elevation_deg = np.degrees(np.arcsin(np.clip(sine, -1.0, 1.0)))
    up = elevation_deg > 0.0
    height = np.where(up, elevation_deg, 90.0)
    air_mass = 1.0 / (np.sin(np.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)
    beam_w_m2 = BEAM_W_M2 * CLEARNESS ** (air_mass**CLEARNESS_POWER)
    facing = np.maximum(np.cos(declination) * np.cos(turned), 0.0)  # tilt and latitude cancel
    plane_w_m2 = np.where(up, beam_w_m2 * (facing + REST_OF_SKY), 0.0)
    result: Floats = np.minimum(PERFORMANCE * plane_w_m2 / RATED_W_M2, 1.0)
    return result


def cloudiness_factor(sunshine: float) -> float:
    """Mean output over that under an always clear sky [-].

    Parameters
    ----------
    sunshine : float
        Hours of sunshine over hours of daylight, 0..1 [-].
    """
    return (_ANGSTROM_A + _ANGSTROM_B * sunshine) / (_ANGSTROM_A + _ANGSTROM_B)


def year_of_output(latitude_deg: float, sunshine: float) -> Floats:
    """Output over rated power at each full hour of a year, shape (8760,) [-]; parameters as above."""
    hours = np.arange(HOURS)
    clear = clear_sky_output(latitude_deg, hours // 24 + 1, hours % 24)
    result: Floats = clear * cloudiness_factor(sunshine)
    return result


CUT_IN_M_S, RATED_M_S, CUT_OUT_M_S = 3.0, 12.0, 25.0
"""Wind at which a turbine begins to give power, gives all of it, and stops [m/s] [est]."""
WIND_SHAPE = 2.0
"""Weibull shape of wind speeds through a year; 1.8 to 2.2 at most places [est]."""


@lru_cache(maxsize=16)
def year_of_wind(name: str, mean_output: float) -> Floats:
    """Output of wind turbines over rated power at each hour of a year, shape (8760,) [-].

    Speeds are Weibull, with the memory of weather of a few days; the same ones for the same name.

    Parameters
    ----------
    name
        Of the place: the seed of its wind.
    mean_output
        Mean of the year, which sets the mean speed, 0.05 to 0.6 [-].
    """
    course = _hourly(_anomalies(component_key(name), "wind"))
    rank = (np.argsort(np.argsort(course, kind="stable"), kind="stable") + 0.5) / HOURS
    unit = (-np.log(1.0 - rank)) ** (1.0 / WIND_SHAPE)
    low, high = 0.5, 30.0
    for _ in range(60):
        scale = (low + high) / 2
        low, high = (scale, high) if turbine_output(scale * unit).mean() < mean_output else (low, scale)
    return turbine_output(low * unit)


def turbine_output(speed_m_s: ArrayLike) -> Floats:
    """Output of a wind turbine over its rated power [-]: the cube of the wind between cut-in and rated speed."""
    speed = np.asarray(speed_m_s, dtype=np.float64)
    rise = (speed**3 - CUT_IN_M_S**3) / (RATED_M_S**3 - CUT_IN_M_S**3)
    return np.where(speed > CUT_OUT_M_S, 0.0, np.clip(rise, 0.0, 1.0))
