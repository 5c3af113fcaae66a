"""What it costs that each tenant has racks or leaf switches to itself: GPUs in racks it does not fill, ports it leaves.

Tenants have as much each. Own racks: each has whole racks. Own leafs: each has whole leaves, of rail-optimised networks
whole groups of one leaf a rail; ports that its nodes leave free serve nobody else.
"""

from __future__ import annotations

import math
from dataclasses import replace

from twin.commands.room.room_plan import Cabling
from twin.designs.need import SiteNeed
from twin.scenario.checks.fabric_size import Size


def isolated_nodes(need: SiteNeed, nodes: int, rack_nodes: int) -> int:
    """Return the nodes that some nodes come to where each tenant has whole racks.

    Parameters
    ----------
    need
        With its tenants.
    nodes, rack_nodes
        That are asked for, and of one rack.
    """
    if need.isolation != "racks":
        return nodes
    each = math.ceil(nodes / len(need.tenants))
    return len(need.tenants) * math.ceil(each / rack_nodes) * rack_nodes


def isolated_size(need: SiteNeed, size: Size, nodes: int, cards: int, cabling: Cabling) -> Size:
    """Return the switches of a network where each tenant has whole leaves; its spines grow with the leaves.

    Parameters
    ----------
    need
        With its tenants.
    size
        As large as all nodes together need.
    nodes, cards
        Nodes in all, and network cards of one.
    cabling
        Of the network.
    """
    if need.isolation != "leafs" or not size.leaves or not size.down:
        return size
    on_rails = cabling == "rail-optimised"
    holds = max(1, size.down if on_rails else size.down // max(1, cards))
    each = math.ceil(nodes / len(need.tenants))
    leaves = (
        len(need.tenants) * math.ceil(each / min(holds, size.unit_nodes)) * (max(1, cards) if on_rails else 1)
    )
    had = size.leaves * max(1, size.units)
    if leaves <= had:
        return size
    return replace(size, units=1, leaves=leaves, spines=math.ceil(size.spines * leaves / had))


def leaf_ports(size: Size | None) -> int:
    """Return the ports of all leaves; 0 without any."""
    if size is None or size.leaf is None:
        return 0
    return size.leaf.count * size.leaves * max(1, size.units)
