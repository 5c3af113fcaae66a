"""Text with a unit to an SI float, with help when it is wrong."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from itertools import pairwise

from twin.units.dimension import DIMENSIONS, Dimension

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(.*)", re.DOTALL)
_THOUSANDS = re.compile(r"[+-]?\d+,\d")
_PIECE = re.compile(r"(\d+\.?\d*|\.\d+)\s*([A-Za-zµ]+)\s*")
_COUNTED_RATE = re.compile(r"\s*([0-9.eE+-]+)\s+per\s+([0-9.eE+-]+)\s+(node-\w+|\w+)\s*")
_ABSOLUTE_ZERO_C = -273.15


class UnitError(ValueError):
    """A text is not the quantity that is needed; the message says what would be right."""


def parse(text: str | int | float, dimension: str) -> float:
    """Return the SI value of a text such as "132 kW".

    Parameters
    ----------
    text
        A number, blanks (or none), and a unit. A bare number only where the dimension is a pure number. A duration may
        be a sum, the largest unit first: "1 h 10 min". A rate may be as counted: "148 per 110592 node-day".
    dimension
        A key of `DIMENSIONS`, for example "power".

    Returns
    -------
    float
        The value in `DIMENSIONS[dimension].si_unit`; temperatures in [degC]. Always finite.

    Raises
    ------
    UnitError
        When the text is no such quantity.
    KeyError
        When `dimension` is no key of `DIMENSIONS`.

    Examples
    --------
    >>> parse("132 kW", "power")
    132000.0
    >>> parse("400 Gb/s", "bandwidth")
    50000000000.0
    >>> parse("1 h 10 min", "duration")
    4200.0
    """
    wanted = DIMENSIONS[dimension]
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise UnitError(f"{_shown(text)} is not a quantity; {_needed(wanted)}")
    if not isinstance(text, str):
        return _bare(text, wanted)
    match = _QUANTITY.fullmatch((_per_one(text) if wanted.name == "rate" else text).strip())
    if match is None:
        raise UnitError(f"{_shown(text)} is not a number with a unit; {_needed(wanted)}")
    if wanted.name == "duration" and _PIECE.search(match[2]):
        return _checked(text, _sum_of_durations(text.strip(), wanted), wanted)
    number, unit = float(match[1]), match[2].strip()
    if not unit and not wanted.bare_number:
        raise UnitError(f"{_shown(text)} has no unit; {_needed(wanted)}")
    factor = wanted.factors.get(unit) if unit else 1.0
    if factor is None:
        factor = _uncommon_factor(text, unit, wanted)
    return _checked(text, _scaled(number, factor) + wanted.offsets.get(unit, 0.0), wanted)


def _per_one(text: str) -> str:
    """Turn "148 per 110592 node-day" (events counted in an exposure) into events per one node-day."""
    match = _COUNTED_RATE.fullmatch(text)
    if match is None:
        return text
    try:
        return f"{float(match[1]) / float(match[2])!r} per {match[3]}"
    except (ValueError, ZeroDivisionError):
        return text


def _sum_of_durations(text: str, wanted: Dimension) -> float:
    """Return the sum of "1 d 2 h 3 min" [s]: each unit once, the largest first."""
    if not re.fullmatch(rf"(?:{_PIECE.pattern})+", text):
        raise UnitError(f"{_shown(text)} is not a sum of durations; write it like '1 h 10 min'")
    pieces = [(float(number), unit) for number, unit in _PIECE.findall(text)]
    for _, unit in pieces:
        if unit not in wanted.factors:
            raise UnitError(f"{_shown(text)}: unknown unit {unit[:40]!r}; {_nearest(unit, wanted, 0.5)}")
    sizes = [wanted.factors[unit] for _, unit in pieces]
    if any(later >= size for size, later in pairwise(sizes)):
        raise UnitError(f"{_shown(text)}: name each unit once, the largest first, such as '1 h 10 min'")
    return sum(_scaled(number, size) for (number, _), size in zip(pieces, sizes, strict=True))


def _scaled(number: float, factor: float) -> float:
    """Multiply, or divide by the whole-number inverse: 8 Gb and 25 % come out exact."""
    inverse = 1.0 / factor
    return number / inverse if factor < 1.0 and inverse.is_integer() else number * factor


def _bare(number: float, wanted: Dimension) -> float:
    if not wanted.bare_number:
        raise UnitError(f"{number!r} has no unit; {_needed(wanted)}")
    try:
        return _checked(number, float(number), wanted)
    except OverflowError:
        raise UnitError(f"{_shown(number)} is too large for {wanted.title}; {_needed(wanted)}") from None


def _checked(text: object, value: float, wanted: Dimension) -> float:
    if not math.isfinite(value):
        raise UnitError(f"{_shown(text)} is not a finite number; {_needed(wanted)}")
    if wanted.name == "temperature" and value < _ABSOLUTE_ZERO_C:
        raise UnitError(f"{_shown(text)} is below absolute zero; {_needed(wanted)}")
    return value


def _uncommon_factor(text: str, unit: str, wanted: Dimension) -> float:
    """Ask the other dimensions, then pint, for a unit that is not in the table of the wanted one."""
    if _THOUSANDS.match(text.strip()):
        raise UnitError(f"{_shown(text)}: write the number without commas, for example {wanted.example!r}")
    owners = [dimension for dimension in DIMENSIONS.values() if unit in dimension.factors]
    if owners:
        raise UnitError(f"{_shown(text)} is {owners[0].title}; {_needed(wanted)}")
    # A typo must not cost the 0.3 s pint takes to load, so names one letter-case away are answered first.
    recased = [name for name in wanted.factors if name.casefold() == unit.casefold()]
    if recased:
        raise UnitError(f"{_shown(text)}: unknown unit {unit!r}; did you mean {recased[0]!r}?")
    from twin.units import compound

    meaning = compound.factor(unit, wanted)
    if isinstance(meaning, float):
        return meaning
    # pint knows so many units that a typo is often one of them: "Gbs" are gilberts, a current.
    if isinstance(meaning, Dimension):
        raise UnitError(f"{_shown(text)} is {meaning.title}; {_nearest(unit, wanted, 0.65)}")
    if meaning is compound.Unknown.OTHER_KIND:
        raise UnitError(f"{_shown(text)} is not {wanted.title}; {_nearest(unit, wanted, 0.65)}")
    raise UnitError(f"{_shown(text)}: unknown unit {unit[:40]!r}; {_nearest(unit, wanted, 0.5)}")


def _nearest(unit: str, wanted: Dimension, cutoff: float) -> str:
    close = get_close_matches(unit[:40], wanted.factors, n=1, cutoff=cutoff)
    return f"did you mean {close[0]!r}?" if close else _needed(wanted)


def _needed(wanted: Dimension) -> str:
    return f"{wanted.title} such as {wanted.example!r} is needed here"


def _shown(text: object) -> str:
    shown = repr(text) if not isinstance(text, int) or abs(text) < 10**30 else "this number"
    return shown if len(shown) <= 60 else shown[:56] + "...'"
