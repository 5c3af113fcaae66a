"""What can fail by itself besides nodes: switches, links, and the fault domains of power, coolant and network trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64, UInts64
from twin.physics import reliability
from twin.plant.domains import scale_up_domains
from twin.plant.links import LinkKind, link_id, links_of
from twin.plant.tables import LoopKind, Plant, RackKind, SwitchRole
from twin.scenario.schema.fault_kinds.kind import Component


@dataclass(frozen=True)
class Components:
    """All components of one sort.

    Parameters
    ----------
    slots
        Of each in its table: nodes, switches, links, racks, power items, loops, rows; of nvlink the first node.
    keys
        For draws.
    weight
        How many each stands for: a link of several cables is so many.
    """

    slots: Ints64
    keys: UInts64
    weight: Floats


def components_of(plant: Plant, on: Component) -> Components:
    """Return what the rate of a cause on `on` is counted for; none where the scene has no such thing."""
    if on == "link":
        return _links(plant)
    ids = _table(plant, on)[0]
    slots, weight = weights_of(plant, on)
    keys = reliability.component_keys(f"{on} {ids[slot]}" for slot in slots.tolist())
    return Components(slots, keys, weight)


def weights_of(plant: Plant, on: Component) -> tuple[Ints64, Floats]:
    """Return the slots of all components of a sort, and how many each stands for."""
    if on == "link":
        cables = links_of(plant).cables.astype(np.float64)
        return np.arange(len(cables)), cables
    slots = np.flatnonzero(_table(plant, on)[1])
    return slots, np.ones(len(slots))


def _table(plant: Plant, on: Component) -> tuple[list[str], NDArray[np.bool_]]:
    racks, switches, power, loops = plant.racks, plant.switches, plant.power, plant.loops
    if on == "switch":
        return switches.ids, switches.present
    if on == "leaf":
        return switches.ids, switches.present & (switches.role == SwitchRole.LEAF)
    if on == "pdu":
        return power.ids, power.present & np.array([kind in ("pdu", "busbar") for kind in power.kind], bool)
    if on == "cdu":
        wet = (loops.kind == LoopKind.LIQUID) | (loops.kind == LoopKind.IMMERSION)
        return loops.ids, loops.present & wet
    if on == "rack":
        return racks.ids, racks.present & (racks.kind == RackKind.COMPUTE)
    if on == "row":
        holds = np.zeros(len(plant.rows.ids), bool)
        holds[racks.row[racks.present & (racks.kind == RackKind.COMPUTE)]] = True
        return plant.rows.ids, plant.rows.present & holds
    if on == "nvlink":
        first = np.zeros(len(plant.nodes.ids), bool)
        there = np.flatnonzero(plant.nodes.present)
        first[there[np.unique(scale_up_domains(plant)[there], return_index=True)[1]]] = True
        return plant.nodes.ids, first
    return plant.nodes.ids, plant.nodes.present


def _links(plant: Plant) -> Components:
    """Return all links; names of tens of thousands are made in one go, so they are not those of `link_id`."""
    links, down = links_of(plant), plant.node_links
    nodes, switches = plant.nodes.ids, plant.switches.ids
    names = [
        f"link {nodes[node]} {nic} {plane} {fabric}"
        for node, nic, plane, fabric in zip(
            down.node.tolist(), down.nic.tolist(), down.plane.tolist(), down.fabric.tolist(), strict=True
        )
    ]
    for link in range(len(names), len(links)):
        ids = switches if links.kind[link] == LinkKind.SWITCH else nodes
        names.append(f"link {ids[int(links.a[link])]} {ids[int(links.b[link])]}")
    return Components(
        np.arange(len(links)), reliability.component_keys(names), links.cables.astype(np.float64)
    )


def target_of(plant: Plant, on: Component, slot: int) -> str:
    """Return the id of a component as interventions name it; of a scale-up domain its first node."""
    if on == "link":
        return link_id(plant, slot)
    return _table(plant, on)[0][slot]


def nodes_of_nvlink(plant: Plant, first: int) -> list[int]:
    """Return the nodes that share the scale-up network of node `first`."""
    domain = scale_up_domains(plant)
    return np.flatnonzero((domain == domain[first]) & plant.nodes.present).tolist()


def domains_of_nodes(plant: Plant, domain: str) -> NDArray[np.int64]:
    """Return the rack, row, leaf, pdu or cdu of each node slot, -1 where it has none; of several the first."""
    racks, rack = plant.racks, plant.nodes.rack
    if domain == "leaf":
        down, leaf = plant.node_links, np.full(len(plant.nodes.ids), -1, np.int64)
        order = np.lexsort((down.plane, down.nic))[::-1]
        leaf[down.node[order]] = down.leaf[order]
        return leaf
    column: dict[str, NDArray[np.int32]] = {
        "rack": np.arange(len(racks.ids), dtype=np.int32),
        "row": racks.row,
        "pdu": racks.feed_a,
        "cdu": racks.loop,
    }
    result: NDArray[np.int64] = column[domain][rack].astype(np.int64)
    return result
