"""Air and water limits of IT equipment: ASHRAE classes, and the margin to the dew point.

References: ASHRAE TC 9.9, Thermal Guidelines for Data Processing Environments, 5th edition (2021): air classes A1-A4
and the recommended range; liquid classes W17 to W+ by the warmest facility water supply [recalled].
"""

from __future__ import annotations

from dataclasses import dataclass


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
