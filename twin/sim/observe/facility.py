"""What frames show of the facility: the power tree, loops and facility water, the meters of the site.

`stand` writes what stays until the run changes, `move` what continues in between: temperatures and flows on their way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.thermal_network import ThermalState as Temperatures

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts
    from twin.sim.thermal.cooling_wiring import Moving

Values = dict[str, NDArray[Any]]
KWH_J = 3.6e6
LEAST_IT = 1e-3
"""IT power over the rated power of all GPUs below which nothing is worth relating to it."""

FLOWS = ("loop.flow", "rack.flow", "plant.flow")
"""Channels of flows: they move while pumps come and go, and stand otherwise."""
MOVING = (
    "loop.supply_c",
    "loop.return_c",
    "loop.heat_w",
    "loop.gpu_max_c",
    "loop.valve",
    "hall.air_c",
    "rack.inlet_c",
    "plant.supply_c",
    "plant.return_c",
    "site.gpu_max_c",
    "site.gpu_mean_c",
)
"""Channels that `move` writes at every look."""


class FacilityShown:
    """Power, cooling and meters in frames of one engine."""

    def __init__(self, engine: RunParts) -> None:
        self.engine = engine
        plant, shape = engine.plant, engine.body.network.shape
        racks, loops, halls = plant.racks, shape.n_loops, shape.n_halls
        self._loops, self._halls, self._plants = loops, halls, len(plant.plants.ids)
        # Machines that cool no GPUs stand in the room's air; handlers take the heat that is left there.
        room = engine.body.network.loop_flow_w_k <= 0
        handlers = engine.cooling.room_air_w_k > 0
        self._room = handlers if handlers.any() else None
        sharing = np.maximum(np.bincount(shape.loop_hall[handlers], minlength=halls), 1)
        self._sharing = sharing
        in_hall = 2 * loops + shape.loop_hall  # places in `State.upper`
        self._supply = np.where(room, in_hall, loops + np.arange(loops))
        self._back = np.where(room, in_hall, np.arange(loops))
        breathes = racks.air_loop >= 0
        in_room = 2 * loops + np.asarray(racks.hall, np.intp)
        self._inlet = np.where(breathes, np.append(self._supply, 0)[racks.air_loop], in_room)
        self._rack_loop = np.where(racks.loop >= 0, racks.loop, racks.air_loop)
        self._capacity_w = plant.power.capacity_w
        network = engine.body.network
        self._rated_w = float((network.installed @ network.part_table["tdp_w"]).sum())
        self._seen = -1  # version of the power system
        self.settled = False
        """Whether no flow is on its way."""

    # --- what stays until the run changes

    def stand(self, v: Values, temperatures: Temperatures, now: float) -> None:
        """Write what stays until the run changes."""
        self._power(v)
        self._cooling(v)
        flows = self.engine.cooling.moving(now, temperatures)
        self._flows(v, flows)
        self._groups()
        self._meters(v)

    def _power(self, v: Values) -> None:
        power = self.engine.power
        if power.version != self._seen:
            self._seen, out_w = power.version, power.out_w
            v["power.state"][...] = power.item_state
            v["power.out_w"][...] = out_w
            v["power.loss_w"][...] = power.loss_w_by_item
            # A tree may be drawn without ratings: such an item has no load in percent.
            load = out_w / self._capacity_w
            v["power.load"][...] = np.where(np.isfinite(load), 100 * load, 0.0)
            v["rack.feeds"][...] = power.rack_feeds
            v["rack.loss_w"][...] = power.supply_loss_w
        if power.supplies.any_converters:
            v["rack.loss_w"][...] = power.supply_loss_w + self._converted_w()

    def _converted_w(self) -> NDArray[np.float64]:
        """Return what the converters of the nodes of each rack lose [W]."""
        engine = self.engine
        by_rack = np.bincount(
            engine.plant.nodes.rack,
            engine.meter.overhead.converted_w,
            minlength=len(engine.plant.racks.ids),
        )
        return by_rack.astype(float)

    def _cooling(self, v: Values) -> None:
        cooling, network = self.engine.cooling, self.engine.heat.network
        shown = cooling.standing()
        v["loop.power_w"][...] = shown.loop_power_w
        v["loop.pumps"][...] = shown.loop_pumps
        if self._plants:
            v["plant.heat_w"][...] = shown.plant_heat_w
            v["plant.power_w"][...] = shown.plant_power_w
            v["plant.water_l_s"][...] = shown.plant_water_l_s
            v["plant.units"][...] = shown.plant_units
            v["plant.free"][...] = 100 * shown.plant_free
        self.settled = cooling.settled(self.engine.now_s)
        machines, hall_plant = cooling.plant_state, network.shape.hall_plant
        self._flow_w_k = network.loop_flow_w_k
        self._kept_w = cooling.handed_w[self._loops :] / self._sharing
        self._crah_w_k = (
            network.coefficients.crah_w_k * machines.crah * machines.plant_flow[hall_plant] / self._sharing
        )

    def _groups(self) -> None:
        """Take note of the groups of GPUs and what their dies have over the chain of their group."""
        traces, clocks = self.engine.traces, self.engine.clocks
        groups = traces.groups
        self._n, self._sum_s, self._group_loop = groups.n, groups.sum_s, groups.loop
        drawn_w = self._n * clocks.base_w + self._sum_s * clocks.dyn_w
        self._behind_c = float(clocks.downstream_k_w[groups.part] @ drawn_w) / 2  # every second GPU
        self._gpus = float(self._n.sum()) or math.nan  # without any, no temperature is known
        self._dark = np.flatnonzero((self._n > 0) & ~traces.powered)
        with_gpus = np.bincount(self._group_loop, self._n > 0, minlength=self._loops) > 0
        self._coldest_c = np.where(with_gpus, -math.inf, math.nan)  # air beside coolant has no GPUs

    def _meters(self, v: Values) -> None:
        meter = self.engine.meter
        off = meter.it_w <= LEAST_IT * self._rated_w
        it_w = math.nan if off else meter.it_w  # what keeps a dark hall alive has no PUE
        v["site.pue"][0] = meter.facility_w / it_w
        v["site.wue"][0] = float(v["plant.water_l_s"].sum()) * KWH_J / it_w

    # --- what happens

    def move(self, v: Values, temperatures: Temperatures, now: float) -> None:
        """Write what happens between two changes, at `now` [s]."""
        engine, loops, halls, plants = self.engine, self._loops, self._halls, self._plants
        upper, shape = temperatures.upper, engine.heat.network.shape
        flows = engine.cooling.moving(now, temperatures)
        if not self.settled:
            self._flows(v, flows)
        v["loop.valve"][...] = 100 * flows.loop_valve
        air = upper[2 * loops : 2 * loops + halls]
        v["hall.air_c"][...] = air
        heat_w = self._carried_w_k * (upper[:loops] - upper[loops : 2 * loops])
        if self._room is not None:
            facility_c = temperatures.plant_supply_c(shape)[shape.hall_plant]
            room_w = self._crah_w_k * (air - facility_c) - self._kept_w
            heat_w = np.where(self._room, room_w[shape.loop_hall], heat_w)
        v["loop.heat_w"][...] = heat_w
        v["loop.supply_c"][...] = upper[self._supply]
        supply_c = upper[self._supply]
        v["loop.return_c"][...] = supply_c + (upper[self._back] - supply_c) * self._warmer
        if self._room is not None:
            v["loop.return_c"] += heat_w * self._room_k_w
        v["rack.inlet_c"][...] = upper[self._inlet]
        hot_c = engine.heat.hot_c(temperatures)
        if self._dark.size:  # they are hot for a while, though nothing has to watch them
            hot_c = hot_c.copy()
            hot_c[self._dark] = temperatures.die_c(engine.traces.hot_s[self._dark], self._dark)
        hottest_c = self._coldest_c.copy()
        np.maximum.at(hottest_c, self._group_loop, hot_c)  # of free groups, minus infinity
        v["loop.gpu_max_c"][...] = hottest_c
        v["site.gpu_max_c"][0] = np.maximum.reduce(hot_c, initial=0.0) if self._gpus > 0 else math.nan
        dies = temperatures.chain[:, 0]
        total_c = self._n @ dies[:, 0] + self._sum_s @ dies[:, 1] + self._behind_c
        v["site.gpu_mean_c"][0] = total_c / self._gpus
        if plants:
            sent_c, back_c = temperatures.plant_supply_c(shape), temperatures.plant_return_c(shape)
            wet = min(len(sent_c), plants)
            if wet < plants:
                # Behind the last one that anything hangs on, water is as cool as it would be sent.
                v["plant.supply_c"][...] = v["plant.return_c"][...] = engine.plant.plants.supply_c
            sent_c, back_c, asked = sent_c[:wet], back_c[:wet], engine.cooling.asked.water[:wet]
            v["plant.supply_c"][:wet] = sent_c
            v["plant.return_c"][:wet] = sent_c + (back_c - sent_c) / asked

    def _flows(self, v: Values, flows: Moving) -> None:
        loop_flow, asked = flows.loop_flow, self.engine.cooling.asked
        self._warmer = asked.nodes / asked.loops  # air that idle nodes do not ask for is not in it
        self._carried_w_k = self._flow_w_k * flows.heat_flow
        if self._room is not None:
            air_w_k = self.engine.cooling.room_air_w_k * asked.loops * loop_flow
            self._room_k_w = np.where(air_w_k > 0, 1.0 / np.maximum(air_w_k, 1e-9), 0.0)
        v["loop.flow"][...] = 100 * loop_flow
        by_rack = np.where(self._rack_loop >= 0, np.append(loop_flow, 0.0)[self._rack_loop], 0.0)
        v["rack.flow"][...] = 100 * by_rack * self.engine.oddities.rack_flow
        if self._plants:
            v["plant.flow"][...] = 100 * flows.plant_flow
