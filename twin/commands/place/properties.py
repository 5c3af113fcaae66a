"""Setting a property of one or many items, draining nodes, and renaming items."""

from __future__ import annotations

from dataclasses import dataclass

from twin.commands.edit.addressables import ItemKind, SceneItem, item_of, people_say, titled
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import counted, tr
from twin.scenario import Patch
from twin.scenario.schema.titles import title_of_key
from twin.scenario.text.emit import flow

ITEM_KEYS: dict[ItemKind, tuple[str, ...]] = {
    "row": ("absent", "at", "facing"),
    "rack": ("absent", "part", "at", "facing"),
    "node": ("absent", "part", "rack", "u", "drained"),
}
"""Keys that a generated item has of its own; others are those of its generator."""


def path_of(scene: EditedScene, id: str, key: str) -> str:
    """Return the path of a property of an item.

    A key of a row, rack or node that only its generator has is that of the generator, and so is a key of a loop or
    power item. An id of "" stands for the scene itself.

    Raises
    ------
    CommandError
        When there is no such thing.
    """
    if not id:
        return key
    found = item_of(scene.scenario, id)
    own = ITEM_KEYS.get(found.kind, ())
    if key.split(".")[0] in own and found.hall is not None:
        return f"halls[{found.hall.id}].overrides[{id}].{key}"
    return f"{found.path}.{key}"


@dataclass(frozen=True)
class SetProperty:
    """Set one property of some items.

    Parameters
    ----------
    ids
        Ids of the items; ("",): the scene itself, with a whole path as `key`.
    key
        Key of the file below the item: "supply", "racks.pitch", "drained".
    value
        YAML text with its unit, such as "20 degC"; None: back to what it is by default.
    """

    ids: tuple[str, ...]
    key: str
    value: str | None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        name = title_of_key(self.key)
        name = name[:1].lower() + name[1:] if name[1:2].islower() else name
        of = tr(" of {id}", id=self.ids[0]) if len(self.ids) == 1 and self.ids[0] else ""
        many = tr(" of {items}", items=counted(len(self.ids), "item")) if len(self.ids) > 1 else ""
        if self.value is None:
            return tr("Reset {name}{of}{many}", name=name, of=of, many=many)
        value = self.value if len(self.value) <= 24 and "\n" not in self.value else ""
        return tr("Set {name}{of}{many}", name=name, of=of, many=many) + (
            tr(" to {value}", value=value) if value else ""
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if not self.ids:
            raise CommandError(tr("nothing is selected"))
        changes = Changes(scene)
        for path, id in {path_of(scene, item, self.key): item for item in self.ids}.items():
            stands = value_at(scene, path)
            if self.value is None:
                hall = item_of(scene.scenario, id).hall if ".overrides[" in path else None
                if stands is not None and hall is not None and "." not in self.key:
                    changes.override(hall.id, id, **{self.key: None})  # no empty override is left
                elif stands is not None:
                    changes.take(path)
            elif stands is None or flow(stands) != self.value.strip():
                changes.text(path, self.value)
        return changes.patch(self.title)


@dataclass(frozen=True)
class DrainNodes:
    """Drain nodes at the start, or resume them; racks, rows and generators stand for all their nodes."""

    ids: tuple[str, ...]
    drained: bool = True

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        chosen = self.ids[0] if len(self.ids) == 1 else counted(len(self.ids), "item")
        return f"{'Drain' if self.drained else 'Resume'} {chosen}"

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        halls = {rows.id: hall for hall in scene.scenario.halls for rows in hall.rows}
        for node in nodes_in(scene, self.ids):
            hall = halls[node.partition("/")[0]]
            if self.drained or hall.overrides.get(node) is not None:
                changes.override(hall.id, node, drained=True if self.drained else None)
        return changes.patch(self.title)


def nodes_in(scene: EditedScene, ids: tuple[str, ...]) -> list[str]:
    """Return the nodes in some rows, racks or generators, each once."""
    plant = scene.plant
    found: dict[str, None] = {}
    for id in ids:
        item = item_of(scene.scenario, id)
        if item.kind == "node":
            found[id] = None
            continue
        if item.kind not in ("rows", "row", "rack", "hall"):
            raise CommandError(tr("{id} is a {kind}, which holds no nodes", id=id, kind=titled(item.kind)))
        inside = [
            plant.nodes.ids[k]
            for k, rack in enumerate(plant.nodes.rack.tolist())
            if plant.nodes.present[k]
            and (
                plant.racks.ids[rack].startswith(f"{id}/")
                or plant.racks.ids[rack] == id
                or item.kind == "hall"
            )
        ]
        found |= dict.fromkeys(inside)
    return list(found)


_NAMED: dict[ItemKind, str] = {
    "rows": "label",
    "row": "label",
    "hall": "title",
    "job": "title",
    "tenant": "title",
    "partition": "title",
    "group": "title",
    "rental": "title",
}


@dataclass(frozen=True)
class Rename:
    """Rename an item for people; its id never changes.

    Parameters
    ----------
    id
        "": the scene itself.
    name
        Title of a hall, job, tenant, partition or group, label of rows.
    """

    id: str
    name: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Rename {id}", id=self.id or tr("the scene"))

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        key = "title"
        if self.id:
            found: SceneItem = item_of(scene.scenario, self.id)
            if found.kind == "rack":
                rows = scene.plant.racks.row[scene.plant.slots[self.id][1]]
                if int((scene.plant.racks.row == rows).sum()) == 1:
                    return SetProperty((found.generator,), "label", flow(self.name)).patch(scene)
            if found.kind not in _NAMED:
                raise CommandError(
                    tr("{people_say} has no title", people_say=people_say(scene.scenario, (self.id,))),
                    tr("ids are permanent"),
                )
            key = _NAMED[found.kind]
        patch = SetProperty((self.id,), key, flow(self.name)).patch(scene)
        return Patch(patch.changes, self.title)
