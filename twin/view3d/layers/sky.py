"""The background: from the fog's colour at the horizon to a darker zenith, only where nothing else is."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.view3d.base.meshes import quad_indices
from twin.view3d.gl.draw_context import DrawContext

_VERTEX = """
attribute vec2 a_position;
varying float v_up;
void main() {
    gl_Position = vec4(a_position, 0.99999, 1.0);
    v_up = a_position.y;
}
"""

_FRAGMENT = """
uniform vec3 u_ground;
uniform vec3 u_zenith;
uniform vec2 u_horizon;      // height of the horizon on screen, 1 / height of the gradient
varying float v_up;
void main() {
    float high = clamp((v_up - u_horizon.x) * u_horizon.y, 0.0, 1.0);
    gl_FragColor = vec4(mix(u_ground, u_zenith, high * (2.0 - high)), 1.0);
}
"""

_SPAN = 1.3
"""Height of the gradient in halves of the screen."""


class SkyLayer:
    """Fills what is left of the picture."""

    def __init__(self) -> None:
        vertices = np.zeros(4, [("a_position", np.float32, 2)])
        vertices["a_position"] = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
        self._program = gloo.Program(_VERTEX, _FRAGMENT)
        self._program.bind(gloo.VertexBuffer(vertices))
        self._indices = gloo.IndexBuffer(quad_indices(1))

    def draw(self, stage: DrawContext) -> None:
        """Draw with depth test on and depth writing off, after all that is opaque."""
        # A level line through the eye, far away, lies on the horizon.
        toward = stage.matrix @ np.array([*stage.ahead, 0.0])
        level = float(toward[1] / toward[3]) if toward[3] > 1e-6 else 1.0
        self._program["u_ground"] = stage.colours.ground
        self._program["u_zenith"] = stage.colours.zenith
        self._program["u_horizon"] = (level, 1.0 / _SPAN)
        self._program.draw("triangles", self._indices)
