"""The hall view's side of editing: ghost and rubber band, and where the pointer is in the hall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.edit_shapes import Ghost
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.capability import Capability
from twin.view3d.layers.edit_layer import EditLayer
from twin.view3d.layers.rubber_band import Rect
from twin.view3d.place.picking import Hit, Picker
from twin.view3d.view.drag_plane import boxes_in, floor_at, height_on_front, unit_at
from twin.view3d.view.gestures import Drag, Gestures

NO_GHOST = Ghost()


class PointerHost(Protocol):
    """The view that a pointer moves over, as far as editing needs it."""

    capability: Capability
    canvas: Any
    gestures: Gestures
    picker: Picker | None
    plant: Plant | None

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands."""

    def size(self) -> tuple[float, float]:
        """Return width and height of the widget [logical px]."""


class EditView:
    """What tools of the app ask of the view while things are placed.

    Parameters
    ----------
    hall
        The view it belongs to; its context is current.

    Attributes
    ----------
    take_drag
        Asked at (x, y) [logical px] with the modifiers held when a drag begins; what it returns follows the pointer
        instead of the camera.
    """

    def __init__(self, hall: PointerHost) -> None:
        self._hall = hall
        self.layer = EditLayer(hall.capability.software)
        self.take_drag: Callable[[float, float, set[str]], Drag | None] | None = None

    def taken(self, x: float, y: float, keys: set[str]) -> Drag | None:
        """Return what follows the pointer from here; None: the camera."""
        return None if self.take_drag is None else self.take_drag(x, y, keys)

    def show_ghost(self, ghost: Ghost = NO_GHOST) -> None:
        """Show what is being placed, over the hall as it is; nothing: no ghost."""
        if ghost == self.layer.ghost:
            return
        self._hall.canvas.set_current()
        self.layer.set_ghost(ghost)
        self._hall.canvas.update()

    def show_band(self, rect: Rect | None) -> None:
        """Show a rubber band [logical px], or none."""
        self.layer.set_band(rect)
        self._hall.canvas.update()

    @property
    def ghost(self) -> Ghost:
        """Return what is shown of a thing that is being placed."""
        return self.layer.ghost

    @property
    def dragging(self) -> bool:
        """Return whether something follows the pointer."""
        return self._hall.gestures.dragging

    def cancel_drag(self) -> bool:
        """Let what follows the pointer go; return whether anything did."""
        return self._hall.gestures.cancel()

    def floor_at(self, x_px: float, y_px: float, z_m: float = 0.0) -> tuple[float, float] | None:
        """Return the place (x, y) [m] of the floor, or of a level over it, under a place of the widget."""
        return floor_at(self._hall.pose, x_px, y_px, *self._hall.size(), z_m)

    def solid_at(self, x_px: float, y_px: float) -> Hit | None:
        """Return the rack, machine or front under a place of the widget, whatever cables hang before it."""
        hall = self._hall
        return (
            None
            if hall.picker is None
            else hall.picker.pick(*camera.ray(hall.pose, x_px, y_px, *hall.size()))
        )

    def rack_at(self, x_px: float, y_px: float) -> tuple[int, float] | None:
        """Return the rack (slot) under a place of the widget and the unit at that height; None over all else."""
        hall = self._hall
        if hall.picker is None or hall.plant is None:
            return None
        origin, direction = camera.ray(hall.pose, x_px, y_px, *hall.size())
        rack = hall.picker.rack(origin, direction)
        if rack is None:
            return None
        return rack, unit_at(hall.plant, rack, height_on_front(hall.plant, rack, origin, direction))

    def things_in(self, rect: Rect) -> list[str]:
        """Return the racks and machines whose middle lies in a rectangle of the widget."""
        if self._hall.picker is None:
            return []
        ids, low, high = self._hall.picker.boxes()
        return list(dict.fromkeys(boxes_in(self._hall.pose, ids, low, high, rect, *self._hall.size())))
