"""Drags in the hall that are no camera moves: what is selected is moved, or a band is drawn round things."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.app.placing.payload import Carried, carried_things
from twin.app.placing.place_tool import PlaceTool
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.commands.place.snap import Snap
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.view3d.base.bounds import Box
from twin.view3d.base.dimension import dimension_lines
from twin.view3d.layers.rubber_band import spanned
from twin.view3d.place.picking import Hit
from twin.view3d.view.gestures import Drag
from twin.view3d.view.hall_view import HallView


class MoveDrag:
    """Carries what is held to another place; its dimensions are told as they would be there."""

    def __init__(self, tool: PlaceTool, view: HallView) -> None:
        self._tool, self._view = tool, view

    def move(self, x: float, y: float, keys: set[str]) -> None:
        """Follow the pointer."""
        self._tool.point(x, y, keys)
        self._tell_dimensions()

    def drop(self, x: float, y: float, keys: set[str]) -> None:
        """Put it there."""
        self._tool.point(x, y, keys)
        self._tool.drop()

    def cancel(self) -> None:
        """Leave it where it was."""
        self._tool.cancel()

    def _tell_dimensions(self) -> None:
        view, carried, landing = self._view, self._tool.carried, self._tool.landing
        if carried is None or carried.at is None or not isinstance(landing, Snap):
            return
        way = np.array([landing.place.x_m - carried.at[0], landing.place.y_m - carried.at[1], 0.0])

        def is_held(id: str) -> bool:
            return any(id == held or id.startswith(f"{held}/") for held in carried.ids)

        loops = view.plant.loops if view.plant is not None else None
        anywhere = (
            {id for id, placed in zip(loops.ids, loops.placed, strict=True) if not placed} if loops else set()
        )

        def box_there(id: str, part: int) -> Box | None:
            if id in anywhere and not is_held(id):
                return None  # it keeps clear of what is held by itself: nobody knows how far yet
            box = view.part_box(id, part)
            return (box[0] + way, box[1] + way) if box is not None and is_held(id) else box

        lines = [
            line
            for each in view.state.dimensions
            if is_held(each.start.id) or is_held(each.stop.id)
            for line in dimension_lines(each, box_there, "live")
        ]
        if lines:
            view.edit.show_ghost(replace(view.edit.ghost, lines=(*view.edit.ghost.lines, *lines)))


class BandDrag:
    """Selects the racks and machines in a rectangle; with Ctrl those are taken in or out."""

    def __init__(self, view: HallView, x: float, y: float) -> None:
        self._view, self._start = view, (x, y)

    def move(self, x: float, y: float, keys: set[str]) -> None:
        """Stretch to the pointer."""
        self._view.edit.show_band(spanned(*self._start, x, y))

    def drop(self, x: float, y: float, keys: set[str]) -> None:
        """Select what is inside."""
        self._view.edit.show_band(None)
        inside = self._view.edit.things_in(spanned(*self._start, x, y))
        before = self._view.state.selection
        if "Control" in keys:
            kept = [id for id in before if id not in set(inside)]
            inside = [*kept, *(id for id in inside if id not in set(before))]
        self._view.state.selection = tuple(inside)

    def cancel(self) -> None:
        """Select nothing else."""
        self._view.edit.show_band(None)


class HallDrags:
    """Decides what a drag that begins in the hall does."""

    def __init__(self, session: Session, editor: Editor, view: HallView, tool: PlaceTool) -> None:
        self._session, self._editor, self._view, self._tool = session, editor, view, tool

    def begin(self, x: float, y: float, keys: set[str]) -> Drag | None:
        """Return what follows the pointer: the selection when it is held, a band from the floor with Shift."""
        hit = self._view.edit.solid_at(x, y)
        if "Shift" in keys:
            return BandDrag(self._view, x, y) if hit is None else None
        plan, plant = self._view.plan, self._session.plant
        if hit is None or keys or plan is None or plant is None or self._editor.why_not():
            return None
        ids = self._held(plant, hit)
        carried = carried_things(plant, plan, ids) if ids else None
        if not isinstance(carried, Carried):
            return None
        level_m, grip = 0.0, (0.0, 0.0)
        if carried.at is not None:
            level_m = hit.point_m[2]
            under = self._view.edit.floor_at(x, y, level_m)
            if under is None:
                return None
            grip = (carried.at[0] - under[0], carried.at[1] - under[1])
        return MoveDrag(self._tool, self._view) if self._tool.begin(carried, grip, level_m) else None

    def _held(self, plant: Plant, hit: Hit) -> list[str]:
        """Return the selection with what is held first; none when what is hit, or what holds it, is not selected."""
        chosen = self._view.state.selection
        held = next((id for id in holders(plant, hit.id) if id in chosen), None)
        return [] if held is None else [held, *(id for id in chosen if id != held)]


def holders(plant: Plant, id: str) -> list[str]:
    """Return a thing and what it stands in: GPU, node, rack, row."""
    found = find(plant, id)
    if found is None:
        return [id]
    kind, slot = found
    chain = [id] if kind != "gpu" else []
    node, rack = -1, -1
    if kind == "gpu":
        node = int(plant.gpus.node[slot])
    elif kind == "node":
        node, chain = slot, []
    elif kind == "switch":
        rack = int(plant.switches.rack[slot])
    elif kind == "rack":
        rack, chain = slot, []
    if node >= 0:
        chain.append(plant.nodes.ids[node])
        rack = int(plant.nodes.rack[node])
    if rack >= 0:
        chain += [plant.racks.ids[rack], plant.rows.ids[int(plant.racks.row[rack])]]
    return chain
