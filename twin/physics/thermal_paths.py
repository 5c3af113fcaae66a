"""Heat conductances at given flows, and the loops, halls and plants of one implicit stage above the GPUs.

Once the groups are eliminated the rest is solved as one matrix, or up the tree: return and supply of a loop follow from
hall air and facility supply, halls and plants are a small matrix; then back.
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
    def top_w_k(self) -> Floats:
        """Conductances between halls and plants alone, shape (H + 2P, H + 2P) [W/K]."""
        return top_w_k(self)

    @cached_property
    def between_w_k(self) -> Floats:
        """Conductances of flows and exchangers between loops, halls and plants."""
        return between_w_k(self)


def top_w_k(paths: HeatPaths) -> Floats:
    """Conductances of flows and exchangers between halls and plants, no loops or storage, (H + 2P, H + 2P) [W/K]."""
    shape = paths.shape
    n_halls, n_plants = shape.n_halls, shape.n_plants
    matrix = np.zeros((n_halls + 2 * n_plants, n_halls + 2 * n_plants))
    hall, plant, crah = np.arange(n_halls), n_halls + np.arange(n_plants), paths.crah[:, 0]
    sent = plant + n_plants
    matrix[hall, hall] = crah
    matrix[hall, sent[shape.hall_plant]] = -crah
    matrix[plant[shape.hall_plant], hall] = -crah
    matrix[plant, plant], matrix[sent, sent] = paths.plant_flow[:, 0], paths.from_supply[:, 0]
    taken = paths.loop_heat.sum(axis=1) + paths.hall_heat.sum(axis=1)
    matrix[plant, sent] = taken - paths.plant_flow[:, 0]
    matrix[sent, plant] = -paths.to_supply[:, 0]
    return matrix


def between_w_k(paths: HeatPaths) -> Floats:
    """Conductances of flows and exchangers between unknowns above the groups, no GPUs or storage, (U, U) [W/K]."""
    shape = paths.shape
    n_loops, n_halls, n_plants = shape.n_loops, shape.n_halls, shape.n_plants
    matrix = np.zeros((shape.n_upper, shape.n_upper))
    back, supply = np.arange(n_loops), n_loops + np.arange(n_loops)
    plant = 2 * n_loops + n_halls + shape.loop_plant
    loop_flow, forward, coil = (x[:, 0] for x in (paths.loop_flow, paths.forward, paths.coil))
    matrix[back, back] = matrix[supply, supply] = loop_flow
    matrix[supply, back] = -forward
    matrix[supply, plant + n_plants] = -coil
    matrix[plant, back] = -coil
    matrix[2 * n_loops :, 2 * n_loops :] = paths.top_w_k
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
    """The same by elimination from loops to plants: with many loops, or where it is not asked for often, it costs less.

    Return and supply of a loop follow from the heat into them, from the air of its hall and from the supply of its
    plant. What is left are halls and plants.

    Parameters
    ----------
    paths, rate_w_k, chain_w_k
        As for `inverse_k_w`.
    """

    def __init__(self, paths: HeatPaths, rate_w_k: Floats, chain_w_k: Floats) -> None:
        self.paths, self.shape = paths, paths.shape
        n_loops = paths.shape.n_loops
        loop_flow, forward, coil = paths.loop_flow[:, 0], paths.forward[:, 0], paths.coil[:, 0]
        by_supply, self._by_air, in_hall = np.ascontiguousarray(chain_w_k.T)
        # Of return and supply: kelvin per watt of its own, then per watt or kelvin of the other.
        self._own = own = np.empty((2, n_loops))
        own[0] = 1.0 / (rate_w_k[:n_loops] + loop_flow)
        self._to_back, onward = own[0] * by_supply, own[0] * forward
        own[1] = 1.0 / (rate_w_k[n_loops : 2 * n_loops] + loop_flow - onward * by_supply)
        self._to_supply = own[1] * onward
        # Of both: kelvin per kelvin of air and of the plant's supply.
        self._of_above = np.empty((2, 2, n_loops))
        of_air, of_plant = self._of_above[:, 0], self._of_above[:, 1]
        of_air[1], of_plant[1] = self._to_supply * self._by_air, own[1] * coil
        of_air[0] = own[0] * self._by_air + self._to_back * of_air[1]
        of_plant[0] = self._to_back * of_plant[1]
        given = (
            self._by_air * of_air[1] + in_hall,
            self._by_air * of_plant[1],
            coil * of_air[0],
            coil * of_plant[0],
        )
        self._top = np.linalg.inv(self._top_w_k(rate_w_k[2 * n_loops :], np.array(given)))

    def _top_w_k(self, rate_w_k: Floats, given_w_k: Floats) -> Floats:
        """Conductances of halls and plants, where what loops give them per kelvin of theirs is `given_w_k`, (4, L)."""
        shape = self.shape
        top = self.paths.top_w_k.copy()
        flat = top.reshape(-1)
        flat[:: len(top) + 1] += rate_w_k
        in_halls = given_w_k.dot(shape.loops_in_hall.T)
        on_plants = shape.halls_on_plant.dot(in_halls[3])
        flat[shape.loops_at] -= np.concatenate([in_halls[:3].reshape(-1), on_plants])
        return top

    def dot(self, heat_w: Floats) -> Floats:
        """Temperatures above the groups from the heat into them, shape (U,) [C]."""
        shape, paths = self.shape, self.paths
        n_loops, n_halls, n_plants = shape.n_loops, shape.n_halls, shape.n_plants
        result = np.empty(heat_w.size)
        loops, above = result[: 2 * n_loops].reshape(2, n_loops), result[2 * n_loops :]
        back, supply = loops
        np.multiply(self._own, heat_w[: 2 * n_loops].reshape(2, n_loops), out=loops)
        supply += self._to_supply * heat_w[:n_loops]
        back += self._to_back * supply
        top_w = heat_w[2 * n_loops :].copy()
        top_w[:n_halls] += shape.loops_in_hall.dot(self._by_air * supply)
        top_w[n_halls : n_halls + n_plants] += paths.loop_heat.dot(back)
        above[:] = self._top.dot(top_w)
        drawn_c = self._of_above * above.take(shape.above_loop)
        loops += drawn_c[:, 0]
        loops += drawn_c[:, 1]
        return result
