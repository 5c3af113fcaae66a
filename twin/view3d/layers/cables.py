"""Cable bundles: round tubes in trays and drops into racks, two merged meshes; dashes run where a collective sends.

From far away they are strips instead, see `ribbons`. The state of every piece of cable comes from one texture.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.geometry import TrayBundles
from twin.plant.tray_runs import CableRuns
from twin.view3d.base.meshes import end_caps, straight_tubes
from twin.view3d.base.palette import Rgb
from twin.view3d.gl.draw_context import FRAGMENT_COMMON, VERTEX_COMMON, DrawContext
from twin.view3d.gl.program_pool import Program
from twin.view3d.gl.ribbons import VERTEX as RIBBON_VERTEX
from twin.view3d.gl.ribbons import are_far, ribbon_mesh

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_piece;      // number of the piece, distance along its line [m]
varying float v_light;
varying vec2 v_piece;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_light = light_on(a_normal);
    v_piece = a_piece;
}
"""

_LOOKUP = """
uniform sampler2D u_pieces;  // per piece: colour, how much it shines by itself
uniform vec2 u_shape;        // texels per line, lines
varying float v_light;
varying vec2 v_piece;
vec2 address() {
    float piece = floor(v_piece.x + 0.5);
    float line = floor((piece + 0.5) / u_shape.x);
    return vec2(piece - line * u_shape.x + 0.5, line + 0.5) / u_shape;
}
vec3 lit() {
    vec4 cable = texture2D(u_pieces, address());
    return cable.rgb * mix(0.30 + 0.62 * v_light, 0.66 + 0.34 * v_light, cable.a);
}
"""

_STILL = """
void main() {
    gl_FragColor = vec4(mix(lit(), u_ground, v_fog), 1.0);
}
"""

_FLOWING = """
uniform sampler2D u_flows;   // per piece: traffic along the line and against it
uniform float u_phase;       // dashes passed since the beginning
uniform float u_every;       // distance between dashes [m]
uniform vec3 u_dash;
float dash(float at, float blur) {
    float here = fract(at);
    float head = clamp((1.0 - here) / max(blur, 0.02), 0.0, 1.0);
    float comet = here * here * here * here * head;
    return mix(comet, 0.20, clamp(blur * 1.6 - 0.5, 0.0, 1.0));
}
void main() {
    vec4 flow = texture2D(u_flows, address());
    float at = v_piece.y / u_every;
    float blur = fwidth(at);
    float busy = max(flow.r, flow.g);
    float there = dash(at - u_phase, blur) * flow.r;
    float back = dash(0.5 - at - u_phase, blur) * flow.g;
    vec3 colour = lit() * mix(1.0, 0.38, busy) + u_dash * 0.10 * busy;
    float shine = clamp(max(there, back), 0.0, 1.0);
    colour = mix(colour, mix(u_dash, vec3(1.0), 0.35 * shine), shine);
    gl_FragColor = vec4(mix(colour, u_ground, v_fog * (1.0 - 0.5 * shine)), 1.0);
}
"""

DASH_M, FAR_M = 1.5, 36.0
"""Distance between dashes, and from how far away they lie further apart."""
GOLDEN = 0.618034
DASH_M_S = 2.2
"""Speed of the dashes near by: that of the picture; light in a fibre does 2e8 m/s."""

_TYPE = np.dtype([("a_position", np.float32, 3), ("a_normal", np.float32, 3), ("a_piece", np.float32, 2)])

TRUNK_SIDES, DROP_SIDES = 6, 4
FINE_SIDES = 14
"""Sides of the trunks of a small hall, which is looked at from near by."""
FEW = 400
"""Pieces in the trays of a small hall at most."""
COARSE_SIDES = 3
"""Sides of the trunks of a large hall while the camera moves: vertices are what they cost in software."""
WIDTH = 1024
"""Texels per line of the textures."""


def dash_m(distance_m: float) -> float:
    """Return the distance between dashes, so that they can be told apart from a distance [m]; it changes in steps."""
    return float(DASH_M * 2.0 ** max(0, round(np.log2(max(distance_m, 1.0) / FAR_M))))


def trunk_sides(drawn: TrayBundles, runs: CableRuns) -> int:
    """Return how many sides trunks have at rest."""
    return FINE_SIDES if len(trunk_pieces(drawn, runs)) <= FEW else TRUNK_SIDES


def trunk_pieces(drawn: TrayBundles, runs: CableRuns) -> NDArray[np.intp]:
    """Return the pieces that lie in trays."""
    return np.flatnonzero((drawn.rack[runs.line] < 0) & runs.used)


def drop_pieces(drawn: TrayBundles, runs: CableRuns) -> NDArray[np.intp]:
    """Return the pieces that go down into racks."""
    return np.flatnonzero((drawn.rack[runs.line] >= 0) & runs.used)


def trunk_mesh(
    drawn: TrayBundles, runs: CableRuns, sides: int
) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """Return vertices and triangles of the pieces that lie in trays, with caps where cables end."""
    pieces = trunk_pieces(drawn, runs)
    body, triangles = _tubes(drawn, runs, pieces, sides)
    if not len(pieces):
        return body, triangles
    apart = (np.diff(runs.line[pieces]) > 0) | (np.diff(pieces) > 1)
    begins, ends = pieces[np.concatenate([[True], apart])], pieces[np.concatenate([apart, [True]])]
    way = runs.stop_m[begins] - runs.start_m[begins]
    way /= np.linalg.norm(way, axis=1)[:, None]
    parts, base = [body], len(body)
    faces = [triangles]
    for chosen, at_m, outwards in ((begins, runs.start_m[begins], -way), (ends, runs.stop_m[ends], way)):
        radius_m = drawn.radius_m[runs.line[chosen]].astype(float)
        positions, normals, indices = end_caps(at_m, outwards, radius_m, sides)
        out = np.zeros(len(positions), _TYPE)
        out["a_position"], out["a_normal"] = positions, normals
        out["a_piece"][:, 0] = np.repeat(chosen, sides)
        parts.append(out)
        faces.append(indices + np.uint32(base))
        base += len(out)
    return np.concatenate(parts), np.concatenate(faces)


def drop_mesh(drawn: TrayBundles, runs: CableRuns) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """Return vertices and triangles of the drops into racks."""
    return _tubes(drawn, runs, drop_pieces(drawn, runs), DROP_SIDES)


def _tubes(
    drawn: TrayBundles, runs: CableRuns, pieces: NDArray[np.intp], sides: int
) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    if not len(pieces):
        return np.zeros(0, _TYPE), np.zeros(0, np.uint32)
    radius_m = drawn.radius_m[runs.line[pieces]].astype(float)
    positions, normals, arc_m, indices = straight_tubes(
        runs.start_m[pieces], runs.stop_m[pieces], radius_m, sides
    )
    out = np.zeros(len(positions), _TYPE)
    out["a_position"], out["a_normal"] = positions, normals
    out["a_piece"][:, 0] = np.repeat(pieces, 2 * sides)
    out["a_piece"][:, 1] = np.repeat(_ahead_m(runs, pieces), 2 * sides) + arc_m
    return out, indices


def _ahead_m(runs: CableRuns, pieces: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how far pieces are along their dashes where they begin [m]; those of neighbours do not go abreast."""
    return runs.from_m[pieces] + runs.line[pieces] * GOLDEN % 1.0 * DASH_M


class _Texels:
    """Four bytes per piece, in lines of WIDTH."""

    def __init__(self, pieces: int) -> None:
        self.shape = (float(WIDTH), float(max(1, -(-pieces // WIDTH))))
        self._staging = np.zeros((int(self.shape[1]), WIDTH, 4), np.uint8)
        self.texture = gloo.Texture2D(self._staging, interpolation="nearest", wrapping="clamp_to_edge")

    def upload(self, texels: NDArray[np.uint8]) -> None:
        """Send the first texels, shape (pieces, 4)."""
        self._staging.reshape(-1, 4)[: len(texels)] = texels
        self.texture.set_data(self._staging)


class _Mesh:
    """Vertices drawn with or without dashes."""

    def __init__(
        self, mesh: tuple[NDArray[np.void], NDArray[np.uint32]], vertex_shader: str = _VERTEX
    ) -> None:
        vertices, triangles = mesh
        self._shader = vertex_shader
        self.any = len(vertices) > 0
        if self.any:
            self._vertices = gloo.VertexBuffer(vertices)
            self._indices = gloo.IndexBuffer(triangles)
            self._still = self._program(_STILL)
            self._flowing: Program | None = None

    def draw(self, stage: DrawContext, pieces: _Texels, flows: _Texels | None, dash: Rgb) -> None:
        if flows is None:
            program = self._still
        else:
            if self._flowing is None:
                self._flowing = self._program(_FLOWING)
            program = self._flowing
            program["u_flows"] = flows.texture
            every_m = dash_m(stage.distance_m)
            program["u_every"] = every_m
            program["u_phase"] = float(np.float32(stage.phase_s * DASH_M_S / DASH_M % 1.0))
            program["u_dash"] = dash
        stage.light(program)
        program["u_pieces"], program["u_shape"] = pieces.texture, pieces.shape
        program.draw("triangles", self._indices)

    def _program(self, fragment: str) -> Program:
        made = Program(VERTEX_COMMON + self._shader, FRAGMENT_COMMON + _LOOKUP + fragment)
        made.bind(self._vertices)
        return made


class Cables:
    """Draws all cables in two calls, trunks and drops.

    Parameters
    ----------
    drawn, runs
        Lines of the plant's geometry and their pieces.
    """

    def __init__(self, drawn: TrayBundles, runs: CableRuns) -> None:
        self._lines = (drawn, runs)
        points = drawn.lines.points if len(drawn.lines.points) else np.zeros((1, 3))
        self._extent = points.min(axis=0), points.max(axis=0), float(drawn.radius_m.max(initial=0.0))
        self._count = len(runs)
        self._pieces = _Texels(self._count)
        self._flows: _Texels | None = None
        self._dash: Rgb = (1.0, 1.0, 1.0)
        self.flowing = False

    # Each mesh is made when it is first drawn: an edit shows without the others.

    @cached_property
    def _trunks(self) -> _Mesh:
        return _Mesh(trunk_mesh(*self._lines, trunk_sides(*self._lines)))

    @cached_property
    def _drops(self) -> _Mesh:
        return _Mesh(drop_mesh(*self._lines))

    @cached_property
    def _coarse(self) -> _Mesh:
        """Trunks for a moving camera."""
        few = trunk_sides(*self._lines) == FINE_SIDES
        return self._trunks if few else _Mesh(trunk_mesh(*self._lines, COARSE_SIDES))

    @cached_property
    def _far_trunks(self) -> _Mesh:
        return self._ribbons(trunk_pieces(*self._lines))

    @cached_property
    def _far_drops(self) -> _Mesh:
        return self._ribbons(drop_pieces(*self._lines))

    def _ribbons(self, pieces: NDArray[np.intp]) -> _Mesh:
        ahead_m = _ahead_m(self._lines[1], pieces)
        return _Mesh(ribbon_mesh(*self._lines, pieces, ahead_m), RIBBON_VERTEX)

    def set_colours(self, rgba: NDArray[np.uint8]) -> None:
        """Colour the pieces: red, green, blue and how much each shines by itself, shape (pieces, 4)."""
        self._pieces.upload(rgba)

    def set_flows(self, there: NDArray[np.float64], back: NDArray[np.float64], dash: Rgb) -> None:
        """Let dashes run where traffic goes along a piece's line and against it, 0..1 each, in a colour."""
        if self._flows is None:
            self._flows = _Texels(self._count)
        texels = np.zeros((self._count, 4), np.uint8)
        texels[:, 0], texels[:, 1] = np.rint(there * 255), np.rint(back * 255)
        self._flows.upload(texels)
        self._dash = dash
        self.flowing = bool(texels.any())

    def draw(self, stage: DrawContext, *, moving: bool, dashes: bool) -> None:
        """Draw with depth test on; in motion coarse trunks alone."""
        flows = self._flows if dashes and self.flowing else None
        for mesh in self._meshes(are_far(stage, *self._extent), moving):
            if mesh.any:
                mesh.draw(stage, self._pieces, flows, self._dash)

    def _meshes(self, far: bool, moving: bool) -> tuple[_Mesh, ...]:
        if far:
            return (self._far_trunks,) if moving else (self._far_trunks, self._far_drops)
        return (self._coarse,) if moving else (self._trunks, self._drops)
