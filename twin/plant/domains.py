"""Scale-up domains: which nodes share one NVLink or xGMI network, faster than the scale-out fabric."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.catalog import Catalog, load_catalog
from twin.plant.tables import Plant

PCIE_BYTES_S = 64e9
"""GPUs with no faster link than this (16 lanes of PCIe 5.0 carry 63 GB/s a direction) have none of their own."""


def scale_up_domains(plant: Plant, catalog: Catalog | None = None) -> Ints32:
    """Return the scale-up domain of every node slot, numbered from 0 in the order of the slots.

    A node of 8 GPUs on an NVSwitch is a domain by itself; the 18 trays of an NVL72 rack are one. Trays of a larger
    domain are taken in the order in which they stand in their rack; absent nodes keep their place.

    Parameters
    ----------
    plant
        With its nodes.
    catalog
        Says how many GPUs a domain has; None: those of the plant.
    """
    parts = catalog if catalog is not None else plant.catalog
    nodes, racks = plant.nodes, plant.racks
    if not len(nodes.ids):
        return np.zeros(0, np.int32)
    per_domain = np.array([_nodes_of(parts, name) for name in plant.node_parts], np.int64)
    place = np.arange(len(nodes.ids)) - racks.node_first[birth_racks(plant)]
    which = np.stack([nodes.rack, nodes.part, place // per_domain[nodes.part]], axis=1)
    _, first, group = np.unique(which, axis=0, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first))
    return number[group.reshape(-1)]


def birth_racks(plant: Plant) -> Ints32:
    """Return the rack that each node slot is named after; nodes that have moved stand in another one."""
    racks = plant.racks
    holding = np.flatnonzero(racks.node_count > 0)
    order = holding[np.argsort(racks.node_first[holding], kind="stable")]
    place = np.searchsorted(racks.node_first[order], np.arange(len(plant.nodes.ids)), side="right") - 1
    return order[np.maximum(place, 0)].astype(np.int32)


def scale_up_kind(part: str, catalog: Catalog | None = None) -> str:
    """Return the interconnect of the GPUs of a node part: "NVSwitch", "NVL72", "xGMI mesh", or "PCIe".

    >>> scale_up_kind("DGX-H100"), scale_up_kind("GB200-compute-tray"), scale_up_kind("MI300X-8")
    ('NVSwitch', 'NVL72', 'xGMI mesh')
    """
    parts = catalog if catalog is not None else load_catalog()
    node = parts.node(part)
    gpu = parts.gpu(node.gpu)
    if gpu.link_bandwidth_bytes_s < PCIE_BYTES_S:
        return "PCIe"
    if gpu.vendor == "AMD":
        return "xGMI mesh"
    return f"NVL{node.scale_up_gpus}" if node.scale_up_gpus > node.n_gpu else "NVSwitch"


def _nodes_of(catalog: Catalog, part: str) -> int:
    """Return how many nodes of a part make one domain."""
    node = catalog.node(part)
    return max(1, node.scale_up_gpus // max(1, node.n_gpu))
