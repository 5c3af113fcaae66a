"""Machines that move heat: pumps and fans with their faults, what the plants reject to, what all of it draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.thermal_inputs import FlowRamp, PlantState
from twin.physics.thermal_network import Network, State
from twin.physics.thermal_solve import rejection_w_k
from twin.plant.tables import LoopKind, Plant
from twin.scenario.site import Climate

Floats = NDArray[np.float64]

STOPPED_FLOW = 0.0
DAY_S = 86400.0
WARMEST_S = 15 * 3600.0
WET_SWING = 0.4
"""Daily swing of the wet bulb over that of the dry bulb [est]."""
CARNOT_SHARE = 0.55
CONDENSER_APPROACH_K = 10.0
EVAPORATOR_APPROACH_K = 5.0
TOWER_WATER_L_J = 2.1 / 3.6e6
TOWER_APPROACH_K, EXCHANGER_APPROACH_K = 4.0, 2.0
TOWER_FAN_SHARE, DRY_FAN_SHARE = 0.012, 0.02


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
        n_plants = max(1, len(plant.plants.ids))
        self.rejecting = np.ones(n_plants)

    def plant_state(self) -> PlantState:
        """Return how far exchangers, room units, facility pumps and heat rejection are on."""
        shape = self.network.shape
        return PlantState(
            np.ones(shape.n_loops), np.ones(shape.n_halls), np.ones(shape.n_plants), self.rejecting.copy()
        )

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

    def outdoor_c(self, t_s: float) -> tuple[float, float]:
        """Return (dry bulb, wet bulb) of the outdoor air [C]."""
        phase = math.cos(2 * math.pi * (self.local_start_s + t_s - WARMEST_S) / DAY_S)
        half = self.climate.swing_k / 2
        return self.climate.dry_bulb_c + half * phase, self.climate.wet_bulb_c + half * WET_SWING * phase

    def _outdoor_sink_c(self, t_s: float) -> Floats:
        dry, wet = self.outdoor_c(t_s)
        return np.array([wet if kind == "cooling-tower" else dry for kind in self.plant.plants.kind] or [dry])

    def sink_c(self, t_s: float, state: State) -> Floats:
        """Return what each plant rejects to, shape (P,) [C]: the sky, or as much warmer as holds the set point.

        A chiller holds the set point in any weather; a dry cooler or tower cannot go below the sky.
        """
        heat_w = self.rejected_w(t_s, state)
        c = self.network.coefficients
        g = np.maximum(np.minimum(c.rejection_w_k, 0.95 * c.plant_flow_w_k), 1e-9)
        lift_k = np.maximum(heat_w, 0.0) * (1 / g - 1 / np.maximum(c.plant_flow_w_k, 1e-9))
        wanted = self._set_point_c() - lift_k
        chilled = np.array([kind == "chiller" for kind in self.plant.plants.kind] or [False])
        result: Floats = np.where(chilled, wanted, np.maximum(wanted, self._outdoor_sink_c(t_s)))
        return result

    def _set_point_c(self) -> Floats:
        return self.plant.plants.supply_c if len(self.plant.plants.ids) else np.array([24.0])

    def start_sink_c(self) -> Floats:
        """Return a sink to begin the search for the steady state with [C]."""
        return self._set_point_c() - 10.0

    def rejected_w(self, t_s: float, state: State) -> Floats:
        """Return the heat each plant gives to its sink now, shape (P,) [W]."""
        shape = self.network.shape
        c = self.network.coefficients
        # What the water carries, not what the sink takes: the sink is being chosen from it.
        carried = c.plant_flow_w_k * (state.plant_return_c(shape) - state.plant_supply_c(shape))
        result: Floats = carried * np.sign(rejection_w_k(self.network, self.plant_state()))
        return result

    def draw(self, t_s: float, state: State) -> Draw:
        """Return power and water of all cooling machines now."""
        flow = self.flow.at(t_s)[: len(self.machine_w)]
        power_w = float(self.machine_w @ flow**3)
        water_l_s = 0.0
        dry, wet = self.outdoor_c(t_s)
        heat = np.maximum(self.rejected_w(t_s, state), 0.0)
        for kind, heat_w, set_c in zip(
            self.plant.plants.kind, heat.tolist(), self._set_point_c().tolist(), strict=False
        ):
            if kind == "cooling-tower":
                power_w += TOWER_FAN_SHARE * heat_w
                water_l_s += TOWER_WATER_L_J * heat_w
            elif kind == "dry-cooler" or wet + TOWER_APPROACH_K + EXCHANGER_APPROACH_K <= set_c:
                power_w += DRY_FAN_SHARE * heat_w
            else:
                evaporator_k = set_c - EVAPORATOR_APPROACH_K + 273.15
                condenser_k = dry + CONDENSER_APPROACH_K + 273.15
                cop = CARNOT_SHARE * evaporator_k / max(condenser_k - evaporator_k, 5.0)
                power_w += heat_w / cop + DRY_FAN_SHARE * heat_w
        return Draw(power_w, water_l_s)

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        f = self.flow
        return {
            "flow": [f.start.tolist(), f.target.tolist(), f.tau_s.tolist(), f.since_s.tolist()],
            "pumps_down": self.pumps_down.tolist(),
            "rejecting": self.rejecting.tolist(),
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        start, target, tau, since = (np.array(a, float) for a in state["flow"])  # type: ignore[attr-defined]
        self.flow = replace(self.flow, start=start, target=target, tau_s=tau, since_s=since)
        self.pumps_down = np.array(state["pumps_down"], np.int64)
        self.rejecting = np.array(state["rejecting"], float)
