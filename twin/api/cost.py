"""What a site costs, and what a run on it did with that money."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from twin.analysis.site_books import run_books, run_ledgers, scene_books
from twin.api.arguments import Settings, count_of, path_of, seed_of
from twin.api.errors import BadInput, as_arguments
from twin.api.named import is_run, load_scene
from twin.api.run import Run, open_run
from twin.api.scene import Scene
from twin.economics.books import SiteBooks, Statement
from twin.economics.cash_flow import Plan
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.price_draws import SAMPLES, SEED
from twin.plant.build import build
from twin.scenario.schema.scene_catalog import catalog_of

if TYPE_CHECKING:
    from twin.scenario import Scenario

MOST_YEARS, MOST_SAMPLES, MOST_MONTHS = 40, 100_000, 240.0
MOST_LOAD = 1.5


def cost(
    of: str | os.PathLike[str] | Scene | Run,
    plan: Plan | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
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
        Of these draws.
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
    ((400,), True)
    >>> float(books.likely.yearly_usd[0] / 8760 / books.bill.gpu_count).__round__(1)  # USD of a GPU-hour installed
    1.7
    """
    asked = checked(plan or Plan())
    drawn = count_of(samples, "samples", 2, MOST_SAMPLES)
    with as_arguments():
        if isinstance(of, Run):
            return of_recorded(of, asked, drawn, seed_of(seed) or 0)
        if not isinstance(of, Scene) and is_run(path := path_of(of, "of")):
            with open_run(path) as run:
                return of_recorded(run, asked, drawn, seed_of(seed) or 0)
        scene = of if isinstance(of, Scene) else Scene(load_scene(path_of(of, "of")))
        return of_scene((scene.changed(set) if set else scene).scenario, asked, drawn, seed_of(seed) or 0)


def of_scene(scenario: Scenario, plan: Plan, samples: int, seed: int = SEED) -> SiteBooks:
    """Return the books of a scene that has not run: only its installed GPU-hours are known."""
    catalog = catalog_of(scenario)
    return scene_books(scenario, build(scenario, catalog), catalog, plan, samples, seed)


def of_recorded(run: Run, plan: Plan, samples: int, seed: int = SEED) -> SiteBooks:
    """Return the books of a run that is over, of the hall as it began; raises `BadInput` where it never began."""
    catalog = catalog_of(run.scenario)
    if run.summary["simulated_s"] <= 0.0:
        raise BadInput(f"{run.path}: nothing was simulated in this run, so it has no cost")
    return run_books(run.reader, build(run.scenario, catalog), catalog, plan, samples, seed)


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
    return run_ledgers(run.reader, plant, books, statement or books.drawn)[0]


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
