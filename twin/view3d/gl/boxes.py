"""Many lit boxes in one draw call: instanced where the driver can, else merged into one mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.view3d.base.meshes import FACE_NAMES, box_face, quad_indices
from twin.view3d.gl.draw_context import FRAGMENT_COMMON, VERTEX_COMMON, DrawContext
from twin.view3d.gl.program_pool import Program
from twin.view3d.gl.values import VALUE_LOOKUP, ValueTexture

_VERTEX = """
attribute vec3 a_corner;     // 0 or 1 along each axis
attribute vec3 a_normal;
attribute vec2 a_place;      // 0..1 on the face
attribute vec3 a_low;        // of the box [m]
attribute vec3 a_size;       // [m]
attribute vec4 a_look;       // grey tint and the slot of the value texture, -1 for none
varying vec2 v_place;
varying vec2 v_face;
varying vec4 v_look;
varying float v_lit;
void main() {
    vec3 position = a_low + a_corner * a_size;
    gl_Position = u_matrix * vec4(position, 1.0);
    v_fog = fog_at(position);
    v_place = a_place;
    v_face = abs(a_normal.x) > 0.5 ? a_size.yz : (abs(a_normal.y) > 0.5 ? a_size.xz : a_size.xy);
    v_look = a_look;
    v_lit = light_on(a_normal);
}
"""

_FRAGMENT = (
    VALUE_LOOKUP
    + """
varying vec2 v_place;
varying vec2 v_face;
varying vec4 v_look;
varying float v_lit;
void main() {
    vec3 grey = v_look.rgb * v_lit;
    vec2 reach = min(v_place, 1.0 - v_place) * v_face;
    float rim = smoothstep(0.0, 0.006, min(reach.x, reach.y));
    vec3 data = colour_of(code_of(max(v_look.a, 0.0)));
    // Data stays mostly emissive; the rim and a little light from above give it a body.
    vec3 lamp = data * (0.60 + 0.32 * rim + 0.10 * v_place.y) * (0.72 + 0.28 * v_lit);
    vec3 colour = mix(grey, lamp, step(-0.5, v_look.a));
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), 1.0);
}
"""
)

TEMPLATE_TYPE = np.dtype(
    [("a_corner", np.float32, 3), ("a_normal", np.float32, 3), ("a_place", np.float32, 2)]
)
INSTANCE_TYPE = np.dtype([("a_low", np.float32, 3), ("a_size", np.float32, 3), ("a_look", np.float32, 4)])


def unit_cube() -> NDArray[np.void]:
    """Return the 24 vertices of a cube from (0, 0, 0) to (1, 1, 1)."""
    out = np.zeros((6, 4), TEMPLATE_TYPE)
    for k, face in enumerate(FACE_NAMES):
        positions, normal, place, _ = box_face(np.zeros((1, 3)), np.ones((1, 3)), face)
        out[k]["a_corner"], out[k]["a_normal"], out[k]["a_place"] = positions[0], normal, place[0]
    return out.ravel()


class BoxBatch:
    """Boxes of one batch, replaced as a whole."""

    def __init__(self, instancing: bool) -> None:
        self._instancing = instancing
        self._program = Program(VERTEX_COMMON + _VERTEX, FRAGMENT_COMMON + _FRAGMENT)
        self._count = 0

    def set_boxes(self, instances: NDArray[np.void]) -> None:
        """Take the boxes (INSTANCE_TYPE)."""
        self._count = len(instances)
        if not self._count:
            return
        # vispy draws a single instance without instancing, with stale divisors: one more, of no size, avoids that.
        if self._count == 1:
            instances = np.concatenate([instances, np.zeros(1, INSTANCE_TYPE)])
        cube = unit_cube()
        copies = 1 if self._instancing else len(instances)
        template = np.tile(cube, copies)
        each = instances if self._instancing else np.repeat(instances, len(cube))
        self._program.bind(gloo.VertexBuffer(template))
        for name in INSTANCE_TYPE.names or ():
            column = np.ascontiguousarray(each[name])
            self._program[name] = gloo.VertexBuffer(column, divisor=1 if self._instancing else None)
        self._indices = gloo.IndexBuffer(quad_indices(6 * copies))

    def draw(self, stage: DrawContext, values: ValueTexture) -> None:
        """Draw with depth test and back-face culling on."""
        if not self._count:
            return
        stage.light(self._program)
        values.bind(self._program)
        self._program.draw("triangles", self._indices)
