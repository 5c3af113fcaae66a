"""Machines that move heat: pumps and fans with their faults, what the plants reject to, what all of it draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.hydraulics import chiller_cop, free_cooling, tower_water_l
from twin.physics.thermal_constants import PLANT_MAX_FLOW_SHARE
from twin.physics.thermal_inputs import FlowRamp
from twin.physics.thermal_network import Network, State
from twin.physics.thermal_solve import PlantState
from twin.plant.tables import LoopKind, Plant
from twin.scenario.site import Climate
from twin.sim.parts import rejection_of

Floats = NDArray[np.float64]

STOPPED_FLOW = 0.0
DAY_S = 86400.0
WARMEST_S = 15 * 3600.0
WET_SWING = 0.4
"""Daily swing of the wet bulb over that of the dry bulb [est]."""


@dataclass(frozen=True)
class Draw:
    """What the cooling machines take at one moment: power [W] and water [L/s]."""

    power_w: float
    water_l_s: float


class Cooling:
    """Flows and heat rejection as they are asked for, and the weather."""

    def __init__(
        self, plant: Plant, catalog: Catalog, network: Network, climate: Climate, local_start_s: float
    ) -> None:
        self.plant, self.network, self.climate = plant, network, climate
        self.local_start_s = local_start_s
        loops = plant.loops
        liquid = loops.kind == LoopKind.LIQUID
        self.tau_s = np.maximum(loops.coast_s, 0.05)
        self.pumps_down = np.zeros(len(loops.ids), np.int64)
        self.machine_w = np.array(
            [
                catalog.cdu(part).power_w if is_liquid else catalog.crah(part).fan_w
                for part, is_liquid in zip(loops.part, liquid, strict=True)
            ]
        ) * np.maximum(loops.units, 1)
        self.flow = FlowRamp.steady(np.ones(max(1, len(loops.ids))))
        self._settled_w: float | None = None
        self._flow_settled_s = self.flow.settled_s()
        kinds = plant.plants.kind or ["dry-cooler"]
        self._machines = [
            rejection_of(catalog, kind, part)
            for kind, part in zip(kinds, plant.plants.part or [""], strict=True)
        ]
        self.set_point_c = plant.plants.supply_c if len(plant.plants.ids) else np.array([24.0])
        sky = {"chiller": 0, "cooling-tower": 1}
        self._sky = np.array([sky.get(kind, 2) for kind in kinds])  # none that it cannot go below, wet, dry
        c = network.coefficients
        g = np.maximum(np.minimum(c.rejection_w_k, PLANT_MAX_FLOW_SHARE * c.plant_flow_w_k), 1e-9)
        self._lift_k_w = 1 / g - 1 / np.maximum(c.plant_flow_w_k, 1e-9)
        self._set_rejecting(np.ones(len(kinds)))
        self.heat_w = np.zeros(len(kinds))

    def _set_rejecting(self, share: Floats) -> None:
        shape = self.network.shape
        self.rejecting, self._carries = share, (share > 0).astype(float)
        self.plant_state = PlantState(
            np.ones(shape.n_loops), np.ones(shape.n_halls), np.ones(shape.n_plants), share
        )

    def set_rejecting(self, plant: int, share: float) -> None:
        """Let `plant` give only `share` of its heat to the sky."""
        after = self.rejecting.copy()
        after[plant] = share
        self._set_rejecting(after)

    def set_pumps_down(self, t_s: float, loop: int, down: int) -> None:
        """Stop `down` of the pumps of `loop` at `t_s`; 0: all run."""
        pumps = int(self.plant.loops.pumps[loop])
        down = min(down, pumps)
        self.pumps_down[loop] = down
        if down == 0:
            target = 1.0
        elif down == pumps:
            target = STOPPED_FLOW
        else:
            # Two lines through the published point: 72 % with one of two, and nothing with none of them.
            target = min(1.0, (1 - down / pumps) * 1.44)
        self.flow = self.flow.towards(t_s, loop, target, float(self.tau_s[loop]))
        self._settled_w, self._flow_settled_s = None, self.flow.settled_s()

    def outdoor_c(self, t_s: float) -> tuple[float, float]:
        """Return (dry bulb, wet bulb) of the outdoor air [C]."""
        phase = math.cos(2 * math.pi * (self.local_start_s + t_s - WARMEST_S) / DAY_S)
        half = self.climate.swing_k / 2
        return self.climate.dry_bulb_c + half * phase, self.climate.wet_bulb_c + half * WET_SWING * phase

    def look(self, state: State) -> None:
        """Take note of the heat each plant carries, for its set point and its draw."""
        shape, c = self.network.shape, self.network.coefficients
        # What the water carries, not what the sink takes: the sink is being chosen from it.
        carried = c.plant_flow_w_k * (state.plant_return_c(shape) - state.plant_supply_c(shape))
        self.heat_w = np.maximum(carried, 0.0) * self._carries

    def sink_c(self, t_s: float) -> Floats:
        """Return what each plant rejects to, shape (P,) [C]: the sky, or as much warmer as holds the set point.

        A chiller holds the set point in any weather; a dry cooler or tower cannot go below the sky.
        """
        dry, wet = self.outdoor_c(t_s)
        wanted = self.set_point_c - self.heat_w * self._lift_k_w
        result: Floats = np.maximum(wanted, np.array((-math.inf, wet, dry))[self._sky])
        return result

    def start_sink_c(self) -> Floats:
        """Return a sink to begin the search for the steady state with [C]."""
        return self.set_point_c - 10.0

    def draw(self, t_s: float) -> Draw:
        """Return power and water of all cooling machines now, at the heat last looked at."""
        power_w, water_l_s = self._machines_w(t_s), 0.0
        dry, wet = self.outdoor_c(t_s)
        for (rejection, compressor), heat_w, set_c in zip(
            self._machines, self.heat_w.tolist(), self.set_point_c.tolist(), strict=True
        ):
            work_w = 0.0
            if compressor is not None and not free_cooling(wet, set_c, compressor.tower_approach_k):
                condenser_c = (wet if compressor.wet else dry) + compressor.condenser_k
                evaporator_c = set_c - compressor.evaporator_k
                work_w = heat_w / float(chiller_cop(evaporator_c, condenser_c, compressor.carnot_share))
            power_w += work_w + rejection.fan_share * heat_w
            water_l_s += float(tower_water_l(heat_w + work_w, rejection.water_m3_j))
        return Draw(power_w, water_l_s)

    def _machines_w(self, t_s: float) -> float:
        if t_s >= self._flow_settled_s:
            if self._settled_w is None:
                self._settled_w = float(self.machine_w @ self.flow.target[: len(self.machine_w)] ** 3)
            return self._settled_w
        return float(self.machine_w @ self.flow.at(t_s)[: len(self.machine_w)] ** 3)

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        f = self.flow
        return {
            "flow": [f.start.tolist(), f.target.tolist(), f.tau_s.tolist(), f.since_s.tolist()],
            "pumps_down": self.pumps_down.tolist(),
            "rejecting": self.rejecting.tolist(),
            "heat_w": self.heat_w.tolist(),
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        start, target, tau, since = (np.array(a, float) for a in state["flow"])  # type: ignore[attr-defined]
        self.flow = replace(self.flow, start=start, target=target, tau_s=tau, since_s=since)
        self.pumps_down = np.array(state["pumps_down"], np.int64)
        self._set_rejecting(np.array(state["rejecting"], float))
        self.heat_w = np.array(state["heat_w"], float)
        self._settled_w, self._flow_settled_s = None, self.flow.settled_s()
