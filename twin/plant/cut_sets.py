"""Minimal cut sets: which machines must be down together for racks to lose power or cooling, or nodes their network.

What feeds what is that of `twin.plant.dependencies`, which the tests hold it against; here it is followed from the
racks up instead of from a failure down, so that all sets up to order 3 come out at once. The same feeds give the same
sets, so a hall of any size takes as long as its different pairs of feeds: llama3-16k 60 ms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats, Ints32
from twin.catalog import Catalog
from twin.physics.thermal_constants import AIR_LOOP_J_K_PER_GPU, LIQUID_LOOP_J_K_PER_GPU, PLANT_J_K_PER_GPU
from twin.plant.design_load import DesignLoad, loop_heat_w
from twin.plant.facility_machines import BOTH_GRIDS, LEAF, RUNS, STARTS, UNNOTICED_S, FacilityMachine
from twin.plant.tables import LoopKind, Plant
from twin.scenario.schema.electricity import BUS_SURVIVES, SUSTAINS

ORDER = 3
"""Machines of the largest set that is looked for."""
HEADROOM_K = 30.0
"""Warming of water or air before GPUs stop [K] [estimated: dies of 60 degC at full load, limits of 88 to 90]."""
COMMON_START = -1
"""The member that stands for all stand-by engines failing to start together."""
COMMON_GRID = -2
"""The member that stands for an outage of all grids together."""


class CutSet(NamedTuple):
    """Machines that together take the supply, by their place in the list of machines.

    Attributes
    ----------
    members
        Places; `COMMON_START` and `COMMON_GRID` for what takes all at once.
    ride_s
        Time that batteries or the mass of water bridge [s].
    ends_s
        Time after which something else takes over, from the failure on [s]; inf: nothing does.
    last
        Members of which one must be the last to fail; None: any. What is down while something else takes over is
        felt at that moment alone: who fails later finds the other at work.
    """

    members: frozenset[int]
    ride_s: float = 0.0
    ends_s: float = math.inf
    last: frozenset[int] | None = None

    @property
    def felt(self) -> bool:
        """Whether it lasts longer than what bridges it."""
        return self.ends_s > self.ride_s


Cuts = list[CutSet]


@dataclass(frozen=True)
class CutsOfRacks:
    """Racks that have the same feeds and loops.

    Attributes
    ----------
    racks
        Slots.
    power, cooling
        What takes their power, and what takes their cooling while they have power; minimal.
    """

    racks: Ints32
    power: Cuts
    cooling: Cuts


def cuts_of(plant: Plant, catalog: Catalog, machines: list[FacilityMachine]) -> Iterator[CutsOfRacks]:
    """Yield the minimal cut sets of all racks that hold nodes, by what the racks hang on.

    Parameters
    ----------
    plant, catalog
        As built, and its parts.
    machines
        What can fail (`facility_machines`); members of sets are places in it.
    """
    follow = _Follow(plant, catalog, machines)
    racks = plant.racks
    holding = np.zeros(len(racks.ids), np.bool_)
    holding[plant.nodes.rack[plant.nodes.present]] = True
    chosen = np.flatnonzero(holding & racks.present)
    if not len(chosen):
        return
    columns = np.stack([racks.feed_a, racks.feed_b, racks.loop, racks.air_loop], axis=1)[chosen]
    kinds, which = np.unique(columns, axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    groups = np.split(chosen[order], np.cumsum(np.bincount(which.reshape(-1), minlength=len(kinds)))[:-1])
    for (feed_a, feed_b, loop, air), slots in zip(kinds.tolist(), groups, strict=True):
        yield CutsOfRacks(
            racks=slots.astype(np.int32),
            power=follow.supply(feed_a, feed_b),
            cooling=minimal(cut for loop in {loop, air} if loop >= 0 for cut in follow.loop(loop)),
        )


class _Follow:
    """Follows supplies up to the grid and the sky; what was found is kept."""

    def __init__(self, plant: Plant, catalog: Catalog, machines: list[FacilityMachine]) -> None:
        self.plant, self.catalog, self.machines = plant, catalog, machines
        self._own: dict[tuple[str, int], Cuts] = {}
        self._breakers: dict[int, Cuts] = {}
        self._engines: dict[int, Cuts] = {}
        engines = sum(machine.rate == STARTS for machine in machines)
        for place, machine in enumerate(machines):
            if machine.rate == RUNS:
                continue  # counted with the start
            member = COMMON_GRID if machine.rate == BOTH_GRIDS else place
            cut = CutSet(frozenset([member]))
            if machine.rate == STARTS:
                common = [CutSet(frozenset([COMMON_START]))] * (engines > 1)
                self._engines[machine.slot] = [cut, *common]
            elif machine.rate == "breaker":
                self._breakers[machine.slot] = [cut]
            else:
                self._own.setdefault((machine.kind, machine.slot), []).append(cut)
        power = plant.power
        self._sources: dict[int, list[int]] = {}
        for item, (bus, kind) in enumerate(zip(power.bus.tolist(), power.kind, strict=True)):
            if bus >= 0 and kind in SUSTAINS and power.present[item]:
                self._sources.setdefault(bus, []).append(item)
        self._items: dict[int, Cuts] = {}
        self._supplies: dict[tuple[int, int], Cuts] = {}
        self._loops: dict[int, Cuts] = {}
        self._plants: dict[int, tuple[Cuts, Cuts]] = {}
        self._load_w = DesignLoad(plant, catalog).most_w()
        self._mass_s, self._water_s = (seconds.tolist() for seconds in masses_s(plant, catalog))

    def supply(self, feed_a: int, feed_b: int) -> Cuts:
        """Return what takes both feeds of something; without a feed it hangs on the house supply."""
        key = (feed_a, feed_b)
        if key not in self._supplies:
            feeds = [self._item(feed) for feed in dict.fromkeys(key) if feed >= 0]
            self._supplies[key] = together(feeds) if feeds else self._house()
        return self._supplies[key]

    def loop(self, slot: int) -> Cuts:
        """Return what stops a loop, or what takes its heat."""
        if slot not in self._loops:
            loops = self.plant.loops
            supply = self.supply(int(loops.feed_a[slot]), int(loops.feed_b[slot]))
            own = [*self._own.get(("loop", slot), []), *supply]
            mass_s, plant = self._mass_s[slot], int(loops.plant[slot])
            # What stands in cold plates and tanks is hot within seconds; rooms have their air.
            cuts = _ridden(own, mass_s if loops.kind[slot] == LoopKind.AIR else 0.0)
            if plant >= 0:
                pumps, chillers = self._plant(plant)
                cuts += [*_ridden(pumps, mass_s), *_ridden(chillers, mass_s + self._water_s[plant])]
            self._loops[slot] = minimal(cuts)
        return self._loops[slot]

    def _plant(self, slot: int) -> tuple[Cuts, Cuts]:
        """Return what stops the water of a facility loop, and what stops its chillers alone."""
        if slot not in self._plants:
            plants = self.plant.plants
            supply = self.supply(int(plants.feed_a[slot]), int(plants.feed_b[slot]))
            own: tuple[Cuts, Cuts] = ([], [])
            for cut in self._own.get(("plant", slot), []):
                (member,) = cut.members
                own[self.machines[member].rate == "chiller"].append(cut)
            self._plants[slot] = (minimal([*own[False], *supply]), own[True])
        return self._plants[slot]

    def _item(self, item: int) -> Cuts:
        """Return what takes the voltage at the output of a power item."""
        if item not in self._items:
            self._items[item] = self._output(item)
        return self._items[item]

    def _output(self, item: int) -> Cuts:
        power = self.plant.power
        own, breakers = self._own.get(("power", item), []), self._breakers.get(item, [])
        fed = self._input(item)
        if power.kind[item] == "ups" and power.energy_j[item] > 0:
            fed = _ridden(fed, float(power.energy_j[item] / max(self._load_w[item], 1.0)))
        engines = self._sources.get(item, [])
        if not engines:
            return minimal([*own, *fed, *breakers])
        if power.kind[item] in BUS_SURVIVES:
            return minimal([*self._carried([*own, *fed], engines), *breakers])
        return minimal([*own, *self._carried(fed, engines), *breakers])

    def _input(self, item: int) -> Cuts:
        power = self.plant.power
        parent, spare = int(power.parent[item]), int(power.spare_parent[item])
        if parent < 0:
            return []
        first = self._item(parent)
        if spare < 0:
            return first
        switched = together([first, self._item(spare)])
        dead_s = float(power.transfer_s[item])
        return switched if dead_s <= UNNOTICED_S else minimal([*switched, *_ended(first, dead_s)])

    def _carried(self, lost: Cuts, engines: list[int]) -> Cuts:
        """Return what takes a bus whose engines take over once they run, or at once where they run anyway."""
        power = self.plant.power
        none = together([lost, *([*self._engines.get(i, []), *self._breakers.get(i, [])] for i in engines)])
        running = any(power.kind[i] != "generator" and power.output[i] > 0 for i in engines)
        if running:
            return none
        start_s = min(float(power.start_s[i] + power.accept_s[i]) for i in engines)
        return minimal([*none, *_ended(lost, start_s)])

    def _house(self) -> Cuts:
        """Return what takes the house supply: all roots of the tree, and what stands beside it."""
        power = self.plant.power
        aside = [kind in SUSTAINS for kind in power.kind]
        roots = [
            item
            for item in np.flatnonzero((power.parent < 0) & power.present).tolist()
            if power.bus[item] < 0 and not aside[item]
        ]
        if not roots:
            return []
        lost = together([self._item(root) for root in roots])
        engines = [item for item in np.flatnonzero(power.present).tolist() if aside[item]]
        return self._carried(lost, engines) if engines else lost


def network_cuts(plant: Plant, machines: list[FacilityMachine]) -> dict[CutSet, Ints32]:
    """Return the minimal sets of leaf switches, and the nodes (slots) that each cuts off.

    A card hangs on one leaf, a dual-homed one on two. Spines are not looked at: they share what they carry.
    """
    place = np.full(len(plant.switches.ids) + 1, -1, np.int64)
    for at, machine in enumerate(machines):
        if machine.rate == LEAF:
            place[machine.slot] = at
    down = plant.node_links
    order = np.lexsort((down.leaf, down.nic, down.node, down.fabric))
    columns = np.stack([down.fabric, down.node, down.nic, down.leaf])[:, order]
    new = np.ones(columns.shape[1], np.bool_)
    new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    columns = columns[:, new]  # no cable twice
    first = np.ones(columns.shape[1], np.bool_)
    first[1:] = (columns[:3, 1:] != columns[:3, :-1]).any(axis=0)
    card = np.cumsum(first) - 1
    begins = np.flatnonzero(first)
    nth = np.arange(len(card)) - begins[card]
    members = place[columns[3]]
    fails = np.bincount(card, (members < 0) | (nth >= ORDER), len(begins)) == 0
    of_card = np.full((len(begins), ORDER), -1, np.int64)
    kept = nth < ORDER
    of_card[card[kept], nth[kept]] = members[kept]
    rows = np.unique(np.column_stack([of_card, columns[1, begins]])[fails], axis=0)
    nodes: dict[CutSet, Ints32] = {}
    edges = np.flatnonzero((rows[1:, :ORDER] != rows[:-1, :ORDER]).any(axis=1)) + 1
    for same in np.split(rows, edges) if len(rows) else ():
        leaves = frozenset(same[0, :ORDER].tolist()) - {-1}
        nodes[CutSet(leaves)] = same[:, ORDER].astype(np.int32)
    return nodes


def masses_s(plant: Plant, catalog: Catalog) -> tuple[Floats, Floats]:
    """Return how long loops last without their plant, and plants without their chillers [s], shapes (L,), (P,)."""
    nodes, loops = plant.nodes, plant.loops
    there = np.flatnonzero(nodes.present)
    gpus = np.zeros(len(loops.ids))
    for column in (plant.racks.loop, plant.racks.air_loop):
        loop = column[nodes.rack[there]]
        np.add.at(gpus, loop[loop >= 0], nodes.gpu_count[there][loop >= 0])
    heat_w = loop_heat_w(plant, catalog)
    of_gpu = np.where(loops.kind == LoopKind.AIR, AIR_LOOP_J_K_PER_GPU, LIQUID_LOOP_J_K_PER_GPU)
    count = len(plant.plants.ids)
    behind = np.flatnonzero(loops.plant >= 0)
    plants = np.append(loops.plant, -1)[np.append(nodes.loop, -1)[there]]
    water = np.bincount(plants[plants >= 0], nodes.gpu_count[there][plants >= 0].astype(np.float64), count)
    taken_w = np.bincount(loops.plant[behind], heat_w[behind], count)
    return _lasting_s(2 * of_gpu * gpus, heat_w), _lasting_s(water * PLANT_J_K_PER_GPU, taken_w)


def _lasting_s(capacity_j_k: ArrayLike, heat_w: ArrayLike) -> Floats:
    """Return how long heat capacities take a heat [s]."""
    capacity, heat = np.asarray(capacity_j_k, np.float64), np.asarray(heat_w, np.float64)
    return np.divide(capacity * HEADROOM_K, heat, out=np.zeros(heat.shape), where=heat > 0)


def together(ways: Iterable[Cuts]) -> Cuts:
    """Return what takes several supplies at once: one set of each, as far as `ORDER` allows."""
    found: Cuts | None = None
    for way in ways:
        if found is None:
            found = way
            continue
        found = minimal(
            CutSet(members, max(cut.ride_s, other.ride_s), min(cut.ends_s, other.ends_s), _last(cut, other))
            for cut in found
            for other in way
            if len(members := cut.members | other.members) <= ORDER
        )
    return found or []


def _last(cut: CutSet, other: CutSet) -> frozenset[int] | None:
    both = [way.last for way in (cut, other) if way.last is not None]
    return frozenset().union(*both) if both else None


def minimal(cuts: Iterable[CutSet]) -> Cuts:
    """Return the sets that no other set makes needless: one of fewer members that is felt as soon and as long."""
    best: dict[tuple[frozenset[int], float, frozenset[int] | None], CutSet] = {}
    for cut in cuts:
        members, ride_s, ends_s, last = cut
        if ends_s > ride_s:
            key = members, ends_s, last
            known = best.get(key)
            if known is None or ride_s < known[1]:
                best[key] = cut
    by_members: dict[frozenset[int], Cuts] = {}
    for cut in best.values():
        by_members.setdefault(cut[0], []).append(cut)
    sizes = {len(members) for members in by_members}
    if sizes == {1} and len(by_members) == len(best):
        return list(best.values())
    alone = {next(iter(members)): same for members, same in by_members.items() if len(members) == 1}
    return [cut for cut in best.values() if not _needless(cut, by_members, alone, sizes)]


def _needless(
    cut: CutSet, by_members: Mapping[frozenset[int], Cuts], alone: Mapping[int, Cuts], sizes: set[int]
) -> bool:
    members, ride_s, ends_s, _ = cut
    others = by_members[members]
    if len(others) > 1:
        for _, other_ride_s, other_ends_s, _ in others:
            differs = other_ends_s != ends_s or other_ride_s != ride_s
            if differs and other_ends_s >= ends_s and other_ride_s <= ride_s:
                return True
    if len(members) == 1:
        return False
    parts = [alone[member] for member in members if member in alone] if alone else []
    for size in range(2, len(members)):
        if size in sizes:
            found = map(by_members.get, map(frozenset, combinations(members, size)))
            parts += [part for part in found if part is not None]
    return any(other[2] >= ends_s and other[1] <= ride_s for part in parts for other in part)


def _ridden(cuts: Cuts, ride_s: float) -> Cuts:
    """Return the sets behind a battery or a mass that bridges `ride_s` more."""
    later = [cut._replace(ride_s=cut.ride_s + ride_s) for cut in cuts]
    return [cut for cut in later if cut.felt]


def _ended(cuts: Cuts, after_s: float) -> Cuts:
    """Return the sets as far as they last until something takes over, `after_s` after they are felt."""
    return [
        cut._replace(ends_s=min(cut.ends_s, cut.ride_s + after_s), last=cut.last or cut.members)
        for cut in cuts
    ]
