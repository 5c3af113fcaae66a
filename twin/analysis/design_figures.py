"""What designs come to before anybody has run them: money over the ranges of prices, carbon, power, availability."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.background_process import Aside, PartMade, Tell
from twin.analysis.site_books import gpu_hour_usd, scene_books
from twin.arrays import Floats
from twin.catalog import Catalog
from twin.commands.budget.budget import budget
from twin.commands.edit.command import EditedScene
from twin.economics.cash_flow import Plan
from twin.economics.it_lines import gpus_by_part
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.run_work import WorkDone, work_asked
from twin.language import tr
from twin.planning.job.result import PlanError
from twin.planning.profile.figures import ProfileError
from twin.planning.risk.hall_availability import availability_of
from twin.planning.risk.risk import risk_of
from twin.plant.tables import Plant
from twin.record.site_year import SiteYear
from twin.runtime.typical_year import year_or_reason
from twin.scenario import Document
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class DesignPromise:
    """What closed forms promise of a design of a need.

    Attributes
    ----------
    mean_s, sigma_s
        Of the time of all workloads of its scene [s].
    limit
        The limit of the need that it is nearest to, in words.
    load
        Mean power of its racks over their design power [-].
    """

    mean_s: float
    sigma_s: float
    limit: str
    load: float


@dataclass(frozen=True)
class DesignToCompare:
    """A design that is compared: what it is called, its scene, and what is promised of it."""

    title: str
    document: Document
    promise: DesignPromise | None = None


@dataclass(frozen=True)
class DesignSamples:
    """Figures of a design.

    Attributes
    ----------
    title
        For people.
    drawn
        By key; in samples of the prices, or one value.
    gpus
        Installed.
    asked
        Work of its jobs.
    promise
        Of closed forms; None: nothing is promised.
    binding
        What binds it, in words.
    notes
        What one must know of its figures, in sentences.
    """

    title: str
    drawn: Mapping[str, Floats]
    gpus: int
    asked: WorkDone
    promise: DesignPromise | None
    binding: str
    notes: tuple[str, ...] = ()


def samples_aside(designs: Sequence[DesignToCompare]) -> Aside[PartMade[DesignSamples] | int]:
    """Return the process that works figures of designs out; it tells a `PartMade` of each, then how many."""
    return Aside(_aside, tuple(designs), name="twin-design-figures", alone=True)


def samples_of(design: DesignToCompare) -> DesignSamples:
    """Return the figures of a design.

    Raises
    ------
    ScenarioError, PlantError
        When its scene makes no hall.
    """
    scene = EditedScene.of(design.document)
    scenario, plant, catalog = scene.scenario, scene.plant, scene.catalog
    plan = Plan() if design.promise is None else Plan(load=design.promise.load)
    drawn, notes = _money(scenario, plant, catalog, plan)
    year = year_or_reason(scenario, plant, catalog)
    standing = budget(scene)
    drawn["site_w"] = np.array([year.peak_w if isinstance(year, SiteYear) else standing.grid_w])
    drawn |= {key: np.array([share]) for key, share in _available(scenario, plant, catalog).items()}
    gpus = gpus_by_part(plant)
    part = max(gpus, key=lambda name: gpus[name], default="")
    nodes = int(plant.nodes.present.sum())
    asked = work_asked(scenario, part, round(sum(gpus.values()) / nodes) if nodes else 0)
    binding = design.promise.limit if design.promise is not None else ""
    return DesignSamples(
        design.title,
        drawn,
        sum(gpus.values()),
        asked,
        design.promise,
        binding or _binding(standing.power_load, standing.cooling_load),
        notes,
    )


def _money(
    scenario: Scenario, plant: Plant, catalog: Catalog, plan: Plan
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return money and carbon in samples of the prices, and what to know of them."""
    try:
        books = scene_books(scenario, plant, catalog, plan, SAMPLES, SEED)
    except PriceError as wrong:
        return {}, (str(wrong),)
    drawn = books.drawn
    found = {
        "total_usd": -drawn.cash.cost_npv_usd,
        "capital_usd": drawn.capital.total_usd,
        "yearly_usd": drawn.yearly_usd,
        "gpu_hour_usd": gpu_hour_usd(books, drawn),
        "carbon_kg": books.carbon(drawn).total_kg,
    }
    return {key: values for key, values in found.items() if np.isfinite(values).all()}, tuple(books.notes)


def _available(scenario: Scenario, plant: Plant, catalog: Catalog) -> dict[str, float]:
    """Return the share of the time with power and cooling, and with enough nodes for the job, where known."""
    try:
        risk = risk_of(scenario, plant, catalog)
    except (PlanError, ProfileError, ValueError):
        risk = None
    found = availability_of(scenario, plant, catalog, risk)
    site = next((system.available for system in found.systems if system.system == "site"), None)
    enough = found.job.in_service if found.job is not None else None
    known = {"site_available": site, "nodes_available": enough}
    return {key: share for key, share in known.items() if share is not None}


def _binding(power_load: float, cooling_load: float) -> str:
    """Return which of power and cooling the racks fill most."""
    loads = {tr("power feeds"): power_load, tr("cooling"): cooling_load}
    known = {name: load for name, load in loads.items() if np.isfinite(load) and load > 0.0}
    if not known:
        return tr("nothing that is known")
    name = max(known, key=lambda name: known[name])
    return tr("{what} at {load:.0f} % of capacity", what=name, load=100.0 * known[name])


def _aside(designs: Sequence[DesignToCompare], tell: Tell) -> Generator[PartMade[DesignSamples], None, int]:
    for done, found in enumerate(all_samples(designs)):
        tell(done + 1, len(designs))
        yield PartMade(found)
    return len(designs)


def all_samples(designs: Sequence[DesignToCompare]) -> Iterator[DesignSamples]:
    """Yield the figures of designs."""
    yield from map(samples_of, designs)
