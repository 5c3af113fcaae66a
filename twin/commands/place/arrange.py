"""Arranging items on the floor: sides in one line, or equal gaps between the outermost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from twin.arrays import Floats
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import must_fit, standing
from twin.commands.place.move import MoveTo, place_of
from twin.language import counted, tr
from twin.scenario import Patch

Side = Literal["left", "right", "front", "back"]
SIDES: tuple[Side, ...] = ("left", "right", "front", "back")


@dataclass(frozen=True)
class Align:
    """Align the sides of items in one line: the outermost stays where it is.

    Parameters
    ----------
    ids
        Racks, rows and machines.
    side
        Left and right along the rows (low and high x), front and back across them (low and high y).
    """

    ids: tuple[str, ...]
    side: Side

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Align {items} {side}", items=counted(len(self.ids), "item"), side=self.side)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        low, high = _extents(scene, self.ids)
        axis = 0 if self.side in ("left", "right") else 1
        if self.side in ("left", "front"):
            by_m = low[:, axis].min() - low[:, axis]
        else:
            by_m = high[:, axis].max() - high[:, axis]
        return _moved(scene, self.ids, axis, by_m, self.title)


@dataclass(frozen=True)
class Distribute:
    """Make the gaps between items equal; the two outermost stay where they are."""

    ids: tuple[str, ...]
    along: Literal["x", "y"]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Distribute {items} along {along}", items=counted(len(self.ids), "item"), along=self.along)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if len(self.ids) < 3:
            raise CommandError(tr("equal gaps need at least three items"))
        low, high = _extents(scene, self.ids)
        axis = 0 if self.along == "x" else 1
        low_m, size_m = low[:, axis], (high - low)[:, axis]
        order = np.argsort(low_m + size_m / 2, kind="stable")
        first, last = order[0], order[-1]
        gap_m = (low_m[last] + size_m[last] - low_m[first] - size_m.sum()) / (len(order) - 1)
        if gap_m < -1e-9:
            raise CommandError(
                tr("they do not fit between the two outermost items along {along}", along=self.along)
            )
        wanted = np.empty_like(low_m)
        wanted[order] = low_m[first] + np.concatenate([[0.0], np.cumsum(size_m[order] + gap_m)[:-1]])
        return _moved(scene, self.ids, axis, wanted - low_m, self.title)


def _extents(scene: EditedScene, ids: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return the low and high corners of items [m]."""
    if len(ids) < 2:
        raise CommandError(tr("choose at least two items"))
    boxes = standing(scene.plant)
    low, high = np.empty((len(ids), 2)), np.empty((len(ids), 2))
    for place, id in enumerate(ids):
        inside = np.array([name == id or name.startswith(f"{id}/") for name in boxes.ids])
        if not inside.any():  # a power item: a point
            low[place] = high[place] = place_of(scene, id)
            continue
        half = np.column_stack([boxes.width_m[inside], boxes.depth_m[inside]]) / 2
        middle = np.column_stack([boxes.x_m[inside], boxes.y_m[inside]])
        low[place], high[place] = (middle - half).min(axis=0), (middle + half).max(axis=0)
    return low, high


def _moved(scene: EditedScene, ids: tuple[str, ...], axis: int, by_m: Floats, title: str) -> Patch:
    if float(np.abs(by_m).max()) < 1e-6:
        raise CommandError(tr("they are arranged so already"))
    _must_stay_apart(scene, ids, axis, by_m)
    places = []
    for id, way_m in zip(ids, by_m.tolist(), strict=True):
        x_m, y_m = place_of(scene, id)
        places.append((id, x_m + way_m * (axis == 0), y_m + way_m * (axis == 1)))
    return Patch(MoveTo(tuple(places)).patch(scene).changes, title)


def _must_stay_apart(scene: EditedScene, ids: tuple[str, ...], axis: int, by_m: Floats) -> None:
    """Raise CommandError when items that move in different ways would overlap."""
    boxes = standing(scene.plant)
    moved_with = np.full(len(boxes.ids), -1)
    for place, id in enumerate(ids):
        moved_with[[name == id or name.startswith(f"{id}/") for name in boxes.ids]] = place
    after = boxes.moved(moved_with >= 0, 0.0, 0.0)
    places = moved_with[moved_with >= 0]
    (after.x_m if axis == 0 else after.y_m)[:] += by_m[places]
    for place in range(len(ids)):
        if (places == place).any():
            must_fit(after.but(places != place), after.but(places == place))


ARRANGED: dict[str, tuple[str, Callable[[tuple[str, ...]], Align | Distribute]]] = {
    "left": (tr("Align left"), lambda ids: Align(ids, "left")),
    "right": (tr("Align right"), lambda ids: Align(ids, "right")),
    "front": (tr("Align at the front"), lambda ids: Align(ids, "front")),
    "back": (tr("Align at the back"), lambda ids: Align(ids, "back")),
    "evenly_x": (tr("Distribute evenly along the rows"), lambda ids: Distribute(ids, "x")),
    "evenly_y": (tr("Distribute evenly across the rows"), lambda ids: Distribute(ids, "y")),
}
"""Ways to arrange a selection, with what menus call them."""
