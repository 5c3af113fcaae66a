"""What a run cost by the ledger of its books, in samples of the prices: the same draws for all runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twin.analysis.site_books import run_books, run_ledgers, summary_books, summary_ledger
from twin.arrays import Floats
from twin.catalog import UnknownPart
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES, SEED
from twin.plant.build import build
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S
from twin.runtime.protocol import RunEngine
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of


@dataclass(frozen=True)
class RunCost:
    """What a run cost and what came of it; arrays are over the draws of the prices.

    Parameters
    ----------
    total_usd, lost_usd
        Capital and operation of its time; and what of it went to GPU time that was not productive, shape (samples,)
        each [USD].
    productive_gpu_h
        Productive GPU-hours.
    pflop_days
        Model FLOP of kept steps [PFLOP-day]; None: unknown.
    parts
        Kinds of its GPUs.
    """

    total_usd: Floats
    lost_usd: Floats
    productive_gpu_h: float
    pflop_days: float | None
    parts: tuple[str, ...]


def recorded_cost(reader: Reader) -> RunCost | None:
    """Return what a recorded run cost; None: it is not over, was of no time, or has no prices."""
    summary, scenario = reader.summary, reader.header.scenario
    if summary is None or summary["simulated_s"] <= 0.0:
        return None
    catalog = catalog_of(scenario)
    plant = build(scenario, catalog)
    try:
        books = run_books(reader, plant, catalog, Plan(), SAMPLES, SEED)
        (ledger,) = run_ledgers(reader, plant, books, books.drawn)
    except (PriceError, UnknownPart):
        return None
    return _cost(books, ledger, summary)


def simulated_cost(scenario: Scenario, engine: RunEngine, summary: Mapping[str, Any]) -> RunCost | None:
    """Return what a run cost that nobody records, up to now; None as of `recorded_cost`.

    Parameters
    ----------
    scenario
        The hall as it began.
    engine, summary
        The run, and its summary now.
    """
    if summary["simulated_s"] <= 0.0:
        return None
    catalog = catalog_of(scenario)
    plant = build(scenario, catalog)
    try:
        books = summary_books(scenario, summary, plant, catalog, Plan(), SAMPLES, SEED)
    except PriceError:
        return None
    return _cost(books, summary_ledger(summary, engine.job_gpu_s(), plant, books), summary)


def _cost(books: SiteBooks, ledger: LedgerUsd, summary: Mapping[str, Any]) -> RunCost:
    work = books.work
    assert work is not None
    return RunCost(
        ledger.total_usd,
        ledger.unproductive_usd,
        float(summary["ledger_gpu_s"].get("productive", 0.0)) / HOUR_S,
        work.pflop_days,
        tuple(sorted(books.bill.gpus)),
    )
