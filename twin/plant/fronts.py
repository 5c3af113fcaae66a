"""Rack fronts: which rectangle stands for which GPU, node or switch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.arrays import Ints32
from twin.plant.shapes import Tiles
from twin.plant.tables import Plant

TALL_U = 4
"""From this height a node shows its GPUs in two rows, under a bezel."""

BEZEL = 0.14
"""Share of a tall node's height above its GPU tiles."""


def gpu_tiles(plant: Plant) -> Tiles:
    """Return the tile of every GPU slot: a node of up to 4 GPUs in one row, a tall one of 8 as 4 x 2.

    Nodes side by side share the columns of their height.
    """
    nodes, gpus = plant.nodes, plant.gpus
    rows = np.where((nodes.gpu_count > 4) & (nodes.height_u >= TALL_U), 2, 1)
    columns = -(-nodes.gpu_count // rows)
    bezel = np.where(nodes.height_u >= TALL_U, BEZEL, 0.0) * nodes.height_u
    tile_u = (nodes.height_u - bezel) / rows
    node = gpus.node
    line = gpus.index // np.maximum(columns[node], 1)  # from the top
    u0 = (nodes.u - 1 + nodes.height_u - bezel - tile_u)[node] - line * tile_u[node]
    return Tiles(
        rack=gpus.rack,
        u0=u0,
        u1=u0 + tile_u[node],
        column=(nodes.column[node] * columns[node] + gpus.index - line * columns[node]).astype(np.int32),
        columns=(nodes.abreast * columns)[node].astype(np.int32),
    )


def node_tiles(plant: Plant) -> Tiles:
    """Return the whole face of every node slot."""
    nodes = plant.nodes
    faces = _faces(nodes.rack, nodes.u, nodes.height_u)
    return replace(faces, column=nodes.column, columns=nodes.abreast)


def switch_tiles(plant: Plant) -> Tiles:
    """Return the whole face of every switch slot."""
    return _faces(plant.switches.rack, plant.switches.u, plant.switches.height_u)


def _faces(rack: Ints32, u: Ints32, height_u: Ints32) -> Tiles:
    return Tiles(
        rack=rack,
        u0=(u - 1).astype(np.float64),
        u1=(u - 1 + height_u).astype(np.float64),
        column=np.zeros(len(rack), np.int32),
        columns=np.ones(len(rack), np.int32),
    )
