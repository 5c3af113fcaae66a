"""Errors of a catalogue, as values of the domain."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class CatalogError(ValueError):
    """A catalogue file cannot be used.

    Attributes
    ----------
    file, line, key
        Where; `line` counts from 1 and is 0 where no line can be named.
    reason
        What is wrong and what would be right.
    """

    def __init__(self, file: str, line: int, key: str, reason: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {key}: {reason}" if key else f"{place}: {reason}")
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason


class UnknownPart(LookupError):
    """No part, or no figure of a part, has this name; the message offers the nearest ones."""

    def __init__(self, noun: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        super().__init__(f"the catalogue has no {noun} {name!r}; {nearest(name, names)}")
        self.name = name
        self.nearest = tuple(get_close_matches(name, names, n=3, cutoff=0.4))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return "did you mean ...?" or the list of known names."""
    names = sorted(known)
    folded = {known_name.casefold(): known_name for known_name in names}
    close = [folded[match] for match in get_close_matches(name.casefold(), folded, n=2, cutoff=0.5)]
    if close:
        return "did you mean " + " or ".join(repr(match) for match in close) + "?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is {shown}" if names else "there is none"
