"""What is typed into a field, as the file and as the program hold it; what stands in it as text. No widgets."""

from __future__ import annotations

import math
import re
from typing import Any

from twin.app.form.field import Field
from twin.app.form.places import place_named
from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.quantity import Quantity, rendered
from twin.units import DIMENSIONS, UnitError

BETWEEN = ", "
"""Between the names of a list, for people."""
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_MOST_STEPS = 1_000_000
"""Where a box of steps ends that has no upper bound."""


def file_value(field: Field, words: str, unit: str = "") -> Any:
    """Return what was typed as a file holds it.

    Parameters
    ----------
    unit
        That a bare number is meant in.

    Raises
    ------
    CommandError
        When it is no such value: what would be right.
    """
    if field.kind == "quantity":
        return _quantity(field, words, unit)
    if field.kind == "count":
        return whole(words)
    if field.kind == "number":
        if not _NUMBER.fullmatch(words):
            raise CommandError(tr("{words!r} is not a number", words=words), tr("write it like 1.5"))
        return float(words)
    if field.kind == "switch":
        return words == "true"
    if field.kind == "names":
        return _names(field, words)
    if field.kind == "place":
        return place_named(words)
    if field.kind in ("choice", "part", "reference"):
        must_be_there(field, words)
        if all(choice.isdecimal() for choice in field.choices):
            return int(words)  # of numbers, such as bytes of a gradient
    return words


def typed_value(field: Field, words: str, unit: str = "") -> Any:
    """Return what was typed as the program holds it [SI]; None: nothing.

    Raises
    ------
    CommandError
        When it is no such value, or out of its bounds: what would be right.
    """
    words = words.strip()
    if not words and field.optional:
        return None
    value = file_value(field, words, unit)
    if field.kind not in ("quantity", "count", "number") or value in field.choices:
        return value
    number = _number(field, value)
    low, high = field.low, field.high
    for beyond, word, bound in (
        (low is not None and number < low, tr("at least"), low),
        (field.above and number == low, tr("more than"), low),
        (high is not None and number > high, tr("at most"), high),
    ):
        if beyond and bound is not None:
            raise CommandError(
                tr("must be {word} {number_text}", word=word, number_text=_number_text(field, bound))
            )
    return number


def text_of(field: Field, value: Any) -> str:
    """Return a value as people write it; "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return BETWEEN.join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if field.kind == "quantity" and isinstance(value, int | float):
        return rendered(float(value), field.dimension)
    return f"{value:g}" if isinstance(value, float) else str(value)


def step_range(field: Field) -> tuple[float, float]:
    """Return the first and last number of a box of steps, in its unit; whole ones but for tenths."""
    step = 0.1 if field.steps == "tenth" else 1
    size = step_unit(field)[1]
    low = (field.low or 0) / size
    first = step * math.ceil(round(low / step, 6))
    if field.above and first <= low:
        first += step
    return first, _MOST_STEPS if field.high is None else step * math.floor(round(field.high / size / step, 6))


def step_unit(field: Field) -> tuple[str, float]:
    """Return the unit that a box of steps counts in, and its size [SI]."""
    if field.kind != "quantity":
        return "", 1.0
    dimension = DIMENSIONS[field.dimension]
    unit = dimension.si_unit or dimension.display[-1]
    return unit, dimension.factors[unit]


def steps_in(field: Field, text: str) -> float:
    """Return the number that a box of steps shows for a value."""
    return _number(field, text) / step_unit(field)[1] if text else step_range(field)[0]


def names_in(words: str) -> list[str]:
    """Return the names of a list as it is typed, with or without brackets.

    Examples
    --------
    >>> names_in("gpu, net store"), names_in("[gpu,]"), names_in(" ")
    (['gpu', 'net', 'store'], ['gpu'], [])
    """
    return words.strip().removeprefix("[").removesuffix("]").replace(",", " ").split()


def whole(words: str) -> int:
    """Return a whole number as it is typed, thousands apart or not; raises CommandError."""
    plain = words.replace(",", "").replace(" ", "")
    if not re.fullmatch(r"[0-9]{1,9}", plain):
        raise CommandError(tr("{words!r} is not a whole number", words=words), tr("write it like 8"))
    return int(plain)


def must_be_there(field: Field, words: str) -> None:
    """Raise CommandError for what is no choice of a field, with the nearest that is."""
    if words in field.choices:
        return
    near = nearest(words, list(field.choices))
    what = {"part": tr("a part that fits here"), "choice": tr("a choice here")}.get(
        field.kind, "an item here"
    )
    raise CommandError(
        tr("{words!r} is not {what}", words=words, what=what),
        tr("did you mean {near!r}?", near=near)
        if near
        else tr("there are {choices}", choices=", ".join(field.choices[:8]) or "none"),
    )


def _names(field: Field, words: str) -> list[str]:
    names = names_in(words)
    for place, name in enumerate(names):
        must_be_there(field, name)
        if name in names[:place]:
            raise CommandError(tr("{name!r} is given twice", name=name), tr("name it once"))
    return names


def _quantity(field: Field, words: str, unit: str) -> str:
    if words in field.choices:
        return words  # a rule instead of a figure, such as that of Daly
    if unit and _NUMBER.fullmatch(words):
        words = f"{words} {unit}"
    try:
        Quantity(field.dimension).parse(words)
    except UnitError as error:
        raise CommandError(str(error)) from error
    return words


def _number(field: Field, value: Any) -> float:
    if field.kind == "quantity":
        return Quantity(field.dimension).parse(value)
    return int(value) if field.kind == "count" else float(value)


def _number_text(field: Field, number: float) -> str:
    return rendered(float(number), field.dimension) if field.kind == "quantity" else f"{number:,}"
