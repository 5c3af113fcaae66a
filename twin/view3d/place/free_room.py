"""Where in a picture nothing lies over the hall, and poses that show there what they frame. No GL."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from twin.view3d.base.camera import axes
from twin.view3d.base.state import CameraPose

EDGE_PX = 8.0
"""Left free round what lies over the hall."""
LEAST_SHARE = 0.3
"""A room smaller than so much of the picture's width or height is none: the whole picture is used."""
WIDEST_DEG = 84.0


class Room(NamedTuple):
    """A rectangle of the picture [logical px], y downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def aspect(self) -> float:
        """Return width over height."""
        return self.width / self.height


@lru_cache(maxsize=64)
def free_room(size_px: tuple[float, float], areas: tuple[tuple[float, float, float, float], ...]) -> Room:
    """Return the largest rectangle of a picture that none of the areas (left, top, width, height) touches.

    Plates stand where they stood in most pictures: those asked for last are kept.
    """
    width, height = size_px
    around = [
        (x - EDGE_PX, y - EDGE_PX, x + wide + EDGE_PX, y + high + EDGE_PX) for x, y, wide, high in areas
    ]
    if not around:
        return Room(0.0, 0.0, width, height)
    low_x, low_y, high_x, high_y = np.clip(np.array(around).T, 0.0, np.array([[width], [height]] * 2))
    lefts, rights = np.unique(np.r_[0.0, high_x]), np.unique(np.r_[low_x, width])
    tops, bottoms = np.unique(np.r_[0.0, high_y]), np.unique(np.r_[low_y, height])
    left, right, top, bottom = (
        ends.ravel() for ends in np.meshgrid(lefts, rights, tops, bottoms, indexing="ij")
    )
    whole = (right - left >= LEAST_SHARE * width) & (bottom - top >= LEAST_SHARE * height)
    for x0, y0, x1, y1 in zip(low_x, low_y, high_x, high_y, strict=True):
        whole &= (right <= x0) | (left >= x1) | (bottom <= y0) | (top >= y1)
    if not whole.any():
        return Room(0.0, 0.0, width, height)
    best = int(np.where(whole, (right - left) * (bottom - top), -1.0).argmax())
    return Room(
        float(left[best]),
        float(top[best]),
        float(right[best] - left[best]),
        float(bottom[best] - top[best]),
    )


def in_room(pose: CameraPose, size_px: tuple[float, float], room: Room, *, stay: bool = False) -> CameraPose:
    """Return a pose made for a picture of the room alone, for the whole picture: the same is shown in the room.

    Parameters
    ----------
    stay
        The eye comes no farther away, which something may be in the way of: it looks wider instead.
    """
    width, height = size_px
    more = height / room.height
    half = np.tan(np.radians(pose.fov_deg) / 2)
    if stay and not pose.flat:
        fov_deg = min(float(np.degrees(2 * np.arctan(half * more))), max(WIDEST_DEG, pose.fov_deg))
        pose = replace(pose, fov_deg=fov_deg)
        half = np.tan(np.radians(fov_deg) / 2)
    else:
        pose = replace(pose, distance_m=pose.distance_m * more)
    m_per_px = 2 * pose.distance_m * half / height
    aside_px = room.x + room.width / 2 - width / 2
    lower_px = room.y + room.height / 2 - height / 2
    right, up, _ = axes(pose)
    centre = np.asarray(pose.centre_m) + (up * lower_px - right * aside_px) * m_per_px
    return replace(pose, centre_m=(float(centre[0]), float(centre[1]), float(centre[2])))
