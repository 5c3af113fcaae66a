"""The grid of a drawing: on the floor of a plan, behind everything in an elevation. Lines of a pixel, by a shader."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.view3d.base import camera
from twin.view3d.base.meshes import quad_indices
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.place.drawing_scale import drawing_axes, grid_pitch

_VERTEX = """
attribute vec2 a_position;
uniform vec4 u_span;         // middle [m], half the picture [m], across and up
uniform float u_depth;
varying vec2 v_place;        // [m]
void main() {
    gl_Position = vec4(a_position, u_depth, 1.0);
    v_place = u_span.xy + a_position * u_span.zw;
}
"""

_FRAGMENT = """
uniform vec3 u_fine;
uniform vec3 u_heavy;
uniform vec2 u_pitch;        // of fine and heavy lines [m]
uniform vec2 u_pixel;        // [m], across and up
uniform float u_line;        // width of a line [px]
varying vec2 v_place;
float line(float pitch) {
    vec2 away = abs(fract(v_place / pitch + 0.5) - 0.5) * pitch / u_pixel;
    vec2 on = clamp(u_line * 0.5 + 0.5 - away, 0.0, 1.0);
    return max(on.x, on.y);
}
void main() {
    float heavy = line(u_pitch.y);
    float fine = line(u_pitch.x);
    gl_FragColor = vec4(mix(u_fine, u_heavy, heavy), max(heavy * 0.9, fine * 0.7));
}
"""
FLOOR_M = 0.004
"""On a plan it lies so high over the floor."""
_FAR = 0.9999


class DrawingGrid:
    """Draws the grid; made once, and only where it is wanted."""

    def __init__(self) -> None:
        self._program: gloo.Program | None = None
        self._indices: gloo.IndexBuffer | None = None

    def draw(self, stage: DrawContext, pose: CameraPose, scale: float) -> None:
        """Draw a drawing's grid with depth test and blending on, depth writing off, after floor and sky."""
        axes = drawing_axes(pose)
        if axes is None:
            return
        if self._program is None:
            vertices = np.zeros(4, [("a_position", np.float32, 2)])
            vertices["a_position"] = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
            self._program = gloo.Program(_VERTEX, _FRAGMENT)
            self._program.bind(gloo.VertexBuffer(vertices))
            self._indices = gloo.IndexBuffer(quad_indices(1))
        width, height = stage.size_px
        px_per_m = camera.px_per_m(pose, 0.0, height)
        pitch = grid_pitch(px_per_m / scale, axes)
        middle = [pose.centre_m[axis.axis] * axis.sign for axis in axes]
        # The nearest line of the heavy pitch is taken away, so that a shader of few digits sees small numbers.
        middle = [place - round(place / pitch.heavy_m) * pitch.heavy_m for place in middle]
        self._program["u_span"] = (*middle, width / 2 / px_per_m, height / 2 / px_per_m)
        on_floor = stage.matrix @ np.array([*pose.centre_m[:2], FLOOR_M, 1.0])
        plan = {axis.axis for axis in axes} == {0, 1}
        self._program["u_depth"] = float(on_floor[2] / on_floor[3]) if plan else _FAR
        self._program["u_fine"], self._program["u_heavy"] = stage.colours.grid, stage.colours.grid_major
        self._program["u_pitch"] = (pitch.step_m, pitch.heavy_m)
        self._program["u_pixel"] = (1 / px_per_m, 1 / px_per_m)
        self._program["u_line"] = max(1.0, scale)
        self._program.draw("triangles", self._indices)
