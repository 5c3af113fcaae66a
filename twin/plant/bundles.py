"""Cables between two racks, counted and measured along the trays."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints32
from twin.plant.fabric import FabricCables
from twin.plant.tables import Bundles, BundleTier, Nodes, Racks, Rows, Switches, SwitchRole
from twin.plant.tray_paths import cross_tray_x_m, tray_of_row

DROP_M = 1.4
"""Tray to a port half-way down the rack."""

SLACK_M = 1.0
INSIDE_RACK_M = 2.0
"""Cable that stays in its rack."""


def bundle(
    racks: Racks, rows: Rows, nodes: Nodes, switches: Switches, links: FabricCables, halls: int
) -> Bundles:
    """Return the cables of all fabrics, those of one rail and tier between the same two racks together.

    Parameters
    ----------
    racks, rows, nodes, switches
        Tables in site coordinates.
    links
        Cables of all fabrics.
    halls
        How many halls there are.
    """
    down, up, peers = links.nodes, links.switches, links.peers
    total = len(racks.ids)
    without = np.full(len(up.lower), -1, np.int32)
    fabric = np.concatenate([down.fabric, up.fabric, peers.fabric]).astype(np.int64)
    rail = np.concatenate([down.rail, without, peers.axis]).astype(np.int64)
    plane = np.concatenate([switches.rail[down.leaf], switches.rail[up.lower], peers.axis]).astype(np.int64)
    tier = np.concatenate(
        [
            np.full(len(down.node), BundleTier.NODE),
            np.where(switches.role[up.lower] == SwitchRole.LEAF, BundleTier.SPINE, BundleTier.CORE),
            np.full(len(peers.a), BundleTier.PEER),
        ]
    )
    rack_a = np.concatenate([nodes.rack[down.node], switches.rack[up.lower], nodes.rack[peers.a]])
    rack_b = np.concatenate([switches.rack[down.leaf], switches.rack[up.upper], nodes.rack[peers.b]])
    cables = np.concatenate([np.ones(len(down.node), np.int64), up.cables, peers.cables])
    speed = np.concatenate([down.bytes_s, up.bytes_s, peers.bytes_s]) / np.maximum(1, cables)
    key = fabric
    for column in (tier, rail, plane):
        key = key * (int(column.max(initial=0)) + 2) + column + 1
    key = (key * total + rack_a) * total + rack_b
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    a, b = rack_a[first].astype(np.int32), rack_b[first].astype(np.int32)
    return Bundles(
        fabric=fabric[first].astype(np.int32),
        rail=rail[first].astype(np.int32),
        plane=plane[first].astype(np.int32),
        tier=tier[first].astype(np.int32),
        rack_a=a,
        rack_b=b,
        cables=np.bincount(group, cables, minlength=len(first)).astype(np.int32),
        cable_bytes_s=speed[first],
        length_m=lengths_m(racks, rows, a, b, cross_tray_x_m(racks, halls)),
        of_link=group.astype(np.int32),
    )


def lengths_m(racks: Racks, rows: Rows, a: Ints32, b: Ints32, cross_x_m: Floats) -> Floats:
    """Return the length of a cable between racks a and b [m]: up to the tray, along trays, down, with slack."""
    dx_m, dy_m = np.abs(racks.x_m[a] - racks.x_m[b]), np.abs(racks.y_m[a] - racks.y_m[b])
    tray = tray_of_row(rows)[racks.row]
    out_m = np.abs(cross_x_m[racks.hall] - racks.x_m)
    along_m = np.where(tray[a] == tray[b], dx_m, out_m[a] + out_m[b] + dy_m)
    return np.where(a == b, INSIDE_RACK_M, along_m + 2 * DROP_M + SLACK_M)
