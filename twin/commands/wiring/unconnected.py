"""Items without network, power or cooling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from twin.arrays import Bools
from twin.commands.edit.command import EditedScene
from twin.language import counted, tr
from twin.plant.tables import LoopKind

Connection = Literal["fabric", "power", "coolant"]
Side = Literal["liquid", "air"]


@dataclass(frozen=True)
class Loose:
    """An unconnected generator.

    Attributes
    ----------
    connection
        The missing connection.
    id
        Generator it belongs to.
    count
        How many of its racks, nodes or machines.
    reason
        For people: "gpu: 8 racks have no feed B".
    second
        Whether only the second of two feeds is missing.
    side
        Of what lacks cooling: what does not take its heat.
    """

    connection: Connection
    id: str
    count: int
    reason: str
    second: bool = False
    side: Side | None = None


def wired(scene: EditedScene) -> list[Loose]:
    """Return all unconnected items, by generator."""
    return [*unlinked(scene), *unfed(scene), *uncooled(scene)]


def _by_generator(ids: list[str], hit: Bools) -> list[tuple[str, int]]:
    found: dict[str, int] = {}
    for slot in np.flatnonzero(hit).tolist():
        name = ids[slot].partition("/")[0]
        found[name] = found.get(name, 0) + 1
    return list(found.items())


def unlinked(scene: EditedScene) -> list[Loose]:
    """Return which nodes are in no network, by generator."""
    plant = scene.plant
    nodes = plant.nodes
    if not scene.scenario.fabrics and int(nodes.present.sum()) < 2:
        return []
    linked = np.zeros(len(nodes.ids), np.bool_)
    linked[plant.node_links.node] = True
    linked[plant.peer_links.a] = linked[plant.peer_links.b] = True
    rows = [plant.racks.ids[rack] for rack in nodes.rack.tolist()]
    loose = _by_generator(rows, nodes.present & (nodes.nics > 0) & ~linked)
    return [
        Loose(
            "fabric",
            name,
            count,
            tr("{name}: {nodes} in no fabric", name=name, nodes=counted(count, "node")),
        )
        for name, count in loose
    ]


def unfed(scene: EditedScene) -> list[Loose]:
    """Return items without power, or without a second feed where others have one."""
    plant = scene.plant
    racks, loops = plant.racks, plant.loops
    found: list[Loose] = []
    tables = (
        ("rack", racks.ids, racks.feed_a, racks.feed_b, racks.present & ~_empty(scene)),
        ("loop", loops.ids, loops.feed_a, loops.feed_b, loops.present),
        (
            tr("facility loop"),
            plant.plants.ids,
            plant.plants.feed_a,
            plant.plants.feed_b,
            np.ones(len(plant.plants.ids), np.bool_),
        ),
    )
    two = any((table[3] >= 0).any() for table in tables[:1])
    for word, ids, feed_a, feed_b, present in tables:
        if word != "rack" and not scene.scenario.power:
            continue
        for name, count in _by_generator(ids, present & (feed_a < 0)):
            found.append(
                Loose(
                    "power",
                    name,
                    count,
                    tr("{name}: {count} without power", name=name, count=counted(count, word)),
                )
            )
        if word == "rack" and two:
            for name, count in _by_generator(ids, present & (feed_a >= 0) & (feed_b < 0)):
                reason = tr("{name}: {count} without a feed B", name=name, count=counted(count, word))
                found.append(Loose("power", name, count, reason, second=True))
    return found


def _empty(scene: EditedScene) -> Bools:
    """Return which racks hold nothing that draws power."""
    plant = scene.plant
    held = np.zeros(len(plant.racks.ids), np.bool_)
    held[plant.nodes.rack[plant.nodes.present]] = True
    held[plant.switches.rack[plant.switches.rack >= 0]] = True
    held[plant.storage.rack[plant.storage.rack >= 0]] = True
    return ~held


def uncooled(scene: EditedScene) -> list[Loose]:
    """Return the nodes without cooling."""
    plant = scene.plant
    nodes, racks = plant.nodes, plant.racks
    present = nodes.present
    wet = racks.loop[nodes.rack] >= 0
    tank = (
        wet & (plant.loops.kind[np.maximum(racks.loop[nodes.rack], 0)] == LoopKind.IMMERSION)
        if len(plant.loops.ids)
        else wet
    )
    rows = [racks.ids[rack] for rack in nodes.rack.tolist()]
    dry = present & ~tank & (racks.air_loop[nodes.rack] < 0)
    sides: tuple[tuple[Side, str, Bools], ...] = (
        ("liquid", tr("with cold plates on no coolant loop"), present & nodes.liquid & ~wet),
        ("air", tr("without air cooling"), dry),
    )
    return [
        Loose("coolant", name, count, f"{name}: {counted(count, 'node')} {lacking}", side=side)
        for side, lacking, hit in sides
        for name, count in _by_generator(rows, hit)
    ]
