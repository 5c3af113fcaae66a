"""What is shown while things are placed: bodies not yet there, zones on the floor, lines with words. No GL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from twin.arrays import Floats
from twin.view3d.base.meshes import turned
from twin.view3d.base.palette import Rgb

Tone = Literal["good", "warn", "bad", "front", "rear", "slot", "chosen", "plain", "ink", "live"]
Place = tuple[float, float, float]

TONES: dict[Tone, Rgb] = {
    "good": (0.25, 0.86, 0.52),
    "warn": (1.0, 0.74, 0.22),
    "bad": (0.98, 0.24, 0.30),
    "front": (0.28, 0.62, 1.0),
    "rear": (0.95, 0.48, 0.20),
    "slot": (0.45, 0.80, 1.0),
    "chosen": (0.25, 0.86, 0.52),
    "plain": (0.62, 0.80, 1.0),
}
"""Cold before a rack, hot behind it, as on the floor of the hall; ink and what is live have colours of the theme."""


@dataclass(frozen=True)
class GhostBox:
    """A translucent body, or a hatched zone on the floor (`flat`); corners [m].

    It is turned about its middle, so that its x axis lies along `ahead`, a unit vector.
    """

    low: Place
    high: Place
    tone: Tone
    flat: bool = False
    outlined: bool = True
    ahead: tuple[float, float] = (1.0, 0.0)

    @property
    def corners(self) -> Floats:
        """Return its corners where they are drawn, first those of its foot anticlockwise (8, 3) [m]."""
        low, high = np.array(self.low), np.array(self.high)
        middle = (low + high) / 2
        half = (high - low)[:2] / 2 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        ring = middle[:2] + turned(half, np.array(self.ahead))
        return np.concatenate([np.column_stack([ring, np.full(4, z)]) for z in (low[2], high[2])])


@dataclass(frozen=True)
class GuideLine:
    """A line [m] and the words in its middle."""

    start: Place
    stop: Place
    tone: Tone = "plain"
    text: str = ""


@dataclass(frozen=True)
class Ghost:
    """All that is shown of a thing on its way."""

    boxes: tuple[GhostBox, ...] = ()
    lines: tuple[GuideLine, ...] = ()
