"""Triangles from boxes and polylines, as numpy arrays: no GL, no plant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, UInts32

# Corner offsets (0 low, 1 high) of each face, anticlockwise seen from outside; then the normal, and the two axes
# that the face's own coordinates run along.
_SAID: dict[str, tuple[list[tuple[int, int, int]], tuple[int, int, int], tuple[int, int]]] = {
    "-x": ([(0, 1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 1)], (-1, 0, 0), (1, 2)),
    "+x": ([(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)], (1, 0, 0), (1, 2)),
    "-y": ([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], (0, -1, 0), (0, 2)),
    "+y": ([(1, 1, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1)], (0, 1, 0), (0, 2)),
    "-z": ([(0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 0)], (0, 0, -1), (0, 1)),
    "+z": ([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], (0, 0, 1), (0, 1)),
}
_FACES = {
    name: (np.array(c, float), np.array(n, float), np.array(axes)) for name, (c, n, axes) in _SAID.items()
}
FACE_NAMES: tuple[str, ...] = tuple(_FACES)
UPRIGHT: tuple[str, ...] = ("-x", "+x", "-y", "+y", "+z")
"""Faces of a thing that stands on the floor."""

_QUAD = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def quad_indices(quads: int) -> UInts32:
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
    positions, normals, place, size = box_faces(low, high, (face,))
    return positions[0], normals[0], place[0], size[0]


def box_faces(low: Floats, high: Floats, faces: Sequence[str]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return some faces of each box, as `box_face` does: arrays by face."""
    corners, normals, along = (np.stack(each) for each in zip(*(_FACES[face] for face in faces), strict=True))
    extent = high - low
    size = extent[:, along].transpose(1, 0, 2)
    positions = low[:, None, :] + extent[:, None, :] * corners[:, None]
    return positions, normals, size[:, :, None, :] * _QUAD, size


def turned(places: Floats, ahead: Floats) -> Floats:
    """Return places (..., 2) turned about the origin, so that their x axis lies along unit vectors `ahead` (..., 2)."""
    return np.asarray(places[..., :1] * ahead + places[..., 1:] * ahead[..., ::-1] * np.array([-1.0, 1.0]))


def tubes(
    points: Floats, first: NDArray[np.int32], radius_m: Floats, sides: int
) -> tuple[Floats, Floats, Floats, NDArray[np.int64], UInts32]:
    """Return tubes round polylines, mitred at the bends, without caps at bends and flat caps at their ends.

    Those with as many points are made at once.

    Parameters
    ----------
    points, first
        All points (n, 3) [m], and where those of each line begin; behind the last, their number. Repeated points are
        dropped.
    radius_m
        Of each line.
    sides
        Faces round a tube.

    Returns
    -------
    positions (v, 3) [m], normals (v, 3), arc length (v,) [m], line of each vertex, triangle indices.
    """
    line = np.repeat(np.arange(len(radius_m)), np.diff(first))
    keep = _apart(points)
    keep[first[:-1][np.diff(first) > 0]] = True
    points, line = points[keep], line[keep]
    counts = np.bincount(line, minlength=len(radius_m))
    begins = np.cumsum(counts) - counts
    parts = [(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int64))]
    triangles, base = [np.zeros(0, np.uint32)], 0
    for count in np.unique(counts[counts > 1]).tolist():
        same_count = np.flatnonzero(counts == count)
        positions, normals, arc, faces = _tubes(
            points[begins[same_count][:, None] + np.arange(count)], radius_m[same_count], sides
        )
        each = positions.shape[1]
        parts.append(
            (positions.reshape(-1, 3), normals.reshape(-1, 3), arc.ravel(), np.repeat(same_count, each))
        )
        starts = base + each * np.arange(len(same_count), dtype=np.uint32)
        triangles.append((starts[:, None] + faces).ravel().astype(np.uint32))
        base += each * len(same_count)
    positions, normals, arc, of_line = (np.concatenate(column) for column in zip(*parts, strict=True))
    return positions, normals, arc, of_line, np.concatenate(triangles)


def _apart(points: Floats) -> NDArray[np.bool_]:
    """Return which points are not the same as the one before."""
    apart: NDArray[np.bool_] = np.ones(len(points), bool)
    apart[1:] = np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-6
    return apart


def _tubes(points: Floats, radius_m: Floats, sides: int) -> tuple[Floats, Floats, Floats, UInts32]:
    """Return tubes round lines of as many points each (m, n, 3): arrays by line, and the triangles of one."""
    steps = np.diff(points, axis=1)
    lengths = np.linalg.norm(steps, axis=2)
    ahead = steps / lengths[..., None]
    arc = np.concatenate([np.zeros((len(points), 1)), np.cumsum(lengths, axis=1)], axis=1)
    around = np.arange(sides) * (2 * np.pi / sides) + np.pi / sides
    cosine, sine = np.cos(around)[:, None], np.sin(around)[:, None]
    pieces = ahead.shape[1]
    side = _frame(ahead[:, 0])
    rings, normals, arcs = [], [], []
    for k in range(pieces):
        way = ahead[:, k]
        if k > 0:
            side = _turned(side, ahead[:, k - 1], way)
        spokes = cosine * side[:, None] + sine * cross(way, side)[:, None]
        for end, beyond in ((k, k - 1), (k + 1, k + 1)):
            slide = np.zeros((len(points), sides))
            if 0 <= beyond < pieces:
                slide = _mitre(spokes * radius_m[:, None, None], way, ahead[:, beyond])
            ring = points[:, end, None] + spokes * radius_m[:, None, None]
            rings.append(ring + slide[..., None] * way[:, None])
            normals.append(spokes)
            arcs.append(arc[:, end, None] + slide)
    caps = [np.broadcast_to(each[:, None], rings[0].shape) for each in (-ahead[:, 0], ahead[:, -1])]
    ends = [np.broadcast_to(arc[:, at, None], arcs[0].shape) for at in (0, -1)]
    return (
        np.concatenate([*rings, rings[0], rings[-1]], axis=1),
        np.concatenate([*normals, *caps], axis=1),
        np.concatenate([*arcs, *ends], axis=1),
        _triangles(pieces, sides),
    )


def _triangles(pieces: int, sides: int) -> UInts32:
    """Return the triangles of one tube: of its pieces, then of its two caps."""
    ring = np.arange(sides, dtype=np.uint32)
    following = np.roll(ring, -1)
    triangles = np.stack(
        [ring, following, following + sides, ring, following + sides, ring + sides], axis=1
    ).ravel()
    body = (np.arange(pieces, dtype=np.uint32)[:, None] * (2 * sides) + triangles).ravel()
    fan = np.arange(1, sides - 1, dtype=np.uint32)
    zero = np.zeros_like(fan)
    front = np.stack([zero, fan + 1, fan], axis=1).ravel() + 2 * pieces * sides
    back = np.stack([zero, fan, fan + 1], axis=1).ravel() + (2 * pieces + 1) * sides
    return np.concatenate([body, front, back]).astype(np.uint32)


def _mitre(offset: Floats, way: Floats, other: Floats) -> Floats:
    """Return how far each vertex of a ring slides along its own piece to reach the plane between two pieces."""
    plane = way + other
    plane /= np.maximum(np.linalg.norm(plane, axis=1), 1e-9)[:, None]
    slope = (way * plane).sum(axis=1)
    bends = slope > 0.3
    slid = -(offset @ plane[:, :, None])[..., 0] / np.where(bends, slope, 1.0)[:, None]
    return np.where(bends[:, None], slid, 0.0)


def _turned(vector: Floats, before: Floats, after: Floats) -> Floats:
    """Return vectors turned as `before` is turned into `after`, so that the sides of a tube do not twist."""
    axis, cosine = cross(before, after), (before * after).sum(axis=1)
    back = (cosine < -0.999)[:, None]
    once = cross(axis, vector)
    turned = vector + once + cross(axis, once) / np.where(back, 1.0, 1.0 + cosine[:, None])
    return np.where(back, _frame(after), turned)


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector products of vectors (..., 3), as `numpy.cross` does in many more steps."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        out[..., k] = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    return out


def _frame(direction: Floats) -> Floats:
    """Return a unit vector across each direction."""
    helper = np.where(np.abs(direction[:, 2:3]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = cross(direction, helper)
    return np.asarray(side / np.linalg.norm(side, axis=1)[:, None])


def straight_tubes(
    start: Floats, end: Floats, radius_m: Floats, sides: int
) -> tuple[Floats, Floats, Floats, UInts32]:
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
    lengths = np.linalg.norm(end - start, axis=1)
    spokes = _spokes((end - start) / np.maximum(lengths, 1e-9)[:, None], sides)
    positions, arc = np.empty((count, 2, sides, 3)), np.zeros((count, 2, sides))
    for axis in range(3):
        offset = spokes[axis] * radius_m
        positions[:, 0, :, axis] = (start[:, axis] + offset).T
        positions[:, 1, :, axis] = (end[:, axis] + offset).T
    arc[:, 1] = lengths[:, None]
    ring = np.arange(sides, dtype=np.uint32)
    following = np.roll(ring, -1)
    triangles = np.stack(
        [ring, following, following + sides, ring, following + sides, ring + sides], axis=1
    ).ravel()
    indices = (np.arange(count, dtype=np.uint32)[:, None] * (2 * sides) + triangles).ravel()
    normals = np.broadcast_to(spokes.transpose(2, 1, 0)[:, None], positions.shape)
    return positions.reshape(-1, 3), normals.reshape(-1, 3), arc.ravel(), indices


def _spokes(ahead: Floats, sides: int) -> Floats:
    """Return unit vectors all round each direction, (3, sides, n): numpy is fast along the last axis."""
    side = _frame(ahead)
    up = cross(ahead, side)
    around = np.arange(sides) * (2 * np.pi / sides)
    spokes = np.empty((3, sides, len(ahead)))
    for axis in range(3):
        np.multiply.outer(np.cos(around), side[:, axis], out=spokes[axis])
        spokes[axis] += np.multiply.outer(np.sin(around), up[:, axis])
    return spokes


def end_caps(
    centres: Floats, outwards: Floats, radius_m: Floats, sides: int
) -> tuple[Floats, Floats, UInts32]:
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
    offset = (_spokes(outwards, sides) * radius_m).transpose(2, 1, 0)
    positions = centres[:, None, :] + offset
    fan = np.arange(1, sides - 1, dtype=np.uint32)
    triangles = np.stack([np.zeros_like(fan), fan, fan + 1], axis=1).ravel()
    indices = (np.arange(len(centres), dtype=np.uint32)[:, None] * sides + triangles).ravel()
    return positions.reshape(-1, 3), np.repeat(outwards, sides, axis=0), indices
