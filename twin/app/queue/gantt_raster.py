"""Many boxes as one picture: tens of thousands of jobs are painted by arrays, not one by one. No widgets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bytes, Ints64

_LARGE_PX = 48
"""Boxes of at least this area are filled one by one; there cannot be many of them."""
_GAP_FROM_PX = 4
"""Boxes this wide or high leave a line free to the next one."""


def paint_boxes(
    picture: Bytes, left: Ints64, right: Ints64, top: Ints64, bottom: Ints64, code: NDArray[np.uint8]
) -> None:
    """Fill boxes into a picture of codes, those later in the list over those before, the small ones first.

    Parameters
    ----------
    picture
        Shape (height, width) [px]; written into.
    left, right, top, bottom
        Edges [px], right and bottom outside; clipped here. A box with no extent is drawn one pixel thin, so that
        short jobs are seen.
    code
        What each box is filled with.
    """
    high, wide = picture.shape
    right, bottom = np.maximum(right, left + 1), np.maximum(bottom, top + 1)
    right = right - (right - left >= _GAP_FROM_PX)
    bottom = bottom - (bottom - top >= _GAP_FROM_PX)
    left, right = np.clip(left, 0, wide), np.clip(right, 0, wide)
    top, bottom = np.clip(top, 0, high), np.clip(bottom, 0, high)
    area = (right - left) * (bottom - top)
    small = np.flatnonzero((area > 0) & (area < _LARGE_PX))
    if len(small):
        _paint_small(picture, left[small], right[small] - left[small], top[small], area[small], code[small])
    for box in np.flatnonzero(area >= _LARGE_PX).tolist():
        picture[top[box] : bottom[box], left[box] : right[box]] = code[box]


def _paint_small(
    picture: Bytes, left: Ints64, width: Ints64, top: Ints64, area: Ints64, code: NDArray[np.uint8]
) -> None:
    """Fill boxes pixel by pixel, all pixels of all boxes at once."""
    box = np.repeat(np.arange(len(area)), area)
    place = np.arange(len(box)) - np.repeat(np.cumsum(area) - area, area)
    row, column = np.divmod(place, width[box])
    picture[top[box] + row, left[box] + column] = code[box]
