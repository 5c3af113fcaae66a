"""Section of a report on money: capital, a year, units, and the ledger of the run in USD, all with their ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.money_words import UNIT_TITLES, carbon_words, share_sentences, spread_of
from twin.analysis.site_books import run_books, run_ledgers
from twin.arrays import Floats
from twin.catalog import Catalog, UnknownPart
from twin.economics.bill import GROUP_TITLES, GROUPS
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.operation import ITEM_TITLES
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES
from twin.economics.unit_costs import unit_costs
from twin.plant.tables import Plant
from twin.record.accounts import ACCOUNTS
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S
from twin.report.loss_groups import PRODUCTIVE, losses_usd
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.money_worth import sale_table, worth_words
from twin.report.range_bars import RangeBar, range_bars
from twin.report.words import percent, rounded, usd_amount, usd_range, usd_scale, with_minus
from twin.shown_text import capitalised

_SPAN = 20.0
"""The unit of a table or picture suits an amount that is so much smaller than its largest one."""


_ROW = 15.0
"""Height of a bar of the money of a run, of which there are several [px]."""
_HEADS = ("P5", "P50", "P95")
_MOST_LEFT_OUT = 2
"""Sentences on what the books leave out that stand on the first page."""


@dataclass(frozen=True)
class RunMoney:
    """The books of the site of a run, and the ledger of the run in USD; None: it has not run."""

    books: SiteBooks
    ledger: LedgerUsd | None = None


def money_of_run(reader: Reader, plant: Plant, catalog: Catalog) -> RunMoney | str:
    """Return what the site of a finished run costs, and what the run did with that money; or why nothing is known.

    Parameters
    ----------
    reader
        Of its file.
    plant, catalog
        The hall as it began.
    """
    summary = reader.summary
    if summary is None or summary["simulated_s"] <= 0.0:
        return "The run has not finished: these figures are available at its end."
    try:
        books = run_books(reader, plant, catalog, Plan(), SAMPLES)
        (ledger,) = run_ledgers(reader, plant, books, books.drawn)
    except PriceError as wrong:
        return str(wrong)
    except UnknownPart:  # of a version without prices
        return "The catalogue of this run has no prices."
    return RunMoney(books, ledger)


def money(found: RunMoney | str) -> Markup:
    """Return the section: the books, and where the money of the run went."""
    if isinstance(found, str):
        return tag("p", found)
    parts: list[Child] = [books_of_site(found.books)]
    if found.ledger is not None:
        heads = ("account", "GPU-hours", *_HEADS)
        caption = f"Where the money of the run went, {_unit(found.ledger.total_usd)}"
        parts.append(table(heads, _ledger(found.ledger), right=4, caption=caption))
    return joined(parts)


def money_words(found: RunMoney | str) -> str:
    """Return what it costs, with its range, whether it pays at market price, and what the books leave out."""
    if isinstance(found, str):
        return found
    books, estimated = found.books, found.books.drawn.capital.estimated_share
    if found.ledger is not None:
        capital, run = (
            float(np.median(usd)) for usd in (books.drawn.capital.total_usd, found.ledger.total_usd)
        )
        said = [
            f"Building the site takes {usd_amount(capital)}; this run cost {usd_amount(run)}: its share of site and "
            "operation.",
            *unproductive_words(found.ledger),
        ]
    else:
        said = [
            f"Building the site takes {usd_range(books.drawn.capital.total_usd)}.",
            f"A year costs {usd_range(books.drawn.yearly_usd)}.",
        ]
    if found.ledger is None:
        said += _hour_words(books)
    said += worth_words(books, found.ledger)
    said.append(f"{100 * float(np.median(estimated)):.0f} % of capital is estimated; ranges are of prices.")
    left_out = books.bill.notes
    said += left_out[:_MOST_LEFT_OUT]
    if len(left_out) > _MOST_LEFT_OUT:
        said.append("The section Money tells what else they leave out.")
    return " ".join(said)


def unproductive_words(ledger: LedgerUsd) -> list[str]:
    """Return what GPU time cost that was not productive, as one sum: the chart has its parts; nothing where all was."""
    usd = ledger.unproductive_usd
    if float(np.median(usd)) <= 0.0:
        return []
    share = percent(float(np.median(usd / ledger.total_usd)), 0)
    return [f"{usd_range(usd)} of that, {share}, went to unproductive GPU time."]


def _hour_words(books: SiteBooks) -> list[str]:
    """Return what a GPU-hour of work costs, and one of the hall where no work is known."""
    hour = {key: cost.drawn_usd for key, cost in unit_costs(books).items() if cost.drawn_usd is not None}
    return [
        f"One {UNIT_TITLES[key]}: {usd_range(hour[key])}."
        for key in ("gpu_h_productive", "gpu_h_installed")
        if key in hour
    ][:1]


def money_chart(found: RunMoney | str) -> Markup | None:
    """Return where the money of a run went as bars with their ranges; of a scene capital and a year."""
    if isinstance(found, str):
        return None
    if found.ledger is None:
        asked, row = "What does it cost?", 34.0
        amounts = [
            ("Capital", found.books.drawn.capital.total_usd),
            ("A year, capital included", found.books.drawn.yearly_usd),
        ]
    else:
        asked, row = "Where did the money of this run go?", _ROW
        full = found.ledger.account_usd()
        amounts = [
            ("This run", found.ledger.total_usd),
            ("Productive GPU time", np.asarray(full[ACCOUNTS.index(PRODUCTIVE)], np.float64)),
            *((capitalised(group.title), usd) for group, usd in losses_usd(found.ledger)),
        ]
    scale, unit = usd_scale(max(float(np.median(usd)) for _, usd in amounts) / _SPAN)
    bars = []
    for title, usd in amounts:
        low, middle, high = (value / scale for value in spread_of(usd))
        text = f"{rounded(middle, 3)} ({rounded(low, 3)} to {rounded(high, 3)})"
        bars.append(RangeBar(title, low, middle, high, text))
    caption = f" In {unit}: bars to P50, whiskers from P5 to P95."
    if found.ledger is not None:
        whole, kept = (rounded(float(np.median(usd)) / scale, 3) for _, usd in amounts[:2])
        caption = f" {kept} of {whole} into productive time.{caption}"
    return tag(
        "figure", range_bars(bars, f"Cost in {unit}", row), tag("figcaption", tag("b", asked), caption)
    )


def books_of_site(books: SiteBooks) -> Markup:
    """Return capital, a year and units of the books of a site, with their ranges."""
    capital = books.drawn.capital
    estimated = 100 * float(np.median(capital.estimated_share))
    total = capital.total_usd
    body: list[Child] = [
        tag(
            "p",
            f"P5, P50 and P95 of {SAMPLES:,} draws of the prices. {estimated:.0f} % of the capital rests on estimates: "
            "take differences of designs from these figures rather than bids. Each figure is worked out over the "
            "draws by itself: those of parts add up in the mean, not as P5, P50, P95 and shares.",
        ),
        *(tag("p", note, class_="note") for note in books.notes),
        table(("group", *_HEADS, "share"), _capital(books), right=4, caption=f"Capital, {_unit(total)}"),
        tag("p", " ".join(share_sentences(books))),
        table(("item", *_HEADS), _year(books), right=3, caption=f"A year, {_unit(books.drawn.yearly_usd)}"),
        sale_table(books),
        tag("p", carbon_words(books)),
        table(("unit", *_HEADS), _per_unit(books), right=3, caption="One unit, USD"),
    ]
    return joined(body)


def _capital(books: SiteBooks) -> list[tuple[Child, ...]]:
    capital = books.drawn.capital
    like = capital.total_usd
    rows: list[tuple[Child, ...]] = [
        (
            GROUP_TITLES[group],
            *_range(capital.by_group[group], like),
            f"{100 * float(np.median(capital.share(group))):.1f} %",
        )
        for group in GROUPS
        if capital.by_group[group].any()
    ]
    return [*rows, (tag("b", "all"), *_range(like, like, "capital_usd"), "100.0 %")]


def _year(books: SiteBooks) -> list[tuple[Child, ...]]:
    drawn = books.drawn
    like = drawn.yearly_usd
    rows: list[tuple[Child, ...]] = [("Capital, as annuities", *_range(drawn.capital.yearly_usd, like))]
    items = drawn.operation.by_item.items()
    rows += [(ITEM_TITLES[item], *_range(usd, like)) for item, usd in items if usd.any()]
    return [*rows, (tag("b", "all"), *_range(like, like, "yearly_usd"))]


def _per_unit(books: SiteBooks) -> list[tuple[Child, ...]]:
    return [
        (UNIT_TITLES[name], *_range(cost.drawn_usd, None))
        for name, cost in unit_costs(books).items()
        if cost.drawn_usd is not None
    ]


def _ledger(ledger: LedgerUsd) -> list[tuple[Child, ...]]:
    full, hours, like = ledger.account_usd(), ledger.gpu_s.sum(axis=(0, 2)) / HOUR_S, ledger.total_usd
    order = [place for place in np.argsort(-np.median(full, axis=1)).tolist() if full[place].any()]
    rows: list[tuple[Child, ...]] = [
        (
            account_title(ACCOUNTS[place]),
            number(float(hours[place]), rounded(float(hours[place]))),
            *_range(full[place], like),
        )
        for place in order
    ]
    rows.append(("site base: no GPU draws it", "", *_range(ledger.base_usd, like)))
    total = float(hours.sum())
    return [*rows, (tag("b", "all"), number(total, rounded(total)), *_range(like, like, "run_usd"))]


def _unit(like: Floats) -> str:
    """Return the unit of all amounts of a table."""
    return _table_scale(like)[1]


def _range(usd: Floats, like: Floats | None, figure: str | None = None) -> tuple[Markup, ...]:
    """Return a range in the unit of the amount that it is part of."""
    scale, _ = _table_scale(like)
    texts = [(value, with_minus(rounded(value / scale))) for value in spread_of(usd)]
    names = (None, figure, None)
    return tuple(number(value, text, name) for (value, text), name in zip(texts, names, strict=True))


def _table_scale(like: Floats | None) -> tuple[float, str]:
    """Return the unit of a table of amounts that add up to one, most of which are a small part of it."""
    return (1.0, "USD") if like is None else usd_scale(float(np.median(like)) / _SPAN)
