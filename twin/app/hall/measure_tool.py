"""*View > Measure*: two clicks on things or points make a dimension, which sticks to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QWidget

from twin.app.hall.overlay import HoverPlate
from twin.app.toolkit.look import Look
from twin.arrays import Floats
from twin.language import tr
from twin.view3d.base import camera
from twin.view3d.base.dimension import (
    MOST_DIMENSIONS,
    DimensionEnd,
    HallDimension,
    dimension_lines,
    length_words,
    measure,
    ways_to_measure,
)
from twin.view3d.base.edit_shapes import Ghost, GhostBox, GuideLine, Place
from twin.view3d.place.building_parts import wall_of
from twin.view3d.view.hall_view import HallView
from twin.view3d.view.measure_point import MeasurePoint, measure_point, measured_plane

_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Delete, Qt.Key.Key_Tab, Qt.Key.Key_Backspace)
_NEAR_PX = 5.0
"""A click so near a dimension chooses it."""
_MARK_PX = 7.0
_WAYS = {"x": tr("along x"), "y": tr("along y"), "z": tr("in height")}


class MeasureTool(QObject):
    """Takes the pointer of a view until it ends.

    Parameters
    ----------
    host
        The panel that shows the view; the plate with the length floats over it.
    place
        Puts that plate beside a place of the host.

    Attributes
    ----------
    active
        Whether it takes the pointer.
    first
        The end that was clicked; None: none yet.
    """

    told = Signal(str)

    def __init__(
        self, look: Look, view: HallView, host: QWidget, place: Callable[[QWidget, QPoint], None]
    ) -> None:
        super().__init__(host)
        self._view, self._state = view, view.state
        self.plate, self._place_plate = HoverPlate(look, host), place
        self.active = False
        self.first: MeasurePoint | None = None
        self._turns = 0  # how often another way to measure was asked for
        self._at: tuple[float, float] | None = None
        view.native.installEventFilter(self)

    # -- beginning and ending ----

    def toggle(self) -> None:
        """Begin, or end; with two things selected, measure between them at once."""
        if self.active:
            self.end()
        elif not self._between(self._state.selection):
            self.active, self._view.pointing.tool = True, self
            self._state.hovered = None
            self._view.hovered.emit(None)
            self._view.native.setCursor(Qt.CursorShape.CrossCursor)
            self._view.native.setFocus()
            self.told.emit(tr("Measure: click two things, corners or places; Esc ends"))

    def end(self) -> None:
        """Give the pointer back; harmless when it was not taken."""
        if not self.active:
            return
        self.active, self._view.pointing.tool = False, None
        self._at, self._state.dimension_chosen = None, -1
        self._view.native.unsetCursor()
        self._forget()
        self.told.emit("")

    def forget(self) -> None:
        """The hall is another: nothing was clicked in it yet."""
        if self.active:
            self._forget()

    def _forget(self) -> None:
        self.first, self._turns = None, 0
        self.plate.hide()
        self._view.edit.show_ghost()

    def back(self) -> None:
        """Take back the first click, else the choice of a dimension, else end."""
        if self.first is not None:
            self._forget()
        elif self._state.dimension_chosen >= 0:
            self._state.dimension_chosen = -1
        else:
            self.end()

    # -- pointer ----

    def hover(self, x: float, y: float) -> None:
        """Show what would be measured."""
        self._at = (x, y)
        point = self._point(x, y)
        if point is None:
            self.plate.hide()
            self._view.edit.show_ghost()
            return
        made = None if self.first is None else self._made(self.first.end, point.end)
        boxes = [each for each in (self.first, point) if each is not None and each.whole]
        lines = self._mark(point) if not point.whole else []
        if made is not None:
            lines += dimension_lines(made, self._view.part_box, "live")
        elif self.first is not None and not self.first.whole:
            lines += self._mark(self.first)
        self._view.edit.show_ghost(Ghost(tuple(map(_ghost_box, boxes)), tuple(lines)))
        at = QPoint(round(x), round(y)) + self._view.native.pos()
        self.plate.show_text(*self._words(point, made), at)
        self._place_plate(self.plate, at)
        self.plate.raise_()

    def click(self, x: float, y: float) -> None:
        """Take an end, or choose the dimension that is there."""
        chosen = -1 if self.first is not None else self._dimension_at(x, y)
        self._state.dimension_chosen = chosen
        point = self._point(x, y)
        if chosen >= 0:
            self.told.emit(tr("Delete removes this dimension"))
        elif self.first is None:
            self.first, self._turns = point, 0
            self.hover(x, y)
        elif point is not None:
            made = self._made(self.first.end, point.end)
            if made is None:
                self.told.emit(tr("There is nothing between these two: they touch or overlap"))
            else:
                self._forget()
                self._keep(made)

    def turn(self) -> None:
        """Measure along another axis."""
        self._turns += 1
        if self._at is not None:
            self.hover(*self._at)

    def delete(self) -> None:
        """Remove the chosen dimension, else the last one."""
        kept, chosen = self._state.dimensions, self._state.dimension_chosen
        if not kept:
            self.told.emit(tr("There are no dimensions"))
            return
        gone = chosen if chosen >= 0 else len(kept) - 1
        self._state.dimension_chosen = -1
        self._state.dimensions = (*kept[:gone], *kept[gone + 1 :])
        self.told.emit(tr("Dimension removed"))

    def clear(self) -> None:
        """Remove all dimensions."""
        self._state.dimension_chosen = -1
        self._state.dimensions = ()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that mean something while it measures, and hide the plate when the pointer leaves."""
        if not self.active:
            return False
        if event.type() == QEvent.Type.Leave:
            self._at = None
            self.plate.hide()
        if not isinstance(event, QKeyEvent) or event.key() not in _KEYS:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it is no shortcut now: it comes again as a key
        elif event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.back()
            elif event.key() == Qt.Key.Key_Tab:
                self.turn()
            else:
                self.delete()
        return True

    # -- what it comes to ----

    def _point(self, x: float, y: float) -> MeasurePoint | None:
        free = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.AltModifier)
        return measure_point(self._view, x, y, free)

    def _made(self, start: DimensionEnd, stop: DimensionEnd) -> HallDimension | None:
        ways = ways_to_measure(start, stop, measured_plane(self._view.pose), self._view.part_box)
        return HallDimension(start, stop, ways[self._turns % len(ways)]) if ways else None

    def _between(self, ids: Sequence[str]) -> bool:
        """Measure between two selected things; return whether it was done."""
        if len(ids) != 2:
            return False
        self._turns = 0
        made = self._made(*(DimensionEnd(id) for id in ids))
        if made is not None:
            self._keep(made)
        return made is not None

    def _keep(self, made: HallDimension) -> None:
        kept = self._state.dimensions
        found = measure(made, self._view.part_box)
        if len(kept) >= MOST_DIMENSIONS:
            self.told.emit(
                tr("A scene holds at most {most:,} dimensions: remove one first", most=MOST_DIMENSIONS)
            )
        elif found is not None:
            rest = [each for each in kept if not _same(each, made)]
            self._state.dimensions = (*rest, made)
            self.told.emit(f"{self._ends(made)}: {length_words(found.length_m)}")

    def _dimension_at(self, x: float, y: float) -> int:
        """Return the place of the dimension whose line is there; -1: none."""
        found, near = -1, _NEAR_PX
        for place, dimension in enumerate(self._state.dimensions):
            for line in dimension_lines(dimension, self._view.part_box, "ink")[:1]:
                ends = camera.project(self._view.pose, np.array([line.start, line.stop]), *self._view.size())
                if ends[:, 2].min() <= 0:
                    continue
                away = _from_segment(np.array([x, y]), ends[0, :2], ends[1, :2])
                if away <= near:
                    found, near = place, away
        return found

    def _mark(self, point: MeasurePoint) -> list[GuideLine]:
        """Return a cross at a point, as large on screen from anywhere."""
        pose, at = self._view.pose, np.array(point.at_m)
        right, up, back = camera.axes(pose)
        away_m = float((camera.eye_m(pose) - at) @ back)
        half_m = _MARK_PX / camera.px_per_m(pose, away_m, self._view.size()[1])
        return [
            GuideLine(_place(at - way * half_m), _place(at + way * half_m), "live") for way in (right, up)
        ]

    def _words(self, point: MeasurePoint, made: HallDimension | None) -> tuple[str, str]:
        x, y, z = point.at_m
        where = "   ".join(
            f"{name} {value:,.2f} m"
            for name, value in (("x", x), ("y", y), ("z", z))
            if name in measured_plane(self._view.pose)
        )
        what = self._end_words(point.end)
        if self.first is None:
            return what, where
        if made is None:
            return what, tr("nothing in between")
        found = measure(made, self._view.part_box)
        length = length_words(found.length_m) if found is not None else ""
        clear = self.first.whole and point.whole and made.start != made.stop
        kind = tr("clear distance") if clear else tr("distance")
        way = _WAYS.get(made.along, tr("straight"))
        return length, tr("{kind} {way}   Tab: another way", kind=kind, way=way)

    def _end_words(self, end: DimensionEnd) -> str:
        """Return what an end is: a thing, a corner or the middle of an edge of it, or a place of the hall."""
        plant = self._view.plant
        wall = None if plant is None else wall_of(plant, end.id)
        id = end.id if wall is None else tr("wall {number} of {hall}", number=wall[0], hall=wall[1])
        if not id or end.at is None:
            return id[:1].upper() + id[1:] if wall is not None else id or tr("Place")
        return tr("Edge of {id}", id=id) if 0.5 in end.at else tr("Corner of {id}", id=id)

    def _ends(self, dimension: HallDimension) -> str:
        names = [self._end_words(end) for end in (dimension.start, dimension.stop)]
        return names[0] if dimension.start == dimension.stop else " \N{EN DASH} ".join(names)


def _same(dimension: HallDimension, other: HallDimension) -> bool:
    return dimension in (other, replace(other, start=other.stop, stop=other.start))


def _ghost_box(point: MeasurePoint) -> GhostBox:
    assert point.box is not None
    return GhostBox(_place(point.box[0]), _place(point.box[1]), "plain")


def _place(point: Floats) -> Place:
    return float(point[0]), float(point[1]), float(point[2])


def _from_segment(
    point: Floats,
    start: Floats,
    stop: Floats,
) -> float:
    """Return how far a point is from a line between two others [px]."""
    way = stop - start
    share = float(np.clip((point - start) @ way / max(float(way @ way), 1e-9), 0.0, 1.0))
    return float(np.linalg.norm(point - start - way * share))
