"""A turntable camera: orbit, pan, zoom to the pointer, smooth flight, rays and projection. Pure numpy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.view3d.base.state import CameraPose

ORBIT_DEG_PER_PX = 0.25
ZOOM_PER_NOTCH = 0.84
ELEVATION_DEG = (-4.0, 89.0)
DISTANCE_M = (0.6, 4000.0)


def eye_m(pose: CameraPose) -> Floats:
    """Return the place of the eye [m], shape (3,); of a drawing, where what it shows begins."""
    azimuth, elevation = np.radians(pose.azimuth_deg), np.radians(pose.elevation_deg)
    toward = np.array(
        [np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)]
    )
    return np.asarray(pose.centre_m) + toward * (pose.flat_m or pose.distance_m)


def pose_between(eye: tuple[float, float, float], target: tuple[float, float, float]) -> CameraPose:
    """Return the pose of a camera at one point that looks at another [m]; the two differ."""
    way = np.subtract(eye, target)
    distance_m = float(np.linalg.norm(way))
    azimuth_deg = float(np.degrees(np.arctan2(way[1], way[0])))
    elevation_deg = float(np.degrees(np.arcsin(way[2] / distance_m)))
    return CameraPose(target, distance_m, azimuth_deg, elevation_deg)


def axes(pose: CameraPose) -> tuple[Floats, Floats, Floats]:
    """Return the unit vectors (right, up, back) of the camera in the world."""
    azimuth, elevation = np.radians(pose.azimuth_deg), np.radians(pose.elevation_deg)
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back = np.array(
        [np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)]
    )
    return right, np.cross(back, right), back


def view_projection(pose: CameraPose, aspect: float, near_m: float, far_m: float) -> Floats:
    """Return the matrix M with clip = M @ (x, y, z, 1), shape (4, 4)."""
    view = np.eye(4)
    view[:3, :3] = np.stack(axes(pose))
    view[:3, 3] = -view[:3, :3] @ eye_m(pose)
    scale = 1.0 / np.tan(np.radians(pose.fov_deg) / 2)
    if pose.flat:
        flat = np.diag([scale / pose.distance_m / aspect, scale / pose.distance_m, -2.0 / far_m, 1.0])
        flat[2, 3] = -1.0
        return np.asarray(flat @ view)
    projection = np.array(
        [
            [scale / aspect, 0.0, 0.0, 0.0],
            [0.0, scale, 0.0, 0.0],
            [0.0, 0.0, (far_m + near_m) / (near_m - far_m), 2 * far_m * near_m / (near_m - far_m)],
            [0.0, 0.0, -1.0, 0.0],
        ]
    )
    return np.asarray(projection @ view)


def ray(
    pose: CameraPose, x_px: float, y_px: float, width_px: float, height_px: float
) -> tuple[Floats, Floats]:
    """Return (origin [m], unit direction) of the ray through a pixel; y grows downwards.

    Only ratios of pixels count, so logical and physical pixels serve alike if all four are of one kind.
    """
    half = np.tan(np.radians(pose.fov_deg) / 2)
    right, up, back = axes(pose)
    sideways = (2 * x_px / width_px - 1) * half * width_px / height_px
    upwards = (1 - 2 * y_px / height_px) * half
    if pose.flat:
        beside = (right * sideways + up * upwards) * pose.distance_m
        return eye_m(pose) + beside, -back
    direction = right * sideways + up * upwards - back
    return eye_m(pose), direction / np.linalg.norm(direction)


def project(pose: CameraPose, points_m: Floats, width_px: float, height_px: float) -> Floats:
    """Return (x, y, depth) of points: pixels with y downwards, and distance along the view axis [m].

    Parameters
    ----------
    points_m
        Shape (n, 3).

    Returns
    -------
    Shape (n, 3); points behind the eye have depth <= 0 and meaningless pixels.
    """
    local = (points_m - eye_m(pose)) @ np.stack(axes(pose)).T
    depth = -local[:, 2]
    reach = np.full_like(depth, pose.distance_m) if pose.flat else np.where(np.abs(depth) < 1e-9, 1e-9, depth)
    scale = height_px / (2 * np.tan(np.radians(pose.fov_deg) / 2)) / reach
    return np.stack([width_px / 2 + local[:, 0] * scale, height_px / 2 - local[:, 1] * scale, depth], axis=1)


def px_per_m(pose: CameraPose, distance_m: float, height_px: float) -> float:
    """Return how large a metre is on screen, so far along a ray of `ray` [px/m]."""
    reach_m = pose.distance_m if pose.flat else max(distance_m, 1e-6)
    return float(height_px / (2 * np.tan(np.radians(pose.fov_deg) / 2)) / reach_m)


def px_per_m_at(pose: CameraPose, points_m: Floats, height_px: float) -> Floats:
    """Return how large a metre is on screen at points (n, 3) [px/m]."""
    away_m = np.linalg.norm(points_m - eye_m(pose), axis=1)
    reach_m = np.full(len(points_m), pose.distance_m) if pose.flat else np.maximum(away_m, 1e-6)
    return np.asarray(height_px / (2 * np.tan(np.radians(pose.fov_deg) / 2)) / reach_m)


def orbit(pose: CameraPose, dx_px: float, dy_px: float) -> CameraPose:
    """Return the pose after a drag that turns round the centre; a drawing becomes a view again."""
    elevation = float(np.clip(pose.elevation_deg + dy_px * ORBIT_DEG_PER_PX, *ELEVATION_DEG))
    azimuth = pose.azimuth_deg - dx_px * ORBIT_DEG_PER_PX
    return replace(pose, azimuth_deg=azimuth, elevation_deg=elevation, flat_m=0.0)


def pan(pose: CameraPose, dx_px: float, dy_px: float, height_px: float) -> CameraPose:
    """Return the pose after a drag that slides the floor with the pointer."""
    metres_per_px = 2 * pose.distance_m * np.tan(np.radians(pose.fov_deg) / 2) / height_px
    right, up, back = axes(pose)
    ahead = np.array([-back[0], -back[1], 0.0])
    norm = float(np.linalg.norm(ahead))
    ahead = ahead / norm if norm > 1e-6 else np.array([0.0, 1.0, 0.0])
    # Looking flat along the floor, a pixel upwards is many metres: 0.35 keeps the slide controllable.
    tilt = max(0.35, float(np.sin(np.radians(pose.elevation_deg))))
    move = -right * dx_px * metres_per_px + ahead * dy_px * metres_per_px / tilt
    if pose.flat:
        move = (up * dy_px - right * dx_px) * metres_per_px
    centre = np.asarray(pose.centre_m) + move
    return replace(pose, centre_m=(float(centre[0]), float(centre[1]), float(centre[2])))


def zoom_to(pose: CameraPose, notches: float, target_m: Floats) -> CameraPose:
    """Return the pose after a turn of the wheel that keeps `target_m` under the pointer."""
    distance = float(np.clip(pose.distance_m * ZOOM_PER_NOTCH**notches, *DISTANCE_M))
    factor = distance / pose.distance_m
    centre = target_m + (np.asarray(pose.centre_m) - target_m) * factor
    flat_m = 0.0
    if pose.flat:  # what a drawing leaves out stays left out
        flat_m = max(pose.flat_m + float((np.asarray(pose.centre_m) - centre) @ axes(pose)[2]), 0.01)
    place = (float(centre[0]), float(centre[1]), float(centre[2]))
    return replace(pose, centre_m=place, distance_m=distance, flat_m=flat_m)


@dataclass(frozen=True)
class Flight:
    """A smooth way from one pose to another: eased, and arching outwards when the way is long."""

    start: CameraPose
    end: CameraPose
    duration_s: float

    @classmethod
    def between(cls, start: CameraPose, end: CameraPose) -> Flight:
        """Return a flight whose duration grows gently with the way."""
        travel = float(np.linalg.norm(np.subtract(end.centre_m, start.centre_m)))
        scale = max(start.distance_m, end.distance_m)
        turn = abs(_shortest_deg(end.azimuth_deg - start.azimuth_deg)) / 180
        zoom = abs(np.log(end.distance_m / start.distance_m))
        return cls(
            start, end, float(np.clip(0.45 + 0.35 * travel / scale + 0.5 * turn + 0.15 * zoom, 0.4, 1.6))
        )

    def at(self, elapsed_s: float) -> CameraPose:
        """Return the pose after `elapsed_s`."""
        share = float(np.clip(elapsed_s / self.duration_s, 0.0, 1.0))
        if share >= 1.0:
            return self.end
        ease = share**3 * (share * (6 * share - 15) + 10)
        a, b = self.start, self.end
        centre = np.asarray(a.centre_m) * (1 - ease) + np.asarray(b.centre_m) * ease
        travel = float(np.linalg.norm(np.subtract(b.centre_m, a.centre_m)))
        arch = 1 + 0.25 * min(1.0, travel / (a.distance_m + b.distance_m)) * np.sin(np.pi * ease)
        distance = np.exp(np.log(a.distance_m) * (1 - ease) + np.log(b.distance_m) * ease) * arch
        return CameraPose(
            (float(centre[0]), float(centre[1]), float(centre[2])),
            float(distance),
            a.azimuth_deg + _shortest_deg(b.azimuth_deg - a.azimuth_deg) * ease,
            a.elevation_deg + (b.elevation_deg - a.elevation_deg) * ease,
            a.fov_deg + (b.fov_deg - a.fov_deg) * ease,
            a.flat_m + (b.flat_m - a.flat_m) * ease if a.flat and b.flat else 0.0,
        )


def _shortest_deg(turn: float) -> float:
    return (turn + 180) % 360 - 180
