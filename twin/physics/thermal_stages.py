"""A whole SDIRK2 step as one product, with backward Euler beside it for the error estimate.

Between events a step is linear in the temperatures that it begins with and in the heat of the nodes. Its three stages,
each a product by chain (`thermal_solve`), are multiplied out: temperatures and heat of a chain give at once what it
adds to loops and halls in the first stage and in backward Euler, and where it ends but for what loops and halls do to
it. These follow stage by stage, since they hear of all groups.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from twin.arrays import Floats
from twin.physics.thermal_network import ThermalState
from twin.physics.thermal_solve import GroupIndex, Operator

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
"""Share of the step in each of the two stages of SDIRK2 [-]."""
AHEAD = (1.0 - GAMMA) / GAMMA
"""The second stage starts from where the first has come to, and this much of its way further [-]."""


class StepEnd(NamedTuple):
    """What a step comes to.

    Attributes
    ----------
    flat_c : ndarray, shape (8G + U,)
        Temperatures at its end as `ThermalState.flat` [C].
    stage_c : ndarray, shape (U,)
        Above the groups, at the end of its first stage [C].
    die_k : ndarray, shape (G,)
        SDIRK2 less backward Euler at a die of spread 1 of each group [K].
    upper_k : ndarray, shape (U,)
        The same above the groups [K].
    """

    flat_c: Floats
    stage_c: Floats
    die_k: Floats
    upper_k: Floats


def step_end(
    stage: Operator,
    second: Operator,
    euler: Operator | None,
    index: GroupIndex,
    start_c: Floats,
    *source_w: Floats,
) -> StepEnd:
    """Take a step stage by stage, from `start_c`, as `ThermalState.flat` [C].

    Parameters
    ----------
    stage, second, euler : Operator
        Of the two stages and of backward Euler; none: the error is not asked for.
    index : GroupIndex
    start_c : ndarray
    source_w : ndarray
        Heat into all nodes in the first stage, and from there on [W].
    """
    n_chain = 2 * index.heated.size
    stage_c = stage.solve(index, start_c, source_w[0])
    ahead_c = stage_c - start_c
    ahead_c *= AHEAD
    ahead_c += start_c
    end_c = second.solve(index, ahead_c, source_w[1])
    if euler is None:
        none = np.zeros(0)
        return StepEnd(end_c, stage_c[n_chain:], none, none)
    apart_k = end_c - euler.solve(index, start_c, source_w[1])
    return StepEnd(end_c, stage_c[n_chain:], apart_k[:n_chain:8] + apart_k[1:n_chain:8], apart_k[n_chain:])


class StepFactors:
    """Factors of a whole step of one size where all chains are of one kind, whatever the groups.

    With many kinds they come to more than they save: each has few groups, and flows come in many more stages.

    Parameters
    ----------
    stage, euler : Operator
        Of both stages, and of backward Euler over the whole step.
    """

    def __init__(self, stage: Operator, euler: Operator) -> None:
        self.paths = paths = stage.paths
        self._above = stage.upper, euler.upper
        network = paths.network
        held_j_k = network.chain_capacity_j_k.repeat(2, axis=1).reshape(8, 1)
        (first, pull), (whole, pull_whole) = stage.chain, euler.chain
        # By what it begins with, and by heat; after the first stage, at the end, after backward Euler.
        begun_1, begun_e = stage.inv_h * held_j_k * first, euler.inv_h * held_j_k * whole
        begun_2 = (1.0 - AHEAD) * begun_1 + AHEAD * (begun_1 @ begun_1)
        heat_2 = first + AHEAD * (first @ begun_1)
        by_begun, by_heat = (
            np.concatenate([one[:, 4:], euler_[:, 4:], two, _die(two - euler_)], axis=1)
            for one, euler_, two in ((begun_1, begun_e, begun_2), (first, whole, heat_2))
        )
        # To plate and fluid in the first stage, the same in backward Euler, to all at the end, to the error of the die.
        self._matrix = np.concatenate([by_begun, by_heat[:4]])  # heat arises in dies and HBM alone
        # What loops and halls bring: to the four nodes at the end, and to that error.
        through = AHEAD * (pull @ begun_1[::2, ::2])
        self._drawn = np.zeros((4, 5))
        self._drawn[:2] = np.concatenate([through, through[:, :1]], axis=1)
        self._drawn[2:, 4:] = -pull_whole[:, :1]
        self._pulled = np.concatenate([pull, pull[:, :1]], axis=1)
        self._rates_w_k = np.array([[stage.inv_h], [euler.inv_h]]) * network.upper_capacity_j_k

    def step_end(self, index: GroupIndex, state: ThermalState, source_1: Floats, source_2: Floats) -> StepEnd:
        """Take a step, as the function of that name does."""
        upper_c, groups = state.upper, len(state.chain)
        n_chain, n_upper = 8 * groups, upper_c.size
        begun = np.concatenate(
            (state.chain.reshape(groups, 8), source_1[:n_chain].reshape(groups, 8)[:, :4]), axis=1
        )
        chains = begun.dot(self._matrix)
        weights_w_k, both_w_k = index.weights_w_k(self.paths), index.weights_twice_w_k(self.paths)
        given_w = chains[:, :8] * both_w_k
        heat_w = self._rates_w_k * upper_c
        heat_w += np.bincount(index.heated_twice, given_w.reshape(-1), minlength=2 * n_upper).reshape(2, -1)
        above_w = source_2[n_chain:]
        heat_w[1] += above_w
        heat_w[0] += source_1[n_chain:]
        above, above_e = self._above
        both_c = np.concatenate((above(heat_w[0]), above_e(heat_w[1])))
        drawn_c = both_c.take(index.drivers_twice).dot(self._drawn)
        flat_c = np.empty(n_chain + n_upper)
        chain_c = flat_c[:n_chain].reshape(groups, 8)
        chain_c[:] = chains[:, 8:16]
        commons_c = chain_c[:, ::2]
        commons_c += drawn_c[:, :4]
        die_k = chains[:, 16] + drawn_c[:, 4]
        stage_c = both_c[:n_upper]
        ahead_c = stage_c - upper_c
        ahead_c *= AHEAD
        ahead_c += upper_c
        ahead_c *= self._rates_w_k[0]
        ahead_c += above_w
        ahead_c += np.bincount(index.heated, (chain_c[:, 4:] * weights_w_k).reshape(-1), minlength=n_upper)
        flat_c[n_chain:] = end_c = above(ahead_c)
        pulled_c = end_c.take(index.driver).dot(self._pulled)
        commons_c += pulled_c[:, :4]
        die_k += pulled_c[:, 4]
        return StepEnd(flat_c, stage_c, die_k, end_c - both_c[n_upper:])


def _die(chains: Floats) -> Floats:
    """Return what a die of spread 1 has of temperatures of chains, shape (..., 1)."""
    return chains[:, :1] + chains[:, 1:2]
