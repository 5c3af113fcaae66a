"""The books of a site as text for people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.analysis.money_words import (
    UNIT_TITLES,
    WAY_TITLES,
    carbon_words,
    cash_sentences,
    share_sentences,
    spread_of,
    use_words,
)
from twin.arrays import Floats
from twin.cli.tables import console, print_table
from twin.economics.bill import GROUP_TITLES, GROUPS
from twin.economics.books import SiteBooks
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.operation import ITEM_TITLES
from twin.economics.own_or_rent import own_or_rent
from twin.economics.rent import WAYS
from twin.economics.unit_costs import unit_costs
from twin.record.account_titles import ACCOUNT_TITLES
from twin.record.accounts import ACCOUNTS
from twin.units import render
from twin.units.render import significant

LARGE_USD = 2e7
"""Capital from which on sums are told in millions [USD]."""
_SCALES = {"MUSD": 1e6, "kUSD": 1e3}
FEW_JOBS = 12
"""Jobs that are told one by one."""
TORNADO = 12
"""Prices that are told by what they move."""
_HEADS = ("P5", "P50", "P95")


def print_cost(name: str, books: SiteBooks, spent: tuple[LedgerUsd, LedgerUsd] | None = None) -> None:
    """Print what a site costs."""
    show, capital, operation = console().print, books.drawn.capital, books.drawn.operation
    gpus = ", ".join(f"{count:,} {part}" for part, count in books.bill.gpus.items()) or "no GPUs"
    rented = sum(books.bill.rented_gpus.values())
    gpus += f" ({rented:,} rented)" if rented else ""
    racks = render(books.bill.it_w + books.bill.rented_w, "power", 3)
    show(f"{name}: {gpus}, {racks} of racks; energy: {books.use.basis}\n")
    total, a_year = capital.total_usd, books.drawn.yearly_usd
    if not a_year.any():
        show("Nothing costs anything yet: add racks with nodes, power and cooling.")
        return
    unit = "MUSD" if float(np.median(np.maximum(total, a_year))) >= LARGE_USD else "kUSD"
    if total.any():
        _print_capital(books, unit)
    yearly = [
        (ITEM_TITLES[item], *_scaled(unit, usd)) for item, usd in operation.by_item.items() if usd.any()
    ]
    yearly.insert(0, ("Capital, as annuities", *_scaled(unit, capital.yearly_usd)))
    print_table((f"a year, {unit}", *_HEADS), [*yearly, ("all", *_scaled(unit, a_year))], right=3)
    show("")
    units = unit_costs(books)
    known = [
        (UNIT_TITLES[name_of], *_figures(cost.drawn_usd))
        for name_of, cost in units.items()
        if cost.drawn_usd is not None
    ]
    print_table(("one costs, USD", *_HEADS), known, right=3)
    if books.work is None or books.work.hours.allocated is None:
        show(
            "What a GPU-hour available, allocated or productive costs needs a run: give --run, or a run file."
        )
    show("")
    if spent is not None:
        _print_ledger(*spent)
    for sentence in (*_cash(books), carbon_words(books)):
        show(sentence)
    show("")
    _print_renting(books)
    swings = [
        (swing.price.title, *(f"{usd / _SCALES[unit]:,.2f}" for usd in (swing.low_usd, swing.high_usd)))
        for swing in books.tornado()[:TORNADO]
    ]
    print_table((f"what moves the yearly cost, {unit}", "at its low", "at its high"), swings, right=2)


def _print_capital(books: SiteBooks, unit: str) -> None:
    """Print capital by group, and what share of it rests on what."""
    show, capital = console().print, books.drawn.capital
    rows = [
        (
            GROUP_TITLES[group],
            *_scaled(unit, capital.by_group[group]),
            f"{100 * float(np.median(capital.share(group))):.1f} %",
        )
        for group in GROUPS
        if capital.by_group[group].any()
    ]
    whole = ("all", *_scaled(unit, capital.total_usd), "100.0 %")
    print_table((f"capital, {unit}", *_HEADS, "share"), [*rows, whole], right=4)
    show(f"\n{100 * float(np.median(capital.estimated_share)):.0f} % of it rests on estimates.")
    for sentence in share_sentences(books):
        show(sentence)
    show("")


def _print_ledger(likely: LedgerUsd, drawn: LedgerUsd) -> None:
    """Print the ledger in USD, the dearest account first, and what each tenant took."""
    full, cash = drawn.account_usd(), likely.cash_marginal_usd(likely.energy_share.sum(axis=0))
    market = likely.market_usd(likely.gpu_s.sum(axis=0))
    order = [place for place in np.argsort(-np.median(full, axis=1)).tolist() if full[place].any()]
    rows = [
        (
            ACCOUNT_TITLES[ACCOUNTS[place]].title,
            *_figures(full[place]),
            *_figures(cash[place, :1])[:1],
            f"{market[place, 0]:,.0f}",
        )
        for place in order
    ]
    rows.append(("site base: no GPU draws it", *_figures(drawn.base_usd), "", ""))
    print_table(("ledger, USD", *_HEADS, "energy alone", "rented"), rows, right=5)
    console().print("")
    tenants = [(tenant or "no tenant", *_figures(usd)) for tenant, usd in drawn.tenant_usd().items()]
    jobs = [
        (job, *_figures(usd)) for job, usd in zip(drawn.jobs, drawn.job_usd()[:-1], strict=True) if usd.any()
    ]
    if len(jobs) <= FEW_JOBS:
        tenants += [(f"job {job}", *figures) for job, *figures in jobs]
    rest = ("GPUs at rest, and site base", *_figures(drawn.job_usd()[-1] + drawn.base_usd))
    print_table(("showback, USD", *_HEADS), [*tenants, rest], right=3)
    console().print("")


def _print_renting(books: SiteBooks) -> None:
    """Print what clouds ask for the site's GPU, and from which utilisation owning is cheaper."""
    offers = own_or_rent(books, books.drawn).offers
    ways = [way for way in WAYS if any(way in offer.usd_gpu_h for offer in offers)]
    rows = []
    for offer in offers:
        full = {way: f"{float(np.median(usd[-1])):.2f}" for way, usd in offer.usd_gpu_h.items()}
        even = offer.owned_from()
        shown = ("", "", "") if even is None else map(use_words, even)
        rows.append((f"{offer.vendor} {offer.title}", *(full.get(way, "") for way in ways), *shown))
    if rows:
        titles = [WAY_TITLES[way] for way in ways]
        print_table(
            ("renting, USD a GPU-hour", *titles, "own from", "P50", "P95"), rows, right=3 + len(titles)
        )
        console().print(
            "Own from: utilisation above which owning is cheaper than the first price by the hour, P5 first.\n"
        )


def _cash(books: SiteBooks) -> Iterator[str]:
    plan = books.plan
    yield from cash_sentences(books)
    yield f"First revenue after {plan.first_month:g} months, all of it after {plan.months_to_full_revenue:g}."


def _scaled(unit: str, usd: Floats) -> tuple[str, ...]:
    return tuple(f"{value:,.2f}" for value in (np.array(spread_of(usd)) / _SCALES[unit]).tolist())


def _figures(usd: Floats | None) -> tuple[str, ...]:
    assert usd is not None
    return tuple(significant(value) for value in spread_of(usd))
