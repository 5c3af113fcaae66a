"""GPU panels: one quad per node, whose fragment shader looks every GPU's colour up in the value texture.

The mesh is static. A vertex carries its place in units of tiles, the number of columns and rows, and the slot of
the node's first GPU; the shader computes slot, texture address and colour in floats (GLSL 1.20).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools
from twin.plant.geometry import Geometry, Tiles
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base.fronts import FRAME_M, PROUD_M, face_corners
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.gl.rack_quads import RackQuads
from twin.view3d.gl.values import VALUE_LOOKUP, ValueTexture

_VERTEX = """
attribute vec3 a_position;
attribute vec2 a_tile;       // place in units of tiles, (0, 0) lower left
attribute vec3 a_grid;       // columns, rows, slot of the lower left tile
attribute vec3 a_step;       // slots per column, slots per row, shade
attribute vec2 a_gap;        // half gap between tiles, in units of a tile
varying vec2 v_tile;
varying vec3 v_grid;
varying vec3 v_step;
varying vec2 v_gap;
varying float v_height;
uniform float u_upright;     // 1, or -1 for the reflection in the floor
void main() {
    vec3 position = vec3(a_position.xy, a_position.z * u_upright);
    gl_Position = u_matrix * vec4(position, 1.0);
    v_fog = fog_at(position);
    v_height = a_position.z;
    v_tile = a_tile;
    v_grid = a_grid;
    v_step = a_step;
    v_gap = a_gap;
}
"""

_FRAGMENT = (
    VALUE_LOOKUP
    + """
uniform vec3 u_recess;
uniform float u_gain;
varying vec2 v_tile;
varying vec3 v_grid;
varying vec3 v_step;
varying vec2 v_gap;
varying float v_height;
uniform float u_upright;
void main() {
    vec2 inside = clamp(v_tile, vec2(0.001), v_grid.xy - 0.001);
    vec2 cell = floor(inside);
    vec2 local = inside - cell;
    vec2 blur = fwidth(v_tile);
    vec2 edge = 0.5 - abs(local - 0.5);
    // Box-filtered coverage of the tile: sharp near by, the mean far away, never a moire.
    vec2 cover = clamp((edge - v_gap) / max(blur, 1e-4) + 0.5, 0.0, 1.0);
    vec2 mean = 1.0 - 2.0 * v_gap;
    cover = mix(cover, mean, clamp(blur * 2.0 - 0.6, 0.0, 1.0));
    float slot = v_grid.z + cell.x * v_step.x + cell.y * v_step.y;
    float code = code_of(slot);
    vec3 data = colour_of(code);
    float relief = 0.80 + 0.26 * local.y;
    vec3 colour = mix(u_recess, data * relief * u_gain, cover.x * cover.y);
    // A polished floor blurs what is high above it: the reflection fades with height.
    float mirrored = exp(-v_height * 1.1);
    colour *= mix(mirrored, 1.0, step(0.0, u_upright));
    gl_FragColor = vec4(mix(colour * v_step.z, u_ground, v_fog), 1.0);
}
"""
)

VERTEX_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_tile", np.float32, 2),
        ("a_grid", np.float32, 3),
        ("a_step", np.float32, 3),
        ("a_gap", np.float32, 2),
    ]
)
ROOF_STRIP_M = 0.14
"""Depth of the strips on the roof: from above they tell what the hidden fronts do."""
ROOF_EDGE_M = 0.02
ROOF_SHADE = 0.85
GAP_M = (0.0035, 0.0030)
"""Half the dark gap between neighbouring tiles, across and up [m]."""


def panel_vertices(plant: Plant, geometry: Geometry) -> NDArray[np.void]:
    """Return the vertices of all GPU panels, four per quad.

    Nodes whose GPUs form a regular grid (all shipped parts) are one quad; others get one quad per GPU.
    """
    nodes, tiles = plant.nodes, geometry.gpu_tiles
    chosen = np.flatnonzero(nodes.present & (nodes.gpu_count > 0) & plant.racks.present[nodes.rack])
    first = nodes.gpu_first[chosen].astype(np.int64)
    count = nodes.gpu_count[chosen].astype(np.int64)
    last = first + count - 1
    columns = tiles.columns[first].astype(np.int64)
    rows = -(-count // columns)
    # Slots run along columns from the first GPU's corner; rows go down (top row first) or up.
    downwards = tiles.u0[first] > tiles.u0[last]
    leftwards = tiles.column[first] > tiles.column[np.minimum(first + columns - 1, last)]
    regular = _is_regular(tiles, first, count, columns, rows, downwards, leftwards)
    row_step = np.where(downwards, -columns, columns)
    column_step = np.where(leftwards, -1, 1)
    origin = first + np.where(downwards, (rows - 1) * columns, 0) + np.where(leftwards, columns - 1, 0)
    whole = _quads(
        plant,
        nodes.rack[chosen],
        np.minimum(tiles.u0[first], tiles.u0[last]),
        np.maximum(tiles.u1[first], tiles.u1[last]),
        np.zeros(len(chosen)),
        np.ones(len(chosen)),
        np.stack([columns, rows, origin], axis=1).astype(float),
        np.stack([column_step, row_step, np.ones(len(chosen))], axis=1).astype(float),
    )[np.repeat(regular, 4)]
    odd_nodes = np.flatnonzero(~regular)
    if not len(odd_nodes):
        return whole
    odd = np.concatenate([np.arange(first[k], first[k] + count[k]) for k in odd_nodes])
    single = np.zeros((len(odd), 3))
    return np.concatenate(
        [
            whole,
            _quads(
                plant,
                plant.gpus.rack[odd],
                tiles.u0[odd],
                tiles.u1[odd],
                tiles.column[odd] / tiles.columns[odd],
                (tiles.column[odd] + 1) / tiles.columns[odd],
                single + np.stack([np.ones(len(odd)), np.ones(len(odd)), odd], axis=1),
                single + np.array([0.0, 0.0, 1.0]),
            ),
        ]
    )


def _is_regular(
    tiles: Tiles,
    first: NDArray[np.int64],
    count: NDArray[np.int64],
    columns: NDArray[np.int64],
    rows: NDArray[np.int64],
    downwards: NDArray[np.bool_],
    leftwards: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    regular: NDArray[np.bool_] = count == columns * rows
    height = (
        np.maximum(tiles.u1[first], tiles.u1[first + count - 1])
        - np.minimum(tiles.u0[first], tiles.u0[first + count - 1])
    ) / rows
    base = np.minimum(tiles.u0[first], tiles.u0[first + count - 1])
    for k in range(int(count.max(initial=0))):
        has = k < count
        slot = first + np.minimum(k, count - 1)
        column, row = k % columns, k // columns
        expected_column = np.where(leftwards, columns - 1 - column, column)
        expected_u0 = base + np.where(downwards, rows - 1 - row, row) * height
        right = (tiles.column[slot] == expected_column) & (np.abs(tiles.u0[slot] - expected_u0) < 1e-3)
        regular &= right | ~has
    return regular


def _quads(
    plant: Plant,
    rack: NDArray[np.int32],
    u0: NDArray[np.float64],
    u1: NDArray[np.float64],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    grid: NDArray[np.float64],
    step: NDArray[np.float64],
) -> NDArray[np.void]:
    z0, z1 = RACK_FOOT_M + u0 * U_M, RACK_FOOT_M + u1 * U_M
    out = np.zeros((len(rack), 4), VERTEX_TYPE)
    out["a_position"] = face_corners(plant, rack, z0, z1, left, right)
    out["a_tile"] = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])[None] * grid[:, None, :2]
    out["a_grid"] = grid[:, None, :]
    out["a_step"] = step[:, None, :]
    width = (plant.racks.width_m[rack] - 2 * FRAME_M) * (right - left) / grid[:, 0]
    height = (z1 - z0) / grid[:, 1]
    gap = np.stack([GAP_M[0] / width, GAP_M[1] / height], axis=1)
    out["a_gap"] = np.minimum(gap, 0.2)[:, None, :]
    return out.ravel()


def strip_vertices(plant: Plant) -> NDArray[np.void]:
    """Return three quads per rack with GPUs: strips over its door and along both edges of its roof.

    The rack's colour lies behind the GPUs' in the value texture, at slot (GPUs + rack).
    """
    racks = plant.racks
    has_gpus = np.bincount(plant.gpus.rack[plant.gpus.present], minlength=len(racks.present)) > 0
    rack = np.flatnonzero(racks.present & has_gpus).astype(np.int32)
    top = racks.height_m[rack]
    out = np.zeros((len(rack), 4), VERTEX_TYPE)
    none = np.zeros(len(rack))
    out["a_position"] = face_corners(plant, rack, top - 0.055, top - 0.025, none, none + 1.0)
    out["a_tile"] = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])[None]
    out["a_grid"] = np.stack([none + 1, none + 1, len(plant.gpus.present) + rack], axis=1)[:, None, :]
    out["a_step"] = (0.0, 0.0, 1.0)
    front = out["a_position"][:, 2, 1]
    inwards = -racks.facing[rack].astype(float)
    parts = [out.ravel()]
    # Trays hang over the front edge: seen from above the strip at the rear edge tells.
    for start_m in (ROOF_EDGE_M, racks.depth_m[rack] - ROOF_EDGE_M - ROOF_STRIP_M):
        roof = out.copy()
        roof["a_step"] = (0.0, 0.0, ROOF_SHADE)
        roof["a_position"][:, :, 2] = top[:, None] + 0.004
        roof["a_position"][:, :2, 1] = (front + inwards * (PROUD_M + start_m))[:, None]
        roof["a_position"][:, 2:, 1] = (front + inwards * (PROUD_M + start_m + ROOF_STRIP_M))[:, None]
        parts.append(roof.ravel())
    return np.concatenate(parts)


class Panels:
    """Draws all GPU panels in one call."""

    def __init__(self, plant: Plant, geometry: Geometry, values: ValueTexture) -> None:
        vertices = np.concatenate([panel_vertices(plant, geometry), strip_vertices(plant)])
        self._quads = len(vertices) // 4
        self._values = values
        if self._quads:
            slot, gpus = vertices["a_grid"][::4, 2].astype(np.int64), len(plant.gpus.present)
            of_gpu = plant.gpus.rack[np.minimum(slot, gpus - 1)]
            self.shown = RackQuads(np.where(slot < gpus, of_gpu, slot - gpus))
            self._program = program(_VERTEX, _FRAGMENT, vertices)

    def draw(self, stage: DrawContext, hidden: Bools, *, mirrored: bool = False) -> None:
        """Draw with depth test on; mirrored in the floor faces turn round, so cull the front ones then.

        Nothing is drawn of racks that are `hidden`, by slot.
        """
        if not self._quads or not self.shown.leave_out(hidden):
            return
        stage.light(self._program)
        self._program["u_upright"] = -1.0 if mirrored else 1.0
        self._program["u_recess"] = stage.colours.recess
        self._program["u_gain"] = stage.colours.tile_gain
        self._values.bind(self._program)
        self._program.draw("triangles", self.shown.indices)
