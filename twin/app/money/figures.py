"""Books of the hall on screen, worked out in steps between which the window lives, and their rows. No widgets."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.money_words import UNIT_TITLES, spread_of
from twin.analysis.site_books import gpu_hour_usd, run_books_steps, run_ledger_steps, scene_books_steps
from twin.app.toolkit.text import significant
from twin.catalog import Catalog
from twin.economics.bill import GROUP_TITLES, GROUPS, Group
from twin.economics.books import PriceSwing, SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.operation import ITEM_TITLES
from twin.economics.own_or_rent import OwnOrRent, own_or_rent
from twin.economics.price_book import PriceBook, PriceRange
from twin.economics.price_draws import SAMPLES
from twin.economics.unit_costs import unit_costs
from twin.language import tr
from twin.planning.profile.standing import Standing
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.accounts import ACCOUNTS
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S
from twin.scenario.schema.document import Scenario

TORNADO = 14
"""Prices that are shown by what they move."""
_SCALES = ((2e7, 1e6, tr("million USD")), (2e4, 1e3, tr("thousand USD")), (0.0, 1.0, "USD"))
"""From which total on, what one unit is, and its name."""
_ESTIMATES = (
    (0.5, "\N{WHITE CIRCLE}", 2),
    (0.1, "\N{CIRCLE WITH LEFT HALF BLACK}", 1),
    (0.0, "\N{BLACK CIRCLE}", 0),
)
"""From which share of capital on estimates count as so doubtful, and their mark."""


@dataclass(frozen=True)
class MoneyRow:
    """A figure with its range.

    Parameters
    ----------
    key
        Group, item, unit, price or account.
    title
        For people.
    low, middle, high
        P5, P50 and P95; of a price the yearly cost with it at its low, likely, and at its high [USD].
    tip
        More of it, in sentences.
    is_total
        Whether it sums up the rows before it.
    """

    key: str
    title: str
    low: float
    middle: float
    high: float
    tip: str = ""
    is_total: bool = False


@dataclass(frozen=True)
class MoneyFigures:
    """What the dock shows.

    Parameters
    ----------
    books
        Of the scene, or of the finished run.
    rent
        Owning beside renting, in the samples.
    swings
        What each price moves the yearly cost by, the widest first.
    ledgers
        Of a finished run, at likely prices and in the samples; None: the scene has not run to its end.
    scene_prices
        Prices with their contents, by id, as a scene states them.
    """

    books: SiteBooks
    rent: OwnOrRent
    swings: tuple[PriceSwing, ...]
    ledgers: tuple[LedgerUsd, LedgerUsd] | None
    scene_prices: Mapping[str, PriceRange] = field(default_factory=dict)

    @property
    def gpu_h_usd(self) -> tuple[float, float, float] | None:
        """Return the full cost of a GPU-hour installed: P5, P50, P95 [USD]; None without GPUs."""
        usd = gpu_hour_usd(self.books, self.books.drawn)
        return spread_of(usd) if np.isfinite(usd).all() else None


def money_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, run: Path | None
) -> Generator[None, None, MoneyFigures]:
    """Work out the money of a hall a little at a time.

    Parameters
    ----------
    scenario, plant, catalog
        The hall on screen.
    run
        File of its finished run; None: there is none.

    Raises
    ------
    PriceError, RunFileError
        When prices contradict each other; when the file cannot be read.
    """
    ledgers: tuple[LedgerUsd, LedgerUsd] | None = None
    if run is None:
        books = yield from scene_books_steps(scenario, plant, catalog, Plan(), SAMPLES)
        yield
    else:
        with Reader(run) as reader:
            hall = build(reader.header.scenario, catalog) if reader.header.scenario.edits else plant
            yield
            books = yield from run_books_steps(reader, hall, catalog, Plan(), SAMPLES)
            yield
            likely, drawn = yield from run_ledger_steps(reader, hall, books, books.likely, books.drawn)
            ledgers = likely, drawn
    swings = books.tornado()
    yield
    rent = own_or_rent(books, books.drawn)
    yield
    book = PriceBook(catalog, scenario.prices)
    return MoneyFigures(
        books,
        rent,
        swings,
        ledgers,
        {price.id: book.whole(price.id) for price in books.prices if price.id in catalog},
    )


def unit_of(usd: float) -> tuple[float, str]:
    """Return in what an amount is told: USD of one unit, and its name.

    >>> unit_of(1.1e9)[0], unit_of(2.3e6)[0], unit_of(900.0)
    (1000000.0, 1000.0, (1.0, 'USD'))
    """
    return next((scale, name) for least, scale, name in _SCALES if abs(usd) >= least)


def figure(usd: float, scale: float) -> str:
    """Return an amount in a unit, all of a list with the same decimals: in USD whole cents below 1,000."""
    value = usd / scale
    return f"{value:,.2f}" if scale > 1.0 else significant(value)


def capital_rows(books: SiteBooks) -> list[MoneyRow]:
    """Return capital by group, and all of it."""
    capital = books.drawn.capital
    rows = [
        MoneyRow(group, GROUP_TITLES[group], *spread_of(capital.by_group[group]), _parts_of(books, group))
        for group in GROUPS
        if capital.by_group[group].any()
    ]
    return [*rows, MoneyRow("", tr("Capital"), *spread_of(capital.total_usd), is_total=True)]


def yearly_rows(books: SiteBooks) -> list[MoneyRow]:
    """Return what a year costs, item by item, and all of it."""
    drawn = books.drawn
    rows = [MoneyRow("capital", tr("Capital, as annuities"), *spread_of(drawn.capital.yearly_usd))]
    rows += [
        MoneyRow(item, ITEM_TITLES[item], *spread_of(usd))
        for item, usd in drawn.operation.by_item.items()
        if usd.any()
    ]
    return [*rows, MoneyRow("", tr("A year"), *spread_of(drawn.yearly_usd), is_total=True)]


def unit_rows(books: SiteBooks) -> list[MoneyRow]:
    """Return what one of each unit costs, where it is known."""
    return [
        MoneyRow(name, UNIT_TITLES[name], *spread_of(cost.drawn_usd))
        for name, cost in unit_costs(books).items()
        if cost.drawn_usd is not None
    ]


def swing_rows(found: MoneyFigures) -> list[MoneyRow]:
    """Return what moves the yearly cost most."""
    likely = float(found.books.likely.yearly_usd[0])
    return [
        MoneyRow(swing.price.id, swing.price.title, swing.low_usd, likely, swing.high_usd)
        for swing in found.swings[:TORNADO]
    ]


def estimates(books: SiteBooks) -> Standing | None:
    """Return how much of the capital rests on prices that nobody has published; None without capital."""
    share = float(np.median(books.drawn.capital.estimated_share))
    if not np.isfinite(share):
        return None
    mark, doubt = next((mark, doubt) for least, mark, doubt in _ESTIMATES if share >= least)
    return Standing(
        f"{100 * share:.0f} % estimates",
        mark,
        doubt,
        tr("{share:.0f} % estimates", share=100 * share),
        tr(
            "{share:.0f} % of the capital rests on estimates, not on published prices. "
            "Prices of your own count as known.",
            share=100 * share,
        ),
    )


@dataclass(frozen=True)
class LedgerRow:
    """An account of a run: its hours, its full cost, its energy alone, and its market price [USD]."""

    account: str
    title: str
    gpu_h: float | None
    low: float
    middle: float
    high: float
    energy_usd: float | None = None
    rented_usd: float | None = None


def ledger_rows(ledgers: tuple[LedgerUsd, LedgerUsd]) -> list[LedgerRow]:
    """Return the accounts of a run, the dearest first, then the site's own line and the sum."""
    likely, drawn = ledgers
    full = drawn.account_usd()
    cash = likely.cash_marginal_usd(likely.energy_share.sum(axis=0))
    market = likely.market_usd(likely.gpu_s.sum(axis=0))
    hours = likely.gpu_s.sum(axis=(0, 2)) / HOUR_S
    order = [place for place in np.argsort(-np.median(full, axis=1)).tolist() if full[place].any()]
    rows = [
        LedgerRow(
            ACCOUNTS[place],
            account_title(ACCOUNTS[place]),
            float(hours[place]),
            *spread_of(full[place]),
            float(cash[place, 0]),
            float(market[place, 0]),
        )
        for place in order
    ]
    base = LedgerRow("site", tr("site base: no GPU draws it"), None, *spread_of(drawn.base_usd))
    total = LedgerRow("", tr("all"), float(hours.sum()), *spread_of(drawn.total_usd))
    return [*rows, base, total]


def price_rows(found: MoneyFigures) -> list[PriceRange]:
    """Return the prices of the books with their contents, those that move the total most first."""
    width = {swing.price.id: swing.width_usd for swing in found.swings}
    return sorted(found.scene_prices.values(), key=lambda price: (-width.get(price.id, 0.0), price.title))


def _parts_of(books: SiteBooks, group: Group) -> str:
    table = books.drawn.capital.prices.table
    lines = sorted(
        (line for line in books.likely.capital.lines if line.group == group), key=lambda line: -line.usd[0]
    )
    return "\n".join(
        tr("{title}: {usd:,.0f} USD", title=table[line.entry].title, usd=float(line.usd[0]))
        for line in lines[:6]
    )
