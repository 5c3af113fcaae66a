"""Exact solution of one implicit stage of the thermal network by tree elimination.

(C/h + K) T = C/h T* + source: the four nodes of a GPU are eliminated by a 4 x 4 inverse, which leaves plate
and coolant as linear functions of loop supply and hall air; loop supply follows as s0 + s1 T_fs + s2 T_a,
hall air as t0 + t1 T_fs, the plant is a 2 x 2; then back. The factors depend on installed GPUs, flows and h
only, not on how GPUs are grouped, so they outlive every split and merge.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics.hydraulics import counterflow_effectiveness
from twin.physics.thermal_constants import PLANT_MAX_FLOW_SHARE
from twin.physics.thermal_network import Groups, ThermalNetwork
from twin.physics.thermal_upper import UpTheTree, between_w_k, inverse_k_w

DENSE_UPPER_LIMIT = 96
"""Up to this many unknowns above the groups, their inverse is applied as one matrix."""


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

    def same_as(self, other: "PlantState") -> bool:
        """Whether all values are equal."""
        return self is other or (
            np.array_equal(self.exchanger, other.exchanger)
            and np.array_equal(self.crah, other.crah)
            and np.array_equal(self.plant_flow, other.plant_flow)
            and np.array_equal(self.rejection, other.rejection)
            and np.array_equal(self.held, other.held)
        )


def exchanger_w_k(network: ThermalNetwork, flow_fraction: Floats, plant: PlantState) -> Floats:
    """Exchanger conductance eps C_min between loop return and facility supply, shape (L,) [W/K].

    Zero where either side has no flow.
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
    """What the water of each plant conducts: from return, to supply, out of supply, from the sink, shapes (P,) [W/K].

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
    """What conducts heat at given flows and plant state: the part of a stage that no step size changes.

    Parameters
    ----------
    network : Network
    flow_fraction : ndarray, shape (L,)
        Loop flow over design flow; zero is legal unless h is infinite.
    plant : PlantState

    Attributes
    ----------
    even : bool
        Whether all loops flow alike. Then GPUs differ by part alone: N = K kinds instead of L*K.
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
        self.even = bool((flow_fraction == flow_fraction[:1]).all())
        g_jp, g_mp, g_amb = table["g_die_plate_w_k"], table["g_hbm_plate_w_k"], table["g_ambient_w_k"]
        phi = flow_fraction[:1, None] if self.even else flow_fraction[:, None]
        g_pf = phi**0.8 * table["g_convection_w_k"] + table["g_stagnant_w_k"]
        matrix = np.zeros((phi.size, n_parts, 4, 4))
        matrix[..., 0, 0] = g_jp
        matrix[..., 1, 1] = g_mp
        matrix[..., 2, 2] = g_jp + g_mp + g_pf + g_amb
        matrix[..., 3, 3] = g_pf + phi * table["flow_w_k"]
        matrix[..., 0, 2] = matrix[..., 2, 0] = -g_jp
        matrix[..., 1, 2] = matrix[..., 2, 1] = -g_mp
        matrix[..., 2, 3] = matrix[..., 3, 2] = -g_pf
        self.chain_w_k = matrix
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
        if self.even:
            return np.asarray(installed @ values, dtype=np.float64)
        apart: Floats = np.einsum("lk,lkc->lc", installed, values.reshape(*installed.shape, -1))
        return apart

    def chain_inverse(self, inv_h: float) -> Floats:
        """Inverse of the 4 x 4 stage matrix of one GPU of each kind, shape (N, 4, 4) [K/W]."""
        stage = self.chain_w_k + inv_h * self.storage_j_k
        return np.asarray(np.linalg.inv(stage.reshape(-1, 4, 4)), dtype=np.float64)

    @property
    def alike(self) -> bool:
        """Whether there is one kind of chain alone."""
        return self.chain_w_k.size == 16

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
        """What each mode of the one kind of chain adds to the factors of a stage, shape (75, 4).

        First the matrix that takes (X0, X1) of all nodes side by side through the chain, (8, 8); then plate and coolant
        of each node per kelvin of hall air and of loop supply, (2, 4); last what the chain gives per kelvin: to its
        loop by supply and by hall air, to its hall by hall air.
        """
        modes = self.modes[1][0].T
        inverse = modes[:, :, None] * modes[:, None, :]
        gain_w_k = self.gain_w_k[0, ::-1]  # of fluid and plate
        drive = inverse[:, :, :1:-1] * gain_w_k[:, 0]
        product = np.zeros((4, 4, 2, 4, 2))
        product[:, :, 0, :, 0] = product[:, :, 1, :, 1] = inverse
        gives = np.stack([*(gain_w_k[0] * drive[:, 3].T), gain_w_k[1, 0] * drive[:, 2, 1]], axis=1)
        parts = product.reshape(4, 64), drive.transpose(0, 2, 1).reshape(4, 8), gives
        return np.concatenate(parts, axis=1).T.copy()

    @cached_property
    def between_w_k(self) -> Floats:
        """What flows and exchangers do between loops, halls and plants (`thermal_upper`)."""
        return between_w_k(self)


class Operator:
    """Factors of one implicit stage for given step h, flows and plant state.

    Parameters
    ----------
    paths : HeatPaths
    inv_h : float
        1 / h [1/s].
    """

    def __init__(self, paths: HeatPaths, inv_h: float) -> None:
        self.paths, self.inv_h = paths, inv_h
        # Matrix of one chain where all are alike; temperatures of chains per kelvin of loop supply and of hall air.
        self.product: Floats | None = None
        if paths.alike:
            factors = paths.of_modes.dot(1.0 / (inv_h + paths.modes[0][0]))
            self.product, self.pull = factors[:64].reshape(8, 8), factors[64:72].reshape(2, 4)
            gives_w_k = factors[None, 72:]
            gives_w_k[0, 2] -= paths.ambient_w_k[0]
        else:
            self.chain = inverse = paths.chain_inverse(inv_h)
            self.drive = drive = inverse[:, :, :1:-1] * paths.gain_w_k[:, None, ::-1, 0]
            gives_w_k = np.empty((len(drive), 3))
            gives_w_k[:, :2] = drive[:, 3] * paths.flow_w_k[:, None]
            gives_w_k[:, 2] = paths.ambient_w_k * (drive[:, 2, 1] - 1.0)
        on_loops, rate_w_k = paths.by_loop(gives_w_k), inv_h * paths.network.upper_capacity_j_k
        self._above: Floats | UpTheTree
        if paths.shape.n_upper <= DENSE_UPPER_LIMIT:
            self._above = inverse_k_w(paths, rate_w_k, on_loops)
        else:
            self._above = UpTheTree(paths, rate_w_k, on_loops)

    def upper(self, rhs: Floats) -> Floats:
        """Upper temperatures for one right-hand side, shape (2L + H + 2P,) [C]."""
        result: Floats = self._above.dot(rhs)
        return result


class GroupIndex:
    """What the present groups contribute to any operator: gathered once per set of groups.

    Parameters
    ----------
    network : Network
    groups : Groups

    Attributes
    ----------
    part, kind : ndarray of int, shape (G,)
        Row of each group in the arrays of an `Operator`, where all loops flow alike and where not.
    driver : ndarray of int, shape (G, 2)
        Upper unknowns that drive a group: its loop's supply and its hall's air.
    heated : ndarray of int, shape (2G,)
        Upper unknowns that each group heats: by its plates its hall's air, by its coolant its loop's return.
    members : ndarray, shape (G, 1, 2)
        n and sum_s.
    capacity_j_k : ndarray, shape (8G + 2L + H + 2P,)
        Heat capacities in the order of `State.flat`, in groups those of one GPU [J/K].
    """

    def __init__(self, network: ThermalNetwork, groups: Groups) -> None:
        shape = network.shape
        self.part, self.kind = groups.part, groups.loop * len(network.parts) + groups.part
        self.driver = shape.drivers.take(groups.loop, axis=0)
        self.heated = shape.heated.take(groups.loop, axis=0).reshape(-1)
        self.members = np.array([groups.n, groups.sum_s]).T.copy()[:, None, :]
        chain_j_k = network.chain_capacity_j_k.take(groups.part, axis=0).repeat(2)
        self.capacity_j_k = np.concatenate([chain_j_k, network.upper_capacity_j_k])
        self._weights: tuple[HeatPaths, Floats] | None = None

    def weights_w_k(self, paths: HeatPaths) -> Floats:
        """Weights of plate and fluid of each group, common and spread part, in its heat, shape (G, 4) [W/K]."""
        known = self._weights
        if known is None or known[0] is not paths:
            gain_w_k = (
                paths.gain_w_k[0]
                if paths.alike
                else paths.gain_w_k.take(self.part if paths.even else self.kind, axis=0)
            )
            self._weights = known = paths, (gain_w_k * self.members).reshape(-1, 4)
        return known[1]


class GroupOperator:
    """An `Operator` for the present groups.

    Where all GPUs are alike, one matrix takes all groups through their chains in one product; else each group
    has its own.

    Parameters
    ----------
    operator : Operator
    index : GroupIndex
    """

    def __init__(self, operator: Operator, index: GroupIndex) -> None:
        self.operator, self._heated, self._driver = operator, index.heated, index.driver
        self._rate = operator.inv_h * index.capacity_j_k
        paths = operator.paths
        if operator.product is None:
            kind = index.part if paths.even else index.kind
            self._chain = operator.chain.take(kind, axis=0)
            self._drive = operator.drive.take(kind, axis=0)
        self._weights = index.weights_w_k(paths)

    def solve(self, old_c: Floats, source_w: Floats) -> Floats:
        """Solve one stage from old temperatures and constant sources, all in the order of `State.flat`.

        Parameters
        ----------
        old_c : ndarray, shape (8G + 2L + H + 2P,)
            Old temperatures T* [C].
        source_w : ndarray, shape (8G + 2L + H + 2P,)
            Heat into each node, in groups per GPU, common and spread part, sink coupling included [W].

        Returns
        -------
        ndarray, shape (8G + 2L + H + 2P,)
            Temperatures at the end of the stage [C].
        """
        operator = self.operator
        given = self._rate * old_c
        given += source_w
        n_chain = 4 * self._heated.size
        new_c = np.empty(given.size)
        chain, rhs = new_c[:n_chain].reshape(-1, 8), given[n_chain:]
        if operator.product is not None:
            np.dot(given[:n_chain].reshape(-1, 8), operator.product, out=chain)
        else:
            np.matmul(self._chain, given[:n_chain].reshape(-1, 4, 2), out=chain.reshape(-1, 4, 2))
        common_w, spread_w = (chain[:, 4:] * self._weights).reshape(-1, 2).T
        rhs += np.bincount(self._heated, common_w + spread_w, minlength=rhs.size)
        upper = new_c[n_chain:] = operator.upper(rhs)
        drivers = upper.take(self._driver)
        if operator.product is not None:
            chain[:, ::2] += drivers.dot(operator.pull)
        else:
            chain[:, ::2] += (self._drive @ drivers[:, :, None])[:, :, 0]
        return new_c
