"""How fast a run, or its record, is played."""

from __future__ import annotations

import math

SPEEDS: tuple[float, ...] = (1.0, 10.0, 60.0, 600.0, 3600.0, 21600.0, 86400.0, math.inf)
"""Ratios to real time on offer; infinity: as fast as possible."""
DEFAULT_SPEED = 600.0


def next_speed(ratio: float, notches: int) -> float:
    """Return the speed `notches` places along `SPEEDS` from the one nearest to `ratio`."""
    nearest = min(range(len(SPEEDS)), key=lambda i: abs(_notch(SPEEDS[i]) - _notch(ratio)))
    return SPEEDS[max(0, min(nearest + notches, len(SPEEDS) - 1))]


def _notch(ratio: float) -> float:
    return math.log10(ratio) if math.isfinite(ratio) else 9.0
