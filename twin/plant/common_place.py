"""The smallest place that holds some nodes: one name for an event that strikes many."""

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
