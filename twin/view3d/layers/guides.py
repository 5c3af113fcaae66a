"""Guide lines with their words: why a thing stands where it does, and how far it is from its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vispy import gloo

from twin.view3d.base import camera
from twin.view3d.base.edit_shapes import TONES, GuideLine, Tone
from twin.view3d.base.label_layout import place_labels
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.labels import LabelLayer, draw_atlas
from twin.view3d.gl.outline import Outline

TICK_M = 0.12
"""Half the bar at the end of a distance."""
_TONES_OF_WORDS: dict[Tone, int] = {"warn": 1, "bad": 2}


class Guides:
    """Draws lines and words; made once, given others at every move."""

    def __init__(self) -> None:
        self._lines: tuple[GuideLine, ...] = ()
        self._ribbons: dict[Tone, Outline] = {}
        self._labels = LabelLayer()
        self._atlas_of: tuple[object, ...] = ()

    def set_lines(self, lines: Sequence[GuideLine]) -> None:
        """Show these lines instead."""
        self._lines = tuple(lines)
        by_tone: dict[Tone, list[GuideLine]] = {tone: [] for tone in self._ribbons}
        for line in lines:
            by_tone.setdefault(line.tone, []).append(line)
        for tone, some in by_tone.items():
            ends = [pair for line in some for pair in _strokes(line)]
            points = np.array(ends, np.float64).reshape(-1, 2, 3)
            self._ribbons.setdefault(tone, Outline()).set_lines(points[:, 0], points[:, 1])

    def draw(self, stage: DrawContext, pose: CameraPose, scale: float) -> None:
        """Draw with blending on and depth writing off, over everything but brighter where nothing is before it."""
        if not self._lines:
            return
        for depth, alpha, width in ((False, 0.35, 2.0), (True, 0.95, 3.2)):
            gloo.set_state(depth_test=depth)
            for tone, ribbon in self._ribbons.items():
                ribbon.draw(stage, TONES[tone], alpha, width * scale)
        labelled = [line for line in self._lines if line.text]
        if labelled:
            self._draw_words(labelled, stage, pose, scale)

    def _draw_words(self, lines: list[GuideLine], stage: DrawContext, pose: CameraPose, scale: float) -> None:
        wanted = (stage.colours, scale, tuple((line.text, line.tone) for line in lines))
        if wanted != self._atlas_of:
            tones = [_TONES_OF_WORDS.get(line.tone, 0) for line in lines]
            self._labels.set_atlas(draw_atlas([line.text for line in lines], stage.colours, scale, tones))
            self._atlas_of = wanted
        middles = np.array([(np.array(line.start) + np.array(line.stop)) / 2 for line in lines])
        points = camera.project(pose, middles, *stage.size_px)
        weights = np.arange(len(lines), 0, -1, dtype=np.float64)
        self._labels.show(place_labels(points, self._labels.sizes_px, weights, *stage.size_px, scale=scale))
        gloo.set_state(blend_func=("one", "one_minus_src_alpha"), depth_test=False)
        self._labels.draw(stage)
        gloo.set_state(blend_func=("src_alpha", "one_minus_src_alpha"))


def _strokes(line: GuideLine) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Return the line, and a bar across each end where it tells a distance."""
    strokes = [(line.start, line.stop)]
    if not line.text:
        return strokes
    along_x = abs(line.stop[0] - line.start[0]) > abs(line.stop[1] - line.start[1])
    dx, dy = (0.0, TICK_M) if along_x else (TICK_M, 0.0)
    for x, y, z in (line.start, line.stop):
        strokes.append(((x - dx, y - dy, z), (x + dx, y + dy, z)))
    return strokes
