"""Coolant pipes: tubes whose stripes travel with the flow and whose colour is the water's temperature.

Supply is told by broad light stripes, return by pairs of dark rings: the colour is the same scale for both.

Where nothing flows a pipe is dull and carries red rings that stand still: that can be seen in a still picture too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.geometry import PipeKind, Pipes, WaterCircuit
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.view3d.base.meshes import tubes
from twin.view3d.base.palette import coolant_rgb
from twin.view3d.colour.machine_state import STILL, CoolingShown
from twin.view3d.colour.override_colours import MachineColours
from twin.view3d.gl.draw_context import DrawContext, program

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute float a_arc;       // distance along the pipe [m]
attribute float a_line;
varying float v_light;
varying float v_arc;
varying float v_line;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_light = 0.34 + 0.62 * light_on(a_normal);
    v_arc = a_arc;
    v_line = a_line;
}
"""

_FRAGMENT = """
uniform sampler2D u_lines;   // row 0: colour, whether it flows back;
                             // row 1: stripe phase, contrast, whether it stands still, how much shows
uniform float u_texels;
varying float v_light;
varying float v_arc;
varying float v_line;
void main() {
    float column = (floor(v_line + 0.5) + 0.5) / u_texels;
    vec4 water_back = texture2D(u_lines, vec2(column, 0.25));
    vec3 water = water_back.rgb;
    vec4 flow = texture2D(u_lines, vec2(column, 0.75));
    float turn = v_arc / %.3f;
    float blur = max(fwidth(turn), 1e-4);
    float saw = abs(fract(turn - flow.r) - 0.5);
    float stripe = clamp((0.17 - saw) / blur + 0.5, 0.0, 1.0);
    stripe = mix(stripe, 0.34, clamp(blur * 1.5 - 0.3, 0.0, 1.0)) * flow.g;
    vec3 bright = mix(water, vec3(1.0), 0.30) * 1.12;
    // Return pipes carry two narrow dark rings where supply pipes carry a broad light stripe.
    float rings = clamp((0.045 - abs(saw - 0.11)) / blur + 0.5, 0.0, 1.0);
    rings = mix(rings, 0.18, clamp(blur * 2.0 - 0.3, 0.0, 1.0)) * flow.g;
    vec3 there = mix(water * 0.80, bright, stripe);
    vec3 back = mix(water * 0.95, water * 0.22, rings);
    vec3 colour = mix(there, back, water_back.a) * v_light;
    float ring = clamp((0.06 - abs(fract(v_arc / 0.9) - 0.5)) / max(blur * 1.78, 1e-4) + 0.5, 0.0, 1.0);
    vec3 dull = mix(vec3(dot(water, vec3(0.33))), water, 0.55) * 0.40;
    vec3 still = mix(dull, vec3(0.98, 0.13, 0.24), ring) * v_light;
    colour = mix(colour, still, flow.b);
    colour = mix(mix(u_ground, vec3(dot(colour, vec3(0.33))), 0.35), colour, flow.a);
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), 1.0);
}
"""

STRIPE_M = 1.6
"""Distance between stripes."""
SPEED_M_S = 1.1
"""Speed of the stripes at the design flow: that of the picture, slower than water in such pipes (about 2 m/s)."""

FADED = 0.25
"""How much shows of pipes that a trace leaves out."""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_normal", np.float32, 3),
        ("a_arc", np.float32),
        ("a_line", np.float32),
    ]
)

_SIDES = 10


class Coolant:
    """Draws all pipes in one call; the state of a line is two texels."""

    def __init__(self, plant: Plant, pipes: Pipes) -> None:
        self._plant, self._pipes = plant, pipes
        self._count = len(pipes.lines)
        self._turn = np.zeros(self._count)
        self._flow = np.ones(self._count)
        if not self._count:
            return
        positions, normals, arc_m, line, triangles = tubes(
            pipes.lines.points, pipes.lines.first, pipes.radius_m, _SIDES
        )
        vertices = np.zeros(len(positions), _TYPE)
        vertices["a_position"], vertices["a_normal"] = positions, normals
        vertices["a_arc"], vertices["a_line"] = arc_m, line
        self._program = program(_VERTEX, _FRAGMENT % STRIPE_M, vertices)
        self._indices = gloo.IndexBuffer(triangles)
        self._texels = np.zeros((2, self._count, 4), np.uint8)
        self._texels[1, :, 3] = 255
        self._texels[0, :, 3] = np.where(pipes.kind == PipeKind.SUPPLY, 0, 255)
        self._texture = gloo.Texture2D(self._texels, interpolation="nearest", wrapping="clamp_to_edge")
        self.set_frame(None)

    def set_plant(self, plant: Plant) -> None:
        """Take another plant with the same pipes; all of them shine."""
        self._plant = plant
        self.light(None)

    def set_frame(self, frame: Frame | None, painted: MachineColours | None = None) -> None:
        """Take temperatures and flows, or other colours; without a frame the design temperatures stand still."""
        if not self._count:
            return
        temp_c = self._temperatures(frame)
        pipes = self._pipes
        if frame is None:
            self._flow = np.zeros(self._count)
            still = np.zeros(self._count, bool)
        else:
            shown = CoolingShown.of(self._plant, frame)
            at_loop = shown.loop_flow[np.maximum(pipes.loop, 0)]
            at_plant = shown.plant_flow[np.maximum(pipes.plant, 0)]
            secondary = (pipes.circuit == WaterCircuit.SECONDARY) & (pipes.loop >= 0)
            self._flow = np.where(secondary, at_loop, at_plant) / 100
            still = self._flow * 100 < STILL
        rgb = coolant_rgb(temp_c) if painted is None else self._painted(painted)
        self._texels[0, :, :3] = np.rint(rgb * 255)
        self._texels[1, :, 1] = np.rint(255 * np.clip(0.45 + 0.55 * self._flow, 0, 1))
        self._texels[1, :, 2] = 255 * still
        self._upload()

    def advance(self, elapsed_s: float) -> bool:
        """Move the stripes; return whether anything flows."""
        if not self._count or not self._flow.any():
            return False
        self._turn = (self._turn + self._flow * elapsed_s * SPEED_M_S / STRIPE_M) % 1.0
        self._upload()
        return True

    def light(self, loops: NDArray[np.bool_] | None, plants: NDArray[np.bool_] | None = None) -> None:
        """Let only the pipes of these loops and plants shine; None: all."""
        if not self._count:
            return
        pipes = self._pipes
        if loops is None or plants is None:
            lit = np.ones(self._count, bool)
        else:
            header = pipes.loop < 0
            lit = np.where(header, plants[np.maximum(pipes.plant, 0)], loops[np.maximum(pipes.loop, 0)])
        self._texels[1, :, 3] = np.where(lit, 255, round(255 * FADED))
        self._upload()

    def draw(self, stage: DrawContext) -> None:
        """Draw with depth test on."""
        if not self._count:
            return
        stage.light(self._program)
        self._program["u_lines"] = self._texture
        self._program["u_texels"] = float(self._count)
        self._program.draw("triangles", self._indices)

    def _upload(self) -> None:
        self._texels[1, :, 0] = (self._turn * 256).astype(np.uint8)
        self._texture.set_data(self._texels)

    def _painted(self, painted: MachineColours) -> NDArray[np.float64]:
        pipes = self._pipes
        back = (pipes.kind != PipeKind.SUPPLY).astype(int)
        secondary = (pipes.circuit == WaterCircuit.SECONDARY) & (pipes.loop >= 0)
        at_loop = painted.loops[np.maximum(pipes.loop, 0), back]
        at_plant = painted.plants[np.maximum(pipes.plant, 0), back]
        return np.asarray(np.where(secondary[:, None], at_loop, at_plant))

    def _temperatures(self, frame: Frame | None) -> NDArray[np.float64]:
        pipes, plant = self._pipes, self._plant
        supply = pipes.kind == PipeKind.SUPPLY
        loop, facility = np.maximum(pipes.loop, 0), np.maximum(pipes.plant, 0)
        secondary = (pipes.circuit == WaterCircuit.SECONDARY) & (pipes.loop >= 0)
        if frame is None:
            at_loop = plant.loops.supply_c[loop] + np.where(supply, 0.0, 10.0)
            at_plant = plant.plants.supply_c[facility] + np.where(supply, 0.0, 8.0)
        else:
            values = {
                k: np.asarray(v, float) for k, v in frame.values.items() if k.startswith(("loop.", "plant."))
            }
            at_loop = np.where(supply, values["loop.supply_c"][loop], values["loop.return_c"][loop])
            at_plant = np.where(
                supply, values["plant.supply_c"][facility], values["plant.return_c"][facility]
            )
        return np.asarray(np.where(secondary, at_loop, at_plant))
