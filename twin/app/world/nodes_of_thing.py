"""Which nodes a thing of the hall is, or is a part of. No widgets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.find import find
from twin.plant.tables import Plant


def nodes_of(plant: Plant, thing: str) -> NDArray[np.int64]:
    """Return the nodes with GPUs of a GPU, node, rack or row; none of other things."""
    found = find(plant, thing)
    if found is None:
        return np.zeros(0, np.int64)
    kind, slot = found
    nodes = plant.nodes
    if kind == "gpu":
        return np.array([int(plant.gpus.node[slot])])
    if kind == "node":
        chosen_nodes = np.arange(len(nodes.ids)) == slot
    elif kind == "rack":
        chosen_nodes = nodes.rack == slot
    elif kind == "row":
        chosen_nodes = plant.racks.row[nodes.rack] == slot
    else:
        return np.zeros(0, np.int64)
    return np.flatnonzero(chosen_nodes & nodes.present & (nodes.gpu_count > 0))
