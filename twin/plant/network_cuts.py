"""Leaf switches that must be down together for nodes to lose a card of their network."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.plant.cut_sets import ORDER, CutSet
from twin.plant.facility_machines import LEAF, FacilityMachine
from twin.plant.tables import Plant


def network_cuts(plant: Plant, machines: list[FacilityMachine]) -> dict[CutSet, Ints32]:
    """Return the minimal sets of leaf switches, and the nodes (slots) that each cuts off.

    A card hangs on one leaf, a dual-homed one on two. Spines are not looked at: they share what they carry.
    """
    place = {machine.slot: at for at, machine in enumerate(machines) if machine.rate == LEAF}
    down = plant.node_links
    card = np.stack([down.fabric, down.node, down.nic])
    _, first, which = np.unique(card, axis=1, return_index=True, return_inverse=True)
    leaves: list[set[int]] = [set() for _ in first]
    for cable, leaf in zip(which.reshape(-1).tolist(), down.leaf.tolist(), strict=True):
        leaves[cable].add(leaf)
    nodes: dict[frozenset[int], set[int]] = {}
    for node, of_card in zip(down.node[first].tolist(), leaves, strict=True):
        members = frozenset(place[leaf] for leaf in of_card if leaf in place)
        if len(members) == len(of_card) <= ORDER:
            nodes.setdefault(members, set()).add(node)
    return {CutSet(members): np.array(sorted(hit), np.int32) for members, hit in nodes.items()}
