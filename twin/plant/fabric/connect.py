"""All fabrics of a scenario as tables: switches with their places in racks, and every cable.

Numbers in a fabric count its nodes in order, absent ones too: ports of other nodes stay when a node goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from twin.arrays import Floats, Ints32
from twin.catalog import Catalog
from twin.plant.error import PlantError
from twin.plant.fabric.explicit import explicit
from twin.plant.fabric.leaf_spine import leaf_spine
from twin.plant.fabric.pods import dragonfly_plus, fat_tree
from twin.plant.fabric.torus import torus
from twin.plant.fabric.wiring import FabricTier, Wiring
from twin.plant.layout import Layout
from twin.plant.rack_space import RackSpace
from twin.plant.tables import FabricTable, NodeLinks, Nodes, PeerLinks, RackKind, Switches, SwitchLinks
from twin.scenario.checks.fabric_size import Misfit, Size, size_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.systems import Fabric, SwitchTier


@dataclass(frozen=True)
class FabricCables:
    """Every cable of every fabric."""

    nodes: NodeLinks
    switches: SwitchLinks
    peers: PeerLinks


@dataclass(frozen=True)
class _Connected:
    """One fabric: its nodes (slots), its cables, and the slot of its first switch."""

    fabric: Fabric
    nodes: Ints32
    wiring: Wiring
    first: int


@dataclass(frozen=True)
class _Placed:
    """A tier with the racks its switches stand in."""

    fabric: int
    id: str
    tier: FabricTier
    rack: Ints32
    u: Ints32


def connect_fabrics(scenario: Scenario, catalog: Catalog, layout: Layout) -> tuple[Switches, FabricCables]:
    """Return the switches of all fabrics and their cables, and write the unit of every node, in place.

    Raises
    ------
    PlantError
        When a fabric names a row generator that does not exist, or cannot be built as it says.
    UnknownPart
        When the catalogue lacks a part.
    """
    layout.nodes.unit[:] = -1
    space = RackSpace(layout)
    placed: list[_Placed] = []
    connected: list[_Connected] = []
    first = 0
    fabrics = scenario.fabrics if len(layout.racks.ids) else ()  # else nothing of them stands anywhere yet
    for number, fabric in enumerate(fabrics):
        nodes = nodes_of(fabric, layout)
        wiring = wire(fabric, catalog, layout.nodes, nodes)
        unit = layout.nodes.unit[nodes]
        layout.nodes.unit[nodes] = np.where(unit < 0, wiring.unit, unit)
        connected.append(_Connected(fabric, nodes, wiring, first))
        for tier in wiring.tiers:
            rack, u = _place(space, fabric, tier, layout, nodes, wiring.unit)
            placed.append(_Placed(number, f"{fabric.id}/{tier.level}", tier, rack, u))
            first += len(tier)
    switches = _switches(placed)
    return switches, FabricCables(
        _node_links(connected, layout.nodes, switches),
        _switch_links(connected, switches),
        _peer_links(connected, layout.nodes),
    )


def fabric_table(scenario: Scenario, catalog: Catalog) -> FabricTable:
    """Return kind, technology and routing of the fabrics of a scenario."""
    return FabricTable(
        kind=[fabric.kind for fabric in scenario.fabrics],
        technology=[_technology(fabric, catalog) for fabric in scenario.fabrics],
        routing=[fabric.routing or "" for fabric in scenario.fabrics],
    )


def _technology(fabric: Fabric, catalog: Catalog) -> str:
    if fabric.technology is not None or fabric.leaf is None:
        return fabric.technology or ""
    return catalog.switch(fabric.leaf.part).technology or ""


def nodes_of(fabric: Fabric, layout: Layout) -> Ints32:
    """Return the node slots a fabric connects, in order: those of its rows, else all with scale-out ports."""
    racks, nodes = layout.racks, layout.nodes
    connected = np.zeros(len(racks.ids), np.bool_)
    for name in fabric.rows:
        if name not in layout.generator_racks:
            raise PlantError(f"fabric {fabric.id!r}: no row generator is called {name!r}")
        connected[layout.generator_racks[name]] = True
    if not fabric.rows:
        connected = racks.kind == RackKind.COMPUTE
    return np.flatnonzero(connected[nodes.rack] & (nodes.nics > 0)).astype(np.int32)


def wire(fabric: Fabric, catalog: Catalog, table: Nodes, nodes: Ints32) -> Wiring:
    """Return the cables of one fabric between its nodes (slots of `table`); raises PlantError, UnknownPart."""
    cards = table.nics[nodes]
    speed = float(table.nic_bytes_s[nodes].max(initial=0.0))
    try:
        size = size_of(fabric, catalog, len(nodes), int(cards.max(initial=0)), speed)
    except Misfit as wrong:
        raise PlantError(f"fabric {fabric.id!r}: {wrong}") from None
    return wiring_of(fabric, size, cards, [table.ids[node] for node in nodes])


def wiring_of(fabric: Fabric, size: Size, cards: Ints32, node_ids: list[str]) -> Wiring:
    """Return the cables of a fabric of known size; `cards` are the network cards of each node."""
    leaf, spine, core = size.leaf, size.spine, size.core
    if fabric.kind == "explicit":
        return explicit(fabric, size, cards, node_ids)
    if leaf is None:
        return torus(size, cards)
    if fabric.kind == "fat-tree" and spine is not None and core is not None:
        return fat_tree(fabric, size, leaf, spine, core, cards)
    if fabric.kind == "dragonfly-plus" and spine is not None:
        return dragonfly_plus(fabric, size, leaf, spine, cards)
    return leaf_spine(fabric, size, leaf, cards)


def _place(
    space: RackSpace, fabric: Fabric, tier: FabricTier, layout: Layout, nodes: Ints32, unit: Ints32
) -> tuple[Ints32, Ints32]:
    """Return rack and lowest unit of the switches of a tier: with the nodes of their unit, or among all."""
    switch_tier: SwitchTier | None = (fabric.leaf, fabric.spine, fabric.core)[tier.level]
    racks = layout.nodes.rack[nodes]
    if len(tier) and (tier.unit >= 0).all():
        homes = [np.unique(racks[unit == number]) for number in range(int(tier.unit.max()) + 1)]
        return space.place(switch_tier, tier.ports, homes, tier.unit)
    return space.place(switch_tier, tier.ports, [np.unique(racks)], np.zeros(len(tier), np.int32))


def _switches(placed: list[_Placed]) -> Switches:
    tiers = [placement.tier for placement in placed]
    sizes = [len(tier) for tier in tiers]

    def repeated(values: list[int] | list[float], kind: DTypeLike) -> np.ndarray:
        return np.repeat(np.array(values, kind), sizes)

    def column(name: str) -> Ints32:
        return _joined([getattr(tier, name) for tier in tiers])

    return Switches(
        ids=[f"{placement.id}/{n}" for placement in placed for n in range(len(placement.tier))],
        rack=_joined([placement.rack for placement in placed]),
        u=_joined([placement.u for placement in placed]),
        height_u=repeated([tier.ports.height_u for tier in tiers], np.int32),
        part=[tier.ports.part for tier in tiers for _ in range(len(tier))],
        role=repeated([tier.level for tier in tiers], np.int32),
        fabric=repeated([placement.fabric for placement in placed], np.int32),
        unit=column("unit"),
        rail=column("rail"),
        plane=column("plane"),
        ports=repeated([tier.ports.count for tier in tiers], np.int32),
        port_bytes_s=repeated([tier.ports.bytes_s for tier in tiers], np.float64),
        present=np.ones(sum(sizes), np.bool_),
    )


def _node_links(connected: list[_Connected], nodes: Nodes, switches: Switches) -> NodeLinks:
    cards = [entry.wiring.cards for entry in connected]
    node = _joined([entry.nodes[cables.node] for entry, cables in zip(connected, cards, strict=True)])
    leaf = _joined([entry.first + cables.switch for entry, cables in zip(connected, cards, strict=True)])
    homes = np.repeat([entry.fabric.homes for entry in connected], [len(cables.node) for cables in cards])
    nic, plane = _joined([cables.nic for cables in cards]), _joined([cables.plane for cables in cards])
    present = nodes.present[node]
    speed = np.minimum(nodes.nic_bytes_s[node] / homes, switches.port_bytes_s[leaf])
    fabric = _numbers(connected, [len(cables.node) for cables in cards])
    return NodeLinks(
        fabric[present],
        nic[present],
        node[present],
        leaf[present],
        nic[present],
        plane[present],
        speed[present],
    )


def _switch_links(connected: list[_Connected], switches: Switches) -> SwitchLinks:
    pairs = [entry.wiring.switches for entry in connected]
    lower = _joined([entry.first + pair.lower for entry, pair in zip(connected, pairs, strict=True)])
    upper = _joined([entry.first + pair.upper for entry, pair in zip(connected, pairs, strict=True)])
    cables = _joined([pair.cables for pair in pairs])
    speed: Floats = np.minimum(switches.port_bytes_s[lower], switches.port_bytes_s[upper])
    fabric = _numbers(connected, [len(pair.lower) for pair in pairs])
    return SwitchLinks(fabric, lower, upper, cables, speed * cables)


def _peer_links(connected: list[_Connected], nodes: Nodes) -> PeerLinks:
    peers = [entry.wiring.peers for entry in connected]
    a = _joined([entry.nodes[pair.a] for entry, pair in zip(connected, peers, strict=True)])
    b = _joined([entry.nodes[pair.b] for entry, pair in zip(connected, peers, strict=True)])
    axis, cables = _joined([pair.axis for pair in peers]), _joined([pair.cables for pair in peers])
    present = nodes.present[a] & nodes.present[b]
    speed: Floats = np.minimum(nodes.nic_bytes_s[a], nodes.nic_bytes_s[b])
    fabric = _numbers(connected, [len(pair.a) for pair in peers])
    return PeerLinks(
        fabric[present], axis[present], a[present], b[present], cables[present], (speed * cables)[present]
    )


def _joined(columns: list[Ints32]) -> Ints32:
    return np.concatenate([*columns, np.zeros(0)]).astype(np.int32)


def _numbers(connected: list[_Connected], sizes: list[int]) -> Ints32:
    """Return the number of the fabric for each of its cables."""
    return np.repeat(np.arange(len(connected), dtype=np.int32), sizes)
