"""Drawings without perspective: which axes of the hall lie across and up the picture, and how its grid is pitched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.plant.halls import TILE_M
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose

LEAST_PX = 13.0
"""Lines of a grid are at least so far apart [logical px]."""
_PITCHES: tuple[tuple[float, int], ...] = (
    *((n * 10.0**power, every) for power in (-2, -1) for n, every in ((1, 5), (2, 5), (5, 2))),
    *((n * 10.0**power, every) for power in range(4) for n, every in ((1, 5), (2, 5), (5, 2))),
)
_TILES: tuple[tuple[float, int], ...] = ((TILE_M, 5), *_PITCHES[6:])
"""On a floor what is finer than a metre is a floor tile, every fifth of which lies on whole metres."""


@dataclass(frozen=True)
class DrawingAxis:
    """What lies along one direction of the picture.

    Parameters
    ----------
    axis
        0, 1, 2: x, y, z of the hall.
    sign
        1 where it grows rightwards or upwards, else -1.
    """

    axis: int
    sign: int

    @property
    def name(self) -> str:
        """Return x, y or z."""
        return "xyz"[self.axis]


@dataclass(frozen=True)
class GridPitch:
    """Lines of a grid: how far apart [m], and every which of them is a heavy one."""

    step_m: float
    every: int

    @property
    def heavy_m(self) -> float:
        """Return how far the heavy lines are apart [m]."""
        return self.step_m * self.every


def drawing_axes(pose: CameraPose) -> tuple[DrawingAxis, DrawingAxis] | None:
    """Return what lies across and up a picture; None where it is no drawing along the axes of the hall."""
    if not pose.flat:
        return None
    right, up, _ = camera.axes(pose)
    found = []
    for way in (right, up):
        axis = int(np.abs(way).argmax())
        if abs(way[axis]) < 1.0 - 1e-6:
            return None
        found.append(DrawingAxis(axis, 1 if way[axis] > 0 else -1))
    return found[0], found[1]


def grid_pitch(px_per_m: float, axes: Sequence[DrawingAxis]) -> GridPitch:
    """Return the finest grid whose lines are not too near: floor tiles or metres on a plan, metres in an elevation."""
    pitches = _TILES if all(axis.axis < 2 for axis in axes) else _PITCHES
    found = ((step_m, every) for step_m, every in pitches if step_m * px_per_m >= LEAST_PX)
    return GridPitch(*next(found, pitches[-1]))


def ticks(first_m: float, last_m: float, step_m: float) -> list[float]:
    """Return the multiples of a step from one place to another, either way round [m].

    >>> ticks(-0.7, 1.3, 0.6)
    [-0.6, 0.0, 0.6, 1.2]
    """
    low, high = sorted((first_m, last_m))
    numbers = range(int(np.ceil(low / step_m - 1e-9)), int(np.floor(high / step_m + 1e-9)) + 1)
    return [round(number * step_m, 9) + 0.0 for number in numbers]


def fine_step_m(px_per_m: float) -> float:
    """Return the least step of a readout: of a pixel or more [m]."""
    return next((step for step, _ in _PITCHES if step * px_per_m >= 1.0), _PITCHES[-1][0])
