"""Light on the floor, baked once per plant: contact shadows, cold and hot aisle glow, the hall's extent. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import AisleKind, Geometry
from twin.plant.tables import Plant

MARGIN_M = 8.0
STEP_M = 6.0
MAX_TEXELS = 1024
FINEST_M = 0.1
SOFT_M: dict[str, tuple[tuple[float, float], ...]] = {
    "shadow": ((0.75, 0.22), (0.55, 0.9)),
    "cold": ((1.0, 0.7),),
    "hot": ((1.0, 0.55),),
    "hall": ((1.0, 0.15),),
}
"""Weight and softness [m] of the blurs of each layer: a shadow is dark close by and fades far."""
MOST_CHANGED = 0.2
"""Share of the floor that is blurred anew region by region; of more the whole floor is."""


@dataclass(frozen=True)
class Lightmap:
    """Texels of the floor.

    Parameters
    ----------
    texels
        uint8 (height, width, 4): shadow, cold light, hot light, inside a hall.
    origin_m, size_m
        Rectangle on the floor that they cover (x, y).
    """

    texels: NDArray[np.uint8]
    origin_m: tuple[float, float]
    size_m: tuple[float, float]


def bake(plant: Plant, geometry: Geometry) -> Lightmap:
    """Return the floor's light for a plant."""
    return Baker().bake(plant, geometry)


class Baker:
    """Bakes one plant after another; where the next differs little, only round what has changed."""

    def __init__(self) -> None:
        self._area: tuple[float, ...] = ()
        self._layers: dict[str, _Layer] = {}
        self._texels = np.zeros((0, 0, 4), np.uint8)

    def bake(self, plant: Plant, geometry: Geometry) -> Lightmap:
        """Return the floor's light for a plant."""
        # In steps, so that a hall that grows a little keeps what is baked.
        low = np.floor((geometry.bounds_m[0, :2] - MARGIN_M) / STEP_M) * STEP_M
        size = np.ceil((geometry.bounds_m[1, :2] + MARGIN_M - low) / STEP_M) * STEP_M
        step = max(FINEST_M, float(size.max()) / MAX_TEXELS)
        width, height = (int(np.ceil(s / step)) for s in size)
        area = (*low.tolist(), step, width, height)
        if area != self._area:
            self._area = area
            self._layers = {
                name: _Layer((height, width), [(weight, sigma_m / step) for weight, sigma_m in soft])
                for name, soft in SOFT_M.items()
            }
            self._texels = np.zeros((height, width, 4), np.uint8)
        for place, (name, rectangles) in enumerate(_rectangles(plant, geometry).items()):
            layer = self._layers[name]
            corners = np.maximum(np.rint((rectangles - np.tile(low, 2)) / step), 0).astype(int)
            for touched in layer.show(corners):
                light = layer.light(touched)
                self._texels[(*touched, place)] = np.rint(np.clip(light, 0, 1) * np.float32(255))
        return Lightmap(self._texels, (float(low[0]), float(low[1])), (width * step, height * step))


def _rectangles(plant: Plant, geometry: Geometry) -> dict[str, NDArray[np.float64]]:
    """Return what lies on the floor, as (x0, y0, x1, y1) [m] by layer."""
    racks, boxes, aisles, halls = plant.racks, geometry.machines, geometry.aisles, plant.halls
    there = racks.present
    bodies = [
        _round(racks.x_m[there], racks.y_m[there], racks.width_m[there], racks.depth_m[there]),
        _round(boxes.x_m, boxes.y_m, boxes.width_m, boxes.depth_m),
    ]
    lanes = np.stack([aisles.x0_m, aisles.y0_m, aisles.x1_m, aisles.y1_m], axis=1)
    return {
        "shadow": np.concatenate(bodies),
        "cold": lanes[aisles.kind == AisleKind.COLD],
        "hot": lanes[aisles.kind == AisleKind.HOT],
        "hall": np.stack([halls.x0_m, halls.y0_m, halls.x1_m, halls.y1_m], axis=1),
    }


def _round(
    x: NDArray[np.float64], y: NDArray[np.float64], wide: NDArray[np.float64], deep: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([x - wide / 2, y - deep / 2, x + wide / 2, y + deep / 2], axis=1)


class _Layer:
    """Rectangles on the floor and their blurs."""

    def __init__(self, shape: tuple[int, int], soft: list[tuple[float, float]]) -> None:
        self._weights, self._sigmas = zip(*soft, strict=True)
        self._shown: frozenset[tuple[int, ...]] = frozenset()
        self._plain = np.zeros(shape, np.float32)
        self._blurred = [np.zeros(shape, np.float32) for _ in soft]

    def light(self, place: tuple[slice, slice]) -> NDArray[np.float32]:
        """Return the sum of the blurs in a place."""
        total = np.zeros(self._plain[place].shape, np.float32)
        for weight, blurred in zip(self._weights, self._blurred, strict=True):
            total += np.float32(weight) * blurred[place]
        return total

    def show(self, rectangles: NDArray[np.int64]) -> list[tuple[slice, slice]]:
        """Take other rectangles (x0, y0, x1, y1) [texels]; return where that changes the blurs."""
        wanted = frozenset(map(tuple, rectangles.tolist()))
        changed = wanted ^ self._shown
        if not changed:
            return []
        self._shown = wanted
        self._plain[:] = 0.0
        for x0, y0, x1, y1 in wanted:
            self._plain[y0:y1, x0:x1] = 1.0
        widest = 3 * (_radius(max(self._sigmas)) + 1)
        texels = sum((x1 - x0 + 4 * widest) * (y1 - y0 + 4 * widest) for x0, y0, x1, y1 in changed)
        if texels > MOST_CHANGED * self._plain.size:
            self._blur_all()
            return [(slice(None), slice(None))]
        regions = sorted(changed)
        for blurred, sigma in zip(self._blurred, self._sigmas, strict=True):
            reach = 3 * (_radius(sigma) + 1)
            for x0, y0, x1, y1 in regions:
                # What is touched, and what that depends on.
                touched = _grown(y0, y1, reach), _grown(x0, x1, reach)
                needed = _grown(y0, y1, 2 * reach), _grown(x0, x1, 2 * reach)
                soft = _blur(self._plain[needed], sigma)
                height, width = self._plain[touched].shape
                top, left = touched[0].start - needed[0].start, touched[1].start - needed[1].start
                blurred[touched] = soft[top : top + height, left : left + width]
        return [(_grown(y0, y1, widest), _grown(x0, x1, widest)) for x0, y0, x1, y1 in regions]

    def _blur_all(self) -> None:
        """Blur the whole floor. Lines of texels repeat: each kind is blurred along once, and spread across."""
        height = len(self._plain)
        first = np.flatnonzero(np.r_[True, (self._plain[1:] != self._plain[:-1]).any(axis=1)])
        first = first[self._plain[first].any(axis=1) | (first == 0)]
        kind = np.searchsorted(first, np.arange(height), side="right") - 1
        empty = ~self._plain.any(axis=1)
        across = np.zeros((height, len(first)), np.float32)
        across[np.arange(height), kind] = 1.0
        across[empty] = 0.0
        lines = self._plain[first]
        for blurred, sigma in zip(self._blurred, self._sigmas, strict=True):
            np.matmul(_blur(across, sigma, axes=(0,)), _blur(lines, sigma, axes=(1,)), out=blurred)


def _grown(low: int, high: int, by: int) -> slice:
    return slice(max(low - by, 0), max(high + by, 0))


def _radius(sigma: float) -> int:
    return max(1, round(sigma))


def _blur(map_: NDArray[np.float32], sigma: float, axes: tuple[int, ...] = (0, 1)) -> NDArray[np.float32]:
    """Return three box blurs after each other: near a Gaussian of `sigma` texels."""
    radius = _radius(sigma)
    span = 2 * radius + 1
    out = map_
    for _ in range(3):
        for axis in axes:
            padding = [(0, 0), (0, 0)]
            padding[axis] = (radius + 1, radius)
            total = np.cumsum(np.pad(out, padding, mode="edge"), axis=axis, dtype=np.float32)
            upper = total[span:] if axis == 0 else total[:, span:]
            lower = total[:-span] if axis == 0 else total[:, :-span]
            out = (upper - lower) / np.float32(span)
    return out
