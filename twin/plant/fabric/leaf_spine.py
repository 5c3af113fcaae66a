"""Two tiers: leaves, and spines that join all of them or those of one rail; and the one tier below."""

from __future__ import annotations

import numpy as np

from twin.arrays import AnyInts, Ints32
from twin.plant.fabric.leaves import Leaves, plug_in
from twin.plant.fabric.wiring import SwitchCables, Wiring, counted, none, tier
from twin.scenario.checks.fabric_size import Ports, Size
from twin.scenario.schema.systems import Fabric


def leaf_spine(fabric: Fabric, size: Size, leaf: Ports, cards: Ints32) -> Wiring:
    """Return leaves and spines; of a single switch, or without a spine, leaves alone.

    As many spines as the up-links need, or a few more so that each leaf has equally many cables to every
    spine (a SuperPOD of three units has 16, not 12). Up-links are dealt out in turn, so no spine has more
    than it has ports. When one leaf cannot reach all spines, each rail has its own (rail-optimised fabrics);
    in a rail-only fabric it always has, so that rails do not meet.
    """
    leaves = plug_in(fabric, size, leaf, cards)
    if size.spine is None or not size.spines:
        return Wiring(leaves.unit, (leaves.tier,), leaves.cables)
    groups = size.spine_groups
    first = np.arange(groups + 1) * size.spines // groups
    everywhere = np.full(size.spines, -1)
    rail = np.repeat(np.arange(groups), np.diff(first)) if fabric.kind == "rail-only" else None
    spines = tier(1, size.spine, everywhere, rail)
    return Wiring(leaves.unit, (leaves.tier, spines), leaves.cables, _dealt(leaves, size, first))


def _dealt(leaves: Leaves, size: Size, first: AnyInts) -> SwitchCables:
    """Return the up-links of all leaves, dealt out in turn to the spines of their group; `first` begins each."""
    count, up = len(leaves.tier), size.up
    if not count * up:
        return SwitchCables(none(), none(), none())
    group = leaves.tier.rail if size.spine_groups > 1 else np.zeros(count, np.int32)
    place = np.zeros(count, np.int64)
    for number in range(size.spine_groups):
        in_group = group == number
        place[in_group] = np.arange(in_group.sum())
    leaf = np.repeat(np.arange(count), up)
    turn = place[leaf] * up + np.tile(np.arange(up), count)
    many = first[group[leaf] + 1] - first[group[leaf]]
    return counted(leaf, count + first[group[leaf]] + turn % many)
