"""Three tiers: pods of leaves and spines joined by cores (fat tree), groups joined by one another (dragonfly+)."""

from __future__ import annotations

import numpy as np

from twin.arrays import AnyInts, Ints32
from twin.plant.fabric.leaves import plug_in
from twin.plant.fabric.wiring import SwitchCables, Wiring, counted, joined, tier
from twin.scenario.checks.fabric_size import Ports, Size
from twin.scenario.schema.systems import Fabric


def fat_tree(fabric: Fabric, size: Size, leaf: Ports, spine: Ports, core: Ports, cards: Ints32) -> Wiring:
    """Return a k-ary fat tree, or as many of its pods as the nodes need.

    Spine i of every pod goes to the cores of group i, so there is one way down from each core to a pod.

    References
    ----------
    .. [1] M. Al-Fares, A. Loukissas, A. Vahdat, "A scalable, commodity data center network architecture",
       SIGCOMM 2008: k pods of k/2 + k/2 switches, (k/2)^2 cores, k^3/4 hosts.
    """
    leaves = plug_in(fabric, size, leaf, cards)
    spines = np.repeat(np.arange(size.units), size.spines)
    tiers = [leaves.tier, tier(1, spine, spines)]
    cables = [_within_units(size)]
    if size.cores and size.spine_up:
        tiers.append(tier(2, core, np.full(size.cores, -1)))
        each = size.cores // size.spines
        number = np.repeat(np.arange(len(spines)), size.spine_up)
        port = np.tile(np.arange(size.spine_up), len(spines))
        pod, place = np.divmod(number, size.spines)
        upper = place * each + (pod * size.spine_up + port) % each
        first = len(leaves.tier)
        cables.append(counted(first + number, first + len(spines) + upper))
    return Wiring(leaves.unit, tuple(tiers), leaves.cables, joined(*cables))


def dragonfly_plus(fabric: Fabric, size: Size, leaf: Ports, spine: Ports, cards: Ints32) -> Wiring:
    """Return groups of leaves and spines; spines of every two groups are joined by equally many cables.

    References
    ----------
    .. [1] A. Shpiner et al., "Dragonfly+: Low cost topology for scaling datacenters", HiPINEB 2017.
    """
    leaves = plug_in(fabric, size, leaf, cards)
    spines = tier(1, spine, np.repeat(np.arange(size.units), size.spines))
    low, high = np.triu_indices(size.units, 1)
    low, high = np.repeat(low, size.pair_cables), np.repeat(high, size.pair_cables)
    cable = np.tile(np.arange(size.pair_cables), size.units * (size.units - 1) // 2)
    first = len(leaves.tier)

    def end(own: AnyInts, partner: AnyInts) -> AnyInts:
        """Deal the cables of a group out over its spines, beginning with the group behind it."""
        turn = ((partner - own) % size.units - 1) * size.pair_cables + cable
        ends: AnyInts = first + own * size.spines + turn % max(1, size.spines)
        return ends

    cables = joined(_within_units(size), counted(end(low, high), end(high, low)))
    return Wiring(leaves.unit, (leaves.tier, spines), leaves.cables, cables)


def _within_units(size: Size) -> SwitchCables:
    """Return the up-links of every leaf, dealt out in turn to the spines of its unit."""
    leaf = np.repeat(np.arange(size.units * size.leaves), size.up)
    unit, place = np.divmod(leaf, max(1, size.leaves))
    turn = place * size.up + np.tile(np.arange(size.up), size.units * size.leaves)
    spine = size.units * size.leaves + unit * size.spines + turn % max(1, size.spines)
    return counted(leaf, spine)
