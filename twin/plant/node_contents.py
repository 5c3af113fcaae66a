"""What nodes have of something that fails: rates of failure are counted for each of them."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, NodePart
from twin.plant.tables import Plant

GPUS_OF_A_TRAY = 8
"""GPUs of an NVLink domain for each of its switch trays: nine trays of 144 ports join 72 GPUs of 18 links."""


def counts_of_nodes(plant: Plant, each: str, catalog: Catalog | None = None) -> Floats:
    """Return how many of `each` every node slot has, shape (N,); of a switch tray, how many its whole domain has.

    Parameters
    ----------
    plant
        With its nodes.
    each
        As `each` of a cause of failure: node, gpu, nic, psu, nvlink_tray.
    catalog
        Says what a node has; None: those of the plant.
    """
    nodes = plant.nodes
    if each == "gpu":
        return nodes.gpu_count.astype(np.float64)
    if each == "nic":
        return nodes.nics.astype(np.float64)
    if each == "node" or not plant.node_parts:
        return np.ones(len(nodes.ids))
    parts = catalog if catalog is not None else plant.catalog
    count = _supplies if each == "psu" else _trays
    return np.array([count(parts.node(part)) for part in plant.node_parts])[nodes.part]


def count_of(node: NodePart, each: str) -> float:
    """Return how many of `each` one node of a part has; as `counts_of_nodes`."""
    if each == "gpu":
        return float(node.n_gpu)
    if each == "nic":
        return float(sum(group.count for group in node.nics if group.use != "storage"))
    if each == "node":
        return 1.0
    return _supplies(node) if each == "psu" else _trays(node)


def _supplies(node: NodePart) -> float:
    return float(node.psu_count or 0) if node.power_entry == "psu" else 0.0


def _trays(node: NodePart) -> float:
    return node.scale_up_gpus / GPUS_OF_A_TRAY if node.scale_up_gpus > node.n_gpu else 0.0
