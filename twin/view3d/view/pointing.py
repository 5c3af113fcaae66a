"""What pointer and wheel do to the hall: naming, choosing, going deeper and back up, zooming to a place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from psygnal import Signal
from PySide6.QtGui import QCursor

from twin.plant.cable_names import find_bundle
from twin.plant.find import holders
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.colour.cable_colours import CableState
from twin.view3d.place.cable_field import CableField
from twin.view3d.place.picking import Hit, Picker

_CABLES_APART_PX_PER_M = 40.0
"""Where a metre is larger than this, a cable is seen apart from what is behind it [px/m]."""


class PointedView(Protocol):
    """The view that is pointed at, as far as that needs it."""

    state: ViewState
    plant: Plant | None
    picker: Picker | None

    @property
    def native(self) -> Any:
        """Return the Qt widget."""

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands."""

    @property
    def cables(self) -> CableField | None:
        """Return where the cables lie."""

    @property
    def frame_shown(self) -> Frame | None:
        """Return the frame whose values are shown."""

    def size(self) -> tuple[float, float]:
        """Return width and height of the widget [logical px]."""

    def standing(self, id: str) -> Box | None:
        """Return the box of a thing."""

    def fly_to(self, id: str, animate: bool = True) -> None:
        """Move the camera to a thing."""

    def look(self, pose: CameraPose) -> None:
        """Stand somewhere as part of a movement."""

    def publish(self) -> None:
        """Tell where the camera stands."""


class PointerTool(Protocol):
    """What takes the pointer instead of choosing; places are of the widget [logical px]."""

    def hover(self, x: float, y: float) -> None:
        """Follow the pointer."""

    def click(self, x: float, y: float) -> None:
        """Take a place."""

    def back(self) -> None:
        """Take back the last place, or end."""


class Pointing:
    """The pointer over the hall of a view.

    What it means depends on how large things are on screen: far off a hall, a row or a rack, as they are drawn, nearer
    a node, close by a GPU. A double click goes one deeper: the thing is framed, and what is inside it under the pointer
    is chosen; `up` goes back.
    """

    hovered = Signal(object)
    clicked = Signal(object)
    double_clicked = Signal(object)
    menu_wanted = Signal(object, object)  # Hit or None under a click of the right button, place (x, y) [px]

    def __init__(self, view: PointedView) -> None:
        self._view = view
        self.tool: PointerTool | None = None
        self.trail: list[str] = []  # what one went into, the outermost first

    def pick(self, x_px: float, y_px: float, deepest: bool = False) -> Hit | None:
        """Return what is under a place of the widget [logical px], however small with `deepest`."""
        view = self._view
        if view.picker is None or view.plant is None or view.cables is None:
            return None
        origin, direction = camera.ray(view.pose, x_px, y_px, *view.size())
        size = partial(camera.px_per_m, view.pose, height_px=view.size()[1])
        hit = view.picker.pick(origin, direction, None if deepest else size)
        if "racks" in view.state.layers and not deepest:
            height_px = view.size()[1] * view.native.devicePixelRatioF()
            tile = view.picker.pick_tile(origin, direction, view.pose, height_px)
            if tile is not None and (hit is None or tile.distance_m <= hit.distance_m):
                return tile
        if "cables" not in view.state.layers or (hit is not None and self._is_failed(hit, size)):
            return hit
        reach_m = np.inf if hit is None else hit.distance_m
        state = CableState.of(view.frame_shown, len(view.plant.bundles.rail))
        selection = view.state.selection
        kept = find_bundle(view.plant, selection[-1]) if selection else None
        return view.cables.pick(origin, direction, reach_m, state, kept) or hit

    def _is_failed(self, hit: Hit, px_per_m: Callable[[float], float]) -> bool:
        """Return whether something failed is seen there: cables before it that are hardly seen do not hide it."""
        view = self._view
        if (
            view.plant is None
            or view.frame_shown is None
            or px_per_m(hit.distance_m) >= _CABLES_APART_PX_PER_M
        ):
            return False
        gpus = view.plant.gpus
        if hit.kind == "gpu":
            inside = np.array([hit.slot])
        elif hit.kind == "node":
            inside = np.flatnonzero(gpus.node == hit.slot)
        elif hit.kind == "rack":
            inside = np.flatnonzero(gpus.rack == hit.slot)
        else:
            return False
        state = np.asarray(view.frame_shown.values["gpu.state"])
        return bool((state[inside[inside < len(state)]] == State.FAILED).any())

    def hover(self, x: float, y: float) -> None:
        """Name what is under the pointer."""
        if self.tool is not None:
            self.tool.hover(x, y)
            return
        view, hit = self._view, self.pick(x, y)
        if (hit.id if hit else None) != view.state.hovered:
            view.state.hovered = hit.id if hit else None
        self.hovered.emit(hit)

    def hover_anew(self) -> None:
        """Name what is under a resting pointer after the camera has moved by itself."""
        native = self._view.native
        if native.underMouse():
            place = native.mapFromGlobal(QCursor.pos())
            self.hover(place.x(), place.y())

    def click(self, x: float, y: float, extend: bool) -> None:
        """Choose what is under the pointer, or let the choice `extend` to it."""
        if self.tool is not None:
            self.tool.click(x, y)
            return
        view, hit = self._view, self.pick(x, y)
        chosen = view.state.selection
        if hit is None:
            view.state.selection = chosen if extend else ()
        elif extend:
            rest = tuple(id for id in chosen if id != hit.id)
            view.state.selection = rest if hit.id in chosen else (*chosen, hit.id)
        else:
            view.state.selection = (hit.id,)
        inside = holders(view.plant, hit.id) if hit is not None and view.plant is not None else []
        self.trail = [id for id in self.trail if id in inside]
        self.clicked.emit(hit)

    def double_click(self, x: float, y: float) -> None:
        """Frame what is under the pointer, and choose what is inside it there."""
        if self.tool is not None:
            self.tool.click(x, y)
            return
        view, hit = self._view, self.pick(x, y)
        if hit is not None:
            inside = self._inside(hit, self.pick(x, y, deepest=True))
            view.fly_to(hit.id)
            if inside is not None:
                self.trail.append(hit.id)
                view.state.selection = (inside,)
        self.double_clicked.emit(hit)

    def up(self) -> bool:
        """Go back out of what was gone into last: it is chosen and framed; return whether there was anything."""
        view = self._view
        while self.trail:
            id = self.trail.pop()
            if view.standing(id) is not None:
                view.state.selection = (id,)
                view.fly_to(self.trail[-1] if self.trail else id)
                return True
        return False

    def _inside(self, hit: Hit, deepest: Hit | None) -> str | None:
        """Return what a step deeper than `hit` is, on the way to the smallest thing there."""
        plant = self._view.plant
        if plant is None or deepest is None:
            return None
        way = [*holders(plant, deepest.id), deepest.id]
        if hit.kind == "hall":
            return way[0] if deepest.kind in ("gpu", "node", "switch", "rack") else None
        return way[way.index(hit.id) + 1] if hit.id in way[:-1] else None

    def zoom(self, notches: float, x: float, y: float) -> None:
        """Come nearer to what is under the pointer, or go back from it."""
        view = self._view
        origin, direction = camera.ray(view.pose, x, y, *view.size())
        hit = view.picker.pick(origin, direction) if view.picker else None
        if hit is not None:
            target = np.array(hit.point_m)
        elif direction[2] < -0.02 and origin[2] > 0:
            reach_m = -origin[2] / direction[2]
            far_m = np.inf if view.pose.flat else 4 * view.pose.distance_m
            target = origin + direction * min(reach_m, far_m)
        else:
            away_m = (
                (np.asarray(view.pose.centre_m) - origin) @ direction
                if view.pose.flat
                else view.pose.distance_m
            )
            target = origin + direction * away_m
        view.look(camera.zoom_to(view.pose, notches, target))
        view.publish()

    def menu(self, x: float, y: float) -> None:
        """Ask for the menu of what is under the pointer."""
        if self.tool is not None:
            self.tool.back()
            return
        self.menu_wanted.emit(self.pick(x, y), (x, y))
