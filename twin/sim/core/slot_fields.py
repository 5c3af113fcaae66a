"""Fields of the state of a part that belong to slots of a table of the plant, or name nodes.

When the hall is edited, entries of things that are gone are dropped, and newcomers have what the fresh part says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import StateField


class Column(StateField):
    """An entry for each slot of a table; `dtype` of its array, `list` where it is none."""

    def __init__(self, name: str, table: str, dtype: Any, **how: Any) -> None:
        if dtype is list:
            usual: dict[str, Any] = {"load": list, "save": list}
        else:
            usual = {"load": lambda saved: np.array(saved, dtype), "save": lambda array: array.tolist()}
        super().__init__(name, **usual | how)
        self.table = table

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return the entries of those that stay, and of newcomers those of `part`."""
        return edit.kept[self.table].column(self.saved(old), self.saved(part))


class ColumnGroup(Column):
    """Several columns of one table in one value."""

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[list[Any]]:
        """Return of each the entries of those that stay, and of newcomers those of `part`."""
        both = zip(self.saved(old), self.saved(part), strict=True)
        return [edit.kept[self.table].column(was, now) for was, now in both]


class Stretch(Column):
    """Entries for the slots of a table within a longer array; `where` says which those are."""

    def __init__(self, name: str, table: str, dtype: Any, where: Callable[[Any], slice], **how: Any) -> None:
        super().__init__(name, table, dtype, **how)
        self.where = where

    def saved(self, part: Any) -> list[Any]:
        """Return the entries of that table."""
        entries: list[Any] = self.value(part)[self.where(part)].tolist()
        return entries

    def restore(self, part: Any, saved: list[Any]) -> None:
        """Let `part` have another array, with these entries for that table."""
        array = self.value(part).copy()
        array[self.where(part)] = saved
        setattr(part, self._attribute, array)


class MemberSlots(StateField):
    """Slots of which something is true, in an array of all."""

    def __init__(self, name: str, table: str, **how: Any) -> None:
        super().__init__(name, save=lambda array: np.flatnonzero(array).tolist(), **how)
        self.table = table

    def restore(self, part: Any, saved: list[int]) -> None:
        """Let it be true of these alone."""
        array = self.value(part)
        array[:] = False
        array[np.array(saved, int)] = True

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[int]:
        """Return those that stay."""
        return edit.kept[self.table].members(self.saved(old))


class Pairs(StateField):
    """Slots of which an array says something else than `usual`, and what: as two lists, or as rows of two."""

    def __init__(self, name: str, table: str, usual: float, *, rows: bool = False, **how: Any) -> None:
        super().__init__(name, **how)
        self.table, self.usual, self.rows = table, usual, rows

    def saved(self, part: Any) -> list[Any]:
        """Return slots and what is said of them."""
        array = self.value(part)
        slots = np.flatnonzero(array != self.usual)
        both = [slots.tolist(), array[slots].tolist()]
        return [list(row) for row in zip(*both, strict=True)] if self.rows else both

    def restore(self, part: Any, saved: list[Any]) -> None:
        """Let the array say so of these alone."""
        array = self.value(part)
        array[:] = self.usual
        slots, values = (list(zip(*saved, strict=True)) or [(), ()]) if self.rows else saved
        array[np.array(slots, int)] = values

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[Any]:
        """Return those that stay."""
        kept = edit.kept[self.table]
        return kept.rows(self.saved(old)) if self.rows else kept.pairs(*self.saved(old))


class NamedNodes(StateField):
    """A list of nodes, or with `sort` a set of them, that are only named: one that is gone keeps its number.

    With `only` those that stay go over, and no others.
    """

    def __init__(self, name: str, *, sort: bool = False, only: bool = False, **how: Any) -> None:
        super().__init__(name, set if sort else list, sorted if sort else list, **how)
        self.only = only

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[int]:
        """Return them by their numbers now."""
        nodes = self.saved(old)
        return edit.kept["nodes"].members(nodes) if self.only else edit.numbers.all(nodes)
