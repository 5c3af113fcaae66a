"""Loops, halls and plants of one implicit stage, once the groups are eliminated: as one matrix, or up the tree.

Loop supply follows as s0 + s1 T_fs + s2 T_a, hall air as t0 + t1 T_fs, the plant is a 2 x 2; then back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.arrays import Floats

if TYPE_CHECKING:
    from twin.physics.thermal_solve import HeatPaths


def between_w_k(paths: HeatPaths) -> Floats:
    """What flows and exchangers make of the unknowns above the groups, GPUs and storage aside, (U, U) [W/K]."""
    shape = paths.shape
    n_loops, n_halls, n_plants = shape.n_loops, shape.n_halls, shape.n_plants
    matrix = np.zeros((shape.n_upper, shape.n_upper))
    back, supply = np.arange(n_loops), n_loops + np.arange(n_loops)
    hall, plant = 2 * n_loops + np.arange(n_halls), 2 * n_loops + n_halls + np.arange(n_plants)
    sent = plant + n_plants
    loop_flow, forward, coil, crah = (
        x[:, 0] for x in (paths.loop_flow, paths.forward, paths.coil, paths.crah)
    )
    matrix[back, back] = matrix[supply, supply] = loop_flow
    matrix[supply, back] = -forward
    matrix[supply, sent[shape.loop_plant]] = -coil
    matrix[hall, hall] = crah
    matrix[hall, sent[shape.hall_plant]] = -crah
    matrix[plant[shape.loop_plant], back] = -coil
    matrix[plant[shape.hall_plant], hall] = -crah
    matrix[plant, plant], matrix[sent, sent] = paths.plant_flow[:, 0], paths.from_supply[:, 0]
    taken = paths.loop_heat.sum(axis=1) + paths.hall_heat.sum(axis=1)
    matrix[plant, sent] = taken - paths.plant_flow[:, 0]
    matrix[sent, plant] = -paths.to_supply[:, 0]
    return matrix


def inverse_k_w(paths: HeatPaths, rate_w_k: Floats, chain_w_k: Floats) -> Floats:
    """Matrix that gives the temperatures above the groups from the heat into them, shape (U, U) [K/W].

    Parameters
    ----------
    paths : HeatPaths
    rate_w_k : ndarray, shape (U,)
        Heat capacities over the step.
    chain_w_k : ndarray, shape (L, 3)
        What the GPUs on each loop give: to its return per kelvin of its supply, the same per kelvin of hall air (or to
        the hall per kelvin of supply), and to the hall per kelvin of its air.
    """
    shape, matrix = paths.shape, paths.between_w_k.copy()
    flat, by_supply, by_hall = matrix.reshape(-1), chain_w_k[:, 0], chain_w_k[:, 1]
    flat[:: shape.n_upper + 1] += rate_w_k
    in_halls = shape.loops_in_hall @ chain_w_k[:, 2]
    flat[shape.chains_at] -= np.concatenate([by_supply, by_hall, by_hall, in_halls])
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


class UpTheTree:
    """The same by elimination from loops to plants, for many of them.

    Parameters
    ----------
    paths, rate_w_k, chain_w_k
        As for `inverse_k_w`.
    """

    def __init__(self, paths: HeatPaths, rate_w_k: Floats, chain_w_k: Floats) -> None:
        shape = paths.shape
        n_loops, n_halls, n_plants = shape.n_loops, shape.n_halls, shape.n_plants
        self.paths, self.shape = paths, shape
        forward, coil, rate = paths.forward, paths.coil, rate_w_k[:, None]
        b, c, room = chain_w_k[:, :1], chain_w_k[:, 1:2], chain_w_k[:, 2:]
        d_r, d_s = rate[:n_loops], rate[n_loops : 2 * n_loops]
        d_a = rate[2 * n_loops : 2 * n_loops + n_halls]
        d_fr, d_fs = rate[-2 * n_plants : -n_plants], rate[-n_plants:]
        self._k_r = 1.0 / (d_r + paths.loop_flow)
        self._k_s = 1.0 / (d_s + paths.loop_flow - forward * self._k_r * b)
        self._b, self._c = b, c
        self._s1 = self._k_s * coil
        self._s2 = self._k_s * forward * self._k_r * c
        hall_sum = shape.loops_in_hall
        self._k_a = 1.0 / (d_a + paths.crah - hall_sum @ (c * self._s2 + room))
        self._t1 = self._k_a * (paths.crah + hall_sum @ (c * self._s1))
        t1_loop = self._t1[shape.loop_hall]
        self._s1_full = self._s1 + self._s2 * t1_loop
        self._r1 = self._k_r * (b * self._s1_full + c * t1_loop)
        back = paths.loop_heat @ (self._r1 - 1.0) + paths.hall_heat @ (self._t1 - 1.0)
        self._k_fr = 1.0 / (d_fr + paths.plant_flow)
        self._fr1 = self._k_fr * (paths.plant_flow + back)
        self._k_fs = 1.0 / (d_fs + paths.from_supply - paths.to_supply * self._fr1)

    def dot(self, heat_w: Floats) -> Floats:
        """Temperatures above the groups from the heat into them, shape (U,) [C]."""
        shape, paths, rhs = self.shape, self.paths, heat_w[:, None]
        n_loops, n_plants = shape.n_loops, shape.n_plants
        loop_hall, loop_plant = shape.loop_hall, shape.loop_plant
        r_loop, r_supply = rhs[:n_loops], rhs[n_loops : 2 * n_loops]
        r_hall = rhs[2 * n_loops : 2 * n_loops + shape.n_halls]
        r_fr, r_fs = rhs[-2 * n_plants : -n_plants], rhs[-n_plants:]

        x = self._k_r * r_loop
        s0 = self._k_s * (r_supply + paths.forward * x)
        t0 = self._k_a * (r_hall + shape.loops_in_hall @ (self._c * s0))
        t0_loop = t0[loop_hall]
        s0 = s0 + self._s2 * t0_loop
        r0 = x + self._k_r * (self._b * s0 + self._c * t0_loop)
        heat = paths.loop_heat @ r0 + paths.hall_heat @ t0
        fr0 = self._k_fr * (r_fr + heat)
        plant_supply = self._k_fs * (r_fs + paths.to_supply * fr0)
        plant_return = fr0 + self._fr1 * plant_supply
        facility_loop = plant_supply[loop_plant]
        result: Floats = np.concatenate(
            [
                r0 + self._r1 * facility_loop,
                s0 + self._s1_full * facility_loop,
                t0 + self._t1 * plant_supply[shape.hall_plant],
                plant_return,
                plant_supply,
            ]
        )[:, 0]
        return result
