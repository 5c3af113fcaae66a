"""Units that are not in the tables, resolved by pint: "W*h/kg", "kilowatt", "gallon/minute".

pint takes about 0.3 s to import and to build its registry, so this module is imported only at the first
such unit.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Any

from pint import UnitRegistry
from pint.errors import PintError

from twin.units.dimension import DIMENSIONS, Dimension

# A product of names with one-digit powers and nothing else: no text can make pint compute 9**9**9.
_NAME = r"[A-Za-zµ]+(?:(?:\^|\*\*)-?\d)?"
_UNIT_PRODUCT = re.compile(rf"{_NAME}(?:\s*[*/ ]\s*{_NAME}){{0,5}}")


class Unknown(Enum):
    """Why a unit has no factor."""

    NO_SUCH_UNIT = "no such unit"
    OTHER_KIND = "a unit of another kind"


def factor(unit: str, wanted: Dimension) -> float | Dimension | Unknown:
    """Return the factor to the SI unit of `wanted`, or the dimension the unit has instead, or why not."""
    if len(unit) > 60 or not _UNIT_PRODUCT.fullmatch(unit):
        return Unknown.NO_SUCH_UNIT
    registry = _registry()
    try:
        parsed = registry.parse_units(unit.replace("^", "**"))
        if wanted.pint_unit and parsed.is_compatible_with(wanted.pint_unit):
            return float(registry.convert(1.0, parsed, wanted.pint_unit))
        for dimension in DIMENSIONS.values():
            if dimension.pint_unit and parsed.is_compatible_with(dimension.pint_unit):
                return dimension
    except (PintError, ValueError, TypeError, AttributeError, ZeroDivisionError):
        return Unknown.NO_SUCH_UNIT
    return Unknown.OTHER_KIND


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[Any]:
    registry: UnitRegistry[Any] = UnitRegistry(on_redefinition="ignore")
    # pint calls a bit dimensionless; here 8 Gb/s must not pass for 8 GHz, nor a FLOP for a number.
    registry.define("bit = [information]")
    registry.define("FLOP = [floating_point_operation] = FLOP = flop")
    registry.define("USD = [currency] = USD = dollar")
    return registry
