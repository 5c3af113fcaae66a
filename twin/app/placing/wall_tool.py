"""*Edit > Building > Add a wall*: two clicks on the floor make a wall between them."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

from twin.app.session.editor import Editor
from twin.commands.place.building import SHORTEST_M, AddInnerWall
from twin.language import tr
from twin.scenario.generators.wall_line import WallLine
from twin.scenario.schema.building import InnerWall
from twin.view3d.base.edit_shapes import Ghost, GuideLine
from twin.view3d.view.hall_view import HallView
from twin.view3d.view.measure_point import measure_point

Place = tuple[float, float]
_HALF_M = float(InnerWall.model_fields["thickness_m"].default) / 2
_PLACES = 1
"""Ends are drawn to places of so many decimals [m], where no corner is near."""
_STRAIGHT = 0.03
"""A wall that leaves the direction of the rows by less of its length runs along or across them."""


class WallTool(QObject):
    """Takes the pointer of a view for two clicks.

    Parameters
    ----------
    hall_at
        Returns the hall that a place of the floor is of.
    tell
        Shows a sentence in the status bar.

    Attributes
    ----------
    start
        The end that was clicked; None: none yet.
    """

    def __init__(
        self, editor: Editor, view: HallView, hall_at: Callable[[Place], str], tell: Callable[[str], None]
    ) -> None:
        super().__init__(view.native)
        self._editor, self._view, self._hall_at, self._tell = editor, view, hall_at, tell
        self.start: Place | None = None
        view.native.installEventFilter(self)

    @property
    def active(self) -> bool:
        """Return whether it takes the pointer."""
        return self._view.pointing.tool is self

    def begin(self, start: Place | None = None) -> None:
        """Take the pointer, with one end already at a place where one is said."""
        for _ in range(3):  # what another tool has begun is taken back first
            if self._view.pointing.tool is not None:
                self._view.pointing.tool.back()
        self.start, self._view.pointing.tool = start, self
        self._view.state.hovered = None
        self._view.native.setCursor(Qt.CursorShape.CrossCursor)
        self._view.native.setFocus()
        self._say()

    def end(self) -> None:
        """Give the pointer back; harmless when it was not taken."""
        if self.active:
            self.start, self._view.pointing.tool = None, None
            self._view.native.unsetCursor()
            self._view.edit.show_ghost()
            self._tell("")

    def back(self) -> None:
        """Take back the first click, else end."""
        if self.start is None:
            self.end()
        else:
            self.start = None
            self._view.edit.show_ghost()
            self._say()

    def hover(self, x: float, y: float) -> None:
        """Show the wall as it would be."""
        at = self._place(x, y)
        if at is None or self.start is None:
            self._view.edit.show_ghost()
            return
        long_m = math.dist(self.start, at)
        self._view.edit.show_ghost(Ghost((), _outline(self.start, at, f"{long_m:,.2f} m")))
        self._tell(tr("Wall of {length:,.2f} m: click where it ends; Esc goes back", length=long_m))

    def click(self, x: float, y: float) -> None:
        """Take an end; with the second one the wall stands."""
        at = self._place(x, y)
        if at is None:
            return
        if self.start is None:
            self.start = at
            self._say()
        elif math.dist(self.start, at) >= SHORTEST_M:  # a double click ends no wall where it began
            start, hall = self.start, self._hall_at(self.start)
            self.end()
            self._editor.do(AddInnerWall(hall, start, at))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Escape while it is active."""
        if not self.active or not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it is no shortcut now: it comes again as a key
        elif event.type() == QEvent.Type.KeyPress:
            self.back()
        return True

    def _say(self) -> None:
        self._tell(
            tr("Wall: click where it starts; Esc ends")
            if self.start is None
            else tr("Wall: click where it ends; Esc goes back")
        )

    def _place(self, x: float, y: float) -> Place | None:
        """Return the place of the floor that is meant: a corner near the pointer, else one of whole decimetres."""
        free = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.AltModifier)
        point = None if free else measure_point(self._view, x, y)
        if point is not None and point.end.at is not None and point.end.id:
            return point.at_m[0], point.at_m[1]
        floor = self._view.edit.floor_at(x, y)
        if floor is None or free:
            return floor
        at = round(floor[0], _PLACES), round(floor[1], _PLACES)
        return at if self.start is None else _straight(self.start, at)


def _straight(start: Place, at: Place) -> Place:
    """Return an end that lies along or across the rows from the start, where it nearly does."""
    across_x, across_y = abs(at[0] - start[0]), abs(at[1] - start[1])
    if across_y < _STRAIGHT * across_x:
        return at[0], start[1]
    return (start[0], at[1]) if across_x < _STRAIGHT * across_y else at


def _outline(start: Place, stop: Place, words: str) -> tuple[GuideLine, ...]:
    """Return the outline of a wall on the floor, and its length in its middle."""
    line = WallLine(start, stop)
    corners = [(*corner, 0.0) for corner in line.quad(0.0, line.long_m, -_HALF_M, _HALF_M)]
    sides = [GuideLine(a, b, "live") for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    return (GuideLine((*start, 0.0), (*stop, 0.0), "live", words), *sides)
