"""Moist air: saturation pressure, humidity ratio, wet bulb.

The wet bulb is solved from the energy balance, not read off Stull's fit, which errs by up to 0.9 K.
References: ASHRAE Handbook Fundamentals, chapter 1 (equations of Hyland and Wexler 1983).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

STANDARD_PRESSURE_PA = 101_325.0
ZERO_CELSIUS_K = 273.15
_MOLAR_RATIO = 0.621945
_BISECTIONS = 48


def saturation_pressure_pa(temp_c: ArrayLike) -> Floats:
    """Vapour pressure over water, over ice below 0 C, valid from -100 to 200 C [Pa]."""
    t = np.asarray(temp_c, dtype=np.float64) + ZERO_CELSIUS_K
    ice = (
        -5.6745359e3 / t
        + 6.3925247
        - 9.677843e-3 * t
        + 6.2215701e-7 * t**2
        + 2.0747825e-9 * t**3
        - 9.484024e-13 * t**4
        + 4.1635019 * np.log(t)
    )
    water = (
        -5.8002206e3 / t
        + 1.3914993
        - 4.8640239e-2 * t
        + 4.1764768e-5 * t**2
        - 1.4452093e-8 * t**3
        + 6.5459673 * np.log(t)
    )
    result: Floats = np.exp(np.where(t < ZERO_CELSIUS_K, ice, water))
    return result


def humidity_ratio(
    temp_c: ArrayLike, relative_humidity: ArrayLike, pressure_pa: ArrayLike = STANDARD_PRESSURE_PA
) -> Floats:
    """Water per dry air [kg/kg].

    Parameters
    ----------
    temp_c : array_like
        Dry bulb [C].
    relative_humidity : array_like
        0..1 [-].
    pressure_pa : array_like
        Air pressure [Pa].
    """
    vapour = np.asarray(relative_humidity, dtype=np.float64) * saturation_pressure_pa(temp_c)
    result: Floats = _MOLAR_RATIO * vapour / (np.asarray(pressure_pa, dtype=np.float64) - vapour)
    return result


def wet_bulb_c(
    temp_c: ArrayLike, relative_humidity: ArrayLike, pressure_pa: ArrayLike = STANDARD_PRESSURE_PA
) -> Floats:
    """Thermodynamic wet-bulb temperature by bisection [C].

    Parameters
    ----------
    temp_c : array_like
        Dry bulb, -40 to 60 [C].
    relative_humidity : array_like
        0..1 [-].
    pressure_pa : array_like
        Air pressure [Pa].

    Returns
    -------
    ndarray
        Broadcast shape, exact to 1e-9 K.
    """
    dry, humidity, pressure = np.broadcast_arrays(
        np.asarray(temp_c, dtype=np.float64),
        np.asarray(relative_humidity, dtype=np.float64),
        np.asarray(pressure_pa, dtype=np.float64),
    )
    wanted = humidity_ratio(dry, humidity, pressure)
    low, high = dry - 60.0, dry.copy()
    for _ in range(_BISECTIONS):
        wet = 0.5 * (low + high)
        saturated = humidity_ratio(wet, 1.0, pressure)
        over_water = ((2501.0 - 2.326 * wet) * saturated - 1.006 * (dry - wet)) / (
            2501.0 + 1.86 * dry - 4.186 * wet
        )
        over_ice = ((2830.0 - 0.24 * wet) * saturated - 1.006 * (dry - wet)) / (
            2830.0 + 1.86 * dry - 2.1 * wet
        )
        too_wet = np.where(wet >= 0.0, over_water, over_ice) > wanted
        high, low = np.where(too_wet, wet, high), np.where(too_wet, low, wet)
    result: Floats = 0.5 * (low + high)
    return result
