"""Light on the floor, baked once per plant: contact shadows, cold and hot aisle glow, the hall's extent. Numpy only.

A soft rectangle is the product of a soft line along x and one along y, and each of those is a soft edge less another.
In whole numbers sums of them come out the same in any order: what goes is taken off, what comes is put on, and what is
then baked is what would have been baked from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import AisleKind, Geometry
from twin.plant.tables import Plant

MARGIN_M = 8.0
STEP_M = 6.0
MAX_TEXELS = 1024
FINEST_M = 0.1
COARSER = 2**0.25
"""Ratio of one size of texels to the next: a hall that grows a little keeps its own."""
SOFT_M: dict[str, tuple[tuple[float, float], ...]] = {
    "shadow": ((0.75, 0.22), (0.55, 0.9)),
    "cold": ((1.0, 0.7),),
    "hot": ((1.0, 0.55),),
    "hall": ((1.0, 0.15),),
}
"""Weight and softness [m] of the blurs of each layer: a shadow is dark close by and fades far."""
MOST_PARTS = 12
"""Places that are brought up to date each by itself; where more have changed, all texels are."""

_EDGE, _WEIGHT, _TO_TEXEL = 512, 128, 17
"""What stands for 1 in soft edges and in weights, and how far their product is shifted to 256.

So 48 rectangles on one another still fit into 32 bits.
"""

Place = tuple[slice, slice]
_Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True)
class Lightmap:
    """Texels of the floor.

    Parameters
    ----------
    texels
        uint8 (height, width, 4): shadow, cold light, hot light, inside a hall.
    origin_m, size_m
        Rectangle on the floor that they cover (x, y).
    changed
        Places that differ from those of the plant before; None: all.
    """

    texels: NDArray[np.uint8]
    origin_m: tuple[float, float]
    size_m: tuple[float, float]
    changed: tuple[Place, ...] | None = None


def bake(plant: Plant, geometry: Geometry) -> Lightmap:
    """Return the floor's light for a plant."""
    return Baker().bake(plant, geometry)


@dataclass(frozen=True)
class _Area:
    """What texels there are: `left` and `low` are numbers of the first, from the origin of the site."""

    step_m: float
    left: int
    low: int
    width: int
    height: int

    def holds(self, rectangle: _Rectangle, reach: int) -> bool:
        """Return whether the light of a rectangle lies inside."""
        x0, y0, x1, y1 = rectangle
        return (
            x0 - reach >= self.left
            and y0 - reach >= self.low
            and x1 + reach <= self.left + self.width
            and y1 + reach <= self.low + self.height
        )


class Baker:
    """Bakes one plant after another, each from what it has that the one before had not."""

    def __init__(self) -> None:
        self._area = _Area(0.0, 0, 0, 0, 0)
        self._layers: dict[str, _Layer] = {}
        self.texels = np.zeros((0, 0, 4), np.uint8)

    def bake(self, plant: Plant, geometry: Geometry) -> Lightmap:
        """Return the floor's light for a plant."""
        area = _area(geometry)
        anew = area != self._area
        if anew:
            self._move(area)
        changed: list[Place] = []
        for place, (name, rectangles) in enumerate(_rectangles(plant, geometry).items()):
            layer = self._layers[name]
            corners = np.rint(rectangles / area.step_m).astype(int)
            touched = layer.show(frozenset(map(tuple, corners.tolist())))
            for part in touched if len(touched) < MOST_PARTS else [(slice(None), slice(None))]:
                self.texels[(*part, place)] = layer.light(part)
                changed.append(part)
        origin_m = area.left * area.step_m, area.low * area.step_m
        size_m = area.width * area.step_m, area.height * area.step_m
        return Lightmap(self.texels, origin_m, size_m, None if anew else tuple(changed))

    def _move(self, area: _Area) -> None:
        """Take another area; what is baked of the one before stays, where texels are as large."""
        before, self._area = self._area, area
        texels = np.zeros((area.height, area.width, 4), np.uint8)
        layers = {
            name: _Layer(area, [(weight, sigma_m / area.step_m) for weight, sigma_m in soft])
            for name, soft in SOFT_M.items()
        }
        old, new = _shared(before, area)
        for place, (name, layer) in enumerate(layers.items()):
            if before.step_m == area.step_m and layer.take(self._layers[name], old, new):
                texels[(*new, place)] = self.texels[(*old, place)]
        self._layers, self.texels = layers, texels


def _area(geometry: Geometry) -> _Area:
    """Return the area of a plant, in steps, so that a hall that grows a little keeps it."""
    low = np.floor((geometry.bounds_m[0, :2] - MARGIN_M) / STEP_M) * STEP_M
    high = np.ceil((geometry.bounds_m[1, :2] + MARGIN_M) / STEP_M) * STEP_M
    wanted = float((high - low).max()) / (FINEST_M * MAX_TEXELS)
    coarser = max(0, int(np.ceil(np.log(wanted) / np.log(COARSER)))) if wanted > 0 else 0
    step = FINEST_M * COARSER**coarser
    first = np.floor(low / step).astype(int)
    size = np.ceil(high / step).astype(int) - first
    return _Area(step, int(first[0]), int(first[1]), int(size[0]), int(size[1]))


def _shared(area: _Area, other: _Area) -> tuple[Place, Place]:
    """Return what two areas share, in the texels of each."""
    left, low = max(area.left, other.left), max(area.low, other.low)
    right = max(left, min(area.left + area.width, other.left + other.width))
    high = max(low, min(area.low + area.height, other.low + other.height))
    return (
        (slice(low - area.low, high - area.low), slice(left - area.left, right - area.left)),
        (slice(low - other.low, high - other.low), slice(left - other.left, right - other.left)),
    )


def _rectangles(plant: Plant, geometry: Geometry) -> dict[str, NDArray[np.float64]]:
    """Return what lies on the floor, as (x0, y0, x1, y1) [m] by layer."""
    racks, boxes, aisles, halls = plant.racks, geometry.machines, geometry.aisles, plant.halls
    present = racks.present
    bodies = [
        _round(racks.x_m[present], racks.y_m[present], racks.width_m[present], racks.depth_m[present]),
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
    """Rectangles on the floor and the sum of their light."""

    def __init__(self, area: _Area, soft: list[tuple[float, float]]) -> None:
        self._area = area
        self._soft = [(round(weight * _WEIGHT), _radius(sigma)) for weight, sigma in soft]
        self._reach = 3 * max(radius for _, radius in self._soft) + 1
        self._shown: frozenset[_Rectangle] = frozenset()
        self._light = np.zeros((area.height, area.width), np.int32)

    def take(self, before: _Layer, old: Place, new: Place) -> bool:
        """Take over what another area has, unless something there reaches beyond either; return whether it did."""
        areas = before._area, self._area
        if not all(area.holds(shadow, self._reach) for shadow in before._shown for area in areas):
            return False
        self._light[new], self._shown = before._light[old], before._shown
        return True

    def light(self, place: Place) -> NDArray[np.uint8]:
        """Return the light in a place, 255 for all there can be."""
        texels: NDArray[np.uint8] = np.minimum(self._light[place] >> _TO_TEXEL, 255).astype(np.uint8)
        return texels

    def show(self, wanted: frozenset[_Rectangle]) -> list[Place]:
        """Take other rectangles (x0, y0, x1, y1) [texels from the origin]; return where that changes the light."""
        gone, come = _merged(self._shown - wanted), _merged(wanted - self._shown)
        self._shown = wanted
        touched: list[Place] = []
        for shadow in gone:
            follows = next((other for other in come if _overlap(shadow, other)), None)
            if follows is None:
                touched.append(self._add(shadow, (shadow[0], shadow[0]), (shadow[1], shadow[1])))
            else:  # it has only moved its edges
                come.remove(follows)
                touched.append(self._add(shadow, (follows[0], follows[2]), (follows[1], follows[3])))
        for x0, y0, x1, y1 in come:
            touched.append(self._add((x0, y0, x0, y0), (x0, x1), (y0, y1)))
        return touched

    def _add(self, before: _Rectangle, along: tuple[int, int], across: tuple[int, int]) -> Place:
        """Let a rectangle become one from x0 to x1 and y0 to y1; return where that changes the light."""
        x0, y0, x1, y1 = before
        area = self._area
        columns = _grown(min(x0, along[0]), max(x1, along[1]), self._reach, area.left, area.width)
        rows = _grown(min(y0, across[0]), max(y1, across[1]), self._reach, area.low, area.height)
        place = (
            np.arange(columns.start, columns.stop) + area.left,
            np.arange(rows.start, rows.stop) + area.low,
        )
        light = self._light[rows, columns]
        for weight, radius in self._soft:
            from_x, to_x = _line(place[0], (x0, x1), radius), _line(place[0], along, radius)
            from_y, to_y = _line(place[1], (y0, y1), radius), _line(place[1], across, radius)
            for y, x in ((from_y, to_x - from_x), (to_y - from_y, to_x)):
                down, along_x = y.nonzero()[0], x.nonzero()[0]
                if len(down) and len(along_x):
                    part = slice(down[0], down[-1] + 1), slice(along_x[0], along_x[-1] + 1)
                    light[part] += np.multiply.outer(weight * y[part[0]], x[part[1]])
        return rows, columns


def _merged(rectangles: frozenset[_Rectangle]) -> list[_Rectangle]:
    """Return rectangles in which those side by side along x are one."""
    out: list[_Rectangle] = []
    for x0, y0, x1, y1 in sorted(rectangles, key=lambda box: (box[1], box[3], box[0], box[2])):
        if out and out[-1][1::2] == (y0, y1) and out[-1][2] == x0:
            out[-1] = (out[-1][0], y0, x1, y1)
        else:
            out.append((x0, y0, x1, y1))
    return out


def _overlap(area: _Rectangle, other: _Rectangle) -> bool:
    return area[0] < other[2] and other[0] < area[2] and area[1] < other[3] and other[1] < area[3]


def _grown(first: int, last: int, by: int, origin: int, size: int) -> slice:
    """Return the texels of a row from `first` to `last` and `by` more on both sides, as far as there are any."""
    low = min(max(first - by - origin, 0), size)
    return slice(low, min(max(last + by - origin, low), size))


def _radius(sigma: float) -> int:
    return max(1, round(sigma))


def _line(place: NDArray[np.int64], ends: tuple[int, int], radius: int) -> NDArray[np.int32]:
    """Return a soft line between two ends, at texels of a place."""
    edge, begin = _edge(radius), place + (3 * radius + 1)
    first: NDArray[np.int32] = edge[np.minimum(np.maximum(begin - ends[0], 0), len(edge) - 1)]
    last: NDArray[np.int32] = edge[np.minimum(np.maximum(begin - ends[1], 0), len(edge) - 1)]
    return first - last


@lru_cache
def _edge(radius: int) -> NDArray[np.int32]:
    """Return a soft edge from 0 to `_EDGE`: three box blurs after each other, near a Gaussian of `radius` texels."""
    box = np.ones(2 * radius + 1) / (2 * radius + 1)
    soft = np.convolve(np.convolve(box, box), box)
    edge: NDArray[np.int32] = np.rint(np.cumsum(np.r_[0.0, soft]) * _EDGE).astype(np.int32)
    return edge
