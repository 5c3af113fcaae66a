"""Scale-out fabrics: how many switches, where they stand, which cable goes where.

Ordinals count the nodes of a fabric in order, absent ones too: nobody else's ports move when a node goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.plant.error import PlantError
from twin.plant.layout import Layout
from twin.plant.rack_space import RackSpace
from twin.plant.tables import (
    Bools,
    FabricTable,
    Floats,
    Ints,
    NodeLinks,
    PeerLinks,
    RackKind,
    Switches,
    SwitchLinks,
    SwitchRole,
)
from twin.scenario.document import Scenario
from twin.scenario.systems import Fabric, SwitchTier


@dataclass(frozen=True)
class LeafPlan:
    """The leaves of one fabric and who plugs into which."""

    unit: Ints  # of each leaf
    rail: Ints  # of each leaf, -1 when it takes several
    node: Ints  # per cable: node slot
    cable_rail: Ints
    leaf: Ints  # per cable: leaf of this fabric, from 0
    uplinks: int  # of each leaf to the spines


@dataclass(frozen=True)
class Ports:
    """A switch part with its ports split to the speed of the NICs: 64 x 800 Gb/s are 128 x 400 Gb/s."""

    part: str
    height_u: int
    count: int
    bytes_s: float


def ports_of(catalog: Catalog, part: str, nic_bytes_s: float) -> Ports:
    """Return the ports of a switch part for NICs of a speed; raises UnknownPart."""
    switch = catalog.switch(part)
    split = max(1, math.floor(switch.port_bandwidth_bytes_s / nic_bytes_s + 1e-9)) if nic_bytes_s > 0 else 1
    return Ports(
        part, max(1, round(switch.height_u)), switch.ports * split, switch.port_bandwidth_bytes_s / split
    )


def connect_fabrics(
    scenario: Scenario, catalog: Catalog, layout: Layout
) -> tuple[Switches, NodeLinks, SwitchLinks]:
    """Return the switches of all fabrics and their cables, and write the unit of every node, in place.

    Raises
    ------
    PlantError
        When a fabric names a row generator that does not exist, or a leaf has no port for its nodes.
    UnknownPart
        When the catalogue lacks a part.
    """
    layout.nodes.unit[:] = -1
    space = RackSpace(layout)
    tiers: list[_Tier] = []
    node_links: list[tuple[int, LeafPlan, int]] = []
    leaf_links: list[tuple[int, Ints, Ints, Ints]] = []
    first = 0
    for number, fabric in enumerate(scenario.fabrics):
        if fabric.leaf is None:
            raise PlantError(f"fabric {fabric.id!r}: a {fabric.kind} needs the key 'leaf'")
        nodes = nodes_of(fabric, layout)
        nic_bytes_s = float(layout.nodes.nic_bytes_s[nodes].max(initial=0.0))
        leaf_part = ports_of(catalog, fabric.leaf.part, nic_bytes_s)
        plan = plan_leaves(fabric, leaf_part, layout, nodes)
        count = len(plan.unit)
        node_links.append((number, plan, first))
        homes = [
            np.unique(layout.nodes.rack[nodes[nodes_unit]]) for nodes_unit in _by_unit(plan, fabric, nodes)
        ]
        place = space.place(fabric.leaf, leaf_part.height_u, homes, plan.unit)
        tiers.append(_Tier(number, 0, fabric, fabric.leaf, leaf_part, plan.unit, plan.rail, *place))
        if fabric.kind != "single-switch" and fabric.spine is not None and count:
            spine_part = ports_of(catalog, fabric.spine.part, leaf_part.bytes_s)
            leaf, spine, cables = plan_spines(fabric.spine, spine_part, plan)
            spines = int(spine.max()) + 1 if len(spine) else 0
            leaf_links.append((number, first + leaf, first + count + spine, cables))
            everywhere = [np.unique(layout.nodes.rack[nodes])]
            nobody = np.full(spines, -1, np.int32)
            place = space.place(fabric.spine, spine_part.height_u, everywhere, np.zeros(spines, np.int32))
            tiers.append(_Tier(number, 1, fabric, fabric.spine, spine_part, nobody, nobody, *place))
            count += spines
        first += count
    switches = _switches(tiers)
    down = _node_links(node_links, layout.nodes.present, layout.nodes.nic_bytes_s)
    return switches, down, _switch_links(leaf_links, switches)


@dataclass(frozen=True)
class _Tier:
    """Switches of one tier of one fabric."""

    number: int
    level: int
    fabric: Fabric
    tier: SwitchTier
    part: Ports
    unit: Ints
    rail: Ints
    rack: Ints
    u: Ints


def nodes_of(fabric: Fabric, layout: Layout) -> Ints:
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


def plan_leaves(fabric: Fabric, part: Ports, layout: Layout, nodes: Ints) -> LeafPlan:
    """Return the leaves of a fabric by ports, and the cable of every port of every node.

    single-switch: as many switches as the ports need, each node's ports spread over them.
    leaf-spine: a unit shares the fewest leaves whose down-ports suffice, each serving neighbours.
    rail-optimised: port r of every node of a unit goes to leaf r of that unit.
    """
    table = layout.nodes
    unit = (np.arange(len(nodes)) // (fabric.unit_nodes or 32)).astype(np.int32)
    rails = int(table.nics[nodes].max()) if len(nodes) else 0
    if fabric.kind == "single-switch":
        unit[:] = 0
    table.unit[nodes] = np.where(table.unit[nodes] < 0, unit, table.unit[nodes])
    units = int(unit.max()) + 1 if len(nodes) else 0
    node = np.repeat(nodes, table.nics[nodes])
    ordinal = np.repeat(np.arange(len(nodes)), table.nics[nodes])
    first = np.cumsum(table.nics[nodes]) - table.nics[nodes]
    rail = (np.arange(len(node)) - np.repeat(first, table.nics[nodes])).astype(np.int32)
    if fabric.kind == "single-switch":
        per_unit = (fabric.leaf and fabric.leaf.count) or max(1, math.ceil(len(node) / part.count))
        leaf = rail * per_unit // max(1, rails) if per_unit <= rails else np.arange(len(node)) % per_unit
        uplinks, own_rail = 0, np.full(per_unit * units, -1)
    else:
        down = down_ports(part.count, fabric.oversubscription)
        size = min((fabric.unit_nodes or 32), len(nodes))
        within = ordinal % (fabric.unit_nodes or 32)
        if fabric.kind == "rail-optimised":
            split = _leaves_per_unit(fabric, math.ceil(size / down) * rails, units) // max(1, rails)
            split = max(1, split)
            per_unit = split * rails
            leaf = unit[ordinal] * per_unit + (within * split // max(1, size)) * rails + rail
            own_rail = np.arange(per_unit * units) % max(1, rails)
            used = math.ceil(size / split)
        else:
            per_unit = _leaves_per_unit(fabric, math.ceil(size * rails / down), units)
            port = within * rails + rail
            leaf = unit[ordinal] * per_unit + port * per_unit // max(1, size * rails)
            own_rail = np.full(per_unit * units, -1)
            used = math.ceil(size * rails / per_unit) if per_unit else 0
        if used > part.count:
            raise PlantError(
                f"fabric {fabric.id!r}: a leaf would need {used} ports to its nodes and {part.part} has "
                f"{part.count}; use more leaves or smaller units"
            )
        uplinks = min(math.ceil(used / fabric.oversubscription), part.count - used) if fabric.spine else 0
    return LeafPlan(
        unit=np.repeat(np.arange(units), per_unit if units else 0).astype(np.int32),
        rail=own_rail.astype(np.int32),
        node=node.astype(np.int32),
        cable_rail=rail,
        leaf=leaf.astype(np.int32),
        uplinks=uplinks,
    )


def down_ports(ports: int, oversubscription: float) -> int:
    """Return how many ports of a leaf go down when down over up may not exceed the oversubscription.

    >>> down_ports(64, 1.0), down_ports(64, 3.0), down_ports(64, 1.5)
    (32, 48, 38)
    """
    return max(1, math.floor(ports * oversubscription / (1.0 + oversubscription) + 1e-9))


def _leaves_per_unit(fabric: Fabric, needed: int, units: int) -> int:
    """Return the leaves of a unit: by ports, or the number given for the whole fabric shared out."""
    count = fabric.leaf.count if fabric.leaf else None
    return needed if count is None else max(1, math.ceil(count / max(1, units)))


def plan_spines(tier: SwitchTier, part: Ports, plan: LeafPlan) -> tuple[Ints, Ints, Ints]:
    """Return (leaf, spine, cables) for every pair that is connected, counted from 0 in the fabric.

    As many spines as the up-links need, or a few more so that each leaf has equally many cables to every
    spine (a SuperPOD of three units has 16, not 12). Up-links are dealt out in turn, so no spine has more
    than it has ports. When one leaf cannot reach all spines, each rail has its own (rail-optimised fabrics).
    """
    leaves = len(plan.unit)
    total = leaves * plan.uplinks
    if not total:
        empty = np.zeros(0, np.int32)
        return empty, empty, empty
    count = tier.count or even_spines(total, part.count, plan.uplinks)
    rails = int(plan.rail.max()) + 1
    groups = rails if rails > 1 and count > plan.uplinks and count >= rails else 1
    group = plan.rail if groups > 1 else np.zeros(leaves, np.int32)
    if groups > 1 and tier.count is None:
        count = groups * even_spines(total // groups, part.count, plan.uplinks)
    first = np.arange(groups + 1) * count // groups
    place = np.zeros(leaves, np.int64)
    for g in range(groups):
        mine = group == g
        place[mine] = np.arange(mine.sum())
    leaf = np.repeat(np.arange(leaves), plan.uplinks)
    turn = place[leaf] * plan.uplinks + np.tile(np.arange(plan.uplinks), leaves)
    size = first[group[leaf] + 1] - first[group[leaf]]
    spine = first[group[leaf]] + turn % size
    pair, cables = np.unique(leaf * count + spine, return_counts=True)
    return (pair // count).astype(np.int32), (pair % count).astype(np.int32), cables.astype(np.int32)


def even_spines(cables: int, ports: int, uplinks: int) -> int:
    """Return the fewest spines with ports for all cables, or up to a third more for up-links that divide evenly.

    >>> [even_spines(256 * units, 64, 32) for units in (1, 2, 3, 4)]
    [4, 8, 16, 16]
    """
    needed = max(1, math.ceil(cables / ports))
    return next((n for n in range(needed, needed * 4 // 3 + 1) if uplinks % n == 0), needed)


def _by_unit(plan: LeafPlan, fabric: Fabric, nodes: Ints) -> list[slice]:
    """Return the nodes of each unit that has leaves, as slices of the fabric's nodes."""
    units = int(plan.unit.max()) + 1 if len(plan.unit) else 0
    if fabric.kind == "single-switch":
        return [slice(0, len(nodes))][:units]
    return [slice(u * (fabric.unit_nodes or 32), (u + 1) * (fabric.unit_nodes or 32)) for u in range(units)]


def _switches(tiers: list[_Tier]) -> Switches:
    def column(name: str) -> Ints:
        return np.concatenate([*(getattr(t, name) for t in tiers), np.zeros(0, np.int32)]).astype(np.int32)

    def repeated(values: list[float]) -> np.ndarray:
        return np.repeat(values, sizes) if tiers else np.zeros(0)

    sizes = [len(t.unit) for t in tiers]
    return Switches(
        ids=[f"{t.fabric.id}/{t.level}/{i}" for t, n in zip(tiers, sizes, strict=True) for i in range(n)],
        rack=column("rack"),
        u=column("u"),
        height_u=repeated([t.part.height_u for t in tiers]).astype(np.int32),
        part=[t.part.part for t, n in zip(tiers, sizes, strict=True) for _ in range(n)],
        role=repeated([SwitchRole.SPINE if t.level else SwitchRole.LEAF for t in tiers]).astype(np.int32),
        fabric=repeated([t.number for t in tiers]).astype(np.int32),
        unit=column("unit"),
        rail=column("rail"),
        plane=np.full(sum(sizes), -1, np.int32),
        ports=repeated([t.part.count for t in tiers]).astype(np.int32),
        port_bytes_s=repeated([t.part.bytes_s for t in tiers]).astype(np.float64),
        present=np.ones(sum(sizes), np.bool_),
    )


def _node_links(plans: list[tuple[int, LeafPlan, int]], present: Bools, nic_bytes_s: Floats) -> NodeLinks:
    fabric = np.concatenate([*(np.full(len(p.node), n) for n, p, _ in plans), np.zeros(0)])
    rail = np.concatenate([*(p.cable_rail for _, p, _ in plans), np.zeros(0)])
    node = np.concatenate([*(p.node for _, p, _ in plans), np.zeros(0)]).astype(np.int32)
    leaf = np.concatenate([*(first + p.leaf for _, p, first in plans), np.zeros(0)])
    there = present[node]
    return NodeLinks(
        fabric[there].astype(np.int32),
        rail[there].astype(np.int32),
        node[there],
        leaf[there].astype(np.int32),
        rail[there].astype(np.int32),
        np.zeros(int(there.sum()), np.int32),
        nic_bytes_s[node[there]],
    )


def _switch_links(links: list[tuple[int, Ints, Ints, Ints]], switches: Switches) -> SwitchLinks:
    def column(index: int) -> Ints:
        return np.concatenate([*(link[index] for link in links), np.zeros(0)]).astype(np.int32)

    fabric = np.concatenate([*(np.full(len(leaf), n) for n, leaf, _, _ in links), np.zeros(0)])
    lower, cables = column(1), column(3)
    return SwitchLinks(
        fabric.astype(np.int32), lower, column(2), cables, cables * switches.port_bytes_s[lower]
    )


def fabric_table(scenario: Scenario, catalog: Catalog) -> FabricTable:
    """Return what the fabrics of a scenario are."""
    return FabricTable(
        kind=[fabric.kind for fabric in scenario.fabrics],
        technology=[_technology(fabric, catalog) for fabric in scenario.fabrics],
        routing=[fabric.routing or "" for fabric in scenario.fabrics],
    )


def _technology(fabric: Fabric, catalog: Catalog) -> str:
    if fabric.technology is not None or fabric.leaf is None:
        return fabric.technology or ""
    return str(getattr(catalog.switch(fabric.leaf.part), "technology", None) or "")


def no_peer_links() -> PeerLinks:
    """Return an empty table."""
    none = np.zeros(0, np.int32)
    return PeerLinks(none, none, none, none, none, np.zeros(0))
