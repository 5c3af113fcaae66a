"""The thermal network: the loop, hall and plant of each group, and their heat capacities.

Groups of like GPUs -> loops (a coolant loop with its CDU, or cold and hot aisle with their CRAHs) -> halls
(room air, takes the residual heat) -> plants (facility water) -> sink (outdoor air or chiller).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats, IntP, highest
from twin.physics import thermal_constants as const
from twin.physics.thermal_constants import PartThermal


@dataclass(frozen=True)
class ThermalShape:
    """Topology of the thermal network. A loop belongs to one hall, a hall (its CDUs and CRAHs) to one plant.

    Attributes
    ----------
    loop_hall : ndarray of int, shape (L,)
    hall_plant : ndarray of int, shape (H,)
    n_plants : int
    """

    loop_hall: IntP
    hall_plant: IntP
    n_plants: int

    @cached_property
    def n_loops(self) -> int:
        """Number of loops L."""
        return self.loop_hall.size

    @cached_property
    def n_halls(self) -> int:
        """Number of halls H."""
        return self.hall_plant.size

    @cached_property
    def loop_plant(self) -> IntP:
        """Plant of each loop, shape (L,)."""
        return self.hall_plant[self.loop_hall]

    @cached_property
    def loops_in_hall(self) -> Floats:
        """1 where a loop belongs to a hall, shape (H, L)."""
        return _membership(self.n_halls, self.loop_hall)

    @cached_property
    def loops_on_plant(self) -> Floats:
        """1 where a loop hangs on a plant, shape (P, L)."""
        return _membership(self.n_plants, self.loop_plant)

    @cached_property
    def halls_on_plant(self) -> Floats:
        """1 where a hall hangs on a plant, shape (P, H)."""
        return _membership(self.n_plants, self.hall_plant)

    @cached_property
    def valves_on_plant(self) -> Floats:
        """1 where the water of a loop's exchanger, then of a hall's room units, is a plant's, shape (P, L + H)."""
        return np.concatenate([self.loops_on_plant, self.halls_on_plant], axis=1)

    @cached_property
    def n_upper(self) -> int:
        """Number of unknowns above the groups: 2 per loop, 1 per hall, 2 per plant."""
        return 2 * self.n_loops + self.n_halls + 2 * self.n_plants

    @cached_property
    def drivers(self) -> IntP:
        """Unknowns that drive the GPUs of each loop: the loop's supply and its hall's air, shape (L, 2)."""
        return np.stack([self.n_loops + np.arange(self.n_loops), 2 * self.n_loops + self.loop_hall], axis=1)

    @cached_property
    def heated(self) -> IntP:
        """Unknowns that the GPUs of each loop heat: the hall's air and the loop's return, each twice, shape (L, 4)."""
        return np.stack([2 * self.n_loops + self.loop_hall, np.arange(self.n_loops)], axis=1).repeat(
            2, axis=1
        )

    @cached_property
    def drivers_twice(self) -> IntP:
        """The drivers of each loop among two sets of the unknowns, one behind the other, shape (L, 4)."""
        return np.concatenate([self.drivers, self.drivers + self.n_upper], axis=1)

    @cached_property
    def heated_twice(self) -> IntP:
        """The same of what the GPUs of each loop heat, shape (L, 8)."""
        return np.concatenate([self.heated, self.heated + self.n_upper], axis=1)

    @cached_property
    def chains_at(self) -> IntP:
        """Where GPUs stand in the flat matrix of these unknowns, shape (3L + H,): of each loop, then of each hall.

        Of a loop: its return by its supply, its return by the hall's air, that air by its supply; of a hall: its own.
        """
        n_loops, size = self.n_loops, self.n_upper
        loops, hall = np.arange(n_loops), 2 * n_loops + self.loop_hall
        own = 2 * n_loops + np.arange(self.n_halls)
        by_supply, by_hall, in_hall = (
            row * size + column
            for row, column in ((loops, n_loops + loops), (loops, hall), (hall, n_loops + loops))
        )
        return np.concatenate([by_supply, by_hall, in_hall, own * (size + 1)])

    @cached_property
    def above_loop(self) -> IntP:
        """Air of the hall of each loop and supply of its plant among halls and plants, shape (2, L)."""
        return np.array([self.loop_hall, self.n_halls + self.n_plants + self.loop_plant], np.intp)

    @cached_property
    def loops_at(self) -> IntP:
        """Where loops stand in the flat matrix of halls and plants, shape (3H + P,).

        Of a hall: its air by itself, by its plant's supply, its plant's return by the air; of a plant: its return by
        its supply.
        """
        size = self.n_halls + 2 * self.n_plants
        hall, plant = np.arange(self.n_halls), self.n_halls + np.arange(self.n_plants)
        back = self.n_halls + self.hall_plant
        at = hall * (size + 1), hall * size + back + self.n_plants, back * size + hall
        return np.concatenate([*at, plant * (size + 1) + self.n_plants])


def _membership(n_parents: int, parent: IntP) -> Floats:
    """1 where a child has a parent, shape (parents, children)."""
    matrix = np.zeros((n_parents, parent.size))
    matrix[parent, np.arange(parent.size)] = 1.0
    return matrix


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Constants of loops, halls and plants at design.

    Attributes
    ----------
    loop_return_j_k, loop_supply_j_k : ndarray, shape (L,)
        Heat capacities [J/K].
    exchanger_ua_w_k : ndarray, shape (L,)
        UA of the CDU or CRAH coil [W/K].
    facility_flow_w_k : ndarray, shape (L,)
        Facility-side heat capacity flow through the exchanger [W/K].
    hall_j_k, crah_w_k : ndarray, shape (H,)
        Room heat capacity [J/K], room unit conductance to facility supply [W/K].
    plant_return_j_k, plant_supply_j_k, plant_flow_w_k, rejection_w_k : ndarray, shape (P,)
        Facility water capacities [J/K], its flow [W/K], conductance of the heat rejection to the sink [W/K].
    """

    loop_return_j_k: Floats
    loop_supply_j_k: Floats
    exchanger_ua_w_k: Floats
    facility_flow_w_k: Floats
    hall_j_k: Floats
    crah_w_k: Floats
    plant_return_j_k: Floats
    plant_supply_j_k: Floats
    plant_flow_w_k: Floats
    rejection_w_k: Floats


@dataclass(frozen=True)
class ThermalNetwork:
    """Shape, part chains, installed GPUs and coefficients of one site.

    Attributes
    ----------
    shape : ThermalShape
    parts : tuple of PartThermal, length K
    installed : ndarray, shape (L, K)
        GPUs of each part on each loop; the groups of a loop always add up to it.
    coefficients : Coefficients
    """

    shape: ThermalShape
    parts: tuple[PartThermal, ...]
    installed: Floats
    coefficients: Coefficients

    @cached_property
    def part_table(self) -> dict[str, Floats]:
        """Each number of `PartThermal` for all parts, shape (K,)."""
        names = [field.name for field in fields(PartThermal) if field.name != "name"]
        return {name: np.array([getattr(part, name) for part in self.parts]) for name in names}

    @cached_property
    def upper_capacity_j_k(self) -> Floats:
        """Heat capacities of the nodes above the groups in the order of `ThermalState.upper` [J/K]."""
        c = self.coefficients
        return np.concatenate(
            [c.loop_return_j_k, c.loop_supply_j_k, c.hall_j_k, c.plant_return_j_k, c.plant_supply_j_k]
        )

    @cached_property
    def chain_capacity_j_k(self) -> Floats:
        """Heat capacities of die, HBM, plate and fluid of each part, shape (K, 4) [J/K]."""
        names = ("die_j_k", "hbm_j_k", "plate_j_k", "fluid_j_k")
        return np.stack([self.part_table[name] for name in names], axis=1)

    @cached_property
    def heat_shares(self) -> Floats:
        """Shares of a GPU's power that arise in its die and in its HBM, of each part, shape (K, 2) [-]."""
        hbm = self.part_table["hbm_share"]
        return np.stack([1.0 - hbm, hbm], axis=1)

    @cached_property
    def loop_flow_w_k(self) -> Floats:
        """Heat capacity flow of each loop at flow fraction 1, shape (L,) [W/K]."""
        flow: Floats = self.installed @ self.part_table["flow_w_k"]
        return flow


def design_network(
    loop_hall: Sequence[int] | IntP,
    hall_plant: Sequence[int] | IntP,
    parts: Sequence[PartThermal],
    installed: Floats,
    loop_is_air: Sequence[bool] | NDArray[np.bool_],
) -> ThermalNetwork:
    """Size loops, halls and plants for the GPUs on them by the design rules of PHYSICS 3.

    An empty loop, hall or plant gets the heat capacity of one GPU's share, so it stays a legal node.

    Parameters
    ----------
    loop_hall : array_like of int, shape (L,)
        Hall of each loop.
    hall_plant : array_like of int, shape (H,)
        Plant of each hall.
    parts : sequence of PartThermal, length K
    installed : array_like, shape (L, K)
        GPUs of each part on each loop.
    loop_is_air : array_like of bool, shape (L,)
        True where the loop is an air loop (cold and hot aisle).

    Returns
    -------
    Network
    """
    hall_of = np.asarray(loop_hall, dtype=np.intp)
    plant_of = np.asarray(hall_plant, dtype=np.intp)
    counts = np.asarray(installed, dtype=np.float64)
    is_air = np.asarray(loop_is_air, dtype=np.bool_)
    if counts.shape != (hall_of.size, len(parts)) or is_air.shape != hall_of.shape:
        raise ValueError("installed must be (loops, parts) and loop_is_air (loops,)")
    shape = ThermalShape(hall_of, plant_of, int(plant_of.max()) + 1)
    gpus = counts.sum(axis=1)
    rated_w = counts @ np.array([part.tdp_w for part in parts])
    flow_w_k = counts @ np.array([part.flow_w_k for part in parts])
    per_gpu_j_k = np.where(is_air, const.AIR_LOOP_J_K_PER_GPU, const.LIQUID_LOOP_J_K_PER_GPU)
    loop_j_k = np.maximum(gpus, 1.0) * per_gpu_j_k
    room_w = rated_w * np.where(is_air, const.AIR_ROOM_SHARE, const.LIQUID_ROOM_SHARE)

    def by_hall(values: Floats) -> Floats:
        return np.asarray(np.bincount(hall_of, values, minlength=shape.n_halls), dtype=np.float64)

    def by_plant(values: Floats) -> Floats:
        return np.asarray(np.bincount(shape.loop_plant, values, minlength=shape.n_plants), dtype=np.float64)

    facility_w_k = const.FACILITY_FLOW_FACTOR * flow_w_k
    plant_flow_w_k = by_plant(facility_w_k)
    wanted_w_k = const.NODE_HEAT_FACTOR * by_plant(rated_w) / const.PLANT_APPROACH_K
    coefficients = Coefficients(
        loop_return_j_k=loop_j_k,
        loop_supply_j_k=loop_j_k.copy(),
        exchanger_ua_w_k=const.EXCHANGER_NTU_DESIGN * flow_w_k,
        facility_flow_w_k=facility_w_k,
        hall_j_k=const.ROOM_J_K_PER_GPU * np.maximum(by_hall(gpus), 1.0),
        crah_w_k=by_hall(room_w) / const.CRAH_APPROACH_K,
        plant_return_j_k=const.PLANT_J_K_PER_GPU * np.maximum(by_plant(gpus), 1.0),
        plant_supply_j_k=const.PLANT_J_K_PER_GPU * np.maximum(by_plant(gpus), 1.0),
        plant_flow_w_k=plant_flow_w_k,
        rejection_w_k=np.minimum(wanted_w_k, const.PLANT_MAX_FLOW_SHARE * plant_flow_w_k),
    )
    return ThermalNetwork(shape, tuple(parts), counts, coefficients)


@dataclass(frozen=True)
class Groups:
    """GPUs that share loop, part and power trace; die i of a group is at X0 + s_i X1.

    A group with n = 0 is a free slot. Arrays are never changed in place.

    Attributes
    ----------
    loop, part : ndarray of int, shape (G,)
    n, sum_s : ndarray, shape (G,)
        Number of GPUs and sum of their power spread factors s_i.
    """

    loop: IntP
    part: IntP
    n: Floats
    sum_s: Floats

    @classmethod
    def of(cls, loop: object, part: object, n: object, sum_s: object) -> "Groups":
        """Groups from array-likes, with dtypes set."""
        return cls(
            np.array(loop, dtype=np.intp),
            np.array(part, dtype=np.intp),
            np.array(n, dtype=np.float64),
            np.array(sum_s, dtype=np.float64),
        )

    @property
    def size(self) -> int:
        """Number of slots G, free ones included."""
        return self.n.size

    @cached_property
    def mean_s(self) -> Floats:
        """Mean spread factor of each group, shape (G,) [-]; 0 for a free slot."""
        return self.sum_s / np.maximum(self.n, 1.0)

    def fits(self, network: ThermalNetwork) -> bool:
        """Whether the groups add up to the installed GPUs of every loop and part."""
        n_loops, n_parts = network.installed.shape
        counts = np.bincount(self.loop * n_parts + self.part, self.n, minlength=n_loops * n_parts)
        return highest(np.abs(counts - network.installed.reshape(-1))) <= 1e-6


class ThermalState(NamedTuple):
    """Temperatures [C]. Arrays are never changed in place.

    Attributes
    ----------
    chain : ndarray, shape (G, 4, 2)
        Die, HBM, plate, fluid of each group; last axis: common part X0 and spread part X1.
    upper : ndarray, shape (2L + H + 2P,)
        Loop return, loop supply, hall air, plant return, plant supply.
    """

    chain: Floats
    upper: Floats

    @classmethod
    def of(cls, flat_c: Floats, groups: int) -> "ThermalState":
        """Temperatures of so many groups from one vector, as `flat` gives it."""
        chain, upper = flat_c[: 8 * groups], flat_c[8 * groups :]
        return cls(chain.reshape(groups, 4, 2), upper)

    def flat(self) -> Floats:
        """All temperatures as one vector, those of the groups first, shape (8G + 2L + H + 2P,) [C]."""
        whole = self.chain.base
        if whole is not None and whole is self.upper.base and whole.size == self.chain.size + self.upper.size:
            return whole  # as `of` took it apart
        return np.concatenate([self.chain.reshape(-1), self.upper])

    def loop_supply_c(self, shape: ThermalShape) -> Floats:
        """Supply side of each loop (cold aisle), shape (L,) [C]."""
        return self.upper[shape.n_loops : 2 * shape.n_loops]

    def hall_air_c(self, shape: ThermalShape) -> Floats:
        """Room air, shape (H,) [C]."""
        return self.upper[2 * shape.n_loops : 2 * shape.n_loops + shape.n_halls]

    def plant_return_c(self, shape: ThermalShape) -> Floats:
        """Facility water return, shape (P,) [C]."""
        return self.upper[-2 * shape.n_plants : -shape.n_plants]

    def plant_supply_c(self, shape: ThermalShape) -> Floats:
        """Facility water supply, shape (P,) [C]."""
        return self.upper[-shape.n_plants :]

    def die_c(self, spread: Floats | float = 1.0, group: IntP | slice = slice(None)) -> Floats:
        """Die temperature X0 + s X1 of GPUs with spread s in the given groups [C]."""
        pair = self.chain[group, 0]
        die: Floats = pair[..., 0] + spread * pair[..., 1]
        return die

    def hbm_c(self, spread: Floats | float = 1.0, group: IntP | slice = slice(None)) -> Floats:
        """HBM temperature of GPUs with spread s in the given groups [C]."""
        pair = self.chain[group, 1]
        hbm: Floats = pair[..., 0] + spread * pair[..., 1]
        return hbm


def uniform_state(network: ThermalNetwork, groups: Groups, temp_c: float) -> ThermalState:
    """Everything at one temperature [C]."""
    chain = np.zeros((groups.size, 4, 2))
    chain[:, :, 0] = temp_c
    return ThermalState(chain, np.full(network.shape.n_upper, temp_c))


def split_groups(
    groups: Groups, state: ThermalState, parts: Sequence[tuple[int, float, float]]
) -> tuple[Groups, ThermalState, list[int]]:
    """Move GPUs that change their power trace into groups of their own, copies of those they leave.

    Parameters
    ----------
    groups, state
        Present groups and temperatures.
    parts : sequence of (int, float, float)
        Group that loses GPUs, how many, and the sum of their spread factors; ValueError when more than there are.

    Returns
    -------
    Groups, State, list of int
        With the indices of the new groups: free slots, lowest first, or appended ones.
    """
    free = (groups.n == 0.0).nonzero()[0][: len(parts)].tolist()
    more = len(parts) - len(free)
    targets = free + list(range(groups.size, groups.size + more))
    if more:
        none = np.zeros(more)
        loop, part = (np.append(own, none.astype(np.intp)) for own in (groups.loop, groups.part))
        counts, sums = np.append(groups.n, none), np.append(groups.sum_s, none)
        chain = np.concatenate([state.chain, np.zeros((more, 4, 2))])
    else:
        loop, part = groups.loop.copy(), groups.part.copy()
        counts, sums, chain = groups.n.copy(), groups.sum_s.copy(), state.chain.copy()
    for (source, n, sum_s), target in zip(parts, targets, strict=True):
        left = float(counts[source]) - n
        if n <= 0.0 or left < 0.0:
            raise ValueError(f"cannot take {n:g} GPUs from a group of {counts[source]:g}")
        loop[target], part[target], chain[target] = loop[source], part[source], chain[source]
        counts[target], sums[target], counts[source] = n, sum_s, left
        sums[source] = sums[source] - sum_s if left > 0.0 else 0.0
    return Groups(loop, part, counts, sums), ThermalState(chain, state.upper), targets


def split_group(
    groups: Groups, state: ThermalState, source: int, n: float, sum_s: float
) -> tuple[Groups, ThermalState, int]:
    """Move GPUs of one group into one of their own, as `split_groups`."""
    after, split, (target,) = split_groups(groups, state, [(source, n, sum_s)])
    return after, split, target


def mergeable(
    state: ThermalState, into: ArrayLike, source: ArrayLike, tol_k: float = 0.01
) -> NDArray[np.bool_]:
    """Whether all four temperatures of pairs of groups agree within tol_k [K] for spreads of 0.9 to 1.1.

    Parameters
    ----------
    state : State
    into, source : array_like of int, shape (N,) or ()
        Groups of each pair.
    tol_k : float
        [K].
    """
    chain = state.chain
    diff: Floats = chain.take(np.asarray(source), axis=0) - chain.take(np.asarray(into), axis=0)
    spread_k = diff[..., 1]
    apart_k = np.abs(diff[..., 0] + spread_k) + 0.1 * np.abs(spread_k)
    alike: NDArray[np.bool_] = np.maximum.reduce(apart_k, axis=-1) <= tol_k
    return alike


def merge_groups(
    groups: Groups, state: ThermalState, pairs: Sequence[tuple[int, int]]
) -> tuple[Groups, ThermalState]:
    """Join pairs of groups of one loop and part; the joint X0 keeps their energy, the second becomes a free slot.

    X0 += (m D0 + sum_s D1) / (n + m), with D = second - first and m, sum_s those of the second.

    Raises
    ------
    ValueError
        When the groups are not of one loop and part.
    """
    counts, sums, chain = groups.n.copy(), groups.sum_s.copy(), state.chain.copy()
    for into, source in pairs:
        if groups.loop[into] != groups.loop[source] or groups.part[into] != groups.part[source]:
            raise ValueError("only groups of one loop and part merge")
        more, more_s = float(counts[source]), float(sums[source])
        diff, total = chain[source] - chain[into], float(counts[into]) + more
        if total > 0.0:
            chain[into, :, 0] += (more * diff[:, 0] + more_s * diff[:, 1]) / total
        counts[into], sums[into] = total, sums[into] + more_s
        counts[source] = sums[source] = 0.0
    return Groups(groups.loop, groups.part, counts, sums), ThermalState(chain, state.upper)


def merge_group(groups: Groups, state: ThermalState, into: int, source: int) -> tuple[Groups, ThermalState]:
    """Join two groups, as `merge_groups`."""
    return merge_groups(groups, state, [(into, source)])
