"""What the dies will make of steps of several sizes, foreseen chain by chain while flows and plant state hold.

A chain of die, HBM, plate and fluid is symmetric, so it has four decay rates. With them the error that steps of every
size would make after a change of power follows at once, and how far the die has to go: both are linear in the heat that
each node has too much. Most groups of a large hall are where they will stay; they are not looked at size by size.
"""

from typing import NamedTuple

import numpy as np

from twin.arrays import Floats, IntP
from twin.physics.thermal_network import ThermalState
from twin.physics.thermal_paths import HeatPaths
from twin.physics.thermal_solve import MOST_SIDE_BY_SIDE, GroupIndex
from twin.physics.thermal_stages import AHEAD, GAMMA


class _OfGroups(NamedTuple):
    """What a `Foresight` needs of each group: its kind and gains, and where kinds are many, their matrices."""

    kind: IntP
    gain_w_k: Floats
    away_w_k: Floats
    most_k_w: Floats


class Foresight:
    """Error of steps of several sizes at the dies of groups.

    Parameters
    ----------
    paths : HeatPaths
    dt_s : ndarray, shape (M,)
        Sizes of the steps [s].
    """

    def __init__(self, paths: HeatPaths, dt_s: Floats) -> None:
        self.paths = paths
        chain_w_k = paths.chain_w_k.reshape(-1, 4, 4)
        rates, modes = paths.modes
        z = dt_s[:, None, None] * rates
        first = 1.0 / (1.0 + GAMMA * z)
        apart = first * (1.0 + AHEAD * (first - 1.0)) - 1.0 / (1.0 + z)
        apart = np.concatenate([np.ones((1, *rates.shape)), apart])
        # Heat into a node -> the modes it is at rest in -> what is left of them at the die.
        die = (apart / rates * modes[:, 0])[..., None]
        self._rows_k_w = (die * modes.transpose(0, 2, 1)).sum(axis=2)  # by step, then by kind
        self._most_k_w = np.abs(self._rows_k_w).max(axis=0)  # of all steps
        self._away_w_k = chain_w_k.repeat(2, axis=1)  # common and spread part of each node
        self._side_by_side = self._away_w_k.transpose(1, 0, 2).reshape(8, -1)  # of all kinds
        self._apart = len(chain_w_k) > MOST_SIDE_BY_SIDE
        self._by_group: tuple[GroupIndex, _OfGroups] | None = None  # of which groups

    def surplus_w(self, state: ThermalState, source_w: Floats, index: GroupIndex) -> Floats:
        """Heat that each node of a GPU of spread 1 has too much to stay as it is, of each group, shape (G, 4) [W].

        Parameters
        ----------
        state : State
            Temperatures that the steps begin with.
        source_w : ndarray, shape (8G, ...)
            Heat into all nodes, those of the groups first, as `ThermalState.flat` [W].
        index : GroupIndex
        """
        paths, chain = self.paths, state.chain.reshape(-1, 8)
        source = source_w[: chain.size].reshape(-1, 4, 2)
        surplus_w: Floats = source[:, :, 0] + source[:, :, 1]
        driven_c = state.upper.take(index.driven)
        if self._apart:
            surplus_w -= (chain.repeat(2, axis=0).reshape(-1, 2, 8) @ self._of(index).away_w_k)[:, 0]
        else:
            surplus_w -= index.of_own(paths, chain.dot(self._side_by_side), 4)
        driven_c *= paths.gain_w_k[0, :, 0] if paths.alike else self._of(index).gain_w_k
        surplus_w[:, 2:] += driven_c
        return surplus_w

    def most_k(self, surplus_w: Floats, index: GroupIndex) -> Floats:
        """What no die is further from its rest, and no step wrong by, for a surplus of its group, shape (G,) [K]."""
        size_w = np.abs(surplus_w)
        if self.paths.alike:
            alike: Floats = size_w.dot(self._most_k_w[0])
            return alike
        most: Floats = np.einsum("ij,ij->i", size_w, self._of(index).most_k_w)
        return most

    def apart_k(self, surplus_w: Floats, index: GroupIndex, groups: IntP, steps: int) -> Floats:
        """Difference of SDIRK2 and backward Euler at a die of spread 1 of some groups, by step [K].

        Parameters
        ----------
        surplus_w : ndarray, shape (G, 4)
            Of all groups, as `surplus_w`.
        index : GroupIndex
        groups : ndarray of int, shape (S,)
            Those that are asked for.
        steps : int
            How many of the steps are asked for, the first of them.

        Returns
        -------
        ndarray, shape (1 + steps, S)
            The first row is how far each die is from where it will come to rest.
        """
        asked_w = surplus_w[groups]
        if self.paths.alike:
            alike: Floats = self._rows_k_w[: 1 + steps, 0].dot(asked_w.T)
            return alike
        rows_k_w = self._rows_k_w[: 1 + steps].take(self._of(index).kind[groups], axis=1)
        rows_k_w *= asked_w
        apart: Floats = np.add.reduce(rows_k_w, axis=2)
        return apart

    def _of(self, index: GroupIndex) -> _OfGroups:
        known = self._by_group
        if known is None or known[0] is not index:
            paths, kind = self.paths, index.kind(self.paths)
            away_w_k = self._away_w_k[kind] if self._apart else np.zeros((0, 0, 0))
            known = index, _OfGroups(kind, paths.gain_w_k[kind, :, 0], away_w_k, self._most_k_w[kind])
            self._by_group = known
        return known[1]
