"""Cable bundles: round tubes in the trays and drops into the racks, coloured by rail, in two merged meshes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.geometry import TrayBundles
from twin.view3d.meshes import straight_tubes, tube
from twin.view3d.palette import Rgb
from twin.view3d.stage import Stage, program

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec3 a_colour;
varying vec3 v_colour;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_colour = a_colour * (0.30 + 0.62 * light_on(a_normal));
}
"""

_FRAGMENT = """
varying vec3 v_colour;
void main() {
    gl_FragColor = vec4(mix(v_colour, u_ground, v_fog), 1.0);
}
"""

_TYPE = np.dtype([("a_position", np.float32, 3), ("a_normal", np.float32, 3), ("a_colour", np.float32, 3)])

RAIL_RGB: tuple[Rgb, ...] = (
    (0.86, 0.66, 0.13),
    (0.13, 0.68, 0.74),
    (0.62, 0.36, 0.84),
    (0.85, 0.42, 0.55),
    (0.45, 0.70, 0.30),
    (0.28, 0.48, 0.88),
    (0.88, 0.49, 0.20),
    (0.60, 0.66, 0.74),
)
"""Colours of rails 0, 1, 2 ...; more rails begin again."""
SPINE_RGB: Rgb = (0.50, 0.57, 0.68)

TRUNK_SIDES, DROP_SIDES = 8, 4
FINE_SIDES = 14
"""Sides of the trunks of a small hall, which is looked at from near by."""
FEW = 120


def rail_rgb(rail: int) -> Rgb:
    """Return the colour of a rail; -1 is the cables from leaf to spine."""
    return SPINE_RGB if rail < 0 else RAIL_RGB[rail % len(RAIL_RGB)]


def _vertices(
    positions: NDArray[np.float64], normals: NDArray[np.float64], rgb: NDArray[np.float64]
) -> NDArray[np.void]:
    out = np.zeros(len(positions), _TYPE)
    out["a_position"], out["a_normal"], out["a_colour"] = positions, normals, rgb
    return out


def trunk_mesh(bundles: TrayBundles) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """Return vertices and triangles of the bundles that lie in trays."""
    parts, triangles, base = [np.zeros(0, _TYPE)], [np.zeros(0, np.uint32)], 0
    trunks = np.flatnonzero(bundles.rack < 0)
    sides = FINE_SIDES if len(trunks) <= FEW else TRUNK_SIDES
    for k in trunks:
        points = bundles.lines.points[bundles.lines.first[k] : bundles.lines.first[k + 1]]
        positions, normals, _, indices = tube(points, float(bundles.radius_m[k]), sides)
        parts.append(_vertices(positions, normals, np.array(rail_rgb(int(bundles.rail[k])))))
        triangles.append(indices + np.uint32(base))
        base += len(positions)
    return np.concatenate(parts), np.concatenate(triangles)


def drop_mesh(bundles: TrayBundles) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """Return vertices and triangles of the drops into racks, every piece a straight tube."""
    first = bundles.lines.first.astype(np.int64)
    pieces = np.diff(first) - 1
    line = np.repeat(np.arange(len(pieces)), pieces)
    start = np.concatenate([np.arange(a, b - 1) for a, b in pairwise(first.tolist())] or [first[:0]])
    drops = bundles.rack[line] >= 0
    line, start = line[drops], start[drops]
    if not len(line):
        return np.zeros(0, _TYPE), np.zeros(0, np.uint32)
    points = bundles.lines.points
    positions, normals, _, indices = straight_tubes(
        points[start], points[start + 1], bundles.radius_m[line].astype(float), DROP_SIDES
    )
    rgb = np.array([rail_rgb(int(r)) for r in bundles.rail[line]])
    return _vertices(positions, normals, np.repeat(rgb, 2 * DROP_SIDES, axis=0)), indices


class Cables:
    """Draws one mesh of bundles."""

    def __init__(self, mesh: tuple[NDArray[np.void], NDArray[np.uint32]]) -> None:
        vertices, triangles = mesh
        self._any = len(vertices) > 0
        if self._any:
            self._program = program(_VERTEX, _FRAGMENT, vertices)
            self._indices = gloo.IndexBuffer(triangles)

    def draw(self, stage: Stage) -> None:
        """Draw with depth test on."""
        if self._any:
            stage.light(self._program)
            self._program.draw("triangles", self._indices)
