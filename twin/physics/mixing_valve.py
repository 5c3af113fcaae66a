"""The valve on the facility side of a CDU or coil that holds the supply of its loop (PHYSICS.md sections 3 and 4).

It is entered as heat kept in the loop's supply and taken off the plant's return, so no conductance changes with it
and the energy stays exact. It follows from powers, not from temperatures: temperatures of large steps would swing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Floats


@dataclass(frozen=True)
class MixingValve:
    """Inputs of the valves of all loops, while flows and plant state hold.

    Attributes
    ----------
    exchanger_w_k, flow_w_k : ndarray, shape (L,)
        Conductance between loop return and facility supply, and heat capacity flow of the loop [W/K].
    set_point_c : ndarray, shape (L,)
        Supply wanted [C].
    active : ndarray, shape (L,)
        1 where a valve works; 0: none is there, it sticks, or nothing flows [-].
    """

    exchanger_w_k: Floats
    flow_w_k: Floats
    set_point_c: Floats
    active: Floats

    def mixed_c(self, heat_w: Floats) -> Floats:
        """Facility supply at which the open exchanger just gives the set point, shape (L,) [C].

        T = set + q/W - q/K for a heat q into the loop [W].
        """
        set_c, k, w = self._terms
        return set_c + heat_w / w - heat_w / k

    @cached_property
    def _terms(self) -> tuple[Floats, Floats, Floats]:
        """Set points, minus infinity where no valve works [C]; conductance and flow, never quite nothing [W/K]."""
        set_c = np.where(self.active > 0, self.set_point_c, -np.inf)
        return set_c, np.maximum(self.exchanger_w_k, 1e-9), np.maximum(self.flow_w_k, 1e-9)

    def bypass_w(self, mixed_c: Floats, facility_c: Floats, return_c: Floats) -> Floats:
        """Heat kept in the supply of each loop, shape (L,) [W].

        u = K (mixed - facility) where the facility water is colder than needed, else 0; never more than what would
        pass the open exchanger, K (return - facility).

        Parameters
        ----------
        mixed_c : ndarray, shape (L,)
            As `mixed_c` gives it.
        facility_c, return_c : ndarray, shape (L,)
            Facility supply at each loop (or one for all), and return of the loop [C].
        """
        # Where no valve works, `mixed_c` is minus infinity.
        kept: Floats = np.minimum(mixed_c, return_c)
        kept -= facility_c
        np.maximum(kept, 0.0, out=kept)
        kept *= self.exchanger_w_k
        return kept

    def opening(self, bypass_w: Floats, facility_c: Floats, return_c: Floats) -> Floats:
        """Share of the exchanger's heat that the valves let through, shape (L,) [-]: 1 fully open."""
        open_w = self.exchanger_w_k * (return_c - facility_c)
        kept = np.minimum(bypass_w / np.maximum(open_w, 1e-9), 1.0)
        result: Floats = 1.0 - self.active * kept
        return result
