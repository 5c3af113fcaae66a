"""Cables between two racks, counted and measured along the trays."""

from __future__ import annotations

import numpy as np

from twin.plant.tables import Bundles, Floats, Ints, NodeLinks, Nodes, Racks, Rows, Switches, SwitchLinks
from twin.plant.tray_paths import cross_tray_x_m, tray_of_row

DROP_M = 1.4
"""Tray to a port half-way down the rack."""

SLACK_M = 1.0
INSIDE_RACK_M = 2.0
"""Cable that stays in its rack."""


def bundle(
    racks: Racks, rows: Rows, nodes: Nodes, switches: Switches, down: NodeLinks, up: SwitchLinks, halls: int
) -> Bundles:
    """Return the cables of all fabrics, those of one rail between the same two racks together.

    Parameters
    ----------
    racks, rows, nodes, switches
        Tables in site coordinates.
    down, up
        Cables from nodes to leaves, and from leaves to spines.
    halls
        How many halls there are.
    """
    total = len(racks.ids)
    fabric = np.concatenate([down.fabric, up.fabric]).astype(np.int64)
    rail = np.concatenate([down.rail, np.full(len(up.lower), -1, np.int32)]).astype(np.int64)
    plane = switches.rail[np.concatenate([down.leaf, up.lower])].astype(np.int64)
    rack_a = np.concatenate([nodes.rack[down.node], switches.rack[up.lower]]).astype(np.int64)
    rack_b = np.concatenate([switches.rack[down.leaf], switches.rack[up.upper]]).astype(np.int64)
    cables = np.concatenate([np.ones(len(down.node), np.int64), up.cables])
    speed = switches.port_bytes_s[np.concatenate([down.leaf, up.lower])]
    rails = int(rail.max(initial=0)) + 2
    key = (((fabric * rails + rail + 1) * rails + plane + 1) * total + rack_a) * total + rack_b
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    a, b = rack_a[first].astype(np.int32), rack_b[first].astype(np.int32)
    return Bundles(
        fabric=fabric[first].astype(np.int32),
        rail=rail[first].astype(np.int32),
        plane=plane[first].astype(np.int32),
        rack_a=a,
        rack_b=b,
        cables=np.bincount(group, cables, minlength=len(first)).astype(np.int32),
        cable_bytes_s=speed[first],
        length_m=lengths_m(racks, rows, a, b, cross_tray_x_m(racks, halls)),
        of_link=group.astype(np.int32),
    )


def lengths_m(racks: Racks, rows: Rows, a: Ints, b: Ints, cross_x_m: Floats) -> Floats:
    """Return how long a cable between racks a and b is [m]: up to the tray, along trays, down, with slack."""
    dx_m, dy_m = np.abs(racks.x_m[a] - racks.x_m[b]), np.abs(racks.y_m[a] - racks.y_m[b])
    tray = tray_of_row(rows)[racks.row]
    out_m = np.abs(cross_x_m[racks.hall] - racks.x_m)
    along_m = np.where(tray[a] == tray[b], dx_m, out_m[a] + out_m[b] + dy_m)
    return np.where(a == b, INSIDE_RACK_M, along_m + 2 * DROP_M + SLACK_M)
