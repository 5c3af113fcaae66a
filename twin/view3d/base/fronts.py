"""Places on the fronts of racks: where a rectangle of tiles lies in space. No GL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant

FRAME_M = 0.03
"""Frame left and right of the usable face of a rack."""
PROUD_M = 0.012
"""How far faces stand before the front plane of the cabinet, against depth fighting."""


def face_corners(
    plant: Plant,
    rack: NDArray[np.int32],
    z0_m: NDArray[np.float64],
    z1_m: NDArray[np.float64],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    proud_m: float = PROUD_M,
) -> NDArray[np.float64]:
    """Return the corners of rectangles on rack fronts, anticlockwise from the lower left as a person sees them.

    Parameters
    ----------
    rack
        Rack slot of each rectangle.
    z0_m, z1_m
        Lower and upper edge above the floor [m].
    left, right
        Share of the usable width, 0 at the person's left.
    proud_m
        Distance before the front plane [m].

    Returns
    -------
    Shape (n, 4, 3) [m].
    """
    racks = plant.racks
    facing = racks.facing[rack].astype(float)
    usable = racks.width_m[rack] - 2 * FRAME_M
    front = racks.y_m[rack] + facing * (racks.depth_m[rack] / 2 + proud_m)
    # Fronts that look to -y have low x at the person's left.
    start = racks.x_m[rack] + facing * usable / 2
    x_left, x_right = start - facing * usable * left, start - facing * usable * right
    corners = np.empty((len(rack), 4, 3))
    corners[:, [0, 3], 0] = x_left[:, None]
    corners[:, [1, 2], 0] = x_right[:, None]
    corners[:, :, 1] = front[:, None]
    corners[:, :2, 2] = z0_m[:, None]
    corners[:, 2:, 2] = z1_m[:, None]
    return corners
