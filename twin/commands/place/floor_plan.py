"""The floor of a plant as footprints, and shapes that are moved over it, in the coordinates of the site."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats, Ints32
from twin.plant.tables import Plant
from twin.scenario.generators.building_shape import BuildingShape

TOUCH_M = 0.005
"""Footprints may share so much: roundings of pitch and width."""

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class MovedShape:
    """Footprints that are moved together: centres from the anchor, sizes [m], side of the fronts (0: none).

    Heights [m] and weights [kg] are those of racks and cooling units, which stand within the walls; none: of others.
    Widths lie along `ahead`, a unit vector: along the rows, but of a door along its wall.
    """

    dx_m: Floats
    dy_m: Floats
    width_m: Floats
    depth_m: Floats
    facing: Ints32
    height_m: Floats | None = None
    weight_kg: Floats | None = None
    ahead: Point = (1.0, 0.0)

    @classmethod
    def single(cls, width_m: float, depth_m: float, facing: int = 0) -> MovedShape:
        """Return the shape of a single footprint."""
        return cls(
            np.zeros(1), np.zeros(1), np.array([width_m]), np.array([depth_m]), np.array([facing], np.int32)
        )

    @classmethod
    def row(cls, count: int, pitch_m: float, width_m: float, depth_m: float, facing: int) -> MovedShape:
        """Return the shape of racks side by side; the first is the anchor."""
        full = np.ones(count, np.float64)
        facings = np.full(count, facing, np.int32)
        return cls(
            np.arange(count, dtype=np.float64) * pitch_m, full * 0.0, full * width_m, full * depth_m, facings
        )

    @classmethod
    def standing(cls, floor: FloorPlan, ids: Sequence[str]) -> tuple[MovedShape, Point] | None:
        """Return the shape of present items and the place of its anchor, the first of them; None: none is present."""
        chosen = set(ids)
        found = [k for k, id in enumerate(floor.ids) if id in chosen]
        if not found:
            return None
        found.sort(key=lambda k: floor.ids[k] != ids[0])
        k = np.array(found)
        at = float(floor.x_m[k[0]]), float(floor.y_m[k[0]])
        shape = cls(
            floor.x_m[k] - at[0], floor.y_m[k] - at[1], floor.width_m[k], floor.depth_m[k], floor.facing[k]
        )
        return shape, at

    def tall(self, height_m: Sequence[float], weight_kg: Sequence[float | None] = (None,)) -> MovedShape:
        """Return it as racks or cooling units of some heights [m], and of weights [kg] where all are known."""
        known = [weight for weight in weight_kg if weight is not None]
        weights = np.array(known, np.float64) if len(known) == len(self.dx_m) else None
        return replace(self, height_m=np.array(height_m, np.float64), weight_kg=weights)

    def repeated(self, by: Sequence[Point]) -> MovedShape:
        """Return it several times over, each moved by a distance [m]."""
        times = len(by)
        return MovedShape(
            np.concatenate([self.dx_m + x for x, _ in by]),
            np.concatenate([self.dy_m + y for _, y in by]),
            np.tile(self.width_m, times),
            np.tile(self.depth_m, times),
            np.tile(self.facing, times),
            None if self.height_m is None else np.tile(self.height_m, times),
            None if self.weight_kg is None else np.tile(self.weight_kg, times),
        )

    def turned(self) -> MovedShape:
        """Return it turned by 180 degrees: rows stand along x, so fronts look to +y or -y."""
        return replace(self, dx_m=-self.dx_m, dy_m=-self.dy_m, facing=-self.facing)


@dataclass(frozen=True)
class Obstacle:
    """An item on the floor that is no rack or machine of the plant."""

    id: str
    low: Point
    high: Point


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """Footprints of all items on the floor: centres and sizes [m]; `row` is -1 for all but racks."""

    ids: list[str]
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats
    facing: Ints32
    row: Ints32
    halls_m: Floats  # (n, 4): x0, y0, x1, y1
    hall_names: list[str]
    floor_load_pa: Floats
    buildings: list[BuildingShape]

    @classmethod
    def of(
        cls,
        plant: Plant,
        obstacles: Sequence[Obstacle] = (),
        without: Collection[str] = (),
        *,
        settled: bool = False,
    ) -> FloorPlan:
        """Return the floor of a plant.

        Parameters
        ----------
        without
            Ids of the moved items, which are no obstacles.
        settled
            Leave out machines without a place of their own: they keep clear of racks by themselves.
        """
        racks, machines, loops = plant.racks, plant.machines, plant.loops
        gone = set(without)
        standing = loops.present & loops.placed if settled else loops.present
        rack = [slot for slot in np.flatnonzero(racks.present).tolist() if racks.ids[slot] not in gone]
        machine = [
            slot
            for slot in range(len(machines.loop))
            if standing[machines.loop[slot]] and loops.ids[int(machines.loop[slot])] not in gone
        ]
        kept = [obstacle for obstacle in obstacles if obstacle.id not in gone]
        low = np.array([obstacle.low for obstacle in kept]).reshape(-1, 2)
        high = np.array([obstacle.high for obstacle in kept]).reshape(-1, 2)
        ids = [racks.ids[slot] for slot in rack]
        ids += [loops.ids[int(machines.loop[slot])] for slot in machine] + [obstacle.id for obstacle in kept]
        nothing = np.zeros(len(machine) + len(kept), np.int32)
        size, middle = high - low, (low + high) / 2
        halls = plant.halls
        return cls(
            ids,
            np.concatenate([racks.x_m[rack], machines.x_m[machine], middle[:, 0]]),
            np.concatenate([racks.y_m[rack], machines.y_m[machine], middle[:, 1]]),
            np.concatenate([racks.width_m[rack], machines.width_m[machine], size[:, 0]]),
            np.concatenate([racks.depth_m[rack], machines.depth_m[machine], size[:, 1]]),
            np.concatenate([racks.facing[rack], nothing]).astype(np.int32),
            np.concatenate([racks.row[rack], nothing - 1]).astype(np.int32),
            np.stack([halls.x0_m, halls.y0_m, halls.x1_m, halls.y1_m], axis=1),
            list(halls.titles),
            halls.floor_load_pa,
            halls.buildings,
        )

    def hall_at(self, x_m: float, y_m: float) -> int:
        """Return the hall of a place, else the nearest one."""
        x0, y0, x1, y1 = self.halls_m.T
        away = np.maximum(np.maximum(x0 - x_m, x_m - x1), 0.0) + np.maximum(np.maximum(y0 - y_m, y_m - y1), 0)
        return int(away.argmin())

    @property
    def low_m(self) -> Floats:
        """Return the low corners, (n, 2)."""
        return np.stack([self.x_m - self.width_m / 2, self.y_m - self.depth_m / 2], axis=1)

    @property
    def high_m(self) -> Floats:
        """Return the high corners, (n, 2)."""
        return np.stack([self.x_m + self.width_m / 2, self.y_m + self.depth_m / 2], axis=1)
