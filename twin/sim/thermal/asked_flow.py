"""Air and facility water that heat asks for: less heat, less flow, at the same rise of temperature.

Fans of nodes, of the handlers that blow to them and of rear doors go together, as do valves of exchangers and facility
pumps. They follow in stages, since each flow costs the network a factorisation. Coolant of cold plates and the fluid of
tanks flow as designed: their racks hang in parallel and are always open.
"""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.flow_laws import HELD_PUMPS, LEAST_WATER, FlowLaw, following, staged_flow
from twin.physics.thermal_network import ThermalNetwork
from twin.plant.tables import LoopKind, Plant
from twin.sim.core.slot_fields import Pairs
from twin.sim.core.state import Fields, Stateful

WATER = FlowLaw(LEAST_WATER, HELD_PUMPS.standing, HELD_PUMPS.held)


class AskedFlow(Stateful):
    """What heat asks for of design flow: of each loop, and of the facility water of each plant.

    Parameters
    ----------
    room
        Loops whose handlers cool no GPUs: they follow the heat in the air of their hall.
    room_w
        Heat of other gear into the air of each hall (H,) [W].

    Attributes
    ----------
    loops, water
        Flow asked for, over design, shapes (L,), (P,) [-].
    """

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        network: ThermalNetwork,
        law: FlowLaw,
        room: Floats,
        room_w: Floats,
    ) -> None:
        shape, loops = network.shape, plant.loops
        count = len(loops.ids)
        self.loops, self.water = np.ones(shape.n_loops), np.ones(shape.n_plants)
        self._law = law
        kinds = [LoopKind(kind) for kind in loops.kind.tolist()]
        self._by_air = np.array([kind.by_air for kind in kinds], bool)
        self._room, self._hall = np.flatnonzero(room[:count] > 0), shape.loop_hall
        self._plant = np.concatenate([shape.loop_plant, shape.hall_plant])
        at_work_w, to_air_w = _at_work_w(plant, catalog)
        nodes = plant.nodes
        on_loop = np.maximum(nodes.loop, 0)
        self._full_w = np.bincount(on_loop, at_work_w - to_air_w, minlength=shape.n_loops).astype(float)
        hall_w = np.bincount(plant.racks.hall[nodes.rack], to_air_w, minlength=shape.n_halls) + room_w
        self._hall_full_w = hall_w
        both = np.concatenate([self._full_w, hall_w])
        self._plant_full_w = np.bincount(self._plant, both, minlength=shape.n_plants).astype(float)

    def follow(self, into_w: Floats) -> bool:
        """Take note of the heat into each loop and hall (L + H,) [W]; return whether some flow is another now."""
        count, halls = len(self._by_air), len(self._hall_full_w)
        heat_w, full_w = into_w[:count].copy(), self._full_w[:count].copy()
        hall = self._hall[self._room]
        heat_w[self._room], full_w[self._room] = into_w[-halls:][hall], self._hall_full_w[hall]
        asked = np.where(self._by_air, following(self._law, heat_w, full_w), 1.0)
        loops = self.loops.copy()
        loops[:count] = staged_flow(loops[:count], asked)
        by_plant = np.bincount(self._plant, into_w, minlength=len(self.water))
        water = staged_flow(self.water, following(WATER, by_plant, self._plant_full_w))
        moved = bool((loops != self.loops).any() or (water != self.water).any())
        if moved:
            self.loops, self.water = loops, water
        return moved

    STATE = Fields(
        Pairs("loops", "loops", 1.0),
        Pairs("water", "plants", 1.0),
    )


def _at_work_w(plant: Plant, catalog: Catalog) -> tuple[Floats, Floats]:
    """Return the power of each node with all GPUs at their rating, and what of it warms the hall of cold plates [W]."""
    specs = [catalog.node(name) for name in plant.node_parts]
    power_w = np.array([catalog.gpu(spec.gpu).tdp_w * spec.n_gpu + spec.overhead_full_w for spec in specs])
    to_air = np.array([1.0 - spec.liquid_fraction for spec in specs])
    nodes = plant.nodes
    if not len(specs):
        return np.zeros(len(nodes.ids)), np.zeros(len(nodes.ids))
    whole_w = power_w[nodes.part] * nodes.present
    on_plates = (plant.loops.kind == LoopKind.LIQUID)[np.maximum(nodes.loop, 0)] & (nodes.loop >= 0)
    return whole_w, np.where(on_plates, to_air[nodes.part] * whole_w, 0.0)
