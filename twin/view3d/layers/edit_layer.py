"""What is drawn over the hall while it is edited: ghost, guide lines, rubber band; the hall behind is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from vispy import gloo

from twin.arrays import Floats
from twin.view3d.base.edit_shapes import Ghost
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.backdrop import Backdrop
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.layers.ghost import GhostBodies
from twin.view3d.layers.guides import Guides
from twin.view3d.layers.rubber_band import Rect, RubberBand
from twin.view3d.place.label_texts import Names

BEHIND_S = 0.5
"""While something is dragged, the hall behind it is drawn anew at most so often when only its values change."""


class EditLayer:
    """Ghost, guides and band.

    Parameters
    ----------
    software
        Drawn by the processor: the picture of the hall is kept while things are dragged over it.
    """

    def __init__(self, software: bool) -> None:
        self._bodies, self._guides, self._band = GhostBodies(), Guides(), RubberBand()
        self.ghost = Ghost()
        self._backdrop = Backdrop() if software and Backdrop.available() else None
        self._behind_of: tuple[object, ...] = ()
        self._behind_changes = -1
        self._behind_s = -1e9

    def free(self) -> None:
        """Give back what is kept of the hall; call in a context that shares with the view's."""
        if self._backdrop is not None:
            self._backdrop.free()

    @property
    def shown(self) -> bool:
        """Return whether there is anything to draw."""
        return bool(self.ghost.boxes or self.ghost.lines or self._band.rect)

    @property
    def words_px(self) -> Floats:
        """Return left, top, right, bottom of the words that were drawn last [px]."""
        return self._guides.words_px

    @property
    def band(self) -> Rect | None:
        """Return the rubber band [logical px]."""
        return self._band.rect

    def set_ghost(self, ghost: Ghost) -> None:
        """Show this ghost instead."""
        self.ghost = ghost
        self._bodies.set_boxes(ghost.boxes)
        self._guides.set_lines(ghost.lines)

    def set_band(self, rect: Rect | None) -> None:
        """Show this band, or none."""
        self._band.rect = rect

    def lags(self, changes: int) -> bool:
        """Return whether the hall behind is older than its values, and may be drawn anew."""
        late = changes != self._behind_changes and time.monotonic() - self._behind_s >= BEHIND_S
        return self._backdrop is not None and self.shown and late

    def forget(self) -> None:
        """The hall behind is another; a context that shares with the view's is current."""
        self._behind_of = ()
        self.free()

    def paint(
        self,
        canvas: Any,
        stage: DrawContext,
        pose: CameraPose,
        scale: float,
        hall: Callable[[], None],
        changes: int,
        names: Names,
    ) -> None:
        """Draw the hall and what is over it.

        Parameters
        ----------
        canvas
            Of vispy, current.
        hall
            Draws the hall into the present buffer.
        changes
            Number of its latest change; the pose counts by itself.
        names
            Of the hall: no word is drawn over those of dimensions.
        """
        flush = canvas.context.flush_commands
        if self._backdrop is None:
            hall()
            self.draw(stage, pose, scale, names.taken_px)
            return
        wanted = (pose, stage.size_px, stage.colours)
        if wanted != self._behind_of or self.lags(changes):
            flush()
            self._backdrop.begin(stage.size_px)
            hall()
            flush()
            self._backdrop.end()
            self._behind_of, self._behind_changes, self._behind_s = wanted, changes, time.monotonic()
        flush()
        self._backdrop.over()
        gloo.set_viewport(0, 0, *stage.size_px)
        self.draw(stage, pose, scale, names.taken_px)
        flush()
        self._backdrop.show()

    def draw(self, stage: DrawContext, pose: CameraPose, scale: float, keep_clear: Floats) -> None:
        """Draw ghost, guides and band over what is there."""
        gloo.set_state(
            blend=True, blend_func=("src_alpha", "one_minus_src_alpha"), depth_test=True, depth_mask=False
        )
        self._bodies.draw(stage, scale)
        self._guides.draw(stage, pose, scale, bright=pose.flat, keep_clear=keep_clear)
        gloo.set_state(depth_test=False, cull_face=False)
        self._band.draw(stage.size_px, stage.colours.hover, scale)
        # A depth mask left off would keep the next frame's clear from reaching the depth buffer.
        gloo.set_state(depth_mask=True, blend=False, depth_test=True, cull_face=False)
