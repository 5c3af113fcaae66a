"""The order of a collective over the hall: arcs from rack to rack, with a dash that travels from each to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.tables import Plant
from twin.view3d.base.meshes import quad_indices
from twin.view3d.base.palette import Rgb
from twin.view3d.gl.draw_context import DrawContext, program

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_other;      // far end of the piece
attribute vec2 a_side;       // -1 or 1 across; 1 at the start and -1 at the end of the piece
attribute vec2 a_way;        // 0..1 from rack to rack, number of the arc over that of all
uniform vec2 u_half;         // half the screen [px]
uniform float u_width;       // half width [px]
varying float v_across;
varying vec2 v_way;
void main() {
    vec4 here = u_matrix * vec4(a_position, 1.0);
    vec4 there = u_matrix * vec4(a_other, 1.0);
    vec2 a = here.xy / max(here.w, 1e-3) * u_half;
    vec2 b = there.xy / max(there.w, 1e-3) * u_half;
    vec2 ahead = normalize(b - a + vec2(1e-5, 0.0));
    here.xy += vec2(-ahead.y, ahead.x) * a_side.x * a_side.y * u_width / u_half * here.w;
    gl_Position = here;
    v_fog = fog_at(a_position);
    v_across = a_side.x;
    v_way = a_way;
}
"""

_FRAGMENT = """
uniform vec3 u_colour;
uniform float u_phase;
varying float v_across;
varying vec2 v_way;
void main() {
    float here = fract(v_way.x - u_phase - v_way.y * 3.0);
    float comet = here * here * here * clamp((1.0 - here) * 12.0, 0.0, 1.0);
    float soft = clamp((1.0 - abs(v_across)) * 2.0, 0.0, 1.0);
    vec3 colour = mix(u_colour, vec3(1.0), 0.6 * comet);
    gl_FragColor = vec4(colour, soft * (0.48 + 0.52 * comet) * (1.0 - 0.6 * v_fog));
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_other", np.float32, 3),
        ("a_side", np.float32, 2),
        ("a_way", np.float32, 2),
    ]
)

PIECES = 14
"""Straight pieces of an arc."""
ABOVE_M = 0.5
RISE, MOST_RISE_M = 0.16, 7.0
"""An arc rises so many metres for each metre between its racks, and no further."""
TURNS_S = 0.7
"""Dashes of an arc in a second."""
MOST_ARCS = 512
WIDTH_PX = 3.8


def arc_points(start_m: NDArray[np.float64], stop_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of parabolas from (n, 3) to (n, 3), shape (n, PIECES + 1, 3) [m]."""
    share = np.linspace(0.0, 1.0, PIECES + 1)[None, :, None]
    points = start_m[:, None, :] + (stop_m - start_m)[:, None, :] * share
    far_m = np.linalg.norm(stop_m - start_m, axis=1)
    rise_m = np.minimum(ABOVE_M + RISE * far_m, MOST_RISE_M)
    points[:, :, 2] += (4 * share * (1 - share))[:, :, 0] * rise_m[:, None]
    return np.asarray(points)


def arc_vertices(tops_m: NDArray[np.float64]) -> NDArray[np.void]:
    """Return four vertices for each piece of the arcs from each place to the next, places (n + 1, 3) [m]."""
    points = arc_points(tops_m[:-1], tops_m[1:])
    arcs = len(points)
    out = np.zeros((arcs, PIECES, 4), _TYPE)
    out[:, :, :2]["a_position"], out[:, :, :2]["a_other"] = points[:, :-1, None], points[:, 1:, None]
    out[:, :, 2:]["a_position"], out[:, :, 2:]["a_other"] = points[:, 1:, None], points[:, :-1, None]
    out["a_side"] = [[-1, 1], [1, 1], [1, -1], [-1, -1]]
    share = np.arange(PIECES + 1) / PIECES
    out["a_way"][:, :, :2, 0], out["a_way"][:, :, 2:, 0] = share[None, :-1, None], share[None, 1:, None]
    out["a_way"][..., 1] = (np.arange(arcs) / max(1, arcs))[:, None, None]
    return out.ravel()


class Arcs:
    """Draws the order of one circle in one call."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        self._quads = 0
        self._rgb: Rgb = (1.0, 1.0, 1.0)
        self._program = program(_VERTEX, _FRAGMENT, np.zeros(4, _TYPE))
        self._indices = gloo.IndexBuffer(quad_indices(1))

    def set_racks(self, racks: NDArray[np.int64], rgb: Rgb) -> None:
        """Choose the racks, in order; a circle names its first one again at the end."""
        table = self._plant.racks
        kept = racks[np.concatenate([[True], np.diff(racks) != 0])][: MOST_ARCS + 1] if len(racks) else racks
        self._quads = PIECES * max(0, len(kept) - 1)
        self._rgb = rgb
        if self._quads:
            tops_m = np.column_stack([table.x_m[kept], table.y_m[kept], table.height_m[kept]])
            self._program.bind(gloo.VertexBuffer(arc_vertices(tops_m)))
            self._indices = gloo.IndexBuffer(quad_indices(self._quads))

    def draw(self, stage: DrawContext, scale: float) -> None:
        """Draw with blending on, culling and writing of depth off."""
        if not self._quads:
            return
        stage.light(self._program)
        self._program["u_half"] = (stage.size_px[0] / 2, stage.size_px[1] / 2)
        self._program["u_width"] = WIDTH_PX * scale / 2
        self._program["u_colour"] = self._rgb
        self._program["u_phase"] = float(np.float32(stage.phase_s * TURNS_S % 1.0))
        self._program.draw("triangles", self._indices)
