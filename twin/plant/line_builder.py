"""Collects lines of different length into one array of points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from twin.plant.shapes import Polylines
from twin.plant.tables import Floats


class LineBuilder:
    """Lines in the order in which they are added."""

    def __init__(self) -> None:
        self._points: list[Floats] = []
        self._counts: list[np.ndarray] = []

    def add(self, points: Sequence[Sequence[float]]) -> None:
        """Add one line; a point that repeats the one before it is left out."""
        kept = list(points[:1])
        kept += [b for a, b in pairwise(points) if max(map(_apart, a, b)) > 1e-6]
        self._points.append(np.array(kept, np.float64).reshape(-1, 3))
        self._counts.append(np.array([len(kept)]))

    def add_many(self, lines: Floats) -> None:
        """Add lines of equal length, (lines, points, 3)."""
        self._points.append(lines.reshape(-1, 3))
        self._counts.append(np.full(len(lines), lines.shape[1]))

    def build(self) -> Polylines:
        """Return all lines."""
        counts = np.concatenate([*self._counts, np.zeros(0, np.int64)])
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return Polylines(np.concatenate([*self._points, np.zeros((0, 3))]), first)


def _apart(a: float, b: float) -> float:
    return abs(a - b)
