"""Changes of an edit at a time of the run, split into one for each item: the scene before it may change later."""

from __future__ import annotations

import re
from collections.abc import Iterable

from twin.commands.edit.changes import MANY, value_in
from twin.scenario import Change, Document
from twin.scenario.text.emit import flow
from twin.scenario.text.parse import parse

_TABLE = re.compile(r"halls\[[^\[\]]+\]\.overrides")


def apart(document: Document, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the same changes, those of a whole table split into one for each item.

    A table that is written or taken away whole would take what is said of other items with it, where the scene says
    that only since the start was edited again.

    Parameters
    ----------
    document
        The scene before them.
    changes
        On it, in order.
    """
    found: list[Change] = []
    for change in changes:
        found += (_TABLE.fullmatch(change.path) and _of_items(document, change)) or [change]
    return tuple(found)


def _of_items(document: Document, whole: Change) -> list[Change]:
    """Return the changes of the items of a table; none where they are too many, or nothing changes."""
    before = value_in(document, whole.path) or {}
    after = parse(whole.value, "edit").plain() if whole.value is not None else {}
    if not isinstance(before, dict) or not isinstance(after, dict) or len({*before, *after}) > MANY:
        return []
    gone = [Change(f"{whole.path}[{item}]", None) for item in before if item not in after]
    written = [
        Change(f"{whole.path}[{item}]", flow(about))
        for item, about in after.items()
        if before.get(item) != about
    ]
    return [*gone, *written]
