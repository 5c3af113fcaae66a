"""What a part of a run remembers, declared once at its class: snapshot, restore and transfer follow from that.

A part is `Stateful` and lists its fields in `STATE`. Fields are plain attributes; only who saves, restores or edits a
run reads the list. Fields by slots of the plant are those of `slot_fields`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, ClassVar, Final, Self

import numpy as np

from twin.record.scenario_json import part_from_json, part_to_json
from twin.sim.core.slot_map import EditedPair

Convert = Callable[[Any], Any]
Carry = Callable[[Any, Any, EditedPair], Any]
"""(part of the edited hall, the same before it, what stays) -> what the first takes over, as in a snapshot."""

_NEEDED: Final = object()


class StateField:
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
        What a snapshot without such an entry says, as those of earlier versions.
    spare
        Whether it is left out where there is nothing to say but what `missing` says.
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
        spare: bool = False,
        carry: Carry | None = None,
    ) -> None:
        owner, _, self._attribute = name.rpartition(".")
        self.key = key or self._attribute.lstrip("_")
        self.missing, self.spare = missing, spare
        self._owner = attrgetter(owner) if owner else None
        self._load, self._save, self._carry = load, save, carry
        self.value = attrgetter(name)

    @classmethod
    def each(cls, *names: str, **how: Any) -> list[Self]:
        """Return fields of several attributes that are alike."""
        return [cls(name, **how) for name in names]

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


class Derived(StateField):
    """What no single attribute holds: functions of the part say and take it; with a `table`, an entry a slot."""

    def __init__(
        self, key: str, said: Convert, taken: Callable[[Any, Any], None], *, table: str = "", **how: Any
    ) -> None:
        if table:
            how["carry"] = lambda new, old, edit: edit.kept[table].column(said(old), said(new))
        super().__init__(key, **how)
        self.value, self._taken = said, taken  # type: ignore[assignment]

    def restore(self, part: Any, saved: Any) -> None:
        """Let `part` have what a snapshot says."""
        self._taken(part, saved)


class ArrayField(StateField):
    """A numpy array."""

    def __init__(self, name: str, dtype: Any, **how: Any) -> None:
        super().__init__(name, lambda saved: np.array(saved, dtype), lambda array: array.tolist(), **how)


class Endless(StateField):
    """A time that may be infinite, for which JSON has no number."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            lambda saved: math.inf if saved is None else float(saved),
            lambda value: value if math.isfinite(value) else None,
        )


class Record(StateField):
    """A dataclass of numbers and texts; `gone`: what snapshots of earlier versions say of it besides."""

    def __init__(self, name: str, kind: Callable[..., Any], *, gone: Sequence[str] = ()) -> None:
        def made(saved: dict[str, Any]) -> Any:
            return kind(**{key: value for key, value in saved.items() if key not in gone})

        super().__init__(name, made, asdict)


class Records(StateField):
    """A list of dataclasses of numbers and texts."""

    def __init__(self, name: str, kind: Callable[..., Any], **how: Any) -> None:
        def said(records: list[Any]) -> list[Any]:
            return [asdict(record) for record in records]

        super().__init__(name, lambda saved: [kind(**figures) for figures in saved], said, **how)


class Documents(StateField):
    """A list of pieces of a scene, as the scene has them."""

    def __init__(self, name: str, kind: type[Any], **how: Any) -> None:
        def said(pieces: list[Any]) -> list[str]:
            return [part_to_json(piece) for piece in pieces]

        super().__init__(name, lambda saved: [part_from_json(kind, text) for text in saved], said, **how)


class Items(StateField):
    """A dict by numbers, in its own order or with `sort` in theirs; with `of_nodes` those are numbers of nodes."""

    def __init__(
        self,
        name: str,
        load: Convert,
        save: Convert | None = None,
        *,
        sort: bool = False,
        of_nodes: bool = False,
        **how: Any,
    ) -> None:
        def said(items: dict[int, Any]) -> list[Any]:
            both = sorted(items.items()) if sort else list(items.items())
            return [[number, save(value)] for number, value in both] if save else both

        super().__init__(
            name, lambda saved: {int(number): load(value) for number, value in saved}, said, **how
        )
        self.of_nodes = of_nodes

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return what `part` takes over from `old`."""
        saved = super().carried(part, old, edit)
        return [(edit.numbers.node(node), value) for node, value in saved] if self.of_nodes else saved


class SharedCounts(StateField):
    """A dict of counts, changed in place: others count in it too."""

    def __init__(self, name: str, **how: Any) -> None:
        super().__init__(name, save=dict, **how)

    def restore(self, part: Any, saved: dict[str, Any]) -> None:
        """Let it say what a snapshot says."""
        counts = self.value(part)
        counts.clear()
        counts.update(saved)


class Child(StateField):
    """A part of the part; `then` is what the part does once it is restored."""

    def __init__(self, name: str, then: Callable[[Any], None] | None = None, **how: Any) -> None:
        super().__init__(name, **how)
        self._then = then

    def saved(self, part: Any) -> Any:
        """Return what a snapshot says of it."""
        return self.value(part).state()

    def restore(self, part: Any, saved: Any) -> None:
        """Let the child have what a snapshot says."""
        self.value(part).restore(saved)
        if self._then is not None:
            self._then(part)

    def carried(self, part: Any, old: Any, edit: EditedPair) -> Any:
        """Return what the child takes over from the one before."""
        return self.value(part).carried(self.value(old), edit)


class Row(StateField):
    """Several fields as one list."""

    def __init__(self, key: str, *fields: StateField) -> None:
        super().__init__(key)
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


class Fields:
    """The fields of a part, by their keys.

    Parameters
    ----------
    fields
        In the order in which they are restored.
    last
        Those restored after `Stateful.on_restored`, which would write over them.
    """

    def __init__(self, *fields: StateField, last: Sequence[StateField] = ()) -> None:
        self.first, self.last = fields, tuple(last)
        self.all = (*fields, *last)
        self._spare = [field for field in self.all if field.spare]

    def saved(self, part: Any) -> dict[str, Any]:
        """Return what a snapshot says of them."""
        return self._needed({field.key: field.saved(part) for field in self.all})

    def _needed(self, saved: dict[str, Any]) -> dict[str, Any]:
        """Leave out what is said by not being there."""
        for field in self._spare:
            if saved[field.key] == field.missing:
                del saved[field.key]
        return saved

    def restore(self, part: Any, saved: dict[str, Any]) -> None:
        """Let `part` have what a snapshot says."""
        for field in self.first:
            field.restore(part, field.found(saved))
        part.on_restored()
        for field in self.last:
            field.restore(part, field.found(saved))

    def carried(self, part: Any, old: Any, edit: EditedPair) -> dict[str, Any]:
        """Return what `part` takes over from `old`."""
        return self._needed({field.key: field.carried(part, old, edit) for field in self.all})


class Stateful:
    """A part of a run whose class declares in `STATE` what it remembers; a single field or row stands for itself."""

    STATE: ClassVar[Fields | StateField]

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
