"""The floor of a hall on paper: from metres to millimetres."""

from __future__ import annotations

from dataclasses import dataclass

from twin.drawings.sheet import Area


@dataclass(frozen=True)
class PlanFloor:
    """The floor of a hall on paper: y of the hall goes up.

    Parameters
    ----------
    x0_m, y0_m
        Its lowest corner in the hall [m].
    wide_m, high_m
        Its size [m].
    left, bottom
        That corner on paper [mm].
    scale
        1 to so many.
    """

    x0_m: float
    y0_m: float
    wide_m: float
    high_m: float
    left: float
    bottom: float
    scale: int

    def mm(self, length_m: float) -> float:
        """Return a length on paper [mm]."""
        return length_m * 1e3 / self.scale

    def x(self, x_m: float) -> float:
        """Return where an x of the hall is on paper [mm]."""
        return self.left + self.mm(x_m - self.x0_m)

    def y(self, y_m: float) -> float:
        """Return where a y of the hall is on paper [mm]."""
        return self.bottom - self.mm(y_m - self.y0_m)

    def area(self, x_m: float, y_m: float, wide_m: float, deep_m: float) -> Area:
        """Return the rectangle of something by its middle and size."""
        left, top = self.x(x_m - wide_m / 2), self.y(y_m + deep_m / 2)
        return Area(left, top, left + self.mm(wide_m), top + self.mm(deep_m))


def floor_within(area: Area, bounds_m: tuple[float, float, float, float], scale: int) -> PlanFloor:
    """Return a floor with room for bounds (low and high x, low and high y) in the middle of an area of paper."""
    x0_m, x1_m, y0_m, y1_m = bounds_m
    wide_m, high_m = x1_m - x0_m, y1_m - y0_m
    left = area.left + (area.wide - wide_m * 1e3 / scale) / 2
    bottom = area.top + (area.high + high_m * 1e3 / scale) / 2
    return PlanFloor(x0_m, y0_m, wide_m, high_m, left, bottom, scale)
