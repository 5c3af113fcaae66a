"""Which nodes a thing of the hall is, or is a part of. No widgets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.graph import nodes_at
from twin.plant.tables import Plant


def nodes_of(plant: Plant, thing: str) -> NDArray[np.int64]:
    """Return the nodes with GPUs of a GPU, node, rack, row or hall; none of other things."""
    nodes = nodes_at(plant, thing)
    return nodes[plant.nodes.gpu_count[nodes] > 0].astype(np.int64)


def places_of(plant: Plant, nodes: NDArray[np.int64]) -> list[str]:
    """Return the ids of rows, racks and nodes that together are these nodes with GPUs, as few as can be."""
    table, ids = plant.nodes, list[str]()
    usable = table.present & (table.gpu_count > 0)
    left = np.zeros(len(table.ids), np.bool_)
    left[nodes] = True
    for place, names in ((plant.racks.row[table.rack], plant.rows.ids), (table.rack, plant.racks.ids)):
        # What stands in no row is counted at place 0.
        whole, of_these = (
            np.bincount(place[some] + 1, minlength=len(names) + 1)[1:] for some in (usable, left)
        )
        chosen = np.flatnonzero((of_these == whole) & (whole > 0))
        ids += [names[slot] for slot in chosen.tolist()]
        left &= ~np.isin(place, chosen)
    return ids + [table.ids[node] for node in np.flatnonzero(left).tolist()]
