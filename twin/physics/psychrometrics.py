"""Moist air: saturation pressure, humidity ratio, relative humidity, dew point, wet bulb.

The wet bulb is solved from the energy balance, not read off Stull's fit, which errs by up to 0.9 K.
References: ASHRAE Handbook Fundamentals, chapter 1 (equations of Hyland and Wexler 1983).

Limits of IT equipment (ASHRAE TC 9.9, Thermal Guidelines for Data Processing Environments, 5th edition, 2021): air
classes A1-A4 and the recommended range; liquid classes W17 to W+ by the warmest facility water supply [recalled].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

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


def standard_pressure_pa(altitude_m: ArrayLike) -> Floats:
    """Air pressure of the standard atmosphere, -5,000 to 11,000 m [Pa].

    ASHRAE Handbook Fundamentals, chapter 1, equation 3.
    """
    altitude = np.asarray(altitude_m, dtype=np.float64)
    result: Floats = STANDARD_PRESSURE_PA * (1.0 - 2.25577e-5 * altitude) ** 5.2559
    return result


def relative_humidity(temp_c: ArrayLike, dew_point: ArrayLike) -> Floats:
    """Relative humidity of air whose vapour saturates at a dew point, 0..1 [-].

    Parameters
    ----------
    temp_c : array_like
        Dry bulb, -100 to 200 [C].
    dew_point : array_like
        Dew point, below 0 C the frost point; at most `temp_c`, more counts as saturated [C].
    """
    result: Floats = np.minimum(saturation_pressure_pa(dew_point) / saturation_pressure_pa(temp_c), 1.0)
    return result


def humidity_of_wet_bulb(
    temp_c: ArrayLike, wet_bulb: ArrayLike, pressure_pa: ArrayLike = STANDARD_PRESSURE_PA
) -> Floats:
    """Relative humidity of air of a known wet bulb: the inverse of `wet_bulb_c`, 0..1 [-].

    Parameters
    ----------
    temp_c : array_like
        Dry bulb, -40 to 60 [C].
    wet_bulb : array_like
        Thermodynamic wet bulb, at most `temp_c`; one that only air drier than dry could have gives 0 [C].
    pressure_pa : array_like
        Air pressure [Pa].
    """
    dry = np.asarray(temp_c, dtype=np.float64)
    wet = np.asarray(wet_bulb, dtype=np.float64)
    pressure = np.asarray(pressure_pa, dtype=np.float64)
    ratio = np.maximum(_ratio_of_wet_bulb(dry, wet, pressure), 0.0)
    vapour = pressure * ratio / (_MOLAR_RATIO + ratio)
    result: Floats = np.clip(vapour / saturation_pressure_pa(dry), 0.0, 1.0)
    return result


def dew_point_c(temp_c: ArrayLike, humidity: ArrayLike) -> Floats:
    """Temperature at which the vapour of the air saturates, below 0 C the frost point [C].

    Parameters
    ----------
    temp_c : array_like
        Dry bulb, -90 to 200 [C].
    humidity : array_like
        Relative humidity, above 0 to 1 [-].

    Returns
    -------
    ndarray
        Broadcast shape, exact to 1e-9 K, never above `temp_c`; -100 where the air is drier than that.
    """
    dry, share = np.broadcast_arrays(
        np.asarray(temp_c, dtype=np.float64), np.asarray(humidity, dtype=np.float64)
    )
    wanted = np.minimum(share, 1.0) * saturation_pressure_pa(dry)
    low, high = np.full(dry.shape, -100.0), dry.copy()
    for _ in range(_BISECTIONS):
        dew = 0.5 * (low + high)
        too_high = saturation_pressure_pa(dew) > wanted
        high, low = np.where(too_high, dew, high), np.where(too_high, low, dew)
    result: Floats = 0.5 * (low + high)
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
        too_wet = _ratio_of_wet_bulb(dry, wet, pressure) > wanted
        high, low = np.where(too_wet, wet, high), np.where(too_wet, low, wet)
    result: Floats = 0.5 * (low + high)
    return result


def _ratio_of_wet_bulb(dry: Floats, wet: Floats, pressure: Floats) -> Floats:
    """Humidity ratio of air of a dry and a wet bulb: energy balance of the wet wick [kg/kg]."""
    saturated = humidity_ratio(wet, 1.0, pressure)
    over_water = ((2501.0 - 2.326 * wet) * saturated - 1.006 * (dry - wet)) / (
        2501.0 + 1.86 * dry - 4.186 * wet
    )
    over_ice = ((2830.0 - 0.24 * wet) * saturated - 1.006 * (dry - wet)) / (2830.0 + 1.86 * dry - 2.1 * wet)
    result: Floats = np.where(wet >= 0.0, over_water, over_ice)
    return result


@dataclass(frozen=True)
class AirRange:
    """Coldest and warmest inlet air [C]."""

    low_c: float
    high_c: float


RECOMMENDED = AirRange(18.0, 27.0)
ALLOWABLE = {
    "A1": AirRange(15.0, 32.0),
    "A2": AirRange(10.0, 35.0),
    "A3": AirRange(5.0, 40.0),
    "A4": AirRange(5.0, 45.0),
}
"""By class; up to 900 m of altitude."""

LIQUID_CLASSES = (("W17", 17.0), ("W27", 27.0), ("W32", 32.0), ("W40", 40.0), ("W45", 45.0))
"""Class and the warmest facility water supply it allows [C], coolest first; W+ is anything above."""

DEW_MARGIN_K = 2.0
"""Least distance of coolant in the hall to the dew point of its air [K].

The guidelines for liquid cooling ask for coolant above the dew point; 2 K is a customary set point of CDUs [recalled].
"""


def liquid_class(supply_c: float) -> str:
    """Return the coolest class whose equipment takes facility water of a temperature [C].

    >>> liquid_class(32.0), liquid_class(32.1), liquid_class(50.0)
    ('W32', 'W40', 'W+')
    """
    return next((name for name, high_c in LIQUID_CLASSES if supply_c <= high_c), "W+")
