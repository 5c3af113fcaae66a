"""Lines with words: why a thing stands where it does, how far from its neighbours, and dimensions that are kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vispy import gloo

from twin.arrays import Floats
from twin.view3d.base import camera
from twin.view3d.base.edit_shapes import TONES, GuideLine, Tone
from twin.view3d.base.label_layout import place_along
from twin.view3d.base.palette import Rgb
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.labels import LabelLayer
from twin.view3d.gl.outline import Outline

TICK_PX = 6.0
"""Half the bar at the end of a distance [logical px]."""
_TONES_OF_WORDS: dict[Tone, int] = {"warn": 1, "bad": 2}


class Guides:
    """Draws lines and words; made once, given others at every move."""

    def __init__(self) -> None:
        self._lines: tuple[GuideLine, ...] = ()
        self._ribbons: dict[Tone, Outline] = {}
        self._stroked_for: tuple[object, ...] = ()
        self._labels = LabelLayer()
        self._atlas_of: tuple[object, ...] = ()
        self.words_px = np.zeros((0, 4))  # left, top, right, bottom of the words drawn last [px]

    @property
    def shown(self) -> bool:
        """Return whether there is anything to draw."""
        return bool(self._lines)

    def set_lines(self, lines: Sequence[GuideLine]) -> None:
        """Show these lines instead."""
        self._lines, self._stroked_for, self.words_px = tuple(lines), (), np.zeros((0, 4))
        if not lines:  # what they were drawn with is free for others
            for ribbon in self._ribbons.values():
                ribbon.set_lines(np.zeros((0, 3)), np.zeros((0, 3)))

    def draw(
        self,
        stage: DrawContext,
        pose: CameraPose,
        scale: float,
        *,
        bright: bool = False,
        larger: float = 1.0,
        keep_clear: Floats | None = None,
    ) -> None:
        """Draw with blending on and depth writing off, over everything but brighter where nothing is before it.

        Parameters
        ----------
        bright
            As if nothing ever were before it.
        larger
            Size of the words beside the usual one.
        keep_clear
            Rectangles (left, top, right, bottom) where no word may be [px].
        """
        if not self._lines:
            return
        self._stroke(stage, pose, scale)
        passes = ((False, 0.35, 2.0), (True, 0.95, 3.2))
        for depth, alpha, width in passes if not bright else ((False, 0.95, 3.0),):
            gloo.set_state(depth_test=depth)
            for tone, ribbon in self._ribbons.items():
                ribbon.draw(stage, _colour(tone, stage), alpha, width * scale)
        labelled = [line for line in self._lines if line.text]
        if labelled:
            self._draw_words(labelled, stage, pose, scale * larger, keep_clear)

    def _stroke(self, stage: DrawContext, pose: CameraPose, scale: float) -> None:
        """Make the strokes as they are seen from here: the bars at the ends are as large from afar."""
        wanted = (pose, stage.size_px, scale)
        if wanted == self._stroked_for:
            return
        self._stroked_for = wanted
        by_tone: dict[Tone, list[tuple[Floats, Floats]]] = {tone: [] for tone in self._ribbons}
        for line in self._lines:
            by_tone.setdefault(line.tone, []).extend(_strokes(line, pose, stage.size_px[1], scale))
        for tone, strokes in by_tone.items():
            points = np.array(strokes, np.float64).reshape(-1, 2, 3)
            self._ribbons.setdefault(tone, Outline()).set_lines(points[:, 0], points[:, 1])

    def _draw_words(
        self,
        lines: list[GuideLine],
        stage: DrawContext,
        pose: CameraPose,
        scale: float,
        keep_clear: Floats | None,
    ) -> None:
        wanted = (stage.colours, scale, tuple((line.text, line.tone) for line in lines))
        if wanted != self._atlas_of:
            tones = [_TONES_OF_WORDS.get(line.tone, 0) for line in lines]
            self._labels.write([line.text for line in lines], stage.colours, scale, tones)
            self._atlas_of = wanted
        ends = np.array([(line.start, line.stop) for line in lines], float)
        points = camera.project(pose, ends.reshape(-1, 3), *stage.size_px).reshape(-1, 2, 3)
        points[(points[:, :, 2] <= 0).any(axis=1)] = np.nan
        placed = place_along(points[:, :, :2], self._labels.sizes_px, *stage.size_px, scale, keep_clear)
        corners = np.array([(each.left_px, each.top_px) for each in placed]).reshape(-1, 2)
        sizes = self._labels.sizes_px[[each.index for each in placed]]
        self.words_px = np.hstack([corners, corners + sizes])
        self._labels.show(placed)
        gloo.set_state(blend_func=("one", "one_minus_src_alpha"), depth_test=False)
        self._labels.draw(stage)
        gloo.set_state(blend_func=("src_alpha", "one_minus_src_alpha"))


def _colour(tone: Tone, stage: DrawContext) -> Rgb:
    return {"ink": stage.colours.outline, "live": stage.colours.hover}.get(tone) or TONES[tone]


def _strokes(line: GuideLine, pose: CameraPose, height_px: int, scale: float) -> list[tuple[Floats, Floats]]:
    """Return the line, and a bar across each end where it tells a distance."""
    start, stop = np.array(line.start), np.array(line.stop)
    strokes = [(start, stop)]
    across = np.cross(stop - start, camera.axes(pose)[2])
    length = float(np.linalg.norm(across))
    if not line.text or length < 1e-9:
        return strokes
    for end in (start, stop):
        away_m = float((camera.eye_m(pose) - end) @ camera.axes(pose)[2])
        half = across / length * TICK_PX * scale / camera.px_per_m(pose, away_m, height_px)
        strokes.append((end - half, end + half))
    return strokes
