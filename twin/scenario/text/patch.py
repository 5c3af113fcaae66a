"""A Patch: the changes of an edit, by id and field, never by place in a list. One step of undo."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One value of the scenario, set or taken away.

    Attributes
    ----------
    path
        Where, in the grammar of `twin.scenario.text.path`: ``jobs[llama3].checkpoint.pause``.
    value
        YAML text of the new value, such as "20 s" or "{id: net, kind: pdu}"; None takes it away.
    """

    path: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Exact:
    """The same edit as characters, valid only for the very text it was made for.

    Attributes
    ----------
    digest
        Of the text it applies to, see `digest`.
    start, end, text
        Characters `start` to `end` of it become `text`.
    """

    digest: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Patch:
    """Changes that are made together and undone together.

    Attributes
    ----------
    changes
        In order; a later one sees the effect of an earlier one.
    title
        What a person did, for the undo menu.
    exact
        The edit as characters. An inverse has it, so that undo gives back every byte, comments included.
    """

    changes: tuple[Change, ...]
    title: str = ""
    exact: Exact | None = None


def digest(text: str) -> str:
    """Return the digest that identifies a text in `Exact`."""
    return hashlib.sha256(text.encode()).hexdigest()
