"""The tree of a scenario file: values, keys and lists with their places in the text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from twin.scenario.text.problem import shown

Path = tuple[str | int, ...]
"""Keys and list indices from the root of a tree."""


class SourceMark(NamedTuple):
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def below(self, lines: int) -> SourceMark:
        """Return the place so many lines further down."""
        return SourceMark(self.file, self.line + lines, self.column) if lines else self


@dataclass(slots=True)
class TreeEntry:
    """One key of a group, with its value; `start` and `stop` are the characters of the key."""

    mark: SourceMark
    start: int
    stop: int
    tree: Tree

    def moved(self, lines: int, characters: int) -> TreeEntry:
        """Return a copy moved down by some lines and on by some characters."""
        tree = self.tree.moved(lines, characters)
        return TreeEntry(self.mark.below(lines), self.start + characters, self.stop + characters, tree)


@dataclass(slots=True)
class Tree:
    """A value of a file: a scalar, a list, or a group of keys.

    Attributes
    ----------
    value
        None, bool, int, float or str; or list of trees; or key -> `TreeEntry`.
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
    mark: SourceMark
    start: int
    end: int
    flow: bool = False
    shared: bool = False
    # What it was moved from, how many lines and characters, as long as nobody has asked for its value.
    _of: tuple[Tree, int, int] | None = field(default=None, init=False, repr=False, compare=False)

    def moved(self, lines: int, characters: int) -> Tree:
        """Return a copy moved down by some lines and on by some characters.

        What is below moves when somebody looks: an edit moves most of a file, and little of that is read again.
        """
        tree = Tree.__new__(Tree)
        tree.mark, tree.flow, tree.shared = self.mark.below(lines), self.flow, self.shared
        tree.start, tree.end = self.start + characters, self.end + characters
        tree._of = None
        if self._of is not None:
            base, down, on = self._of
            tree._of = base, down + lines, on + characters
        elif type(self.value) in (dict, list):
            tree._of = self, lines, characters
        else:
            tree.value = self.value
        return tree

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Move what is below: `value` is not there yet."""
            if name != "value":
                raise AttributeError(name)
            if (of := self._of) is None:  # another thread was sooner
                return object.__getattribute__(self, name)
            base, lines, characters = of
            below = base.value
            if type(below) is dict:
                self.value = {key: entry.moved(lines, characters) for key, entry in below.items()}
            else:
                self.value = [item.moved(lines, characters) for item in below]
            self._of = None
            return self.value

    @property
    def has_aliases(self) -> bool:
        """Return whether an alias leads to this value, or to one below it."""
        if (of := self._of) is not None:
            return of[0].has_aliases
        value = self.value
        below = [entry.tree for entry in value.values()] if type(value) is dict else value
        return self.shared or (type(below) is list and any(item.has_aliases for item in below))

    def plain(self) -> Any:
        """Return the value without places: dicts, lists and scalars."""
        if (of := self._of) is not None:
            return of[0].plain()
        value = self.value
        if type(value) is dict:
            return {key: entry.tree.plain() for key, entry in value.items()}
        if type(value) is list:
            return [item.plain() for item in value]
        return value

    def id(self) -> str | None:
        """Return the `id` of a group that has one."""
        if (of := self._of) is not None:
            return of[0].id()
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
