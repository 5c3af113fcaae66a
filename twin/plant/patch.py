"""Rebuilds a plant for a changed scenario: items keep their slots, new ones are appended, removed ones leave a gap."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from twin.arrays import Bools, Ints32
from twin.catalog import Catalog
from twin.plant.build import plant_of
from twin.plant.error import PlantError
from twin.plant.tables import FabricTable, Gpus, Nodes, Plant
from twin.scenario.schema.document import Scenario

REFERENCES: dict[str, dict[str, str]] = {
    "rows": {"hall": "halls"},
    "racks": {
        "row": "rows",
        "hall": "halls",
        "loop": "loops",
        "air_loop": "loops",
        "feed_a": "power",
        "feed_b": "power",
        "node_first": "nodes",
    },
    "nodes": {"rack": "racks", "part": "node_parts", "gpu_first": "gpus", "loop": "loops"},
    "gpus": {"node": "nodes", "rack": "racks", "part": "gpu_parts"},
    "switches": {"rack": "racks", "fabric": "fabrics"},
    "node_links": {"fabric": "fabrics", "node": "nodes", "leaf": "switches"},
    "switch_links": {"fabric": "fabrics", "lower": "switches", "upper": "switches"},
    "peer_links": {"fabric": "fabrics", "a": "nodes", "b": "nodes"},
    "bundles": {"fabric": "fabrics", "rack_a": "racks", "rack_b": "racks"},
    "fixtures": {"rack": "racks"},
    "machines": {"loop": "loops"},
    "loops": {"hall": "halls", "plant": "plants", "feed_a": "power", "feed_b": "power"},
    "plants": {"feed_a": "power", "feed_b": "power"},
    "power": {"parent": "power", "spare_parent": "power", "bus": "power"},
    "storage": {"rack": "racks", "behind": "storage"},
}
"""Columns that hold slots of other tables."""

KEPT = ("halls", "rows", "racks", "nodes", "switches", "loops", "plants", "power", "storage")
"""Tables whose slots have ids."""

REMADE = ("node_links", "switch_links", "peer_links", "bundles", "fixtures", "machines")
"""Tables nobody addresses by slot."""


@dataclass(frozen=True)
class _Map:
    """Where the slots of a freshly built table go."""

    target: Ints32
    size: int

    @cached_property
    def stays(self) -> bool:
        """Return whether every slot goes where it is, and no other slot is left."""
        target = self.target
        return len(target) == self.size and bool((target == np.arange(len(target))).all())


def rebuild(
    plant: Plant, scenario: Scenario, catalog: Catalog | None = None, fresh: Plant | None = None
) -> Plant:
    """Return the plant of a changed scenario with the slots of a standing one, one epoch on.

    An item keeps the slot of its id, a new one is appended, one that is gone stays as a slot with `present` false.
    Nodes of a rack stay contiguous: a rack that holds more nodes than before moves all of them to new slots, and
    so does a node with more GPUs than before.

    Parameters
    ----------
    plant
        The present plant; not changed.
    scenario
        The changed scenario.
    catalog
        Parts; None: the shipped ones.
    fresh
        What `plant_of` makes of the scenario, where it is known; not changed.

    Raises
    ------
    PlantError
        When the scenario cannot be built, or a hall, fabric, plant or store is taken away, or the power tree is
        turned round: these need a new run.
    UnknownPart
        When the catalogue lacks a part.
    """
    fresh = plant_of(scenario, catalog) if fresh is None else fresh
    maps = _maps(plant, fresh)
    made: dict[str, Any] = {name: _kept(name, plant, fresh, maps) for name in KEPT}
    made["gpus"] = _kept("gpus", plant, fresh, maps)
    made |= {name: _referred(name, getattr(fresh, name), maps) for name in REMADE}
    for name in ("node_parts", "gpu_parts", "fabrics"):
        old = getattr(plant, name)
        made[name] = old + [name for name in getattr(fresh, name) if name not in old]
    made["fabric_table"] = _fabric_table(plant, fresh, made["fabrics"])
    power = made["power"]
    order = np.arange(len(power.parent))
    if any((column >= order).any() for column in (power.parent, power.spare_parent, power.bus)):
        raise PlantError("a new power stage above existing ones needs a new run")
    return replace(fresh, epoch=plant.epoch + 1, stores=made["storage"].ids, **made)


def _fabric_table(plant: Plant, fresh: Plant, names: list[str]) -> FabricTable:
    """Return kind, technology and routing of every fabric, in the order of `names`."""
    row_of = {
        name: row
        for source in (plant, fresh)
        for name, row in zip(source.fabrics, _rows_of(source.fabric_table), strict=True)
    }
    kind, technology, routing = zip(*(row_of[name] for name in names), strict=True) if names else ((), (), ())
    return FabricTable(list(kind), list(technology), list(routing))


def _rows_of(table: FabricTable) -> list[tuple[str, str, str]]:
    return list(zip(table.kind, table.technology, table.routing, strict=True))


def _maps(plant: Plant, fresh: Plant) -> dict[str, _Map]:
    """Return where the slots of every fresh table go."""
    maps = {name: _by_id(getattr(plant, name), getattr(fresh, name)) for name in KEPT if name != "nodes"}
    for name in ("node_parts", "gpu_parts", "fabrics"):
        old, new = getattr(plant, name), getattr(fresh, name)
        joined = old + [name for name in new if name not in old]
        maps[name] = _Map(np.array([joined.index(name) for name in new], np.int32), len(joined))
    for name, noun in (("halls", "hall"), ("plants", "facility loop"), ("storage", "store")):
        gone = set(getattr(plant, name).ids) - set(getattr(fresh, name).ids)
        if gone:
            raise PlantError(f"{noun} {min(gone)!r} cannot be removed during a run; start a new run")
    if set(plant.fabrics) - set(fresh.fabrics):
        raise PlantError("a fabric cannot be removed during a run; start a new run")
    maps["nodes"] = _contiguous(
        plant.nodes.ids, plant.nodes.present, fresh.nodes.ids, fresh.nodes.rack, _room(plant, fresh)
    )
    maps["gpus"] = _gpu_map(plant.nodes, plant.gpus, fresh.nodes, fresh.gpus)
    return maps


def _slots(ids: list[str], present: Bools | None) -> dict[str, int]:
    """Return id -> slot; of two slots with one id the present one, else the later."""
    found = {item_id: slot for slot, item_id in enumerate(ids)}
    if present is not None and len(found) < len(ids):
        found |= {ids[slot]: slot for slot in np.flatnonzero(present).tolist()}
    return found


def _by_id(old: Any, new: Any) -> _Map:
    known = _slots(old.ids, getattr(old, "present", None))
    size = len(old.ids)
    if len(known) == size and old.ids == new.ids:
        return _Map(np.arange(size, dtype=np.int32), size)
    return _appended(np.array([known.get(item_id, -1) for item_id in new.ids], np.int32), size)


def _appended(found: Ints32, size: int) -> _Map:
    """Return where slots go that were found (at least 0) in a table of a size, or come behind it."""
    new = found < 0
    target = np.where(new, size - 1 + np.cumsum(new), found).astype(np.int32)
    return _Map(target, size + int(new.sum()))


def _room(plant: Plant, fresh: Plant) -> Bools:
    """Return which fresh racks find at least as many node slots as they need."""
    known = _slots(plant.racks.ids, plant.racks.present)
    old = [known.get(item_id, -1) for item_id in fresh.racks.ids]
    had = np.append(plant.racks.node_count, 0)[old]
    return (fresh.racks.node_count <= had).astype(np.bool_)


def _contiguous(
    old_ids: list[str], old_present: Bools, new_ids: list[str], new_rack: Ints32, room: Bools
) -> _Map:
    """Return where nodes go: to the slot of their id, or all nodes of a rack without room to the end."""
    known = _slots(old_ids, old_present)
    found = np.array([known.get(item_id, -1) for item_id in new_ids], np.int32)
    return _appended(np.where(room[new_rack], found, -1), len(old_ids))


def _gpu_map(old_nodes: Nodes, old: Gpus, new_nodes: Nodes, new: Gpus) -> _Map:
    """Return where GPUs go: to the slots of their node, or all GPUs of a node without room to the end."""
    known = _slots(old_nodes.ids, old_nodes.present)
    node = np.array([known.get(item_id, -1) for item_id in new_nodes.ids], np.int64)
    had = np.append(old_nodes.gpu_count, 0)[node]
    first = np.append(old_nodes.gpu_first, 0)[node].astype(np.int64)
    moves = new_nodes.gpu_count > had
    grown = np.where(moves, new_nodes.gpu_count, 0)
    first[moves] = (len(old.node) + np.cumsum(grown) - grown)[moves]
    return _Map((first[new.node] + new.index).astype(np.int32), len(old.node) + int(grown.sum()))


def _kept(name: str, plant: Plant, fresh: Plant, maps: dict[str, _Map]) -> Any:
    """Return a table with the old slots, overwritten with the fresh values."""
    old, new = getattr(plant, name), _referred(name, getattr(fresh, name), maps)
    where = maps[name]
    columns: dict[str, Any] = {}
    for column in fields(old):
        before, after = getattr(old, column.name), getattr(new, column.name)
        if isinstance(before, list) and where.stays:
            columns[column.name] = list(after)
            continue
        if isinstance(before, list):
            texts = before + [""] * (where.size - len(before))
            for slot, text in zip(where.target.tolist(), after, strict=True):
                texts[slot] = text
            columns[column.name] = texts
            continue
        if column.name == "present":
            before = np.zeros(len(before), np.bool_)  # who is not in the fresh table is gone
        values = np.concatenate([before, np.zeros(where.size - len(before), before.dtype)])
        values[where.target] = after
        columns[column.name] = values
    return type(old)(**columns)


def _referred(name: str, table: Any, maps: dict[str, _Map]) -> Any:
    """Return a fresh table whose references are slots of the kept tables."""
    changed = {}
    for column, to in REFERENCES.get(name, {}).items():
        slots = getattr(table, column)
        target = maps[to].target
        if maps[to].stays and int(slots.max(initial=-1)) < len(target):
            changed[column] = slots.astype(np.int32)
            continue
        valid = (slots >= 0) & (slots < len(target))  # an empty rack may point behind the last node
        moved = np.where(valid, np.append(target, 0)[np.where(valid, slots, -1)], np.minimum(slots, 0))
        changed[column] = moved.astype(np.int32)
    return replace(table, **changed)
