"""Adding parts of a building to a hall: walls round what stands there, columns, doors, a drawing on the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from twin.commands.edit import names
from twin.commands.edit.changes import Changes, metres, point
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.place import hall_slot
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.generators.building_shape import BuildingShape
from twin.scenario.generators.wall_line import WallLine
from twin.scenario.schema.building import ColumnGrid, Door

DOOR_M = float(Door.model_fields["width_m"].default)
"""Width of a usual door [m]."""
COLUMN_M = (
    float(ColumnGrid.model_fields["width_m"].default),
    float(ColumnGrid.model_fields["depth_m"].default),
)
"""Width and depth of a usual column [m]."""


SHORTEST_M = 0.2
"""Of a wall that is put between two places [m]."""


@dataclass(frozen=True)
class AddWalls:
    """Put walls round the floor of a hall as it is.

    Parameters
    ----------
    hall
        Which; "": the first.
    """

    hall: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add walls")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot, halls = hall_slot(scene, self.hall), scene.plant.halls
        if halls.buildings[slot].corners:
            raise CommandError(
                tr("{hall} has walls", hall=halls.ids[slot]),
                tr("change their width and depth, or delete them first"),
            )
        walls = {
            "at": point(float(halls.x0_m[slot] - halls.shift_x_m[slot]), float(halls.y0_m[slot])),
            "width": metres(float(halls.x1_m[slot] - halls.x0_m[slot])),
            "depth": metres(float(halls.y1_m[slot] - halls.y0_m[slot])),
        }
        return _patch(scene, slot, "walls", walls, self.title)


@dataclass(frozen=True)
class AddColumn:
    """Put a column into a hall.

    Parameters
    ----------
    hall
        Which; "": the first.
    at
        Its middle in coordinates of the site [m]; None: the middle of the hall.
    """

    hall: str = ""
    at: tuple[float, float] | None = None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add a column")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot, halls = hall_slot(scene, self.hall), scene.plant.halls
        x_m, y_m = self.at or (
            float(halls.x0_m[slot] + halls.x1_m[slot]) / 2,
            float(halls.y0_m[slot] + halls.y1_m[slot]) / 2,
        )
        name = names.fresh(names.hardware(scene.scenario), "column")
        entry = {"id": name, "at": point(x_m - float(halls.shift_x_m[slot]), y_m)}
        return _patch(scene, slot, f"columns[{name}]", entry, self.title)


@dataclass(frozen=True)
class AddInnerWall:
    """Put a wall between two places of a hall.

    Parameters
    ----------
    hall
        Which; "": the first.
    start, end
        Its ends in coordinates of the site [m].
    """

    hall: str
    start: tuple[float, float]
    end: tuple[float, float]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add a wall")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot, halls = hall_slot(scene, self.hall), scene.plant.halls
        if math.dist(self.start, self.end) < SHORTEST_M:
            raise CommandError(tr("a wall is at least {least:g} m long", least=SHORTEST_M))
        shift_m = float(halls.shift_x_m[slot])
        name = names.fresh(names.hardware(scene.scenario), "wall")
        ends = {
            key: point(x_m - shift_m, y_m) for key, (x_m, y_m) in (("start", self.start), ("end", self.end))
        }
        return _patch(scene, slot, f"inner_walls[{name}]", {"id": name, **ends}, self.title)


@dataclass(frozen=True)
class AddDoor:
    """Put a door into the wall that is nearest to a place.

    Parameters
    ----------
    hall
        Which; "": the first.
    at
        In coordinates of the site [m]; None: the first place with room.
    """

    hall: str = ""
    at: tuple[float, float] | None = None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add a door")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot, halls = hall_slot(scene, self.hall), scene.plant.halls
        building = halls.buildings[slot]
        if not building.all_walls:
            raise CommandError(tr("{hall} has no walls", hall=halls.ids[slot]), tr("add walls first"))
        x_m, y_m = _in_wall(building, self.at)
        name = names.fresh(names.hardware(scene.scenario), "door")
        entry = {"id": name, "at": point(x_m - float(halls.shift_x_m[slot]), y_m)}
        return _patch(scene, slot, f"doors[{name}]", entry, self.title)


@dataclass(frozen=True)
class SetUnderlay:
    """Lay a drawing on the floor of a hall, as wide as the hall.

    Parameters
    ----------
    file
        A path inside the folder of the scene.
    hall
        Which; "": the first.
    """

    file: str
    hall: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Lay {file} on the floor", file=self.file)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot, halls = hall_slot(scene, self.hall), scene.plant.halls
        underlay = {
            "file": self.file,
            "width": metres(float(halls.x1_m[slot] - halls.x0_m[slot])),
            "at": point(float(halls.x0_m[slot] - halls.shift_x_m[slot]), float(halls.y0_m[slot])),
        }
        return _patch(scene, slot, "underlay", underlay, self.title)


def _patch(scene: EditedScene, slot: int, key: str, value: dict[str, Any], title: str) -> Patch:
    hall = scene.scenario.halls[slot]
    changes, path = Changes(scene), f"halls[{hall.id}].building"
    name = key.partition("[")[0]
    if hall.building is None:
        changes.set(path, {name: [value] if "[" in key else value})
    else:
        changes.set(f"{path}.{key}", value)
    return changes.patch(title)


def nearest_opening(
    building: BuildingShape, at: tuple[float, float]
) -> tuple[tuple[float, float], WallLine, float]:
    """Return the middle of a usual door in the wall that is nearest to a place, that wall, and its thickness [m]."""
    wall, thick_m = min(_long_walls(building), key=lambda pair: pair[0].away(at))
    along_m = min(max(wall.along(at), DOOR_M / 2), wall.long_m - DOOR_M / 2)
    return wall.point(along_m), wall, thick_m


def _long_walls(building: BuildingShape) -> list[tuple[WallLine, float]]:
    """Return the walls with room for a usual door, and their thicknesses [m]."""
    pairs = zip(building.all_walls, building.thicknesses_m, strict=True)
    walls = [(wall, thick_m) for wall, thick_m in pairs if wall.long_m >= DOOR_M]
    if not walls:
        raise CommandError(tr("no wall is long enough for a door"))
    return walls


def _in_wall(building: BuildingShape, at: tuple[float, float] | None) -> tuple[float, float]:
    """Return the middle of a usual door in the nearest wall, else in the first with room for one."""
    if at is not None:
        return nearest_opening(building, at)[0]
    for wall, _ in _long_walls(building):
        if not any(_meets(wall, wall.long_m / 2, door.line) for door in building.doors):
            return wall.point(wall.long_m / 2)
    raise CommandError(tr("each wall has a door in its middle"), tr("click where the door is to be"))


def _meets(wall: WallLine, middle_m: float, door: WallLine) -> bool:
    if wall.away(door.point(door.long_m / 2)) > 1e-6:
        return False
    spans = sorted((wall.along(door.start), wall.along(door.stop)))
    return spans[0] < middle_m + DOOR_M / 2 and spans[1] > middle_m - DOOR_M / 2
