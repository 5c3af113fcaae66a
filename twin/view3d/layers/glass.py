"""Boxes that are seen through, with frames, drawn last, depth-tested but not written; containment of aisles."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.arrays import Floats
from twin.plant.geometry import Aisles
from twin.view3d.base.meshes import UPRIGHT, box_face, quad_indices, turned
from twin.view3d.gl.draw_context import DrawContext, program

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_place;
attribute vec2 a_size;
varying vec2 v_place;
varying vec2 v_size;
varying float v_lit;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_place = a_place;
    v_size = a_size;
    v_lit = 0.45 + 0.55 * light_on(a_normal);
}
"""

_FRAGMENT = """
uniform vec4 u_glass;
uniform float u_mullion;     // from bar to bar [m], 0 without
varying vec2 v_place;
varying vec2 v_size;
varying float v_lit;
void main() {
    vec2 blur = max(fwidth(v_place), 1e-5);
    vec2 reach = min(v_place, v_size - v_place);
    float mullion = u_mullion > 0.0 ? abs(fract(v_place.x / u_mullion) - 0.5) * u_mullion : 1.0;
    vec2 bar = clamp((0.018 - reach) / blur + 0.5, 0.0, 1.0);
    float frame = max(max(bar.x, bar.y), 0.6 * clamp((0.012 - mullion) / blur.x + 0.5, 0.0, 1.0));
    frame *= clamp(0.05 / max(blur.x, blur.y), 0.0, 1.0);
    vec3 colour = mix(u_glass.rgb * v_lit, u_glass.rgb * 1.25 + 0.12, frame * 0.6);
    float alpha = mix(u_glass.a, 0.85, frame * 0.6);
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), alpha);
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_normal", np.float32, 3),
        ("a_place", np.float32, 2),
        ("a_size", np.float32, 2),
    ]
)


MULLION_M = 1.2
"""From bar to bar of a containment."""


class Panes:
    """Translucent boxes in one call.

    Parameters
    ----------
    low, high
        Corners (n, 3) [m].
    frames
        Where each lies, and how it is turned: x, y of its origin [m], the unit vector along its own x, shape (n, 4);
        None: in the hall as it is.
    """

    def __init__(self, low: Floats, high: Floats, frames: Floats | None = None) -> None:
        self._quads = len(UPRIGHT) * len(low)
        if not self._quads:
            return
        parts = []
        for face in UPRIGHT:
            positions, normal, place, size = box_face(low, high, face)
            out = np.zeros(positions.shape[:2], _TYPE)
            out["a_position"], out["a_normal"], out["a_place"] = positions, normal, place
            if frames is not None:
                origin, ahead = frames[:, None, :2], frames[:, None, 2:]
                out["a_position"][..., :2] = origin + turned(positions[..., :2], ahead)
                out["a_normal"][..., :2] = turned(normal[:2], ahead)
            out["a_size"] = size[:, None, :]
            parts.append(out.ravel())
        self._program = program(_VERTEX, _FRAGMENT, np.concatenate(parts))
        self._indices = gloo.IndexBuffer(quad_indices(self._quads))

    def draw(
        self, stage: DrawContext, colour: tuple[float, float, float, float], mullion_m: float = 0.0
    ) -> None:
        """Draw with blending and depth test on, depth writing off."""
        if self._quads:
            stage.light(self._program)
            self._program["u_glass"] = colour
            self._program["u_mullion"] = mullion_m
            self._program.draw("triangles", self._indices)


class GlassLayer:
    """Draws the containments of a plant."""

    def __init__(self, aisles: Aisles) -> None:
        closed = np.flatnonzero(aisles.contained)
        low = np.column_stack([aisles.x0_m[closed], aisles.y0_m[closed], np.full(len(closed), 0.01)])
        high = np.column_stack([aisles.x1_m[closed], aisles.y1_m[closed], aisles.height_m[closed]])
        # A hand's breadth inside the cabinets' rear planes, so that the long panes never fight with them.
        low[:, 1] += 0.03
        high[:, 1] -= 0.03
        self._panes = Panes(low, high)

    def draw(self, stage: DrawContext) -> None:
        """Draw with blending and depth test on, depth writing off."""
        self._panes.draw(stage, stage.colours.glass, MULLION_M)
