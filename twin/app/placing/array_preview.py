"""What an array of things would be: its ghost, what it adds, and what speaks against it. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.app.placing.ghost_view import Standing, on_floor
from twin.app.placing.payload import carried_things, power_obstacles
from twin.catalog import Catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.floor_plan import FloorPlan, MovedShape
from twin.commands.place.snap import snap
from twin.commands.room.copies import MOST, Array
from twin.language import tr
from twin.plant.design_load import rack_design_w
from twin.plant.tables import Plant
from twin.view3d.base.edit_shapes import Ghost
from twin.view3d.place.site_plan import SitePlan

_AISLE_M = 1.8
"""Left between lines of racks at first: a cold aisle and half a hot one."""


@dataclass(frozen=True)
class Preview:
    """An array that is not there yet.

    Attributes
    ----------
    ghost
        To be shown in the hall.
    copies, racks, gpus, power_w
        What it adds; power is the most that the racks draw.
    reason
        Why it cannot be made; "" when it can.
    doubt
        What speaks against it all the same.
    """

    ghost: Ghost
    copies: int
    racks: int
    gpus: int
    power_w: float
    reason: str = ""
    doubt: str = ""


def usual_pitch(plant: Plant, plan: SitePlan, ids: Sequence[str]) -> tuple[float, float]:
    """Return the pitch to begin with along x and y [m]: side by side, and an aisle apart."""
    carried = carried_things(plant, plan, ids)
    if isinstance(carried, str) or carried.shape is None:
        return 0.6, 3.0
    shape = carried.shape
    wide = (shape.dx_m + shape.width_m / 2).max() - (shape.dx_m - shape.width_m / 2).min()
    deep = (shape.dy_m + shape.depth_m / 2).max() - (shape.dy_m - shape.depth_m / 2).min()
    return round(float(wide), 3), round(float(deep) + _AISLE_M, 3)


def preview(scene: EditedScene, plan: SitePlan, standing: Standing, array: Array) -> Preview:
    """Return what an array would be; `standing` gives the box of what is in its way."""
    plant, ids = scene.plant, array.ids
    copies = max(array.columns * array.rows - 1, 0)
    slots = _racks(plant, ids)
    gpus = int((np.isin(plant.gpus.rack, slots) & plant.gpus.present).sum()) * copies
    power_w = float(_rack_w(plant, scene.catalog)[slots].sum()) * copies
    nothing = Preview(Ghost(), copies, len(slots) * copies, gpus, power_w)
    carried = carried_things(plant, plan, ids)
    if isinstance(carried, str) or carried.shape is None or carried.at is None:
        return _why(nothing, carried if isinstance(carried, str) else tr("it is in a rack: copy the rack"))
    if not copies or copies * len(carried.shape.dx_m) > MOST:
        few = tr("an array needs at least two places")
        return _why(nothing, few if not copies else tr("at most {most:,} copies at once", most=MOST))
    shape, offsets = _repeated(carried.shape, array)
    at = carried.at
    floor = FloorPlan.of(plant, power_obstacles(plant, plan), settled=carried.only_racks)
    found = snap(floor, shape, at[0] + offsets[0][0], at[1] + offsets[0][1], free=True, subject=tr("a copy"))
    ghost = on_floor(shape, carried.heights_m * copies, found, standing)
    reason = "" if found.ok else found.reason
    try:
        array.patch(scene)
    except CommandError as error:
        reason = str(error)
    return Preview(ghost, copies, len(slots) * copies, gpus, power_w, reason, "" if reason else found.reason)


def _repeated(shape: MovedShape, array: Array) -> tuple[MovedShape, list[tuple[float, float]]]:
    """Return the footprints of all copies, the first of them the anchor, and their ways from the originals."""
    x_m, y_m = array.pitch
    offsets = [(i * x_m, j * y_m) for j in range(array.rows) for i in range(array.columns) if i or j]
    first_x_m, first_y_m = offsets[0]
    return shape.repeated([(x - first_x_m, y - first_y_m) for x, y in offsets]), offsets


def _why(nothing: Preview, reason: str) -> Preview:
    return Preview(nothing.ghost, nothing.copies, nothing.racks, nothing.gpus, nothing.power_w, reason)


def _racks(plant: Plant, ids: Sequence[str]) -> np.ndarray:
    """Return the racks of a selection: itself, or those of its rows."""
    slots: set[int] = set()
    for id in ids:
        kind, slot = plant.slots.get(id, ("", -1))
        if kind == "rack":
            slots.add(slot)
        elif kind == "row":
            slots.update(np.flatnonzero((plant.racks.row == slot) & plant.racks.present).tolist())
    return np.array(sorted(slots), np.int64)


def _rack_w(plant: Plant, catalog: Catalog) -> np.ndarray:
    return np.asarray(rack_design_w(plant, catalog))
