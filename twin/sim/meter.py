"""The meters: power of nodes, racks and the whole site, energy and water since the start."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from twin.physics.thermal_network import State
from twin.plant.tables import LoopKind, Plant
from twin.sim.body import Body
from twin.sim.clocks import Clocks
from twin.sim.cooling import Cooling, Draw
from twin.sim.electric import Electric
from twin.sim.heat import Heat
from twin.sim.traces import OFF, Traces

Floats = NDArray[np.float64]

ROOM_TRIP_C, ROOM_RESET_C = 50.0, 35.0
"""A hall loses its power above the first temperature of its air and may come back below the second [est]."""


@dataclass
class Meters:
    """Energies since the start [J], water [L], highest powers [W], and the time they are read up to [s]."""

    at_s: float = 0.0
    it_j: float = 0.0
    loss_j: float = 0.0
    cooling_j: float = 0.0
    water_l: float = 0.0
    it_max_w: float = 0.0
    facility_max_w: float = 0.0
    it_seen_j: float = 0.0


class Meter:
    """Adds up what flows, at each thermal step; what flows is constant in between."""

    def __init__(self, electric: Electric, cooling: Cooling, body: Body, plant: Plant) -> None:
        self.electric, self.cooling, self.body, self.plant = electric, cooling, body, plant
        self.meters = Meters()
        self.overhead_w = np.zeros(len(plant.nodes.ids))
        shape = body.network.shape
        self.loop_heat_w, self.hall_heat_w = np.zeros(shape.n_loops), np.zeros(shape.n_halls)
        self._static_loop = self._static_place()
        self._inlets = (plant.loops.kind == LoopKind.AIR) & (body.network.loop_flow_w_k > 0)
        self.hall_tripped = np.zeros(shape.n_halls, bool)  # switches and stores are off: the room is too hot
        self.static_w = body.rack_static_w
        self.it_w = 0.0
        self.draw = Draw(0.0, 0.0)

    def set_overhead(self, wanted: NDArray[np.intp], traces: Traces, clocks: Clocks) -> None:
        """Work out the power of nodes besides their GPUs for the wanted traces, and where its heat goes."""
        body, nodes, shape = self.body, self.plant.nodes, self.body.network.shape
        share = np.zeros(len(clocks.jobs.rows) * 2 + 2)
        for job in range(len(clocks.jobs.rows)):
            share[2 + 2 * job] = clocks.load_share(job)
        span = body.overhead_full_w - body.overhead_idle_w
        overhead = np.where(wanted == OFF, 0.0, body.overhead_idle_w + share[wanted] * span)
        self.overhead_w = overhead * nodes.present
        air_w = self.overhead_w * body.overhead_to_air
        loop = np.maximum(nodes.loop, 0)
        by_loop = np.bincount(loop, self.overhead_w - air_w, minlength=shape.n_loops)
        self.static_w = self._static_now(wanted)
        in_loop = self._static_loop >= 0
        racks = self.plant.racks
        by_loop = by_loop + np.bincount(
            self._static_loop[in_loop], self.static_w[in_loop], minlength=shape.n_loops
        )
        self.loop_heat_w = by_loop.astype(float)
        hall = self.plant.racks.hall[nodes.rack]
        by_hall = np.bincount(hall, air_w, minlength=shape.n_halls)
        by_hall = by_hall + np.bincount(
            racks.hall[~in_loop], self.static_w[~in_loop], minlength=shape.n_halls
        )
        self.hall_heat_w = by_hall.astype(float)

    def _static_place(self) -> NDArray[np.int32]:
        """Loop that takes the heat of switches and stores of each rack: the one that cools GPUs too; -1 the room."""
        racks = self.plant.racks
        loop = np.where(racks.loop >= 0, racks.loop, racks.air_loop)
        taken = (loop >= 0) & (self.body.network.loop_flow_w_k[np.maximum(loop, 0)] > 0)
        return np.where(taken, loop, -1)

    def _static_now(self, wanted: NDArray[np.intp]) -> Floats:
        """Power of switches and stores of each rack [W]: none where all nodes are off, or where the room tripped."""
        nodes, racks = self.plant.nodes, self.plant.racks
        count = len(racks.ids)
        housed = np.bincount(nodes.rack[nodes.present], minlength=count)
        lit = np.bincount(nodes.rack[nodes.present & (wanted != OFF)], minlength=count)
        dark = (housed > 0) & (lit == 0)
        off = dark | ((housed == 0) & self.hall_tripped[racks.hall])
        result: Floats = np.where(off, 0.0, self.body.rack_static_w)
        return result

    def trips(self, state: State) -> list[tuple[int, bool]]:
        """Return (hall, too hot) of each hall whose air has become too hot for its equipment, or cool again."""
        if np.maximum.reduce(state.upper) <= ROOM_TRIP_C and not self.hall_tripped.any():
            return []  # no water or air of the site is that warm
        shape = self.body.network.shape
        air_c = state.hall_air_c(shape).copy()
        np.maximum.at(air_c, shape.loop_hall[self._inlets], state.loop_supply_c(shape)[self._inlets])
        after = np.where(self.hall_tripped, air_c > ROOM_RESET_C, air_c > ROOM_TRIP_C)
        changed = [(int(hall), bool(after[hall])) for hall in np.flatnonzero(after != self.hall_tripped)]
        self.hall_tripped = after
        return changed

    def gpu_group_w(self, heat: Heat, clocks: Clocks) -> Floats:
        """Return base power of the GPUs of each group with leakage, as the present step takes it [W]."""
        return clocks.base_w + heat.integrator.stepper.leak_w(heat.begun)

    def node_w(self, heat: Heat, traces: Traces, clocks: Clocks) -> Floats:
        """Return the power of each node now [W]."""
        return traces.gpu_w(self.gpu_group_w(heat, clocks), clocks.dyn_w) + self.overhead_w

    def rack_w(self, heat: Heat, traces: Traces, clocks: Clocks) -> Floats:
        """Return the power of each rack now [W]."""
        racks = len(self.plant.racks.ids)
        by_node = self.node_w(heat, traces, clocks)
        return self.static_w + np.bincount(self.plant.nodes.rack, by_node, minlength=racks)

    def measure(self, heat: Heat, traces: Traces, clocks: Clocks, now_s: float, *, force: bool) -> None:
        """Read the meters at `now_s`: what flowed since the last reading, and what flows from now on."""
        m, totals = self.meters, heat.totals
        dt = now_s - m.at_s
        if dt > 0:
            it_j = totals.in_j - m.it_seen_j
            it_w = it_j / dt
            m.it_j += it_j
            m.it_seen_j = totals.in_j
            m.loss_j += self.electric.loss_w * dt
            m.cooling_j += self.draw.power_w * dt
            m.water_l += self.draw.water_l_s * dt
            m.it_max_w = max(m.it_max_w, it_w)
            m.facility_max_w = max(m.facility_max_w, it_w + self.electric.loss_w + self.draw.power_w)
            m.at_s = now_s
        self.it_w = heat.integrator.stepper.power_w(heat.begun)
        if force or self.electric.stale(self.it_w):
            self.electric.update(self.rack_w(heat, traces, clocks))
        self.draw = self.cooling.draw(now_s)

    @property
    def facility_w(self) -> float:
        """Return what the site takes from the grid now [W]."""
        return self.it_w + self.electric.loss_w + self.draw.power_w

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        return {
            "meters": asdict(self.meters),
            "overhead_w": self.overhead_w.tolist(),
            "static_w": self.static_w.tolist(),
            "hall_tripped": self.hall_tripped.tolist(),
            "loop_heat_w": self.loop_heat_w.tolist(),
            "hall_heat_w": self.hall_heat_w.tolist(),
            "it_w": self.it_w,
            "loss_w": self.electric.loss_w,
            "seen_w": self.electric.seen_w,
            "draw": [self.draw.power_w, self.draw.water_l_s],
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.meters = Meters(**state["meters"])  # type: ignore[arg-type]
        self.overhead_w = np.array(state["overhead_w"], float)
        self.static_w = np.array(state["static_w"], float)
        self.hall_tripped = np.array(state["hall_tripped"], bool)
        self.loop_heat_w = np.array(state["loop_heat_w"], float)
        self.hall_heat_w = np.array(state["hall_heat_w"], float)
        self.it_w = float(state["it_w"])  # type: ignore[arg-type]
        self.electric.loss_w = float(state["loss_w"])  # type: ignore[arg-type]
        self.electric.seen_w = float(state["seen_w"])  # type: ignore[arg-type]
        self.draw = Draw(*state["draw"])  # type: ignore[misc]
