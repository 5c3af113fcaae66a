"""What frames show of the facility: the power tree, loops and facility water, the meters of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.thermal_network import State as Temperatures

if TYPE_CHECKING:
    from twin.sim.engine import Engine

Values = dict[str, NDArray[Any]]
KWH_J = 3.6e6


def show_power(engine: Engine, v: Values) -> None:
    """Write the items of the power tree and the feeds of the racks."""
    power, items = engine.power, engine.plant.power
    v["power.state"][...] = power.item_state
    v["power.out_w"][...] = power.out_w
    v["power.loss_w"][...] = power.loss_w_by_item
    # A tree may be drawn without ratings: such an item has no load in percent.
    v["power.load"][...] = 100 * np.nan_to_num(power.out_w / items.capacity_w, nan=0.0, posinf=0.0)
    v["power.charge"][...] = 100 * power.charge
    v["rack.feeds"][...] = power.rack_feeds
    v["rack.power_w"][...] = engine.meter.rack_input_w(engine.heat, engine.traces, engine.clocks)
    loss_w = power.supply_loss_w
    if power.supplies.any_converters:
        by_node = engine.meter.overhead.converted_w
        loss_w = loss_w + np.bincount(engine.plant.nodes.rack, by_node, minlength=len(loss_w))
    v["rack.loss_w"][...] = loss_w


def show_loops(engine: Engine, v: Values, temperatures: Temperatures, now: float) -> None:
    """Write coolant and air loops, halls, and facility water."""
    network, traces, plant = engine.heat.network, engine.traces, engine.plant
    shape = network.shape
    shown = engine.cooling.shown(now, temperatures)
    supply, back = temperatures.loop_supply_c(shape), temperatures.loop_return_c(shape)
    air = temperatures.hall_air_c(shape)
    flow = shown.loop_flow
    heat_w = network.loop_flow_w_k * flow * (back - supply)
    # Handlers that cool no GPUs stand in the room's air and take the heat that is left there.
    room = network.loop_flow_w_k <= 0
    facility_c = temperatures.plant_supply_c(shape)[shape.hall_plant]
    room_w = network.coefficients.crah_w_k * (air - facility_c)
    sharing = np.maximum(np.bincount(shape.loop_hall[room], minlength=shape.n_halls), 1)
    v["loop.supply_c"][...] = supply = np.where(room, air[shape.loop_hall], supply)
    v["loop.return_c"][...] = np.where(room, air[shape.loop_hall], back)
    v["loop.flow"][...] = 100 * flow
    v["loop.heat_w"][...] = np.where(room, (room_w / sharing)[shape.loop_hall], heat_w)
    v["loop.valve"][...] = 100 * shown.loop_valve
    v["loop.power_w"][...] = shown.loop_power_w
    v["loop.pumps"][...] = shown.loop_pumps
    hottest = supply.copy()
    live = traces.groups.n > 0
    np.maximum.at(hottest, traces.groups.loop[live], engine.heat.hot_c(temperatures)[live])
    v["loop.gpu_max_c"][...] = hottest
    v["hall.air_c"][...] = air
    racks = plant.racks
    breathes = racks.air_loop >= 0
    v["rack.inlet_c"][...] = np.where(breathes, supply[racks.air_loop], air[racks.hall])
    by_rack = np.where(racks.loop >= 0, flow[racks.loop], np.where(breathes, flow[racks.air_loop], 0.0))
    v["rack.flow"][...] = 100 * by_rack * engine.oddities.rack_flow
    plants = len(plant.plants.ids)
    if plants:
        v["plant.supply_c"][...] = temperatures.plant_supply_c(shape)[:plants]
        v["plant.return_c"][...] = temperatures.plant_return_c(shape)[:plants]
        v["plant.flow"][...] = 100 * shown.plant_flow
        v["plant.heat_w"][...] = shown.plant_heat_w
        v["plant.power_w"][...] = shown.plant_power_w
        v["plant.water_l_s"][...] = shown.plant_water_l_s
        v["plant.units"][...] = shown.plant_units
        v["plant.free"][...] = 100 * shown.plant_free


def show_site(engine: Engine, v: Values, now: float) -> None:
    """Write the meters of the whole site and its weather."""
    power, meter, weather = engine.power, engine.meter, engine.weather.at(now)
    it_w = max(meter.it_w, 1.0)
    v["site.it_w"][0] = meter.it_w
    v["site.facility_w"][0] = meter.facility_w
    v["site.pue"][0] = meter.facility_w / it_w
    v["site.wue"][0] = float(v["plant.water_l_s"].sum()) * KWH_J / it_w
    v["site.grid_w"][0] = power.grid_w
    v["site.on_site_w"][0] = power.on_site_w
    v["site.battery_w"][0] = power.battery_w
    v["site.loss_w"][0] = power.loss_w
    v["site.cooling_w"][0] = meter.cooling_w
    v["site.carbon_kg_s"][0] = power.carbon_kg_s
    v["site.cost_usd_s"][0] = power.cost_usd_s
    v["site.swing_w"][0] = engine.swing.site_w
    v["site.throttled"][0] = engine.clocks.throttled_gpus()
    v["site.braked"][0] = engine.limits.braked_gpus()
    v["site.unpowered"][0] = float(engine.nodes.dark.sum())
    v["site.outdoor_c"][0] = weather.dry_c
    v["site.wet_bulb_c"][0] = weather.wet_c
