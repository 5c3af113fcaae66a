"""What the building says against a place: walls, columns, swings of doors, ceiling, load of the floor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from twin.arrays import Floats, Ints32
from twin.commands.place.floor_plan import TOUCH_M, FloorPlan, MovedShape
from twin.language import tr
from twin.plant.design_load import floor_load_pa
from twin.scenario.schema.quantity import rendered


class MovedFootprints(Protocol):
    """Footprints at a place: low and high corners (n, 2) [m], side of the fronts."""

    low: Floats
    high: Floats
    facing: Ints32


def against_building(floor: FloorPlan, shape: MovedShape, moved: MovedFootprints, hall: int) -> Iterator[str]:
    """Yield a clause after "it would" for each kind of problem, as the design rules put it."""
    building, told = floor.buildings[hall], set[str]()
    for place in range(len(shape.dx_m) if building.binds else 0):
        (x0, y0), (x1, y1) = moved.low[place].tolist(), moved.high[place].tolist()
        height_m = 0.0 if shape.height_m is None else float(shape.height_m[place])
        for kind, clause in building.struck((x0, y0, x1, y1), height_m):
            if kind not in told and (shape.height_m is not None or kind != "wall"):
                told.add(kind)
                yield clause
    if shape.weight_kg is not None:
        load_pa = floor_load_pa(shape.weight_kg, shape.width_m, shape.depth_m, *_clear_m(floor, moved))
        limit_pa = float(floor.floor_load_pa[hall])
        if load_pa.max(initial=0.0) > limit_pa * 1.001:
            yield tr(
                "put {load} on the floor, above its limit of {limit}",
                load=_rounded(load_pa.max()),
                limit=_rounded(limit_pa),
            )


def _rounded(load_pa: float) -> str:
    return rendered(float(f"{load_pa:.3g}"), "pressure")


def _clear_m(floor: FloorPlan, moved: MovedFootprints) -> tuple[Floats, Floats]:
    """Return the clear floor on the low and on the high side of each footprint across the rows [m]; inf: all free."""
    low, high = floor.low_m, floor.high_m
    beside = np.minimum(high[None, :, 0], moved.high[:, None, 0]) - np.maximum(
        low[None, :, 0], moved.low[:, None, 0]
    )
    found = []
    for gap_m in (moved.low[:, None, 1] - high[None, :, 1], low[None, :, 1] - moved.high[:, None, 1]):
        met = (beside > TOUCH_M) & (gap_m > -TOUCH_M)
        found.append(np.where(met, np.maximum(gap_m, 0.0), np.inf).min(axis=1, initial=np.inf))
    return found[0], found[1]
