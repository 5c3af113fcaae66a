"""Output of solar panels over their rated power, through the days of a year, at one latitude.

Fixed panels, tilted by the latitude towards the equator, under a clear sky, times what clouds leave on the mean.
References: Cooper, Solar Energy 12 (1969): declination. Kasten and Young, Applied Optics 28 (1989): air mass.
Meinel and Meinel, Applied Solar Energy (1976): clear-sky beam, and a tenth of it from the rest of the sky.
Allen et al., FAO Irrigation and Drainage Paper 56 (1998), equation 35: what clouds leave (Angstrom).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

PERFORMANCE = 0.85
"""Electricity over what the cells would give at 25 C: heat, inverters, cables, dust [-]; 0.75-0.9 [est]."""
BEAM_W_M2, CLEARNESS, CLEARNESS_POWER, REST_OF_SKY = 1353.0, 0.7, 0.678, 0.1
RATED_W_M2 = 1000.0
"""Irradiance that panels are rated at, standard test conditions [W/m2]."""
_ANGSTROM_A, _ANGSTROM_B = 0.25, 0.5


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
    hours = np.arange(8760)
    clear = clear_sky_output(latitude_deg, hours // 24 + 1, hours % 24)
    result: Floats = clear * cloudiness_factor(sunshine)
    return result
