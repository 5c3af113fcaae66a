"""Two halls side by side, looked at with one camera."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from twin.app.hall.compact_plates import ROOMY_PX, fewer
from twin.app.hall.legend_plate import LegendPlate
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.theme import Theme
from twin.language import tr
from twin.view3d.base.bounds import Box
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.colour.legend import Legend
from twin.view3d.place.free_room import in_room
from twin.view3d.place.presets import frame_box
from twin.view3d.view.hall_view import HallView

LAYERS = frozenset({"racks", "trays", "pipes", "labels", "building"})
_TICK_MS = 33
_EDGE_PX = 10
_SIZE_PX = (400, 400)
_SHARE = 0.94
"""Of the picture that the larger of the halls takes at first."""


class HallPane(QWidget):
    """One hall, with its title over it and a line of its own beside that.

    Attributes
    ----------
    standing
        How sure the step times of its run are; hidden until somebody says.
    said
        The line beside the title.
    legend
        Over the picture; hidden until something is shown in it.
    """

    def __init__(self, look: Look, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = HallView(ViewState(theme=look.theme.name, layers=LAYERS), size=_SIZE_PX)
        self.view.native.setAccessibleName(tr("Hall in 3D: {title}", title=title))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        self.title, self.said = label(title, "value"), label("", "muted")
        self.standing = StandingBadge()
        head.addWidget(self.title, 1)
        head.addWidget(self.standing)
        head.addWidget(self.said)
        nest(column, head)
        column.addWidget(self.view.native, 1)
        self.legend = LegendPlate(look, self)
        self.legend.hide()
        self._whole: Legend | None = None

    def show_legend(self, legend: Legend) -> None:
        """Show what the colours mean, in the corner of the picture."""
        self._whole = legend
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the legend in its corner."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        if self._whole is None:
            return
        picture, plate = self.view.native.geometry(), self.legend
        small = picture.width() * picture.height() < ROOMY_PX
        plate.show_legend(fewer(self._whole) if small else self._whole, small=small)
        x, y = _EDGE_PX, picture.height() - plate.height() - _EDGE_PX
        plate.move(picture.left() + x, picture.top() + y)
        plate.raise_()
        areas = [(float(x), float(y), float(plate.width()), float(plate.height()))]
        self.view.keep_clear(areas)
        self.view.framing.keep(areas, anew=False)


class LinkedHalls(QWidget):
    """Draws two halls, each with a context of its own, until `close_views`; moving in one moves the other.

    Parameters
    ----------
    titles
        Over the left and the right one.
    """

    def __init__(self, look: Look, titles: tuple[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.panes = [HallPane(look, title, self) for title in titles]
        self.views = [pane.view for pane in self.panes]
        for pane in self.panes:
            row.addWidget(pane, 1)
            # What the overview is laid out for, until the window gives it a place: of no size nothing is in sight.
            pane.view.native.resize(*_SIZE_PX)
        self._linked: CameraPose | None = None
        self.laid_out: tuple[CameraPose, QSize] | None = None  # the overview, until somebody moves the camera
        look.changed.connect(self._on_theme)
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self.tick)
        self._ticker.start()

    def fly_to(self, things: Sequence[str]) -> None:
        """Frame things in both halls; those that stand in one only are framed there, and the other follows."""
        for view in reversed(self.views):
            if any(view.standing(id) is not None for id in things):
                view.frame(list(things))
                return

    def tick(self) -> None:
        """Advance both, and let the one that was not moved follow the other."""
        self._lay_out()
        now_s = time.monotonic()
        for view in self.views:
            view.tick(now_s)
        moved = next((view for view in self.views if view.pose != self._linked), None)
        if moved is None:
            return
        self._linked = moved.pose
        for view in self.views:
            if view.pose != moved.pose:
                view.look(moved.pose)

    def link(self) -> None:
        """Look at both halls from the same place from now on, which shows each of them whole."""
        right = self.views[-1]
        self._linked = self._whole(right.pose)
        self.laid_out = self._linked, right.native.size()
        for view in self.views:
            view.look(self._linked)

    def _whole(self, pose: CameraPose) -> CameraPose:
        """Return the pose from which both halls are seen to their ends; the overview of one is for that one alone."""
        boxes = [box for view in self.views for box in _indoors(view)]
        if not boxes:
            return pose
        ends = np.array(boxes, float)
        view = self.views[-1]
        room = view.framing.room
        framed = frame_box(pose, ends[:, 0].min(axis=0), ends[:, 1].max(axis=0), room.aspect, _SHARE)
        return in_room(framed, view.size(), room)

    def _lay_out(self) -> None:
        """Fit the overview to the new size of the halls, as long as nothing else is framed."""
        if self.laid_out is None:
            return
        (pose, size), right = self.laid_out, self.views[-1]
        if any(view.pose != pose for view in self.views):
            self.laid_out = None
        elif right.native.size() != size:
            right.preset("overview", animate=False)
            self.link()

    def close_views(self) -> None:
        """Free both contexts; harmless when done."""
        self._ticker.stop()
        self._look.changed.disconnect(self._on_theme, missing_ok=True)
        for pane in self.panes:
            pane.legend.let_go()
            pane.view.close()

    def _on_theme(self, theme: Theme) -> None:
        for view in self.views:
            view.state.theme = theme.name


def _indoors(view: HallView) -> list[Box]:
    """Return the boxes of the racks of a hall, and of what cools them."""
    if view.plant is None:
        return []
    ids = (id for id, (kind, _) in view.plant.slots.items() if kind in ("rack", "loop"))
    return [box for id in ids if (box := view.standing(id)) is not None]
