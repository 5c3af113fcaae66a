"""Changing a generator: rows, racks, nodes and pitch, or the number of loops and power items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from twin.commands.edit.addressables import generator, item_of, made_by, override, titled
from twin.commands.edit.changes import Changes, metres, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.references import cut
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.generators import expand
from twin.scenario.schema.site import Hall, RowGenerator


@dataclass(frozen=True)
class ChangeGenerator:
    """Change the figures of a generator; None leaves a figure as it is.

    Overrides of removed items, and references to them, are removed too.

    Parameters
    ----------
    id
        Row generator, loop generator or power stage.
    count
        Rows, loops or items.
    racks
        In each row.
    nodes
        In each rack; of several groups the last one.
    pitch_m, rack_pitch_m
        Row to row, rack to rack [m].
    node_part, rack_part
        Of the catalogue; a rack part of "" is a plain cabinet.
    units
        Machines side by side in each loop or item.
    """

    id: str
    count: int | None = None
    racks: int | None = None
    nodes: int | None = None
    pitch_m: float | None = None
    rack_pitch_m: float | None = None
    node_part: str | None = None
    rack_part: str | None = None
    facing: Literal["alternate", "north", "south"] | None = None
    containment: Literal["hot", "cold", "none"] | None = None
    units: int | None = None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Change {id}", id=self.id)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        return self._gathered(scene)[0].patch(self.title)

    def concerns(self, scene: EditedScene) -> list[str]:
        """Return the paths of the entries that lose a reference to a removed item; raises as `patch`."""
        return self._gathered(scene)[1]

    def _gathered(self, scene: EditedScene) -> tuple[Changes, list[str]]:
        item = item_of(scene.scenario, self.id)
        changes = Changes(scene)
        if item.kind in ("loops", "stage"):
            return changes, self._items(changes, item.path)
        if item.kind != "rows":
            raise CommandError(tr("{kind} {id} is not a generator", kind=titled(item.kind), id=self.id))
        return changes, self._rows(changes, item.path)

    def _items(self, changes: Changes, path: str) -> list[str]:
        for key, value in (("racks", self.racks), ("nodes", self.nodes)):
            if value is not None:
                raise CommandError(tr("{id} makes no {key}", id=self.id, key=key))
        if self.units is not None:
            changes.set(f"{path}.units", self.units)
        if self.count is None:
            return []
        before = made_by(changes.scene.scenario, self.id).count
        changes.set(f"{path}.count", _checked_count(self.count, "items"))
        gone = {f"{self.id}/{number}" for number in range(self.count, before)}
        places = value_at(changes.scene, f"{path}.places") or {}
        left = {item: place for item, place in places.items() if item not in gone}
        if left and len(left) < len(places):
            changes.set(f"{path}.places", left)
        elif len(left) < len(places):
            changes.take(f"{path}.places")
        return cut(changes, gone.__contains__) if gone else []

    def _rows(self, changes: Changes, path: str) -> list[str]:
        scene = changes.scene
        hall, rows = generator(scene.scenario, self.id)
        settings: dict[str, Any] = {
            "count": None if self.count is None else _checked_count(self.count, "rows"),
            "racks.count": None if self.racks is None else _checked_count(self.racks, "racks"),
            "pitch": None if self.pitch_m is None else metres(self.pitch_m),
            "racks.pitch": None if self.rack_pitch_m is None else metres(self.rack_pitch_m),
            "facing": self.facing,
            "containment": self.containment,
            "racks.part": self.rack_part or None,
        }
        for key, value in settings.items():
            if value is not None and value_at(scene, f"{path}.{key}") != value:
                changes.set(f"{path}.{key}", value)
        if self.rack_part == "" and rows.racks.part is not None:
            changes.take(f"{path}.racks.part")
        groups = self._groups(scene, path, rows)
        if groups is not None and groups:
            changes.set(f"{path}.racks.nodes", groups)
        elif groups is not None and rows.racks.nodes:
            changes.take(f"{path}.racks.nodes")
        beyond = _Beyond(scene, hall, rows, self, groups)
        for item in hall.overrides:
            if beyond(item):
                changes.forget(hall.id, item)
        return cut(changes, beyond)

    def _groups(self, scene: EditedScene, path: str, rows: RowGenerator) -> list[dict[str, Any]] | None:
        """Return the node groups after the change; None when they stay."""
        if self.nodes is None and self.node_part is None:
            return None
        groups: list[dict[str, Any]] = [dict(group) for group in value_at(scene, f"{path}.racks.nodes") or []]
        if not groups:
            if self.node_part is None:
                raise CommandError(tr("racks of {id} hold no nodes", id=self.id), tr("name the part"))
            return [{"part": self.node_part, "count": self.nodes or 1}] if self.nodes != 0 else []
        if self.nodes == 0:
            return groups[:-1]
        last = groups[-1]
        last |= {"count": self.nodes} if self.nodes is not None else {}
        last |= {"part": self.node_part} if self.node_part is not None else {}
        return groups


class _Beyond:
    """The items that a generator no longer makes."""

    def __init__(
        self,
        scene: EditedScene,
        hall: Hall,
        rows: RowGenerator,
        asked: ChangeGenerator,
        groups: list[dict[str, Any]] | None,
    ) -> None:
        self._name = rows.id
        self._rows = rows.count if asked.count is None else asked.count
        self._racks = rows.racks.count if asked.racks is None else asked.racks
        part = rows.racks.part if asked.rack_part is None else asked.rack_part or None
        if part is not None and part not in scene.catalog:
            raise CommandError(tr("the catalogue has no {part!r}", part=part))
        bare = rows.racks.model_copy(update={"nodes": ()})
        usual = [group.count for group in rows.racks.nodes]
        after = usual if groups is None else [int(group["count"]) for group in groups]
        self._before = len(expand.node_parts(bare, rows.racks.part, scene.catalog)) + sum(usual)
        self._after = len(expand.node_parts(bare, part, scene.catalog)) + sum(after)
        for item, about in hall.overrides.items():
            if item.count("/") == 3 and item.startswith(f"{self._name}/") and self._added(hall, item):
                number = int(item.rpartition("/")[2])
                if number < self._after and not self(item) and about.u is not None:
                    hint = tr("delete it first, or move it to another rack type")
                    raise CommandError(
                        tr(
                            "rack {first_item} holds {item}, which was added by hand",
                            first_item=item.rpartition("/")[0],
                            item=item,
                        ),
                        hint,
                    )

    def _added(self, hall: Hall, item: str) -> bool:
        about = override(hall, item)
        return about.part is not None and about.u is not None and int(item.rpartition("/")[2]) >= self._before

    def __call__(self, id: str) -> bool:
        name, *numbers = id.split("/")
        if name != self._name or not all(number.isdecimal() for number in numbers):
            return False
        index = [int(number) for number in numbers]
        if index and index[0] >= self._rows:
            return True
        if len(index) > 1 and index[1] >= self._racks:
            return True
        return len(index) > 2 and self._after <= index[2] < self._before


def _checked_count(number: int, noun: str) -> int:
    if number < 1:
        raise CommandError(
            tr("{number} is too few {noun}", number=number, noun=noun), tr("delete the generator instead")
        )
    return number
