"""Cabinets, machines, cable trays: one merged mesh of boxes in quiet greys, lit per vertex, with drawn seams."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Bools, Floats, Ints64
from twin.plant.geometry import Boxes, Trays
from twin.plant.tables import LoopKind, Plant
from twin.view3d.base.meshes import FACE_NAMES, UPRIGHT, box_faces, quad_indices
from twin.view3d.base.theme import Colours
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.gl.rack_quads import RackQuads


class Finish(IntEnum):
    """Surface of a face; the shader draws what belongs to it."""

    PLAIN = 0  # seams only
    FRONT = 1  # cabinet front: dark recess between two posts
    REAR = 2  # perforated door
    ROOF = 3  # cabinet roof with a cable opening
    LOUVRE = 4  # machine with slats
    STEEL = 5  # trays and posts
    BASE = 6  # of cable trays, plinths
    FANS = 7  # roof of an air machine


CABINET = frozenset({Finish.PLAIN, Finish.FRONT, Finish.REAR, Finish.ROOF})
MACHINE = frozenset({Finish.PLAIN, Finish.LOUVRE, Finish.FANS})
TRAY = frozenset({Finish.STEEL, Finish.BASE})
"""Finishes of things that are drawn together. A new part must need no new shader: compiling takes long."""

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_place;      // own coordinates of the face [m]
attribute vec2 a_size;       // its size [m]
attribute float a_finish;
uniform vec3 u_tints[8];
varying vec3 v_colour;
varying vec2 v_place;
varying vec2 v_size;
varying float v_finish;
varying float v_lit;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    // Near the floor less light arrives: half as much at the bottom edge, all of it half a metre up.
    float floor_shade = 0.55 + 0.45 * clamp(a_position.z / 0.9, 0.0, 1.0);
    v_lit = light_on(a_normal) * floor_shade;
    int finish = int(a_finish + 0.5);
    v_colour = u_tints[finish] * v_lit;
    v_place = a_place;
    v_size = a_size;
    v_finish = a_finish;
}
"""

_FRAGMENT = """
uniform vec3 u_edge;
uniform vec3 u_recess;
varying vec3 v_colour;
varying vec2 v_place;
varying vec2 v_size;
varying float v_finish;
varying float v_lit;
void main() {
    vec2 blur = max(fwidth(v_place), 1e-5);
    vec2 reach = min(v_place, v_size - v_place);
    vec2 seam = clamp((0.010 - reach) / blur + 0.5, 0.0, 1.0) * clamp(0.030 / blur, 0.0, 1.0);
    float line = max(seam.x, seam.y);
    vec3 colour = v_colour;
%s    gl_FragColor = vec4(mix(colour, u_ground, v_fog), 1.0);
}
"""

_SURFACES: tuple[tuple[frozenset[Finish], str, str], ...] = (
    (
        frozenset({Finish.FANS}),
        "v_finish > 6.5",
        """
        vec2 count = max(vec2(1.0), floor(v_size / 0.75 + 0.3));
        vec2 pitch = v_size / count;
        vec2 from_hub = (fract(v_place / pitch) - 0.5) * pitch;
        float radius = length(from_hub);
        float rim = min(pitch.x, pitch.y) * 0.40;
        float soft = max(blur.x, blur.y);
        float hole = clamp((rim - radius) / soft + 0.5, 0.0, 1.0);
        float ring = clamp((0.014 - abs(radius - rim)) / soft + 0.5, 0.0, 1.0) * clamp(0.05 / soft, 0.0, 1.0);
        float blade = 0.5 + 0.5 * cos(7.0 * atan(from_hub.y, from_hub.x) + radius * 9.0);
        float hub = clamp((rim * 0.24 - radius) / soft + 0.5, 0.0, 1.0);
        vec3 inside = mix(u_recess * 0.7, v_colour * 0.62, blade * (1.0 - hub));
        colour = mix(colour, mix(inside, v_colour * 0.8, hub), hole);
        colour = mix(colour, u_edge * v_lit * 0.8, max(ring, line * 0.45));
""",
    ),
    (
        frozenset({Finish.PLAIN, Finish.STEEL, Finish.BASE}),
        "v_finish < 0.5 || v_finish > 4.5",
        """
        colour = mix(colour, u_edge * v_lit, line * 0.32);
""",
    ),
    (
        frozenset({Finish.FRONT}),
        "v_finish < 1.5",
        """
        float post = clamp((0.028 - reach.x) / blur.x + 0.5, 0.0, 1.0);
        float groove = clamp((0.006 - abs(reach.x - 0.013)) / blur.x + 0.5, 0.0, 1.0);
        vec3 bar = u_edge * v_lit * (0.72 - 0.45 * groove);
        float frame = max(post, clamp((0.018 - reach.y) / blur.y + 0.5, 0.0, 1.0));
        // Blanking plates, one per rack unit, catch a little light along their upper edges.
        float unit = (v_place.y - 0.06) / 0.04445;
        float plate = 0.55 + 0.45 * fract(unit);
        float slit = clamp((0.09 - abs(fract(unit + 0.5) - 0.5)) / (blur.y / 0.04445) + 0.5, 0.0, 1.0);
        float detail = clamp(1.4 - blur.y / 0.03, 0.0, 1.0);
        vec3 blank = u_recess * mix(1.15, plate * (1.0 - 0.75 * slit) * 1.65, detail);
        colour = mix(blank, bar, frame);
""",
    ),
    (
        frozenset({Finish.REAR}),
        "v_finish < 2.5",
        """
        vec2 hole = abs(fract(v_place / 0.055) - 0.5);
        float fine = clamp(1.2 - max(blur.x, blur.y) / 0.03, 0.0, 1.0);
        float dark = step(hole.x, 0.30) * step(hole.y, 0.30) * step(0.05, reach.x) * step(0.06, reach.y);
        colour = mix(colour * 0.80, colour * mix(0.80, 0.42, dark), fine);
        colour = mix(colour, u_edge * v_lit, line * 0.30);
""",
    ),
    (
        frozenset({Finish.ROOF}),
        "v_finish < 3.5",
        """
        vec2 from_middle = abs(v_place - v_size * vec2(0.5, 0.5));
        vec2 open = clamp((v_size * vec2(0.32, 0.10) - from_middle) / blur + 0.5, 0.0, 1.0);
        colour = mix(colour, u_recess, open.x * open.y * 0.75);
        colour = mix(colour, u_edge * v_lit, line * 0.42);
""",
    ),
    (
        frozenset({Finish.LOUVRE}),
        "v_finish < 4.5",
        """
        float slat = clamp((abs(fract(v_place.y / 0.09) - 0.5) - 0.36) / (blur.y / 0.09) + 0.5, 0.0, 1.0);
        float area = step(0.08, reach.x) * step(0.22, v_place.y) * step(0.35, v_size.y - v_place.y);
        colour = mix(colour, colour * 0.62, slat * area * clamp(1.3 - blur.y / 0.05, 0.0, 1.0));
        colour = mix(colour, u_edge * v_lit, line * 0.45);
""",
    ),
)
"""What the shader draws for some finishes, where a face has one of them: the first that holds."""


@cache
def _fragment(finishes: frozenset[Finish]) -> str:
    """Return a shader for a mesh of these finishes alone: in software each one costs wherever there is a face."""
    wanted = [(where, drawn) for some, where, drawn in _SURFACES if some & finishes]
    *branches, (_, last) = wanted
    chain = "".join(f"if ({where}) {{{drawn}    }} else " for where, drawn in branches)
    return _FRAGMENT % f"    {chain}{{{last}    }}\n"


_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_normal", np.float32, 3),
        ("a_place", np.float32, 2),
        ("a_size", np.float32, 2),
        ("a_finish", np.float32),
    ]
)


def solid_face(low: Floats, high: Floats, face: str, finish: Finish) -> NDArray[np.void]:
    """Return the vertices of one face of each box, with a finish."""
    return solid_faces(low, high, {face: finish})


def solid_faces(low: Floats, high: Floats, finishes: Mapping[str, Finish]) -> NDArray[np.void]:
    """Return the vertices of some faces of each box, face by face, each with its finish."""
    positions, normals, place, size = box_faces(low, high, tuple(finishes))
    out = np.zeros(positions.shape[:3], _TYPE)
    out["a_position"] = positions
    out["a_normal"] = normals[:, None, None]
    out["a_place"] = place
    out["a_size"] = size[:, :, None, :]
    out["a_finish"] = np.array(list(finishes.values()), float)[:, None, None]
    return out.ravel()


def cabinets(plant: Plant) -> tuple[NDArray[np.void], Ints64]:
    """Return the vertices of all cabinets, and the rack of each face; sides that touch a neighbour are left out."""
    racks = plant.racks
    alive = np.flatnonzero(racks.present)
    if not len(alive):
        return np.zeros(0, _TYPE), alive
    half = np.stack([racks.width_m[alive], racks.depth_m[alive]], axis=1) / 2
    middle = np.stack([racks.x_m[alive], racks.y_m[alive]], axis=1)
    low = np.column_stack([middle - half, np.full(len(alive), 0.02)])
    high = np.column_stack([middle + half, racks.height_m[alive]])
    every = np.ones(len(alive), bool)
    chosen = [("+z", Finish.ROOF, every)]
    for facing, front, rear in ((1, "+y", "-y"), (-1, "-y", "+y")):
        turned = racks.facing[alive] == facing
        chosen += [(front, Finish.FRONT, turned), (rear, Finish.REAR, turned)]
    chosen += [(face, Finish.PLAIN, ~_touches(low, high, side)) for face, side in (("-x", 0), ("+x", 1))]
    vertices = [solid_face(low[some], high[some], face, finish) for face, finish, some in chosen]
    return np.concatenate(vertices), np.concatenate([alive[some] for *_, some in chosen])


def _touches(low: Floats, high: Floats, side: int) -> NDArray[np.bool_]:
    """Return which boxes have a neighbour of at least their height at the low (0) or high (1) x side."""
    order = np.lexsort((low[:, 0], low[:, 1]))
    touched = np.zeros(len(low), bool)
    left, right = order[:-1], order[1:]
    beside = (np.abs(high[left, 0] - low[right, 0]) < 0.02) & (np.abs(low[left, 1] - low[right, 1]) < 0.01)
    if side == 0:
        touched[right] = beside & (high[left, 2] >= high[right, 2] - 0.01)
    else:
        touched[left] = beside & (high[right, 2] >= high[left, 2] - 0.01)
    return touched


def machines(plant: Plant, boxes: Boxes) -> NDArray[np.void]:
    """Return the vertices of CDUs (slats, plain roof) and CRAHs (slats, fans in the roof)."""
    half = np.stack([boxes.width_m, boxes.depth_m], axis=1) / 2
    middle = np.stack([boxes.x_m, boxes.y_m], axis=1)
    low = np.column_stack([middle - half, np.full(len(middle), 0.02)])
    high = np.column_stack([middle + half, boxes.height_m])
    air = plant.loops.kind[boxes.loop] == LoopKind.AIR
    parts = [np.zeros(0, _TYPE)]
    for face in UPRIGHT:
        parts.append(solid_face(low[air], high[air], face, Finish.LOUVRE if face != "+z" else Finish.FANS))
        parts.append(solid_face(low[~air], high[~air], face, Finish.PLAIN if face == "+z" else Finish.LOUVRE))
    return np.concatenate(parts)


RAIL_M = (0.025, 0.055)
"""Width and height of the side rails of a cable tray [m]."""
BASE_M = 0.008
"""Thickness of its base."""


def tray_rails(trays: Trays) -> NDArray[np.void]:
    """Return the two side rails and the base of every straight piece of cable tray."""
    lines = trays.lines
    begins = np.delete(np.arange(len(lines.points)), lines.first[1:] - 1) if len(lines) else np.zeros(0, int)
    a, b = lines.points[begins], lines.points[begins + 1]
    width_m = np.repeat(trays.width_m, np.diff(lines.first) - 1)
    aside_m, each = np.stack([-width_m / 2, width_m / 2], axis=1).ravel(), np.repeat(np.arange(len(a)), 2)
    rails = _beam(a[each], b[each], aside_m, np.full(len(each), RAIL_M[0]), RAIL_M[1])
    low, high = _beam(a, b, np.zeros(len(a)), width_m, BASE_M)
    down = np.array([0.0, 0.0, -RAIL_M[1] / 2])
    return np.concatenate(
        [_beams(*rails, Finish.STEEL), _beams(low + down, high + down, Finish.BASE)],
    )


def _beam(a: Floats, b: Floats, aside_m: Floats, width_m: Floats, height_m: float) -> tuple[Floats, Floats]:
    """Return the boxes round pieces that run along one axis each, moved sideways (pieces are axis-parallel)."""
    ahead = np.abs(b - a)
    along_x = (ahead[:, 0] > ahead[:, 1])[:, None]
    across = np.where(along_x, [0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    half = across * width_m[:, None] / 2 + np.array([0.0, 0.0, height_m / 2])
    aside = across * aside_m[:, None]
    return np.minimum(a, b) + aside - half, np.maximum(a, b) + aside + half


def _beams(low: Floats, high: Floats, finish: Finish) -> NDArray[np.void]:
    if not len(low):
        return np.zeros(0, _TYPE)
    return solid_faces(low, high, dict.fromkeys(FACE_NAMES, finish))


class Solids:
    """Draws one merged mesh of boxes.

    Parameters
    ----------
    vertices
        Of their faces.
    made_of
        Finishes there may be.
    rack
        Slot of the rack of each face, where they are of racks.
    """

    def __init__(
        self, vertices: NDArray[np.void], made_of: frozenset[Finish], rack: Ints64 | None = None
    ) -> None:
        self._quads = len(vertices) // 4
        if self._quads:
            self._program = program(_VERTEX, _fragment(made_of), vertices)
            self._of_racks = None if rack is None else RackQuads(rack)
            self._indices = (
                gloo.IndexBuffer(quad_indices(self._quads))
                if self._of_racks is None
                else self._of_racks.indices
            )

    def draw(self, stage: DrawContext, hidden: Bools | None = None) -> None:
        """Draw with depth test and back-face culling on; nothing of racks that are `hidden`, by slot."""
        if not self._quads:
            return
        if hidden is not None and self._of_racks is not None and not self._of_racks.leave_out(hidden):
            return
        stage.light(self._program)
        for finish, tint in enumerate(_tints(stage.colours)):
            self._program[f"u_tints[{finish}]"] = tint
        self._program["u_edge"] = stage.colours.edge
        self._program["u_recess"] = stage.colours.recess
        self._program.draw("triangles", self._indices)


def _tints(c: Colours) -> list[tuple[float, float, float]]:
    return [
        c.body,
        c.recess,
        c.body,
        c.body_top,
        c.machine,
        c.steel,
        c.tray_base,
        c.machine,
    ]
