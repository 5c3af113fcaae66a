"""Changes of the start of a scene, carried on into the lists that later edits write as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twin.commands.edit.changes import value_in
from twin.scenario import Change, Document, ScenarioError
from twin.scenario.schema.edit import Edit
from twin.scenario.text.emit import flow
from twin.scenario.text.parse import parse


def followed(document: Document, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes of the edits of a file that follow from changes of its start.

    An edit that hangs a rack on a loop writes all that the loop serves. Of a rack that comes at the start afterwards it
    knows nothing, and would take it from the loop again when its time comes.

    Parameters
    ----------
    document
        The file before the changes.
    changes
        On it, in order.
    """
    lists = {change.path: found for change in changes if (found := _apart(document, change)) is not None}
    return tuple(
        Change(f"edits[{edit.id}].changes[{k}].value", flow(flow(value)))
        for edit in document.scenario.edits
        for k, change in enumerate(edit.changes)
        if change.path in lists and (value := _with(change.value, *lists[change.path])) is not None
    )


def in_the_way(edits: Iterable[Edit], edit: Edit) -> Edit | None:
    """Return the first of some later edits that writes the same whole list as an edit; None without one."""
    written = {change.path for change in edit.changes if _words(change.value) is not None}
    return next((later for later in edits if any(change.path in written for change in later.changes)), None)


def _apart(document: Document, change: Change) -> tuple[list[Any], list[Any]] | None:
    """Return the words that a change adds to a list and removes from it; None for a change of another kind."""
    after, before = _words(change.value), value_in(document, change.path) or []
    if after is None or not isinstance(before, list):
        return None
    return [word for word in after if word not in before], [word for word in before if word not in after]


def _with(value: str | None, gained: list[Any], lost: list[Any]) -> list[Any] | None:
    """Return the list that an edit writes with words gained and lost; None when it stays."""
    words = _words(value)
    if words is None:
        return None
    made = [word for word in words if word not in lost]
    made += [word for word in gained if word not in made]
    return made if made != words else None


def _words(value: str | None) -> list[Any] | None:
    """Return the list of words in a text; None for any other value."""
    if value is None or not value.lstrip().startswith("["):
        return None
    try:
        read = parse(value, "edit").plain()
    except ScenarioError:
        return None
    return (
        read if isinstance(read, list) and not any(isinstance(word, dict | list) for word in read) else None
    )
