"""The outliner's trees along the cables, the power and the coolant. No widgets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from twin.app.outliner.labels import Seed, switch_seed
from twin.arrays import Ints32
from twin.language import counted, tr
from twin.plant.tables import LoopKind, Plant, SwitchRole
from twin.scenario.schema.document import Scenario

_TIERS = ((SwitchRole.CORE, tr("Core")), (SwitchRole.SPINE, tr("Spine")), (SwitchRole.LEAF, tr("Leaf")))


def network(scenario: Scenario, plant: Plant) -> list[Seed]:
    """Return fabrics, their tiers, switches, and what hangs on each switch."""
    return [
        Seed(fabric.id, fabric.id, fabric.kind.replace("-", " "), "switch", _fabric(plant, number))
        for number, fabric in enumerate(scenario.fabrics)
    ]


def _fabric(plant: Plant, number: int) -> Callable[[], list[Seed]]:
    switches = plant.switches

    def tiers() -> list[Seed]:
        seeds = []
        for role, title in _TIERS:
            tier_switches = np.flatnonzero(
                switches.present & (switches.fabric == number) & (switches.role == role)
            )
            if len(tier_switches):
                seeds.append(
                    Seed(
                        "",
                        title,
                        counted(len(tier_switches), "switch"),
                        "switch",
                        _switches(plant, tier_switches),
                    )
                )
        if not seeds:  # a ring or torus: nodes are plugged into one another
            peers = plant.peer_links
            nodes = np.unique(peers.a[peers.fabric == number])
            seeds = [node_seed(plant, node) for node in nodes.tolist()]
        return seeds

    return tiers


def _switches(plant: Plant, slots: NDArray[np.int64]) -> Callable[[], list[Seed]]:
    return lambda: [switch_seed(plant, slot, _plugged(plant, slot)) for slot in slots.tolist()]


def _plugged(plant: Plant, switch: int) -> Callable[[], list[Seed]]:
    """Return what makes the lines of a switch: nodes of a leaf, lower switches of the others."""

    def inside() -> list[Seed]:
        if plant.switches.role[switch] == SwitchRole.LEAF:
            links = plant.node_links
            nodes = np.unique(links.node[links.leaf == switch])
            return [node_seed(plant, node) for node in nodes.tolist()]
        lower = np.unique(plant.switch_links.lower[plant.switch_links.upper == switch])
        return [switch_seed(plant, slot) for slot in lower.tolist()]

    return inside


def node_seed(plant: Plant, node: int) -> Seed:
    """Return the line of a node at the end of a cable."""
    rack = plant.racks.ids[int(plant.nodes.rack[node])]
    return Seed(plant.nodes.ids[node], plant.nodes.ids[node], tr("in {rack}", rack=rack), "node")


def power(scenario: Scenario, plant: Plant) -> list[Seed]:
    """Return the power tree from its roots to the racks and machines that depend on it."""
    items = plant.power
    hanging: dict[int, list[int]] = {}
    for item in np.flatnonzero(items.present).tolist():
        parent = int(items.parent[item])
        hanging.setdefault(parent if parent >= 0 else -1, []).append(item)
    fed = _Fed(plant)

    def seed(item: int) -> Seed:
        below, racks = hanging.get(item, []), fed.count(item)
        if below:
            note = f"{items.kind[item]}, {counted(len(below), 'item')}"
        else:
            note = f"{items.kind[item]}, {counted(racks, 'rack')}" if racks else items.kind[item]
        make = (lambda: [*map(seed, below), *fed.seeds(item)]) if below or fed.any(item) else None
        return Seed(items.ids[item], items.ids[item], note, "bolt", make)

    seeds = [seed(item) for item in hanging.get(-1, [])]
    unfed = np.flatnonzero(plant.racks.present & (plant.racks.feed_a < 0) & (plant.racks.feed_b < 0))
    if len(unfed):
        seeds.append(Seed("", tr("On no feed"), counted(len(unfed), "rack"), "warning", _racks(plant, unfed)))
    return seeds


class _Fed:
    """What hangs on each item itself: racks, loops, facility loops."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        self._racks = _by_feed(plant.racks.feed_a, plant.racks.feed_b, np.flatnonzero(plant.racks.present))
        self._loops = _by_feed(plant.loops.feed_a, plant.loops.feed_b, np.flatnonzero(plant.loops.present))
        self._plants = _by_feed(plant.plants.feed_a, plant.plants.feed_b, np.arange(len(plant.plants.ids)))

    def count(self, item: int) -> int:
        return len(self._racks.get(item, ()))

    def any(self, item: int) -> bool:
        return item in self._racks or item in self._loops or item in self._plants

    def seeds(self, item: int) -> list[Seed]:
        plant = self._plant
        racks = _racks(plant, np.array(self._racks.get(item, []), np.int64))()
        loops = [
            Seed(plant.loops.ids[k], plant.loops.labels[k], plant.loops.part[k], "loop")
            for k in self._loops.get(item, [])
        ]
        water = [
            Seed(plant.plants.ids[k], plant.plants.ids[k], plant.plants.part[k], "loop")
            for k in self._plants.get(item, [])
        ]
        return [*racks, *loops, *water]


def _by_feed(feed_a: Ints32, feed_b: Ints32, slots: NDArray[np.int64]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for feed in (feed_a, feed_b):
        for slot, item in zip(slots.tolist(), feed[slots].tolist(), strict=True):
            if item >= 0 and slot not in found.get(item, [])[-1:]:
                found.setdefault(item, []).append(slot)
    return found


def _racks(plant: Plant, slots: NDArray[np.int64]) -> Callable[[], list[Seed]]:
    racks = plant.racks
    return lambda: [Seed(racks.ids[k], racks.ids[k], racks.part[k], "rack") for k in slots.tolist()]


def coolant(scenario: Scenario, plant: Plant) -> list[Seed]:
    """Return facility water, the loops that give it their heat, and the racks that each cools."""
    loops, racks = plant.loops, plant.racks
    present = np.flatnonzero(loops.present)

    def cooled(loop: int) -> NDArray[np.int64]:
        by_air = LoopKind(int(loops.kind[loop])).by_air
        column = racks.air_loop if by_air else racks.loop
        return np.flatnonzero(racks.present & (column == loop))

    def loop_seed(loop: int) -> Seed:
        racks = cooled(loop)
        note = f"{loops.part[loop]}, {counted(len(racks), 'rack')}"
        make = _racks(plant, racks) if len(racks) else None
        return Seed(loops.ids[loop], loops.labels[loop], note, "loop", make)

    def maker(water: int) -> Callable[[], list[Seed]]:
        return lambda: [loop_seed(k) for k in present[loops.plant[present] == water].tolist()]

    seeds = []
    for water, id in enumerate(plant.plants.ids):
        number = int((loops.plant[present] == water).sum())
        note = f"{plant.plants.part[water]}, {counted(number, 'loop')}"
        seeds.append(Seed(id, id, note, "loop", maker(water)))
    warm = np.flatnonzero(racks.present & (racks.loop < 0) & (racks.air_loop < 0))
    if len(warm):
        seeds.append(Seed("", tr("On no loop"), counted(len(warm), "rack"), "warning", _racks(plant, warm)))
    return seeds
