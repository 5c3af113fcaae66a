"""Air and facility water that heat asks for: less heat, less flow, at the same rise of temperature.

Fans of nodes follow the power of their GPUs, and those of air handlers and rear doors what all nodes on them ask for
together. Facility pumps follow the heat that their water carries. All go in stages, since each flow costs the network
a factorisation. Coolant of cold plates and the fluid of tanks flow as designed: racks hang in parallel, always open.

The network has one flow of air for the nodes of a loop, that of the busiest, so that dies are as hot as they should be;
and facility water at design flow, of which no temperature of a GPU depends while valves hold. Air and water that nobody
asks for come out of the returns as people see them: heat is flow times rise there too.
"""

from __future__ import annotations

from operator import is_not
from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats
from twin.catalog import Catalog
from twin.physics.flow_laws import (
    HELD_PUMPS,
    LEAST_AIR,
    LEAST_WATER,
    FlowLaw,
    asked_of_stage,
    staged_flow,
    warm_air,
)
from twin.physics.thermal_network import Groups, ThermalNetwork
from twin.plant.tables import LoopKind, Plant
from twin.sim.core.slot_fields import Pairs
from twin.sim.core.state import Fields, Stateful

VALVE_SHARE = 0.85
"""Air handlers in a room blow so much that their valves hold its air this far open, over what they take [-] [est]."""
WATER = FlowLaw(LEAST_WATER, HELD_PUMPS.standing, HELD_PUMPS.held)


class Wants(NamedTuple):
    """What nodes and other gear want carried away.

    Temperatures do not come into it, but those that are set: what moves between two events would let flows depend on
    when steps end.

    Parameters
    ----------
    mean, most
        Air that the nodes of each loop ask for together, and the busiest of them, over design, shapes (L,) [-].
    hall_w
        Heat of other gear into the air of each hall, shape (H,) [W].
    """

    mean: Floats
    most: Floats
    hall_w: Floats


class LoopGpus(NamedTuple):
    """What GPUs ask of their loops.

    Parameters
    ----------
    loop_w
        Their heat into each loop, leakage aside, shape (L,) [W].
    mean, most
        As of `Wants`.
    """

    loop_w: Floats
    mean: Floats
    most: Floats


class GpuHeat:
    """Heat of GPUs by loop, and the air that they ask for: worked out where groups or their powers are others."""

    def __init__(self) -> None:
        self._placed: tuple[Groups, ThermalNetwork] | None = None
        self._tdp_w, self._gpus = np.zeros((2, 0))  # rating of a GPU of each group, GPUs of each loop
        self._known: tuple[tuple[object, ...], LoopGpus] | None = None  # from what, and it

    def on_loops(
        self, network: ThermalNetwork, groups: Groups, powered: Bools, base_w: Floats, dyn_w: Floats
    ) -> LoopGpus:
        """Return what the GPUs of groups ask of their loops; those whose power is on draw base + s dyn [W], (G,)."""
        given, known = (network, groups, powered, base_w, dyn_w), self._known
        if known is None or any(map(is_not, known[0], given)):
            if self._placed is None or self._placed[0] is not groups or self._placed[1] is not network:
                self._place(network, groups)
            loops = len(self._gpus)
            drawn_w = base_w + groups.mean_s * dyn_w if np.count_nonzero(dyn_w) else base_w
            asked = np.maximum(drawn_w / self._tdp_w, LEAST_AIR)
            np.minimum(asked, 1.0, out=asked)
            asked *= powered
            most = np.zeros(loops)
            np.maximum.at(most, groups.loop, asked)
            loop_w = np.bincount(groups.loop, groups.n * drawn_w, minlength=loops)
            mean = np.bincount(groups.loop, groups.n * asked, minlength=loops) / self._gpus
            self._known = known = given, LoopGpus(loop_w.astype(float, copy=False), mean, most)
        return known[1]

    def _place(self, network: ThermalNetwork, groups: Groups) -> None:
        known = self._placed
        if known is None or known[1] is not network:  # groups always add up to what is installed
            self._gpus = np.maximum(network.installed.sum(axis=1), 1.0)
        self._placed, self._tdp_w = (groups, network), network.part_table["tdp_w"].take(groups.part)


class AskedFlow(Stateful):
    """What heat asks for of design flow: of each loop, and of the facility water of each plant.

    Parameters
    ----------
    room
        Loops whose handlers cool no GPUs: they follow the heat in the air of their hall.
    room_w
        Heat of other gear into the air of each hall (H,) [W].
    over_k
        Air that handlers hold in each hall over facility water (H,) [K].

    Attributes
    ----------
    nodes
        Air through the busiest nodes of each loop, over design, shape (L,) [-].
    loops, water
        Flow asked of fans and pumps of each loop, and of the facility water, over design, shapes (L,), (P,) [-].
    """

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        network: ThermalNetwork,
        law: FlowLaw,
        room: Bools,
        room_w: Floats,
        over_k: Floats,
    ) -> None:
        shape, loops = network.shape, plant.loops
        self.nodes, self.loops = np.ones((2, shape.n_loops))
        plants = max(shape.n_plants, len(plant.plants.ids))  # those too that nothing hangs on now
        self.water = np.ones(plants)
        self._staged: tuple[tuple[Floats, ...], tuple[Floats, Floats, Floats]] | None = None  # of what flows
        by_air = np.array([LoopKind(kind).by_air for kind in loops.kind.tolist()], bool)
        self._by_air, self._blown = map(np.flatnonzero, (by_air, by_air & ~room))
        self._room = np.flatnonzero(room[self._by_air])  # of those by air
        self._plant = np.concatenate([shape.loop_plant, shape.hall_plant])
        at_work_w, to_air_w = _at_work_w(plant, catalog)
        nodes = plant.nodes
        warm = warm_air(loops.supply_c)
        self._warm_air, self._warm_blown = warm[self._by_air], warm[self._blown]
        to_hall_w = np.bincount(plant.racks.hall[nodes.rack], to_air_w, minlength=shape.n_halls)
        crah_w_k = network.coefficients.crah_w_k
        able_w = np.multiply(VALVE_SHARE * over_k, crah_w_k, out=np.zeros_like(crah_w_k), where=crah_w_k > 0)
        hall_full_w = np.maximum(np.minimum(room_w + to_hall_w, able_w), 1.0)
        self._room_hall = shape.loop_hall[self._by_air[self._room]]
        self._room_full_w = hall_full_w[self._room_hall]
        on_plant = self._plant[np.maximum(nodes.loop, 0)]
        full_w = np.bincount(on_plant, at_work_w, minlength=plants) + np.bincount(
            shape.hall_plant, room_w, minlength=plants
        )
        self._plant_most_w = np.where(full_w > 0.0, full_w, np.inf)  # nothing to carry: the least flow
        # Flows in the order of their stages: air of nodes, loops and water.
        least = np.broadcast_to(law.least, len(by_air)).take(self._by_air)
        leasts = np.full(len(self._blown), LEAST_AIR), least, np.full(plants, WATER.least)
        self._law = FlowLaw(np.concatenate(leasts), standing=0.0, held=0.0)

    def follow(self, loop_w: Floats, wants: Wants) -> bool:
        """Take note of the heat into each loop [W] and of what is wanted; return whether some flow is another now."""
        air, blown = self._by_air, self._blown
        mean = wants.mean.take(air) * self._warm_air
        if self._room.size:
            mean[self._room] = wants.hall_w.take(self._room_hall) / self._room_full_w
        by_plant = np.bincount(self._plant, np.concatenate([loop_w, wants.hall_w]), minlength=len(self.water))
        asked = np.concatenate(
            [wants.most.take(blown) * self._warm_blown, mean, by_plant / self._plant_most_w]
        )
        present, above, most = self._in_stages()
        if np.count_nonzero((asked > above) & (asked <= most)) == len(asked):
            return False
        flow = staged_flow(present, self._law.flow_share(asked))
        self.nodes, self.loops = self.nodes.copy(), self.loops.copy()
        nodes, loops = len(blown), len(blown) + len(air)
        self.nodes[blown], self.loops[air], self.water = flow[:nodes], flow[nodes:loops], flow[loops:]
        return True

    def _in_stages(self) -> tuple[Floats, Floats, Floats]:
        """Return the flows that go in stages, of nodes, loops and water, and what may be asked for while they stay."""
        now, known = (self.nodes, self.loops, self.water), self._staged  # replaced, never changed in place
        if known is None or any(map(is_not, known[0], now)):
            flows = self.nodes.take(self._blown), self.loops.take(self._by_air), self.water
            present = np.concatenate(flows)
            self._staged = known = now, (present, *asked_of_stage(present, self._law.least))
        return known[1]

    STATE = Fields(
        *(Pairs(name, "loops", 1.0) for name in ("nodes", "loops")),
        Pairs("water", "plants", 1.0),
    )


def _at_work_w(plant: Plant, catalog: Catalog) -> tuple[Floats, Floats]:
    """Return the power of each node with all GPUs at their rating, and what of it warms the hall of cold plates [W]."""
    specs = [catalog.node(name) for name in plant.node_parts]
    fans_w = np.array([spec.fans_w or 0.0 for spec in specs])
    power_w = np.array([catalog.gpu(spec.gpu).tdp_w * spec.n_gpu + spec.overhead_full_w for spec in specs])
    to_air = np.array([1.0 - spec.liquid_fraction for spec in specs])
    nodes = plant.nodes
    if not len(specs):
        return np.zeros(len(nodes.ids)), np.zeros(len(nodes.ids))
    on_plates, in_tank = (
        (plant.loops.kind == kind)[np.maximum(nodes.loop, 0)] & (nodes.loop >= 0)
        for kind in (LoopKind.LIQUID, LoopKind.IMMERSION)
    )
    whole_w = (power_w[nodes.part] - in_tank * fans_w[nodes.part]) * nodes.present
    return whole_w, np.where(on_plates, to_air[nodes.part] * whole_w, 0.0)
