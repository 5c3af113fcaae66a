"""The grid of a drawing: on the floor of a plan, behind everything in an elevation."""

from __future__ import annotations

import numpy as np

from twin.arrays import Bools, Floats
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.outline import Outline
from twin.view3d.place.drawing_scale import DrawingAxis, GridPitch, drawing_axes, grid_pitch, ticks

FLOOR_M = 0.004
"""On a plan it lies so high over the floor."""
_BEHIND = 0.999
"""In an elevation it lies so far back, as a share of all that is seen."""
_FINE_PX, _HEAVY_PX = 1.3, 2.0


class DrawingGrid:
    """Draws the lines that a picture has room for; made anew where it shows another place."""

    def __init__(self) -> None:
        self._fine, self._heavy = Outline(), Outline()
        self._made_for: tuple[object, ...] = ()

    def draw(self, stage: DrawContext, pose: CameraPose, scale: float) -> None:
        """Draw a drawing's grid with depth test and blending on, depth writing off, after floor and sky."""
        axes = drawing_axes(pose)
        if axes is None:
            return
        wanted = (pose, stage.size_px, scale, stage.matrix.tobytes())
        if wanted != self._made_for:
            self._made_for = wanted
            self._make(stage, pose, axes, scale)
        self._fine.draw(stage, stage.colours.grid, 0.8, _FINE_PX * scale)
        self._heavy.draw(stage, stage.colours.grid_major, 0.9, _HEAVY_PX * scale)

    def _make(
        self, stage: DrawContext, pose: CameraPose, axes: tuple[DrawingAxis, DrawingAxis], scale: float
    ) -> None:
        px_per_m = camera.px_per_m(pose, 0.0, stage.size_px[1])
        pitch = grid_pitch(px_per_m / scale, axes)
        deep = 3 - axes[0].axis - axes[1].axis
        place = np.array(pose.centre_m)
        if deep == 2:
            place[2] = FLOOR_M
        else:  # so deep that its depth in the picture is nearly the farthest there is
            way = stage.matrix[2, deep]
            place[deep] = (_BEHIND - stage.matrix[2] @ np.array([*place, 1.0])) / way + place[deep]
        halves_m = [size / 2 / px_per_m for size in stage.size_px]
        lines = [
            _lines(place, axis, other, half_m, long_m, pitch)
            for axis, other, half_m, long_m in (
                (axes[0].axis, axes[1].axis, halves_m[0], halves_m[1]),
                (axes[1].axis, axes[0].axis, halves_m[1], halves_m[0]),
            )
        ]
        for outline, heavy in ((self._fine, False), (self._heavy, True)):
            points = np.concatenate([some[chosen == heavy] for some, chosen in lines])
            outline.set_lines(points[:, 0], points[:, 1])


def _lines(
    place: Floats, axis: int, other: int, half_m: float, long_m: float, pitch: GridPitch
) -> tuple[Floats, Bools]:
    """Return the lines across an axis, (n, 2, 3) [m], and which of them are heavy ones."""
    at_m = np.array(ticks(place[axis] - half_m, place[axis] + half_m, pitch.step_m))
    points = np.tile(place, (len(at_m), 2, 1))
    points[:, :, axis] = at_m[:, None]
    points[:, 0, other] -= long_m
    points[:, 1, other] += long_m
    numbers = np.rint(at_m / pitch.step_m).astype(int)
    return points, np.asarray(numbers % pitch.every == 0)
