"""Efficiency over load of a power conversion stage."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.units import UnitError, parse

_POINT = re.compile(r"(.+?)\s+at\s+(.+)")
CLOSE = 0.005
"""Half a point of efficiency: how far a curve whose losses only rise may pass a figure by."""


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
        are fitted by least squares on the efficiency, with a and c held non-negative, fewer give b alone. b is
        held at 1 or above, so that losses never fall as load rises, unless that misses a point by more than
        `CLOSE`: supplies that switch phases off at light load follow their points only with a dip.
        """
        if len(self.points) < 3:
            return 0.0, 1.0 / self.points[-1][1], 0.0
        load, efficiency = np.array(self.points).T
        loss = load / efficiency - load
        weight = efficiency**2 / load  # how far the efficiency moves with the loss
        a, k, c = _non_negative(load, loss, weight, (0, 1, 2))
        if np.abs(load / (load + a + k * load + c * load**2) - efficiency).max() > CLOSE:
            a, k, c = _non_negative(load, loss, weight, (0, 2))
        return a * rated_w, 1.0 + k, c / rated_w


def _non_negative(load: Floats, loss: Floats, weight: Floats, held: tuple[int, ...]) -> tuple[float, ...]:
    """Return (a, k, c) of loss = a + k x + c x^2 nearest to `loss` at `load`, the `held` ones non-negative."""
    columns = np.stack([np.ones_like(load), load, load**2], axis=1) * weight[:, None]
    best, least = (0.0, 0.0, 0.0), np.inf
    for used in ((0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,)):
        some, *_ = np.linalg.lstsq(columns[:, used], loss * weight, rcond=None)
        found = np.zeros(3)
        found[list(used)] = some
        miss = float(np.square(columns @ found - loss * weight).sum())
        if (found[list(held)] >= 0.0).all() and miss < least:
            best, least = (float(found[0]), float(found[1]), float(found[2])), miss
    return best


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
