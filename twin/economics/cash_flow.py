"""Money year by year: what is spent before the site works, refreshed while it does, earned, and left at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.economics.bill import Asset
from twin.economics.capital import Capital
from twin.economics.finance import HOURS_PER_YEAR, levelised, npv
from twin.economics.operation import Operation
from twin.economics.returns import Returns, payback_years, rates_of_return

ASSETS: tuple[Asset, ...] = ("it", "mep", "shell", "land")
MONTHS = 12.0


@dataclass(frozen=True)
class Plan:
    """When a site earns, and by what.

    Parameters
    ----------
    years
        Of operation that the books look at, at most 40.
    grid_months, delivery_months
        From the decision until the grid supplies it, and until its IT is delivered; the later of them is waited for.
    ramp_months
        From the first GPU-hour sold to all, linear.
    ratchet
        Of the demand charge [-].
    colocated
        The facility is rented.
    load
        Power of the racks over their design power where no run says it [-].
    """

    years: int = 5
    grid_months: float = 0.0
    delivery_months: float = 0.0
    ramp_months: float = 3.0
    ratchet: float = 0.75
    colocated: bool = False
    load: float = 0.8

    @property
    def first_month(self) -> float:
        """Return when the first GPU-hour is sold [months]."""
        return max(self.grid_months, self.delivery_months)

    @property
    def months_to_full_revenue(self) -> float:
        """Return when all are sold [months]."""
        return self.first_month + self.ramp_months

    @property
    def span_years(self) -> int:
        """Return the years from the decision to the end of operation."""
        return self.years + int(np.ceil(self.first_month / MONTHS))

    def working(self) -> Floats:
        """Return the share of each year from the decision in which the site works, shape (years,) [-]."""
        return np.diff(np.clip(np.arange(self.span_years + 1) - self.first_month / MONTHS, 0.0, self.years))

    def selling(self) -> Floats:
        """Return the share of a full year's revenue in each year, shape (years,) [-]."""
        begin, ramp = self.first_month / MONTHS, self.ramp_months / MONTHS
        since = np.clip(np.arange(self.span_years + 1) - begin, 0.0, self.years)
        sold = since - np.where(since < ramp, since - since**2 / (2.0 * ramp), ramp / 2.0) if ramp else since
        return np.diff(sold)


@dataclass(frozen=True)
class CashFlow:
    """Flows at the ends of years 0, 1, ..., year 0 at the decision; shape (samples, years + 1) [USD].

    Parameters
    ----------
    capital, refresh, operation
        Spent, negative.
    revenue, left
        Earned, and worth at the end.
    gpu_h
        GPU-hours available in each year, shape (years + 1,) [h].
    rate
        Discount rate of each sample, shape (samples,) or (1,) [-].
    """

    capital: Floats
    refresh: Floats
    operation: Floats
    revenue: Floats
    left: Floats
    gpu_h: Floats
    rate: Floats

    @property
    def net(self) -> Floats:
        """Return the sum of all, shape (samples, years + 1) [USD]."""
        return self.capital + self.refresh + self.operation + self.revenue + self.left

    @property
    def npv_usd(self) -> Floats:
        """Return the net present value, shape (samples,) [USD]."""
        return npv(self.rate, self.net)

    @property
    def cost_npv_usd(self) -> Floats:
        """Return that of all but the revenue, shape (samples,) [USD]."""
        return npv(self.rate, self.net - self.revenue)

    @property
    def levelised_usd_gpu_h(self) -> Floats:
        """Return the price of an available GPU-hour that pays for all, shape (samples,) [USD]; nan without GPUs."""
        return levelised(self.rate, self.revenue - self.net, self.gpu_h)

    def returns(self, sample: int = 0) -> Returns:
        """Return the internal rates of return of one sample."""
        return rates_of_return(self.net[sample])

    def payback(self, sample: int = 0, *, discounted: bool = False) -> float | None:
        """Return when what is earned is what was spent, in one sample [years]; None: not within the years looked at.

        What is left at the end is no earning: nobody has sold it.
        """
        rate = float(np.broadcast_to(self.rate, (len(self.net),))[sample]) if discounted else 0.0
        return payback_years((self.net - self.left)[sample], rate)


def cash_flow_of(
    capital: Capital, operation: Operation, gpus: int, rent_usd_h: Floats, available: float, plan: Plan
) -> CashFlow:
    """Return the cash flow of a site that sells GPU-hours.

    Parameters
    ----------
    capital, operation
        Of the site.
    gpus
        Installed.
    rent_usd_h
        Market price of an hour of all its GPUs together, shape (samples,) [USD/h].
    available
        Share of the hours of a year in which they are in service [-].
    plan
        Years, dates and ramp.

    Notes
    -----
    What wears out is bought again after its likely life in whole years, at the end of the year in which it has served
    so long, at today's price less the residual of what it replaces; what it is worth at the end falls from its price to
    its residual in a straight line.
    """
    prices = capital.prices
    count = plan.span_years + 1
    flows = {name: np.zeros((prices.samples, count)) for name in ("capital", "refresh", "left")}
    begins = plan.first_month / MONTHS
    flows["capital"][:, 0] = -capital.total_usd
    for asset in ASSETS:
        cost = capital.of_assets(asset)
        if asset == "land":
            flows["left"][:, -1] += cost
            continue
        life = max(1, math.floor(prices.table[f"life-{asset}"].likely + 0.5))
        spent = 1.0 - capital.residual_share(asset)
        bought = range(life, plan.years, life)
        for age in bought:
            flows["refresh"][:, min(count - 1, math.ceil(begins) + age)] -= cost * spent
        used = plan.years - (bought[-1] if bought else 0)
        keeps = 1.0 - spent * min(1.0, used / life)
        flows["left"][:, -1] += cost * keeps
    earned = rent_usd_h * prices["sold"] * available * HOURS_PER_YEAR
    works, sells = np.append(0.0, plan.working()), np.append(0.0, plan.selling())
    return CashFlow(
        flows["capital"],
        flows["refresh"],
        -operation.total_usd[:, None] * works,
        np.broadcast_to(earned, prices.shape)[:, None] * sells,
        flows["left"],
        gpus * available * HOURS_PER_YEAR * works,
        prices["interest"],
    )
