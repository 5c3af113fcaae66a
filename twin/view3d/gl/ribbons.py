"""Cables from far away: strips that turn to the eye, lit like the round cables they stand for.

A cable two pixels wide shows nothing of its roundness, and the tubes of a large hall are most of the vertices there
are: in software they cost a third of a picture, and an edit has to make them anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.plant.geometry import TrayBundles
from twin.plant.tray_runs import CableRuns
from twin.view3d.base.meshes import quad_indices
from twin.view3d.gl.draw_context import DrawContext

FAR_PX = 3.5
"""Where even the nearest cable is thinner, all are strips."""

VERTEX = """
attribute vec3 a_position;
attribute vec3 a_way;        // unit vector along the cable
attribute float a_side;      // to the edge, to the left or right as seen along it [m]
attribute vec2 a_piece;      // number of the piece, distance along its line [m]
varying float v_light;
varying vec2 v_piece;
void main() {
    vec3 to_eye = normalize(u_eye - a_position);
    vec3 across = cross(to_eye, a_way);
    across /= max(length(across), 1e-6);
    vec3 position = a_position + across * a_side;
    gl_Position = u_matrix * vec4(position, 1.0);
    v_fog = fog_at(position);
    // Between the edges the light is the mean that a round cable has over its width.
    v_light = light_on(0.785 * cross(a_way, across) + 0.62 * sign(a_side) * across);
    v_piece = a_piece;
}
"""

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_way", np.float32, 3),
        ("a_side", np.float32),
        ("a_piece", np.float32, 2),
    ]
)


def ribbon_mesh(
    drawn: TrayBundles, runs: CableRuns, pieces: NDArray[np.intp], ahead_m: Floats
) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """Return vertices and triangles of one strip per piece.

    Parameters
    ----------
    drawn, runs
        Lines of the plant's geometry and their pieces.
    pieces
        Those to draw.
    ahead_m
        How far each is along its dashes where it begins [m].
    """
    ends = np.stack([runs.start_m[pieces], runs.stop_m[pieces]], axis=1)
    way = ends[:, 1] - ends[:, 0]
    length_m = np.linalg.norm(way, axis=1)
    out = np.zeros((len(pieces), 4), _TYPE)
    out["a_position"] = ends[:, (0, 1, 1, 0)]
    out["a_way"] = (way / np.maximum(length_m, 1e-9)[:, None])[:, None]
    out["a_side"] = drawn.radius_m[runs.line[pieces]][:, None] * np.array([-1.0, -1.0, 1.0, 1.0])
    out["a_piece"][:, :, 0] = pieces[:, None]
    out["a_piece"][:, :, 1] = ahead_m[:, None] + length_m[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    return out.ravel(), quad_indices(len(pieces))


def are_far(stage: DrawContext, low: Floats, high: Floats, radius_m: float) -> bool:
    """Return whether cables of at most this radius, in a box, are all thinner than `FAR_PX` in a picture."""
    nearest_m = float(np.linalg.norm(np.maximum(np.maximum(low - stage.eye_m, stage.eye_m - high), 0.0)))
    px_at_a_metre = float(np.linalg.norm(stage.matrix[1, :3])) * stage.size_px[1] / 2
    return 2 * radius_m * px_at_a_metre < FAR_PX * nearest_m
