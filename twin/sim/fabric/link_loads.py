"""Loads of the network where they are drawn: bundles of cables, and switches by their busiest port."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64
from twin.plant.links import Links
from twin.plant.tables import Plant


@dataclass(frozen=True)
class LinkPicture:
    """Loads of the network, in percent, and cables that are down."""

    bundle_load: NDArray[np.uint8]
    bundle_down: NDArray[np.uint8]
    switch_load: NDArray[np.uint8]
    busiest: float


def _runs(labels: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Return an order that sorts labels, where each label begins in it, and the labels."""
    order = np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    return order, starts, found


class NetworkPicture:
    """Sums up links by bundle and by switch."""

    def __init__(self, plant: Plant, links: Links) -> None:
        self.plant, self.links = plant, links
        self._cut: tuple[Floats, NDArray[np.uint8]] | None = None  # links that live, dead cables by bundle
        vertex = np.concatenate(links.vertex).astype(np.int64)
        at_switch = np.flatnonzero(vertex < links.switches)
        order, starts, ends = _runs(vertex[at_switch])
        self._ports = (at_switch[order] % max(1, len(links)), starts, ends)
        self._bundle = links.bundle.astype(np.int64)

    def draw(self, load: Floats, bytes_s: Floats) -> LinkPicture:
        """Return what to show for a load of each directed link, 0..1, and the bandwidth of each link [B/s]."""
        switch, bundle = np.zeros(self.links.switches), np.zeros(len(self.plant.bundles.fabric))
        busier = np.maximum(load[0::2], load[1::2])
        if busier.any():  # else nobody sends anything
            busier *= 100
            order, starts, ends = self._ports  # many at each switch
            if len(starts):
                switch[ends] = np.maximum.reduceat(busier.take(order), starts)
            np.maximum.at(bundle, self._bundle, busier)  # few in each bundle
        return LinkPicture(
            bundle_load=np.minimum(np.rint(bundle), 255).astype(np.uint8),
            bundle_down=self._cables_down(bytes_s),
            switch_load=np.minimum(np.rint(switch), 255).astype(np.uint8),
            busiest=float(busier.max(initial=0.0)),
        )

    def _cables_down(self, bytes_s: Floats) -> NDArray[np.uint8]:
        """Return how many cables of each bundle are dead; faults replace `bytes_s`, they never write in it."""
        if self._cut is None or self._cut[0] is not bytes_s:
            dead = self.links.cables * (bytes_s <= 0)
            down = np.bincount(self.links.bundle, dead, len(self.plant.bundles.fabric))
            self._cut = bytes_s, np.minimum(down, 255).astype(np.uint8)
        return self._cut[1]
