"""Fronts that carry no GPU value: switches with their port lights, NVLink trays, power shelves, storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Bools
from twin.plant.geometry import Geometry
from twin.plant.tables import RACK_FOOT_M, U_M, FixtureKind, Plant, SwitchRole
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base.fronts import face_corners
from twin.view3d.base.palette import DEAD_RGB, Rgb
from twin.view3d.base.state import CablesBy
from twin.view3d.colour.cable_colours import load_rgb
from twin.view3d.colour.override_colours import MachineColours
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.gl.rack_quads import RackQuads

_VERTEX = """
attribute vec3 a_position;
attribute vec2 a_cell;       // place in units of lights
attribute vec2 a_light;      // half width and height of a light, in cells
attribute vec4 a_base;       // colour of the plate, share of lights that are lit
attribute vec4 a_lit;        // colour of the lights, seed
attribute float a_face;      // number of the front
varying vec2 v_cell;
varying vec2 v_light_size;
varying vec4 v_base;
varying vec4 v_lit;
varying float v_face;
void main() {
    v_face = a_face;
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_cell = a_cell;
    v_light_size = a_light;
    v_base = a_base;
    v_lit = a_lit;
}
"""

_FRAGMENT = """
uniform float u_phase;
uniform sampler2D u_faces;   // per front: colour of its data, how much of the plate shows it (0: no data)
uniform vec2 u_shape;        // texels per line, lines
varying vec2 v_cell;
varying vec2 v_light_size;
varying vec4 v_base;
varying vec4 v_lit;
varying float v_face;
void main() {
    float face = floor(v_face + 0.5);
    float line = floor((face + 0.5) / u_shape.x);
    vec4 data = texture2D(u_faces, vec2(face - line * u_shape.x + 0.5, line + 0.5) / u_shape);
    float known = step(0.002, data.a);
    vec2 cell = floor(v_cell);
    vec2 blur = fwidth(v_cell);
    vec2 reach = abs(v_cell - cell - 0.5);
    vec2 cover = clamp((v_light_size - reach) / max(blur, 1e-4) + 0.5, 0.0, 1.0);
    cover = mix(cover, 2.0 * v_light_size, clamp(blur * 1.6 - 0.4, 0.0, 1.0));
    // Interpolation leaves noise in the last bits of a constant, which the hash would show: round it first.
    float seed = floor(v_lit.w + 0.5);
    float dice = fract(sin(dot(cell, vec2(12.9898, 78.233)) + seed * 0.37) * 43758.5);
    float beat = fract(dice * 7.31 + u_phase * (0.4 + dice));
    float lit = step(dice, v_base.w) * (0.62 + 0.38 * step(0.35, beat));
    lit = mix(lit, v_base.w * 0.8, clamp(blur.x - 0.5, 0.0, 1.0));
    vec3 tint = mix(v_lit.rgb, vec3(1.0, 0.66, 0.22), step(0.86, fract(dice * 31.7)));
    tint = mix(tint, data.rgb, known);
    vec3 plate = mix(v_base.rgb, data.rgb, data.a);
    vec3 colour = plate + (tint * lit + 0.05) * cover.x * cover.y;
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), 1.0);
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_cell", np.float32, 2),
        ("a_light", np.float32, 2),
        ("a_base", np.float32, 4),
        ("a_lit", np.float32, 4),
        ("a_face", np.float32),
    ]
)


@dataclass(frozen=True)
class _Look:
    """How a kind of front is drawn: lights across, per rack unit, their size and colours."""

    across: float
    per_u: float
    light: tuple[float, float]
    plate: Rgb
    lit_share: float
    lit: Rgb


_LEAF = _Look(32, 2, (0.30, 0.27), (0.030, 0.036, 0.048), 0.88, (0.20, 0.85, 0.90))
_SPINE = _Look(32, 2, (0.30, 0.27), (0.036, 0.034, 0.052), 0.92, (0.64, 0.52, 1.00))
_CORE = _Look(32, 2, (0.30, 0.27), (0.046, 0.040, 0.034), 0.94, (1.00, 0.74, 0.36))
_ROLES: dict[SwitchRole, _Look] = {SwitchRole.LEAF: _LEAF, SwitchRole.SPINE: _SPINE, SwitchRole.CORE: _CORE}
_FIXTURES: dict[FixtureKind, _Look] = {
    FixtureKind.NVLINK_TRAY: _Look(18, 1, (0.34, 0.16), (0.050, 0.062, 0.060), 0.95, (0.42, 0.88, 0.30)),
    FixtureKind.POWER_SHELF: _Look(6, 1, (0.06, 0.14), (0.105, 0.110, 0.122), 1.0, (0.30, 0.92, 0.42)),
    FixtureKind.STORAGE: _Look(12, 1, (0.05, 0.26), (0.070, 0.080, 0.098), 0.9, (0.30, 0.62, 1.00)),
}


def _vertices(
    plant: Plant,
    rack: NDArray[np.int32],
    u0: NDArray[np.float64],
    u1: NDArray[np.float64],
    kind: NDArray[np.integer[Any]],
    look_of: Mapping[Any, _Look],
) -> NDArray[np.void]:
    kinds, of = np.unique(kind, return_inverse=True)
    looks = [look_of[each] for each in kinds.tolist()]
    none = np.zeros(len(rack))
    edge_m = 0.0025
    out = np.zeros((len(rack), 4), _TYPE)
    z0, z1 = RACK_FOOT_M + u0 * U_M + edge_m, RACK_FOOT_M + u1 * U_M - edge_m
    out["a_position"] = face_corners(plant, rack, z0, z1, none, none + 1.0)
    across, per_u = (np.array([[look.across, look.per_u] for look in looks])[of]).T
    upwards = np.maximum(1.0, np.rint((u1 - u0) * per_u))
    corner = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    out["a_cell"] = corner[None] * np.stack([across, upwards], axis=1)[:, None, :]
    out["a_light"] = np.array([look.light for look in looks])[of, None]
    out["a_base"] = np.array([(*look.plate, look.lit_share) for look in looks])[of, None]
    seed = np.floor(np.modf(np.arange(len(rack)) * 0.754877)[0] * 512)
    out["a_lit"][..., :3] = np.array([look.lit for look in looks])[of, None]
    out["a_lit"][..., 3] = seed[:, None]
    return out.ravel()


WIDTH = 1024
"""Texels per line."""
DEAD_SHARE, LOAD_SHARE = 0.9, 0.10
"""How much of its plate a dead switch and a loaded one colour; the lights are coloured whole."""


def switch_colours(by: CablesBy, state: NDArray[Any], load: NDArray[Any]) -> NDArray[np.uint8]:
    """Return colour and share of the plate for each switch, shape (n, 4); share 0: no data to show.

    Parameters
    ----------
    by
        Loads are shown together with those of the cables.
    state, load
        Channels of the switches.
    """
    out = np.zeros((len(state), 4))
    if by == "load":
        out[:, :3], out[:, 3] = load_rgb(load.astype(float)), LOAD_SHARE
    down = (state == State.FAILED) | (state == State.OFF)
    out[down, :3], out[down, 3] = DEAD_RGB, DEAD_SHARE
    return np.rint(out * 255).astype(np.uint8)


class Faces:
    """Draws the fronts of all switches and fixtures in one call."""

    def __init__(self, plant: Plant, geometry: Geometry) -> None:
        parts, racks = [], []
        switches, tiles = plant.switches, geometry.switch_tiles
        self._switches = np.flatnonzero(switches.present)
        slots = self._switches
        if len(slots):
            spots = tiles.rack[slots], tiles.u0[slots], tiles.u1[slots]
            parts.append(_vertices(plant, *spots, switches.role[slots], _ROLES))
            racks.append(tiles.rack[slots])
        fixtures = geometry.fixtures
        if len(fixtures.rack):
            spots = fixtures.rack, fixtures.u0, fixtures.u1
            parts.append(_vertices(plant, *spots, fixtures.kind, _FIXTURES))
            racks.append(fixtures.rack)
        self._quads = sum(len(p) for p in parts) // 4
        if self._quads:
            vertices = np.concatenate(parts)
            vertices["a_face"] = np.repeat(np.arange(self._quads), 4)
            self._program = program(_VERTEX, _FRAGMENT, vertices)
            self._shown = RackQuads(np.concatenate(racks))
            self._texels = np.zeros((-(-self._quads // WIDTH), WIDTH, 4), np.uint8)
            self._texture = gloo.Texture2D(self._texels, interpolation="nearest", wrapping="clamp_to_edge")

    def set_switches(self, by: CablesBy, frame: Frame | None, painted: MachineColours | None = None) -> None:
        """Show state and load of the switches in a frame, or other colours; their own lights without one."""
        if not self._quads:
            return
        self._texels[:] = 0
        known = 0 if frame is None else len(frame.values["switch.state"])
        if frame is not None and known:
            colours = switch_colours(by, frame.values["switch.state"], frame.values["switch.load"])
            if painted is not None:
                down = colours[:, 3] == round(255 * DEAD_SHARE)
                colours = np.where(down[:, None], colours, painted.switches)
            slots = self._switches[self._switches < known]
            self._texels.reshape(-1, 4)[: len(slots)] = colours[slots]
        self._texture.set_data(self._texels)

    def draw(self, stage: DrawContext, hidden: Bools) -> None:
        """Draw with depth test and back-face culling on; nothing of racks that are `hidden`, by slot."""
        if not self._quads or not self._shown.leave_out(hidden):
            return
        stage.light(self._program)
        self._program["u_phase"] = stage.phase_s
        self._program["u_faces"] = self._texture
        self._program["u_shape"] = (float(WIDTH), float(len(self._texels)))
        self._program.draw("triangles", self._shown.indices)
