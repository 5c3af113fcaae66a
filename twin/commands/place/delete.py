"""Deleting items: generated ones are marked absent, others are removed with all references to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from twin.commands.edit.addressables import (
    ItemKind,
    generator,
    in_file,
    item_of,
    made_by,
    override,
    people_say,
    titled,
)
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.references import cut
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.generators import expand

_WHOLE: tuple[ItemKind, ...] = (
    "plant",
    "fabric",
    "store",
    "cap",
    "group",
    "rental",
    "job",
    "stream",
    "trace",
    "tenant",
    "partition",
    "reservation",
    "columns",
    "door",
    "wall",
)
"""Kinds that are one entry of a list of the file."""


@dataclass(frozen=True)
class Delete:
    """Delete items.

    Parameters
    ----------
    ids
        Halls, generators, rows, racks, nodes, machines, power items, and anything else with an id.
    """

    ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Delete {id}", id=self.ids[0])
            if len(self.ids) == 1
            else tr("Delete {count:,} items", count=len(self.ids))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        return self._gathered(scene)[0].patch(
            tr("Delete {people_say}", people_say=people_say(scene.scenario, self.ids))
        )

    def concerns(self, scene: EditedScene) -> list[str]:
        """Return the paths of the entries that lose a reference to a deleted item; raises as `patch`."""
        return self._gathered(scene)[1]

    def _gathered(self, scene: EditedScene) -> tuple[Changes, list[str]]:
        if not self.ids:
            raise CommandError(tr("nothing is selected"))
        changes = Changes(scene)
        gone = _Gone(scene, changes)
        for id in dict.fromkeys(self.ids):
            gone.add(id)
        gone.racks_and_rows()
        gone.shrink()
        return changes, cut(changes, gone.goes)


class _Gone:
    """The items to delete, gathered from a selection."""

    def __init__(self, scene: EditedScene, changes: Changes) -> None:
        self._scene, self._changes = scene, changes
        self._whole: set[str] = set()  # ids of things of the file
        self._ends: set[str] = set()  # ids of the last items of generators that shrink
        self._items: dict[str, set[tuple[int, ...]]] = {}  # generator -> rows and racks that go
        self._fewer: dict[str, list[int]] = {}  # loop generator or stage -> items that go

    def goes(self, id: str) -> bool:
        """Return whether an id is deleted."""
        return id.partition("/")[0] in self._whole or id in self._ends

    def add(self, id: str) -> None:
        """Add one item to those deleted."""
        item = item_of(self._scene.scenario, id)
        if item.kind == "hall":
            self._hall(id)
        elif item.kind == "rows":
            self._generator(id)
        elif item.kind in ("row", "rack"):
            self._items.setdefault(item.generator, set()).add(item.numbers)
        elif item.kind == "node":
            self._node(id)
        elif item.kind in ("loops", "stage"):
            self._entry(id, item.path)
        elif item.kind in ("loop", "power"):
            self._fewer.setdefault(item.generator, []).append(item.numbers[0])
        elif item.kind in _WHOLE:
            self._entry(id, item.path)
        else:
            hint = tr("change the count of its tier") if item.kind == "switch" else ""
            raise CommandError(
                tr("{kind} {id} cannot be deleted by itself", kind=titled(item.kind), id=id), hint
            )

    def _entry(self, id: str, path: str) -> None:
        self._changes.take(path)
        self._whole.add(id)

    def _hall(self, id: str) -> None:
        if len(self._scene.scenario.halls) == 1:
            raise CommandError(
                tr("{id} is the only hall", id=id),
                tr("a scene needs at least one; delete its contents instead"),
            )
        hall = next(hall for hall in self._scene.scenario.halls if hall.id == id)
        self._entry(id, f"halls[{id}]")
        self._whole |= {rows.id for rows in hall.rows}

    def _generator(self, name: str) -> None:
        hall, rows = generator(self._scene.scenario, name)
        path = f"halls[{hall.id}].rows[{name}]"
        if not in_file(self._scene, path):
            for row in range(rows.count):
                self._changes.override(hall.id, f"{name}/{row}", absent=True)
            return
        self._entry(name, path)
        self._forget(hall.id, (item for item in hall.overrides if item.partition("/")[0] == name))

    def _forget(self, hall: str, items: Iterable[str]) -> None:
        for item in items:
            self._changes.forget(hall, item)

    def _node(self, id: str) -> None:
        scene = self._scene
        hall = item_of(scene.scenario, id).hall
        assert hall is not None
        slot = scene.plant.slots.get(id, ("", -1))
        if slot[0] != "node":
            raise CommandError(tr("there is no node {id!r}", id=id))
        about = override(hall, id)
        name, row, rack, number = id.split("/")
        added = about.u is not None and about.part is not None and int(number) >= self._made(name, row, rack)
        if added and in_file(scene, f"halls[{hall.id}].overrides[{id}]"):
            self._changes.forget(hall.id, id)
            self._ends.add(id)
        else:
            self._changes.override(hall.id, id, absent=True)

    def _made(self, name: str, row: str, rack: str) -> int:
        """Return how many nodes a generator makes in a rack."""
        hall, rows = generator(self._scene.scenario, name)
        part = override(hall, f"{name}/{row}/{rack}").part or rows.racks.part
        return len(expand.node_parts(rows.racks, part, self._scene.catalog))

    def racks_and_rows(self) -> None:
        """Mark rows and racks absent, or delete the whole generator when none of it is left."""
        for name, items in self._items.items():
            if name in self._whole:
                continue
            hall, rows = generator(self._scene.scenario, name)
            for row in range(rows.count):
                racks = {(row, rack) for rack in range(rows.racks.count)}
                standing = {place for place in racks if not override(hall, f"{name}/{row}/{place[1]}").absent}
                if standing and standing <= items:
                    items |= {(row,)}
            left = {row for row in range(rows.count) if not override(hall, f"{name}/{row}").absent}
            if left <= {numbers[0] for numbers in items if len(numbers) == 1}:
                self._generator(name)
                continue
            for numbers in sorted(items):
                if len(numbers) == 2 and (numbers[0],) in items:
                    continue
                self._changes.override(hall.id, "/".join((name, *map(str, numbers))), absent=True)

    def shrink(self) -> None:
        """Remove items of loop generators and power stages: the others are renumbered and keep their places."""
        for name, numbers in self._fewer.items():
            if name in self._whole:
                continue
            path = item_of(self._scene.scenario, name).path
            count = made_by(self._scene.scenario, name).count
            left = [number for number in range(count) if number not in numbers]
            if not left:
                self._entry(name, path)
                continue
            self._changes.set(f"{path}.count", len(left))
            self._ends |= {f"{name}/{number}" for number in range(len(left), count)}
            places = value_at(self._scene, f"{path}.places") or {}
            after = {
                f"{name}/{new}": places[f"{name}/{old}"]
                for new, old in enumerate(left)
                if f"{name}/{old}" in places
            }
            if after != places and after:
                self._changes.set(f"{path}.places", after)
            elif after != places:
                self._changes.take(f"{path}.places")
