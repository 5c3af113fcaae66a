"""Heat conductances at given flows, and the loops, halls and plants of one implicit stage above the GPUs.

Once the groups are eliminated the rest is solved as one matrix, or up the tree: loop supply follows as
s0 + s1 T_fs + s2 T_a, hall air as t0 + t1 T_fs, the plant is a 2 x 2; then back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP
from twin.physics.hydraulics import counterflow_effectiveness
from twin.physics.thermal_constants import PLANT_MAX_FLOW_SHARE
from twin.physics.thermal_network import ThermalNetwork


@dataclass(frozen=True, slots=True)
class PlantState:
    """How far exchangers, room units, facility pumps and heat rejection are on, each 0..1.

    Attributes
    ----------
    exchanger : ndarray, shape (L,)
    crah : ndarray, shape (H,)
    plant_flow, rejection : ndarray, shape (P,)
    holds : ndarray of bool, shape (P,), optional
        Whether machines reject what it takes to bring the supply of a plant to the temperature that is called its sink;
        none: of no plant, all of them reject to a sink.
    """

    exchanger: Floats
    crah: Floats
    plant_flow: Floats
    rejection: Floats
    holds: NDArray[np.bool_] | None = None

    @property
    def held(self) -> NDArray[np.bool_]:
        """Whether the supply of each plant is held, shape (P,): never where nothing rejects heat."""
        none = np.zeros(self.rejection.size, bool) if self.holds is None else self.holds
        return none & (self.rejection > 0) & (self.plant_flow > 0)

    @property
    def figures(self) -> tuple[NDArray[Any], ...]:
        """All that it says."""
        return self.exchanger, self.crah, self.plant_flow, self.rejection, self.held

    def same_as(self, other: PlantState) -> bool:
        """Whether all values are equal."""
        return self is other or all(map(np.array_equal, self.figures, other.figures))


def exchanger_w_k(network: ThermalNetwork, flow_fraction: Floats, plant: PlantState) -> Floats:
    """Exchanger conductance eps C_min between loop return and facility supply, shape (L,) [W/K].

    Zero where either side stands still.
    """
    shape, coefficients = network.shape, network.coefficients
    hot = flow_fraction * network.loop_flow_w_k
    cold = plant.plant_flow[shape.loop_plant] * coefficients.facility_flow_w_k
    c_min, c_max = np.minimum(hot, cold), np.maximum(hot, cold)
    flowing = c_min > 0.0
    safe_min, safe_max = np.where(flowing, c_min, 1.0), np.where(flowing, c_max, 1.0)
    ntu = coefficients.exchanger_ua_w_k / safe_min
    effectiveness = counterflow_effectiveness(ntu, safe_min / safe_max)
    result: Floats = np.where(flowing, effectiveness * c_min, 0.0) * plant.exchanger
    return result


def water_paths_w_k(network: ThermalNetwork, plant: PlantState) -> tuple[Floats, Floats, Floats, Floats]:
    """Conductances of the water of each plant: from return, to supply, out of supply, from the sink, shapes (P,) [W/K].

    Return water flows on with W. On its way a sink takes g (return - sink), which leaves W - g of it for the supply.
    Machines that hold the supply reject W return - (W - g) supply - g held: it nears that by g alone.
    """
    flow, taken = plant.plant_flow * network.coefficients.plant_flow_w_k, rejection_w_k(network, plant)
    return flow, np.where(plant.held, 0.0, flow - taken), np.where(plant.held, taken, flow), taken


def rejection_w_k(network: ThermalNetwork, plant: PlantState) -> Floats:
    """Conductance from facility return to the sink as it is now, never above .95 of the flow, (P,) [W/K]."""
    flow = plant.plant_flow * network.coefficients.plant_flow_w_k
    return np.minimum(plant.rejection * network.coefficients.rejection_w_k, PLANT_MAX_FLOW_SHARE * flow)


class HeatPaths:
    """Heat conductances at given flows and plant state: the part of a stage that no step size changes.

    Parameters
    ----------
    network : Network
    flow_fraction : ndarray, shape (L,)
        Loop flow over design flow; zero is legal unless h is infinite.
    plant : PlantState

    Attributes
    ----------
    even : bool
        Whether all loops flow alike. GPUs differ by part and flow alone: there are N = K kinds for each flow.
    alike : bool
        Whether there is one kind of chain alone.
    chain_w_k : ndarray, shape (N/K, K, 4, 4)
        Conductance matrix of one GPU of each kind [W/K].
    storage_j_k : ndarray, shape (K, 4, 4)
        Its heat capacities, on the diagonal [J/K].
    flow_w_k, ambient_w_k : ndarray, shape (N,)
        Heat capacity flow and plate to hall air of one GPU [W/K].
    gain_w_k : ndarray, shape (N, 2, 1)
        Weights of plate and fluid in the heat that one GPU gives to hall and loop [W/K].
    to_supply, from_supply : ndarray, shape (P, 1)
        Of the facility's water: return to supply, and out of the supply (`water_paths_w_k`) [W/K].
    """

    def __init__(self, network: ThermalNetwork, flow_fraction: Floats, plant: PlantState) -> None:
        shape, coefficients, table = network.shape, network.coefficients, network.part_table
        self.network, self.shape, n_parts = network, shape, len(network.parts)
        flows, flow_of_loop = np.unique(flow_fraction, return_inverse=True)
        self.even = flows.size == 1
        self._of_loop = flow_of_loop.reshape(-1) * n_parts
        g_jp, g_mp, g_amb = table["g_die_plate_w_k"], table["g_hbm_plate_w_k"], table["g_ambient_w_k"]
        phi = flows[:, None]
        g_pf = phi**0.8 * table["g_convection_w_k"] + table["g_stagnant_w_k"]
        matrix = np.zeros((phi.size, n_parts, 4, 4))
        matrix[..., 0, 0] = g_jp
        matrix[..., 1, 1] = g_mp
        matrix[..., 2, 2] = g_jp + g_mp + g_pf + g_amb
        matrix[..., 3, 3] = g_pf + phi * table["flow_w_k"]
        matrix[..., 0, 2] = matrix[..., 2, 0] = -g_jp
        matrix[..., 1, 2] = matrix[..., 2, 1] = -g_mp
        matrix[..., 2, 3] = matrix[..., 3, 2] = -g_pf
        self.chain_w_k, self.alike = matrix, matrix.size == 16
        self.storage_j_k = network.chain_capacity_j_k[:, :, None] * np.eye(4)
        self.flow_w_k = (phi * table["flow_w_k"]).reshape(-1)
        self.ambient_w_k = np.tile(g_amb, phi.size)
        self.gain_w_k = np.array([self.ambient_w_k, self.flow_w_k]).T[:, :, None]
        # Columns: of loops, halls and plants, as the elimination below applies them.
        self.loop_flow = self.by_loop(self.flow_w_k[:, None])
        self.coil = exchanger_w_k(network, flow_fraction, plant)[:, None]
        self.forward = self.loop_flow - self.coil
        self.plant_flow, self.to_supply, self.from_supply, _ = (
            x[:, None] for x in water_paths_w_k(network, plant)
        )
        self.crah = (plant.crah * coefficients.crah_w_k * plant.plant_flow[shape.hall_plant])[:, None]
        self.loop_heat = shape.loops_on_plant * self.coil.T
        self.hall_heat = shape.halls_on_plant * self.crah.T

    def by_loop(self, values: Floats) -> Floats:
        """Sum of figures per GPU of each kind, shape (N, C), over the GPUs on each loop, shape (L, C)."""
        installed = self.network.installed
        if not installed.size:  # no loop, or no GPU
            return np.zeros((len(installed), values.shape[1]))
        if self.even:
            return np.asarray(installed @ values, dtype=np.float64)
        parts = installed.shape[1]
        of_loops = values.reshape(-1, parts, values.shape[1]).take(self._of_loop // parts, axis=0)
        apart: Floats = (installed[:, None, :] @ of_loops)[:, 0]
        return apart

    def kind(self, loop: IntP, part: IntP) -> IntP:
        """Return the kind of GPUs on a loop and of a part, each of shape (G,)."""
        return part if self.even else self._of_loop.take(loop) + part

    @cached_property
    def modes(self) -> tuple[Floats, Floats]:
        """Decay rates of the chain of each kind, shape (N, 4) [1/s], and what decays so, (N, 4, 4) [sqrt(K/J)].

        A chain is symmetric, so in these modes any stage of it is a division.
        """
        root = np.sqrt(np.tile(self.network.chain_capacity_j_k, (len(self.chain_w_k), 1)))[:, :, None]
        chain_w_k = self.chain_w_k.reshape(-1, 4, 4)
        rates, modes = np.linalg.eigh(chain_w_k / (root * root.transpose(0, 2, 1)))
        return rates, modes / root

    @cached_property
    def of_modes(self) -> Floats:
        """Contribution of each mode of each kind of chain to the factors of a stage, shape (N, 75, 4).

        First the matrix that takes (X0, X1) of all nodes side by side through the chain, (8, 8); then plate and coolant
        of each node per kelvin of hall air and of loop supply, (2, 4); last what the chain gives per kelvin: to its
        loop by supply and by hall air, to its hall by hall air.
        """
        modes = self.modes[1].transpose(0, 2, 1)
        inverse = modes[:, :, :, None] * modes[:, :, None, :]
        gain_w_k = self.gain_w_k[:, None, ::-1, 0]  # of fluid and plate
        drive = inverse[..., :1:-1] * gain_w_k[:, :, None]
        kinds = len(modes)
        product = np.zeros((kinds, 4, 4, 2, 4, 2))
        product[:, :, :, 0, :, 0] = product[:, :, :, 1, :, 1] = inverse
        gives = np.concatenate(
            [gain_w_k[..., :1] * drive[:, :, 3], gain_w_k[..., 1:] * drive[:, :, 2, 1:]], axis=2
        )
        parts = product.reshape(kinds, 4, 64), drive.transpose(0, 1, 3, 2).reshape(kinds, 4, 8), gives
        return np.concatenate(parts, axis=2).transpose(0, 2, 1).copy()

    @cached_property
    def between_w_k(self) -> Floats:
        """Conductances of flows and exchangers between loops, halls and plants (`thermal_upper`)."""
        return between_w_k(self)


def between_w_k(paths: HeatPaths) -> Floats:
    """Conductances of flows and exchangers between unknowns above the groups, no GPUs or storage, (U, U) [W/K]."""
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
