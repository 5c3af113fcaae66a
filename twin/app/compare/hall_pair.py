"""Two halls of a comparison side by side: what came is green, what went red, what is another amber."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from twin.app.compare.scene_comparison import SceneComparison
from twin.app.hall.twin_view import LinkedHalls
from twin.app.toolkit.look import Look
from twin.language import tr
from twin.view3d.base.edit_shapes import Ghost, GhostBox, Tone
from twin.view3d.view.hall_view import HallView

TONE: dict[str, Tone] = {"added": "good", "removed": "bad", "changed": "warn"}
MOST_MARKS = 1500
"""Things that are marked at once; the list tells of all."""
_SWELL_M = 0.03


class HallPair(LinkedHalls):
    """Draws both halls of a comparison, each with a context of its own, until `close_views`.

    Parameters
    ----------
    titles
        Of the scene before and after.
    """

    def __init__(
        self, look: Look, comparison: SceneComparison, titles: tuple[str, str], parent: QWidget
    ) -> None:
        super().__init__(
            look, (tr("Before: {titles}", titles=titles[0]), tr("After: {titles}", titles=titles[1])), parent
        )
        for view, scene in zip(self.views, (comparison.before, comparison.after), strict=True):
            view.set_plant(scene.plant)
        self.link()
        self._tones = {id: TONE[change] for id, change in comparison.things.items()}
        self._mark(self._tones)

    def point_at(self, things: Sequence[str], change: str) -> None:
        """Fly to what a difference is about; a single thing is marked, be it a node in a rack that is as it was."""
        self._mark({id: TONE[change] for id in things if len(things) == 1} | self._tones)
        self.fly_to(things)

    def _mark(self, tones: Mapping[str, Tone]) -> None:
        for view in self.views:
            view.edit.show_ghost(marks(view, tones))


def marks(view: HallView, tones: Mapping[str, Tone]) -> Ghost:
    """Return boxes a little larger than things of a hall, each in its tone; those that stand elsewhere have none."""
    made = []
    for id, tone in list(tones.items())[:MOST_MARKS]:
        box = view.standing(id)
        if box is not None:
            low, high = (np.asarray(end, float) for end in box)
            made.append(GhostBox(_place(low - _SWELL_M), _place(high + _SWELL_M), tone))
    return Ghost(tuple(made))


def _place(corner: np.ndarray) -> tuple[float, float, float]:
    return float(corner[0]), float(corner[1]), float(corner[2])
