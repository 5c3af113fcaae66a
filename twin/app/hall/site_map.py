"""The site from above, small, over the hall: its halls and rows in their colours, and where the camera stands."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from twin.app.hall.overlay import Plate
from twin.app.toolkit.look import Look
from twin.arrays import Bytes, Floats
from twin.language import tr
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import TileLevel
from twin.view3d.place.free_shape import site_floors
from twin.view3d.view.hall_view import HallView

_WIDE_PX, _HIGH_PX, _LEAST_PX, _PAD = 236.0, 150.0, 44.0, 10.0
_SMALL_SHARE = 0.7
"""A map of a small view is so much as wide and high as others."""
_FLOOR_ALPHA = 70
_SIGHT_PX = 40.0
"""How far the cone of sight reaches on the map."""
_DOT_PX = 3.5
"""Radius of the mark on a row with failed GPUs."""


class SiteMap(Plate):
    """An overview of sites of several halls: a click on a hall chooses it and flies there."""

    def __init__(self, look: Look, view: HallView, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, False)
        self.setAccessibleName(tr("Site map"))
        self.setToolTip(tr("Click a hall to go there"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._view = view
        self._shown: tuple[object, ...] = ()
        self._looked: tuple[CameraPose, tuple[float, float], Plant] | None = None
        self._whole = False
        self._low, self._px_per_m = np.zeros(2), 1.0
        self.hide()

    @property
    def wanted(self) -> bool:
        """Return whether there is more than one hall to find one's way between."""
        return self._view.plant is not None and len(self._halls) > 1

    @property
    def shows_nothing_new(self) -> bool:
        """Return whether all floors of the site are in the picture anyway."""
        view, looked = self._view, self._looked
        plant, pose, size = view.plant, view.pose, view.size()
        if plant is None or (looked is not None and looked[2] is plant and looked[:2] == (pose, size)):
            return self._whole
        self._looked, (width, height) = (pose, size, plant), size
        x, y, depth = camera.project(pose, site_floors(plant), width, height).T
        self._whole = bool(((depth > 0) & (x > 0) & (x < width) & (y > 0) & (y < height)).all())
        return self._whole

    @property
    def _halls(self) -> list[int]:
        places = self._view.scene.tiles.places
        slots: list[int] = places.slot[places.at(TileLevel.HALL)].tolist()
        return slots

    def take_site(self, small: bool) -> None:
        """Lay the map out for the site in the view, smaller where that is `small`."""
        plant = self._view.plant
        if plant is None or not self.wanted:
            return
        halls = self._halls
        low = np.array([plant.halls.x0_m[halls].min(), plant.halls.y0_m[halls].min()])
        size = np.array([plant.halls.x1_m[halls].max(), plant.halls.y1_m[halls].max()]) - low
        most = np.array([_WIDE_PX, _HIGH_PX]) * (_SMALL_SHARE if small else 1.0) - 2 * _PAD
        scale = float((most / size).min())
        wide, high = size * scale + 2 * _PAD
        self.fit(max(wide, _LEAST_PX), max(high, _LEAST_PX))
        self._px_per_m = scale
        self._low = low - (np.array([self.room.width(), self.room.height()]) / scale - size) / 2

    def follow(self) -> None:
        """Paint anew where the camera or the values are others."""
        shown = self._view.pose, self._view.scene.tile_values, self._view.state.theme
        if self.isVisible() and any(
            a is not b for a, b in zip(shown, self._shown or (None,) * 3, strict=True)
        ):
            self._shown = shown
            self.update()

    def hall_at(self, x: float, y: float) -> str | None:
        """Return the id of the hall under a place of the widget [px]; None where there is none."""
        plant = self._view.plant
        if plant is None:
            return None
        at_x, at_y = self._place_m(x, y)
        for slot in self._halls:
            halls = plant.halls
            if halls.x0_m[slot] <= at_x <= halls.x1_m[slot] and halls.y0_m[slot] <= at_y <= halls.y1_m[slot]:
                return halls.ids[slot]
        return None

    def point_of(self, x_m: float, y_m: float) -> QPointF:
        """Return where a place of the site is on the map, laid out for the usual size of text."""
        x, y = (np.array([x_m, y_m]) - self._low) * self._px_per_m
        return QPointF(float(x), self.room.height() - float(y))

    def _place_m(self, x: float, y: float) -> tuple[float, float]:
        at = np.array([x / self.scale, self.room.height() - y / self.scale]) / self._px_per_m + self._low
        return float(at[0]), float(at[1])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the hall that is pointed at."""
        place = event.position()
        hall = self.hall_at(place.x(), place.y())
        if hall is not None:
            self._view.state.selection = (hall,)
            self._view.fly_to(hall)
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint floors, rows and the camera."""
        painter = QPainter(self)
        self.paint_plate(painter)
        plant, scene = self._view.plant, self._view.scene
        if plant is None or scene.tile_values is None:
            return
        painter.setClipRect(self.room)
        places, (rgb, shares), failed = scene.tiles.places, scene.tiles.bands, scene.tile_values.failed
        halls, chosen = plant.halls, self._view.state.selection
        for tile in places.at(TileLevel.HALL).tolist():
            slot = int(places.slot[tile])
            ends = halls.x0_m[slot], halls.y0_m[slot], halls.x1_m[slot], halls.y1_m[slot]
            self._paint_bands(painter, self._rect(*map(float, ends)), rgb[tile], shares[tile], _FLOOR_ALPHA)
            edge = self.look.theme.accent if halls.ids[slot] in chosen else self.look.theme.border
            painter.setPen(QPen(QColor(edge), 1.5 if halls.ids[slot] in chosen else 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self._rect(*map(float, ends)))
        for tile in places.at(TileLevel.ROW).tolist():
            low, high = places.low[tile], places.high[tile]
            rect = self._rect(float(low[0]), float(low[1]), float(high[0]), float(high[1]))
            self._paint_bands(painter, rect, rgb[tile], shares[tile], 255)
            if failed[tile]:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(self.look.theme.alarm))
                painter.drawEllipse(rect.center(), _DOT_PX, _DOT_PX)
        self._paint_camera(painter)

    def _rect(self, x0: float, y0: float, x1: float, y1: float) -> QRectF:
        return QRectF(self.point_of(x0, y1), self.point_of(x1, y0))

    def _paint_bands(self, painter: QPainter, rect: QRectF, rgb: Bytes, shares: Floats, alpha: int) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if not shares.any():
            bare = QColor(self.look.theme.faint)
            bare.setAlpha(alpha)
            painter.fillRect(rect, bare)
        left = rect.left()
        for colour, share in zip(rgb.tolist(), shares.tolist(), strict=True):
            wide = share * rect.width()
            red, green, blue = (int(part) for part in colour)
            painter.fillRect(QRectF(left, rect.top(), wide, rect.height()), QColor(red, green, blue, alpha))
            left += wide

    def _paint_camera(self, painter: QPainter) -> None:
        """Paint where the eye is, held at the edge where it is outside, and the cone it sees."""
        pose = self._view.pose
        eye = camera.eye_m(pose)
        at = self.point_of(float(eye[0]), float(eye[1]))
        inner = self.room.adjusted(6, 6, -6, -6)
        at.setX(min(max(at.x(), inner.left()), inner.right()))
        at.setY(min(max(at.y(), inner.top()), inner.bottom()))
        colour = QColor(self.look.theme.text)
        painter.setPen(QPen(colour, 1.2))
        painter.setBrush(colour)
        if not pose.flat and pose.elevation_deg < 80:
            aspect = self._view.size()[0] / self._view.size()[1]
            half = np.arctan(np.tan(np.radians(pose.fov_deg / 2)) * aspect)
            ahead = np.radians(pose.azimuth_deg) + np.pi
            ways = [ahead - half, ahead + half]
            ends = [at + QPointF(np.cos(way), -np.sin(way)) * _SIGHT_PX for way in ways]
            cone = QColor(colour)
            cone.setAlpha(46)
            painter.setBrush(cone)
            painter.drawPolygon(QPolygonF([at, *ends]))
            painter.setBrush(colour)
        painter.drawEllipse(at, 3.0, 3.0)
