"""Moving and turning racks, rows and machines, and moving nodes between racks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from twin.arrays import Bools
from twin.commands.edit.addressables import generator, item_of, made_by, override, people_say, titled
from twin.commands.edit.changes import Changes, point
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import FloorFootprints, must_fit, standing, taken_units, unit_for
from twin.commands.place.rack_nodes import rack_slot
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.schema.building import FURTHEST_M


@dataclass(frozen=True)
class MoveThings:
    """Move racks, rows, whole generators and machines by one distance.

    Parameters
    ----------
    ids
        What to move; nodes move with `MoveNodes`.
    by
        Along x and y [m].
    """

    ids: tuple[str, ...]
    by: tuple[float, float]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Move {id}", id=self.ids[0])
            if len(self.ids) == 1
            else tr("Move {count:,} items", count=len(self.ids))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if not all(math.isfinite(way_m) for way_m in self.by):
            raise CommandError(tr("the position is not on the floor"))
        chosen = _Chosen.of(scene, self.ids)
        boxes = standing(scene.plant)
        moving = chosen.boxes(scene, boxes.ids)
        must_fit(boxes.moved(moving, *self.by), chosen.in_the_way(scene))
        changes = Changes(scene)
        chosen.move(changes, *self.by)
        return changes.patch(tr("Move {people_say}", people_say=people_say(scene.scenario, self.ids)))


@dataclass(frozen=True)
class MoveTo:
    """Set racks and machines to places of their own.

    Parameters
    ----------
    places
        (id, x, y): the middle of the footprint in coordinates of the site [m].
    """

    places: tuple[tuple[str, float, float], ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Move {places}", places=self.places[0][0])
            if len(self.places) == 1
            else tr("Move {places:,} items", places=len(self.places))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        ids = tuple(id for id, _, _ in self.places)
        boxes = standing(scene.plant)
        whole = _Chosen.of(scene, ids)
        after = boxes.moved(whole.boxes(scene, boxes.ids), 0.0, 0.0)
        changes = Changes(scene)
        for id, x_m, y_m in self.places:
            now_x_m, now_y_m = place_of(scene, id)
            by_m = (x_m - now_x_m, y_m - now_y_m)
            if not all(abs(at_m) <= FURTHEST_M for at_m in (x_m, y_m)):  # nan is none either
                raise CommandError(
                    tr("the position is not on the floor"),
                    tr(
                        "at most {furthest_m:g} km from the corner of the hall",
                        furthest_m=FURTHEST_M / 1000.0,
                    ),
                )
            alone = _Chosen.of(scene, (id,))
            moving = alone.boxes(scene, after.ids)
            after.x_m[moving] += by_m[0]
            after.y_m[moving] += by_m[1]
            if max(abs(by_m[0]), abs(by_m[1])) > 1e-6:
                alone.move(changes, *by_m)
        must_fit(after, whole.in_the_way(scene))
        return changes.patch(tr("Move {people_say}", people_say=people_say(scene.scenario, ids)))


def place_of(scene: EditedScene, id: str) -> tuple[float, float]:
    """Return the middle of a rack, row, loop or power item in coordinates of the site [m]."""
    kind, slot = scene.plant.slots.get(id, ("", -1))
    plant = scene.plant
    if kind == "rack":
        return float(plant.racks.x_m[slot]), float(plant.racks.y_m[slot])
    if kind == "row":
        return float(plant.rows.x0_m[slot] + plant.rows.x1_m[slot]) / 2, float(plant.rows.y_m[slot])
    if kind == "loop":
        return float(plant.loops.x_m[slot]), float(plant.loops.y_m[slot])
    if kind == "power":
        return float(plant.power.x_m[slot]), float(plant.power.y_m[slot])
    raise CommandError(tr("{id} has no floor position of its own", id=id))


@dataclass
class _Chosen:
    """The items to move: generators, rows, racks and machines, each part of no other one of them."""

    generators: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    racks: list[str] = field(default_factory=list)
    machines: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, scene: EditedScene, ids: tuple[str, ...]) -> _Chosen:
        """Return the items of some ids; all racks of a row become the row, all rows the generator."""
        if not ids:
            raise CommandError(tr("nothing is selected"))
        generators: set[str] = set()
        rows: dict[str, set[int]] = {}
        racks: dict[str, set[tuple[int, ...]]] = {}
        machines: dict[str, None] = {}
        scenario = scene.scenario
        for id in ids:
            chosen = item_of(scenario, id)
            if chosen.kind == "rows":
                generators.add(id)
            elif chosen.kind == "row":
                rows.setdefault(chosen.generator, set()).add(chosen.numbers[0])
            elif chosen.kind == "rack":
                racks.setdefault(chosen.generator, set()).add(chosen.numbers)
            elif chosen.kind in ("loops", "stage"):
                count = made_by(scenario, id).count
                machines |= dict.fromkeys(f"{id}/{number}" for number in range(count))
            elif chosen.kind in ("loop", "power"):
                machines[id] = None
            elif chosen.kind == "group":
                members = next(group.members for group in scenario.groups if group.id == id)
                more = cls.of(scene, members)
                generators |= set(more.generators)
                machines |= dict.fromkeys(more.machines)
                for item in more.rows:
                    rows.setdefault(item.partition("/")[0], set()).add(int(item.rpartition("/")[2]))
                for rack in more.racks:
                    name, *numbers = rack.split("/")
                    racks.setdefault(name, set()).add(tuple(int(n) for n in numbers))
            elif chosen.kind == "node":
                raise CommandError(tr("node {id} is in a rack", id=id), tr("move it to a unit of a rack"))
            else:
                raise CommandError(
                    tr("{kind} {id} has no floor position of its own", kind=titled(chosen.kind), id=id)
                )
        found = cls(machines=list(machines))
        for name in {*generators, *rows, *racks}:
            hall, made = generator(scenario, name)
            racks_apart = {place for place in racks.get(name, set()) if place[0] not in rows.get(name, set())}
            whole = set(rows.get(name, set()))
            for row in {place[0] for place in racks_apart}:
                present = {
                    (row, k)
                    for k in range(made.racks.count)
                    if not override(hall, f"{name}/{row}/{k}").absent
                }
                if present <= racks_apart:
                    whole.add(row)
            racks_apart = {place for place in racks_apart if place[0] not in whole}
            every = {k for k in range(made.count) if not override(hall, f"{name}/{k}").absent}
            if name in generators or (every and every <= whole):
                found.generators.append(name)
                continue
            found.rows += [f"{name}/{row}" for row in sorted(whole)]
            found.racks += [f"{name}/{row}/{rack}" for row, rack in sorted(racks_apart)]
        return found

    def boxes(self, scene: EditedScene, ids: list[str]) -> Bools:
        """Return which footprints move, given the id of each."""
        whole, alone = (*self.generators, *self.rows), {*self.racks, *self.machines}
        heads = tuple(f"{name}/" for name in whole)
        return np.array([id in alone or (bool(heads) and id.startswith(heads)) for id in ids], np.bool_)

    def in_the_way(self, scene: EditedScene) -> FloorFootprints:
        """Return the obstacles; machines without a place of their own are none for racks, which they keep clear of."""
        boxes = standing(scene.plant, settled=not self.machines)
        return boxes.but(self.boxes(scene, boxes.ids))

    def move(self, changes: Changes, x_m: float, y_m: float) -> None:
        """Write the new places."""
        scene = changes.scene
        plant, scenario = scene.plant, scene.scenario
        for name in self.generators:
            hall, rows = generator(scenario, name)
            changes.set(f"halls[{hall.id}].rows[{name}].at", point(rows.at.x_m + x_m, rows.at.y_m + y_m))
            self._with(changes, name, x_m, y_m, rows_too=True)
        for row in self.rows:
            hall, rows = generator(scenario, row.partition("/")[0])
            slot = plant.slots[row][1]
            shift_m = float(plant.halls.shift_x_m[plant.rows.hall[slot]])
            corner_y_m = float(plant.rows.y_m[slot] - plant.rows.depth_m[slot] / 2)
            corner_x_m = float(plant.rows.x0_m[slot]) - shift_m
            changes.override(hall.id, row, at=point(corner_x_m + x_m, corner_y_m + y_m))
            self._with(changes, row, x_m, y_m, rows_too=False)
        for rack in self.racks:
            hall, _ = generator(scenario, rack.partition("/")[0])
            slot = rack_slot(scene, rack)
            shift_m = float(plant.halls.shift_x_m[plant.racks.hall[slot]])
            place = (float(plant.racks.x_m[slot]) - shift_m + x_m, float(plant.racks.y_m[slot]) + y_m)
            changes.override(hall.id, rack, at=point(*place))
        for machine in self.machines:
            _move_machine(changes, machine, x_m, y_m)

    def _with(self, changes: Changes, above: str, x_m: float, y_m: float, rows_too: bool) -> None:
        """Move rows and racks with places of their own along with their generator or row."""
        hall, _ = generator(changes.scene.scenario, above.partition("/")[0])
        for item, about in hall.overrides.items():
            deep = item.count("/") == 2 or (rows_too and item.count("/") == 1)
            if about.at is not None and deep and item.startswith(f"{above}/"):
                changes.override(hall.id, item, at=point(about.at.x_m + x_m, about.at.y_m + y_m))


def _move_machine(changes: Changes, id: str, x_m: float, y_m: float) -> None:
    scene = changes.scene
    plant = scene.plant
    item = item_of(scene.scenario, id)
    place_before = made_by(scene.scenario, item.generator).places.get(id)
    if place_before is not None:
        now_x_m, now_y_m, hall = place_before.x_m, place_before.y_m, place_before.hall
    else:
        now_x_m, now_y_m = place_of(scene, id)
        kind, slot = plant.slots[id]
        number = int(plant.loops.hall[slot]) if kind == "loop" else hall_of_item(scene, slot)
        now_x_m -= float(plant.halls.shift_x_m[number])
        hall = plant.halls.ids[number]
    place = point(now_x_m + x_m, now_y_m + y_m)
    changes.set(f"{item.path}.places[{id}]", {"hall": hall, **place} if hall else place)


def hall_of_item(scene: EditedScene, item: int) -> int:
    """Return the hall in whose coordinates a power item stands: the floor it is on, else the nearest."""
    halls = scene.plant.halls
    x_m = float(scene.plant.power.x_m[item])
    away_m = np.maximum(halls.x0_m - x_m, x_m - halls.x1_m)
    return int(np.argmin(away_m))


@dataclass(frozen=True)
class MoveNodes:
    """Move nodes to units of a rack; they keep their ids.

    Parameters
    ----------
    nodes
        In the order in which they are to stand, the lowest first.
    rack
        Where to.
    u
        Lowest unit of the lowest; 0: the first that is free.
    """

    nodes: tuple[str, ...]
    rack: str
    u: int = 0

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        nodes = self.nodes[0] if len(self.nodes) == 1 else tr("{nodes:,} nodes", nodes=len(self.nodes))
        return tr("Move {nodes} to {rack}", nodes=nodes, rack=self.rack)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        plant = scene.plant
        home = rack_slot(scene, self.rack)
        slots = []
        for node in self.nodes:
            kind, slot = plant.slots.get(node, ("", -1))
            if kind != "node":
                raise CommandError(tr("there is no node {node!r}", node=node))
            slots.append(slot)
        taken = taken_units(plant, home, frozenset(slots))
        changes = Changes(scene)
        next_u = self.u
        for node, slot in zip(self.nodes, slots, strict=True):
            height_u = int(plant.nodes.height_u[slot])
            u = unit_for(plant, home, height_u, next_u, taken, plant.node_parts[int(plant.nodes.part[slot])])
            taken |= dict.fromkeys(range(u, u + height_u), tr("node {node}", node=node))
            next_u = u + height_u if self.u else 0
            hall = item_of(scene.scenario, node).hall
            assert hall is not None
            away = self.rack != node.rpartition("/")[0]
            if u != int(plant.nodes.u[slot]) or home != int(plant.nodes.rack[slot]):
                changes.override(hall.id, node, rack=self.rack if away else None, u=u)
        return changes.patch(self.title)


@dataclass(frozen=True)
class Rotate:
    """Turn racks and rows: their fronts look to the other side, or to the one given.

    Parameters
    ----------
    ids
        Racks, rows or generators.
    facing
        "": the other side of each.
    """

    ids: tuple[str, ...]
    facing: Literal["", "north", "south"] = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Turn {id}", id=self.ids[0])
            if len(self.ids) == 1
            else tr("Turn {count:,} items", count=len(self.ids))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        chosen = _Chosen.of(scene, self.ids)
        if chosen.machines:
            raise CommandError(
                tr("{machines} has no front", machines=chosen.machines[0]), tr("only racks and rows have one")
            )
        changes, plant = Changes(scene), scene.plant
        for name in chosen.generators:
            hall, rows = generator(scene.scenario, name)
            if rows.count > 1 and not self.facing:
                self._each(changes, [f"{name}/{k}" for k in range(rows.count)])
                continue
            facing = self.facing or _opposite(int(plant.rows.facing[plant.slots[f"{name}/0"][1]]))
            changes.set(f"halls[{hall.id}].rows[{name}].facing", facing)
            for item, about in hall.overrides.items():
                if about.facing is not None and item.startswith(f"{name}/"):
                    changes.override(hall.id, item, facing=None)
        self._each(changes, [*chosen.rows, *chosen.racks])
        return changes.patch(tr("Turn {people_say}", people_say=people_say(scene.scenario, self.ids)))

    def _each(self, changes: Changes, items: list[str]) -> None:
        plant = changes.scene.plant
        for item in items:
            kind, slot = plant.slots.get(item, ("", -1))
            if kind not in ("row", "rack"):
                continue
            now = int((plant.rows if kind == "row" else plant.racks).facing[slot])
            hall, _ = generator(changes.scene.scenario, item.partition("/")[0])
            changes.override(hall.id, item, facing=self.facing or _opposite(now))


def _opposite(facing: int) -> str:
    return "south" if facing > 0 else "north"
