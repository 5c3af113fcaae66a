"""A change beneath edits that are still to come: lists that these write whole keep what it gives and takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twin.commands.edit.changes import said_in
from twin.scenario import Change, Document, ScenarioError
from twin.scenario.schema.edit import Edit
from twin.scenario.text.emit import flow
from twin.scenario.text.parse import parse


def followed(document: Document, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return how the edits of a file follow changes of its start, as changes of these edits.

    An edit that hangs a rack on a loop writes all that the loop serves. Of a rack that comes at the start afterwards it
    knows nothing, and would take it from the loop again when its time comes.

    Parameters
    ----------
    document
        The file before the changes.
    changes
        On it, in order.
    """
    lists = {one.path: found for one in changes if (found := _apart(document, one)) is not None}
    return tuple(
        Change(f"edits[{edit.id}].changes[{k}].value", flow(flow(value)))
        for edit in document.scenario.edits
        for k, one in enumerate(edit.changes)
        if one.path in lists and (value := _with(one.value, *lists[one.path])) is not None
    )


def in_the_way(edits: Iterable[Edit], edit: Edit) -> Edit | None:
    """Return the first of some later edits that writes a list whole which an edit writes, too; None: there is none."""
    mine = {one.path for one in edit.changes if _words(one.value) is not None}
    return next((other for other in edits if any(one.path in mine for one in other.changes)), None)


def _apart(document: Document, change: Change) -> tuple[list[Any], list[Any]] | None:
    """Return what a change gives to a list of words, and takes from it; None where it is about something else."""
    after, before = _words(change.value), said_in(document, change.path) or []
    if after is None or not isinstance(before, list):
        return None
    return [one for one in after if one not in before], [one for one in before if one not in after]


def _with(value: str | None, gained: list[Any], lost: list[Any]) -> list[Any] | None:
    """Return the list that an edit writes, with what was given and taken beneath it; None where it stays."""
    words = _words(value)
    if words is None:
        return None
    made = [one for one in words if one not in lost]
    made += [one for one in gained if one not in made]
    return made if made != words else None


def _words(value: str | None) -> list[Any] | None:
    """Return the list of words that a text stands for; None: it is another value."""
    if value is None or not value.lstrip().startswith("["):
        return None
    try:
        said = parse(value, "edit").plain()
    except ScenarioError:
        return None
    return said if isinstance(said, list) and not any(isinstance(one, dict | list) for one in said) else None
