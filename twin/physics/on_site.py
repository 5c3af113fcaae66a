"""Sources on site: generators that take up load, the order in which sources share it, and the output of solar panels.

Panels are fixed, tilted by the latitude towards the equator, under a clear sky, times what clouds leave on the mean.
References: Cooper, Solar Energy 12 (1969): declination. Kasten and Young, Applied Optics 28 (1989): air mass.
Meinel and Meinel, Applied Solar Energy (1976): clear-sky beam, and a tenth of it from the rest of the sky.
Allen et al., FAO Irrigation and Drainage Paper 56 (1998), equation 35: what clouds leave (Angstrom).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

PERFORMANCE = 0.85
"""Electricity over what the cells would give at 25 C: heat, inverters, cables, dust [-]; 0.75-0.9 [est]."""
BEAM_W_M2, CLEARNESS, CLEARNESS_POWER, REST_OF_SKY = 1353.0, 0.7, 0.678, 0.1
RATED_W_M2 = 1000.0
"""Irradiance that panels are rated at, standard test conditions [W/m2]."""
_ANGSTROM_A, _ANGSTROM_B = 0.25, 0.5
OVERLOAD = 1.1
"""What an engine carries above its rating for an hour in twelve (ISO 8528-1 prime power) [-] [recalled]."""


def accepted_w(capacity_w: ArrayLike, accept_s: ArrayLike, since_s: ArrayLike) -> Floats:
    """Load that a generator can carry a time after it runs, linear up to its rating [W].

    Parameters
    ----------
    capacity_w : array_like
        Rating [W].
    accept_s : array_like
        From running to full load [s]; 0: at once.
    since_s : array_like
        Time since it runs [s]; negative: it does not yet.
    """
    since, whole = np.asarray(since_s, dtype=np.float64), np.asarray(accept_s, dtype=np.float64)
    share = np.where(whole > 0, np.clip(since / np.where(whole > 0, whole, 1.0), 0.0, 1.0), 1.0)
    result: Floats = np.where(since >= 0, np.asarray(capacity_w) * share, 0.0)
    return result


def acceptance_at_s(
    demand_w: float, base_w: float, capacity_w: ArrayLike, accept_s: ArrayLike, ready_s: ArrayLike
) -> float:
    """Earliest time at which generators together with a constant source can carry a load.

    Parameters
    ----------
    demand_w : float
        Load [W].
    base_w : float
        What others give at any time [W].
    capacity_w, accept_s, ready_s : array_like
        Rating [W], time from running to full load [s] and time at which it runs [s] of each generator.

    Returns
    -------
    float
        [s]; inf when they never can.
    """
    rating, ramp = np.asarray(capacity_w, float), np.asarray(accept_s, float)
    ready = np.asarray(ready_s, float)
    need = demand_w - base_w
    if need <= 0:
        return float(ready.min()) if base_w <= 0 and len(ready) else 0.0
    times = np.unique(np.concatenate([ready, ready + ramp]))
    given = np.array([accepted_w(rating, ramp, t - ready).sum() for t in times])
    enough = np.flatnonzero(given >= need * (1 - 1e-12))
    if not len(enough):
        return float("inf")
    k = int(enough[0])
    if k == 0:
        return float(times[0])
    # Ramps are straight between the times; what jumps (ramps of 0 s) does so at the later one.
    just_before = accepted_w(rating, ramp, times[k] * (1 - 1e-15) - ready).sum()
    rising = min(float(just_before), float(given[k]))
    if rising < need:
        return float(times[k])
    share = (need - given[k - 1]) / (rising - given[k - 1])
    return float(times[k - 1] + share * (times[k] - times[k - 1]))


def dispatched_w(demand_w: float, available_w: Sequence[float]) -> list[float]:
    """Share a load out among sources in their order; each gives what it can of what is left [W]."""
    left, given = max(demand_w, 0.0), []
    for most in available_w:
        share_w = min(left, max(most, 0.0))
        given.append(share_w)
        left -= share_w
    return given


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
