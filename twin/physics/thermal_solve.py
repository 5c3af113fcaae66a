"""Exact solution of one implicit stage of the thermal network by tree elimination.

(C/h + K) T = C/h T* + source: the four nodes of a GPU are eliminated by a 4 x 4 inverse, which leaves plate
and coolant as linear functions of loop supply and hall air; what is above the groups follows (`thermal_paths`); then
back. The factors depend on installed GPUs, flows and h only, not on how GPUs are grouped, so they outlive every split
and merge.
"""

from functools import cached_property

import numpy as np

from twin.arrays import Floats, IntP
from twin.physics.thermal_network import Groups, ThermalNetwork
from twin.physics.thermal_paths import HeatPaths, UpTheTree, inverse_k_w

DENSE_UPPER_LIMIT = 96
"""Up to this many unknowns above the groups, their inverse is applied as one matrix."""
MOST_SIDE_BY_SIDE = 8
"""Up to this many kinds of chains, all groups go through all of them in one product; beyond, each through its own."""


class GroupIndex:
    """Contribution of the present groups to any operator: gathered once per set of groups.

    Parameters
    ----------
    network : Network
    groups : Groups

    Attributes
    ----------
    driver, driven : ndarray of int, shape (G, 2)
        Upper unknowns that drive a group: its loop's supply and its hall's air; the same in the order of its nodes.
    heated : ndarray of int, shape (4G,)
        Upper unknowns that each group heats: by its plates its hall's air, by its coolant its loop's return; each by
        the common and the spread part.
    members : ndarray, shape (G, 1, 2)
        n and sum_s.
    capacity_j_k : ndarray, shape (8G + 2L + H + 2P,)
        Heat capacities in the order of `State.flat`, in groups those of one GPU [J/K].
    """

    def __init__(self, network: ThermalNetwork, groups: Groups) -> None:
        self._shape = shape = network.shape
        self._groups = groups
        self.driver = shape.drivers.take(groups.loop, axis=0)
        self.driven = self.driver[:, ::-1]
        self.heated = shape.heated.take(groups.loop, axis=0).reshape(-1)
        self.members = np.array([groups.n, groups.sum_s]).T.copy()[:, None, :]
        chain_j_k = network.chain_capacity_j_k.take(groups.part, axis=0).repeat(2)
        self.capacity_j_k = np.concatenate([chain_j_k, network.upper_capacity_j_k])
        self._weights: tuple[HeatPaths, Floats] | None = None
        self._twice: tuple[Floats, Floats] | None = None
        self._own: tuple[HeatPaths, dict[int, IntP]] | None = None

    @cached_property
    def drivers_twice(self) -> IntP:
        """The same drivers among two sets of those unknowns, one behind the other, shape (G, 4)."""
        return self._shape.drivers_twice.take(self._groups.loop, axis=0)

    @cached_property
    def heated_twice(self) -> IntP:
        """What groups heat, likewise, shape (8G,)."""
        return self._shape.heated_twice.take(self._groups.loop, axis=0).reshape(-1)

    def of_own(self, paths: HeatPaths, figures: Floats, count: int) -> Floats:
        """Return for each group those of its kind among figures of all kinds side by side, so many of each, (G, count).

        `figures` has a row for each group, and is returned itself where there is one kind alone.
        """
        if paths.alike:
            return figures
        own: Floats = figures.take(
            self._own_places(paths, count), mode="clip"
        )  # all are inside: no second copy
        return own

    def _own_places(self, paths: HeatPaths, count: int) -> IntP:
        known = self._own
        if known is None or known[0] is not paths:
            self._own = known = paths, {}
        own = known[1].get(count)
        if own is None:
            kinds, groups = len(paths.flow_w_k), self._groups
            at = (np.arange(groups.size) * kinds + paths.kind(groups.loop, groups.part))[:, None]
            known[1][count] = own = count * at + np.arange(count)
        return own

    def kind(self, paths: HeatPaths) -> IntP:
        """Kind of the chain of each group, shape (G,)."""
        return paths.kind(self._groups.loop, self._groups.part)

    def weights_w_k(self, paths: HeatPaths) -> Floats:
        """Weights of plate and fluid of each group, common and spread part, in its heat, shape (G, 4) [W/K]."""
        known = self._weights
        if known is None or known[0] is not paths:
            gain_w_k = paths.gain_w_k[0] if paths.alike else paths.gain_w_k.take(self.kind(paths), axis=0)
            self._weights = known = paths, (gain_w_k * self.members).reshape(-1, 4)
        return known[1]

    def weights_twice_w_k(self, paths: HeatPaths) -> Floats:
        """The same, twice side by side, shape (G, 8) [W/K]."""
        weights_w_k, known = self.weights_w_k(paths), self._twice
        if known is None or known[0] is not weights_w_k:
            self._twice = known = weights_w_k, np.concatenate([weights_w_k, weights_w_k], axis=1)
        return known[1]


class Operator:
    """Factors of one implicit stage for given step h, flows and plant state, whatever the groups.

    One matrix takes all groups through the chains of all kinds in one product; each then takes what is of its own.
    Where kinds are many, each group has its own matrix. Both give the same.

    Parameters
    ----------
    paths : HeatPaths
    inv_h : float
        1 / h [1/s].

    Attributes
    ----------
    apart : bool
        Whether each group has its own matrix.
    """

    def __init__(self, paths: HeatPaths, inv_h: float) -> None:
        self.paths, self.inv_h = paths, inv_h
        # Of all kinds, side by side or apart: the matrix of a chain, and its temperatures per kelvin of loop supply and
        # hall air.
        rates, kinds = paths.modes[0], len(paths.modes[0])
        self._factors = factors = (paths.of_modes @ (1.0 / (inv_h + rates))[:, :, None])[:, :, 0]
        self._product: Floats = factors[:, :64].reshape(kinds, 8, 8)
        self._pull: Floats = factors[:, 64:72].reshape(kinds, 2, 4)
        self.apart = kinds > MOST_SIDE_BY_SIDE
        self._of_groups: tuple[GroupIndex, Floats, Floats] | None = (
            None  # where apart: of those last asked for
        )
        if self.apart:
            self._product = self._product[:, ::2, ::2].transpose(0, 2, 1)
        else:
            self._product = self._product.transpose(1, 0, 2).reshape(8, -1)
            self._pull = self._pull.transpose(1, 0, 2).reshape(2, -1)
        gives_w_k = factors[:, 72:]
        gives_w_k[:, 2] -= paths.ambient_w_k
        on_loops, rate_w_k = paths.by_loop(gives_w_k), inv_h * paths.network.upper_capacity_j_k
        self._above: Floats | UpTheTree
        if paths.shape.n_upper <= DENSE_UPPER_LIMIT:
            self._above = inverse_k_w(paths, rate_w_k, on_loops)
        else:
            self._above = UpTheTree(paths, rate_w_k, on_loops)

    @property
    def chain(self) -> tuple[Floats, Floats]:
        """Matrix of a chain of the first kind, its temperatures per kelvin of what drives it, shapes (8, 8), (2, 4)."""
        first = self._factors[0]
        return first[:64].reshape(8, 8), first[64:72].reshape(2, 4)

    def upper(self, rhs: Floats) -> Floats:
        """Upper temperatures for one right-hand side, shape (2L + H + 2P,) [C]."""
        result: Floats = self._above.dot(rhs)
        return result

    def solve(self, index: GroupIndex, old_c: Floats, source_w: Floats) -> Floats:
        """Solve one stage of the groups of `index` from old temperatures and constant sources.

        All is in the order of `State.flat`, shape (8G + 2L + H + 2P,).

        Parameters
        ----------
        index : GroupIndex
        old_c : ndarray
            Old temperatures T* [C].
        source_w : ndarray
            Heat into each node, in groups per GPU, common and spread part, sink coupling included [W].

        Returns
        -------
        ndarray
            Temperatures at the end of the stage [C].
        """
        given, paths = self.inv_h * index.capacity_j_k, self.paths
        given *= old_c
        given += source_w
        n_chain = 2 * index.heated.size
        new_c = np.empty(given.size)
        chain, rhs = new_c[:n_chain].reshape(-1, 8), given[n_chain:]
        old = given[:n_chain].reshape(-1, 8)
        if self.apart:
            product, pull = self._gathered(index)
            np.matmul(product, old.reshape(-1, 4, 2), out=chain.reshape(-1, 4, 2))
        else:
            chain[:] = index.of_own(paths, old.dot(self._product), 8)
        given_w = chain[:, 4:] * index.weights_w_k(paths)
        rhs += np.bincount(index.heated, given_w.reshape(-1), minlength=rhs.size)
        upper = new_c[n_chain:] = self.upper(rhs)
        drivers = upper.take(index.driver)
        if self.apart:  # two rows: one alone would be summed in another order
            pulled = (drivers.repeat(2, axis=0).reshape(-1, 2, 2) @ pull)[:, 0]
        else:
            pulled = index.of_own(paths, drivers.dot(self._pull), 4)
        chain[:, ::2] += pulled
        return new_c

    def _gathered(self, index: GroupIndex) -> tuple[Floats, Floats]:
        """Return the matrix of the chain of each group, and its temperatures per kelvin of what drives it."""
        known = self._of_groups
        if known is None or known[0] is not index:
            kind = index.kind(self.paths)
            self._of_groups = known = index, self._product.take(kind, axis=0), self._pull.take(kind, axis=0)
        return known[1:]
