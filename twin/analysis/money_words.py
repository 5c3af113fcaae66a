"""Capital, a year and a GPU-hour of a scene as people read them, with their range: for comparisons and reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.analysis.site_books import gpu_hour_usd, scene_books
from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.books import SHARES, SiteBooks, often_quoted
from twin.economics.cash_flow import Plan
from twin.economics.energy_use import OF_RUN
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES, SEED
from twin.language import tr
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

QUANTILES = (0.05, 0.5, 0.95)
MONEY_TITLES = {
    "capital_usd": tr("Capital"),
    "yearly_usd": tr("Capital and operation of a year"),
    "gpu_hour_usd": tr("GPU-hour installed"),
}

UNIT_TITLES = {
    "gpu_h_installed": tr("GPU-hour installed"),
    "gpu_h_available": tr("GPU-hour available"),
    "gpu_h_allocated": tr("GPU-hour allocated"),
    "gpu_h_productive": tr("GPU-hour productive"),
    "million_tokens": tr("Million tokens"),
    "pflop_day": tr("PFLOP-day"),
}
WAY_TITLES = {
    "on_demand": tr("on demand"),
    "reserved": tr("reserved"),
    "spot": tr("spot"),
    "marketplace": tr("marketplace"),
}
"""Of `economics.rent.WAYS`."""
_SHARE_TITLES = dict(
    zip(
        SHARES,
        (
            tr("Network and high-voltage substation"),
            tr("Network and the whole electrical chain"),
            tr("The same with cooling, and the installation of both (under labour, beside that of IT)"),
        ),
        strict=True,
    )
)


@dataclass(frozen=True)
class MoneyFigure:
    """A figure of a scene: its P50 [USD], and words with P5 and P95."""

    key: str
    title: str
    usd: float
    words: str


def money_figures(scenario: Scenario, plant: Plant, catalog: Catalog) -> tuple[MoneyFigure, ...]:
    """Return what a scene costs; nothing where its prices contradict each other."""
    try:
        books = scene_books(scenario, plant, catalog, Plan(), SAMPLES, SEED)
    except PriceError:
        return ()
    return figures_of(books)


def figures_of(books: SiteBooks) -> tuple[MoneyFigure, ...]:
    """Return the figures of some books, without those that are unknown."""
    drawn = books.drawn
    found = (
        ("capital_usd", drawn.capital.total_usd),
        ("yearly_usd", drawn.yearly_usd),
        ("gpu_hour_usd", gpu_hour_usd(books, drawn)),
    )
    return tuple(
        MoneyFigure(key, MONEY_TITLES[key], float(np.median(usd)), range_words(usd))
        for key, usd in found
        if np.isfinite(usd).all()
    )


def share_sentences(books: SiteBooks) -> list[str]:
    """Return three shares of capital that "network and substation" may mean, and which reaches what is often said."""
    found = []
    for name, values in books.drawn.shares().items():
        if not np.isfinite(values).all():
            continue
        low, middle, high = (100.0 * value for value in spread_of(values))
        share = tr(
            "{what}: {middle:.0f} % of capital ({low:.0f} to {high:.0f})",
            what=_SHARE_TITLES[name],
            middle=middle,
            low=low,
            high=high,
        )
        found.append(
            tr("{share}, within the 30 to 40 % often quoted.", share=share)
            if often_quoted(values)
            else tr("{share}, not the 30 to 40 % often quoted.", share=share)
        )
    return found


def carbon_words(books: SiteBooks) -> str:
    """Return the carbon of a year at the load of the books, of energy and of making, in a sentence."""
    found = books.carbon(books.drawn)
    total, used = (float(np.median(kg)) / 1e3 for kg in (found.total_kg, found.operational_kg))
    return tr(
        "Carbon of a year ({basis}): {total:,.0f} t CO2e, {used:,.0f} t of energy and {made:,.0f} t of making it.",
        basis=books.use.basis if books.use.basis != OF_RUN else tr("at the load of the run"),
        total=total,
        used=used,
        made=total - used,
    )


def cash_sentences(books: SiteBooks) -> tuple[str, str]:
    """Return whether the site pays where all its hours are sold: net present value, and rate of return with payback."""
    cash, plan = books.likely.cash, books.plan
    npv_usd, interest = books.drawn.cash.npv_usd, float(np.median(books.likely.cash.rate))
    low, middle, high = (f"{value / 1e6:,.1f}" for value in spread_of(npv_usd))
    back, later = cash.payback(), cash.payback(discounted=True)
    return (
        tr(
            "Sold at market price for {years} years, {sold:.0f} % of the hours: net present value {middle} MUSD "
            "({low} to {high}), a gain in {chance:.0f} % of {draws:,} draws of the prices.",
            sold=100.0 * float(np.median(books.drawn.capital.prices["sold"])),
            chance=100.0 * float((npv_usd > 0.0).mean()),
            draws=npv_usd.size,
            years=plan.years,
            middle=middle,
            low=low,
            high=high,
        ),
        tr(
            "At likely prices: {returns} beside a hurdle of {hurdle:.1f} % (interest), what is left at the end "
            "counted; by earnings alone {paid} ({again}).",
            returns=cash.returns().words,
            hurdle=100.0 * interest,
            paid=tr("not paid back") if back is None else tr("paid back after {years:.1f} years", years=back),
            again=tr("never, discounted") if later is None else tr("{years:.1f} discounted", years=later),
        ),
    )


def spread_of(values: Floats) -> tuple[float, float, float]:
    """Return P5, P50 and P95 of samples."""
    low, middle, high = np.quantile(values, QUANTILES).tolist()
    return low, middle, high


def use_words(utilisation: float) -> str:
    """Return the utilisation from which owning is cheaper.

    >>> use_words(0.7), use_words(1.01)
    ('70 %', 'never')
    """
    return f"{100 * utilisation:.0f} %" if utilisation <= 1.0 else tr("never")


def range_words(usd: Floats) -> str:
    """Return an amount with its range.

    >>> range_words(np.array([2.0, 2.0]))
    '2.00 USD (2.00 to 2.00)'
    """
    low, middle, high = spread_of(usd)
    scale, unit = usd_unit(abs(middle))
    shown = [f"{value / scale:,.2f}" for value in (low, middle, high)]
    return tr("{middle} {unit} ({low} to {high})", middle=shown[1], unit=unit, low=shown[0], high=shown[2])


def usd_unit(size_usd: float) -> tuple[float, str]:
    """Return the unit for an amount of money of this size: what one is [USD], and its name."""
    return next((scale, name) for least, scale, name in _UNITS if size_usd >= least)


_UNITS = ((2e6, 1e6, tr("million USD")), (2e4, 1e3, tr("thousand USD")), (0.0, 1.0, "USD"))
