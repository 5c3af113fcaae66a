"""Units for switches in racks: from the top down, or in racks of their own."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.plant.error import PlantError
from twin.plant.layout import Layout
from twin.scenario.checks.fabric_size import Ports
from twin.scenario.schema.systems import SwitchTier


class RackSpace:
    """The free units at the top of every rack, handed out downwards."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._top_u = layout.racks.units_u.copy()

    def place(
        self, tier: SwitchTier | None, ports: Ports, homes: list[Ints32], home: Ints32
    ) -> tuple[Ints32, Ints32]:
        """Return (rack, lowest unit) of the switches of one tier.

        Parameters
        ----------
        tier
            Says which row generator has racks for them; none: they stand with the nodes.
        ports
            Say how high one switch is.
        homes
            Racks of the nodes of each unit; used without racks of their own.
        home
            Unit of each switch, an index of `homes`; its racks share the switches in order.

        Raises
        ------
        PlantError
            When the row generator does not exist.
        """
        count, height_u = len(home), ports.height_u
        if tier is not None and tier.racks is not None:
            own = self._layout.generator_racks.get(tier.racks)
            if own is None or not len(own):
                raise PlantError(f"switches {ports.part}: no row generator is called {tier.racks!r}")
            own = self._standing(own)
            rack = own[np.arange(count) * len(own) // max(1, count)]
        else:
            rack = np.full(count, -1, np.int32)
            for unit, racks in enumerate(map(self._standing, homes)):
                of_unit = np.flatnonzero(home == unit)
                if len(racks):
                    rack[of_unit] = racks[np.arange(len(of_unit)) * len(racks) // max(1, len(of_unit))]
        order = np.argsort(rack, kind="stable")
        sorted_rack = rack[order]
        first = np.searchsorted(sorted_rack, sorted_rack)
        nth = np.empty(count, np.int64)
        nth[order] = np.arange(count) - first
        u = self._top_u[rack] - (nth + 1) * height_u + 1
        used = np.bincount(rack[rack >= 0], minlength=len(self._top_u))
        self._top_u -= (used * height_u).astype(np.int32)
        return rack.astype(np.int32), np.maximum(u, 1).astype(np.int32)

    def _standing(self, racks: Ints32) -> Ints32:
        """Return the present racks; all of them when none is."""
        standing = racks[self._layout.racks.present[racks]]
        return standing if len(standing) else racks
