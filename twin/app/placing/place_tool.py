"""Carrying something over the hall: the ghost follows pointer or arrow keys, says what speaks against it, and lands."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from twin.app.placing.foreseen import RuleSight, foreseen
from twin.app.placing.ghost_view import in_rack, nowhere, on_floor, whole_rack
from twin.app.placing.mime import IN_HAND
from twin.app.placing.payload import Carried, RackPlace, power_obstacles
from twin.app.placing.plate import BudgetLine, PlacingPlate, budget_lines
from twin.app.placing.plate_position import seen_of
from twin.app.placing.steps import next_line_m, next_rack
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.arrays import Ints32
from twin.commands.budget.budget import Budget, budget
from twin.commands.budget.power_room import PowerRoom
from twin.commands.edit import names
from twin.commands.edit.command import Command, EditedScene
from twin.commands.place.floor_plan import FloorPlan, MovedShape, Point
from twin.commands.place.snap import Snap
from twin.commands.place.snap_units import UnitSnap, snap_units
from twin.commands.wiring.connect_new import WiredIn
from twin.commands.wiring.new_switches import NewSwitches, new_switches
from twin.language import tr
from twin.plant.find import find, row_name
from twin.plant.halls import TILE_M
from twin.plant.tables import RACK_FOOT_M, U_M, Plant, RackKind
from twin.scenario import Scenario
from twin.view3d.base import camera
from twin.view3d.view.hall_view import HallView

FAR_TILES = 10
"""Tiles that an arrow with Shift goes along a row."""
MOST_SELECTED = 500


class PlaceTool:
    """One thing at a time on its way into the hall, or to another place in it.

    Parameters
    ----------
    host
        The panel that shows the view; the plate with the budget floats over it.
    """

    told = Signal(str)  # what would happen, or why not; "" when nothing is carried any more
    ended = Signal()

    def __init__(self, look: Look, session: Session, editor: Editor, view: HallView, host: QWidget) -> None:
        self._session, self._editor, self._view = session, editor, view
        self.plate = PlacingPlate(look, host)
        self.wires_new = True  # what comes is connected in the same step
        self.carried: Carried | None = None
        self._floor: FloorPlan | None = None
        self._budget: Budget | None = None
        self._power: PowerRoom | None = None
        self._rules = RuleSight(self._what_rules_say, self._update)
        self._switches: dict[str, NewSwitches] = {}  # by the rows it goes into, "": rows of its own
        self.landing: Snap | UnitSnap | None = None
        self._rack_only = -1  # a rack that takes what is carried without asking for a unit
        self._reason = ""
        self._wish: Point = (0.0, 0.0)
        self._grip: Point = (0.0, 0.0)  # from the pointer to the anchor
        self._level_m = 0.0
        self._from: Point | None = None
        self._by_keys = False
        self._in_hand = False
        self._turned = False
        self._rack: tuple[int, float] | None = None  # under the pointer or chosen by keys: slot, unit
        self._free, self._one_axis = False, False
        self._before: Scenario | None = None
        session.plant_changed.connect(self._on_plant)
        session.opened.connect(self._on_opened)

    # -- beginning and ending ----

    @property
    def active(self) -> bool:
        """Return whether something is carried."""
        return self.carried is not None

    @property
    def ok(self) -> bool:
        """Return whether it can be put where it is now."""
        return self.active and not self._refused

    def begin(
        self, carried: Carried, grip: Point = (0.0, 0.0), level_m: float = 0.0, *, in_hand: bool = False
    ) -> bool:
        """Carry something; return whether it can be: `told` says why not.

        Parameters
        ----------
        grip
            From the place under the pointer to the anchor [m], of things that are held somewhere else.
        level_m
            Height of the plane that the pointer moves on.
        in_hand
            Whether the pointer has a picture of it.
        """
        self.cancel()
        plant, document, reason = self._session.plant, self._session.document, self._editor.why_not()
        if plant is None or document is None or self._view.plan is None or reason:
            moved = tr("{title} not moved: {reason}", title=carried.title, reason=reason)
            self.told.emit(moved if reason else tr("open a scene first"))
            return False
        self.carried, self._grip, self._level_m, self._in_hand = carried, grip, level_m, in_hand
        self._view.state.hovered = None  # what is under the pointer is not what is spoken of
        self._view.hovered.emit(None)
        self._from = carried.at
        self._turned = self._by_keys = False
        self._take_plant(plant)
        return True

    def begin_by_keys(self, carried: Carried) -> bool:
        """Carry something with the arrow keys, from where it stands or from the middle of the view."""
        if not self.begin(carried):
            return False
        self._by_keys = True
        plant = self._session.plant
        width, height = self._view.size()
        middle = self._view.edit.floor_at(width / 2, height / 2) or self._middle_of_hall()
        self._wish = carried.at or middle
        if plant is not None and (carried.height_u or carried.role):
            self._rack = self._nearest_rack(plant, carried, middle)
        self._update()
        return True

    def cancel(self) -> bool:
        """Put nothing anywhere; return whether something was carried."""
        if self.carried is None:
            return False
        self.carried = self.landing = self._floor = self._rack = None
        self._budget = self._power = None
        self._rack_only = -1
        self._rules.forget()
        self.plate.hide()
        self._view.edit.show_ghost()
        self.told.emit("")
        self.ended.emit()
        return True

    def drop(self) -> bool:
        """Put it where it is now, as one step; return whether it was. A refusal says why, and the tool ends."""
        carried = self.carried
        if carried is None:
            return False
        if self._refused:
            words = tr("{title} not placed: {reason}", title=carried.title, reason=self._reason)
            self.cancel()
            self.told.emit(words)
            return False
        command = self._command(carried)
        self.cancel()
        if command is None:
            return False
        return self._editor.do(command) if carried.ids else self.do_new(command)

    def do_new(self, command: Command) -> bool:
        """Do what brings new things, and select them when they stand there."""
        document = self._session.document
        self._before = None if document is None else document.scenario
        if self._editor.do(self._wired(command)):
            return True
        self._before = None
        return False

    def _wired(self, command: Command) -> Command:
        return WiredIn(command) if self.wires_new else command

    def _command(self, carried: Carried) -> Command | None:
        plant, landing = self._session.plant, self.landing
        if plant is None:
            return None
        if self._rack_only >= 0 and carried.in_rack is not None:
            return carried.in_rack(RackPlace(plant.racks.ids[self._rack_only], 0))
        if isinstance(landing, UnitSnap) and carried.in_rack is not None:
            return carried.in_rack(RackPlace(plant.racks.ids[landing.rack], landing.u))
        if isinstance(landing, Snap) and carried.on_floor is not None:
            if landing.place == self._stood(carried):
                return None
            hall = plant.halls.ids[landing.place.hall]
            return carried.on_floor(landing.place, carried.facing, hall)
        return None

    def _stood(self, carried: Carried) -> object:
        """Return the present place when the thing has not moved at all; None otherwise."""
        landing = self.landing
        if carried.at is None or not isinstance(landing, Snap):
            return None
        still = np.allclose((landing.place.x_m, landing.place.y_m), carried.at, atol=1e-6)
        return landing.place if still else None

    # -- moving ----

    def point(self, x_px: float, y_px: float, keys: set[str]) -> None:
        """Follow the pointer; Alt frees it from tiles and neighbours, Shift keeps it on one axis."""
        if self.carried is None:
            return
        self._by_keys = False
        self._free, self._one_axis = "Alt" in keys, "Shift" in keys
        self._rack = None
        if self.carried.height_u or self.carried.role:
            self._rack = self._view.edit.rack_at(x_px, y_px)
        under = self._view.edit.floor_at(x_px, y_px, self._level_m)
        if under is not None:
            self._wish = (under[0] + self._grip[0], under[1] + self._grip[1])
            if self._from is None:
                self._from = self._wish
        self._update()
        self._place_plate(x_px, y_px)

    def step(self, right: int, up: int, far: bool = False) -> None:
        """Go a tile along the axis of the hall nearest to what is right or up on screen; `far`: a row."""
        plant, carried = self._session.plant, self.carried
        if plant is None or carried is None:
            return
        azimuth = np.radians(self._view.pose.azimuth_deg)
        right_way = np.array([-np.sin(azimuth), np.cos(azimuth)])
        way = right * right_way + up * np.array([-right_way[1], right_way[0]])
        axis = int(np.abs(way).argmax())
        sign = 1 if way[axis] > 0 else -1
        self._free = self._one_axis = False
        self._by_keys = True
        if self._rack is not None and (carried.height_u or carried.role):
            self._rack = next_rack(plant, self._rack, axis, sign)
        else:
            at = list(self._landed())
            at[axis] = (
                next_line_m(plant, at[1], sign)
                if far and axis == 1
                else at[axis] + sign * TILE_M * (FAR_TILES if far else 1)
            )
            self._wish = (at[0], at[1])
        self._update()

    def step_unit(self, up: int) -> None:
        """Go to the next free unit of the rack, up or down; from the floor into the nearest rack."""
        plant, carried = self._session.plant, self.carried
        if plant is None or carried is None or not (carried.height_u or carried.role):
            return
        self._by_keys = True
        if self._rack is None:
            self._rack = self._nearest_rack(plant, carried, self._landed())
        elif isinstance(self.landing, UnitSnap):
            fits = [u for u in self.landing.fits if (u > self.landing.u if up > 0 else u < self.landing.u)]
            if fits:
                u = min(fits) if up > 0 else max(fits)
                self._rack = self._rack[0], u + (carried.height_u - 1) / 2
        self._update()

    def onto_floor(self) -> None:
        """Leave the racks for the floor, where what is carried can stand there."""
        if self.carried is not None and self.carried.shape is not None:
            self._rack = None
            self._update()

    def turn(self) -> None:
        """Turn it round."""
        if self.carried is not None and not self.carried.ids:
            self.carried, self._turned = self.carried.turned(), True
            self._update()

    # -- what it comes to ----

    @property
    def _rack_held(self) -> int:
        return self.landing.rack if isinstance(self.landing, UnitSnap) else self._rack_only

    @property
    def _refused(self) -> bool:
        if self._rack_only >= 0 or self.landing is None:
            return bool(self._reason)
        return not self.landing.ok

    def _update(self) -> None:
        plant, carried = self._session.plant, self.carried
        if plant is None or carried is None or self._floor is None:
            return
        self._rack_only, self.landing, self._reason = -1, None, ""
        if self._rack is not None and carried.height_u:
            self._into_units(plant, carried, *self._rack)
        elif self._rack is not None and carried.role:
            self._onto_rack(plant, carried, self._rack[0])
        elif carried.shape is not None and carried.on_floor is not None:
            self._on_floor(plant, carried)
        else:
            self._reason = tr("it must go into a rack")
            self._view.edit.show_ghost(nowhere(*self._wish, 0.5, 0.9, max(carried.height_u, 1) * U_M))
            self._say(tr("above the floor"))

    def _into_units(self, plant: Plant, carried: Carried, rack: int, unit: float) -> None:
        landing = snap_units(
            plant, rack, carried.height_u, unit, free=self._free, without=carried.ids, subject=carried.title
        )
        self.landing, self._reason = landing, landing.reason
        self._view.edit.show_ghost(in_rack(plant, landing))
        last = landing.u + landing.height_u - 1
        units = f"U {landing.u}" if last == landing.u else tr("U {u} to {last}", u=landing.u, last=last)
        self._say(tr("rack {rack}, {units}", rack=plant.racks.ids[rack], units=units))

    def _onto_rack(self, plant: Plant, carried: Carried, rack: int) -> None:
        role = RackKind(int(plant.racks.kind[rack])).name.lower()
        self._rack_only = rack
        if carried.shape is not None and role != carried.role:
            self._reason = tr(
                "rack {rack} is a {role} rack: it goes into a {wanted} rack",
                rack=plant.racks.ids[rack],
                role=role,
                wanted=carried.role,
            )
        self._view.edit.show_ghost(whole_rack(plant, rack, ok=not self._reason))
        self._say(tr("rack {rack}", rack=plant.racks.ids[rack]))

    def _on_floor(self, plant: Plant, carried: Carried) -> None:
        shape, landing = self._snapped(carried)
        row = landing.place.row
        if row >= 0 and carried.facing and not (self._turned or carried.ids):
            facings = plant.racks.facing[(plant.racks.row == row) & plant.racks.present]
            if len(facings) and int(facings[0]) != carried.facing:  # it looks where its neighbours look
                self.carried = carried = carried.turned()
                shape, landing = self._snapped(carried)
        self.landing, self._reason = landing, landing.reason
        self._view.edit.show_ghost(on_floor(shape, carried.heights_m, landing, self._view.standing))
        where = f"x {landing.place.x_m:.2f} m, y {landing.place.y_m:.2f} m"
        if row >= 0:
            where = tr("in line with {row}, {where}", row=row_name(plant, row), where=where)
        self._say(where)

    def _snapped(self, carried: Carried) -> tuple[MovedShape, Snap]:
        assert self._floor is not None
        (x, y), keep_x, keep_y = self._wish, None, None
        if self._one_axis and self._from is not None:
            if abs(x - self._from[0]) >= abs(y - self._from[1]):
                keep_y = self._from[1]
            else:
                keep_x = self._from[0]
        return carried.landing(self._floor, (x, y), free=self._free, keep_x_m=keep_x, keep_y_m=keep_y)

    def _lines(self, carried: Carried) -> tuple[BudgetLine, ...]:
        """Return what it asks of the site where it is held now."""
        if carried.load is None or self._budget is None or self._power is None:
            return ()
        rack, load = self._rack_held, carried.load
        fullest = self._power.with_more(load.power_w, rack)
        return budget_lines(load, self._budget, fullest, self._new_switches(carried, rack))

    def _new_switches(self, carried: Carried, rack: int) -> NewSwitches:
        """Return the switches that come with it: the same all over the floor, and in all racks of a row."""
        scene = self._scene()
        if scene is None or carried.load is None or not carried.load.nodes:
            return NewSwitches()
        rows = scene.plant.racks.ids[rack].partition("/")[0] if rack >= 0 else ""
        if rows not in self._switches:
            self._switches[rows] = new_switches(scene, dict(carried.load.nodes), rows, carried.joins)
        return self._switches[rows]

    def _say(self, where: str) -> None:
        carried = self.carried
        if carried is None:
            return
        keys = carried.keys(by_arrows=self._by_keys)
        reason = self._reason or self._rules.words(self._asked_place(carried))
        self.plate.show_placing(carried.title, where, self._lines(carried), reason, self._refused, keys)
        words = reason or where
        self.told.emit(words if words.startswith(carried.title) else f"{carried.title}: {words}")
        if self._by_keys:
            x, y = self._landed()
            place = camera.project(self._view.pose, np.array([[x, y, self._height()]]), *self._view.size())
            if place[0, 2] > 0:
                self._place_plate(float(place[0, 0]), float(place[0, 1]))

    def _asked_place(self, carried: Carried) -> Hashable:
        if carried.drawn_to is not None and isinstance(self.landing, Snap):
            return self.landing.place
        if carried.load is None or carried.ids or self._refused:
            return None
        return self._rack_held, self.landing.place.row if isinstance(self.landing, Snap) else -1

    def _what_rules_say(self) -> str:
        scene, command = self._scene(), None if self.carried is None else self._command(self.carried)
        return foreseen(scene, self._wired(command)) if scene and command else ""

    def _scene(self) -> EditedScene | None:
        plant, document = self._session.plant, self._session.document
        return EditedScene.of(document, plant, plant.catalog) if plant and document else None

    def _height(self) -> float:
        landing = self.landing
        return RACK_FOOT_M + landing.u * U_M if isinstance(landing, UnitSnap) else 1.0

    def _place_plate(self, x_px: float, y_px: float) -> None:
        corner, at = self._view.native.pos(), QPoint(round(x_px), round(y_px))
        ghost, words = seen_of(self._view.edit.ghost, self._view.pose, self._view.size())
        clear = words
        if self._in_hand:
            picture = IN_HAND.translated(at)
            ghost, clear = ghost.united(picture), [*words, picture]
        self.plate.move_to(
            at + corner,
            self._view.native.geometry(),
            ghost.translated(corner),
            [area.translated(corner) for area in clear],
        )
        self.plate.raise_()

    # -- places ----

    def _landed(self) -> Point:
        plant, landing = self._session.plant, self.landing
        if isinstance(landing, Snap):
            return landing.place.x_m, landing.place.y_m
        if (rack := self._rack_held) >= 0 and plant is not None:
            return float(plant.racks.x_m[rack]), float(plant.racks.y_m[rack])
        return self._wish

    def _middle_of_hall(self) -> Point:
        plant = self._session.plant
        assert plant is not None
        halls = plant.halls
        return float(halls.x0_m[0] + halls.x1_m[0]) / 2, float(halls.y0_m[0] + halls.y1_m[0]) / 2

    def _nearest_rack(self, plant: Plant, carried: Carried, to: Point) -> tuple[int, float] | None:
        """Return the rack that is or holds what is selected, else the nearest that takes it; in its free units."""
        racks = plant.racks
        chosen = [at for id in self._view.state.selection if (at := find(plant, id)) is not None]
        holds: dict[str, Ints32] = {
            "rack": np.arange(len(racks.ids), dtype=np.int32),
            "node": plant.nodes.rack,
            "gpu": plant.gpus.rack,
        }
        found = [int(holds[kind][slot]) for kind, slot in chosen if kind in holds]
        fit = racks.present.copy()
        role = carried.role or ("compute" if carried.height_u else "")
        alike = fit & (racks.kind == RackKind[role.upper()]) if role else fit
        if carried.role or alike.any():  # a node may stand in any rack, and does so best among nodes
            fit = alike
        places = np.flatnonzero(fit)
        if not found and len(places):
            away = np.hypot(racks.x_m[places] - to[0], racks.y_m[places] - to[1])
            found = [int(places[away.argmin()])]
        return (found[0], 1.0) if found else None

    # -- following ----

    def _take_plant(self, plant: Plant) -> None:
        plan, carried = self._view.plan, self.carried
        assert plan is not None
        assert carried is not None
        self._switches = {}
        self._rules.forget()
        scene = self._scene()
        if carried.load is not None and scene is not None:
            self._budget = budget(scene)
            self._power = PowerRoom(plant, plant.catalog)
        gone = set(carried.ids)
        known = [find(plant, id) for id in carried.ids]
        rows = [area[1] for area in known if area is not None and area[0] == "row"]
        gone |= {plant.racks.ids[k] for k in np.flatnonzero(np.isin(plant.racks.row, rows)).tolist()}
        self._floor = FloorPlan.of(plant, power_obstacles(plant, plan), gone, settled=carried.only_racks)

    def _on_opened(self, _path: object) -> None:
        self.cancel()

    def _on_plant(self, plant: Plant) -> None:
        before, self._before = self._before, None
        document = self._session.document
        if before is not None and document is not None:
            new = names.newcomers(before, document.scenario)[:MOST_SELECTED]
            self._view.state.selection = tuple(id for id in new if find(plant, id) is not None)
        if self.carried is not None:
            if any(find(plant, id) is None for id in self.carried.ids):
                self.cancel()
                return
            if self._rack is not None:  # its number is of the hall before
                nearest = self._nearest_rack(plant, self.carried, self._wish)
                self._rack = nearest if self._by_keys else None
            self._take_plant(plant)
            self._update()
