"""What every layer needs to draw one frame: matrix, eye, fog, light; and the shader text that uses it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.view3d.base.theme import Colours
from twin.view3d.gl.program_pool import Program

VERTEX_COMMON = """
uniform mat4 u_matrix;
uniform vec3 u_eye;
uniform vec2 u_fog;      // start [m], 1 / range [1/m]
uniform vec3 u_light;    // sky, bounce, sun
varying float v_fog;

float fog_at(vec3 place) {
    float far = max(0.0, (distance(place, u_eye) - u_fog.x) * u_fog.y);
    return 1.0 - exp(-far * far);
}
float light_on(vec3 normal) {
    float hemisphere = mix(u_light.y, u_light.x, normal.z * 0.5 + 0.5);
    return hemisphere + u_light.z * max(0.0, dot(normal, vec3(0.36, -0.62, 0.70)));
}
"""

FRAGMENT_COMMON = """
uniform vec3 u_ground;
varying float v_fog;
"""


@dataclass(frozen=True)
class DrawContext:
    """State of one frame, handed to every layer.

    Parameters
    ----------
    matrix
        View and projection, clip = matrix @ (x, y, z, 1).
    eye_m
        Place of the eye [m].
    ahead
        Level direction of view, unit vector.
    fog
        Distance where fog begins [m] and 1 / its range [1/m].
    colours
        Of the theme.
    size_px
        Physical pixels.
    phase_s
        Time of animated ornaments [s].
    distance_m
        From the eye to what is looked at.
    """

    matrix: NDArray[np.float64]
    eye_m: NDArray[np.float64]
    ahead: NDArray[np.float64]
    fog: tuple[float, float]
    colours: Colours
    size_px: tuple[int, int]
    phase_s: float
    distance_m: float

    def light(self, program: Program) -> None:
        """Set the uniforms of VERTEX_COMMON and FRAGMENT_COMMON."""
        program["u_matrix"] = self.matrix.T.astype(np.float32)
        program["u_eye"] = self.eye_m.astype(np.float32)
        program["u_fog"] = self.fog
        c = self.colours
        program["u_light"] = (c.sky, c.bounce, c.sun)
        program["u_ground"] = c.ground


def program(vertex: str, fragment: str, vertices: NDArray[np.void]) -> Program:
    """Return a program with its vertex buffer bound; the fields of `vertices` are the attributes' names."""
    out = Program(VERTEX_COMMON + vertex, FRAGMENT_COMMON + fragment)
    out.bind(gloo.VertexBuffer(vertices))
    return out
