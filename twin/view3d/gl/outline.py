"""Outlines of the selected and the hovered thing: box edges as ribbons of constant width on screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.view3d.base.meshes import quad_indices, turned
from twin.view3d.base.palette import Rgb
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.gl.program_pool import Program

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_other;      // far end of the edge
attribute vec2 a_side;        // -1 or 1 across; 1 at the start and -1 at the end of the edge
uniform vec2 u_half;         // half the screen [px]
uniform float u_width;       // half width of a ribbon [px]
varying float v_across;
void main() {
    vec4 here = u_matrix * vec4(a_position, 1.0);
    vec4 there = u_matrix * vec4(a_other, 1.0);
    vec2 a = here.xy / max(here.w, 1e-3) * u_half;
    vec2 b = there.xy / max(there.w, 1e-3) * u_half;
    vec2 ahead = normalize(b - a + vec2(1e-5, 0.0));
    vec2 shift = (vec2(-ahead.y, ahead.x) * a_side.x * a_side.y - ahead * 0.7) * u_width;
    here.xy += shift / u_half * here.w;
    here.z -= 0.00006 * here.w;
    gl_Position = here;
    v_fog = 0.0;
    v_across = a_side.x;
}
"""

_FRAGMENT = """
uniform vec4 u_colour;
varying float v_across;
void main() {
    gl_FragColor = vec4(u_colour.rgb, u_colour.a * clamp((1.0 - abs(v_across)) * 2.5, 0.0, 1.0));
}
"""

_TYPE = np.dtype([("a_position", np.float32, 3), ("a_other", np.float32, 3), ("a_side", np.float32, 2)])

_EDGES = np.array(
    [[0, 1], [1, 3], [3, 2], [2, 0], [4, 5], [5, 7], [7, 6], [6, 4], [0, 4], [1, 5], [2, 6], [3, 7]]
)
Box = tuple[NDArray[np.float64], NDArray[np.float64]]


def edge_vertices(
    boxes: Sequence[Box], ahead: Sequence[tuple[float, float]] = (), swell_m: float = 0.008
) -> NDArray[np.void]:
    """Return four vertices for each of the twelve edges of each box, a little outside the box.

    Boxes may be turned about their middles, so that their x axes lie along unit vectors `ahead`.
    """
    out = np.zeros((len(boxes), 12, 4), _TYPE)
    for k, (low, high) in enumerate(boxes):
        ends = np.stack([low - swell_m, high + swell_m])
        corners = np.array(
            [[ends[i, 0], ends[j, 1], ends[l, 2]] for l in (0, 1) for j in (0, 1) for i in (0, 1)]
        )
        if ahead:
            middle = (low + high)[:2] / 2
            corners[:, :2] = middle + turned(corners[:, :2] - middle, np.array(ahead[k]))
        start, end = corners[_EDGES[:, 0]], corners[_EDGES[:, 1]]
        out[k, :, :2]["a_position"] = start[:, None]
        out[k, :, :2]["a_other"] = end[:, None]
        out[k, :, 2:]["a_position"] = end[:, None]
        out[k, :, 2:]["a_other"] = start[:, None]
        out[k]["a_side"] = [[-1, 1], [1, 1], [1, -1], [-1, -1]]
    return out.ravel()


def line_vertices(start_m: NDArray[np.float64], stop_m: NDArray[np.float64]) -> NDArray[np.void]:
    """Return four vertices for each straight line, from (n, 3) to (n, 3)."""
    out = np.zeros((len(start_m), 4), _TYPE)
    out[:, :2]["a_position"], out[:, :2]["a_other"] = start_m[:, None], stop_m[:, None]
    out[:, 2:]["a_position"], out[:, 2:]["a_other"] = stop_m[:, None], start_m[:, None]
    out["a_side"] = [[-1, 1], [1, 1], [1, -1], [-1, -1]]
    return out.ravel()


class Outline:
    """Ribbons round a few boxes or along a few lines; rebuilt when these change.

    There is one for each tone of whatever is edited, most of them empty: only one that is drawn has a program.
    """

    def __init__(self) -> None:
        self._vertices: NDArray[np.void] | None = None
        self._program: Program | None = None
        self._indices: gloo.IndexBuffer | None = None

    def set_boxes(self, boxes: Sequence[Box], ahead: Sequence[tuple[float, float]] = ()) -> None:
        """Outline boxes, as `edge_vertices` has them."""
        self._take(edge_vertices(boxes, ahead))

    def set_lines(self, start_m: NDArray[np.float64], stop_m: NDArray[np.float64]) -> None:
        """Follow lines from (n, 3) to (n, 3)."""
        self._take(line_vertices(start_m, stop_m))

    def _take(self, vertices: NDArray[np.void]) -> None:
        self._vertices, self._indices = vertices if len(vertices) else None, None
        if self._vertices is None:
            self._program = None  # the next outline takes it

    def draw(self, stage: DrawContext, rgb: Rgb, alpha: float, width_px: float) -> None:
        """Draw with blending on, culling off; the caller decides about the depth test."""
        if self._vertices is None:
            return
        if self._program is None:
            self._program = program(_VERTEX, _FRAGMENT, self._vertices)
        elif self._indices is None:
            self._program.bind(gloo.VertexBuffer(self._vertices))
        if self._indices is None:  # these vertices are drawn for the first time
            self._indices = gloo.IndexBuffer(quad_indices(len(self._vertices) // 4))
        stage.light(self._program)
        self._program["u_half"] = (stage.size_px[0] / 2, stage.size_px[1] / 2)
        self._program["u_width"] = width_px / 2
        self._program["u_colour"] = (*rgb, alpha)
        self._program.draw("triangles", self._indices)
