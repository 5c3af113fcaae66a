"""Moving racks to another hall of the site: they keep their ids, feeds and loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.commands.edit.addressables import generator, item_of, people_say, titled
from twin.commands.edit.changes import Changes, point, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import FloorFootprints, standing, struck
from twin.commands.place.place import BESIDE_M, hall_slot
from twin.language import tr
from twin.scenario import Patch


@dataclass(frozen=True)
class MoveToHall:
    """Move racks to another hall.

    A hall holds row generators, so one goes as a whole: a rack alone where it is all that its generator makes. It
    stands where it stood from the corner of its hall, or beside what is there where that is taken.

    Parameters
    ----------
    ids
        Row generators, or rows and racks that stand for theirs.
    hall
        Where to.
    """

    ids: tuple[str, ...]
    hall: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        chosen = self.ids[0] if len(self.ids) == 1 else tr("{count:,} items", count=len(self.ids))
        return tr("Move {chosen} to hall {hall}", chosen=chosen, hall=self.hall)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if not self.ids:
            raise CommandError(tr("nothing is selected"))
        hall_slot(scene, self.hall)
        names = dict.fromkeys(_whole(scene, id) for id in self.ids)
        goes = [name for name in names if generator(scene.scenario, name)[0].id != self.hall]
        changes, boxes = Changes(scene), standing(scene.plant)
        obstacles = boxes.but(_of(boxes, goes))
        for name in goes:
            carried = _carried(scene, boxes, name, self.hall)
            by_m = _free_m(carried, obstacles)
            carried = carried.moved(np.ones(len(carried.ids), np.bool_), by_m, 0.0)
            obstacles = _joined(obstacles, carried)
            _write(changes, name, self.hall, by_m)
        return changes.patch(
            tr(
                "Move {people_say} to hall {hall}",
                people_say=people_say(scene.scenario, self.ids),
                hall=self.hall,
            )
        )


def _whole(scene: EditedScene, id: str) -> str:
    """Return the row generator that moves with an item."""
    item = item_of(scene.scenario, id)
    if item.kind not in ("rows", "row", "rack"):
        raise CommandError(
            tr("{kind} {id} cannot move to a hall by itself", kind=titled(item.kind), id=id),
            tr("move racks and rows"),
        )
    _, rows = generator(scene.scenario, item.generator)
    makes = {"rows": 1, "row": rows.count, "rack": rows.count * rows.racks.count}[item.kind]
    if makes > 1:
        noun = f"{item.kind}s"
        raise CommandError(
            tr(
                "{id} is one of {makes:,} {noun} of {generator}, which stays in one hall",
                id=id,
                makes=makes,
                noun=noun,
                generator=item.generator,
            ),
            tr("move {generator} as a whole, or put new racks there", generator=item.generator),
        )
    return item.generator


def _of(boxes: FloorFootprints, names: list[str]) -> np.ndarray:
    heads = tuple(f"{name}/" for name in names)
    return np.array([id.startswith(heads) if heads else False for id in boxes.ids], np.bool_)


def _carried(scene: EditedScene, boxes: FloorFootprints, name: str, hall: str) -> FloorFootprints:
    """Return the footprints of a generator as far from the corner of the other hall as from that of its own."""
    halls = scene.plant.halls
    to = halls.ids.index(hall)
    was = halls.ids.index(generator(scene.scenario, name)[0].id)
    carried = boxes.moved(_of(boxes, [name]), float(halls.shift_x_m[to] - halls.shift_x_m[was]), 0.0)
    carried.hall[:] = to
    return carried


def _free_m(carried: FloorFootprints, obstacles: FloorFootprints) -> float:
    """Return the distance along x at which items overlap nothing [m]."""
    if struck(carried, obstacles) is None:
        return 0.0
    same = obstacles.hall == carried.hall[0]
    right_m = float((obstacles.x_m + obstacles.width_m / 2)[same].max())
    return right_m + BESIDE_M - float((carried.x_m - carried.width_m / 2).min())


def _joined(first: FloorFootprints, second: FloorFootprints) -> FloorFootprints:
    columns = ("hall", "x_m", "y_m", "width_m", "depth_m")
    both = (np.concatenate([getattr(first, name), getattr(second, name)]) for name in columns)
    return FloorFootprints([*first.ids, *second.ids], *both)


def _write(changes: Changes, name: str, hall: str, by_m: float) -> None:
    """Move the entry of a generator and the overrides of its items to the other hall."""
    was, rows = generator(changes.scene.scenario, name)
    path = f"halls[{was.id}].rows[{name}]"
    text = value_at(changes.scene, path)
    if by_m:
        text |= {"at": point(rows.at.x_m + by_m, rows.at.y_m)}
    changes.take(path)
    changes.set(f"halls[{hall}].rows[{name}]", text)
    own = value_at(changes.scene, f"halls[{was.id}].overrides") or {}
    for item, keys in own.items():
        if item.partition("/")[0] != name:
            continue
        at = was.overrides[item].at
        moved = {"at": point(at.x_m + by_m, at.y_m)} if at is not None and by_m else {}
        changes.forget(was.id, item)
        changes.override(hall, item, **(keys | moved))
