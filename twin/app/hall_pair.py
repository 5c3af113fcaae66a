"""Two halls side by side, looked at with one camera; what came is green, what went red, what is another amber."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from twin.app.comparison import Comparison
from twin.app.look import Look, label
from twin.app.theme import Theme
from twin.view3d.edit_shapes import Ghost, GhostBox, Tone
from twin.view3d.hall_view import HallView
from twin.view3d.state import CameraPose, ViewState

TONE: dict[str, Tone] = {"added": "good", "removed": "bad", "changed": "warn"}
MOST_MARKS = 1500
"""Things that are marked at once; the list tells of all."""
_TICK_MS = 33
_LAYERS = frozenset({"racks", "trays", "pipes", "labels"})
_SWELL_M = 0.03


class HallPair(QWidget):
    """Draws both halls of a comparison, each with a context of its own, until `close_views`.

    Parameters
    ----------
    titles
        Of the scene before and after.
    """

    def __init__(self, look: Look, comparison: Comparison, titles: tuple[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._comparison = look, comparison
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.views: list[HallView] = []
        for title in titles:
            view = HallView(ViewState(theme=look.theme.name, layers=_LAYERS), size=(400, 400))
            view.native.setAccessibleName(f"Hall in 3D: {title}")
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(label(title, "value"))
            column.addWidget(view.native, 1)
            row.addLayout(column, 1)
            self.views.append(view)
        self._linked: CameraPose | None = None
        self._fill()
        look.changed.connect(self._on_theme)
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self.tick)
        self._ticker.start()

    def fly_to(self, things: Sequence[str]) -> None:
        """Frame things in both halls; those that stand in one only are framed there, and the other follows."""
        for view in reversed(self.views):
            if any(view.standing(thing) is not None for thing in things):
                view.frame(list(things))
                return

    def tick(self) -> None:
        """Advance both, and let the one that was not moved follow the other."""
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

    def close_views(self) -> None:
        """Free both contexts; harmless when done."""
        self._ticker.stop()
        self._look.changed.disconnect(self._on_theme, missing_ok=True)
        for view in self.views:
            view.close()

    def _fill(self) -> None:
        scenes = (self._comparison.before, self._comparison.after)
        for view, scene in zip(self.views, scenes, strict=True):
            view.set_plant(scene.plant)
        self._linked = self.views[-1].pose
        self.views[0].look(self._linked)
        for view in self.views:
            view.edit.show_ghost(Ghost(tuple(self._marks(view))))

    def _marks(self, view: HallView) -> list[GhostBox]:
        made = []
        for thing, change in list(self._comparison.things.items())[:MOST_MARKS]:
            box = view.standing(thing)
            if box is not None:
                low, high = (np.asarray(end, float) for end in box)
                made.append(GhostBox(_place(low - _SWELL_M), _place(high + _SWELL_M), TONE[change]))
        return made

    def _on_theme(self, theme: Theme) -> None:
        for view in self.views:
            view.state.theme = theme.name


def _place(corner: np.ndarray) -> tuple[float, float, float]:
    return float(corner[0]), float(corner[1]), float(corner[2])
