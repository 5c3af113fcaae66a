"""The books of a scene or of a finished run, on a hall that is built: the same in window, report and commands."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.books import SiteBooks, Statement, books_steps
from twin.economics.cash_flow import Plan
from twin.economics.contracts import SiteHours, hours_of_run, hours_of_year, steady_hours, with_contracts
from twin.economics.energy_use import EnergyUse, of_design_load, of_run, of_summary, of_year
from twin.economics.gpu_classes import held_evenly, held_steps
from twin.economics.it_lines import gpus_by_part
from twin.economics.ledger_usd import LedgerUsd, ledger_usd
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SEED
from twin.economics.rented_groups import rent_of_year, rented_groups
from twin.economics.run_work import GpuHours, WorkDone, work_of
from twin.economics.site_lines import source_carbon_kg_j, source_power_w
from twin.language import tr
from twin.piecewise import all_at_once
from twin.plant.design_load import rack_design_w
from twin.plant.error import PlantError
from twin.plant.tables import Plant
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S
from twin.runtime.typical_year import year_hours, year_steps
from twin.scenario.schema.document import Scenario


def _use_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, load: float
) -> Generator[None, None, EnergyUse]:
    """Work out the energy of a scene over its typical year, or by its design load where it has none; and its rent.

    Power purchases and heat are those of the hours of the typical year: without one there are none.
    """
    sources, rent = source_power_w(plant), rent_of_year(rented_groups(scenario, plant, catalog), load)
    try:
        year = yield from year_steps(scenario, plant, catalog, load)
    except PlantError as none:
        it_w = float(rack_design_w(plant, catalog).sum())
        use = of_design_load(it_w, load, sources, source_carbon_kg_j(plant), scenario, str(none))
        return replace(use, rent_usd=rent)
    use = replace(of_year(year, sources, scenario), rent_usd=rent)
    return with_contracts(use, scenario, plant, catalog, hours_of_year(year))


def scene_books(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    plan: Plan,
    samples: int,
    seed: int = SEED,
) -> SiteBooks:
    """Return the books of a scene that has not run; see `scene_books_steps`."""
    return all_at_once(scene_books_steps(scenario, plant, catalog, plan, samples, seed))


def scene_books_steps(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    plan: Plan,
    samples: int,
    seed: int = SEED,
) -> Generator[None, None, SiteBooks]:
    """Keep the books of a scene that has not run a little at a time: only its installed GPU-hours are known.

    Parameters
    ----------
    scenario, plant, catalog
        The site.
    plan
        Years and dates, and the load of the racks.
    samples, seed
        Random draws of the prices.

    Raises
    ------
    PriceError
        When what is inside something costs more than the whole.
    """
    use = yield from _use_steps(scenario, plant, catalog, plan.load)
    yield
    work = WorkDone(GpuHours(float(plant.gpus.present.sum()) * use.period_s / HOUR_S))
    return (yield from books_steps(scenario, plant, catalog, use, plan, samples, seed, work))


def run_books(
    reader: Reader, plant: Plant, catalog: Catalog, plan: Plan, samples: int, seed: int = SEED
) -> SiteBooks:
    """Return the books of a finished run, of the hall as it began; see `run_books_steps`."""
    return all_at_once(run_books_steps(reader, plant, catalog, plan, samples, seed))


def run_books_steps(
    reader: Reader, plant: Plant, catalog: Catalog, plan: Plan, samples: int, seed: int = SEED
) -> Generator[None, None, SiteBooks]:
    """Keep the books of a finished run, of the hall as it began, a little at a time.

    Parameters
    ----------
    reader
        Of its file; something was simulated.
    plant, catalog
        The hall as it began.
    plan, samples, seed
        As for `scene_books`.
    """
    scenario, summary = reader.header.scenario, summary_of(reader)
    use = of_run(reader, summary)
    hours = hours_of_run(reader, *year_hours(scenario)) if _has_contracts(scenario) else None
    return (yield from _books_of_run(scenario, summary, plant, catalog, use, hours, plan, samples, seed))


def summary_books(
    scenario: Scenario,
    summary: Mapping[str, Any],
    plant: Plant,
    catalog: Catalog,
    plan: Plan,
    samples: int,
    seed: int,
) -> SiteBooks:
    """Return the books of a finished run that nobody recorded.

    Without its curves the demand charge is of its highest power, not of a quarter-hour, what is made on site is shared
    out by rated power, and contracts see its mean power.
    """
    if "facility" not in summary:
        raise PriceError("the run does not say what its site drew from the grid")
    use = of_summary(summary, float(summary["facility"]["grid_max_w"]), source_power_w(plant))
    hours = steady_hours(use, *year_hours(scenario)) if _has_contracts(scenario) else None
    steps = _books_of_run(scenario, summary, plant, catalog, use, hours, plan, samples, seed)
    return all_at_once(steps)


def _has_contracts(scenario: Scenario) -> bool:
    return bool(scenario.site.power_purchases or scenario.site.heat_sales)


def _books_of_run(
    scenario: Scenario,
    summary: Mapping[str, Any],
    plant: Plant,
    catalog: Catalog,
    use: EnergyUse,
    hours: SiteHours | None,
    plan: Plan,
    samples: int,
    seed: int,
) -> Generator[None, None, SiteBooks]:
    """Keep the books of a run by its summary and the use of its energy; `hours` are those of its contracts."""
    work = work_of(scenario, summary, gpus_by_part(plant))
    rented = {id: float(figures["cost_usd"]) for id, figures in summary.get("rentals", {}).items()}
    use = replace(use, rent_usd=rented)
    if hours is not None:
        use = with_contracts(use, scenario, plant, catalog, hours)
    yield
    books = yield from books_steps(scenario, plant, catalog, use, plan, samples, seed, work)
    return replace(books, notes=(*books.notes, *_notes_of(scenario, summary)))


def run_ledgers(
    reader: Reader, plant: Plant, books: SiteBooks, *statements: Statement
) -> tuple[LedgerUsd, ...]:
    """Return the ledger of a finished run in USD, at the prices of each of some statements of its books."""
    return all_at_once(run_ledger_steps(reader, plant, books, *statements))


def run_ledger_steps(
    reader: Reader, plant: Plant, books: SiteBooks, *statements: Statement
) -> Generator[None, None, tuple[LedgerUsd, ...]]:
    """Work out the same a little at a time."""
    booked = reader.ledger_range(0.0, reader.t_end_s)
    yield
    held = yield from held_steps(reader, plant, books.bill)
    summary, made = summary_of(reader), []
    for statement in statements:
        made.append(ledger_usd(books, statement, booked.by_job, summary, plant, held))
        yield
    return tuple(made)


def summary_ledger(
    summary: Mapping[str, Any], booked_gpu_s: Floats, plant: Plant, books: SiteBooks
) -> LedgerUsd:
    """Return the ledger in USD of a finished run that nobody recorded, in the samples of its books.

    Parameters
    ----------
    booked_gpu_s
        GPU-seconds by account of each job, and in the last row of GPUs at rest, shape (jobs + 1, accounts).
    """
    held = held_evenly(len(summary["jobs"]), books.bill)
    return ledger_usd(books, books.drawn, booked_gpu_s, summary, plant, held)


def summary_of(reader: Reader) -> Mapping[str, Any]:
    """Return the summary of a run that is over."""
    assert reader.summary is not None, "the run is not over"
    return reader.summary


def gpu_hour_usd(books: SiteBooks, statement: Statement) -> Floats:
    """Return the full cost of one GPU-hour installed, shape (samples,) [USD]; nan without GPUs."""
    hours = books.work.hours.installed if books.work is not None else 0.0
    return np.asarray(books.period_usd(statement) / (hours or np.nan), np.float64)


def _notes_of(scenario: Scenario, summary: Mapping[str, Any]) -> list[str]:
    """Return what the books of a run leave out."""
    notes = []
    if scenario.edits:
        notes.append(tr("The hall was edited while it ran; its capital is that of the hall as it began."))
    for name, cloud in summary.get("cloud", {}).items():
        if cloud["gpu_h"]:
            notes.append(
                tr(
                    "{hours:,.0f} GPU-hours in {name} for {usd:,.0f} USD are not in these books; "
                    "steps done there count among the tokens.",
                    hours=cloud["gpu_h"],
                    name=name,
                    usd=cloud["cost_usd"] + cloud["egress_usd"],
                )
            )
    return notes
