"""The books of a site: bill, capital, operation, cash flow, at likely prices and in many samples of them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.bill import Bill
from twin.economics.capital import (
    AI_USD_KW,
    CONSTRUCTION_USD_KW,
    ELECTRICAL,
    FABRIC,
    MECHANICAL,
    Capital,
    capital_of,
    share_of,
)
from twin.economics.carbon import SiteCarbon, carbon_of
from twin.economics.cash_flow import CashFlow, Plan, cash_flow_of
from twin.economics.energy_use import EnergyUse
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.operation import Operation, operation_of
from twin.economics.price_book import PriceRange
from twin.economics.prices import Prices, drawn_prices, likely_prices, prices_at_ends
from twin.economics.rented_groups import RentedGroup, rented_groups
from twin.economics.run_work import WorkDone
from twin.economics.site_bill import bill_of, priced_bill, prices_of
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

RENTED = "H100-SXM"
"""The GPU of which the market price is known; that of others follows the prices of the parts."""
SHARES = ("network_and_substation", "network_and_electrical", "network_and_all_plant")
OFTEN_QUOTED = (0.30, 0.40)
"""Share of capital that "network and substations" are often said to take."""


@dataclass(frozen=True)
class Statement:
    """The books at one set of prices; arrays are over its samples.

    Parameters
    ----------
    capital, operation, cash
        Of the site.
    rent_usd_h
        Market price of an hour of all its GPUs, shape (samples,) [USD/h].
    """

    capital: Capital
    operation: Operation
    cash: CashFlow
    rent_usd_h: Floats

    @property
    def yearly_usd(self) -> Floats:
        """Return capital and operation of a year, shape (samples,) [USD/year]."""
        return self.capital.yearly_usd + self.operation.total_usd

    def shares(self) -> dict[str, Floats]:
        """Return three shares of capital, shape (samples,) each [-]: what "network and substation" may mean."""
        electrical = (*FABRIC, *ELECTRICAL)
        works = self.capital.of_groups(*electrical, *MECHANICAL)
        for line in self.capital.lines:
            if line.entry == "installation":
                works = works + line.usd
        return {
            SHARES[0]: self.capital.share(*FABRIC, "substation"),
            SHARES[1]: self.capital.share(*electrical),
            SHARES[2]: share_of(works, self.capital.total_usd),
        }


@dataclass(frozen=True)
class PriceSwing:
    """What one price moves: the yearly cost with it at its ends, all others at their likely values [USD/year]."""

    price: PriceRange
    low_usd: float
    high_usd: float

    @property
    def width_usd(self) -> float:
        """Return how far apart they are [USD/year]."""
        return abs(self.high_usd - self.low_usd)


@dataclass(frozen=True)
class SiteBooks:
    """The books of a site.

    Parameters
    ----------
    bill, plan, use, prices
        What they are of.
    likely
        At likely prices: one sample.
    drawn
        In random samples of the prices.
    work
        What a run did; None: there is none.
    notes
        What one must know of them, in sentences.
    seed
        Of the draws.
    catalog
        Of the parts.
    owned
        Of the same site with all its nodes owned, where some are rented; None: they are.
    rented
        Its rented nodes.
    """

    bill: Bill
    plan: Plan
    use: EnergyUse
    prices: tuple[PriceRange, ...]
    likely: Statement
    drawn: Statement
    work: WorkDone | None
    notes: tuple[str, ...]
    seed: int
    catalog: Catalog = field(repr=False)
    owned: SiteBooks | None = field(default=None, repr=False)
    rented: tuple[RentedGroup, ...] = field(default=(), repr=False)

    def period_usd(self, statement: Statement) -> Floats:
        """Return capital and operation of the period of the use, shape (samples,) [USD]."""
        return statement.yearly_usd * self.use.period_s / SECONDS_PER_YEAR

    def carbon(self, statement: Statement) -> SiteCarbon:
        """Return the carbon of a year, in the samples of a statement."""
        return carbon_of(self.bill, self.use, statement.capital.prices, self.catalog)

    def tornado(self) -> tuple[PriceSwing, ...]:
        """Return what each price moves the yearly cost by, the widest first."""
        ends, ranged = prices_at_ends(self.prices)
        yearly = statement_of(self.bill, self.use, self.plan, ends, self.work, self.catalog).yearly_usd
        known = {price.id: price for price in self.prices}
        swings = [
            PriceSwing(known[id], float(yearly[2 * place]), float(yearly[2 * place + 1]))
            for place, id in enumerate(ranged)
        ]
        return tuple(
            sorted((swing for swing in swings if swing.width_usd > 0.0), key=lambda swing: -swing.width_usd)
        )


def books_steps(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    use: EnergyUse,
    plan: Plan,
    samples: int,
    seed: int,
    work: WorkDone | None = None,
) -> Generator[None, None, SiteBooks]:
    """Keep the books of a scene a little at a time.

    Parameters
    ----------
    scenario, plant, catalog
        The site.
    use
        Of energy and water.
    plan
        Years and dates.
    samples, seed
        Random draws of the prices.
    work
        What a run did.

    Raises
    ------
    PriceError
        When what is inside something costs more than the whole.
    """
    owned = None
    if scenario.rentals:
        of_all = scenario.model_copy(update={"rentals": ()})
        all_use = replace(use, rent_usd={})
        owned = yield from books_steps(of_all, plant, catalog, all_use, plan, samples, seed, work)
    whole = bill_of(scenario, plant, catalog)
    use = use.of_share(whole.owned_share) if scenario.rentals else use
    yield
    bill = priced_bill(whole, catalog, scenario)
    prices = prices_of(scenario, bill, catalog)
    likely = statement_of(bill, use, plan, likely_prices(prices), work, catalog)
    yield
    drawn = statement_of(bill, use, plan, drawn_prices(prices, samples, seed), work, catalog)
    notes = (*whole.notes, *_doubts(likely))
    rented = rented_groups(scenario, plant, catalog)
    return SiteBooks(bill, plan, use, prices, likely, drawn, work, notes, seed, catalog, owned, rented)


def statement_of(
    bill: Bill, use: EnergyUse, plan: Plan, prices: Prices, work: WorkDone | None, catalog: Catalog
) -> Statement:
    """Return the books at one set of prices."""
    capital = capital_of(bill, prices, plan.colocated)
    operation = operation_of(bill, capital, use, plan.ratchet, plan.colocated)
    rent = market_usd_h(bill.gpus, prices, catalog)
    available = 1.0
    if work is not None and work.hours.available is not None and work.hours.installed:
        available = work.hours.available / work.hours.installed
    return Statement(
        capital, operation, cash_flow_of(capital, operation, bill.gpu_count, rent, available, plan), rent
    )


def often_quoted(shares: Floats) -> bool:
    """Return whether the median of a share of capital is within what is often quoted."""
    return bool(OFTEN_QUOTED[0] <= float(np.median(shares)) <= OFTEN_QUOTED[1])


def market_usd_h(gpus: Mapping[str, int], prices: Prices, catalog: Catalog) -> Floats:
    """Return the market price of an hour of some GPUs together, by part, shape (samples,) [USD/h].

    That of an H100 is known; that of another follows what the two parts cost in the catalogue: what a buyer pays
    for GPUs moves no market.
    """
    base = catalog.part(RENTED).price_usd
    assert base is not None
    worth = sum(count * (catalog.part(part).price_usd or 0.0) / base for part, count in gpus.items())
    return np.broadcast_to(prices["rent"] * worth, prices.shape)


def _doubts(likely: Statement) -> list[str]:
    """Return what is unusual about the books."""
    notes = []
    per_kw = float(likely.capital.construction_usd_kw[0])
    least, most = CONSTRUCTION_USD_KW
    if np.isfinite(per_kw) and per_kw > 0.0 and not least <= per_kw <= AI_USD_KW:
        notes.append(
            f"Construction without IT, land and soft cost comes to {per_kw / 1e3:,.1f} MUSD per MW of racks; "
            f"{least / 1e3:.1f} to {most / 1e3:.1f} is usual, up to {AI_USD_KW / 1e3:.0f} for AI."
        )
    return notes
