"""Lamps and load bars on machines: small quads whose colour, shape and level say how a machine does; one call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Floats
from twin.view3d.base.meshes import quad_indices
from twin.view3d.gl.draw_context import DrawContext, program


class IndicatorShape(IntEnum):
    """What a quad shows; each can be told without its colour."""

    DISC = 0  # runs
    CROSS = 1  # stands still, dead
    HALF = 2  # on a stand-in
    RING = 3  # stands by
    TRIANGLE = 4  # overloaded
    BAR = 5  # level of load


_VERTEX = """
attribute vec3 a_position;
attribute vec2 a_place;      // -1..1 on the quad
attribute float a_number;
attribute float a_aspect;    // width over height
varying vec2 v_place;
varying float v_number;
varying float v_aspect;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    gl_Position.z -= 0.0004 * gl_Position.w;
    v_fog = fog_at(a_position);
    v_place = a_place;
    v_number = a_number;
    v_aspect = a_aspect;
}
"""

_FRAGMENT = """
uniform sampler2D u_texels;  // per quad: row 0 colour, row 1 shape and level
uniform vec2 u_shape;        // texels per row, rows
uniform vec3 u_plate;
varying vec2 v_place;
varying float v_number;
varying float v_aspect;
float inside(float reach, float blur) { return clamp(reach / blur + 0.5, 0.0, 1.0); }
void main() {
    float number = floor(v_number + 0.5);
    float row = floor((number + 0.5) / u_shape.x);
    float column = (number - row * u_shape.x + 0.5) / u_shape.x;
    vec3 colour = texture2D(u_texels, vec2(column, (2.0 * row + 0.5) / u_shape.y)).rgb;
    vec2 look = texture2D(u_texels, vec2(column, (2.0 * row + 1.5) / u_shape.y)).rg;
    float shape = floor(look.r * 255.0 + 0.5);
    vec2 p = v_place;
    float blur = max(max(fwidth(p.x), fwidth(p.y)), 1e-4);
    float on = 0.0;
    float round_ = length(p);
    if (shape < 0.5) {
        on = inside(0.74 - round_, blur);
    } else if (shape < 1.5) {
        float arm = min(abs(p.x - p.y), abs(p.x + p.y));
        on = inside(0.30 - arm, blur) * inside(0.95 - max(abs(p.x), abs(p.y)), blur);
    } else if (shape < 2.5) {
        on = inside(0.78 - round_, blur) * max(inside(-p.x, blur), inside(0.20 - abs(round_ - 0.62), blur));
    } else if (shape < 3.5) {
        on = inside(0.16 - abs(round_ - 0.60), blur);
    } else if (shape < 4.5) {
        on = inside(p.y + 0.72, blur) * inside(0.80 - p.y - 2.0 * abs(p.x), 2.0 * blur);
    } else {
        vec2 edge = vec2(1.0) - vec2(0.10 / max(v_aspect, 0.1), 0.16);
        float frame = inside(edge.x - abs(p.x), blur) * inside(edge.y - abs(p.y), blur);
        float filled = inside(look.g * 2.0 * edge.x - (p.x + edge.x), blur);
        on = frame * mix(0.12, 1.0, filled);
    }
    vec3 shown = mix(u_plate, colour, on);
    gl_FragColor = vec4(mix(shown, u_ground, v_fog), 1.0);
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_place", np.float32, 2),
        ("a_number", np.float32),
        ("a_aspect", np.float32),
    ]
)
WIDTH = 512
_OUT_M = 0.006
_PLACE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
# Direction to the right, seen by a person who stands before the face.
_RIGHT = {"-y": (1.0, 0.0), "+y": (-1.0, 0.0), "+x": (0.0, 1.0), "-x": (0.0, -1.0)}
_NORMAL = {"-y": (0.0, -1.0), "+y": (0.0, 1.0), "+x": (1.0, 0.0), "-x": (-1.0, 0.0)}


@dataclass(frozen=True)
class Quads:
    """Upright quads: four corners each (n, 4, 3) [m], the number of the thing shown, and width over height."""

    corners: Floats
    number: NDArray[np.int64]
    aspect: Floats


def on_faces(
    low: Floats,
    high: Floats,
    number: NDArray[np.int64],
    *,
    across: Floats,
    z_m: Floats,
    width_m: Floats,
    height_m: Floats,
    most: float = 0.8,
) -> Quads:
    """Return a quad on each of the four upright faces of boxes.

    Parameters
    ----------
    low, high
        Corners of the boxes (n, 3) [m].
    number
        What each quad shows.
    across
        Place of its middle along the face, -1..1 from left to right.
    z_m, width_m, height_m
        Height of its middle and its size [m]; narrower where the face is.
    most
        Of the width of a face, at most.
    """
    corners, numbers, aspects = [], [], []
    for face, right in _RIGHT.items():
        along = np.array([*right, 0.0])
        outward = np.array([*_NORMAL[face], 0.0])
        extent = np.abs((high - low) @ along)
        wide = np.minimum(width_m, most * extent)
        middle = (low + high) / 2
        centre = middle + outward * (np.abs((high - low) @ outward) / 2 + _OUT_M)[:, None]
        centre = centre + along * (across * (extent - wide) / 2)[:, None]
        centre[:, 2] = z_m
        offset = along * (wide / 2)[:, None]
        up = np.array([0.0, 0.0, 1.0]) * (height_m / 2)[:, None]
        quad = np.stack(
            [centre - offset - up, centre + offset - up, centre + offset + up, centre - offset + up]
        )
        corners.append(quad.transpose(1, 0, 2))
        numbers.append(number)
        aspects.append(wide / np.maximum(height_m, 1e-6))
    return Quads(np.concatenate(corners), np.concatenate(numbers), np.concatenate(aspects))


class Indicators:
    """Draws quads that show `count` things."""

    def __init__(self, quads: Quads, count: int) -> None:
        self._quads = len(quads.number)
        self._count = count
        if not self._quads:
            return
        vertices = np.zeros((self._quads, 4), _TYPE)
        vertices["a_position"] = quads.corners
        vertices["a_place"] = _PLACE
        vertices["a_number"] = quads.number[:, None]
        vertices["a_aspect"] = quads.aspect[:, None]
        self._program = program(_VERTEX, _FRAGMENT, vertices.ravel())
        self._indices = gloo.IndexBuffer(quad_indices(self._quads))
        rows = max(1, -(-count // WIDTH))
        self._texels = np.zeros((2 * rows, WIDTH, 4), np.uint8)
        self._texture = gloo.Texture2D(self._texels, interpolation="nearest", wrapping="clamp_to_edge")
        self._shown = b""

    def show(self, rgb: Floats, shape: NDArray[np.int64], level: Floats) -> None:
        """Take colour, Shape and level 0..1 of everything; uploads only what has changed."""
        if not self._quads:
            return
        texels = np.zeros((self._count, 2, 4), np.uint8)
        texels[:, 0, :3] = np.rint(np.clip(rgb, 0, 1) * 255)
        texels[:, 1, 0] = shape
        texels[:, 1, 1] = np.rint(np.clip(level, 0, 1) * 255)
        shown = texels.tobytes()
        if shown == self._shown:
            return
        self._shown = shown
        number = np.arange(self._count)
        for row in (0, 1):
            self._texels[2 * (number // WIDTH) + row, number % WIDTH] = texels[:, row]
        self._texture.set_data(self._texels)

    def draw(self, stage: DrawContext) -> None:
        """Draw with depth test and back-face culling on."""
        if not self._quads:
            return
        stage.light(self._program)
        self._program["u_texels"] = self._texture
        self._program["u_shape"] = (float(WIDTH), float(len(self._texels)))
        self._program["u_plate"] = stage.colours.recess
        self._program.draw("triangles", self._indices)
