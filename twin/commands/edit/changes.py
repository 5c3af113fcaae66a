"""Collects changes of a scene for one Patch: values as YAML text, and overrides of many items at once."""

from __future__ import annotations

from typing import Any

from twin.commands.edit.addressables import in_file
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr
from twin.scenario import Change, Document, Patch
from twin.scenario.text.emit import block, flow
from twin.scenario.text.parse import Tree, child
from twin.scenario.text.path import resolve, split

LONG = 110
"""Characters of a group of keys beyond which it is written on lines of its own."""

MANY = 24
"""Items of which more is said in one edit are written as one table: reading a text again for each takes long."""


def metres(length_m: float) -> str:
    """Return a length as text for a file, to a tenth of a millimetre.

    >>> metres(10.2), metres(-0.1 - 0.2), metres(0.0)
    ('10.2 m', '-0.3 m', '0 m')
    """
    return f"{round(length_m, 4) + 0.0:.10g} m"


def point(x_m: float, y_m: float) -> dict[str, str]:
    """Return a position on the floor as a file holds it."""
    return {"x": metres(x_m), "y": metres(y_m)}


def value_at(scene: EditedScene, path: str) -> Any:
    """Return the value of the scene at a path as plain data of its file; None without one."""
    return value_in(scene.document, path)


def value_in(document: Document, path: str) -> Any:
    """Return the value of a document at a path as plain data of its file; None without one."""
    place, rest = resolve(split(path), document.tree)
    at: Tree | None = document.tree
    for step in place:
        at = child(at, step) if at is not None else None
    return at.plain() if at is not None and not rest else None


class Changes:
    """Changes of a scene, in order.

    Parameters
    ----------
    scene
        As it stands.
    only
        Ids of the generators and machines that may change; None: all.
    """

    def __init__(self, scene: EditedScene, only: frozenset[str] | None = None) -> None:
        self.scene, self._only = scene, only
        self._changes: dict[str, str | None] = {}
        self._overrides: dict[str, dict[str, dict[str, Any] | None]] = {}

    def concerns(self, id: str) -> bool:
        """Return whether a generator or machine may change."""
        return self._only is None or id in self._only

    def new_ids(self, table: str) -> list[str]:
        """Return the ids of the entries of a table, such as cooling.plants, that are set as a whole."""
        paths = (path for path in self._changes if path.startswith(f"{table}[") and path.endswith("]"))
        return [path[len(table) + 1 : -1] for path in paths]

    def set(self, path: str, value: Any) -> None:
        """Set a value; a long group of keys becomes a block of lines."""
        text = flow(value)
        if isinstance(value, dict) and len(text) > LONG:
            text = block(value)
        self._changes[path] = text

    def text(self, path: str, text: str) -> None:
        """Set a value given as YAML text."""
        self._changes[path] = text

    def take(self, path: str) -> None:
        """Remove the value at a path."""
        if path not in self._changes and not in_file(self.scene, path):
            raise CommandError(tr("{path} is inherited from another file", path=path), tr("change it there"))
        self._changes[path] = None

    def clear(self, path: str, none: Any = None) -> None:
        """Remove the value at a path; override an inherited one with `none`."""
        if in_file(self.scene, path):
            self._changes[path] = None
        else:
            self._changes[path] = flow(none)

    def override(self, hall: str, item: str, **keys: Any) -> None:
        """Set keys of the override of a generated item; None removes a key."""
        waiting = self._overrides.setdefault(hall, {}).setdefault(item, {})
        if waiting is not None:
            waiting.update(keys)

    def forget(self, hall: str, item: str) -> None:
        """Remove the override of a generated item."""
        self._overrides.setdefault(hall, {})[item] = None

    def patch(self, title: str) -> Patch:
        """Return the patch.

        Raises
        ------
        CommandError
            When nothing changes.
        """
        for hall, items in self._overrides.items():
            self._land(hall, items)
        if not self._changes:
            raise CommandError(tr("there is nothing to change"))
        return Patch(tuple(Change(path, text) for path, text in self._changes.items()), title)

    def _land(self, hall: str, items: dict[str, dict[str, Any] | None]) -> None:
        table = f"halls[{hall}].overrides"
        before: dict[str, Any] = value_at(self.scene, table) or {}
        after = {item: dict(keys) for item, keys in before.items()}
        for item, keys in items.items():
            if keys is None:
                after.pop(item, None)
                continue
            merged = {**after.get(item, {}), **keys}
            after[item] = {key: value for key, value in merged.items() if value is not None}
            if not after[item]:
                del after[item]
        if not before:
            if after:
                self._changes[table] = block(after)  # a line each: the next one need not read them all again
            return
        if not after and in_file(self.scene, table):
            self._changes[table] = None
            return
        if len(items) > MANY:
            self._changes[table] = block(after)
            return
        for item in items:
            self._item(f"{table}[{item}]", before.get(item), after.get(item))

    def _item(self, path: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        if before == after:
            return
        if before is None:
            self._changes[path] = flow(after)
        elif after is None:
            self.take(path)
        else:
            for key in [*before, *(key for key in after if key not in before)]:
                if before.get(key) == after.get(key):
                    continue
                if key in after:
                    self._changes[f"{path}.{key}"] = flow(after[key])
                elif in_file(self.scene, f"{path}.{key}"):
                    self._changes[f"{path}.{key}"] = None
                else:
                    raise CommandError(
                        tr("{path}.{key} is inherited from another file", path=path, key=key),
                        tr("change it there"),
                    )
