"""What falls if one thing falls: power items, loops, facility loops and switches whose loss takes GPUs along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import rustworkx as rx

from twin.arrays import Bools, Ints32, Ints64
from twin.catalog import Catalog
from twin.physics.hydraulics import parallel_flow_fraction
from twin.plant.cut_off import cut_off
from twin.plant.dependencies import blast_radius, racks_lost
from twin.plant.design_load import loop_machines_needed
from twin.plant.find import entity_id
from twin.plant.graph import switch_graph
from twin.plant.links import Links, links_of
from twin.plant.tables import Kind, LoopKind, Plant, SwitchRole

System = Literal["power", "cooling", "network"]

AT_ONCE = 256
"""Failures that are looked at together: as many columns as fit the cache."""
ENOUGH_WATER = 0.9
"""Share of the facility flow that the other pumps must keep when one stops: valves make up for the rest [est]."""


@dataclass(frozen=True, eq=False)
class SinglePoint:
    """A thing whose loss takes GPUs along.

    Attributes
    ----------
    system
        What they lose.
    kind, slot, id
        The thing.
    nodes
        Slots of the nodes that fall.
    gpus
        How many GPUs they have.
    needed, spare
        Machines in it that the others need, and those beyond: one of these may fail, all together may not.
    """

    system: System
    kind: Kind
    slot: int
    id: str
    nodes: Ints32
    gpus: int
    needed: int = 1
    spare: int = 0


def single_points(plant: Plant, catalog: Catalog, links: Links | None = None) -> list[SinglePoint]:
    """Return the things whose lasting loss takes GPUs along, worst first; about 40 ms at 16,384 GPUs.

    A power item takes along what `blast_radius` says, and nodes whose switches it leaves dark; a switch the nodes
    that `cut_off` says.

    Parameters
    ----------
    links
        Of the plant, if worked out already.
    """
    network = _Network(plant, links if links is not None else links_of(plant))
    found = [*_of_power(plant, network), *_of_cooling(plant, catalog), *_of_network(plant, network)]
    return sorted(found, key=lambda point: -point.gpus)


def _point(
    plant: Plant, system: System, kind: Kind, slot: int, nodes: Bools, needed: int = 1, spare: int = 0
) -> Iterator[SinglePoint]:
    gpus = int(plant.nodes.gpu_count[nodes].sum())
    if gpus:
        hit = np.flatnonzero(nodes).astype(np.int32)
        yield SinglePoint(system, kind, slot, entity_id(plant, kind, slot), hit, gpus, needed, spare)


def _of_power(plant: Plant, network: _Network) -> Iterator[SinglePoint]:
    power, nodes = plant.power, plant.nodes
    items = np.flatnonzero(power.present).astype(np.int32)
    for first in range(0, len(items), AT_ONCE):
        some = items[first : first + AT_ONCE]
        unpowered, uncooled = racks_lost(plant, some)
        for column in np.flatnonzero((unpowered | uncooled).any(axis=0)).tolist():
            dark, item = unpowered[:, column], int(some[column])
            hit = (dark | uncooled[:, column])[nodes.rack] & nodes.present
            hit |= network.apart(dark[plant.switches.rack] & (plant.switches.rack >= 0))
            needed, units = int(power.needed[item]), int(power.units[item])
            yield from _point(plant, "power", "power", item, hit, needed, units - needed)


def _of_cooling(plant: Plant, catalog: Catalog) -> Iterator[SinglePoint]:
    needed, spare = loop_machines_needed(plant, catalog), loop_spares(plant, catalog)
    for loop in np.flatnonzero(plant.loops.present).tolist():
        hit = _marked(plant, blast_radius(plant, "loop", loop).nodes)
        yield from _point(plant, "cooling", "loop", loop, hit, int(needed[loop]), int(spare[loop]))
    spare = plant_spares(plant)
    for source in np.flatnonzero(plant.plants.present).tolist():
        hit = _marked(plant, blast_radius(plant, "plant", source).nodes)
        yield from _point(
            plant, "cooling", "plant", source, hit, int(plant.plants.needed[source]), int(spare[source])
        )


def loop_spares(plant: Plant, catalog: Catalog) -> Ints64:
    """Return the spare machines of each loop, 0 where the loss of one is felt, shape (L,).

    CDUs and air handlers beyond those its heat needs; and drives that make up for a lost pump.
    """
    loops = plant.loops
    more = np.asarray(loops.units - loop_machines_needed(plant, catalog), np.int64)
    drives = (loops.pumps > 1) & np.isfinite(loops.recover_s)
    return np.where(drives & (loops.kind != LoopKind.REAR_DOOR), np.maximum(more, 0), 0)


def plant_spares(plant: Plant) -> Ints64:
    """Return the spare chillers, towers or coolers of each facility loop, 0 where the loss of a pump is felt."""
    plants = plant.plants
    pumps = np.maximum(plants.pumps, 1)
    flows = np.asarray(parallel_flow_fraction(pumps - 1, pumps)) >= ENOUGH_WATER
    return np.where(flows, np.maximum(plants.units - plants.needed, 0), 0).astype(np.int64)


def _of_network(plant: Plant, network: _Network) -> Iterator[SinglePoint]:
    switches = plant.switches
    for switch in np.flatnonzero(switches.present).tolist():
        yield from _point(plant, "network", "switch", switch, network.apart_from(switch))


class _Network:
    """Which nodes a set of dead switches cuts off."""

    def __init__(self, plant: Plant, links: Links) -> None:
        self._plant, self._links = plant, links
        down = plant.node_links
        card = np.stack([down.fabric, down.node, down.nic])
        _, self._card = np.unique(card, axis=1, return_inverse=True)
        self._card = self._card.reshape(-1)
        cards = int(self._card.max(initial=-1)) + 1
        self._cables = np.bincount(self._card, minlength=cards)
        self._node = np.zeros(cards, np.int64)
        self._node[self._card] = down.node
        self._joints = self._joints_of()
        self._known: dict[bytes, Bools] = {}

    def apart_from(self, switch: int) -> Bools:
        """Return the nodes that the loss of one switch cuts off."""
        return self.apart(np.arange(len(self._plant.switches.ids)) == switch)

    def apart(self, dead: Bools) -> Bools:
        """Return the nodes that dead switches cut off: cards without a live leaf, or apart from the others."""
        if not dead.any():
            return np.zeros(len(self._plant.nodes.ids), np.bool_)
        key = dead.tobytes()
        if key not in self._known:
            few = int(np.count_nonzero(dead)) == 1 and not (dead & self._joints).any()
            between = dead & (self._plant.switches.role > SwitchRole.LEAF)
            self._known[key] = self._leafless(dead) if few or not between.any() else self._exact(dead)
        return self._known[key]

    def _leafless(self, dead: Bools) -> Bools:
        """Return the nodes with a card whose leaves are all dead: no other switch hangs on a leaf."""
        hit = np.zeros(len(self._plant.nodes.ids), np.bool_)
        lost = np.bincount(self._card, dead[self._plant.node_links.leaf], minlength=len(self._cables))
        hit[self._node[lost == self._cables]] = True
        return hit & self._plant.nodes.present

    def _exact(self, dead: Bools) -> Bools:
        bytes_s = self._links.bytes_s.copy()
        bytes_s[self._links.of_switches(dead)] = 0.0
        return cut_off(self._plant, self._links, bytes_s) & self._plant.nodes.present

    def _joints_of(self) -> Bools:
        """Return the switches without which those that are left do not all reach one another."""
        joints = np.zeros(len(self._plant.switches.ids), np.bool_)
        for fabric in range(len(self._plant.fabrics)):
            graph = switch_graph(self._plant, fabric)
            slots = graph.nodes()
            joints[[slots[place] for place in rx.articulation_points(graph)]] = True
            alone = [slots[place] for place in graph.node_indices() if not graph.degree(place)]
            joints[alone] = True
        return joints


def _marked(plant: Plant, nodes: Ints32) -> Bools:
    hit = np.zeros(len(plant.nodes.ids), np.bool_)
    hit[nodes] = True
    return hit
