"""The books of a site as text for people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.arrays import Floats
from twin.cli.tables import console, print_table
from twin.economics.bill import GROUP_TITLES, GROUPS
from twin.economics.books import SiteBooks, often_quoted
from twin.economics.operation import ITEM_TITLES
from twin.economics.unit_costs import unit_costs

_UNITS = {
    "gpu_h_installed": "GPU-hour installed",
    "gpu_h_available": "GPU-hour available",
    "gpu_h_allocated": "GPU-hour allocated",
    "gpu_h_productive": "GPU-hour productive",
    "million_tokens": "million tokens",
    "pflop_day": "PFLOP-day",
}
_SHARES = {
    "network_and_substation": "network and high-voltage substation",
    "network_and_electrical": "network and the electrical chain",
    "network_and_all_plant": "network and all mechanical and electrical plant",
}
TORNADO = 12
"""Prices that are told by what they move."""
_HEADS = ("P5", "P50", "P95")


def print_cost(name: str, books: SiteBooks) -> None:
    """Print what a site costs."""
    show, capital, operation = console().print, books.drawn.capital, books.drawn.operation
    gpus = ", ".join(f"{count:,} {part}" for part, count in books.bill.gpus.items()) or "no GPUs"
    show(f"{name}: {gpus}, {books.bill.it_w / 1e6:.3g} MW of racks; energy: {books.use.basis}\n")
    total = capital.total_usd
    rows = [
        (
            GROUP_TITLES[group],
            *_musd(capital.by_group[group]),
            f"{100 * float(np.median(capital.share(group))):.1f} %",
        )
        for group in GROUPS
        if capital.by_group[group].any()
    ]
    print_table(("capital, MUSD", *_HEADS, "share"), [*rows, ("all", *_musd(total), "100.0 %")], right=4)
    show(f"\n{100 * float(np.median(capital.estimated_share)):.0f} % of it rests on estimates.")
    for share, values in books.drawn.shares().items():
        low, middle, high = 100 * np.quantile(values, [0.05, 0.5, 0.95])
        within = "within" if often_quoted(values) else "not within"
        show(
            f"{_SHARES[share]}: {middle:.0f} % ({low:.0f} to {high:.0f}); {within} the 30 to 40 % often quoted"
        )
    show("")
    yearly = [(ITEM_TITLES[item], *_musd(usd)) for item, usd in operation.by_item.items() if usd.any()]
    yearly.insert(0, ("Capital, as annuities", *_musd(capital.yearly_usd)))
    print_table(("a year, MUSD", *_HEADS), [*yearly, ("all", *_musd(books.drawn.yearly_usd))], right=3)
    show("")
    units = unit_costs(books)
    known = [
        (_UNITS[unit], *_figures(cost.drawn_usd))
        for unit, cost in units.items()
        if cost.drawn_usd is not None
    ]
    print_table(("one costs, USD", *_HEADS), known, right=3)
    if books.work is None or books.work.hours.allocated is None:
        show(
            "What a GPU-hour available, allocated or productive costs needs a run: give --run, or a run file."
        )
    show("")
    for sentence in _cash(books):
        show(sentence)
    show("")
    swings = [
        (swing.price.title, f"{swing.low_usd / 1e6:,.2f}", f"{swing.high_usd / 1e6:,.2f}")
        for swing in books.tornado()[:TORNADO]
    ]
    print_table(("what moves the yearly cost, MUSD", "at its low", "at its high"), swings, right=2)


def _cash(books: SiteBooks) -> Iterator[str]:
    cash, plan = books.likely.cash, books.plan
    low, middle, high = (
        f"{value:,.1f}" for value in np.quantile(books.drawn.cash.npv_usd, [0.05, 0.5, 0.95]) / 1e6
    )
    yield f"Sold at market price for {plan.years} years: net present value {middle} MUSD ({low} to {high})."
    back, later = cash.payback(), cash.payback(discounted=True)
    paid = "not paid back" if back is None else f"paid back after {back:.1f} years"
    again = "never, discounted" if later is None else f"{later:.1f} discounted"
    yield f"At likely prices: {cash.returns().words}; {paid} ({again})."
    yield f"First revenue after {plan.first_month:g} months, all of it after {plan.months_to_full_revenue:g}."


def _musd(usd: Floats) -> tuple[str, ...]:
    return tuple(f"{value:,.2f}" for value in (np.quantile(usd, [0.05, 0.5, 0.95]) / 1e6).tolist())


def _figures(usd: Floats | None) -> tuple[str, ...]:
    assert usd is not None
    return tuple(
        f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
        for value in np.quantile(usd, [0.05, 0.5, 0.95]).tolist()
    )
