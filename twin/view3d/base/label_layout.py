"""Which labels are shown and where: nearer and weightier first, none over another. Pure numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BUDGET = 50
SPACING_PX = 6.0


@dataclass(frozen=True)
class Placed:
    """A label on screen: which, and its rectangle (left, top, width, height) [px]."""

    index: int
    left_px: float
    top_px: float


def place_labels(
    points_px: NDArray[np.float64],
    sizes_px: NDArray[np.float64],
    weights: NDArray[np.float64],
    width_px: float,
    height_px: float,
    scale: float = 1.0,
    keep_clear: NDArray[np.float64] | None = None,
) -> list[Placed]:
    """Choose labels greedily.

    Parameters
    ----------
    points_px
        Anchors (x, y, depth [m]), shape (n, 3); the label sits centred over its anchor.
    sizes_px
        Width and height, shape (n, 2).
    weights
        Importance; equal ones go by depth.
    width_px, height_px
        Of the screen; labels that would cross its edge are left out.
    scale
        Physical pixels per logical one.

    keep_clear
        Rectangles (left, top, right, bottom) where no label may be, shape (n, 4) [px].

    Returns
    -------
    At most BUDGET placed labels, no two closer than SPACING_PX.
    """
    order = np.lexsort((points_px[:, 2], -weights))
    taken = np.zeros((0, 4)) if keep_clear is None else keep_clear
    out: list[Placed] = []
    gap = SPACING_PX * scale
    for index in order:
        x, y, depth = points_px[index]
        wide, high = sizes_px[index]
        left, top = float(np.rint(x - wide / 2)), float(np.rint(y - high - 4 * scale))
        if depth <= 0 or left < 2 or top < 2 or left + wide > width_px - 2 or top + high > height_px - 2:
            continue
        clash = (
            (left < taken[:, 2] + gap)
            & (left + wide > taken[:, 0] - gap)
            & (top < taken[:, 3] + gap)
            & (top + high > taken[:, 1] - gap)
        )
        if clash.any():
            continue
        taken = np.vstack([taken, [left, top, left + wide, top + high]])
        out.append(Placed(int(index), left, top))
        if len(out) >= BUDGET:
            break
    return out
