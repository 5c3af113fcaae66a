"""Reading the value files of assets/profiles: every figure with unit, source and status."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from twin.resources import ResourceError, group_in, mapping_in, shipped_mapping
from twin.units import UnitError, parse

STATUSES = ("published", "derived", "fitted", "estimated", "recalled")


class ProfileError(ResourceError):
    """A profile or preset file is missing or wrong."""


@dataclass(frozen=True, slots=True)
class ProfileFigure:
    """One number that ships.

    Attributes
    ----------
    value
        In SI units.
    text
        Number and unit as the file has them.
    source
        Where it comes from.
    status
        One of `STATUSES`.
    """

    value: float
    text: str
    source: str
    status: str


read_document = cache(partial(shipped_mapping, error=ProfileError))
"""Returns the mapping in a shipped file, read once; `ProfileError` when it is missing, no YAML, or no mapping."""
parse_document = partial(mapping_in, error=ProfileError)
"""Returns the mapping in a text of YAML; `ProfileError` when it is no YAML, nested without end, or no mapping."""
section = partial(group_in, error=ProfileError)
"""Returns a mapping inside a document; `ProfileError` when it is missing or no mapping."""


def refuse_unknown_keys(given: Mapping[str, Any], allowed: frozenset[str], file: str, key: str) -> None:
    """Raise `ProfileError` for the first key that is not allowed."""
    for name in given:
        if name not in allowed:
            where = f"{key}.{name}" if key else str(name)
            raise ProfileError(file, where, f"unknown key; known are {', '.join(sorted(allowed))}")


def read_figure(entry: object, dimension: str, file: str, key: str) -> ProfileFigure:
    """Return one figure from `{value, unit, source, status}`.

    Parameters
    ----------
    entry
        What the file has under the key.
    dimension
        A dimension of `twin.units`, or "number" for a pure number (unit "1") or "flop".
    file, key
        For messages.
    """
    if not isinstance(entry, Mapping):
        raise ProfileError(file, key, "must be a mapping with value, unit, source and status")
    refuse_unknown_keys(entry, frozenset(("value", "unit", "source", "status")), file, key)
    for needed in ("value", "unit", "source", "status"):
        if needed not in entry:
            raise ProfileError(file, f"{key}.{needed}", "missing")
    status = entry["status"]
    if status not in STATUSES:
        raise ProfileError(file, f"{key}.status", f"{status!r} is none of {', '.join(STATUSES)}")
    if not isinstance(entry["source"], str) or not entry["source"].strip():
        raise ProfileError(file, f"{key}.source", "must be a text")
    number, unit = entry["value"], entry["unit"]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ProfileError(file, f"{key}.value", f"{number!r} is not a number")
    if not math.isfinite(number):
        raise ProfileError(file, f"{key}.value", f"{number!r} is no finite number")
    value = _si(float(number), unit, dimension, file, key)
    return ProfileFigure(value, f"{number} {unit}".removesuffix(" 1"), entry["source"], status)


PLAIN_UNITS: Mapping[str, Mapping[str, float]] = {
    "number": {"1": 1.0},
    "flop": {"FLOP": 1.0, "GFLOP": 1e9, "TFLOP": 1e12},
}
"""Units of the dimensions that `twin.units` does not know."""


def _si(number: float, unit: object, dimension: str, file: str, key: str) -> float:
    plain = PLAIN_UNITS.get(dimension)
    if plain is not None:
        factor = plain.get(str(unit))
        if factor is None:
            raise ProfileError(file, f"{key}.unit", f"{unit!r} is none of {', '.join(plain)}")
        return number * factor
    try:
        return parse(f"{number} {unit}", dimension)
    except UnitError as fault:
        raise ProfileError(file, f"{key}.unit", str(fault)) from fault
