"""How the cells of a table of training configurations are read: numbers, counts, switches."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LARGEST = 1e12
_MOST_LAYERS = 10_000


class CellError(ValueError):
    """A cell cannot be read; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class CaseColumn:
    """One column that the planner understands.

    Attributes
    ----------
    name
        What the planner calls it.
    read
        From the text of a cell to its value; raises `CellError`.
    spellings
        Heads that mean it, besides the name: lower case, `_` between words.
    """

    name: str
    read: Callable[[str], Any]
    spellings: tuple[str, ...] = ()


def number(text: str, hint: str) -> float:
    """Return a finite number; the hint says what to write."""
    try:
        value = float(text)
    except ValueError:
        raise CellError(f"{text!r} is no number; {hint}") from None
    if not math.isfinite(value) or abs(value) > _LARGEST:
        raise CellError(f"{text!r} is no usable number; {hint}")
    return value


def count(text: str) -> int:
    """Return a whole number from 1; thousands may be parted by commas."""
    plain = text.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", text) else text
    value = number(plain, "give a whole number from 1")
    if value < 1 or not value.is_integer():
        raise CellError(f"{text!r} is no whole number from 1")
    return int(value)


def layers_of(text: str) -> int:
    """Return a number of layers."""
    layers = count(text)
    if layers > _MOST_LAYERS:
        raise CellError(f"{text!r} layers are more than any transformer has; give at most {_MOST_LAYERS}")
    return layers


def count_or_none(text: str) -> int:
    """Return a whole number from 0."""
    value = number(text, "give a whole number, 0 for none")
    if value < 0 or not value.is_integer():
        raise CellError(f"{text!r} is no whole number from 0")
    return int(value)


def positive(unit: str, factor: float = 1.0) -> Callable[[str], float]:
    """Return the reader of a positive number of a unit, times a factor."""

    def read(text: str) -> float:
        value = number(text, f"give a positive number of {unit}")
        if value <= 0:
            raise CellError(f"{text!r} must be positive [{unit}]")
        return factor * value

    return read


def from_zero(unit: str, factor: float = 1.0) -> Callable[[str], float]:
    """Return the reader of a number of a unit from 0, times a factor."""

    def read(text: str) -> float:
        value = number(text, f"give a number of {unit} from 0")
        if value < 0:
            raise CellError(f"{text!r} must not be negative [{unit}]")
        return factor * value

    return read


YES = frozenset(("1", "1.0", "true", "yes", "y", "on", "x"))
NO = frozenset(("0", "0.0", "false", "no", "n", "off", "none"))


def switch(text: str) -> bool:
    """Return yes or no."""
    low = text.lower()
    if low in YES or low in NO:
        return low in YES
    raise CellError(f"{text!r} is neither yes nor no; give 1 or 0")
