"""Bodies that are not there yet: translucent boxes with bright rims, and hatched zones on the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vispy import gloo

from twin.view3d.base.edit_shapes import TONES, GhostBox, Tone
from twin.view3d.base.meshes import UPRIGHT, box_face, quad_indices, turned
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.gl.outline import Outline

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_place;      // on the face [m]
attribute vec2 a_size;       // of the face [m]
attribute vec4 a_tone;       // colour; 1: a zone on the floor
varying vec2 v_place;
varying vec2 v_size;
varying vec4 v_tone;
varying float v_facing;
varying float v_height;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = 0.0;
    v_place = a_place;
    v_size = a_size;
    v_tone = a_tone;
    v_facing = abs(dot(normalize(u_eye - a_position), a_normal));
    v_height = light_on(a_normal);
}
"""

_FRAGMENT = """
uniform float u_fill;
varying vec2 v_place;
varying vec2 v_size;
varying vec4 v_tone;
varying float v_facing;
varying float v_height;
void main() {
    vec2 blur = max(fwidth(v_place), 1e-5);
    vec2 reach = min(v_place, v_size - v_place);
    float rim = exp(-min(reach.x, reach.y) / 0.07);
    float body = u_fill * (0.20 + 0.16 * (1.0 - v_facing) + 0.22 * rim);
    vec3 colour = v_tone.rgb * (0.72 + 0.34 * v_height) + 0.10 * rim;
    // Stripes of 0.15 m at 45 degrees, fading to their mean where they are finer than a pixel.
    float across = (v_place.x + v_place.y) / 0.30;
    float step_px = (blur.x + blur.y) / 0.30;
    float stripe = clamp((0.25 - abs(fract(across) - 0.5)) / max(step_px, 1e-4) + 0.5, 0.0, 1.0);
    stripe = mix(stripe, 0.5, clamp(step_px * 2.0 - 0.5, 0.0, 1.0));
    vec2 bar = clamp((0.012 - reach) / blur + 0.7, 0.0, 1.0);
    float zone = u_fill * (0.06 + 0.15 * stripe + 0.5 * max(bar.x, bar.y));
    gl_FragColor = vec4(mix(colour, v_tone.rgb, v_tone.a), mix(body, zone, v_tone.a));
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_normal", np.float32, 3),
        ("a_place", np.float32, 2),
        ("a_size", np.float32, 2),
        ("a_tone", np.float32, 4),
    ]
)
LIFT_M = 0.012
"""Zones lie so far above the floor."""
MOST_BOXES = 1200


def ghost_vertices(boxes: Sequence[GhostBox]) -> np.ndarray:
    """Return four vertices for every face: five of a body, one of a zone."""
    parts = []
    for flat in (True, False):
        some = [box for box in boxes if box.flat == flat]
        if not some:
            continue
        low, high = np.array([box.low for box in some]), np.array([box.high for box in some])
        if flat:
            low[:, 2] = high[:, 2] = LIFT_M
        tone = np.array([(*TONES[box.tone], float(flat)) for box in some])
        middle, ahead = (low + high)[:, None, :2] / 2, np.array([box.ahead for box in some])[:, None]
        for face in ("+z",) if flat else UPRIGHT:
            positions, normal, place, size = box_face(low, high, face)
            out = np.zeros(positions.shape[:2], _TYPE)
            out["a_position"], out["a_normal"], out["a_place"] = positions, normal, place
            out["a_position"][..., :2] = middle + turned(positions[..., :2] - middle, ahead)
            out["a_normal"][..., :2] = turned(normal[:2], ahead)
            out["a_size"], out["a_tone"] = size[:, None, :], tone[:, None, :]
            parts.append(out.ravel())
    return np.concatenate(parts) if parts else np.zeros(0, _TYPE)


class GhostBodies:
    """Draws bodies and zones; made once, given other boxes at every move."""

    def __init__(self) -> None:
        self._quads = 0
        self._program = program(_VERTEX, _FRAGMENT, np.zeros(4, _TYPE))
        self._indices = gloo.IndexBuffer(quad_indices(1))
        self._edges: dict[Tone, Outline] = {}

    def set_boxes(self, boxes: Sequence[GhostBox]) -> None:
        """Show these boxes instead; beyond MOST_BOXES the rest is left out."""
        boxes = boxes[:MOST_BOXES]
        vertices = ghost_vertices(boxes)
        self._quads = len(vertices) // 4
        if self._quads:
            self._program.bind(gloo.VertexBuffer(vertices))
            self._indices = gloo.IndexBuffer(quad_indices(self._quads))
        rimmed: dict[Tone, list[GhostBox]] = {tone: [] for tone in self._edges}
        for box in boxes:
            if box.outlined and not box.flat:
                rimmed.setdefault(box.tone, []).append(box)
        for tone, some in rimmed.items():
            edges = self._edges.setdefault(tone, Outline())
            edges.set_boxes(
                [(np.array(box.low), np.array(box.high)) for box in some], [box.ahead for box in some]
            )

    def draw(self, stage: DrawContext, scale: float) -> None:
        """Draw with blending on and depth writing off; what stands before it still hides it, faintly."""
        if not self._quads:
            return
        stage.light(self._program)
        gloo.set_state(depth_test=True, cull_face=True)
        self._program["u_fill"] = 1.0
        self._program.draw("triangles", self._indices)
        gloo.set_state(cull_face=False)
        for tone, edges in self._edges.items():
            edges.draw(stage, TONES[tone], 1.0, 4.0 * scale)
        gloo.set_state(depth_test=False, cull_face=True)
        self._program["u_fill"] = 0.35
        self._program.draw("triangles", self._indices)
        gloo.set_state(cull_face=False)
        for tone, edges in self._edges.items():
            edges.draw(stage, TONES[tone], 0.30, 2.4 * scale)
