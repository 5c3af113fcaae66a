"""Copies within a scene: one beside the original, or an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.commands.edit.addressables import generator, item_of
from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import must_fit
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.rack_nodes import DuplicateNodes
from twin.commands.room.clipboard import way_to
from twin.commands.room.insert_snippet import Planter
from twin.commands.room.snippet import gathered
from twin.language import counted, tr
from twin.scenario import Patch

MOST = 4096
"""Copies made at once."""


@dataclass(frozen=True)
class Duplicate:
    """Copy items under fresh ids; copies join the fabrics, loops and stages of their originals.

    Parameters
    ----------
    ids
        Rows, racks, generators, machines, power items, fabrics, stores; nodes are copied into their own racks.
    by
        Along x and y [m]; None: beside all that stands in the hall.
    hall
        Where to; "": the hall of the first.
    """

    ids: tuple[str, ...]
    by: tuple[float, float] | None = None
    hall: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Duplicate {id}", id=self.ids[0])
            if len(self.ids) == 1
            else tr("Duplicate {items}", items=counted(len(self.ids), "item"))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if self.ids and all(item_of(scene.scenario, id).kind == "node" for id in self.ids):
            return DuplicateNodes(self.ids).patch(scene)
        fragment = gathered(scene, self.ids)
        hall = self.hall or hall_of(scene, self.ids)
        changes = Changes(scene)
        planter = Planter(changes, hall)
        planter.plant(fragment, self.by or way_to(scene, fragment, hall, None))
        planter.close()
        return changes.patch(self.title)


def hall_of(scene: EditedScene, ids: tuple[str, ...]) -> str:
    """Return the hall of the first item in a hall; "" without one."""
    for id in ids:
        hall = item_of(scene.scenario, id).hall
        if hall is not None:
            return hall.id
        slot = scene.plant.slots.get(id, ("", -1))
        if slot[0] == "loop":
            return scene.plant.halls.ids[int(scene.plant.loops.hall[slot[1]])]
    return ""


@dataclass(frozen=True)
class Array:
    """Make an array of items: columns along x, rows along y, the originals in the first place.

    A rack alone in its generator becomes a generator of the array; other items are copied.

    Parameters
    ----------
    ids
        Items to repeat.
    columns, rows
        Along x and along y.
    pitch
        From one to the next along x and along y [m].
    """

    ids: tuple[str, ...]
    columns: int
    rows: int
    pitch: tuple[float, float]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        chosen = self.ids[0] if len(self.ids) == 1 else counted(len(self.ids), "item")
        return tr(
            "Array of {columns} x {rows} of {chosen}", columns=self.columns, rows=self.rows, chosen=chosen
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        copies = self.columns * self.rows - 1
        if min(self.columns, self.rows) < 1 or not copies:
            raise CommandError(tr("an array needs at least two places"))
        if copies * len(self.ids) > MOST:
            raise CommandError(
                tr("that makes {copies:,} copies", copies=copies * len(self.ids)),
                tr("at most {most:,} at once", most=MOST),
            )
        fragment = gathered(scene, self.ids)
        if fragment.nodes:
            raise CommandError(tr("an array can have racks, rows and cooling units; nodes belong in racks"))
        x_m, y_m = self.pitch
        offsets = [(i * x_m, j * y_m) for j in range(self.rows) for i in range(self.columns) if i or j]
        hall = hall_of(scene, self.ids)
        free = self._free_rack(scene)
        if free:
            self._must_be_free(scene, hall, offsets)
            rows = generator(scene.scenario, free)[1]
            change = ChangeGenerator(
                free,
                count=self.rows if self.rows > 1 else None,
                racks=self.columns if self.columns > 1 else None,
                pitch_m=y_m if self.rows > 1 else None,
                rack_pitch_m=x_m if self.columns > 1 and x_m != rows.racks.pitch_m else None,
            )
            return Patch(change.patch(scene).changes, self.title)
        boxes = fragment.boxes(scene, 0)
        every = np.ones(len(boxes.ids), np.bool_)
        placed = [boxes.moved(every, *offset) for offset in offsets]
        for k, copy in enumerate(placed[1:], 1):
            for neighbour in placed[max(0, k - self.columns - 1) : k]:
                must_fit(copy, neighbour)
        changes = Changes(scene)
        planter = Planter(changes, hall)
        for offset in offsets:
            planter.plant(fragment, offset)
        planter.close()
        return changes.patch(self.title)

    def _free_rack(self, scene: EditedScene) -> str:
        """Return the generator of a rack alone in it that can grow to the array; "" otherwise."""
        if len(self.ids) != 1:
            return ""
        chosen = item_of(scene.scenario, self.ids[0])
        if chosen.kind not in ("rows", "row", "rack") or chosen.hall is None:
            return ""
        rows = generator(scene.scenario, chosen.generator)[1]
        overridden = any(item.partition("/")[0] == rows.id for item in chosen.hall.overrides)
        alone = rows.count == rows.racks.count == 1 and rows.facing != "alternate" and not overridden
        x_m, y_m = self.pitch
        ahead = (x_m > 0 or self.columns == 1) and (y_m > 0 or self.rows == 1)
        width_m = float(scene.plant.racks.width_m[scene.plant.slots[f"{rows.id}/0/0"][1]]) if alone else 0.0
        return (
            rows.id
            if alone and ahead and (self.columns == 1 or width_m - 1e-6 <= x_m <= 5) and y_m <= 20
            else ""
        )

    def _must_be_free(self, scene: EditedScene, hall: str, offsets: list[tuple[float, float]]) -> None:
        planter = Planter(Changes(scene), hall)
        fragment = gathered(scene, self.ids)
        for offset in offsets:
            planter.plant(fragment, offset)
