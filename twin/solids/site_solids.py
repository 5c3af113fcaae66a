"""Racks, nodes, GPUs, switches and machines as boxes with names, parts, values and colours. Metres, z up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints64
from twin.catalog import Catalog
from twin.plant.design_load import node_design_w, rack_design_w
from twin.plant.geometry import build_geometry
from twin.plant.machines import machine_ids
from twin.plant.shapes import Tiles
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.record.frame import Frame
from twin.scenario.generators.building_shape import LEAF_M, USUAL_M
from twin.scenario.generators.wall_line import XY, Rectangle, WallLine
from twin.view3d.base.bounds import MODULE_M, machine_boxes, rack_boxes
from twin.view3d.base.fronts import face_corners
from twin.view3d.base.palette import RAMP, look_up_table
from twin.view3d.colour.value_codes import gpu_codes

_DEEP = 0.85
"""Depth of what is in a rack over that of the rack."""
_WALL_M = 0.02
"""Thickness of the sides, floor and roof of a rack."""
_SHADES = 8
"""Places on a ramp that share a colour: each colour is a material of the file."""
_GREYS = {
    "rack": 56,
    "node": 84,
    "switch": 64,
    "machine": 150,
    "gpu": 110,
    "wall": 200,
    "column": 176,
    "door": 128,
}
_Turned = tuple[Rectangle, XY]
"""A rectangle before it is turned about its middle, and where its x axis lies then, a unit vector."""
_LEVEL: XY = (1.0, 0.0)


@dataclass(frozen=True)
class SiteSolids:
    """All boxes of a site, parents before what is in them.

    Parameters
    ----------
    ids
        Unique; of a machine with its number: "cdu/0#1".
    kinds
        "rack", "node", "gpu", "switch" or "machine"; of the building "wall", "column" or "door".
    parts
        Part of the catalogue, "" unknown.
    parent
        Box that each is in, -1 none.
    low_m, high_m
        Corners before they are turned, shape (n, 3) [m].
    ahead
        Unit vectors (n, 2): each is turned about its middle, so that its x axis lies along them.
    rgb
        Colours, shape (n, 3), 0 to 255.
    power_w, temp_c
        Of each, nan where it is not known [W, deg C]. Without a run the power is that of the design.
    """

    ids: list[str]
    kinds: list[str]
    parts: list[str]
    parent: Ints64
    low_m: Floats
    high_m: Floats
    ahead: Floats
    rgb: NDArray[np.uint8]
    power_w: Floats
    temp_c: Floats

    def __len__(self) -> int:
        return len(self.ids)

    def boxes(self, place: int) -> Floats:
        """Return the boxes that one is drawn as, about its middle: a rack as a frame, shape (boxes, 2, 3) [m].

        First their lowest, then their highest corners; together they are as large as the whole.
        """
        half = (self.high_m[place] - self.low_m[place]) / 2
        if self.kinds[place] != "rack":
            return np.stack([-half, half])[None]
        found = np.tile(np.stack([-half, half]), (4, 1, 1))
        for wall, axis in ((0, 0), (2, 2)):
            found[wall, 1, axis] = found[wall, 0, axis] + _WALL_M
            found[wall + 1, 0, axis] = found[wall + 1, 1, axis] - _WALL_M
        return found

    @property
    def centre_m(self) -> Floats:
        """Return the middle of each, shape (n, 3) [m]."""
        return (self.low_m + self.high_m) / 2

    @property
    def turn_rad(self) -> Floats:
        """Return by how much each is turned, anticlockwise seen from above [rad]."""
        return np.arctan2(self.ahead[:, 1], self.ahead[:, 0])


@dataclass
class _Kind:
    """Boxes of one kind, before they are put together."""

    kind: str
    ids: list[str]
    parts: list[str]
    parent: Ints64
    low_m: Floats
    high_m: Floats
    power_w: Floats
    temp_c: Floats
    rgb: NDArray[np.uint8]
    ahead: Floats


def site_solids(
    plant: Plant, catalog: Catalog, frame: Frame | None = None, colour_by: str = "gpu.temp_c"
) -> SiteSolids:
    """Return the boxes of a site.

    Parameters
    ----------
    plant, catalog
        The site.
    frame
        Values at one time of a run; None: colours tell kinds apart.
    colour_by
        Channel of GPUs that colours them, as in the window.
    """
    geometry = build_geometry(plant)
    racks = np.flatnonzero(plant.racks.present)
    nodes, switches = np.flatnonzero(plant.nodes.present), np.flatnonzero(plant.switches.present)
    gpus = np.flatnonzero(plant.gpus.present)
    machines = np.flatnonzero(plant.loops.present[geometry.machines.loop])
    place_of_rack = _places(len(plant.racks.ids), racks, 0)
    place_of_node = _places(len(plant.nodes.ids), nodes, len(racks))
    of_gpu_w, of_gpu_c = _gpu_values(frame, len(plant.gpus.present))
    rack_w = rack_design_w(plant, catalog)[racks] if frame is None else _values(frame, "rack.power_w", racks)
    each_w = np.array([node_design_w(catalog.node(name)) for name in plant.node_parts] or [np.nan])
    node_w = each_w[plant.nodes.part[nodes]] if frame is None else _sums(plant, of_gpu_w)[nodes]
    loops, names = geometry.machines.loop[machines], machine_ids(plant)
    found = [
        _kind(
            "rack",
            [plant.racks.ids[slot] for slot in racks],
            [plant.racks.part[slot] for slot in racks],
            np.full(len(racks), -1),
            rack_boxes(plant, racks),
            rack_w,
        ),
        _kind(
            "node",
            [plant.nodes.ids[slot] for slot in nodes],
            [plant.node_parts[part] for part in plant.nodes.part[nodes]],
            place_of_rack[plant.nodes.rack[nodes]],
            _boxes(plant, geometry.node_tiles, nodes, module=False),
            node_w,
            _worst(plant, of_gpu_c)[nodes],
        ),
        _kind(
            "gpu",
            [plant.gpu_id(slot) for slot in gpus.tolist()],
            [plant.gpu_parts[part] for part in plant.gpus.part[gpus]],
            place_of_node[plant.gpus.node[gpus]],
            _boxes(plant, geometry.gpu_tiles, gpus, module=True),
            of_gpu_w[gpus],
            of_gpu_c[gpus],
        ),
        _kind(
            "switch",
            [plant.switches.ids[slot] for slot in switches],
            [plant.switches.part[slot] for slot in switches],
            place_of_rack[plant.switches.rack[switches]],
            _boxes(plant, geometry.switch_tiles, switches, module=False),
        ),
        _kind(
            "machine",
            [names[machine] for machine in machines],
            [plant.loops.part[loop] for loop in loops],
            np.full(len(machines), -1),
            machine_boxes(geometry, machines),
        ),
        *_building(plant),
    ]
    if frame is not None:
        codes = gpu_codes(colour_by, plant, frame)[gpus].astype(np.int64)
        ramp = codes < RAMP
        codes[ramp] = codes[ramp] // _SHADES * _SHADES + _SHADES // 2
        found[2].rgb = look_up_table("turbo" if colour_by == "gpu.temp_c" else "viridis")[0][codes]
    return SiteSolids(
        [id for made in found for id in made.ids],
        [made.kind for made in found for _ in made.ids],
        [part for made in found for part in made.parts],
        np.concatenate([made.parent for made in found]),
        np.concatenate([made.low_m for made in found]),
        np.concatenate([made.high_m for made in found]),
        np.concatenate([made.ahead for made in found]),
        np.concatenate([made.rgb for made in found]),
        np.concatenate([made.power_w for made in found]),
        np.concatenate([made.temp_c for made in found]),
    )


def _building(plant: Plant) -> Iterator[_Kind]:
    """Yield walls, columns and leaves of doors of all halls.

    Walls go on above doors, and stand on the structural floor; leaves stand as in the window.
    """
    found: dict[str, list[tuple[str, _Turned, float, float]]] = {"wall": [], "column": [], "door": []}
    for hall, building in zip(plant.halls.ids, plant.halls.buildings, strict=True):
        top_m = building.clear_m if math.isfinite(building.clear_m) else USUAL_M
        low_m = -building.raised_floor_m
        pieces = [((area, _LEVEL), low_m, top_m) for area in building.wall_pieces()]
        for wall, start_m, stop_m in building.inner_pieces():
            pieces.append((_along(wall.line, start_m, stop_m, -wall.thickness_m, 0.0), low_m, top_m))
        for door in building.doors:
            door_m = min(door.height_m, top_m)
            over = _along(door.line, 0.0, door.width_m, -door.thickness_m, 0.0)
            pieces += [(over, low_m, 0.0), (over, door_m, top_m)]  # below the threshold, and above
            for number, leaf in enumerate(door.leaf_lines):
                id = f"{door.id}/{number}" if number else door.id
                found["door"].append(
                    (id, _along(leaf, 0.0, leaf.long_m, -LEAF_M / 2, LEAF_M / 2), 0.0, door_m)
                )
        for number, (area, from_m, to_m) in enumerate(pieces):
            if to_m > from_m:
                found["wall"].append((f"{hall}/wall/{number}", area, from_m, to_m))
        for column in building.columns:
            found["column"].append((column.id, (column.area, _LEVEL), low_m, top_m))
    for kind, boxes in found.items():
        table = np.array(
            [(*area[:2], from_m, *area[2:], to_m, *ahead) for _, (area, ahead), from_m, to_m in boxes],
            np.float64,
        ).reshape(-1, 8)
        yield _kind(
            kind,
            [id for id, *_ in boxes],
            [""] * len(boxes),
            np.full(len(boxes), -1),
            (table[:, :3], table[:, 3:6]),
            ahead=table[:, 6:],
        )


def _along(line: WallLine, from_m: float, to_m: float, near_m: float, far_m: float) -> _Turned:
    """Return what lies between two places along a line, and two distances from it."""
    if not line.slanted:
        return line.rectangle(from_m, to_m, near_m, far_m), _LEVEL
    x, y = line.point((from_m + to_m) / 2, (near_m + far_m) / 2)
    half_x, half_y = (to_m - from_m) / 2, (far_m - near_m) / 2
    return (x - half_x, y - half_y, x + half_x, y + half_y), line.ahead


def _kind(
    kind: str,
    ids: list[str],
    parts: list[str],
    parent: Ints64,
    box: tuple[Floats, Floats],
    power_w: Floats | None = None,
    temp_c: Floats | None = None,
    ahead: Floats | None = None,
) -> _Kind:
    unknown = np.full(len(ids), np.nan)
    grey = np.full((len(ids), 3), _GREYS[kind], np.uint8)
    return _Kind(
        kind,
        ids,
        [part or "" for part in parts],
        parent.astype(np.int64),
        box[0],
        box[1],
        unknown if power_w is None else np.asarray(power_w, np.float64),
        unknown if temp_c is None else np.asarray(temp_c, np.float64),
        grey,
        np.tile(_LEVEL, (len(ids), 1)) if ahead is None else ahead,
    )


def _places(count: int, slots: Ints64, first: int) -> Ints64:
    """Return the place of each slot among all boxes, -1 for those that are not there."""
    places = np.full(count, -1, np.int64)
    places[slots] = first + np.arange(len(slots))
    return places


def _boxes(plant: Plant, tiles: Tiles, slots: Ints64, *, module: bool) -> tuple[Floats, Floats]:
    """Return the boxes behind tiles on rack fronts, or the modules that stand out of them."""
    rack = tiles.rack[slots]
    corners = face_corners(
        plant,
        rack,
        RACK_FOOT_M + tiles.u0[slots] * U_M,
        RACK_FOOT_M + tiles.u1[slots] * U_M,
        tiles.column[slots] / tiles.columns[slots],
        (tiles.column[slots] + 1) / tiles.columns[slots],
        0.0,
    )
    low, high = corners.min(axis=1), corners.max(axis=1)
    facing, front = plant.racks.facing[rack].astype(float), corners[:, 0, 1]
    back = front + facing * (MODULE_M if module else -_DEEP * plant.racks.depth_m[rack])
    low[:, 1], high[:, 1] = np.minimum(front, back), np.maximum(front, back)
    return low, high


def _gpu_values(frame: Frame | None, count: int) -> tuple[Floats, Floats]:
    """Return power and temperature of each GPU slot, nan where they are not known."""
    known: Bools = np.arange(count) < (0 if frame is None else len(frame.values["gpu.state"]))
    found = []
    for key in ("gpu.power_w", "gpu.temp_c"):
        values = np.full(count, np.nan)
        if frame is not None and key in frame.values:
            values[known] = frame.values[key][: int(known.sum())]
        found.append(values)
    return found[0], found[1]


def _values(frame: Frame, key: str, slots: Ints64) -> Floats:
    values = np.asarray(frame.values[key], np.float64)
    inside = slots < len(values)
    return (
        np.where(inside, values[np.where(inside, slots, 0)], np.nan)
        if len(values)
        else np.full(len(slots), np.nan)
    )


def _sums(plant: Plant, of_gpu: Floats) -> Floats:
    """Return the sum of known values of the GPUs of each node, nan where none is known."""
    known = np.isfinite(of_gpu)
    sums = np.bincount(plant.gpus.node[known], of_gpu[known], len(plant.nodes.ids))
    return np.where(np.bincount(plant.gpus.node[known], minlength=len(plant.nodes.ids)) > 0, sums, np.nan)


def _worst(plant: Plant, of_gpu: Floats) -> Floats:
    """Return the highest known value of the GPUs of each node."""
    worst = np.full(len(plant.nodes.ids), -np.inf)
    known = np.isfinite(of_gpu)
    np.maximum.at(worst, plant.gpus.node[known], of_gpu[known])
    return np.where(np.isfinite(worst), worst, np.nan)
