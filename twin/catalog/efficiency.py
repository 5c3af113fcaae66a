"""Efficiency over load of a power conversion stage."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from twin.units import UnitError, parse

_POINT = re.compile(r"(.+?)\s+at\s+(.+)")


@dataclass(frozen=True, slots=True)
class EfficiencyCurve:
    """Points (load as a fraction of the rating, efficiency), by rising load.

    One point means the same efficiency at every load.
    """

    points: tuple[tuple[float, float], ...]

    def at(self, load_fraction: float) -> float:
        """Return the efficiency at a load, linear between the points and flat beyond them."""
        loads, efficiencies = zip(*self.points, strict=True)
        return float(np.interp(load_fraction, loads, efficiencies))

    def input_coefficients(self, rated_w: float) -> tuple[float, float, float]:
        """Return (a_w, b, c_per_w) of P_in = a + b P_out + c P_out^2 [W] through the points.

        a is the no-load loss, b - 1 the proportional and c the I^2 R part (PHYSICS 5); three or more points
        are fitted by least squares on the loss with a and c held non-negative, fewer give b alone.
        """
        if len(self.points) < 3:
            return 0.0, 1.0 / self.points[-1][1], 0.0
        load = np.array([point[0] for point in self.points])
        loss = load / np.array([point[1] for point in self.points]) - load
        columns = [np.ones_like(load), load, load**2]
        free = [0, 1, 2]
        while True:
            solution, *_ = np.linalg.lstsq(np.stack([columns[k] for k in free], axis=1), loss, rcond=None)
            wrong = [k for k, value in zip(free, solution, strict=True) if value < 0.0 and k != 1]
            if not wrong:
                break
            free.remove(wrong[0])
        fitted = dict(zip(free, solution.tolist(), strict=True))
        return fitted.get(0, 0.0) * rated_w, 1.0 + fitted[1], fitted.get(2, 0.0) / rated_w


def parse_efficiency(text: str) -> EfficiencyCurve:
    """Return the curve of "97.5 %" or "90 % at 10 %, 96 % at 50 %, 91 % at 100 %".

    Raises
    ------
    UnitError
        When the text is neither.
    """
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) == 1 and " at " not in text:
        return EfficiencyCurve(((1.0, parse(text, "fraction")),))
    points = []
    for piece in pieces:
        match = _POINT.fullmatch(piece)
        if match is None:
            raise UnitError(f"{piece!r} is no point of an efficiency curve such as '96 % at 50 %'")
        points.append((parse(match[2], "fraction"), parse(match[1], "fraction")))
    loads = [load for load, _ in points]
    if loads != sorted(set(loads)):
        raise UnitError(f"{text!r}: the loads of an efficiency curve must rise from point to point")
    return EfficiencyCurve(tuple(points))
