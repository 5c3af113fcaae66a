"""From the racks back to the grid: what each stage of the power tree takes in, and loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.catalog.power_parts import PowerStage
from twin.plant.tables import Plant

Floats = NDArray[np.float64]

REFRESH = 3e-3
"""Relative change of IT power that is worth a new sum over the tree."""


class Electric:
    """Losses of the power tree at the racks' present power; P_in = a + b P_out + c P_out^2 in each item."""

    def __init__(self, plant: Plant, catalog: Catalog) -> None:
        self.plant = plant
        items = plant.power
        factors = [self._coefficients(catalog, part) for part in items.part]
        self.a, self.b, self.c = np.array(factors, float).reshape(-1, 3).T
        racks = plant.racks
        feeds = np.stack([racks.feed_a, racks.feed_b])
        live = feeds >= 0
        self.fed = live.sum(axis=0)
        self._rack = np.nonzero(live)[1]
        self._item = feeds[live]
        self._levels = [
            (level, items.parent[level], self.a[level], self.b[level], self.c[level])
            for level in self._by_depth(items.parent)
        ]
        self.loss_w = 0.0
        self.seen_w = -1.0

    @staticmethod
    def _coefficients(catalog: Catalog, part: str) -> tuple[float, float, float]:
        stage = catalog.part(part) if part else None
        return stage.input_coefficients() if isinstance(stage, PowerStage) else (0.0, 1.0, 0.0)

    @staticmethod
    def _by_depth(parent: NDArray[np.int32]) -> list[NDArray[np.intp]]:
        depth = np.zeros(len(parent), int)
        for i, p in enumerate(parent.tolist()):  # parents come first
            depth[i] = depth[p] + 1 if p >= 0 else 0
        return [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=-1)), -1, -1)]

    def update(self, rack_w: Floats) -> None:
        """Work out the losses of all items when the racks draw `rack_w` [W], shape (R,)."""
        items = len(self.plant.power.ids)
        share = rack_w / np.maximum(self.fed, 1)
        load = np.zeros(items)
        load += np.bincount(self._item, share[self._rack], minlength=items)  # whole numbers where none is fed
        input_w = np.zeros_like(load)
        for level, parent, a, b, c in self._levels:  # leaves first; the last have none to feed them
            out_w = load[level]
            input_w[level] = in_w = a + b * out_w + c * out_w**2
            if parent[0] >= 0:
                load += np.bincount(parent, in_w, minlength=items)
        self.loss_w = float((input_w - load).sum())
        self.seen_w = float(rack_w.sum())

    def stale(self, it_w: float) -> bool:
        """Return whether IT power has moved enough for a new sum [W]."""
        return abs(it_w - self.seen_w) > REFRESH * max(self.seen_w, 1.0)
