"""What a site costs, and what a run on it did with that money."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from twin.api.arguments import Settings, count_of, path_of, seed_of
from twin.api.errors import BadInput, as_arguments
from twin.api.named import is_run, load_scene
from twin.api.run import Run, open_run
from twin.api.scene import Scene
from twin.api.year import year_of
from twin.catalog import Catalog, load_catalog
from twin.economics.books import SiteBooks, Statement, books_of
from twin.economics.cash_flow import Plan
from twin.economics.energy_use import EnergyUse, of_design_load, of_run, of_year
from twin.economics.gpu_classes import held_by_class
from twin.economics.it_lines import gpus_by_part
from twin.economics.ledger_usd import LedgerUsd, ledger_usd
from twin.economics.run_work import GpuHours, WorkDone, work_of
from twin.economics.site_lines import source_power_w
from twin.plant.build import build
from twin.plant.design_load import rack_design_w
from twin.plant.error import PlantError

if TYPE_CHECKING:
    from twin.plant.tables import Plant
    from twin.scenario import Scenario

MOST_YEARS, MOST_SAMPLES, MOST_MONTHS = 40, 100_000, 240.0
MOST_LOAD = 1.5


def cost(
    of: str | os.PathLike[str] | Scene | Run,
    plan: Plan | None = None,
    *,
    samples: int = 1000,
    seed: int | None = None,
    set: Settings = (),
) -> SiteBooks:
    """Return the books of a site: capital, operation, cash flow, with ranges; of a run also what its work cost.

    Parameters
    ----------
    of
        A scene or a run, or the file or name of one.
    plan
        Years of operation, dates, ramp; and the load of a scene, of which nobody knows how it will be used. None: five
        years, racks at 80 % of their design power.
    samples
        Random draws of the prices.
    seed
        Of these draws; None: that of the scene.
    set
        Changes of the scene, as for `Scene.run`; prices too: ``{"prices[H100-SXM]": "30000 USD"}``.

    Raises
    ------
    ScenarioError
        When the scene, or a price in it, cannot be.
    PriceError
        When what is inside something costs more than the whole.
    BadInput
        When a number is out of range, or a run is not over.

    Examples
    --------
    >>> import twin
    >>> books = twin.cost("llama3-16k")
    >>> capital = books.drawn.capital
    >>> capital.total_usd.shape, bool(abs(sum(capital.by_group.values()) / capital.total_usd - 1).max() < 1e-9)
    ((1000,), True)
    >>> float(books.likely.yearly_usd[0] / 8760 / books.bill.gpu_count).__round__(1)  # USD of a GPU-hour installed
    1.8
    """
    asked = checked(plan or Plan())
    drawn = count_of(samples, "samples", 2, MOST_SAMPLES)
    with as_arguments():
        if isinstance(of, Run):
            return of_recorded(of, asked, drawn, seed_of(seed))
        if not isinstance(of, Scene) and is_run(path := path_of(of, "of")):
            with open_run(path) as run:
                return of_recorded(run, asked, drawn, seed_of(seed))
        scene = of if isinstance(of, Scene) else Scene(load_scene(path_of(of, "of")))
        return of_scene((scene.changed(set) if set else scene).scenario, asked, drawn, seed_of(seed))


def of_scene(scenario: Scenario, plan: Plan, samples: int, seed: int | None = None) -> SiteBooks:
    """Return the books of a scene that has not run: only its installed GPU-hours are known."""
    catalog = load_catalog()
    plant = build(scenario, catalog)
    use = use_of_scene(scenario, plant, catalog, plan.load)
    work = WorkDone(GpuHours(float(plant.gpus.present.sum()) * use.period_s / 3600.0))
    return books_of(
        scenario, plant, catalog, use, plan, samples, scenario.seed if seed is None else seed, work
    )


def of_recorded(run: Run, plan: Plan, samples: int, seed: int | None = None) -> SiteBooks:
    """Return the books of a run that is over, of the hall as it began; raises `BadInput` where it never began."""
    catalog, scenario, summary = load_catalog(), run.scenario, run.summary
    if summary["simulated_s"] <= 0.0:
        raise BadInput(f"{run.path}: nothing was simulated in this run, so it has no cost")
    plant = build(scenario, catalog)
    use = of_run(run.reader, summary)
    work = work_of(scenario, summary, gpus_by_part(plant))
    books = books_of(scenario, plant, catalog, use, plan, samples, run.seed if seed is None else seed, work)
    return replace(books, notes=(*books.notes, *_notes_of(run)))


def _notes_of(run: Run) -> list[str]:
    """Return what the books of a run leave out."""
    notes = []
    if run.scenario.edits:
        notes.append("The hall was edited while it ran; its capital is that of the hall as it began.")
    for name, cloud in run.summary.get("cloud", {}).items():
        if cloud["gpu_h"]:
            usd = cloud["cost_usd"] + cloud["egress_usd"]
            notes.append(
                f"{cloud['gpu_h']:,.0f} GPU-hours in {name} for {usd:,.0f} USD are not in these books; "
                "steps done there count among the tokens."
            )
    return notes


def ledger_of(run: Run, books: SiteBooks, statement: Statement | None = None) -> LedgerUsd:
    """Return the ledger of a whole run in USD: full cost by account, job and tenant, cash and market beside it.

    Parameters
    ----------
    run
        One that is over.
    books
        Of this run, as `cost` returns them.
    statement
        At which prices; None: in the samples of the books.

    Examples
    --------
    >>> import twin
    >>> from twin.api.cost import ledger_of
    >>> with twin.load("lab-16").run(until="6 h") as run:
    ...     books = twin.cost(run)
    ...     ledger = ledger_of(run, books)
    >>> bool(abs(ledger.total_usd / books.period_usd(books.drawn) - 1).max() < 1e-9)
    True
    """
    plant = build(run.scenario, books.catalog)
    held = held_by_class(run.reader, plant, books.bill)
    return ledger_usd(books, statement or books.drawn, run.ledger(), run.summary, plant, held)


def use_of_scene(scenario: Scenario, plant: Plant, catalog: Catalog, load: float) -> EnergyUse:
    """Return the energy of a scene over its typical year, or by its design load where it has none."""
    try:
        return of_year(year_of(scenario, load), source_power_w(plant), scenario)
    except PlantError as none:
        it_w = float(rack_design_w(plant, catalog).sum())
        return of_design_load(it_w, load, source_power_w(plant), scenario, str(none))


def checked(plan: Plan) -> Plan:
    """Return a plan whose numbers are possible; raises `BadInput`."""
    if not 1 <= plan.years <= MOST_YEARS:
        raise BadInput(f"years: {plan.years} is out of range; give 1 to {MOST_YEARS}")
    for name in ("grid_months", "delivery_months", "ramp_months"):
        if not 0.0 <= getattr(plan, name) <= MOST_MONTHS:
            raise BadInput(f"{name}: {getattr(plan, name):g} is out of range; give 0 to {MOST_MONTHS:g}")
    if not 0.0 < plan.load <= MOST_LOAD:
        raise BadInput(f"load: {plan.load:g} is out of range; give more than 0 and at most {MOST_LOAD:g}")
    if not 0.0 <= plan.ratchet <= 1.0:
        raise BadInput(f"ratchet: {plan.ratchet:g} is out of range; give 0 to 1")
    return plan
