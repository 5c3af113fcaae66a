"""Outlines of what is selected, hovered or on a traced path, and of selected cables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vispy import gloo

from twin.arrays import Floats
from twin.view3d.base.bounds import Box
from twin.view3d.base.highlight import PATHS
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.outline import Outline


class ThingOutlines:
    """Draws ribbons round things, over the hall."""

    def __init__(self) -> None:
        self._selected, self._hovered, self._cables = Outline(), Outline(), Outline()
        self._paths = {name: Outline() for name, _ in PATHS}

    def mark(self, selected: Sequence[Box], hovered: Box | None, cables: tuple[Floats, Floats]) -> None:
        """Choose what is selected and hovered; cables by where their pieces begin and end, (n, 3) each [m]."""
        self._selected.set_boxes(selected)
        self._hovered.set_boxes([hovered] if hovered else [])
        self._cables.set_lines(*cables)

    def trace(self, boxes: Mapping[str, Sequence[Box]]) -> None:
        """Choose what is outlined of each of `PATHS`; nothing of those that are left out."""
        for name, outline in self._paths.items():
            outline.set_boxes(boxes.get(name, ()))

    def draw(self, stage: DrawContext, scale: float) -> None:
        """Draw with blending on, culling and depth writing off; `scale`: physical pixels per logical one."""
        colours = stage.colours
        for name, rgb in PATHS:
            self._paths[name].draw(stage, rgb, 0.95, 4.5 * scale)
        self._hovered.draw(stage, colours.hover, 0.95, 4.0 * scale)
        self._selected.draw(stage, colours.outline, 1.0, 5.5 * scale)
        gloo.set_state(depth_test=False)
        self._selected.draw(stage, colours.outline, 0.25, 3.5 * scale)
        self._cables.draw(stage, colours.outline, 0.55, 2.2 * scale)
