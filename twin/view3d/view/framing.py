"""Framing things so that they are seen beside what lies over the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.view3d.base.bounds import Box
from twin.view3d.base.camera import project
from twin.view3d.base.state import CameraPose
from twin.view3d.place.free_room import Room, free_room, in_room
from twin.view3d.place.free_shape import Area, SiteShape, is_behind, site_pose, site_shape
from twin.view3d.place.presets import corners_of, overview_boxes
from twin.view3d.view.gestures import Gestures

SAME_ROOM = 0.08
"""A room that differs by less than so much of the picture is the same: the camera stays."""
OTHER_PLACE = 0.2
"""The camera follows a hall that changes by so much: as a share of its distance."""
MakePose = Callable[[float], CameraPose]
"""Returns a pose that frames something in a picture of this aspect."""


class FramedView(Protocol):
    """The view whose camera frames things, as far as that needs it."""

    gestures: Gestures
    plant: Plant | None
    geometry: Geometry | None
    outside: Box

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands."""

    @property
    def flies_to(self) -> CameraPose | None:
        """Return where the camera is on its way to; None: it stands."""

    def size(self) -> tuple[float, float]:
        """Return width and height of the widget [logical px]."""

    def go(self, pose: CameraPose, animate: bool = True) -> None:
        """Fly to a pose, or stand there at once."""


class Framing:
    """Where nothing lies over the hall of a view, and what was framed there last."""

    def __init__(self, view: FramedView) -> None:
        self._view = view
        self._room: Room | None = None
        self._areas: tuple[Area, ...] = ()
        self._last: tuple[MakePose, bool, bool, CameraPose] | None = None
        self._shape_of: tuple[Plant | None, Box | None, SiteShape | None] = None, None, None
        self._site: tuple[tuple[object, ...], CameraPose | None] = (), None

    @property
    def room(self) -> Room:
        """Return where nothing lies over the hall."""
        whole, room = Room(0.0, 0.0, *self._view.size()), self._room
        if room is None or room.x + room.width > whole.width + 1 or room.y + room.height > whole.height + 1:
            return whole
        return room

    def keep(self, areas: Sequence[Area], anew: bool = True) -> None:
        """Let what is framed be seen beside these rectangles: left, top, width, height [logical px].

        What was framed last, and not moved since, is framed `anew` where the room is another.
        """
        size = self._view.size()
        self._areas = tuple(areas)
        room = free_room(size, self._areas)
        moved = np.abs(np.subtract(room, self.room)) > np.array([*size, *size]) * SAME_ROOM
        same = self._room is not None and not moved.any()
        if same and not (self._last is not None and self._last[2] and self._hides_halls(self._last[3])):
            return
        self._room = room
        if anew and self._last is not None and self._last[3] in (self._view.pose, self._view.flies_to):
            make, stay, site, _ = self._last
            self.frame(make, stay=stay, site=site, animate=False)

    def frame(self, make: MakePose, *, stay: bool, animate: bool, site: bool = False) -> None:
        """Go to where something is framed in the free room; the eye may have to `stay` as near as that is made.

        A whole `site` of several halls is shown as large as it can be with no hall behind what lies over the picture.
        """
        pose = self._placed(make, stay, site)
        self._view.go(pose, animate)
        self._last = make, stay, site, pose

    def _shape(self) -> SiteShape | None:
        """Return what an overview shows whole; None where it does not."""
        plant, geometry, outside = self._view.plant, self._view.geometry, self._view.outside
        if plant is None or geometry is None:
            return None
        if self._shape_of[0] is not plant or self._shape_of[1] is not outside:
            self._shape_of = plant, outside, site_shape(plant, geometry, outside)
        return self._shape_of[2]

    def _hides_halls(self, pose: CameraPose) -> bool:
        shape = self._shape()
        return shape is not None and is_behind(pose, shape.free, self._view.size(), self._areas)

    def _of_site(self, make: MakePose) -> CameraPose | None:
        """Return the pose that shows all whole; None where that is not shown whole, or has no room."""
        shape, size = self._shape(), self._view.size()
        if shape is None:
            return None
        usual = make(size[0] / size[1])
        key = shape.free.tobytes(), shape.yard.tobytes(), size, self._areas, usual
        if key != self._site[0]:  # edits mostly leave floors and yard as they are
            self._site = key, site_pose(usual, shape, size, self._areas)
        return self._site[1]

    def _placed(self, make: MakePose, stay: bool, site: bool) -> CameraPose:
        """Return the pose for the whole picture where nothing lies over what it shows, else for the free room."""
        of_site = self._of_site(make) if site else None
        if of_site is not None:
            return of_site
        size, room = self._view.size(), self.room
        whole = make(size[0] / size[1])
        if not stay and not self._covered(whole):
            return whole
        return in_room(make(room.aspect), size, room, stay=stay)

    def _covered(self, pose: CameraPose) -> bool:
        plant = self._view.plant
        geometry = self._view.geometry
        if plant is None or geometry is None or not self._areas:
            return False
        corners = corners_of(overview_boxes(plant, geometry, self._view.outside))
        size = self._view.size()
        if not pose.flat:
            return is_behind(pose, corners, size, self._areas)
        x, y = project(pose, corners, *size)[:, :2].T  # a box is seen as the rectangle round its corners
        lefts, tops = (some.reshape(8, -1).min(axis=0) for some in (x, y))
        rights, bottoms = (some.reshape(8, -1).max(axis=0) for some in (x, y))
        return any(
            bool(((lefts < left + wide) & (rights > left) & (tops < top + high) & (bottoms > top)).any())
            for left, top, wide, high in self._areas
        )

    def follow(self) -> None:
        """Frame what was framed last anew where the hall has changed so that it would be seen from elsewhere.

        A camera that somebody has moved since stays.
        """
        view = self._view
        if self._last is None or self._last[3] not in (view.pose, view.flies_to) or view.gestures.dragging:
            return
        make, stay, site, was = self._last
        pose = self._placed(make, stay, site)
        aside = float(np.linalg.norm(np.subtract(pose.centre_m, was.centre_m))) / was.distance_m
        if aside > OTHER_PLACE or abs(np.log(pose.distance_m / was.distance_m)) > OTHER_PLACE:
            self.frame(make, stay=stay, site=site, animate=True)
