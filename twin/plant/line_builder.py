"""Collects lines of different length into one array of points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from twin.arrays import Floats
from twin.plant.shapes import Polylines


class LineBuilder:
    """Lines in the order in which they are added."""

    def __init__(self) -> None:
        self._points: list[Floats] = []
        self._counts: list[np.ndarray] = []
        self._own: list[list[Sequence[float]]] = []  # lines added one by one since the last many

    def add(self, points: Sequence[Sequence[float]]) -> None:
        """Add one line; a point that repeats the one before it is left out."""
        self._own.append([*points[:1], *(b for a, b in pairwise(points) if _apart(a, b))])

    def add_many(self, lines: Floats) -> None:
        """Add lines of equal length, (lines, points, 3)."""
        self._take_own()
        self._points.append(lines.reshape(-1, 3))
        self._counts.append(np.full(len(lines), lines.shape[1]))

    def build(self) -> Polylines:
        """Return all lines."""
        self._take_own()
        counts = np.concatenate([*self._counts, np.zeros(0, np.int64)])
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return Polylines(np.concatenate([*self._points, np.zeros((0, 3))]), first)

    def _take_own(self) -> None:
        own, self._own = self._own, []
        if own:
            self._points.append(np.array([point for line in own for point in line], np.float64))
            self._counts.append(np.array([len(line) for line in own]))


def _apart(a: Sequence[float], b: Sequence[float]) -> bool:
    return abs(a[0] - b[0]) > 1e-6 or abs(a[1] - b[1]) > 1e-6 or abs(a[2] - b[2]) > 1e-6
