"""Prefabs: units bought and built as one, such as a scalable unit of a SuperPOD, each one command."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from twin import units as units_of
from twin.catalog import Catalog, load_catalog
from twin.commands.edit.changes import Changes, point
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.floor_plan import MovedShape
from twin.commands.place.footprint import FloorFootprints, machine_size_m, must_fit, rack_size_m, standing
from twin.commands.place.place import hall_slot
from twin.commands.room.room import planted
from twin.commands.room.room_design import design
from twin.commands.room.room_plan import RoomRequest
from twin.commands.room.snippet import Fragment, rows_of
from twin.language import tr
from twin.plant.cooling import KINDS
from twin.plant.machines import GAP_M
from twin.plant.tables import RACK_FOOT_M, RACK_HEAD_M, U_M, Plant
from twin.scenario import Patch
from twin.scenario.schema.site import CABINET_UNITS

Point = tuple[float, float]
CABINET_HEIGHT_M = RACK_FOOT_M + CABINET_UNITS * U_M + RACK_HEAD_M


@dataclass(frozen=True)
class Prefab:
    """A unit of items that is put into a hall as one.

    Attributes
    ----------
    id, title
        Its id, and its name for people.
    says
        Its contents in one sentence.
    source
        Where its figures come from.
    part
        Part of the catalogue that stands for it in pictures.
    made
        Returns its fragment, with the first rack in the corner of the hall.
    """

    id: str
    title: str
    says: str
    source: str
    part: str
    made: Callable[[Catalog], Fragment]

    def fragment(self) -> Fragment:
        """Return its fragment."""
        return _fragment(self.id)


_SU = RoomRequest(title="", part="DGX-H100", nodes=4, rows=1, racks=8, storage=0)
_NVL = RoomRequest(title="", part="GB200-NVL72", rows=1, racks=8, cdu_in_row=True)


def _superpod(catalog: Catalog) -> Fragment:
    return design(_SU, catalog).fragment


def _superpod_first(catalog: Catalog) -> Fragment:
    made = design(_SU, catalog).fragment
    rows = {**made.rows[0], "overrides": {"gpu/0/7/3": {"absent": True}}}
    return replace(made, rows=[rows, *made.rows[1:]])


def _nvl72_row(catalog: Catalog) -> Fragment:
    return design(_NVL, catalog).fragment


def _storage_pod(catalog: Catalog) -> Fragment:
    rows = {"id": "store", "label": "STORE", "at": point(0.0, 0.0), "facing": "south"}
    rows |= {"racks": {"count": 2, "role": "storage"}}
    store = {"id": "pfs", "part": "DDN-AI400X2", "count": 8, "racks": "store"}
    return Fragment([rows], {"storage": [store]})


def _network_pair(catalog: Catalog) -> Fragment:
    rows = {"id": "net", "label": "NET", "at": point(0.0, 0.0), "facing": "south"}
    rows |= {"racks": {"count": 2, "role": "network"}}
    tier: dict[str, Any] = {"part": "QM9700", "racks": "net"}
    fabric: dict[str, Any] = {"id": "fabric", "kind": "explicit", "rows": ["net"]}
    fabric |= {"leaf": tier | {"count": 16}, "spine": tier | {"count": 8}, "cable": "MMF-400G-SR4"}
    return Fragment([rows], {"fabrics": [fabric]})


def _cdu_pair(catalog: Catalog) -> Fragment:
    part = "CDU-inrow-1350"
    width_m, depth_m = machine_size_m(catalog, part, KINDS["liquid"])
    middle = point(width_m + GAP_M / 2, depth_m / 2)
    loop: dict[str, Any] = {"id": "cdu", "kind": "liquid", "part": part, "units": 2, "plant": "water"}
    loop |= {"serves": [], "supply": "28 degC", "places": {"cdu/0": middle}}
    plant = {"id": "water", "kind": "chiller", "part": "chiller-air-cooled", "units": 2, "needed": 1}
    return Fragment([], {"cooling.plants": [plant | {"supply": "20 degC"}], "cooling.loops": [loop]})


_RA = tr("DGX SuperPOD reference architecture H100: 32 DGX a scalable unit, 4 a rack, 8 rails of QM9700")
PREFABS: Mapping[str, Prefab] = MappingProxyType(
    {
        prefab.id: prefab
        for prefab in (
            Prefab(
                "superpod-su-h100",
                tr("SuperPOD SU, 32 DGX H100"),
                tr(
                    "8 racks of 4 DGX H100, 8 leaves on 8 rails, spines, UPS and PDU A and B, air handlers N+1"
                ),
                _RA,
                "SU-H100-rack",
                _superpod,
            ),
            Prefab(
                "superpod-su-h100-31",
                tr("First SU, 31 DGX H100"),
                tr(
                    "As the unit of 32; one place is left free for the fabric managers, "
                    "as in the first unit of a SuperPOD"
                ),
                tr("{ra}; 31 in the first one, where the fabric managers take a place [unverified]", ra=_RA),
                "SU-H100-rack",
                _superpod_first,
            ),
            Prefab(
                "nvl72-row",
                tr("Row of 8 GB200 NVL72"),
                tr("8 racks of 72 GPUs, two CDUs in line, four rails, a busway tap A and B for each rack"),
                tr(
                    "DGX GB200 SuperPOD: 8 racks a scalable unit, 1.2 MW [unverified]; CDU and busway are estimates"
                ),
                "GB200-NVL72",
                _nvl72_row,
            ),
            Prefab(
                "storage-pod",
                tr("Storage pod"),
                tr("2 racks with 4 DDN AI400X2 each: 720 GB/s read, 4 PB"),
                tr("DDN AI400X2 as in the catalogue [unverified]"),
                "DDN-AI400X2",
                _storage_pod,
            ),
            Prefab(
                "cdu-pair",
                tr("CDU pair with manifold"),
                tr(
                    "2 CDUs of 1.35 MW on facility water; they take every row with cold plates that has no coolant yet"
                ),
                tr("CDU in row as in the catalogue [unverified]"),
                "CDU-inrow-1350",
                _cdu_pair,
            ),
            Prefab(
                "network-pair",
                tr("Leaf and spine racks"),
                tr(
                    "2 network racks with 16 leaves and 8 spines QM9700, without cables: automatic wiring adds them"
                ),
                tr("QM9700: 64 ports of 400 Gb/s, as in the catalogue"),
                "QM9700",
                _network_pair,
            ),
        )
    }
)
"""All prefabs by id."""


@functools.cache
def _fragment(id: str) -> Fragment:
    return PREFABS[id].made(load_catalog())


@dataclass(frozen=True)
class AddPrefab:
    """Put a prefab into a hall.

    Parameters
    ----------
    prefab
        Its id.
    hall
        Where; "": the first.
    at
        Middle of its first footprint in coordinates of the site [m].
    turned
        Whether it stands the other way round: its fronts to the north.
    """

    prefab: str
    hall: str = ""
    at: Point = (0.3, 0.6)
    turned: bool = False

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Add {title}", title=PREFABS[self.prefab].title)
            if self.prefab in PREFABS
            else tr("Add {prefab}", prefab=self.prefab)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if self.prefab not in PREFABS:
            raise CommandError(
                tr("there is no prefab {prefab!r}", prefab=self.prefab),
                tr("there are {prefabs}", prefabs=", ".join(PREFABS)),
            )
        fragment = PREFABS[self.prefab].fragment()
        slot = hall_slot(scene, self.hall)
        hall = scene.plant.halls.ids[slot]
        first = footprints(fragment, scene.catalog)
        if self.turned:
            fragment, first = _turned(fragment, scene.catalog), first.turned()
        shift_m = float(scene.plant.halls.shift_x_m[slot])
        by_m = (self.at[0] - first.x_m - shift_m, self.at[1] - first.y_m)
        obstacles = standing(scene.plant, settled=bool(first.shape.facing.all()))
        must_fit(first.boxes(slot, self.at), obstacles)
        changes = Changes(scene)
        planted(changes, _joined(scene, fragment, hall), hall, by_m)
        return changes.patch(self.title)


def _joined(scene: EditedScene, fragment: Fragment, hall: str) -> Fragment:
    """Return a CDU pair joined to rows without coolant, on present facility water if that is cold enough."""
    loops = fragment.entries.get("cooling.loops", [])
    if fragment.rows or not loops:
        return fragment
    bare = _without_coolant(scene.plant)
    loop = {**loops[0], "serves": bare}
    entries = {**fragment.entries, "cooling.loops": [loop]}
    cold = [plant for plant in scene.scenario.cooling.plants if plant.supply_c <= 24.0]
    if cold:
        loop["plant"] = cold[0].id
        entries.pop("cooling.plants")
    return Fragment([], entries)


def _without_coolant(plant: Plant) -> list[str]:
    """Return the row generators whose cold plates no loop serves."""
    nodes, racks = plant.nodes, plant.racks
    dry = np.unique(nodes.rack[nodes.liquid & nodes.present & (racks.loop[nodes.rack] < 0)])
    return list(dict.fromkeys(racks.ids[k].partition("/")[0] for k in dry.tolist()))


def _turned(fragment: Fragment, catalog: Catalog) -> Fragment:
    """Return the fragment turned by 180 degrees about its corner; rows of a prefab are generators of one row each."""
    rows = []
    for entry in fragment.rows:
        rows_before = rows_of(entry)
        width_m, depth_m = rack_size_m(catalog, rows_before.racks.part, rows_before.racks.pitch_m)
        length_m = (rows_before.racks.count - 1) * rows_before.racks.pitch_m + width_m
        facing = "south" if rows_before.facing == "north" else "north"
        corner = point(-rows_before.at.x_m - length_m, -rows_before.at.y_m - depth_m)
        rows.append({**entry, "at": corner, "facing": facing})
    loops = []
    for loop in fragment.entries.get("cooling.loops", ()):
        places = {
            item: point(*(-units_of.parse(place[axis], "length") for axis in ("x", "y")))
            for item, place in loop.get("places", {}).items()
        }
        loops.append({**loop, "places": places} if places else loop)
    return Fragment(rows, fragment.entries | ({"cooling.loops": loops} if loops else {}))


@dataclass(frozen=True)
class Footprints:
    """Footprints of a prefab: middle of the first one from the corner [m], the shape, heights [m]."""

    x_m: float
    y_m: float
    shape: MovedShape
    heights_m: tuple[float, ...]

    def turned(self) -> Footprints:
        """Return them turned by 180 degrees about the corner."""
        return Footprints(-self.x_m, -self.y_m, self.shape.turned(), self.heights_m)

    def boxes(self, hall: int, at: Point) -> FloorFootprints:
        """Return the footprints with the first one at a place."""
        shape = self.shape
        halls = np.full(len(shape.dx_m), hall, np.int32)
        ids = [""] * len(shape.dx_m)
        return FloorFootprints(
            ids, halls, at[0] + shape.dx_m, at[1] + shape.dy_m, shape.width_m, shape.depth_m
        )


def footprints(fragment: Fragment, catalog: Catalog) -> Footprints:
    """Return the footprints of racks, and of machines with a place of their own."""
    boxes: list[tuple[float, float, float, float, int, float]] = []
    for entry in fragment.rows:
        rows = rows_of(entry)
        part = rows.racks.part
        width_m, depth_m = rack_size_m(catalog, part, rows.racks.pitch_m)
        height_m = (catalog.rack(part).height_m if part else None) or CABINET_HEIGHT_M
        for row in range(rows.count):
            north = rows.facing == "north" or (rows.facing == "alternate" and row % 2)
            y_m = rows.at.y_m + depth_m / 2 + row * rows.pitch_m
            for rack in range(rows.racks.count):
                x_m = rows.at.x_m + width_m / 2 + rack * rows.racks.pitch_m
                boxes.append((x_m, y_m, width_m, depth_m, 1 if north else -1, height_m))
    for loop in fragment.entries.get("cooling.loops", ()):
        kind = KINDS[loop["kind"]]
        width_m, depth_m = machine_size_m(catalog, loop["part"], kind)
        units = int(loop.get("units", 1))
        height_m = catalog.part(loop["part"]).height_m or 2.2
        for place in loop.get("places", {}).values():
            x_m, y_m = (units_of.parse(place[axis], "length") for axis in ("x", "y"))
            for k in range(units):
                along_m = (k - (units - 1) / 2) * (width_m + GAP_M)
                boxes.append((x_m + along_m, y_m, width_m, depth_m, 0, height_m))
    x0_m, y0_m = boxes[0][:2]
    table = np.array([box[:6] for box in boxes])
    facing = np.array([box[4] for box in boxes], np.int32)
    shape = MovedShape(
        table[:, 0] - x0_m, table[:, 1] - y0_m, table[:, 2], table[:, 3], facing, table[:, 5].copy()
    )
    return Footprints(x0_m, y0_m, shape, tuple(box[5] for box in boxes))
