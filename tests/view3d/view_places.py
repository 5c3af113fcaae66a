"""Where things are, computed apart from the drawing code."""

from __future__ import annotations

import numpy as np

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.view3d.base.bounds import box_of


def tile_point(plant: Plant, geometry: Geometry, gpu: int) -> np.ndarray:
    """Return the middle of a GPU's tile on the panel [m]."""
    box = box_of(plant, geometry, plant.gpu_id(gpu))
    assert box is not None
    low, high = box
    front = float(plant.racks.facing[plant.gpus.rack[gpu]])
    return np.array([(low[0] + high[0]) / 2, high[1] if front > 0 else low[1], (low[2] + high[2]) / 2])
