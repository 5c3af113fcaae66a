"""Walls, columns and doors as boxes with ids, to measure from them: "hall/0" is the first wall of a hall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.plant.tables import Plant
from twin.scenario.generators.building_shape import BuildingShape
from twin.view3d.base.bounds import Box

CUT_M = 0.9
"""Walls, columns and doors are drawn so high, to look over: nothing that has the colour of a value is behind them."""


@dataclass(frozen=True)
class BuildingHit:
    """What a ray met first of a building; see `twin.view3d.place.picking.Hit`."""

    id: str
    distance_m: float
    point_m: tuple[float, float, float]
    part: int = 0


def building_box(plant: Plant, id: str) -> Box | None:
    """Return the box of a wall, column or door by its id; None where there is none."""
    for shape, prefix in _buildings(plant):
        ids, boxes = shape.part_boxes
        name = id.removeprefix(prefix) if id.startswith(f"{prefix}/") else id
        if name in ids:
            box = boxes[ids.index(name)]
            return box[:3], box[3:]
    return None


def pick_building(plant: Plant, origin: Floats, way: Floats) -> BuildingHit | None:
    """Return the wall, column or door that a ray meets first, as high as it is drawn; None where it meets none.

    Parameters
    ----------
    origin, way
        Of the ray: where it begins [m], and its direction.
    """
    best: BuildingHit | None = None
    for shape, prefix in _buildings(plant):
        ids, boxes = shape.part_boxes
        if not ids:
            continue
        low, high = boxes[:, :3], boxes[:, 3:].copy()
        high[:, 2] = np.minimum(high[:, 2], CUT_M)
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = (low - origin) / way, (high - origin) / way
        within = (origin >= low) & (origin <= high)
        along = way == 0.0
        near = np.where(along, np.where(within, -np.inf, np.inf), np.fmin(first, second)).max(axis=1)
        far = np.where(along, np.inf, np.fmax(first, second)).min(axis=1)
        met = np.where((near <= far) & (near > 0.0), near, np.inf)
        place = int(np.argmin(met))
        if np.isfinite(met[place]) and (best is None or met[place] < best.distance_m):
            x, y, z = (origin + met[place] * way).tolist()
            name = ids[place]
            id = f"{prefix}{name}" if name.startswith("/") else name
            best = BuildingHit(id, float(met[place]), (x, y, z))
    return best


def wall_of(plant: Plant, id: str) -> tuple[int, str] | None:
    """Return which wall, from 1 on, of which hall an id is of; None: it is another thing."""
    hall, _, number = id.rpartition("/")
    if hall not in plant.halls.ids or not number.isdigit():
        return None
    return int(number) + 1, plant.halls.titles[plant.halls.ids.index(hall)] or hall


def _buildings(plant: Plant) -> Iterator[tuple[BuildingShape, str]]:
    return zip(plant.halls.buildings, plant.halls.ids, strict=True)
