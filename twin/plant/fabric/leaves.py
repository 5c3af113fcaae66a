"""Network cards to leaves: which leaf of its unit takes which card of which node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Ints32
from twin.plant.fabric.wiring import CardCables, FabricTier, tier
from twin.scenario.checks.fabric_size import Ports, Size
from twin.scenario.schema.systems import Fabric


@dataclass(frozen=True)
class Leaves:
    """The lowest tier of a fabric."""

    tier: FabricTier
    unit: Ints32  # of each node
    cables: CardCables


def plug_in(fabric: Fabric, size: Size, ports: Ports, cards: Ints32) -> Leaves:
    """Return the leaves and the cable of every card of every node.

    single-switch: each switch takes some rails of all nodes.
    rail-optimised, rail-only: card r of every node of a unit goes to leaf r of that unit, or shares of the unit
    to one of several leaves r.
    All others: the cards of a unit in order fill its leaves evenly, so that neighbours share a leaf.
    Of a dual-homed card each cable goes to a set of leaves of its own.

    Parameters
    ----------
    fabric, size
        What is to be built, and how large it is.
    ports
        Of a leaf.
    cards
        Network cards of each node.
    """
    nodes, homes = len(cards), fabric.homes
    node, nic, plane = _card_ends(cards, homes)
    most = max(1, int(cards.max(initial=0)))
    unit = np.arange(nodes) // size.unit_nodes
    within = node - unit[node] * size.unit_nodes
    held = max(1, min(size.unit_nodes, nodes))
    each = np.arange(size.leaves)
    if fabric.kind == "single-switch":
        split = size.leaves // homes
        leaf = nic * split // most if split <= most else np.arange(len(nic)) // homes % split
        leaf = plane * split + leaf
        rail, of_plane = np.full(size.leaves, -1), each // max(1, split)
    elif fabric.kind in ("rail-optimised", "rail-only"):
        split = size.leaves // (homes * most)
        leaf = ((within * split // held) * homes + plane) * most + nic
        rail, of_plane = each % most, each // most % homes
    else:
        split = size.leaves // homes
        leaf = plane * split + (within * most + nic) * split // (held * most)
        rail, of_plane = np.full(size.leaves, -1), each // max(1, split)
    return Leaves(
        tier=tier(
            0,
            ports,
            np.repeat(np.arange(size.units), size.leaves),
            np.tile(rail, size.units),
            np.tile(of_plane, size.units) if homes > 1 else None,
        ),
        unit=unit.astype(np.int32),
        cables=CardCables(node, nic, plane, (unit[node] * size.leaves + leaf).astype(np.int32)),
    )


def _card_ends(cards: Ints32, homes: int) -> tuple[Ints32, Ints32, Ints32]:
    """Return node, card and plane of every cable, node by node and card by card."""
    node = np.repeat(np.arange(len(cards), dtype=np.int32), cards * homes)
    first = np.cumsum(cards) * homes - cards * homes
    place = np.arange(len(node)) - np.repeat(first, cards * homes)
    return node, (place // homes).astype(np.int32), (place % homes).astype(np.int32)
