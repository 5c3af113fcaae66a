"""The network by tier: switches and nodes of each fabric with numbers, ports in use, and the cables between tiers."""

from __future__ import annotations

import numpy as np

from twin.drawings.blocks import BlockLine, SheetBlock, block_sheet
from twin.drawings.paper import SheetDraft
from twin.plant.links import links_of
from twin.plant.tables import BundleTier, Plant, SwitchRole

_TIERS = {
    SwitchRole.CORE: "Core switches",
    SwitchRole.SPINE: "Spine switches",
    SwitchRole.LEAF: "Leaf switches",
}
_BETWEEN = {
    BundleTier.NODE: (SwitchRole.LEAF, None),
    BundleTier.SPINE: (SwitchRole.SPINE, SwitchRole.LEAF),
    BundleTier.CORE: (SwitchRole.CORE, SwitchRole.SPINE),
}
_LEGEND = (
    "Runs from port to port between tiers. Ports are counted at the speed of the network, after fast ones are split.",
)


def network_sheet(plant: Plant, paper: str) -> SheetDraft:
    """Return the tiers of all fabrics, one fabric beside the other."""
    blocks: list[SheetBlock] = []
    lines: list[BlockLine] = []
    for place, name in enumerate(plant.fabrics):
        _fabric(plant, place, name, blocks, lines)
    return block_sheet("network", "Network by tier", blocks, lines, paper, _LEGEND)


def _fabric(plant: Plant, place: int, name: str, blocks: list[SheetBlock], lines: list[BlockLine]) -> None:
    switches, links, bundles = plant.switches, links_of(plant), plant.bundles
    used = np.bincount(plant.node_links.leaf, minlength=len(switches.ids))
    np.add.at(used, plant.switch_links.lower, plant.switch_links.cables)
    np.add.at(used, plant.switch_links.upper, plant.switch_links.cables)
    switch_mask = switches.present & (switches.fabric == place)
    roles = [role for role in _TIERS if (switch_mask & (switches.role == role)).any()]
    for level, role in enumerate(roles):
        slots = np.flatnonzero(switch_mask & (switches.role == role))
        gbit_s = float(switches.port_bytes_s[slots[0]]) * 8e-9
        texts = (
            f"fabric {name}, {plant.fabric_table.kind[place]}",
            f"{len(slots):,} x {switches.part[int(slots[0])]}",
            f"{int(switches.ports[slots[0]])} ports of {gbit_s:,.0f} Gb/s each",
            f"{int(used[slots].sum()):,} of {int(switches.ports[slots].sum()):,} ports in use",
        )
        blocks.append(SheetBlock(f"{name} {role}", _TIERS[role], texts, level, "panel"))
    of_fabric = links.fabric == place
    ends = np.unique(np.concatenate([links.node_a[of_fabric], links.node_b[of_fabric]]))
    ends = ends[ends >= 0]
    cards = int(plant.nodes.nics[ends].max()) if len(ends) else 0
    of_nodes = [f"{len(ends):,} nodes", f"{cards} network cards each"]
    peers = of_fabric & (links.kind == 2)
    if peers.any():
        cables = int(links.cables[peers].sum())
        of_nodes.append(f"{cables:,} cables from node to node, {plant.fabric_table.kind[place]}")
    blocks.append(SheetBlock(f"{name} nodes", "Nodes", tuple(of_nodes), len(roles), "rack"))
    for tier, (upper, lower) in _BETWEEN.items():
        between = (bundles.fabric == place) & (bundles.tier == tier)
        if between.any():
            count = int(bundles.cables[between].sum())
            text = f"{count:,} x {float(bundles.cable_bytes_s[between][0]) * 8e-9:,.0f} Gb/s"
            below = "nodes" if lower is None else str(lower)
            lines.append(BlockLine(f"{name} {upper}", f"{name} {below}", text))
