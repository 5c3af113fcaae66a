"""Which labels are shown and where: nearer and weightier first, none over another. Pure numpy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats

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
    order = order[points_px[order, 2] > 0]
    taken = np.zeros((0, 4)) if keep_clear is None else keep_clear
    out: list[Placed] = []
    gap = SPACING_PX * scale
    for index in order:
        x, y, _ = points_px[index]
        wide, high = sizes_px[index]
        left, top = float(np.rint(x - wide / 2)), float(np.rint(y - high - 4 * scale))
        if left < 2 or top < 2 or left + wide > width_px - 2 or top + high > height_px - 2:
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


class LabelRoom:
    """The labels of one picture: those that came first keep their places.

    Parameters
    ----------
    size_px
        Width and height of the picture.
    scale, keep_clear
        As of `place_labels`.

    Attributes
    ----------
    placed
        What stands, by its number among all texts.
    """

    def __init__(self, size_px: tuple[float, float], scale: float, keep_clear: Floats) -> None:
        self._size_px, self._scale, self._taken = size_px, scale, keep_clear
        self.placed: list[Placed] = []

    def inside(self, points_px: Floats) -> NDArray[np.bool_]:
        """Return which points (x, y, depth) are in the picture (n,)."""
        (x, y, depth), (wide, high) = points_px.T, self._size_px
        return np.asarray((depth > 0) & (x > 0) & (x < wide) & (y > 0) & (y < high))

    def add(
        self, chosen: NDArray[np.intp], points_px: Floats, sizes_px: Floats, weights: Floats
    ) -> list[int]:
        """Place those of some texts that there is room for, and return them; parameters as of `place_labels`."""
        found = place_labels(
            points_px[chosen],
            sizes_px[chosen],
            weights[chosen],
            *self._size_px,
            scale=self._scale,
            keep_clear=self._taken,
        )[: BUDGET - len(self.placed)]
        new = [Placed(int(chosen[label.index]), label.left_px, label.top_px) for label in found]
        corner = np.array([(label.left_px, label.top_px) for label in new]).reshape(-1, 2)
        boxes = np.hstack([corner, corner + sizes_px[[label.index for label in new]].reshape(-1, 2)])
        self._taken = np.vstack([self._taken, boxes])
        self.placed += new
        return [label.index for label in new]


def place_along(
    lines_px: Floats,
    sizes_px: Floats,
    width_px: float,
    height_px: float,
    scale: float = 1.0,
    keep_clear: Floats | None = None,
) -> list[Placed]:
    """Place the words of lines: over the middle of what is seen of each, else farther along, else below it.

    Parameters
    ----------
    lines_px
        Their ends (x, y), shape (n, 2, 2); not a number where a line is not seen.
    sizes_px, width_px, height_px, scale, keep_clear
        As of `place_labels`.

    Returns
    -------
    Words that there is room for, the first lines first.
    """
    taken = np.zeros((0, 4)) if keep_clear is None else keep_clear
    out: list[Placed] = []
    gap = 4 * scale
    for index, ((start, stop), (wide, high)) in enumerate(zip(lines_px, sizes_px, strict=True)):
        known = np.isfinite([start, stop]).all()
        seen = _seen_part(start, stop, width_px, height_px) if known else None
        if seen is None or len(out) >= BUDGET:
            continue
        for share, above in product((0.5, 0.3, 0.7, 0.12, 0.88), (True, False)):
            x, y = start + (seen[0] + share * (seen[1] - seen[0])) * (stop - start)
            left, top = float(np.rint(x - wide / 2)), float(np.rint(y - high - gap if above else y + gap))
            right, bottom = left + wide, top + high
            clash = (left < taken[:, 2] + gap) & (right > taken[:, 0] - gap)
            clash &= (top < taken[:, 3] + gap) & (bottom > taken[:, 1] - gap)
            if left < 2 or top < 2 or right > width_px - 2 or bottom > height_px - 2 or clash.any():
                continue
            taken = np.vstack([taken, [left, top, right, bottom]])
            out.append(Placed(index, left, top))
            break
    return out


def _seen_part(start: Floats, stop: Floats, width_px: float, height_px: float) -> tuple[float, float] | None:
    """Return from which to which share a line is in the picture; None where it never is."""
    low, high = 0.0, 1.0
    for at, way, most in zip(start, stop - start, (width_px, height_px), strict=True):
        if abs(way) < 1e-9:
            if not 0.0 <= at <= most:
                return None
            continue
        ends = sorted((-at / way, (most - at) / way))
        low, high = max(low, ends[0]), min(high, ends[1])
    return (float(low), float(high)) if low <= high else None
