"""Fragments of a scene: entries as their file holds them, with the links that join them to the rest."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import ValidationError

from twin.commands.edit.addressables import generator, item_of, made_by, override, titled
from twin.commands.edit.changes import point, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.names import fresh
from twin.commands.place.footprint import FloorFootprints, rack_size_m
from twin.commands.place.move import place_of
from twin.commands.place.rack_nodes import NodeCopy, node_copies
from twin.language import tr
from twin.scenario.generators.expand import Strays, node_parts
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.schema.site import RowGenerator

SECTIONS = ("fabrics", "power", "cooling.plants", "cooling.loops", "storage")
"""Lists of things a fragment may hold, besides rows."""

JOINS = {"fabrics": "rows", "power": "feeds", "cooling.loops": "serves", "partitions": "rows"}
"""Lists of a scene that join what stands in it: section -> key."""


@dataclass
class Fragment:
    """Entries by section.

    Attributes
    ----------
    rows
        Row generators as their file holds them, each with the overrides of its items under ``overrides``.
    entries
        Section -> its entries, as their file holds them.
    joins
        Section -> id of an entry of the scene -> ids of the fragment that it joins.
    nodes
        Nodes that go into a rack, the lowest first: a fragment holds these alone, or the rest.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    entries: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    joins: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    nodes: tuple[NodeCopy, ...] = ()

    @property
    def ids(self) -> list[str]:
        """Return the ids of all entries."""
        return [
            str(entry["id"])
            for entry in (*self.rows, *(entry for some in self.entries.values() for entry in some))
        ]

    def boxes(self, scene: EditedScene, slot: int) -> FloorFootprints:
        """Return the footprints of its racks in coordinates of the hall."""
        ids: list[str] = []
        columns: list[list[float]] = [[], [], [], []]
        for entry in self.rows:
            rows = rows_of(entry)
            width_m, depth_m = rack_size_m(scene.catalog, rows.racks.part, rows.racks.pitch_m)
            for row in range(rows.count):
                for rack in range(rows.racks.count):
                    item = f"{rows.id}/{row}/{rack}"
                    about = entry.get("overrides", {}).get(item, {})
                    if about.get("absent") or entry.get("overrides", {}).get(f"{rows.id}/{row}", {}).get(
                        "absent"
                    ):
                        continue
                    x_m = rows.at.x_m + width_m / 2 + rack * rows.racks.pitch_m
                    y_m = rows.at.y_m + depth_m / 2 + row * rows.pitch_m
                    ids.append(item)
                    for column, value in zip(columns, (x_m, y_m, width_m, depth_m), strict=True):
                        column.append(value)
        return FloorFootprints(
            ids, np.full(len(ids), slot, np.int32), *(np.array(column) for column in columns)
        )


def rows_of(entry: dict[str, Any]) -> RowGenerator:
    """Return a row generator of a fragment; raises CommandError when it is none."""
    plain = {key: value for key, value in entry.items() if key != "overrides"}
    try:
        return RowGenerator.model_validate_json(
            json.dumps(plain), strict=True, by_alias=True, by_name=False, context=FROM_FILE
        )
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise CommandError(
            tr("rows {get!s:.40}: {where}: {first}", get=entry.get("id", ""), where=where, first=first["msg"])
        ) from None


def gathered(scene: EditedScene, ids: tuple[str, ...]) -> Fragment:
    """Return a copy of some items of a scene.

    Racks and rows become generators of their own, neighbours together; loops and power items likewise. Nodes are
    copied by themselves, for they go into racks.

    Raises
    ------
    CommandError
        When one of them cannot be copied.
    """
    if not ids:
        raise CommandError(tr("nothing is selected"))
    ids = _without_groups(scene, ids)
    nodes = [id for id in ids if item_of(scene.scenario, id).kind == "node"]
    if len(nodes) == len(ids):
        return Fragment(nodes=node_copies(scene, ids))
    if nodes:
        raise CommandError(tr("copy nodes separately"), tr("or copy their racks"))
    found, taken = Fragment(), set[str]()
    origin: dict[str, str] = {}
    racks: dict[str, set[tuple[int, int]]] = {}
    items: dict[str, list[int]] = {}
    for id in dict.fromkeys(ids):
        item = item_of(scene.scenario, id)
        if item.kind == "rows":
            _whole_rows(scene, id, found)
            taken.add(id)
            origin[id] = id
        elif item.kind in ("row", "rack"):
            rows = generator(scene.scenario, item.generator)[1]
            places = range(rows.racks.count) if item.kind == "row" else (item.numbers[1],)
            racks.setdefault(item.generator, set()).update((item.numbers[0], place) for place in places)
        elif item.kind in ("loop", "power"):
            items.setdefault(item.generator, []).append(item.numbers[0])
        elif item.kind in ("loops", "stage"):
            items[id] = list(range(made_by(scene.scenario, id).count))
        elif item.kind in ("fabric", "plant", "store"):
            section = {"fabric": "fabrics", "plant": "cooling.plants", "store": "storage"}[item.kind]
            found.entries.setdefault(section, []).append(copy.deepcopy(value_at(scene, item.path)))
            taken.add(id)
        else:
            raise CommandError(tr("{kind} {id} cannot be copied", kind=titled(item.kind), id=id))
    for name, places_of in racks.items():
        if name not in taken:
            _some_racks(scene, name, places_of, found, taken, origin)
    for name, numbers in items.items():
        _some_items(scene, name, sorted(set(numbers)), found)
        taken.add(name)
    _joined(scene, found, origin)
    return found


def _without_groups(scene: EditedScene, ids: tuple[str, ...]) -> tuple[str, ...]:
    members = {group.id: group.members for group in scene.scenario.groups}
    return tuple(member for id in ids for member in members.get(id, (id,)))


def _whole_rows(scene: EditedScene, name: str, found: Fragment) -> None:
    hall, _ = generator(scene.scenario, name)
    entry = copy.deepcopy(value_at(scene, f"halls[{hall.id}].rows[{name}]"))
    strays = Strays(scene.scenario, scene.catalog)
    left = {node.id.rpartition("/")[0] for nodes in strays.moved.values() for node in nodes}
    mixed = {rack for rack in {*strays.moved, *left} if rack.partition("/")[0] == name}
    own_overrides = {
        item: copy.deepcopy(value_at(scene, f"halls[{hall.id}].overrides[{item}]"))
        for item in hall.overrides
        if item.partition("/")[0] == name and item.rpartition("/")[0] not in mixed
    }
    for rack in sorted(mixed):
        if rack in scene.plant.slots:
            own_overrides |= _nodes_in(scene, rack, rack, strays)
    found.rows.append(entry | ({"overrides": own_overrides} if own_overrides else {}))


def _nodes_in(scene: EditedScene, rack: str, copied: str, strays: Strays) -> dict[str, Any]:
    """Return the overrides for the nodes of a copied rack: it holds the nodes in the rack, whatever their ids.

    A node that has moved on is absent from the copy, one that has come is a node of its own there.
    """
    hall, rows = generator(scene.scenario, rack.partition("/")[0])
    usual = len(node_parts(rows.racks, override(hall, rack).part or rows.racks.part, scene.catalog))
    nodes: dict[str, Any] = {}
    free = usual
    for item, about in hall.overrides.items():
        if item.rpartition("/")[0] != rack:
            continue
        number = int(item.rpartition("/")[2])
        free = max(free, number + 1)
        if about.rack is None or about.rack == rack:
            nodes[f"{copied}/{number}"] = copy.deepcopy(
                value_at(scene, f"halls[{hall.id}].overrides[{item}]")
            )
        elif number < usual:
            nodes[f"{copied}/{number}"] = {"absent": True}
    for number, node in enumerate(strays.moved.get(rack, ()), free):
        slot = scene.plant.slots[node.id][1]
        came = {"part": node.part, "u": int(scene.plant.nodes.u[slot])}
        nodes[f"{copied}/{number}"] = came | ({"drained": True} if node.drained else {})
    return nodes


def _some_racks(
    scene: EditedScene,
    name: str,
    places: set[tuple[int, int]],
    found: Fragment,
    taken: set[str],
    origin: dict[str, str],
) -> None:
    """Add racks of a generator as generators of their own, neighbours that differ in nothing as one."""
    hall, _ = generator(scene.scenario, name)
    table, strays = scene.plant.racks, Strays(scene.scenario, scene.catalog)
    runs: list[list[tuple[int, int]]] = []
    for place in sorted(places):
        about = override(hall, f"{name}/{place[0]}/{place[1]}")
        if f"{name}/{place[0]}/{place[1]}" not in scene.plant.slots:
            continue
        plain = about.part is None and about.at is None and about.facing is None
        if runs and plain and runs[-1][-1] == (place[0], place[1] - 1):
            runs[-1].append(place)
        else:
            runs.append([place])
    for run in runs:
        id = fresh(taken, name)
        origin[id] = name
        slots = [scene.plant.slots[f"{name}/{row}/{rack}"][1] for row, rack in run]
        first = slots[0]
        shift_m = float(scene.plant.halls.shift_x_m[table.hall[first]])
        corner = point(
            float(table.x_m[first] - table.width_m[first] / 2) - shift_m,
            float(table.y_m[first] - table.depth_m[first] / 2),
        )
        entry = copy.deepcopy(value_at(scene, f"halls[{hall.id}].rows[{name}]"))
        for key in ("count", "pitch", "overrides"):
            entry.pop(key, None)
        part = override(hall, f"{name}/{run[0][0]}/{run[0][1]}").part
        entry |= {"id": id, "at": corner, "facing": "north" if table.facing[first] > 0 else "south"}
        entry["racks"] = entry["racks"] | {"count": len(run)} | ({"part": part} if part else {})
        own_overrides: dict[str, Any] = {}
        for k, (row, rack) in enumerate(run):
            own_overrides |= _nodes_in(scene, f"{name}/{row}/{rack}", f"{id}/0/{k}", strays)
        found.rows.append(entry | ({"overrides": own_overrides} if own_overrides else {}))


def _some_items(scene: EditedScene, name: str, numbers: list[int], found: Fragment) -> None:
    """Add a loop generator or power stage with some of its items, each at the place where it stands."""
    item = item_of(scene.scenario, name)
    entry = copy.deepcopy(value_at(scene, item.path))
    count = made_by(scene.scenario, name).count
    if len(numbers) > 1:
        entry["count"] = len(numbers)
    else:
        entry.pop("count", None)
    placed = entry.pop("places", {})
    halls = scene.plant.halls
    places = {}
    for new, old in enumerate(numbers):
        if f"{name}/{old}" in placed:
            places[f"{name}/{new}"] = placed[f"{name}/{old}"]
        elif item.kind == "loops" and len(numbers) <= count and entry.get("kind") != "rear-door":
            kind, slot = scene.plant.slots[f"{name}/{old}"]
            hall = int(scene.plant.loops.hall[slot]) if kind == "loop" else 0
            x_m, y_m = place_of(scene, f"{name}/{old}")
            places[f"{name}/{new}"] = {
                "hall": halls.ids[hall],
                **point(x_m - float(halls.shift_x_m[hall]), y_m),
            }
    section = "cooling.loops" if item.kind == "loops" else "power"
    found.entries.setdefault(section, []).append(entry | ({"places": places} if places else {}))


def _joined(scene: EditedScene, found: Fragment, origin: dict[str, str]) -> None:
    """Add the entries of the scene that join the copied items."""
    origin = origin | {
        str(entry["id"]): str(entry["id"])
        for section in ("cooling.loops", "cooling.plants")
        for entry in found.entries.get(section, ())
    }
    inside = set(found.ids)
    for section, key in JOINS.items():
        for entry in value_at(scene, section) or []:
            if entry.get("id") in inside and entry["id"] not in origin.values():
                continue
            if entry.get("id") in {str(copied["id"]) for copied in found.entries.get(section, ())}:
                continue
            members = [new for new, old in origin.items() if old in (entry.get(key) or ())]
            if members:
                found.joins.setdefault(section, {})[entry["id"]] = members
