"""Section of a report on money: capital, a year, units, and the ledger of the run in USD, all with their ranges."""

from __future__ import annotations

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.money_words import UNIT_TITLES, share_sentences, spread_of
from twin.analysis.site_books import run_books, run_ledgers
from twin.arrays import Floats
from twin.catalog import Catalog, UnknownPart
from twin.economics.bill import GROUP_TITLES, GROUPS
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.operation import ITEM_TITLES
from twin.economics.price_book import PriceError
from twin.economics.unit_costs import unit_costs
from twin.plant.tables import Plant
from twin.record.accounts import ACCOUNTS
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S
from twin.report.markup import Child, Markup, joined, number, table, tag

SAMPLES = 1000
_HEADS = ("P5", "P50", "P95")


def money(reader: Reader, plant: Plant, catalog: Catalog) -> Markup:
    """Return what the site of a finished run costs, and what the run did with that money.

    Parameters
    ----------
    reader
        Of its file.
    plant, catalog
        The hall as it began.
    """
    summary = reader.summary
    if summary is None or summary["simulated_s"] <= 0.0:
        return tag("p", "The run has not finished: these figures are available at its end.")
    try:
        books = run_books(reader, plant, catalog, Plan(), SAMPLES)
        (ledger,) = run_ledgers(reader, plant, books, books.drawn)
    except PriceError as wrong:
        return tag("p", str(wrong))
    except UnknownPart:  # of a version without prices
        return tag("p", "The catalogue of this run has no prices.")
    ledger_rows = table(("account", "GPU-hours", *_HEADS), _ledger(ledger), right=4)
    return joined([books_of_site(books), tag("h3", "Where the money of the run went"), ledger_rows])


def books_of_site(books: SiteBooks) -> Markup:
    """Return capital, a year and units of the books of a site, with their ranges."""
    capital = books.drawn.capital
    estimated = 100 * float(np.median(capital.estimated_share))
    body: list[Child] = [
        tag(
            "p",
            f"All in USD, as P5, P50 and P95 of {SAMPLES:,} draws of the prices. {estimated:.0f} % of the capital "
            "rests on estimates: take differences of designs from these figures rather than bids.",
        ),
        *(tag("p", note, class_="note") for note in books.notes),
        tag("h3", "Capital"),
        table(("group", *_HEADS, "share"), _capital(books), right=4),
        tag("p", " ".join(share_sentences(books))),
        tag("h3", "A year"),
        table(("item", *_HEADS), _year(books), right=3),
        tag("h3", "One unit"),
        table(("unit", *_HEADS), _per_unit(books), right=3),
    ]
    return joined(body)


def _capital(books: SiteBooks) -> list[tuple[Child, ...]]:
    capital = books.drawn.capital
    rows: list[tuple[Child, ...]] = [
        (
            GROUP_TITLES[group],
            *_range(capital.by_group[group]),
            f"{100 * float(np.median(capital.share(group))):.1f} %",
        )
        for group in GROUPS
        if capital.by_group[group].any()
    ]
    return [*rows, (tag("b", "all"), *_range(capital.total_usd), "100.0 %")]


def _year(books: SiteBooks) -> list[tuple[Child, ...]]:
    drawn = books.drawn
    rows: list[tuple[Child, ...]] = [("Capital, as annuities", *_range(drawn.capital.yearly_usd))]
    rows += [(ITEM_TITLES[item], *_range(usd)) for item, usd in drawn.operation.by_item.items() if usd.any()]
    return [*rows, (tag("b", "all"), *_range(drawn.yearly_usd))]


def _per_unit(books: SiteBooks) -> list[tuple[Child, ...]]:
    return [
        (UNIT_TITLES[name], *_range(cost.drawn_usd))
        for name, cost in unit_costs(books).items()
        if cost.drawn_usd is not None
    ]


def _ledger(ledger: LedgerUsd) -> list[tuple[Child, ...]]:
    full, hours = ledger.account_usd(), ledger.gpu_s.sum(axis=(0, 2)) / HOUR_S
    order = [place for place in np.argsort(-np.median(full, axis=1)).tolist() if full[place].any()]
    rows: list[tuple[Child, ...]] = [
        (
            account_title(ACCOUNTS[place]),
            number(float(hours[place]), f"{hours[place]:,.1f}"),
            *_range(full[place]),
        )
        for place in order
    ]
    rows.append(("site base: no GPU draws it", "", *_range(ledger.base_usd)))
    return [
        *rows,
        (tag("b", "all"), number(float(hours.sum()), f"{hours.sum():,.1f}"), *_range(ledger.total_usd)),
    ]


def _range(usd: Floats) -> tuple[Markup, ...]:
    return tuple(
        number(value, f"{value:,.0f}" if value >= 1000.0 else f"{value:,.2f}") for value in spread_of(usd)
    )
