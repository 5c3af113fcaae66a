"""What a trace lights and what the reach of a fault colours: plain data, handed to the view. No GL."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant
from twin.view3d.base.palette import Rgb

FEED_A_RGB: Rgb = (1.0, 0.80, 0.30)
FEED_B_RGB: Rgb = (0.30, 0.88, 0.95)
COOLANT_RGB: Rgb = (0.36, 0.64, 1.0)
BOTH_RGB: Rgb = (0.92, 0.95, 1.0)
WAY_RGB = np.array([(0.0, 0.0, 0.0), FEED_A_RGB, FEED_B_RGB, BOTH_RGB])
"""Colour of a lit power line, by what `Lit.items` says of it."""
PATHS: tuple[tuple[str, Rgb], ...] = (
    ("power_a", FEED_A_RGB),
    ("power_b", FEED_B_RGB),
    ("coolant", COOLANT_RGB),
)
"""Paths of a trace, each outlined in its colour."""


@dataclass(frozen=True)
class Lit:
    """What shines while the rest fades.

    Parameters
    ----------
    power_a, power_b
        Power items of feed A and feed B, from the rack up.
    loops, plants
        Coolant and facility loops.
    racks
        Racks at the end of the paths.
    """

    power_a: tuple[int, ...] = ()
    power_b: tuple[int, ...] = ()
    loops: tuple[int, ...] = ()
    plants: tuple[int, ...] = ()
    racks: tuple[int, ...] = ()

    def items(self, plant: Plant) -> NDArray[np.int64]:
        """Return of every power item whether it is on the way of feed A (1), of feed B (2), of both (3) or none."""
        count = len(plant.power.ids)
        return _mask(count, self.power_a) + 2 * _mask(count, self.power_b).astype(np.int64)

    def loop_mask(self, plant: Plant) -> NDArray[np.bool_]:
        """Return which loops shine."""
        return _mask(len(plant.loops.ids), self.loops)

    def plant_mask(self, plant: Plant) -> NDArray[np.bool_]:
        """Return which facility loops shine."""
        return _mask(len(plant.plants.ids), self.plants)


@dataclass(frozen=True, eq=False)
class Reach:
    """What a fault of one thing would do: nodes that stop, and nodes that only lose redundancy (node slots,)."""

    lost: NDArray[np.bool_] = field(repr=False)
    thinned: NDArray[np.bool_] = field(repr=False)


def _mask(count: int, chosen: tuple[int, ...]) -> NDArray[np.bool_]:
    out = np.zeros(count, bool)
    out[list(chosen)] = True
    return out
