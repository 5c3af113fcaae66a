"""An SI float back to text a person would write."""

from __future__ import annotations

import math
from decimal import Decimal

from twin.units.dimension import DIMENSIONS, Dimension

MISSING = "\N{EM DASH}"
"""What stands in the place of a number that there is none of."""


def render(value: float, dimension: str, digits: int = 12, unit: str | None = None) -> str:
    """Return `value` as text in the unit that reads best.

    Parameters
    ----------
    value
        In the SI unit of the dimension; temperatures in [degC].
    dimension
        A key of `DIMENSIONS`.
    digits
        Significant digits; the default survives `parse` unchanged to 1e-11, 3 suits a label.
    unit
        One of the units of the dimension, instead of the one that reads best.

    Raises
    ------
    KeyError
        When the dimension or the unit is unknown.

    Examples
    --------
    >>> render(132e3, "power")
    '132 kW'
    >>> render(50e9, "bandwidth", unit="Gb/s")
    '400 Gb/s'
    """
    known = DIMENSIONS[dimension]
    units = (unit,) if unit is not None else known.display
    texts = {name: _number(_in_unit(value, name, known), digits) for name in units}
    # At least 1 in its unit, then the fewest characters, then the largest unit: 1.5 kW, 10 min, 100 s.
    whole = [name for name in units if abs(_in_unit(value, name, known)) >= 1.0] or [units[0]]
    best = min(reversed(whole), key=lambda name: len(texts[name]))
    return f"{texts[best]} {best}"


def _in_unit(value: float, unit: str, known: Dimension) -> float:
    return (value - known.offsets.get(unit, 0.0)) / known.factors[unit]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-5 <= abs(value) < 1e15:
        text = format(Decimal(text), "f")
    return text


def significant(value: float, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits, never fewer than its whole part, grouped by thousands.

    Examples
    --------
    >>> significant(0.02345), significant(1234.6), significant(97.04)
    ('0.0234', '1,235', '97.0')
    """
    if not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # of the rounded number: 0.9999 is 1.00
    return f"{value:,.{min(max(0, digits - 1 - exponent), 6)}f}"
