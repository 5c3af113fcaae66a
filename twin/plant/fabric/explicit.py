"""Cables as the scenario lists them, one by one."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.plant.error import PlantError
from twin.plant.fabric.wiring import CardCables, FabricTier, PeerCables, SwitchCables, Wiring, tier
from twin.scenario.checks.fabric_size import Ports, Size
from twin.scenario.schema.systems import Fabric


def explicit(fabric: Fabric, size: Size, cards: Ints32, node_ids: list[str]) -> Wiring:
    """Return the cables of an explicit fabric.

    The cables of a node take its network cards in the order of the links; of dual-homed cards first one cable of
    each card, then the other. Nodes that share their first leaf are a unit.

    Raises
    ------
    PlantError
        When a link names neither a node nor a switch, or a node has more cables than its cards take.
    """
    tiers = _tiers(size)
    ends = {node_id: number for number, node_id in enumerate(node_ids)}
    switches = [f"{fabric.id}/{tier.level}/{n}" for tier in tiers for n in range(len(tier))]
    level = np.repeat([tier.level for tier in tiers], [len(tier) for tier in tiers])
    number_of = {switch_id: number for number, switch_id in enumerate(switches)}
    taken = np.zeros(len(cards), np.int64)
    unit = np.full(len(cards), -1, np.int32)
    plugs: list[tuple[int, int, int, int]] = []
    ups: list[tuple[int, int, int]] = []
    peers: list[tuple[int, int, int, int]] = []
    for link in fabric.links:
        for end in (link.source, link.target):
            if end not in ends and end not in number_of:
                raise PlantError(f"fabric {fabric.id!r}: {end!r} is neither a node of it nor a switch")
        source, target = sorted((link.source, link.target), key=lambda end: end in number_of)
        if source in number_of:
            pair = sorted((number_of[source], number_of[target]), key=lambda n: (level[n], n))
            ups.append((pair[0], pair[1], link.cables))
            continue
        for end in (source, target):
            if end in ends:
                node = ends[end]
                first, taken[node] = int(taken[node]), taken[node] + link.cables
                if taken[node] > cards[node] * fabric.homes:
                    many = int(cards[node]) * fabric.homes
                    raise PlantError(f"fabric {fabric.id!r}: {end} has ports for {many} cables")
                if target in number_of:
                    switch = number_of[target]
                    unit[node] = switch if unit[node] < 0 else unit[node]
                    plane, nic = np.divmod(first + np.arange(link.cables), cards[node])
                    plugs += [(node, int(n), int(p), switch) for n, p in zip(nic, plane, strict=True)]
        if target in ends:
            a, b = sorted((ends[source], ends[target]))
            peers.append((0, a, b, link.cables))
    return Wiring(
        np.maximum(unit, 0),
        tiers,
        CardCables(*np.array(plugs, np.int32).reshape(-1, 4).T),
        SwitchCables(*np.array(ups, np.int32).reshape(-1, 3).T),
        PeerCables(*np.array(peers, np.int32).reshape(-1, 4).T),
    )


def _tiers(size: Size) -> tuple[FabricTier, ...]:
    """Return the switches that the tiers count."""
    declared: list[tuple[Ports | None, int]] = [
        (size.leaf, size.leaves),
        (size.spine, size.spines),
        (size.core, size.cores),
    ]
    return tuple(
        tier(level, ports, np.full(count, -1))
        for level, (ports, count) in enumerate(declared)
        if ports is not None and count
    )
