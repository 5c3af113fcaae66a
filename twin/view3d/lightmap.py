"""Light on the floor, baked once per plant: contact shadows, cold and hot aisle glow, the hall's extent. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import AisleKind, Geometry
from twin.plant.tables import Plant

MARGIN_M = 8.0
MAX_TEXELS = 1024
FINEST_M = 0.1


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
    low = geometry.bounds_m[0, :2] - MARGIN_M
    size = geometry.bounds_m[1, :2] + MARGIN_M - low
    step = max(FINEST_M, float(size.max()) / MAX_TEXELS)
    width, height = (int(np.ceil(s / step)) for s in size)
    canvas = _Canvas(low, step, width, height)
    racks, boxes, aisles = plant.racks, geometry.machines, geometry.aisles
    shadow = canvas.blank()
    for k in np.flatnonzero(racks.present).tolist():
        canvas.fill(shadow, racks.x_m[k], racks.y_m[k], racks.width_m[k], racks.depth_m[k])
    for k in range(len(boxes.x_m)):
        canvas.fill(shadow, boxes.x_m[k], boxes.y_m[k], boxes.width_m[k], boxes.depth_m[k])
    light = {AisleKind.COLD: canvas.blank(), AisleKind.HOT: canvas.blank()}
    for k in range(len(aisles.kind)):
        x, y = (aisles.x0_m[k] + aisles.x1_m[k]) / 2, (aisles.y0_m[k] + aisles.y1_m[k]) / 2
        wide, deep = aisles.x1_m[k] - aisles.x0_m[k], aisles.y1_m[k] - aisles.y0_m[k]
        canvas.fill(light[AisleKind(int(aisles.kind[k]))], x, y, wide, deep)
    hall = canvas.blank()
    for k in range(len(plant.halls.ids)):
        x0, x1, y0, y1 = (
            float(v[k]) for v in (plant.halls.x0_m, plant.halls.x1_m, plant.halls.y0_m, plant.halls.y1_m)
        )
        canvas.fill(hall, (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0)
    near, wide_soft = _blur(shadow, 0.22 / step), _blur(shadow, 0.9 / step)
    texels = np.stack(
        [
            np.clip(0.75 * near + 0.55 * wide_soft, 0, 1),
            _blur(light[AisleKind.COLD], 0.7 / step),
            _blur(light[AisleKind.HOT], 0.55 / step),
            _blur(hall, 0.15 / step),
        ],
        axis=-1,
    )
    return Lightmap(
        np.rint(np.clip(texels, 0, 1) * 255).astype(np.uint8),
        (float(low[0]), float(low[1])),
        (width * step, height * step),
    )


class _Canvas:
    def __init__(self, low: NDArray[np.float64], step: float, width: int, height: int) -> None:
        self._low, self._step, self._shape = low, step, (height, width)

    def blank(self) -> NDArray[np.float64]:
        return np.zeros(self._shape)

    def fill(self, map_: NDArray[np.float64], x: float, y: float, wide: float, deep: float) -> None:
        a = np.rint((np.array([x - wide / 2, y - deep / 2]) - self._low) / self._step).astype(int)
        b = np.rint((np.array([x + wide / 2, y + deep / 2]) - self._low) / self._step).astype(int)
        a, b = np.maximum(a, 0), np.maximum(b, 0)
        map_[a[1] : b[1], a[0] : b[0]] = 1.0


def _blur(map_: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return three box blurs after each other: near a Gaussian of `sigma` texels."""
    radius = max(1, round(sigma))
    out = map_
    for _ in range(3):
        for axis in (0, 1):
            padding = [(0, 0), (0, 0)]
            padding[axis] = (radius + 1, radius)
            total = np.cumsum(np.pad(out, padding, mode="edge"), axis=axis)
            span = 2 * radius + 1
            upper = total[span:] if axis == 0 else total[:, span:]
            lower = total[:-span] if axis == 0 else total[:, :-span]
            out = (upper - lower) / span
    return out
