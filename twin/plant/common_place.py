"""The smallest common place of some nodes, to name an event that concerns many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant


def common_place(plant: Plant, nodes: NDArray[np.integer]) -> str:
    """Return the id of the node, rack, row or hall that all of `nodes` (slots, at least one) stand in.

    Nodes of several halls have only the site in common: "site".
    """
    if len(nodes) == 1:
        return plant.nodes.ids[int(nodes[0])]
    racks = np.unique(plant.nodes.rack[nodes])
    if len(racks) == 1:
        return plant.racks.ids[int(racks[0])]
    rows = np.unique(plant.racks.row[racks])
    if len(rows) == 1:
        return plant.rows.ids[int(rows[0])]
    halls = np.unique(plant.racks.hall[racks])
    return plant.halls.ids[int(halls[0])] if len(halls) == 1 else "site"


MOST_NAMES = 16
"""Events that one moment may make; more places are told by what they have in common."""


def places(plant: Plant, nodes: list[int]) -> list[tuple[str, int]]:
    """Return (id of a place, how many of the nodes stand in it), rack by rack; of many racks by row, hall or site.

    A node that is alone in its rack is named itself.
    """
    if not nodes:
        return []
    slots = np.array(nodes)
    racks = plant.nodes.rack[slots]
    for key in (racks, plant.racks.row[racks], plant.racks.hall[racks]):
        groups = np.unique(key)
        if len(groups) <= MOST_NAMES:
            return [(common_place(plant, slots[key == g]), int((key == g).sum())) for g in groups.tolist()]
    return [("site", len(nodes))]
