"""Limits on loops, halls and facility water that act or alarm: thermal steps end where the first of them is passed."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from twin.physics.thermal_crossing import Band


class Watcher(Protocol):
    """Whoever does something when a temperature above the groups leaves a band."""

    @property
    def band(self) -> Band:
        """Where nothing happens, as `State.upper`; another object whenever it has changed [C]."""


class Thresholds:
    """The bands of all watchers as one.

    Parameters
    ----------
    unknowns
        How many temperatures there are above the groups.
    """

    def __init__(self, unknowns: int) -> None:
        self._watchers: list[Watcher] = []
        self._known: tuple[Band, ...] = ()
        self._band = anything(unknowns)

    def watch(self, watcher: Watcher) -> None:
        """Let steps end at the limits of `watcher` too."""
        self._watchers.append(watcher)

    @property
    def band(self) -> Band:
        """Where nothing happens to anybody [C]."""
        # Asked at each thermal step: nothing is made while no band is another.
        stand = len(self._known) == len(self._watchers)
        for watcher, known in zip(self._watchers, self._known, strict=False):
            stand = stand and watcher.band is known
        if not stand:
            bands = tuple(watcher.band for watcher in self._watchers)
            low_c, high_c = anything(len(self._band.low_c))
            for band in bands:
                low_c, high_c = np.maximum(low_c, band.low_c), np.minimum(high_c, band.high_c)
            self._known, self._band = bands, Band(low_c, high_c)
        return self._band


def anything(unknowns: int) -> Band:
    """Return the band that nothing leaves, of so many temperatures."""
    return Band(np.full(unknowns, -np.inf), np.full(unknowns, np.inf))
