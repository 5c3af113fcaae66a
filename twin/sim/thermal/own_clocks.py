"""Clocks of the single dies of a group: each its own while it computes, as a straight line over their spread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twin.arrays import Floats, IntP
from twin.physics.gpu_power import GpuPowerModel, clock_under_cap, own_clock
from twin.sim.core.state import ArrayField, Fields, Stateful
from twin.sim.thermal.job_groups import JobGroups


class HeldDies(NamedTuple):
    """What holds dies of three spreads down in the groups of jobs on one part, shapes (3, groups).

    Parameters
    ----------
    leakage_w, alone_ghz
        By spread; the latter is what their caps allow if they waited for nobody [W, GHz].
    cap_w, share
        Limit of a GPU [W], and clock that other limits leave of what it allows [-].
    """

    leakage_w: Floats
    alone_ghz: Floats
    cap_w: Floats | float
    share: Floats | float


class OwnClocks(Stateful):
    """Clocks of dies by group.

    Attributes
    ----------
    common_ghz, slope_ghz : ndarray, shape (G,)
        A die of spread s has `common + s slope`, within the clocks of its part [GHz].
    waits_ghz : ndarray, shape (G,)
        What the caps of a group allow the slowest die that its dies wait for, layer by layer; 0: none [GHz].
    """

    def __init__(self) -> None:
        self._at_rest: Floats | None = None  # clocks of groups in which no die works
        self.common_ghz = self.slope_ghz = self.waits_ghz = np.zeros(0)

    def clear(self, groups: int) -> None:
        """Let no die of so many groups work."""
        if self._at_rest is None or self.common_ghz is not self._at_rest or len(self._at_rest) != groups:
            self.common_ghz, self.slope_ghz, self.waits_ghz = np.zeros((3, groups))
            self._at_rest = self.common_ghz

    def of_mean(self, groups: IntP, mean_s: Floats, model: GpuPowerModel) -> Floats:
        """Return the clock of dies of a spread in groups of a part, shape of `groups` [GHz]."""
        ghz = self.common_ghz[groups] + mean_s * self.slope_ghz[groups]
        return np.minimum(ghz, model.f_max_ghz)

    def work_out(
        self,
        groups: JobGroups,
        dies: HeldDies,
        pace_ghz: Floats | float,
        walked_ghz: Floats | float,
    ) -> Floats:
        """Return the clocks of dies of three spreads in the groups of jobs on one part, shape (3, groups) [GHz].

        Dies that differ wait for each other layer by layer, which the cap sees woven into their work; for a die that a
        fault, a lower cap or heat holds back, all others wait once a step, and their caps take no note of it.

        Parameters
        ----------
        pace_ghz
            Of the slowest die of each job, as a clock of this part [GHz].
        walked_ghz
            Clock that heat leaves [GHz].
        """
        self._at_rest = None
        model, asked, (leakage_w, alone_ghz, cap_w, share) = groups.model, groups.asked, dies
        activity, points_s = asked.activity, groups.line.points_s
        slowest_ghz = clock_under_cap(model, cap_w, groups.leakiest_s, activity, leakage_w)
        waits_ghz = np.maximum(slowest_ghz, pace_ghz / share)
        products_a = asked.products_a
        ghz = own_clock(model, cap_w, points_s, activity, leakage_w, products_a, waits_ghz, alone_ghz)
        ghz = np.maximum(model.f_min_ghz, np.minimum(share * ghz, walked_ghz))
        self.waits_ghz[groups.groups] = waits_ghz[2]
        self.common_ghz[groups.groups], self.slope_ghz[groups.groups] = groups.line.through(ghz)
        return ghz

    STATE = Fields(*ArrayField.each("common_ghz", "slope_ghz", "waits_ghz", dtype=float))
