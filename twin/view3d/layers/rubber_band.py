"""The rubber band: a rectangle on screen, and which things stand in it."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.view3d.base.meshes import quad_indices
from twin.view3d.base.palette import Rgb

_VERTEX = """
attribute vec2 a_corner;     // 0 or 1
uniform vec4 u_band;         // left, top, width, height [px]
uniform vec2 u_screen;
varying vec2 v_place;        // [px]
void main() {
    vec2 at = u_band.xy + a_corner * u_band.zw;
    gl_Position = vec4(at.x / u_screen.x * 2.0 - 1.0, 1.0 - at.y / u_screen.y * 2.0, 0.0, 1.0);
    v_place = a_corner * u_band.zw;
}
"""

_FRAGMENT = """
uniform vec4 u_band;
uniform vec3 u_colour;
uniform float u_line;        // [px]
varying vec2 v_place;
void main() {
    vec2 reach = min(v_place, u_band.zw - v_place);
    float rim = clamp(u_line - min(reach.x, reach.y) + 0.5, 0.0, 1.0);
    gl_FragColor = vec4(u_colour, mix(0.12, 0.95, rim));
}
"""

Rect = tuple[float, float, float, float]
"""Left, top, width, height [px]."""


class RubberBand:
    """Draws the rectangle; made once."""

    def __init__(self) -> None:
        self.rect: Rect | None = None  # logical pixels
        vertices = np.zeros(4, [("a_corner", np.float32, 2)])
        vertices["a_corner"] = [[0, 1], [1, 1], [1, 0], [0, 0]]
        self._program = gloo.Program(_VERTEX, _FRAGMENT)
        self._program.bind(gloo.VertexBuffer(vertices))
        self._indices = gloo.IndexBuffer(quad_indices(1))

    def draw(self, size_px: tuple[int, int], rgb: Rgb, scale: float) -> None:
        """Draw with blending on, depth test and culling off."""
        if self.rect is None:
            return
        self._program["u_band"] = tuple(v * scale for v in self.rect)
        self._program["u_screen"] = size_px
        self._program["u_colour"] = rgb
        self._program["u_line"] = 1.2 * scale
        self._program.draw("triangles", self._indices)


def spanned(x0: float, y0: float, x1: float, y1: float) -> Rect:
    """Return the rectangle between two corners."""
    return min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
