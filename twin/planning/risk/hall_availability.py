"""Availability of a scene: all at once, or step by step where somebody waits for other things meanwhile."""

from __future__ import annotations

from collections.abc import Generator

from twin.catalog import Catalog
from twin.piecewise import all_at_once
from twin.planning.risk.availability import SiteReliability
from twin.planning.risk.availability_figures import Exposure, HallAvailability
from twin.planning.risk.risk import JobRisk
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario


def availability_of(
    scenario: Scenario, plant: Plant, catalog: Catalog, risk: JobRisk | None = None
) -> HallAvailability:
    """Return the availability of a hall at the rates of the catalogue, and what it leaves to a job of it."""
    return all_at_once(availability_steps(scenario, plant, catalog, risk))


def availability_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, risk: JobRisk | None = None
) -> Generator[None, None, HallAvailability]:
    """Work out the same in steps of a few milliseconds; the generator returns it."""
    found = SiteReliability(plant, catalog, scenario.failures, at_once=False)
    yield
    yield from found.steps()
    job = None if risk is None else exposure_of(risk)
    return (yield from found.hall(job, in_runs=scenario.failures.machines_fail))


def exposure_of(risk: JobRisk) -> Exposure:
    """Return a job as far as outages of the site concern it: each costs a restart and half an interval of work."""
    model = risk.model
    lost_s = min(risk.interval_s, model.horizon_s) / 2
    away = (model.nodes + model.spares) * model.node_rate_s * model.mean_repair_s
    return Exposure(risk.job, model.nodes, model.spares, model.restart_s + lost_s, away)
