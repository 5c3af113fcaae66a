"""The building of a hall in the window: walls, columns, doors and a drawing on the floor, by pointer, menu or list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QFileDialog, QMenu

from twin.app.placing.payload import Carried
from twin.app.placing.place_tool import PlaceTool
from twin.app.placing.wall_tool import WallTool
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.commands.edit.command import Command, CommandError
from twin.commands.edit.draft_steps import Proposal
from twin.commands.place.building import (
    COLUMN_M,
    DOOR_M,
    AddColumn,
    AddDoor,
    AddWalls,
    SetUnderlay,
    nearest_opening,
)
from twin.commands.place.floor_plan import FloorPlan, MovedShape
from twin.commands.place.snap import LandingPlace, PlacementProblem, Snap
from twin.language import tr
from twin.scenario.formats.underlay_file import LIMIT, PictureError, looked_at
from twin.scenario.schema.document import Scenario
from twin.view3d.view.hall_view import HallView
from twin.whole_file import write_whole

Place = tuple[float, float]
_HIGH_M = 2.4
_THICK_M = 0.2


class BuildingTools:
    """What is done to the building of a hall.

    Parameters
    ----------
    place
        Carries a column or a door to its place.
    tell
        Shows a sentence in the status bar.
    show_things
        Shows things in the inspector, with what can be set of them.
    """

    def __init__(
        self,
        session: Session,
        editor: Editor,
        view: HallView,
        place: PlaceTool,
        tell: Callable[[str], None],
        show_things: Callable[[tuple[str, ...]], None],
    ) -> None:
        self._session, self._editor, self._view, self._place = session, editor, view, place
        self._tell, self._show_things = tell, show_things
        self.wall = WallTool(editor, view, self.hall_at, tell)
        editor.landed.connect(self._show_new)

    def add_walls(self) -> None:
        """Put walls round the floor of the hall, and show what can be set of them."""
        self._editor.do(AddWalls(self.hall))

    def add_column(self, at: Place | None = None) -> None:
        """Put a column at a place of the floor; None: it is carried there first."""
        if at is not None:
            self._editor.do(AddColumn(self.hall_at(at), at))
            return
        shape = MovedShape.single(*COLUMN_M)
        self._carry(Carried(tr("Column"), shape, (_HIGH_M,), on_floor=_column, fixed=True))

    def add_door(self, at: Place | None = None) -> None:
        """Put a door into the wall nearest to a place of the floor; None: it is carried there first."""
        if at is not None:
            self._editor.do(AddDoor(self.hall_at(at), at))
            return
        plant = self._session.plant
        if plant is not None and not any(building.all_walls for building in plant.halls.buildings):
            self._tell(tr("Add walls first: a door stands in one"))
            return
        shape = MovedShape.single(DOOR_M, _THICK_M)
        self._carry(
            Carried(tr("Door"), shape, (_HIGH_M,), on_floor=_door, fixed=True, drawn_to=_in_nearest_wall)
        )

    def add_wall(self) -> None:
        """Let the person click where a wall starts and where it ends."""
        self.wall.begin()

    def choose_underlay(self) -> None:
        """Ask for a drawing and lay it on the floor of the hall."""
        document = self._session.document
        folder = document.path.parent if document is not None and document.path is not None else None
        if folder is None:
            self._tell(tr("Save the scene first: a drawing lies in its folder"))
            return
        title, kinds = tr("Drawing of the building"), tr("Drawings (*.png *.jpg *.jpeg *.svg)")
        chosen, _ = QFileDialog.getOpenFileName(self._view.native.window(), title, str(folder), kinds)
        if chosen:
            self.lay(Path(chosen))

    def lay(self, path: Path) -> bool:
        """Lay a drawing on the floor of the hall; one from elsewhere is copied beside the scene first."""
        document = self._session.document
        if document is None or document.path is None:
            return False
        folder = document.path.parent.resolve()
        try:
            name = path.name
            if path.resolve().is_relative_to(folder):
                name = path.resolve().relative_to(folder).as_posix()
            else:
                self._copied(path, folder / name)
        except PictureError as bad:
            self._tell(tr("{file} {reason}", file=path.name, reason=bad))
            return False
        except OSError as bad:
            self._tell(tr("{file} cannot be read: {reason}", file=path.name, reason=bad.strerror or bad))
            return False
        return self._editor.do(SetUnderlay(name, self.hall))

    def show_hall(self) -> None:
        """Show what can be set of the hall: floor load, ceiling, raised floor, walls, columns, doors."""
        if self._session.plant is not None:
            self._show_things((self.hall,))

    def fill(self, menu: QMenu, at: Place) -> None:
        """Offer what can be added at a place of the floor."""
        menu.addSeparator()
        menu.addAction(tr("Add a column here"), partial(self.add_column, at))
        menu.addAction(tr("Add a wall from here"), partial(self.wall.begin, at))
        menu.addAction(tr("Add a door in the nearest wall"), partial(self.add_door, at))
        menu.addAction(tr("Floor load, ceiling, walls"), partial(self._show_things, (self.hall_at(at),)))

    @property
    def hall(self) -> str:
        """Return the hall that is selected, or that holds what is; else the first."""
        plant = self._session.plant
        if plant is None:
            return ""
        for id in self._view.state.selection:
            if id in plant.halls.ids:
                return id
            kind, slot = plant.slots.get(id, ("", -1))
            if kind in ("row", "rack"):
                table = plant.rows if kind == "row" else plant.racks
                return plant.halls.ids[int(table.hall[slot])]
        return plant.halls.ids[0]

    def hall_at(self, at: Place) -> str:
        """Return the id of the hall whose floor is at a place, or nearest to it; "" without a scene."""
        plant = self._session.plant
        return "" if plant is None else plant.halls.ids[FloorPlan.of(plant).hall_at(*at)]

    def _carry(self, carried: Carried) -> None:
        if self._place.begin_by_keys(carried):
            self._view.native.setFocus()

    @staticmethod
    def _copied(path: Path, to: Path) -> None:
        """Copy a drawing that may be shown; raises `PictureError` when it may not, or another of its name is there."""
        with path.open("rb") as file:
            data = file.read(LIMIT.size_bytes + 1)
        looked_at(data)
        if to.exists() and to.read_bytes() != data:
            raise PictureError("has the name of another file in the folder of the scene")
        if not to.exists():
            write_whole(to, data)

    def _show_new(self, landed: Proposal | None) -> None:
        if landed is None or landed.undoes:
            return
        before, after = _parts(landed.before.scenario), _parts(landed.after.scenario)
        new = dict.fromkeys(id for key, id in after.items() if key not in before)
        if new:
            self._show_things(tuple(new))


def _parts(scenario: Scenario) -> dict[tuple[str, str], str]:
    """Return the parts of all buildings by hall and what they are, and the thing that is shown of each."""
    found = {}
    for hall in scenario.halls:
        building = hall.building
        if building is None:
            continue
        ids = (part.id for parts in (building.columns, building.doors) for part in parts)
        for id in (*ids, *(wall.id for wall in building.inner_walls)):
            found[hall.id, id] = id
        for name, part_of_hall in (("walls", building.walls), ("underlay", building.underlay)):
            if part_of_hall is not None:
                found[hall.id, f"/{name}"] = hall.id
    return found


def _column(place: LandingPlace, _facing: int, hall: str) -> Command:
    return AddColumn(hall, (place.x_m, place.y_m))


def _in_nearest_wall(floor: FloorPlan, at: Place) -> tuple[MovedShape, Snap]:
    """Return a door as it stands in the wall that is nearest to a place, and where that is."""
    hall = floor.hall_at(*at)
    shape = MovedShape.single(DOOR_M, _THICK_M)
    try:
        place, wall, thick_m = nearest_opening(floor.buildings[hall], at)
    except CommandError as no_wall:
        return shape, Snap(LandingPlace(*at, hall), problems=(PlacementProblem(str(no_wall)),))
    aside_m = -thick_m / 2  # its place is on the inner face of the wall
    out = replace(
        MovedShape.single(DOOR_M, thick_m),
        dx_m=np.array([aside_m * wall.inwards[0]]),
        dy_m=np.array([aside_m * wall.inwards[1]]),
        ahead=wall.ahead,
    )
    return out, Snap(LandingPlace(*place, hall))


def _door(place: LandingPlace, _facing: int, hall: str) -> Command:
    return AddDoor(hall, (place.x_m, place.y_m))
