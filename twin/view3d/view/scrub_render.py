"""The hall while somebody drags through time: the camera rests, so only the GPU panels are drawn anew.

For contexts drawn by the processor: what else changes with time follows a little later, and all of it at rest.
"""

from __future__ import annotations

import time
from typing import Any

from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.gl.backdrop import Backdrop
from twin.view3d.view.scene import SceneLayers

ANEW_S = 0.5
ANEW_PICTURES = 8
"""The whole hall is drawn anew at most so often, in time and in pictures."""


class Passing:
    """Keeps the picture of a hall with its depths, and draws its panels over it.

    Parameters
    ----------
    software
        Drawn by the processor: elsewhere every picture is drawn whole.
    """

    def __init__(self, software: bool) -> None:
        self.possible, self._kept = software and Backdrop.available(), Backdrop()
        self._kept_of: tuple[object, ...] = ()
        self._pose: CameraPose | None = None
        self._drawn_s, self._pictures = 0.0, 0

    def free(self) -> None:
        """Give the kept picture back; call in a context that shares with the view's."""
        self._kept.free()

    def forget(self) -> None:
        """The hall is another; a context that shares with the view's is current."""
        self._kept_of, self._pose = (), None
        self.free()

    def rests(self, pose: CameraPose) -> bool:
        """Return whether the camera stands where it stood at the last asking, and pictures can be kept."""
        before, self._pose = self._pose, pose
        return self.possible and before == pose

    def paint(
        self,
        canvas: Any,
        scene: SceneLayers,
        pose: CameraPose,
        state: ViewState,
        size_px: tuple[int, int],
        scale: float,
    ) -> None:
        """Draw the hall as while it moves; parameters as of `SceneLayers.draw`, `canvas` of vispy and current."""
        flush = canvas.context.flush_commands
        wanted = (pose, size_px, state.theme, state.cables_by, frozenset(state.layers))
        late = time.monotonic() - self._drawn_s >= ANEW_S and self._pictures >= ANEW_PICTURES
        flush()
        self._kept.begin(size_px)
        if late or wanted != self._kept_of:
            scene.draw_behind(pose, state, size_px, moving=True)
            self._kept_of, self._drawn_s, self._pictures = wanted, time.monotonic(), 0
        else:
            scene.draw_values(pose, state, size_px)
            self._pictures += 1
        flush()
        self._kept.end()
        self._kept.over()
        scene.draw_over(pose, state, size_px, scale=scale, moving=True)
        flush()
        self._kept.show()
