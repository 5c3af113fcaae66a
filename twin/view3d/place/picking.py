"""What is under the pointer: a ray against the boxes of racks and machines, then against the fronts of one rack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.plant.find import entity_id
from twin.plant.geometry import Geometry, Tiles, build_geometry
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base.bounds import Box, machine_boxes, rack_boxes
from twin.view3d.base.fronts import FRAME_M
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import DRAWN, TileLevel, TilePlaces
from twin.view3d.place.site_plan import SitePlan

OWN_M = 2.0
"""A label this close behind a face belongs to it: it stands over its own row or machine."""
TOUCH_M = 0.05
ROOM_M = 0.4
"""The eye stands at least so far from everything."""
LEAST_PX = 14.0
"""What is smaller than this across on screen is not picked by itself: the thing that holds it is."""
REACHED = 0.995
"""What meets a sight line this close to its end touches the thing and hides nothing."""
HitKind = Literal["gpu", "node", "switch", "rack", "loop", "bundle", "power", "plant", "row", "hall"]
_TILES: dict[TileLevel, Literal["rack", "row", "hall"]] = {
    TileLevel.RACK: "rack",
    TileLevel.ROW: "row",
    TileLevel.HALL: "hall",
}


@dataclass(frozen=True)
class Hit:
    """What a ray met first.

    Parameters
    ----------
    kind, slot, id
        The smallest thing there that is large enough on screen: a GPU tile, else the face of a node or switch, else
        the rack or machine; a power item or a machine of a facility loop outside; a bundle of cables; or from afar the
        rack, row or hall that is drawn as one tile.
    distance_m, point_m
        Along the ray, and the place.
    part
        Which machine of a thing that stands in several.
    """

    kind: HitKind
    slot: int
    id: str
    distance_m: float
    point_m: tuple[float, float, float]
    part: int = 0


class _ByRack:
    """Slots of a table of tiles, grouped by rack."""

    def __init__(self, tiles: Tiles, present: NDArray[np.bool_], racks: int) -> None:
        slots = np.flatnonzero(present)
        self._slots = slots[np.argsort(tiles.rack[slots], kind="stable")]
        self._first = np.searchsorted(tiles.rack[self._slots], np.arange(racks + 1))
        self._tiles = tiles

    def at(self, rack: int, across: float, u: float, least_m: float, usable_m: float) -> int | None:
        """Return the slot whose tile holds the place (share of the usable width, rack units above the foot).

        None where there is none, or where it is smaller than `least_m` across.
        """
        slots = self._slots[self._first[rack] : self._first[rack + 1]]
        tiles = self._tiles
        inside = (tiles.u0[slots] <= u) & (u < tiles.u1[slots])
        inside &= np.floor(across * tiles.columns[slots]) == tiles.column[slots]
        found = np.flatnonzero(inside)
        if not len(found):
            return None
        slot = int(slots[found[0]])
        high_m, wide_m = (tiles.u1[slot] - tiles.u0[slot]) * U_M, usable_m / tiles.columns[slot]
        return slot if min(high_m, wide_m) >= least_m else None


class Picker:
    """Answers rays for one epoch of a plant.

    Parameters
    ----------
    plant
        The plant.
    geometry
        Its geometry, built when not given.
    plan
        What stands outside the hall and over the racks; None: nothing.

    Attributes
    ----------
    tiles
        What is drawn of racks, rows and halls from afar.
    """

    def __init__(self, plant: Plant, geometry: Geometry | None = None, plan: SitePlan | None = None) -> None:
        geometry = geometry or build_geometry(plant)
        self._plant = plant
        self.tiles = TilePlaces.of(plant, geometry)
        self._rack_slots = np.flatnonzero(plant.racks.present)
        self._machine_loops = geometry.machines.loop
        rack_low, rack_high = rack_boxes(plant, self._rack_slots)
        machine_low, machine_high = machine_boxes(geometry, np.arange(len(self._machine_loops)))
        # One line per axis: the slabs of all boxes are then met in three short passes over memory.
        low, high = [rack_low, machine_low], [rack_high, machine_high]
        self._others: list[tuple[Literal["power", "plant"], int]] = []
        if plan is not None:
            items = np.flatnonzero(plant.power.present)
            low += [plan.low[items], plan.yard.low]
            high += [plan.high[items], plan.yard.high]
            self._others += [("power", item) for item in items.tolist()]
            self._others += [("plant", slot) for slot in plan.yard.plant.tolist()]
        self.low = np.ascontiguousarray(np.concatenate(low).T)
        self.high = np.ascontiguousarray(np.concatenate(high).T)
        racks = len(plant.racks.present)
        self._gpus = _ByRack(geometry.gpu_tiles, plant.gpus.present, racks)
        self._nodes = _ByRack(geometry.node_tiles, plant.nodes.present, racks)
        self._switches = _ByRack(geometry.switch_tiles, plant.switches.present, racks)

    def pick(
        self, origin: Floats, direction: Floats, px_per_m: Callable[[float], float] | None = None
    ) -> Hit | None:
        """Return what the ray meets first.

        Parameters
        ----------
        origin
            Start [m], shape (3,).
        direction
            Unit vector, shape (3,).
        px_per_m
            Returns how large a metre is on screen, by its distance along the ray [m]: what is too small there is not
            met. None: everything is large enough.
        """
        index, distance = _first_box(self.low, self.high, origin, direction)
        if index is None:
            return None
        point = origin + direction * distance
        place = _as_place(point)
        outside = index - len(self._rack_slots) - len(self._machine_loops)
        if outside >= 0:
            kind, slot = self._others[outside]
            part = self._others[:outside].count((kind, slot))
            return Hit(kind, slot, entity_id(self._plant, kind, slot), distance, place, part)
        if index >= len(self._rack_slots):
            machine = index - len(self._rack_slots)
            loop = int(self._machine_loops[machine])
            part = int(np.count_nonzero(self._machine_loops[:machine] == loop))
            return Hit("loop", loop, self._plant.loops.ids[loop], distance, place, part)
        rack = int(self._rack_slots[index])
        least_m = LEAST_PX / px_per_m(distance) if px_per_m is not None else 0.0
        return self._on_front(rack, place, distance, least_m) or Hit(
            "rack", rack, self._plant.racks.ids[rack], distance, place
        )

    def pick_tile(self, origin: Floats, direction: Floats, pose: CameraPose, height_px: float) -> Hit | None:
        """Return the rack, row or hall whose tile the ray meets first, of those that are drawn from a pose.

        Parameters
        ----------
        height_px
            Of the picture [physical px].
        """
        drawn = np.flatnonzero(self.tiles.opacity(pose, height_px) > DRAWN)
        index, distance = _first_box(self.tiles.low[drawn].T, self.tiles.high[drawn].T, origin, direction)
        if index is None:
            return None
        tile = int(drawn[index])
        kind, slot = _TILES[TileLevel(int(self.tiles.level[tile]))], int(self.tiles.slot[tile])
        at = _as_place(origin + direction * distance)
        return Hit(kind, slot, entity_id(self._plant, kind, slot), distance, at)

    def rack(self, origin: Floats, direction: Floats) -> int | None:
        """Return the slot of the rack that the ray meets first; None when it meets something else or nothing."""
        index, _ = _first_box(self.low, self.high, origin, direction)
        return int(self._rack_slots[index]) if index is not None and index < len(self._rack_slots) else None

    def part_box(self, kind: str, slot: int, part: int) -> Box | None:
        """Return the box of one machine of a thing that stands in several; None where there is none."""
        first = len(self._rack_slots)
        if kind == "loop":
            places = first + np.flatnonzero(self._machine_loops == slot)
        else:
            first += len(self._machine_loops)
            places = first + np.array(
                [k for k, other in enumerate(self._others) if other == (kind, slot)], int
            )
        if part >= len(places):
            return None
        return self.low[:, places[part]], self.high[:, places[part]]

    def boxes(self) -> tuple[list[str], Floats, Floats]:
        """Return ids and corners (n, 3) [m] of all that can be met; a machine that stands in parts has several."""
        plant = self._plant
        ids = [plant.racks.ids[slot] for slot in self._rack_slots.tolist()]
        ids += [plant.loops.ids[loop] for loop in self._machine_loops.tolist()]
        ids += [entity_id(plant, kind, slot) for kind, slot in self._others]
        return ids, self.low.T, self.high.T

    def blocked(self, eye_m: Floats, points_m: Floats) -> NDArray[np.bool_]:
        """Return which points (n, 3) a rack or machine hides from the eye; one that the point itself is in does not."""
        out = np.zeros(len(points_m), bool)
        for k, point in enumerate(points_m):
            way = point - eye_m
            distance = float(np.linalg.norm(way))
            if distance > 1e-6:
                index, first = _first_box(self.low, self.high, eye_m, way / distance)
                out[k] = index is not None and first < distance - OWN_M
        return out

    def seen(self, eye_m: Floats, points_m: Floats, own: tuple[Floats, Floats]) -> NDArray[np.bool_]:
        """Return which points (n, 3) of a thing the eye sees past all boxes but those inside the thing's own.

        It sees none while it is in a box, or closer to one than ROOM_M.
        """
        low, high = self.low, self.high
        own_face = (low >= own[0][:, None] - TOUCH_M).all(axis=0) & (high <= own[1][:, None] + TOUCH_M).all(
            axis=0
        )
        near = np.maximum(np.maximum(low - eye_m[:, None], eye_m[:, None] - high), 0.0)
        if not low.shape[1] or (near**2).sum(axis=0).min() < ROOM_M**2:
            return np.full(len(points_m), not low.shape[1])
        reach_m = np.linalg.norm(points_m - eye_m, axis=1).max()
        near_face = ~own_face & ((near**2).sum(axis=0) < reach_m**2)
        low, high = low[:, near_face], high[:, near_face]
        way = (points_m - eye_m)[:, :, None]
        way = np.where(np.abs(way) < 1e-9, 1e-9, way)
        ends = np.stack([low - eye_m[:, None], high - eye_m[:, None]]) / way[:, None]  # (n, 2, 3, boxes)
        enter, leave = ends.min(axis=1).max(axis=1), ends.max(axis=1).min(axis=1)
        return np.asarray(~((enter < leave) & (leave > 0.0) & (enter < REACHED)).any(axis=1))

    def free_way_m(self, origin: Floats, direction: Floats) -> float:
        """Return how far one gets from a place before a rack or machine is in the way [m], inf if never."""
        index, distance = _first_box(self.low, self.high, origin, direction)
        return distance if index is not None else float("inf")

    def _on_front(
        self, rack: int, point: tuple[float, float, float], distance: float, least_m: float
    ) -> Hit | None:
        plant, racks = self._plant, self._plant.racks
        facing = int(racks.facing[rack])
        front = float(racks.y_m[rack]) + facing * float(racks.depth_m[rack]) / 2
        if abs(point[1] - front) > 1e-6:
            return None
        usable = float(racks.width_m[rack]) - 2 * FRAME_M
        across = 0.5 - facing * (point[0] - float(racks.x_m[rack])) / usable
        u = (point[2] - RACK_FOOT_M) / U_M
        if not 0 <= across < 1:
            return None
        place = (rack, across, u, least_m, usable)
        if (gpu := self._gpus.at(*place)) is not None:
            return Hit("gpu", gpu, plant.gpu_id(gpu), distance, point)
        if (node := self._nodes.at(*place)) is not None:
            return Hit("node", node, plant.nodes.ids[node], distance, point)
        if (switch := self._switches.at(*place)) is not None:
            return Hit("switch", switch, plant.switches.ids[switch], distance, point)
        return None


def _as_place(point: Floats) -> tuple[float, float, float]:
    return float(point[0]), float(point[1]), float(point[2])


def _first_box(low: Floats, high: Floats, origin: Floats, direction: Floats) -> tuple[int | None, float]:
    """Return which box with corners (3, n) a ray meets first, and where; one that the eye is in is looked through."""
    if not low.shape[1]:
        return None, 0.0
    enter = np.zeros(low.shape[1])
    leave = np.full(low.shape[1], np.inf)
    for axis in range(3):
        slope = 1.0 / (float(direction[axis]) or 1e-12)
        start, end = (low[axis], high[axis]) if slope > 0 else (high[axis], low[axis])
        np.maximum(enter, (start - origin[axis]) * slope, out=enter)
        np.minimum(leave, (end - origin[axis]) * slope, out=leave)
    enter[(leave < enter) | (enter <= 0.0)] = np.inf  # a box that the eye is in has enter = 0
    nearest = int(enter.argmin())
    return (nearest, float(enter[nearest])) if np.isfinite(enter[nearest]) else (None, 0.0)
