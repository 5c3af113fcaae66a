"""A room from a few figures: rows of racks with matching network, cooling and power, as one command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import EditedScene
from twin.commands.place.footprint import standing
from twin.commands.place.place import hall_slot
from twin.commands.room.insert_snippet import Planter
from twin.commands.room.join_facility_loop import on_shared_water
from twin.commands.room.room_design import AISLE_M, RoomDesign, design
from twin.commands.room.room_plan import RoomError, RoomRequest
from twin.commands.room.snippet import Fragment
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.schema.faults import Failures

__all__ = ["AddRoom", "RoomDesign", "RoomError", "RoomRequest", "design", "free_corner", "is_empty"]

Corner = tuple[float, float]


@dataclass(frozen=True)
class AddRoom:
    """Put a whole room into a hall: into an empty one from its corner, else behind its contents.

    Parameters
    ----------
    room
        What is wanted.
    hall
        Where; "": the first.
    at
        Corner with the lowest x and y, in coordinates of the site [m]; None: where there is room.
    """

    room: RoomRequest
    hall: str = ""
    at: Corner | None = None
    drawn: RoomDesign | None = field(
        default=None, compare=False, repr=False
    )  # of this room, if worked out already

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add {title}", title=self.room.title or tr("a room"))

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        made = self.drawn or design(self.room, scene.catalog)
        slot = hall_slot(scene, self.hall)
        hall = scene.plant.halls.ids[slot]
        x_m, y_m = self.at if self.at is not None else free_corner(scene, hall)
        changes = Changes(scene)
        by_m = (x_m - float(scene.plant.halls.shift_x_m[slot]), y_m)
        planted(changes, made.fragment, hall, by_m)
        if is_empty(scene):
            for system in ("power", "cooling", "network"):
                if getattr(scene.scenario.site.redundancy, system) is None:
                    changes.set(f"site.redundancy.{system}", getattr(self.room, system))
        if self.room.title and is_empty(scene):
            changes.set("title", self.room.title)
            changes.set(f"halls[{hall}].title", self.room.title)
        if is_empty(scene) and scene.scenario.failures == Failures():
            changes.set("failures.rates", "catalog")
            changes.set("failures.machines", "catalog")
        return changes.patch(self.title)


def planted(changes: Changes, fragment: Fragment, hall: str, by_m: Corner) -> None:
    """Put a fragment into a hall, moved by a distance [m], on the facility water of the hall."""
    planter = Planter(changes, hall)
    planter.plant(on_shared_water(changes, fragment, hall), by_m)
    planter.close()


def is_empty(scene: EditedScene) -> bool:
    """Return whether nothing has been built yet."""
    scenario = scene.scenario
    sections: tuple[tuple[Any, ...], ...] = (
        scenario.fabrics,
        scenario.power,
        scenario.cooling.loops,
        scenario.cooling.plants,
    )
    return not any(sections) and not any(hall.rows for hall in scenario.halls)


def free_corner(scene: EditedScene, hall: str = "") -> Corner:
    """Return the corner where a new block is clear of the contents of a hall, in coordinates of the site [m]."""
    slot = hall_slot(scene, hall)
    boxes = standing(scene.plant)
    in_hall = boxes.hall == slot
    if not in_hall.any():
        return float(scene.plant.halls.shift_x_m[slot]), 0.0
    racks = scene.plant.racks
    racks_in_hall = racks.present & (racks.hall == slot)
    left_m = (
        (racks.x_m - racks.width_m / 2)[racks_in_hall]
        if racks_in_hall.any()
        else (boxes.x_m - boxes.width_m / 2)[in_hall]
    )
    far_m = float((boxes.y_m + boxes.depth_m / 2)[in_hall].max())
    return float(left_m.min()), round(far_m + 2 * AISLE_M, 4)
