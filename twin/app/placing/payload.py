"""What is carried over the hall on its way to a place: a part from the palette, or things that stand there already."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from twin.catalog import Catalog, NodePart, RackPart, StoragePart, SwitchPart
from twin.commands.budget.part_load import PartLoad, part_load
from twin.commands.edit.command import Command, EditedScene
from twin.commands.place.floor_plan import FloorPlan, MovedShape, Obstacle, Point
from twin.commands.place.footprint import machine_size_m, node_height_u, rack_size_m
from twin.commands.place.move import MoveNodes, MoveThings, MoveTo
from twin.commands.place.place import AddPart
from twin.commands.place.snap import LandingPlace, Snap, snap
from twin.language import tr
from twin.plant.cabinet import CABINET_DEPTH_M, CABINET_PART, CABINET_WIDTH_M
from twin.plant.cooling import KINDS, USUAL_SIZE_M
from twin.plant.design_load import rack_weights_kg
from twin.plant.tables import RACK_FOOT_M, RACK_HEAD_M, U_M, Plant
from twin.scenario import Patch
from twin.scenario.checks.facility import LOOP_PARTS, PLANT_PARTS
from twin.scenario.schema.site import CABINET_UNITS
from twin.view3d.place.site_plan import GEAR_M, YARD_M, SitePlan

Role = Literal["compute", "network", "storage"]
CABINET_M = (CABINET_WIDTH_M, CABINET_DEPTH_M, RACK_FOOT_M + CABINET_UNITS * U_M + RACK_HEAD_M)
_LOOP_OF = {part: kind for kind, part in LOOP_PARTS.items()}
_PLANT_OF = {part: kind for kind, part in PLANT_PARTS.items()}


@dataclass(frozen=True)
class RackPlace:
    """Where in a rack something is put: the rack's id, and the lowest unit, 0 where the rack chooses it."""

    rack: str
    u: int


@dataclass(frozen=True, eq=False)
class Carried:
    """A thing on its way.

    Attributes
    ----------
    title
        As people call it.
    shape, heights_m
        Its footprints; None: it goes into racks only.
    height_u
        Units it takes in a rack; 0: it goes into no unit of one.
    role
        Kind of rack that takes it without asking for a unit; "": none does.
    ids
        Of things that are moved; none of new ones.
    at
        Where its anchor stands now, of things that are moved.
    load
        What it asks of the site; None: nothing new.
    joins
        Networks of the scene that it joins wherever it is put.
    fixed
        Its fronts stay as they are.
    drawn_to
        Where it lands instead of near the pointer, and the shape that it has there, such as a door in a wall.
    on_floor, in_rack
        The command that puts it there: at a place, with its fronts to +y (1) or -y (-1).
    """

    title: str
    shape: MovedShape | None
    heights_m: tuple[float, ...] = (2.3,)
    height_u: int = 0
    role: Role | Literal[""] = ""
    ids: tuple[str, ...] = ()
    at: Point | None = None
    load: PartLoad | None = None
    joins: tuple[str, ...] = ()
    on_floor: Callable[[LandingPlace, int, str], Command] | None = None
    in_rack: Callable[[RackPlace], Command] | None = None
    fixed: bool = False
    drawn_to: Callable[[FloorPlan, Point], tuple[MovedShape, Snap]] | None = None

    def landing(
        self,
        floor: FloorPlan,
        at: Point,
        *,
        free: bool = False,
        keep_x_m: float | None = None,
        keep_y_m: float | None = None,
    ) -> tuple[MovedShape, Snap]:
        """Return its shape, and the place where it lands when its anchor is wanted at a place of the floor."""
        assert self.shape is not None
        if self.drawn_to is not None:
            return self.drawn_to(floor, at)
        x_m, y_m = at
        snapped = snap(
            floor, self.shape, x_m, y_m, free=free, keep_x_m=keep_x_m, keep_y_m=keep_y_m, subject=self.title
        )
        return self.shape, snapped

    @property
    def facing(self) -> int:
        """Return the side of the fronts, 0 without one."""
        return 0 if self.shape is None else int(self.shape.facing[0])

    @property
    def only_racks(self) -> bool:
        """Return whether machines without a place of their own make room for it by themselves."""
        return self.fixed or (self.shape is not None and bool(self.shape.facing.all()))

    def keys(self, *, by_arrows: bool) -> str:
        """Return the keys that do something while it is carried, by the pointer or by the arrow keys."""
        on_floor = self.shape is not None
        said = {
            tr("Alt: anywhere"): not by_arrows and on_floor and self.drawn_to is None,
            tr("Shift: one axis"): not by_arrows and on_floor and self.drawn_to is None,
            tr("Arrows: by tile"): by_arrows,
            tr("Shift: by row"): by_arrows,
            tr("PgUp, PgDn: units"): by_arrows and self.height_u > 0,
            tr("End: floor"): by_arrows and on_floor and (self.height_u > 0 or bool(self.role)),
            tr("R: turn"): not self.ids and self.turned() is not self,
            tr("Enter: place"): by_arrows,
            tr("Esc: cancel"): True,
        }
        return "   ".join(key for key, means in said.items() if means)

    def turned(self) -> Carried:
        """Return it turned round, where it has a front."""
        if self.shape is None or self.facing == 0 or self.fixed:
            return self
        return replace(self, shape=self.shape.turned())


def carried_part(catalog: Catalog, part_id: str, facing: int = -1) -> Carried:
    """Return a part of the catalogue on its way into the hall; raises UnknownPart.

    Parameters
    ----------
    facing
        Side of the fronts of racks.
    """
    part = catalog.part(part_id)

    def on_floor(place: LandingPlace, facing: int, hall: str) -> Command:
        at = (place.x_m, place.y_m)
        return AddPart(part_id, hall=hall, at=at, facing="north" if facing > 0 else "south")

    def in_rack(place: RackPlace) -> Command:
        return AddPart(part_id, rack=place.rack, u=place.u)

    new = Carried(part_id, None, load=part_load(catalog, part_id), on_floor=on_floor)
    if isinstance(part, RackPart):
        width_m, depth_m = rack_size_m(catalog, part_id)
        shape = MovedShape.single(width_m, depth_m, facing).tall((part.height_m,), (part.weight_kg,))
        return replace(new, shape=shape, heights_m=(part.height_m,))
    weight_kg = (catalog.rack(CABINET_PART).weight_kg or 0.0) + (part.weight_kg or 0.0)
    cabinet = replace(
        new,
        shape=MovedShape.single(CABINET_M[0], CABINET_M[1], facing).tall((CABINET_M[2],), (weight_kg,)),
        heights_m=(CABINET_M[2],),
        in_rack=in_rack,
    )
    if isinstance(part, NodePart):
        return replace(cabinet, height_u=node_height_u(part))
    if isinstance(part, SwitchPart):
        return replace(cabinet, role="network")
    if isinstance(part, StoragePart):
        return replace(cabinet, role="storage")
    if part.KIND == "rdhx":
        return replace(new, in_rack=in_rack, on_floor=None, role="compute")
    if part.KIND in _LOOP_OF:
        kind = KINDS[_LOOP_OF[part.KIND]]
        width_m, depth_m = machine_size_m(catalog, part_id, kind)
        height_m = part.height_m or USUAL_SIZE_M[kind][2]
        shape = MovedShape.single(width_m, depth_m).tall((height_m,))
        return replace(new, shape=shape, heights_m=(height_m,))
    if part.KIND in _PLANT_OF:
        size_m = YARD_M[_PLANT_OF[part.KIND]]
    else:
        size_m = GEAR_M.get(part.KIND, GEAR_M["pdu"])
    return replace(new, shape=MovedShape.single(size_m[0], size_m[1]), heights_m=(size_m[2],))


@dataclass(frozen=True)
class Together:
    """Several commands on different things as one step."""

    commands: tuple[Command, ...]
    title: str

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes of all."""
        changes = tuple(change for command in self.commands for change in command.patch(scene).changes)
        return Patch(changes, self.title)


def carried_things(plant: Plant, plan: SitePlan, ids: Sequence[str]) -> Carried | str:
    """Return things that stand in the hall on their way to another place, or why they cannot be moved.

    Parameters
    ----------
    ids
        Nodes, all going into one rack; or racks, rows, machines and power items. The first is held.
    plan
        Where the power items are drawn.
    """
    kinds = {plant.slots.get(id, ("", -1))[0] for id in ids}
    if not ids or not kinds <= {"node", "row", "rack", "loop", "power"}:
        return tr("only racks, rows, machines and nodes can be moved")
    if kinds == {"node"}:
        return _carried_nodes(plant, ids)
    if "node" in kinds:
        return tr("move nodes separately: they go into racks")
    floor = FloorPlan.of(plant, power_obstacles(plant, plan, also=ids))
    found = MovedShape.standing(floor, [footprint for id in ids for footprint in _footprints(plant, id)])
    if found is None:
        return tr("{first_id} is not on the floor", first_id=ids[0])
    shape, at = found
    heights_m = _heights_m(plant, plan, _held_first(ids, plant, floor))
    if "power" not in kinds:
        shape = shape.tall(heights_m, _weights_kg(plant, _held_first(ids, plant, floor)))

    def on_floor(place: LandingPlace, facing: int, hall: str) -> Command:
        by = (place.x_m - at[0], place.y_m - at[1])
        return _moved(plant, plan, tuple(ids), by)

    title = ids[0] if len(ids) == 1 else tr("{count:,} items", count=len(ids))
    if len(ids) > 1 and len(kinds) == 1:
        title = f"{len(ids):,} {_NAMES[next(iter(kinds))]}"
    return Carried(title, shape, heights_m, ids=tuple(ids), at=at, on_floor=on_floor)


_NAMES = {"rack": "racks", "row": "rows", "loop": "machines", "power": tr("power items")}


def power_obstacles(plant: Plant, plan: SitePlan, also: Collection[str] = ()) -> list[Obstacle]:
    """Return the power items in the way: those that were given a place; the others make room by themselves.

    Parameters
    ----------
    also
        Items to be told whether they have a place of their own or not.
    """
    placed = plant.power.placed | np.array([id in also for id in plant.power.ids], np.bool_)
    standing = np.flatnonzero(plant.power.present & ~plan.hung & placed).tolist()
    return [
        Obstacle(
            plant.power.ids[item],
            (float(plan.low[item, 0]), float(plan.low[item, 1])),
            (float(plan.high[item, 0]), float(plan.high[item, 1])),
        )
        for item in standing
    ]


def _footprints(plant: Plant, id: str) -> list[str]:
    """Return the ids under which a thing is on the floor: a row is its racks."""
    kind, slot = plant.slots[id]
    if kind != "row":
        return [id]
    return [
        plant.racks.ids[k] for k in np.flatnonzero((plant.racks.row == slot) & plant.racks.present).tolist()
    ]


def _held_first(ids: Sequence[str], plant: Plant, floor: FloorPlan) -> list[str]:
    """Return the footprints of things in the order of their shape: the held thing first."""
    footprints = [footprint for id in ids for footprint in _footprints(plant, id)]
    chosen = set(footprints)
    return sorted((id for id in floor.ids if id in chosen), key=lambda id: id != footprints[0])


def _heights_m(plant: Plant, plan: SitePlan, footprints: list[str]) -> tuple[float, ...]:
    """Return the height of every footprint."""
    found = []
    for id in footprints:
        kind, slot = plant.slots[id]
        if kind == "rack":
            found.append(float(plant.racks.height_m[slot]))
        else:
            found.append(float(plant.loops.height_m[slot] if kind == "loop" else plan.high[slot, 2]))
    return tuple(found)


def _weights_kg(plant: Plant, footprints: list[str]) -> list[float | None]:
    """Return the weight of every footprint that is a rack, None of others."""
    weights_kg = rack_weights_kg(plant, plant.catalog)[0]
    slots = (plant.slots[id] for id in footprints)
    return [float(weights_kg[slot]) if kind == "rack" else None for kind, slot in slots]


def _moved(plant: Plant, plan: SitePlan, ids: tuple[str, ...], by: Point) -> Command:
    """Return the command that moves things; power items are set to where they were seen to go."""
    gear = [id for id in ids if plant.slots[id][0] == "power"]
    rest = tuple(id for id in ids if plant.slots[id][0] != "power")
    if not gear:
        return MoveThings(rest, by)
    middles = [(plan.low[plant.slots[id][1]] + plan.high[plant.slots[id][1]]) / 2 for id in gear]
    to = MoveTo(
        tuple((id, float(m[0]) + by[0], float(m[1]) + by[1]) for id, m in zip(gear, middles, strict=True))
    )
    return (
        to if not rest else Together((MoveThings(rest, by), to), tr("Move {count:,} items", count=len(ids)))
    )


def _carried_nodes(plant: Plant, ids: Sequence[str]) -> Carried:
    nodes = plant.nodes
    slots = sorted((plant.slots[id][1] for id in ids), key=lambda k: (int(nodes.rack[k]), int(nodes.u[k])))
    stacked = tuple(nodes.ids[k] for k in slots)

    def in_rack(place: RackPlace) -> Command:
        return MoveNodes(stacked, place.rack, place.u)

    title = ids[0] if len(ids) == 1 else tr("{count:,} nodes", count=len(ids))
    height_u = int(nodes.height_u[slots].sum())
    return Carried(title, None, height_u=height_u, ids=stacked, in_rack=in_rack)
