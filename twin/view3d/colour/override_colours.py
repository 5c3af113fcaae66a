"""Colours that stand in the place of those of a frame, such as the difference of two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.plant.tray_runs import CableRuns
from twin.view3d.base import palette

RAMP = "difference"


def difference_rgb(places: Floats) -> Floats:
    """Return the colours (n, 3) of places -1..1 on the ramp of differences."""
    return palette.ramp(RAMP, 0.5 + 0.5 * places)


@dataclass(frozen=True, eq=False)
class MachineColours:
    """Colours of the machines of B that stand in the place of their own.

    Parameters
    ----------
    loops, plants
        Of water there and back (n, 2, 3).
    power
        Of each power item (n, 3).
    switches
        Colour, and share of the plate that shows it (n, 4).
    links
        Difference of the load of each bundle, -1..1 from end to end of the ramp; what is lost in one only is at an end.
    """

    loops: Floats
    plants: Floats
    power: Floats
    switches: NDArray[np.uint8]
    links: Floats

    def pieces(self, runs: CableRuns) -> Floats:
        """Return the colour of each piece of cable (n, 3): where many bundles lie, of the one that differs most."""
        links = self.links[runs.bundle]
        more, less = runs.highest(np.maximum(links, 0.0)), runs.highest(np.maximum(-links, 0.0))
        return difference_rgb(np.where(more >= less, more, -less))


@dataclass(frozen=True, eq=False)
class Repainted:
    """Drawing codes that stand in the place of those of a channel, the ramp that they are places on, and machines."""

    codes: NDArray[np.float32]
    colormap: str
    machines: MachineColours | None = None


def machines_of(repainted: Repainted | None) -> MachineColours | None:
    """Return the colours that machines have in the place of their own; None: they have their own."""
    return None if repainted is None else repainted.machines
