"""A site through its typical year at one load, hour by hour, beside any run: PUE, WUE, peak, carbon, cooling.

The very machines of the engine work in each hour's air, once they have settled: racks draw a share of their design
power, all of it becomes heat of the facility water, and pumps, fans, compressors and the power chain draw what that
takes. Nothing fails, batteries rest, and what takes minutes to settle does not count.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.weather import HOURS
from twin.piecewise import all_at_once
from twin.plant.design_load import rack_design_w
from twin.plant.facility import rated_heat_w
from twin.plant.tables import Plant
from twin.record.site_year import NoYear, SiteYear, YearHours, climate_words
from twin.scenario.schema.document import Scenario
from twin.sim.core.log import Log
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Outdoor, Weather
from twin.sim.power.system import PowerSystem
from twin.sim.thermal.asked_flow import Wants
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.cooling_rejection import Rejection
from twin.sim.thermal.part_models import UncooledNode
from twin.sim.thermal.thermal_build import build_body

AIR_STEP_K = 0.1
"""Steps of outdoor air in which machines are worked out; straight lines lie between."""


def typical_year(scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0) -> SiteYear:
    """Return the typical year of a site; about 30 ms, the first of its place 50 ms; see `year_steps`."""
    return all_at_once(year_steps(scenario, plant, catalog, load))


def year_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0
) -> Generator[None, None, SiteYear]:
    """Work out the typical year of a site a little at a time.

    Parameters
    ----------
    load
        Power of all racks over their design power (nodes at their measured maximum or nameplate) [-].

    Raises
    ------
    NoYear
        When no rack draws power.
    PlantError
        When the hall cannot be cooled as it stands: a node without a loop, say.
    """
    weather, timers, log = Weather(scenario.site, scenario.start), Timers(0.0), Log()
    yield
    try:
        body = build_body(plant, catalog, scenario.seed)
    except UncooledNode:
        raise NoYear("a node has neither a coolant loop nor an air loop; connect it first") from None
    yield
    cooling = CoolingSystem(timers, plant, catalog, body.network, weather, log, body.rack_static_w)
    yield
    power = PowerSystem(timers, log, plant, catalog, weather, scenario.site.grid)
    yield
    rack_w = load * rack_design_w(plant, catalog) * plant.racks.present
    power.update(rack_w, cooling.loop_power_w(0.0), np.zeros(len(plant.plants.ids)), 0.0)
    it_w = float(power.rack_in_w.sum())
    if it_w <= 0.0:
        raise NoYear("no rack draws power; add racks with nodes, and feed them")
    for _ in range(2):  # fans and pumps follow the heat, and are a little of it themselves
        into_w = _into_w(plant, catalog, cooling, power.rack_in_w)
        asked = np.full(body.network.shape.n_loops, min(load, 1.0))
        cooling.carry(into_w, Wants(asked, asked, into_w[len(asked) :]))
    shape, loop_w = body.network.shape, cooling.loop_power_w(0.0)
    pump_w = np.zeros(len(plant.plants.ids))
    pump_w[: shape.n_plants] = cooling.rejection.pump_w[: len(pump_w)]
    heat_w = np.bincount(shape.hall_plant[plant.racks.hall], power.rack_in_w, shape.n_plants)
    heat_w = heat_w + np.bincount(shape.loop_plant, loop_w, shape.n_plants)
    air, rejection = weather.of_year(), cooling.rejection
    works: list[_PlantYear] = []
    for p in range(len(rejection.machines)):
        yield
        works.append(_plant_year(rejection, p, float(heat_w[p] + pump_w[p]), air))
    yield
    plant_w = np.tile(pump_w[:, None], HOURS)
    for p, work in enumerate(works):
        plant_w[p] += work.power_w
    loss_w = _chain_loss_w(power, rack_w, loop_w, plant_w)
    machines_w = plant_w.sum(axis=0) + loop_w.sum()
    grid_w, made_kg_s = _from_grid_w(power, it_w + machines_w + loss_w, air)
    none = np.zeros(HOURS)
    return SiteYear(
        load=load,
        it_w=it_w,
        air=air,
        machines_w=machines_w,
        loss_w=loss_w,
        grid_w=grid_w,
        water_l_s=np.sum([work.water_l_s for work in works], axis=0) if works else none,
        carbon_kg_s=grid_w * air.carbon_kg_j + made_kg_s,
        no_compressor=np.all([work.compressor_w <= 0.0 for work in works], axis=0)
        if works
        else np.ones(HOURS, bool),
        off_set_k=np.max([work.off_set_k for work in works], axis=0) if works else none,
        has_compressors=any(machines.lift is not None for machines in rejection.machines),
        has_plants=bool(rejection.machines),
        climate=climate_words(scenario.site.climate),
        mean_day=scenario.site.climate.place is None and scenario.site.climate.hours is None,
    )


def year_hours(scenario: Scenario) -> tuple[YearHours, float]:
    """Return what sun, air and grid of a site do, and the time from the start of the year to that of a run [s]."""
    weather = Weather(scenario.site, scenario.start)
    return weather.of_year(), weather.year_start_s


def _into_w(plant: Plant, catalog: Catalog, cooling: CoolingSystem, rack_w: Floats) -> Floats:
    """Return the heat into each loop that cools nodes and into the air of each hall, machines included, (L + H,) [W].

    Coolant takes its share of the nodes at their nameplate, the air of the hall all that is left.
    """
    network, racks = cooling.network, plant.racks
    halls, hall = network.shape.n_halls, network.shape.loop_hall
    housed = np.bincount(plant.nodes.rack[plant.nodes.present], minlength=len(racks.ids)) > 0
    nodes_w = np.bincount(racks.hall, rack_w * housed, halls)
    rated_w = np.where(network.loop_flow_w_k > 0, rated_heat_w(plant, catalog, plant.loops), 0.0)
    most_w = np.array([catalog.node(name).max_w for name in plant.node_parts])[plant.nodes.part]
    whole_w = np.bincount(racks.hall[plant.nodes.rack], most_w * plant.nodes.present, halls)
    loop_w = rated_w * (nodes_w / np.maximum(whole_w, 1e-9))[hall]
    hall_w = np.bincount(racks.hall, rack_w, halls) - np.bincount(hall, loop_w, halls)
    return np.concatenate([loop_w + cooling.loop_heat_w(0.0), hall_w + cooling.hall_heat_w(0.0)])


@dataclass(frozen=True)
class _PlantYear:
    """Machines of one facility plant, hour by hour."""

    power_w: Floats
    compressor_w: Floats
    water_l_s: Floats
    off_set_k: Floats


def _plant_year(rejection: Rejection, p: int, heat_w: float, air: YearHours) -> _PlantYear:
    """Return what a plant does for one heat in the air of every hour: only one temperature of it counts."""
    machines = rejection.machines[p]
    outdoor_c = air.wet_c if machines.sky.wet else air.dry_c
    steps = np.arange(np.floor(outdoor_c.min() / AIR_STEP_K), np.ceil(outdoor_c.max() / AIR_STEP_K) + 1)
    at_c = steps * AIR_STEP_K
    done = [rejection.works_at(p, heat_w, Outdoor(at, at, at)) for at in at_c.tolist()]
    columns = np.array(
        [
            (work.machine_w, work.fan_w, work.water_l_s, min(supply_c, at + 200.0) - machines.set_c)
            for (work, supply_c), at in zip(done, at_c.tolist(), strict=True)
        ]
    )
    compressor_w, fan_w, water_l_s, off_set_k = (np.interp(outdoor_c, at_c, column) for column in columns.T)
    return _PlantYear(compressor_w + fan_w, compressor_w, water_l_s, off_set_k)


def _chain_loss_w(power: PowerSystem, rack_w: Floats, loop_w: Floats, plant_w: Floats) -> Floats:
    """Return the losses of the power chain in every hour (8760,) [W]: a parabola over the power of the plants.

    Batteries rest: what they even out lasts seconds to minutes, not the hours that are compared here.
    """
    total_w = plant_w.sum(axis=0)
    order = total_w.argsort()
    hours = [int(order[0]), int(order[HOURS // 2]), int(order[-1])]
    losses = []
    for hour in hours:
        power.storage.grid_w = math.nan  # no ramp leads from one hour to the other
        power.update(rack_w, loop_w, plant_w[:, hour], 0.0)
        losses.append(power.loss_w)
    low, middle, high = total_w[hours].tolist()
    degree = (high > low) + (low < middle < high)
    if degree < 2 or high - low < 1.0:
        return (
            np.interp(total_w, [low, high], [losses[0], losses[-1]])
            if high > low
            else np.full(HOURS, losses[0])
        )
    result: Floats = np.polyval(np.polyfit(total_w[hours] / high, losses, 2), total_w / high)
    return result


def _from_grid_w(power: PowerSystem, facility_w: Floats, air: YearHours) -> tuple[Floats, float]:
    """Return the power from the grid in every hour (8760,) [W], and the carbon of what is burnt on site [kg/s]."""
    circuit = power.circuit
    steady_w = power.on_site_w - float(power.sources.output_w[circuit.is_solar].sum())
    rated_w = sum(power.sources.rated_w(i) for i in np.flatnonzero(circuit.is_solar).tolist())
    return np.maximum(facility_w - steady_w - rated_w * air.sun, 0.0), power.flows.made_kg_s
