"""What a scenario file is made of: values, keys and lists that know their places in the text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from twin.scenario.problem import shown

Path = tuple[str | int, ...]
"""Keys and list indices from the root of a tree."""


class Mark(NamedTuple):
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(slots=True)
class Entry:
    """One key of a group, with its value; `start` and `stop` are the characters of the key."""

    mark: Mark
    start: int
    stop: int
    tree: Tree


@dataclass(slots=True)
class Tree:
    """A value of a file: a scalar, a list, or a group of keys.

    Attributes
    ----------
    value
        None, bool, int, float or str; or list of trees; or key -> `Entry`.
    mark
        Where the value begins.
    start, end
        Its characters in the text; `end` of a block ends with its last value.
    flow
        Written where the key is: a scalar, or brackets. False: a block on lines of its own.
    shared
        Reached through an alias, so that an edit would change other places too.
    """

    value: Any
    mark: Mark
    start: int
    end: int
    flow: bool = False
    shared: bool = False

    def plain(self) -> Any:
        """Return the value without places: dicts, lists and scalars."""
        value = self.value
        if type(value) is dict:
            return {key: entry.tree.plain() for key, entry in value.items()}
        if type(value) is list:
            return [item.plain() for item in value]
        return value

    def id(self) -> str | None:
        """Return the `id` of a group that has one."""
        entry = self.value.get("id") if isinstance(self.value, dict) else None
        return entry.tree.value if entry is not None and isinstance(entry.tree.value, str) else None


_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    text: value for value in (True, False) for text in (str(value).lower(), str(value), str(value).upper())
}
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def scalar(text: str) -> Any:
    """Return the value of a scalar that stands there without quotes.

    Raises
    ------
    ValueError
        With what is wrong about a number.
    """
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INT.fullmatch(text):
        if len(text) > 20:
            raise ValueError("is a number with too many digits")
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text!r} is not a finite number")
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"{shown(text)} is not a finite number")
        return number
    return text
