"""What a part of a run remembers, declared once at its class: snapshot, restore and transfer follow from that.

A part is `Stateful` and lists its fields in `STATE`. Fields are plain attributes; only who saves, restores or edits a
run reads the list. What belongs to slots of a table of the plant says so: when the hall is edited, entries of things
that are gone are dropped, and newcomers have what the fresh part says of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, ClassVar, Final

import numpy as np

from twin.sim.core.slot_map import EditedPair, KeptSlots

Convert = Callable[[Any], Any]
Carry = Callable[[Any, Any, EditedPair], Any]
"""(part of the edited hall, the same before it, what stays) -> what the first takes over, as in a snapshot."""

_NEEDED: Final = object()


class Field:
    """One entry of a snapshot: an attribute of a part.

    Parameters
    ----------
    name
        Of the attribute; that of a child with a dot.
    load
        Makes its value of what a snapshot says.
    save
        Makes what a snapshot says of its value: numbers, texts, lists and dicts.
    key
        In the snapshot; by default the name of the attribute.
    missing
        What a snapshot says in effect that has no such entry, as one of an earlier version.
    carry
        How it goes over into an edited hall; by default as it is.
    """

    def __init__(
        self,
        name: str,
        load: Convert | None = None,
        save: Convert | None = None,
        *,
        key: str = "",
        missing: Any = _NEEDED,
        carry: Carry | None = None,
    ) -> None:
        owner, _, self._attribute = name.rpartition(".")
        self.key = key or self._attribute.lstrip("_")
        self.missing = missing
        self._owner = attrgetter(owner) if owner else None
        self._load, self._save, self._carry = load, save, carry
        self.value = attrgetter(name)

    def saved(self, part: Any) -> Any:
        """Return what a snapshot says of it."""
        value = self.value(part)
        return value if self._save is None else self._save(value)

    def found(self, state: dict[str, Any]) -> Any:
        """Return what a snapshot says of it among all of its part."""
        return state[self.key] if self.missing is _NEEDED else state.get(self.key, self.missing)

    def restore(self, part: Any, saved: Any) -> None:
        """Let `part` have what a snapshot says."""
        owner = part if self._owner is None else self._owner(part)
        setattr(owner, self._attribute, saved if self._load is None else self._load(saved))

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return what `part`, fresh in an edited hall, takes over from `old`, as in a snapshot."""
        return self.saved(old) if self._carry is None else self._carry(part, old, edit)


class Derived(Field):
    """What no single attribute holds: functions of the part say and take it."""

    def __init__(
        self,
        key: str,
        said: Convert,
        taken: Callable[[Any, Any], None],
        *,
        missing: Any = _NEEDED,
        carry: Carry | None = None,
    ) -> None:
        super().__init__(key, missing=missing, carry=carry)
        self.value, self._taken = said, taken  # type: ignore[assignment]

    def restore(self, part: Any, saved: Any) -> None:
        """Let `part` have what a snapshot says."""
        self._taken(part, saved)


class Array(Field):
    """A numpy array."""

    def __init__(self, name: str, dtype: Any, *, key: str = "") -> None:
        super().__init__(name, lambda saved: np.array(saved, dtype), lambda array: array.tolist(), key=key)


class Endless(Field):
    """A time that may be infinite, for which JSON has no number."""

    def __init__(self, name: str, *, key: str = "") -> None:
        super().__init__(
            name,
            lambda saved: math.inf if saved is None else float(saved),
            lambda value: value if math.isfinite(value) else None,
            key=key,
        )


class Record(Field):
    """A dataclass of numbers and texts."""

    def __init__(self, name: str, kind: Callable[..., Any], *, key: str = "") -> None:
        super().__init__(name, lambda saved: kind(**saved), asdict, key=key)


class Records(Field):
    """A list of dataclasses of numbers and texts."""

    def __init__(self, name: str, kind: Callable[..., Any], *, key: str = "", missing: Any = _NEEDED) -> None:
        super().__init__(
            name,
            lambda saved: [kind(**one) for one in saved],
            lambda records: [asdict(record) for record in records],
            key=key,
            missing=missing,
        )


class Items(Field):
    """A dict with numbers for keys, in its own order, or in that of its keys."""

    def __init__(
        self,
        name: str,
        load: Convert,
        *,
        key: str = "",
        sort: bool = False,
        carry: Carry | None = None,
    ) -> None:
        super().__init__(
            name,
            lambda saved: {int(number): load(value) for number, value in saved},
            lambda items: sorted(items.items()) if sort else list(items.items()),
            key=key,
            carry=carry,
        )


class Counts(Field):
    """A dict of counts, changed in place: others count in it too."""

    def __init__(self, name: str, *, missing: Any = _NEEDED) -> None:
        super().__init__(name, save=dict, missing=missing)

    def restore(self, part: Any, saved: dict[str, Any]) -> None:
        """Let it say what a snapshot says."""
        counts = self.value(part)
        counts.clear()
        counts.update(saved)


class Child(Field):
    """A part of the part."""

    def saved(self, part: Any) -> Any:
        """Return what a snapshot says of it."""
        return self.value(part).state()

    def restore(self, part: Any, saved: Any) -> None:
        """Let the child have what a snapshot says."""
        self.value(part).restore(saved)

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return what the child takes over from the one before."""
        return self.value(part).carried(self.value(old), edit)


class Row(Field):
    """Several fields as one list."""

    def __init__(self, key: str, *fields: Field, missing: Any = _NEEDED) -> None:
        super().__init__(key, missing=missing)
        self.fields = fields

    def saved(self, part: Any) -> list[Any]:
        """Return what a snapshot says of them."""
        return [field.saved(part) for field in self.fields]

    def restore(self, part: Any, saved: Sequence[Any]) -> None:
        """Let `part` have what a snapshot says."""
        for field, value in zip(self.fields, saved, strict=True):
            field.restore(part, value)

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[Any]:
        """Return what `part` takes over from `old`."""
        return [field.carried(part, old, edit) for field in self.fields]


# --- by slot of a table of the plant: what goes over of those that stay


class Column(Field):
    """An entry for each slot of a table; `dtype` of its array, `list` where it is none."""

    def __init__(
        self,
        name: str,
        table: str,
        dtype: Any,
        *,
        key: str = "",
        load: Convert | None = None,
        save: Convert | None = None,
    ) -> None:
        as_list = dtype is list
        super().__init__(
            name,
            load or (list if as_list else lambda saved: np.array(saved, dtype)),
            save or (list if as_list else lambda array: array.tolist()),
            key=key,
        )
        self.table = table

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return the entries of those that stay, and of newcomers those of `part`."""
        return column(self.saved(old), self.saved(part), edit.kept[self.table])


class Members(Field):
    """Slots of which something is true, in an array of all."""

    def __init__(self, name: str, table: str, *, key: str = "") -> None:
        super().__init__(name, save=lambda array: np.flatnonzero(array).tolist(), key=key)
        self.table = table

    def restore(self, part: Any, saved: list[int]) -> None:
        """Let it be true of these alone."""
        array = self.value(part)
        array[:] = False
        array[np.array(saved, int)] = True

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[int]:
        """Return those that stay."""
        return members(self.saved(old), edit.kept[self.table])


class Pairs(Field):
    """Slots of which an array says something else than `usual`, and what: as two lists, or as rows of two."""

    def __init__(self, name: str, table: str, usual: float, *, rows: bool = False, key: str = "") -> None:
        super().__init__(name, key=key)
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
        slots, values = zip(*saved, strict=True) if self.rows and saved else saved or ((), ())
        array[np.array(slots, int)] = values

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[Any]:
        """Return those that stay."""
        way = rows if self.rows else pairs
        return way(self.saved(old), edit.kept[self.table])


def column(old: list[Any], fresh: list[Any], kept: KeptSlots) -> list[Any]:
    """One entry a slot; of facility loops only up to the last one that carries water, which an edit may change."""
    if kept.all_of(len(old)) and len(fresh) >= len(old):
        return [*old, *fresh[len(old) :]]
    merged = list(fresh)
    for there, here in kept.number.items():
        if there < len(old) and here < len(merged):
            merged[here] = old[there]
    return merged


def members(old: list[int], kept: KeptSlots) -> list[int]:
    """Slots of which something is true."""
    return [kept.number[slot] for slot in old if slot in kept.number]


def rows(old: list[Any], kept: KeptSlots) -> list[Any]:
    """Rows that begin with a slot."""
    return [[kept.number[row[0]], *row[1:]] for row in old if row[0] in kept.number]


def pairs(old: list[list[Any]], kept: KeptSlots) -> list[list[Any]]:
    """Slots, and a value of each."""
    both = [(kept.number[slot], value) for slot, value in zip(*old, strict=True) if slot in kept.number]
    return [[slot for slot, _ in both], [value for _, value in both]]


# --- nodes that are only named: one that is gone keeps the number that it had


class Nodes(Field):
    """A list of nodes, or with `sort` a set of them; with `only` those that stay, and no others, go over."""

    def __init__(self, name: str, *, sort: bool = False, only: bool = False, key: str = "") -> None:
        super().__init__(name, set if sort else list, sorted if sort else list, key=key)
        self.only = only

    def carried(self, part: Any, old: Any, edit: EditedPair) -> list[int]:
        """Return them by their numbers now."""
        nodes = self.saved(old)
        return members(nodes, edit.kept["nodes"]) if self.only else edit.numbers.all(nodes)


# --- parts


class Fields:
    """The fields of a part, by their keys.

    Parameters
    ----------
    fields
        In the order in which they are restored.
    last
        Those restored after `Stateful.on_restored`, which would write over them.
    """

    def __init__(self, *fields: Field, last: Sequence[Field] = ()) -> None:
        self.first, self.last = fields, tuple(last)
        self.all = (*fields, *last)

    def saved(self, part: Any) -> dict[str, Any]:
        """Return what a snapshot says of them."""
        return {field.key: field.saved(part) for field in self.all}

    def restore(self, part: Any, saved: dict[str, Any]) -> None:
        """Let `part` have what a snapshot says."""
        for field in self.first:
            field.restore(part, field.found(saved))
        part.on_restored()
        for field in self.last:
            field.restore(part, field.found(saved))

    def carried(self, part: Any, old: Any, edit: EditedPair) -> dict[str, Any]:
        """Return what `part` takes over from `old`."""
        return {field.key: field.carried(part, old, edit) for field in self.all}


class Stateful:
    """A part of a run whose class declares in `STATE` what it remembers; a single field or row stands for itself."""

    STATE: ClassVar[Fields | Field]

    def state(self) -> Any:
        """Return what a snapshot needs."""
        return self.STATE.saved(self)

    def restore(self, state: Any) -> None:
        """Take over what `state` returned."""
        self.STATE.restore(self, state)

    def carried(self, old: Any, edit: EditedPair) -> Any:
        """Return what this part, fresh in an edited hall, is to take over from `old` before it, for `restore`."""
        return self.STATE.carried(self, old, edit)

    def on_restored(self) -> None:
        """Work out what follows from the fields."""
