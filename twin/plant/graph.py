"""The fabric as a graph, power paths, and fault domains in both directions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import rustworkx as rx

from twin.arrays import Bools, Ints32
from twin.plant.find import describe, entity_id, find
from twin.plant.tables import Kind, Plant

__all__ = [
    "Domains",
    "Rails",
    "describe",
    "domain_of",
    "entity_id",
    "find",
    "lost_rails",
    "nodes_at",
    "nodes_under",
    "power_path",
    "rails",
    "switch_graph",
]


@dataclass(frozen=True)
class Domains:
    """All supplies and places of one node, as slots; -1 or empty where there is none."""

    rack: int
    row: int
    hall: int
    loop: int  # that takes the heat of its GPUs
    air_loop: int
    plant: int  # facility loop behind `loop`
    feed_a: int
    feed_b: int
    path_a: tuple[int, ...]  # power items from the feed up to the grid
    path_b: tuple[int, ...]
    unit: int  # scalable unit
    leaves: tuple[int, ...]  # leaf switches, by rail and plane


@dataclass(frozen=True)
class Rails:
    """Every cable from a node to a leaf, and the leaf it reaches; a dual-homed card has two."""

    node: Ints32
    rail: Ints32
    plane: Ints32
    fabric: Ints32
    alive: Bools  # its leaf stands
    island: Ints32  # ports of one number reach one another through switches, -1 when not alive


def domain_of(plant: Plant, node: int) -> Domains:
    """Return supplies and places of the node in slot `node`."""
    racks = plant.racks
    rack = int(plant.nodes.rack[node])
    loop = int(plant.nodes.loop[node])
    of_node = plant.node_links.node == node
    order = np.lexsort((plant.node_links.plane[of_node], plant.node_links.rail[of_node]))
    return Domains(
        rack=rack,
        row=int(racks.row[rack]),
        hall=int(racks.hall[rack]),
        loop=loop,
        air_loop=int(racks.air_loop[rack]),
        plant=int(plant.loops.plant[loop]) if loop >= 0 else -1,
        feed_a=int(racks.feed_a[rack]),
        feed_b=int(racks.feed_b[rack]),
        path_a=power_path(plant, int(racks.feed_a[rack])),
        path_b=power_path(plant, int(racks.feed_b[rack])),
        unit=int(plant.nodes.unit[node]),
        leaves=tuple(plant.node_links.leaf[of_node][order].tolist()),
    )


def power_path(plant: Plant, item: int) -> tuple[int, ...]:
    """Return the power items from `item` up to the grid, `item` first; empty for -1."""
    path = []
    while item >= 0:
        path.append(item)
        item = int(plant.power.parent[item])
    return tuple(path)


def nodes_under(plant: Plant, kind: Kind, slot: int) -> Ints32:
    """Return the present nodes (slots) that the failure of a component concerns: its blast radius.

    A loop or facility loop: nodes whose GPUs it cools. A power item: nodes of racks with a feed below it,
    also those that keep their other feed (`twin.plant.dependencies` tells them apart). A switch: nodes with a cable to
    it, or to a switch below it. A store: all.
    """
    nodes, racks = plant.nodes, plant.racks
    every = np.arange(len(nodes.ids))
    hit: Bools
    if kind == "gpu":
        hit = every == plant.gpus.node[slot]
    elif kind == "node":
        hit = every == slot
    elif kind == "rack":
        hit = nodes.rack == slot
    elif kind == "row":
        hit = racks.row[nodes.rack] == slot
    elif kind == "hall":
        hit = racks.hall[nodes.rack] == slot
    elif kind == "loop":
        hit = nodes.loop == slot
    elif kind == "plant":
        hit = (nodes.loop >= 0) & (np.append(plant.loops.plant, -1)[nodes.loop] == slot)
    elif kind == "power":
        below = np.append(_power_below(plant, slot), False)
        hit = (below[racks.feed_a] | below[racks.feed_b])[nodes.rack]
    elif kind == "switch":
        below = _switches_below(plant, slot)
        hit = np.isin(every, plant.node_links.node[below[plant.node_links.leaf]])
    elif kind == "fabric":
        links, peers = plant.node_links, plant.peer_links
        of_fabric = peers.fabric == slot
        hit = np.isin(every, [*links.node[links.fabric == slot], *peers.a[of_fabric], *peers.b[of_fabric]])
    else:
        hit = np.ones(len(nodes.ids), np.bool_)
    return np.flatnonzero(hit & nodes.present).astype(np.int32)


def nodes_at(plant: Plant, id: str) -> Ints32:
    """Return the present nodes (slots) of a GPU, node, rack, row or hall; none of any other thing."""
    kind, slot = find(plant, id) or ("store", -1)
    if kind not in ("gpu", "node", "rack", "row", "hall"):
        return np.zeros(0, np.int32)
    return nodes_under(plant, kind, slot)


def _switches_below(plant: Plant, switch: int) -> Bools:
    """Return which switches lie below one, tier by tier, itself included."""
    links, role = plant.switch_links, plant.switches.role
    below = np.zeros(len(role), np.bool_)
    below[switch] = True
    for level in range(int(role[switch]), 0, -1):
        down = below[links.upper] & (role[links.upper] == level) & (role[links.lower] < level)
        below[links.lower[down]] = True
    return below


def _power_below(plant: Plant, item: int) -> Bools:
    """Return the power items downstream of `item`, itself included, also by their spare inputs.

    What hangs on a source beside the tree hangs on the item it is connected to.
    """
    power = plant.power
    below = np.zeros(len(power.ids), np.bool_)
    below[item] = True
    if power.bus[item] >= 0:
        below[power.bus[item]] = True
    for child in range(len(below)):  # parents come before children
        for above in (power.parent[child], power.spare_parent[child]):
            below[child] |= above >= 0 and below[above]
    return below


def switch_graph(plant: Plant, fabric: int) -> rx.PyGraph:
    """Return the switches of one fabric as a graph: nodes carry switch slots, edges numbers of cables."""
    graph = rx.PyGraph(multigraph=False)
    switch_slots = np.flatnonzero((plant.switches.fabric == fabric) & plant.switches.present)
    graph.add_nodes_from(switch_slots.tolist())
    place = np.full(len(plant.switches.ids), -1)
    place[switch_slots] = np.arange(len(switch_slots))
    links = plant.switch_links
    of_fabric = links.fabric == fabric
    ends = zip(
        place[links.lower[of_fabric]].tolist(),
        place[links.upper[of_fabric]].tolist(),
        links.cables[of_fabric].tolist(),
        strict=True,
    )
    graph.add_edges_from([edge for edge in ends if edge[0] >= 0 and edge[1] >= 0])
    return graph


def rails(plant: Plant, dead: Collection[int] = ()) -> Rails:
    """Return which cables of which nodes work without the `dead` switches, and which reach one another.

    Nodes that are joined straight to one another (ring, torus) have no such cables.
    """
    gone = set(dead)
    island = np.full(len(plant.switches.ids), -1, np.int32)
    number = 0
    for fabric in range(len(plant.fabrics)):
        graph = switch_graph(plant, fabric)
        slots = graph.nodes()
        graph.remove_nodes_from([k for k, slot in enumerate(slots) if slot in gone])
        for members in rx.connected_components(graph):
            island[[slots[k] for k in members]] = number
            number += 1
    links = plant.node_links
    return Rails(
        node=links.node,
        rail=links.rail,
        plane=links.plane,
        fabric=links.fabric,
        alive=island[links.leaf] >= 0,
        island=island[links.leaf],
    )


def lost_rails(plant: Plant, dead: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Return node slot -> rails it loses when the `dead` switches (slots) fail.

    A rail is lost when its leaf is dead, or when it is cut off from the island with most ports of that rail; of a
    dual-homed card when that is so of both its cables.
    """
    state = rails(plant, dead)
    before = rails(plant)
    lost = ~state.alive
    for fabric in range(len(plant.fabrics)):
        for rail in np.unique(state.rail[state.fabric == fabric]).tolist():
            ports = (state.fabric == fabric) & (state.rail == rail) & state.alive
            for island in np.unique(before.island[ports]).tolist():
                port_slots = np.flatnonzero(ports & (before.island == island))
                numbers, counts = np.unique(state.island[port_slots], return_counts=True)
                lost[port_slots[state.island[port_slots] != numbers[counts.argmax()]]] = True
    cards = np.stack([state.node, state.rail, state.fabric], axis=1)
    each, card = np.unique(cards, axis=0, return_inverse=True)
    cut = np.bincount(card.reshape(-1), ~lost, minlength=len(each)) == 0
    out: dict[int, set[int]] = {}
    for node, rail, _ in each[cut].tolist():
        out.setdefault(node, set()).add(rail)
    return {node: tuple(sorted(found)) for node, found in sorted(out.items())}
