"""Adding nodes to a rack: of a part of the catalogue, or copies of other nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.catalog import NodePart
from twin.commands.edit.addressables import item_of
from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import first_free, node_height_u, taken_units, unit_for
from twin.language import counted, tr
from twin.scenario import Patch


@dataclass(frozen=True)
class NodeCopy:
    """A copy of a node: its part, and whether it is drained at the start."""

    part: str
    drained: bool = False


@dataclass(frozen=True)
class AddNode:
    """Put nodes into a rack, one on another.

    Parameters
    ----------
    part
        Node part of the catalogue.
    rack
        Such as ``gpu/0/3``.
    u
        Lowest unit of the lowest; 0: the first that is free.
    count
        How many.
    """

    part: str
    rack: str
    u: int = 0
    count: int = 1

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Add {part} to {rack}", part=self.part, rack=self.rack)
            if self.count == 1
            else tr("Add {count} {part} to {rack}", count=self.count, part=self.part, rack=self.rack)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        return PutNodes((NodeCopy(self.part),) * self.count, self.rack, self.u, self.title).patch(scene)


@dataclass(frozen=True)
class PutNodes:
    """Put copies of nodes into a rack, one on another.

    Parameters
    ----------
    nodes
        The lowest first.
    rack
        Such as ``gpu/0/3``.
    u
        Lowest unit of the lowest; 0: each where it finds room first.
    """

    nodes: tuple[NodeCopy, ...]
    rack: str
    u: int = 0
    named: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return self.named or tr(
            "Paste {nodes} into {rack}", nodes=counted(len(self.nodes), "node"), rack=self.rack
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        height_u = heights_u(scene, self.nodes)
        slot = rack_slot(scene, self.rack)
        hall = item_of(scene.scenario, self.rack).hall
        assert hall is not None
        taken = taken_units(scene.plant, slot)
        changes = Changes(scene)
        number, wanted_u = fresh_node(scene, self.rack), self.u
        for k, (node, high_u) in enumerate(zip(self.nodes, height_u, strict=True)):
            u = unit_for(scene.plant, slot, high_u, wanted_u, taken, node.part)
            taken |= dict.fromkeys(range(u, u + high_u), node.part)
            wanted_u = u + high_u if self.u else 0
            keys = {"part": node.part, "u": u} | ({"drained": True} if node.drained else {})
            changes.override(hall.id, f"{self.rack}/{number + k}", **keys)
        return changes.patch(self.title)


@dataclass(frozen=True)
class DuplicateNodes:
    """Put a copy of each node into its rack: into the next free units above it, else the first free ones."""

    ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr(
            "Duplicate {ids}", ids=self.ids[0] if len(self.ids) == 1 else counted(len(self.ids), "node")
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        plant, changes = scene.plant, Changes(scene)
        taken: dict[int, dict[int, str]] = {}
        numbers: dict[int, int] = {}
        for slot in _slots(scene, self.ids):
            home, high_u = int(plant.nodes.rack[slot]), int(plant.nodes.height_u[slot])
            rack, part = plant.racks.ids[home], plant.node_parts[int(plant.nodes.part[slot])]
            occupied = taken.setdefault(home, taken_units(plant, home))
            below = dict.fromkeys(range(1, int(plant.nodes.u[slot])), "")
            u = first_free(below | occupied, int(plant.racks.units_u[home]), high_u)
            u = unit_for(plant, home, high_u, u, occupied, part)
            occupied |= dict.fromkeys(range(u, u + high_u), part)
            number = numbers.setdefault(home, fresh_node(scene, rack))
            numbers[home] += 1
            hall = item_of(scene.scenario, rack).hall
            assert hall is not None
            keys = {"part": part, "u": u} | ({"drained": True} if plant.nodes.drained[slot] else {})
            changes.override(hall.id, f"{rack}/{number}", **keys)
        return changes.patch(self.title)


def node_copies(scene: EditedScene, ids: Sequence[str]) -> tuple[NodeCopy, ...]:
    """Return copies of nodes, rack by rack from below; raises CommandError for an id of no node."""
    nodes = scene.plant.nodes
    return tuple(
        NodeCopy(scene.plant.node_parts[int(nodes.part[slot])], bool(nodes.drained[slot]))
        for slot in _slots(scene, ids)
    )


def heights_u(scene: EditedScene, nodes: Sequence[NodeCopy]) -> list[int]:
    """Return the height of each node [U]; raises CommandError for a node part the catalogue lacks."""
    found = []
    for node in nodes:
        part = scene.catalog.part(node.part) if node.part in scene.catalog else None
        if not isinstance(part, NodePart):
            raise CommandError(tr("{part} is not a node of the catalogue", part=node.part))
        found.append(node_height_u(part))
    return found


def _slots(scene: EditedScene, ids: Sequence[str]) -> list[int]:
    """Return the slots of nodes in the order of their racks and units."""
    nodes = scene.plant.nodes
    slots = []
    for id in dict.fromkeys(ids):
        kind, slot = scene.plant.slots.get(id, ("", -1))
        if kind != "node":
            raise CommandError(tr("there is no node {id!r}", id=id))
        slots.append(slot)
    order = np.lexsort((nodes.u[slots], nodes.rack[slots]))
    return [slots[k] for k in order.tolist()]


def rack_slot(scene: EditedScene, rack: str) -> int:
    """Return the slot of a present rack; raises CommandError without one."""
    kind, slot = scene.plant.slots.get(rack, ("", -1))
    if kind != "rack":
        raise CommandError(tr("there is no rack {rack!r}", rack=rack))
    return slot


def fresh_node(scene: EditedScene, rack: str) -> int:
    """Return the number of the next node of a rack, above all numbers it ever had."""
    slot = rack_slot(scene, rack)
    most = int(scene.plant.racks.node_count[slot]) - 1
    first = int(scene.plant.racks.node_first[slot])
    ids = scene.plant.nodes.ids[first : first + most + 1]
    return max((int(id.rpartition("/")[2]) for id in ids), default=-1) + 1
