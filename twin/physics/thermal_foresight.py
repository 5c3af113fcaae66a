"""How large the error of a step will be, foreseen chain by chain while loops and halls hold their temperatures.

A chain of die, HBM, plate and fluid is symmetric, so it has four decay rates. With them the error that steps of every
size would make after a change of power follows at once, and how far the die has to go: both are linear in the heat
that each node has too much.
"""

import math

import numpy as np

from twin.arrays import Floats
from twin.physics.thermal_network import ThermalState
from twin.physics.thermal_paths import HeatPaths
from twin.physics.thermal_solve import GroupIndex

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
"""Share of the step in each of the two stages of SDIRK2 [-]."""
AHEAD = (1.0 - GAMMA) / GAMMA
"""The second stage starts from where the first has come to, and this much of its way further [-]."""


class Foresight:
    """Error of steps of several sizes at the dies, while flows and plant state hold.

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
        self._rows_k_w = (die * modes.transpose(0, 2, 1)).sum(axis=2).transpose(1, 0, 2).copy()
        self._away_w_k = chain_w_k.repeat(2, axis=1)  # common and spread part of each node side by side

    def apart_k(self, state: ThermalState, source_w: Floats, index: GroupIndex, steps: int) -> Floats:
        """Difference of SDIRK2 and backward Euler at a die of spread 1 of each group, by step [K].

        Parameters
        ----------
        state : State
            Temperatures that the steps begin with.
        source_w : ndarray, shape (8G, ...)
            Heat into all nodes, those of the groups first, as `ThermalState.flat` [W].
        index : GroupIndex
        steps : int
            How many of the steps are asked for, the first of them.

        Returns
        -------
        ndarray, shape (1 + steps, G)
            The first row is how far each die is from where it will come to rest.
        """
        paths, chain, rows_k_w = self.paths, state.chain.reshape(-1, 8), self._rows_k_w[:, : 1 + steps]
        source = source_w[: chain.size].reshape(-1, 4, 2)
        surplus_w = source[:, :, 0] + source[:, :, 1]
        supply_c, air_c = state.upper.take(index.driver).T
        if len(self._away_w_k) == 1:
            surplus_w -= chain.dot(self._away_w_k[0])
            surplus_w[:, 2] += paths.ambient_w_k[0] * air_c
            surplus_w[:, 3] += paths.flow_w_k[0] * supply_c
            alike: Floats = rows_k_w[0].dot(surplus_w.T)
            return alike
        kind = index.part if paths.even else index.kind
        surplus_w -= (chain[:, None, :] @ self._away_w_k.take(kind, axis=0))[:, 0]
        surplus_w[:, 2] += paths.ambient_w_k.take(kind) * air_c
        surplus_w[:, 3] += paths.flow_w_k.take(kind) * supply_c
        result: Floats = (rows_k_w.take(kind, axis=0) @ surplus_w[:, :, None])[:, :, 0].T
        return result
