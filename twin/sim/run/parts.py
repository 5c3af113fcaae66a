"""The parts of a run, made of its scenario and wired together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.economics.rented_groups import reclaims_per_node_s, rented_groups
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.sim.care.degraded import Degraded
from twin.sim.care.health import Health
from twin.sim.care.repairs import RepairShop
from twin.sim.core.draws import Draws
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.ledger import Ledger
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.settings import ScenarioInForce
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Weather
from twin.sim.fabric.fabric_state import FabricState
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.incidents.facility_faults import FacilityFaults
from twin.sim.incidents.fault_replay import FaultReplay
from twin.sim.incidents.interventions import Incidents
from twin.sim.jobs.energy import JobEnergy
from twin.sim.jobs.input_plan import job_inputs
from twin.sim.jobs.input_wait import Ingest
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan, plan_jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.jobs.stores import StoreShares
from twin.sim.jobs.stragglers import Stragglers
from twin.sim.jobs.work import Work
from twin.sim.meters.hourly_totals import Hourly
from twin.sim.meters.meter import Meter
from twin.sim.meters.rent_meter import RentMeter
from twin.sim.power.system import PowerSystem
from twin.sim.queue.cloud import Clouds
from twin.sim.queue.partition_moves import Moves
from twin.sim.queue.policy_view import Surroundings
from twin.sim.queue.replication import SiteReplication
from twin.sim.queue.scheduler import QueueScheduler
from twin.sim.run.repace import Pacing
from twin.sim.thermal.ashrae_watch import Comfort
from twin.sim.thermal.clock_limits import ClockLimits
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.gpu_groups import Dies, Traces
from twin.sim.thermal.heat import Heat
from twin.sim.thermal.held_dies import OwnDies
from twin.sim.thermal.power_caps import PowerCaps
from twin.sim.thermal.power_swing import Swing
from twin.sim.thermal.shared_traces import Mixes
from twin.sim.thermal.thermal_build import build_body
from twin.sim.thermal.thermal_faults import Oddities
from twin.sim.thermal.thresholds import Thresholds
from twin.sim.thermal.wear import Lifetime

PARTS = (
    "ledger",
    "nodes",
    "failures",
    "jobs",
    "stores",
    "ingest",
    "repairs",
    "incidents",
    "stragglers",
    "health",
    "network",
    "limits",
    "oddities",
    "mixes",
    "traces",
    "clocks",
    "lifetime",
    "weather",
    "cooling",
    "meter",
    "job_energy",
    "caps",
    "swing",
    "comfort",
    "hourly",
    "clouds",
    "replication",
    "moves",
    "scheduler",
)
"""Attributes of the engine that save and restore themselves."""


class RunParts:
    """All that a run consists of; whoever runs it inherits them."""

    def _build(
        self,
        scenario: Scenario,
        seed: int,
        env_s: float,
        plant: Plant | None = None,
        first: tuple[Scenario, Plant] | None = None,
    ) -> None:
        """Make the parts of a scene: of one that was edited on its `plant`, with what the run began with (`first`)."""
        catalog = catalog_of(scenario)
        if scenario.streams and scenario.seed != seed:  # whoever has the scenario can tell which jobs came
            scenario = scenario.model_copy(update={"seed": seed})
        self.scenario, self.seed, self.catalog = scenario, seed, catalog
        plant = build(scenario, catalog) if plant is None else plant
        self.plant: Plant = plant
        self.first = (scenario, plant) if first is None else first
        self.end_s = scenario.duration_s
        self.now_s = env_s
        self.generation = 0  # raised by whatever may change the run; observers look again only then
        self.timers = Timers(env_s)
        self.log = Log()
        self.ledger = Ledger()
        self.nodes = NodeTable(plant, self.ledger)
        standing_draws: Draws | None = vars(self).get(
            "draws"
        )  # of the run whose hall is edited, or is restored
        self.draws = Draws(seed) if standing_draws is None else standing_draws
        self.failures = FailureClocks(plant, scenario.failures, self.draws, self.first[1])
        before: FabricState | None = vars(self).get("network")  # of the hall before an edit
        rented = rented_groups(scenario, plant, catalog)
        self.reclaimed_per_node_s = reclaims_per_node_s(rented, int(plant.nodes.present.sum()))
        self.network = FabricState(plant, catalog, jobs_of(scenario), scenario.partitions, before)
        self.plans, work, gpus = self._plans(scenario)
        self.jobs = Jobs(jobs_of(scenario), work, gpus, self.ledger)
        self.network.bind(self.jobs, self.plans)
        self.stores = StoreShares(plant.storage)
        self.recovery = RecoveryHandler(self.timers, self.log, self.nodes, self.jobs, self.plans, self.stores)
        self.recovery.fits = self.network.fits
        self.scheduler = QueueScheduler(
            self.timers, self.log, self.nodes, self.jobs, self.plans, self.recovery
        )
        inputs = job_inputs(scenario, plant, catalog, self.plans, work)
        self.ingest = Ingest(self.jobs, inputs, self.stores, self.log)
        self.body = build_body(plant, catalog, seed)
        body = self.body
        present = np.where(plant.nodes.present, plant.nodes.gpu_count, 0).astype(float)
        gpus_of = plant.gpus
        parts_in_air = np.append(body.downstream_k_w > 0, False)  # of an empty hall there is no part
        by_air = parts_in_air[body.node_part[gpus_of.node]]
        dies = Dies(np.asarray(gpus_of.node, np.intp), by_air & (gpus_of.index % 2 == 1), body.spread)
        self.traces = Traces(np.asarray(plant.nodes.loop, np.intp), body.node_part, present, dies)
        self.limits = ClockLimits(present.astype(int))
        self.clocks = Clocks(
            self.traces, body.models, body.junction_k_w, body.downstream_k_w, self.jobs, self.limits
        )
        own = OwnDies(plant, dies, np.asarray(body.node_part, np.intp), self.clocks, self.jobs, self.plans)
        self.recovery.dies_s = own.slower_s
        self.oddities = Oddities(
            body.network,
            body.models,
            body.parts,
            body.by_air,
            self.traces,
            self.clocks,
            plant.nodes.rack,
            len(plant.racks.ids),
            body.keys,
        )
        self.mixes = Mixes(self.jobs, self.nodes, self.clocks)
        self.lifetime = Lifetime(body.parts, self.traces, self.clocks)
        self.weather = Weather(scenario.site, scenario.start)
        self.cooling = CoolingSystem(
            self.timers, plant, catalog, body.network, self.weather, self.log, body.rack_static_w
        )
        shape = body.network.shape
        thresholds = Thresholds(shape.n_upper)
        self.heat = Heat(
            self.timers, self.traces, self.clocks, self.cooling, self.oddities, self.lifetime, thresholds
        )
        self.power = PowerSystem(self.timers, self.log, plant, catalog, self.weather, scenario.site.grid)
        self.job_energy = JobEnergy(len(self.jobs.rows), self.nodes)
        self.meter = Meter(self.power, self.cooling, body, plant, self.job_energy)
        self.outages = Outages(
            self.timers, self.log, self.nodes, self.jobs, self.recovery, self.failures, self.network
        )
        self.caps = PowerCaps(
            scenario.power_caps, self.nodes, self.limits, self.clocks, body.node_part, self.log
        )
        self.swing = Swing(
            plant, catalog, self.jobs, self.clocks, self.power, scenario.site.grid.ramp_w_s, self.log
        )
        self.comfort, self.hourly = Comfort(plant, shape), Hourly()
        thresholds.watch(self.comfort)
        thresholds.watch(self.meter.overhead)
        facility = FacilityFaults(
            self.timers,
            self.log,
            plant,
            self.power,
            self.cooling,
            self.oddities,
            self.caps,
            self.weather,
            scenario,
            catalog,
            self.draws,
        )
        self.repairs = RepairShop(self.timers, self.log, self.nodes, self.recovery, self.failures, scenario)
        self.degraded = Degraded(
            self.timers,
            self.log,
            self.nodes,
            self.jobs,
            self.recovery,
            self.failures,
            self.limits,
            self.outages,
            self.repairs,
            FailureTally(scenario.failures.acting),
        )
        self.repairs.forget = self.degraded.forget
        self.health = Health(
            self.timers,
            self.log,
            self.nodes,
            self.recovery,
            self.degraded,
            scenario.failures.checks,
            self.draws,
            self.failures.keys,
        )
        self.rents = RentMeter(rented, self.nodes, self.weather)
        self.incidents = Incidents(
            self.timers,
            self.log,
            self.nodes,
            self.jobs,
            self.recovery,
            self.failures,
            self.cooling,
            self.clocks,
            ScenarioInForce(scenario, self._replan),
            self.outages,
            facility,
            self.repairs,
            self.degraded,
            scenario.failures.bursts,
            self.rents,
        )
        self.clouds = Clouds(
            self.timers,
            self.log,
            self.nodes,
            self.jobs,
            self.plans,
            self.scheduler,
            scenario.clouds,
            catalog,
            self.failures.per_node_s,
        )
        self.replication = SiteReplication(self.clouds, self.recovery)
        facility.tell_site = self.replication.site
        self.scheduler.around = Surroundings(
            scenario, plant, self.weather, self.clocks, self.body, self.meter
        )
        if scenario.clouds:
            self.scheduler.clouds = self.clouds
        self.moves = Moves(
            self.timers, self.log, self.jobs, self.plans, self.scheduler, scenario, self._plan_in
        )
        self.incidents.on.moves, self.incidents.on.clouds = self.moves, self.clouds
        self.stragglers = Stragglers(
            self.timers, self.log, self.jobs, self.recovery, scenario.failures, self.draws
        )
        self.pacing = Pacing(
            self.timers,
            self.nodes,
            self.jobs,
            self.clocks,
            self.mixes,
            self.network,
            self.ingest,
            self.stragglers,
            self.recovery,
        )
        self.replay = FaultReplay(
            self.timers,
            self.log,
            self.nodes,
            self.jobs,
            self.recovery,
            self.failures,
            self.repairs,
            self.degraded.tally,
            scenario.failures.trace if scenario.failures.enabled else None,
        )

    def _plans(self, scenario: Scenario) -> tuple[list[JobPlan], list[Work], list[float]]:
        network = self.network
        rate = self.failures.per_node_s + self.reclaimed_per_node_s
        return plan_jobs(scenario, self.plant, self.catalog, rate, network.expected(), network.home)

    def _replan(self, scenario: Scenario) -> None:
        plans, work, _ = self._plans(scenario)
        self.plans[:], self.jobs.work[:] = plans, work  # in place: everybody holds these lists
        self.jobs.planned[:] = work
        self.jobs.replanned += 1
        self.jobs.work_version += 1
        self.moves.renew()
        self.network.renew()
        assert self.scheduler.around is not None
        self.scheduler.around = replace(self.scheduler.around, scenario=scenario)
        self.scheduler.renew()
        self.pacing.look_at_all()

    def _plan_in(self, index: int, partition: str | None) -> tuple[JobPlan, Work]:
        now, network = self.incidents.settings.scenario, self.network
        network.move(index, partition)
        job = now.jobs[index] if index < len(now.jobs) else self.jobs.specs[index]
        alone = {"jobs": (job.model_copy(update={"partition": partition}),), "streams": (), "traces": ()}
        expected, places = [network.expected()[index]], [network.places[index]]
        rate = self.failures.per_node_s + self.reclaimed_per_node_s
        plans, works, _ = plan_jobs(
            now.model_copy(update=alone), self.plant, self.catalog, rate, expected, places
        )
        return plans[0], works[0]

    # --- meters

    def measure(self, *, force: bool = True) -> None:
        """Read the meters: what flowed up to now, and what flows from now on."""
        now = self.timers.now_s
        self.book()
        self.meter.measure(self.heat, self.traces, self.clocks, now, force=force)
        self.swing.look(now)

    def book(self) -> None:
        """Take note of what flowed up to now, also by the hour."""
        now = self.timers.now_s
        if now == self.meter.meters.at_s:
            return
        if now <= self.hourly.end_s:  # all of it is what the meters read in the row that stands
            self.hourly.wait(now - self.meter.meters.at_s, self.meter.draw.free)
        else:
            self.book_hour(self.hourly, now)
        self.meter.book(self.heat, now)
        self.hourly.settle(self.meter.totals)

    def book_hour(self, hourly: Hourly, now_s: float) -> None:
        """Add to `hourly` what has flowed since the meters were read last, at the powers of then."""
        meter, power = self.meter, self.power
        if now_s <= meter.meters.at_s:
            return
        for since_s, until_s in self.weather.hours(meter.meters.at_s, now_s):
            hourly.add(
                since_s,
                until_s,
                meter.it_w,
                meter.facility_w,
                meter.draw.water_l_s,
                power.loss_w,
                meter.cooling_w,
                *power.rates(since_s),
                meter.draw.free,
            )
