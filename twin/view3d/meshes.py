"""Triangles from boxes and polylines, as numpy arrays: no GL, no plant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]

# Corner offsets (0 low, 1 high) of each face, anticlockwise seen from outside; then the normal, and the two axes
# that the face's own coordinates run along.
_FACES: dict[str, tuple[list[tuple[int, int, int]], tuple[int, int, int], tuple[int, int]]] = {
    "-x": ([(0, 1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 1)], (-1, 0, 0), (1, 2)),
    "+x": ([(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)], (1, 0, 0), (1, 2)),
    "-y": ([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], (0, -1, 0), (0, 2)),
    "+y": ([(1, 1, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1)], (0, 1, 0), (0, 2)),
    "-z": ([(0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 0)], (0, 0, -1), (0, 1)),
    "+z": ([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], (0, 0, 1), (0, 1)),
}
FACE_NAMES: tuple[str, ...] = tuple(_FACES)
UPRIGHT: tuple[str, ...] = ("-x", "+x", "-y", "+y", "+z")
"""Faces of a thing that stands on the floor."""

_QUAD = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def quad_indices(quads: int) -> Indices:
    """Return the two triangles of each of `quads` quads, shape (6 * quads,)."""
    base = np.arange(quads, dtype=np.uint32)[:, None] * 4
    return (base + np.array([0, 1, 2, 0, 2, 3], np.uint32)).ravel()


def box_face(low: Floats, high: Floats, face: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Return one face of each box.

    Parameters
    ----------
    low, high
        Corners [m], shape (n, 3).
    face
        One of FACE_NAMES.

    Returns
    -------
    positions (n, 4, 3) [m], normal (3,), own coordinates (n, 4, 2) [m] from the lower left corner, size (n, 2) [m].
    """
    corners, normal, (along, upwards) = _FACES[face]
    pick = np.array(corners, float)
    positions = low[:, None, :] + (high - low)[:, None, :] * pick
    size = (high - low)[:, [along, upwards]]
    return positions, np.array(normal, float), size[:, None, :] * _QUAD, size


def tube(points: Floats, radius_m: float, sides: int) -> tuple[Floats, Floats, Floats, Indices]:
    """Return a tube round a polyline, mitred at the bends, without caps at bends and flat caps at its ends.

    Parameters
    ----------
    points
        Shape (n, 3) with n >= 2 [m]; repeated points are dropped.
    sides
        Faces round the tube.

    Returns
    -------
    positions (v, 3) [m], normals (v, 3), arc length (v,) [m], triangle indices.
    """
    keep = np.r_[True, np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-6]
    points = points[keep]
    if len(points) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.uint32)
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    ahead = steps / lengths[:, None]
    arc = np.r_[0.0, np.cumsum(lengths)]
    around = np.arange(sides) * (2 * np.pi / sides) + np.pi / sides
    side, _ = _frame(ahead[0])
    rings, normals, arcs = [], [], []
    for k, way in enumerate(ahead):
        if k > 0:
            side = _turned(side, ahead[k - 1], way)
        spokes = np.cos(around)[:, None] * side + np.sin(around)[:, None] * np.cross(way, side)
        for end, beyond in ((k, k - 1), (k + 1, k + 1)):
            slide = np.zeros(sides)
            if 0 <= beyond < len(ahead):
                slide = _mitre(spokes * radius_m, way, ahead[beyond])
            rings.append(points[end] + spokes * radius_m + slide[:, None] * way)
            normals.append(spokes)
            arcs.append(arc[end] + slide)
    ring = np.arange(sides, dtype=np.uint32)
    following = np.roll(ring, -1)
    one = np.stack(
        [ring, following, following + sides, ring, following + sides, ring + sides], axis=1
    ).ravel()
    indices = (np.arange(len(ahead), dtype=np.uint32)[:, None] * (2 * sides) + one).ravel()
    caps_p, caps_n, caps_i = _caps(rings, ahead, sides, len(rings) * sides)
    return (
        np.concatenate([*rings, caps_p]),
        np.concatenate([*normals, caps_n]),
        np.concatenate([*arcs, np.repeat(arc[[0, -1]], sides)]),
        np.concatenate([indices, caps_i]),
    )


def _mitre(offset: Floats, way: Floats, other: Floats) -> Floats:
    """Return how far each vertex of a ring slides along its own piece to reach the plane between two pieces."""
    plane = way + other
    plane /= max(float(np.linalg.norm(plane)), 1e-9)
    slope = float(way @ plane)
    return -(offset @ plane) / slope if slope > 0.3 else np.zeros(len(offset))


def _turned(vector: Floats, before: Floats, after: Floats) -> Floats:
    """Return a vector turned as `before` is turned into `after`, so that the sides of a tube do not twist."""
    axis, cosine = np.cross(before, after), float(before @ after)
    if cosine < -0.999:
        return _frame(after)[0]
    return np.asarray(vector + np.cross(axis, vector) + np.cross(axis, np.cross(axis, vector)) / (1 + cosine))


def _caps(rings: list[Floats], ahead: Floats, sides: int, base: int) -> tuple[Floats, Floats, Indices]:
    fan = np.arange(1, sides - 1, dtype=np.uint32)
    zero = np.zeros_like(fan)
    front = np.stack([zero, fan + 1, fan], axis=1).ravel() + base
    back = np.stack([zero, fan, fan + 1], axis=1).ravel() + base + sides
    normals = np.concatenate([np.tile(-ahead[0], (sides, 1)), np.tile(ahead[-1], (sides, 1))])
    return np.concatenate([rings[0], rings[-1]]), normals, np.concatenate([front, back])


def _frame(direction: Floats) -> tuple[Floats, Floats]:
    helper = np.array([0.0, 0.0, 1.0]) if abs(direction[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    side = np.cross(direction, helper)
    side /= np.linalg.norm(side)
    return side, np.cross(direction, side)


def straight_tubes(
    start: Floats, end: Floats, radius_m: Floats, sides: int
) -> tuple[Floats, Floats, Floats, Indices]:
    """Return open straight tubes, vectorised: for the thousands of cable drops.

    Parameters
    ----------
    start, end
        Shape (n, 3) [m].
    radius_m
        Shape (n,) [m].

    Returns
    -------
    positions (n * 2 * sides, 3) [m], normals alike, arc length (n * 2 * sides,) [m], triangle indices.
    """
    count = len(start)
    ahead = (end - start) / np.maximum(np.linalg.norm(end - start, axis=1), 1e-9)[:, None]
    helper = np.where(np.abs(ahead[:, 2:3]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(ahead, helper)
    side /= np.linalg.norm(side, axis=1)[:, None]
    up = np.cross(ahead, side)
    around = np.arange(sides) * (2 * np.pi / sides)
    spokes = side[:, None, :] * np.cos(around)[None, :, None] + up[:, None, :] * np.sin(around)[None, :, None]
    offset = spokes * radius_m[:, None, None]
    positions = np.stack([start[:, None, :] + offset, end[:, None, :] + offset], axis=1)
    lengths = np.linalg.norm(end - start, axis=1)
    arc = np.stack([np.zeros((count, sides)), np.repeat(lengths[:, None], sides, axis=1)], axis=1)
    ring = np.arange(sides, dtype=np.uint32)
    following = np.roll(ring, -1)
    one = np.stack(
        [ring, following, following + sides, ring, following + sides, ring + sides], axis=1
    ).ravel()
    indices = (np.arange(count, dtype=np.uint32)[:, None] * (2 * sides) + one).ravel()
    normals = np.repeat(spokes[:, None], 2, axis=1)
    return positions.reshape(-1, 3), normals.reshape(-1, 3), arc.ravel(), indices


def end_caps(
    centres: Floats, outwards: Floats, radius_m: Floats, sides: int
) -> tuple[Floats, Floats, Indices]:
    """Return flat ends of tubes as `straight_tubes` makes them.

    Parameters
    ----------
    centres, outwards
        Place and unit direction out of the tube, shape (n, 3) [m].
    radius_m
        Shape (n,) [m].

    Returns
    -------
    positions (n * sides, 3) [m], normals alike, triangle indices.
    """
    helper = np.where(np.abs(outwards[:, 2:3]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(outwards, helper)
    side /= np.linalg.norm(side, axis=1)[:, None]
    up = np.cross(outwards, side)
    around = np.arange(sides) * (2 * np.pi / sides)
    spokes = side[:, None, :] * np.cos(around)[None, :, None] + up[:, None, :] * np.sin(around)[None, :, None]
    positions = centres[:, None, :] + spokes * radius_m[:, None, None]
    fan = np.arange(1, sides - 1, dtype=np.uint32)
    one = np.stack([np.zeros_like(fan), fan, fan + 1], axis=1).ravel()
    indices = (np.arange(len(centres), dtype=np.uint32)[:, None] * sides + one).ravel()
    return positions.reshape(-1, 3), np.repeat(outwards, sides, axis=0), indices
