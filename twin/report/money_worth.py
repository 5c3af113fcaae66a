"""Whether a site is worth its cost: for own use beside renting, and to sell its hours; with the figures behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.analysis.money_words import spread_of
from twin.arrays import Floats
from twin.economics.books import SiteBooks
from twin.economics.finance import HOURS_PER_YEAR
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.unit_costs import unit_costs
from twin.report.markup import Child, Markup, number, table
from twin.report.words import amount, percent, rounded, usd_amount, usd_scale, with_minus
from twin.shown_text import capitalised


@dataclass(frozen=True)
class Sale:
    """A site whose hours are sold: shares and amounts in the draws of the prices, shape (samples,).

    `sold`: of the available hours; `available`: of all; `market_usd_h`, `cost_usd_h`: of one GPU-hour sold.
    """

    sold: Floats
    available: float
    market_usd_h: Floats
    cost_usd_h: Floats
    npv_usd: Floats

    @property
    def pays(self) -> bool:
        """Return whether it gains in the middle of the draws."""
        return float(np.median(self.npv_usd)) > 0.0


def sale_of(books: SiteBooks) -> Sale | None:
    """Return what selling the hours of a site comes to; None: it has no GPUs of its own to sell."""
    gpus = books.bill.gpu_count
    if not gpus:
        return None
    hours = None if books.work is None else books.work.hours
    available = hours.available / hours.installed if hours and hours.available and hours.installed else 1.0
    sold = np.asarray(books.drawn.capital.prices["sold"], np.float64)
    return Sale(
        sold,
        available,
        np.asarray(books.drawn.rent_usd_h / gpus, np.float64),
        np.asarray(books.drawn.yearly_usd / (gpus * HOURS_PER_YEAR * available * sold), np.float64),
        books.drawn.cash.npv_usd,
    )


def worth_words(books: SiteBooks, ledger: LedgerUsd | None) -> list[str]:
    """Return whether it is worth its cost for own use and to sell, each with yes or no and the figures that decide."""
    sale = sale_of(books)
    if sale is None:
        return []
    market = float(np.median(sale.market_usd_h))
    said = []
    held = unit_costs(books)["gpu_h_allocated"].amount
    if ledger is not None and held:
        own, rent = float(np.median(ledger.total_usd)), held * market
        said.append(
            f"Renting the {amount(held, 'gpu_hours', 3)} that jobs held would cost {usd_amount(rent)} ({market:.2f} "
            f"USD each; here {own / held:.2f}){busy_words(books, own, market)}."
        )
    scale, unit = usd_scale(float(np.max(np.abs(spread_of(sale.npv_usd)))))
    low, middle, high = (with_minus(f"{value / scale:,.3g}") for value in spread_of(sale.npv_usd))
    said.append(
        f"With {percent(float(np.median(sale.sold)), 0)} of its available hours sold for {books.plan.years} years, an "
        f"hour costs {float(np.median(sale.cost_usd_h)):.2f} USD and brings {market:.2f}; net present value "
        f"{middle} {unit} ({low} to {high})."
    )
    return said


def own_odds(sale: Sale, ledger: LedgerUsd, held_h: float) -> float:
    """Return in which part of the draws the hours that jobs held cost less than rented ones [-]."""
    return float((np.asarray(ledger.total_usd) < held_h * sale.market_usd_h).mean())


def busy_words(books: SiteBooks, own_usd: float, market_usd_h: float) -> str:
    """Return from which share of the installed hours on owning pays, and how many jobs held; "": unknown."""
    hours = None if books.work is None else books.work.hours
    if hours is None or not hours.installed or not hours.allocated:
        return ""
    least, held = own_usd / (hours.installed * market_usd_h), hours.allocated / hours.installed
    if least >= 1.0:
        return ""
    return f"; owning pays from {percent(least, 0)} of use by jobs on ({percent(held, 0)} here)"


def worth_lead(books: SiteBooks, ledger: LedgerUsd | None) -> str:
    """Return whether it is worth its cost in a sentence with its odds; "": unknown."""
    sale, held = sale_of(books), unit_costs(books)["gpu_h_allocated"].amount
    if sale is None:
        return ""
    gains = percent(float((sale.npv_usd > 0.0).mean()), 0)
    sells = f"to sell its hours it {'pays' if sale.pays else 'does not pay'} (odds of a gain {gains})."
    if ledger is None or not held:
        return capitalised(sells)
    odds = own_odds(sale, ledger, held)
    own = "cheaper" if odds >= 0.5 else "dearer"
    return f"For own use it is {own} than renting (odds {percent(max(odds, 1.0 - odds), 0)}); {sells}"


def sale_table(books: SiteBooks) -> Markup | None:
    """Return what selling the hours comes to, with what goes into it; None: there is nothing to sell."""
    sale = sale_of(books)
    if sale is None:
        return None

    def row(title: str, values: Floats, scale: float, digits: int = 4) -> tuple[Child, ...]:
        cells = [number(value, with_minus(rounded(value / scale, digits))) for value in spread_of(values)]
        return (title, *cells)

    scale, unit = usd_scale(float(np.max(np.abs(spread_of(sale.npv_usd)))))
    rows: list[tuple[Child, ...]] = [
        row("Hours sold, % of those available", sale.sold, 0.01, 3),
        row("Market price of a GPU-hour, USD", sale.market_usd_h, 1.0, 3),
        row("Cost of a year over the hours sold, USD per GPU-hour", sale.cost_usd_h, 1.0, 3),
        row(f"Net present value, {unit}", sale.npv_usd, scale, 3),
    ]
    cash = books.likely.cash
    back = cash.payback()
    likely: list[tuple[Child, ...]] = [
        ("GPU-hours available, % of all", "", rounded(100.0 * sale.available, 4), ""),
        (
            f"At likely prices, residual value counted: {cash.returns().words}; interest to beat",
            "",
            percent(float(np.median(cash.rate))),
            "",
        ),
        ("Paid back by earnings", "", "no" if back is None else f"after {back:.1f} years", ""),
    ]
    caption = f"Sold at market price for {books.plan.years} years"
    return table(("figure", "P5", "P50", "P95"), [*rows, *likely], right=3, caption=caption)
