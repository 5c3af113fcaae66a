"""Poses that show a site as large as plates over the picture leave it room, whatever its shape. No GL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.view3d.base.bounds import Box
from twin.view3d.base.camera import axes, project
from twin.view3d.base.state import CameraPose
from twin.view3d.place.free_room import EDGE_PX
from twin.view3d.place.presets import DISTANCE_M, NEAR_M, corners_of, is_small, overview_boxes

_PLACES = 33, 25
"""Places beside one another, and above one another, at which a picture of one size is tried."""
_SHARES = (1.0, 1.1, 1.25, 1.5, 1.8, 2.2, 2.7, 3.5, 5.0, 8.0)
"""Distances that are tried first, as shares of that at which the points fill the picture."""
_STEPS = 5
"""Times the span between the last two of them is halved."""
Area = tuple[float, float, float, float]
_DIRECTIONS_DEG = ((86.0, 40.0), (86.0, 30.0), (86.0, 22.0))
"""Directions a site is looked at from, and heights: the lower, the less of the height of a picture it takes."""
_FLOOR_POINTS = 9
"""Points of a floor along each of its sides, so that no plate lies between them."""
_YARD_M = 4.0
"""What stands in the yard is known to within so much."""
_MOST = 2.0**14
"""Places along an axis that are told apart."""
_EDGES_PX: Area = (20.0, 24.0, 20.0, 40.0)
"""Left free round a site: above for the names of rows, below for those of halls."""
_NAMES_PX = 36.0
"""Names of the halls of a site stand in so much above what lies below it."""


class SiteShape(NamedTuple):
    """What an overview shows whole, as points [m].

    Attributes
    ----------
    free
        That nothing may hide: all over the floors of a site, or of the racks and machines of a small hall, (N, 3).
    yard
        What stands outside the halls of a site, (M, 3).
    """

    free: NDArray[np.float64]
    yard: NDArray[np.float64]


def site_floors(plant: Plant, per_side: int = 2) -> NDArray[np.float64]:
    """Return points on the floors of all halls with racks, and as high as racks above them, shape (N, 3) [m]."""
    halls, racks = plant.halls, plant.racks
    there = np.unique(racks.hall[racks.present])
    along = np.linspace(0.0, 1.0, per_side)
    x, y, z = (
        some.ravel() for some in np.meshgrid(along, along, (0.0, float(np.max(racks.height_m, initial=0.0))))
    )
    x_m = halls.x0_m[there, None] + (halls.x1_m - halls.x0_m)[there, None] * x
    y_m = halls.y0_m[there, None] + (halls.y1_m - halls.y0_m)[there, None] * y
    return np.stack([x_m, y_m, np.broadcast_to(z, x_m.shape)], axis=2).reshape(-1, 3)


def site_shape(plant: Plant, geometry: Geometry, outside: Box) -> SiteShape | None:
    """Return the shape of a site of several halls or of a small hall; None: a large hall is not shown whole."""
    if np.unique(plant.racks.hall[plant.racks.present]).size < 2:
        if not plant.racks.present.any() or not is_small(plant, geometry):
            return None
        return SiteShape(corners_of(overview_boxes(plant, geometry, outside)), np.zeros((0, 3)))
    places = np.round(corners_of(outside) / _YARD_M) + _MOST / 2
    codes = np.unique((places[:, 0] * _MOST + places[:, 1]) * _MOST + places[:, 2])
    yard = np.stack([codes // _MOST**2, codes // _MOST % _MOST, codes % _MOST], axis=1) - _MOST / 2
    return SiteShape(site_floors(plant, _FLOOR_POINTS), yard * _YARD_M)


def site_pose(
    usual: CameraPose, shape: SiteShape, size_px: tuple[float, float], areas: Sequence[Area]
) -> CameraPose | None:
    """Return the pose that shows a site or a small hall largest, behind no area; None where there is none.

    What stands in the yard is in the picture, and may lie behind an area.

    Parameters
    ----------
    usual
        An overview: from there a hall is seen, and from the same side a site.
    """
    names_px = _NAMES_PX if len(shape.yard) else 0.0
    kept = [
        (left, top - names_px, wide, high + names_px) if top > size_px[1] / 2 else (left, top, wide, high)
        for left, top, wide, high in areas
    ]
    best, most_px = None, 0.0
    side = np.sign(usual.azimuth_deg)
    ways = [(side * turn, height) for turn, height in _DIRECTIONS_DEG] if len(shape.yard) else []
    for azimuth, elevation in ways or [(usual.azimuth_deg, usual.elevation_deg)]:
        pose = replace(usual, azimuth_deg=azimuth, elevation_deg=elevation)
        found = pose_beside(pose, shape.free, shape.yard, size_px, kept, _EDGES_PX)
        if found is None:
            continue
        x, y = project(found, shape.free, *size_px)[:, :2].T
        seen_px = float(np.ptp(x) * np.ptp(y))
        if seen_px > most_px:
            best, most_px = found, seen_px
    return best


def is_behind(
    pose: CameraPose, points: NDArray[np.float64], size_px: tuple[float, float], areas: Sequence[Area]
) -> bool:
    """Return whether any of some points (N, 3) [m] lies behind an area."""
    x, y, depth = project(pose, points, *size_px).T
    return any(
        bool(((x > left) & (x < left + wide) & (y > top) & (y < top + high) & (depth > 0)).any())
        for left, top, wide, high in areas
    )


def pose_beside(
    pose: CameraPose,
    free: NDArray[np.float64],
    around: NDArray[np.float64],
    size_px: tuple[float, float],
    areas: Sequence[Area],
    edges_px: Area,
) -> CameraPose | None:
    """Return the pose nearest to points that shows all of them, the free ones behind no area; None where there is none.

    It looks in the direction of `pose`. At every distance each place of the picture is tried: how far a point lies to
    the right depends on the one, how far down on the other of the two ways the eye can move, so that which points lie
    behind an area at all places is one product of two matrices.

    Parameters
    ----------
    pose
        With perspective.
    free, around
        The free ones closer together than areas are wide, shapes (N, 3) and (M, 3) [m].
    size_px
        Of the picture [logical px].
    areas
        Left, top, width, height [logical px].
    edges_px
        Left free at the left, the top, the right and the bottom.
    """
    look = np.stack(axes(pose))
    right, up, back = (np.concatenate([free, around]) @ look.T).T
    held = len(free)
    width, height = size_px
    left_px, top_px, right_px, bottom_px = edges_px
    px = height / (2 * np.tan(np.radians(pose.fov_deg) / 2))  # of 1 m at 1 m
    ways = (
        (right, (left_px - width / 2) / px, (width / 2 - right_px) / px),
        (up, (bottom_px - height / 2) / px, (height / 2 - top_px) / px),
    )
    x0, y0, x1, y1 = (
        np.array([(x - EDGE_PX, y - EDGE_PX, x + w + EDGE_PX, y + h + EDGE_PX) for x, y, w, h in areas])
        .reshape(-1, 4)
        .T[:, :, None, None]
    )

    def eye_at(deep: float) -> tuple[float, float] | None:
        """Return how far to the right and up the eye is that sees all points free from so deep; None: none does."""
        depth = deep - back
        rights, ups = (
            np.linspace((some - high * depth).max(), (some - low * depth).min(), places)
            for (some, low, high), places in zip(ways, _PLACES, strict=True)
        )
        x = width / 2 + px * (right[:held] - rights[:, None]) / depth[:held]
        y = height / 2 - px * (up[:held] - ups[:, None]) / depth[:held]
        in_x, in_y = ((x > x0) & (x < x1)).astype(np.float32), ((y > y0) & (y < y1)).astype(np.float32)
        clear = np.argwhere((in_x @ in_y.transpose(0, 2, 1)).sum(axis=0) == 0)
        if not len(clear):
            return None
        middle = (np.array(_PLACES) - 1) / 2
        best = clear[(((clear - middle) / middle) ** 2).sum(axis=1).argmin()]
        return float(rights[best[0]]), float(ups[best[1]])

    centre = float(back.min() + back.max()) / 2
    near = max(
        float((some + high * back).max() - (some + low * back).min()) / (high - low)
        for some, low, high in ways
    )
    nearest = max(near, float(back.max()) + NEAR_M) - centre
    too_near, share, eye = 1.0, 1.0, None
    for share in _SHARES:
        eye = eye_at(centre + nearest * share)
        if eye is not None:
            break
        too_near = share
    if eye is None:
        return None
    for _ in range(_STEPS if share > 1.0 else 0):
        between = (too_near + share) / 2
        found = eye_at(centre + nearest * between)
        too_near, share, eye = (between, share, eye) if found is None else (too_near, between, found)
    place = np.array([*eye, centre + nearest * share]) @ look
    # The camera turns round what it looks at on the floor.
    far_m = float(np.clip(place[2] / look[2, 2] if look[2, 2] > 0 else nearest * share, *DISTANCE_M))
    turns = place - look[2] * far_m
    return replace(pose, centre_m=(float(turns[0]), float(turns[1]), float(turns[2])), distance_m=far_m)
