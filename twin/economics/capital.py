"""Capital of a site by group: bill times prices, installation and soft cost on top, lives and residuals.

Amounts are arrays over samples, shape (samples,) [USD].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Floats
from twin.economics.bill import GROUPS, Asset, Bill, Group
from twin.economics.finance import annuity
from twin.economics.prices import Prices

IT_GROUPS: tuple[Group, ...] = ("gpu", "chassis", "network", "cables", "storage")
ELECTRICAL: tuple[Group, ...] = ("power", "substation")
MECHANICAL: tuple[Group, ...] = ("cooling",)
FABRIC: tuple[Group, ...] = ("network", "cables")
CONSTRUCTION_USD_KW = (9_300.0, 15_000.0)
"""Construction without IT, land and soft cost, per kW of racks: Cushman & Wakefield 2025, as read 2026-11-23 [USD]."""
AI_USD_KW = 20_000.0
"""The same of halls for AI at most: Goldman Sachs, as read 2026-11-23 [USD]."""


@dataclass(frozen=True)
class CapitalLine:
    """One line of capital.

    Parameters
    ----------
    group, entry, count, unit, asset
        As of the bill; `entry` is also the id of a share, of which `count` is 1.
    usd
        Its cost, shape (samples,) [USD].
    """

    group: Group
    entry: str
    count: float
    unit: str
    asset: Asset
    usd: Floats


@dataclass(frozen=True)
class Capital:
    """All that is spent before a site works.

    Parameters
    ----------
    lines
        In the order of the groups; they sum to the total.
    prices
        What they were reckoned with.
    it_w
        Design power of the racks [W].
    """

    lines: tuple[CapitalLine, ...]
    prices: Prices
    it_w: float

    @cached_property
    def total_usd(self) -> Floats:
        """Return all of it, shape (samples,) [USD]."""
        return self._sum(lambda _: True)

    @cached_property
    def by_group(self) -> dict[Group, Floats]:
        """Return the sums of all groups, shape (samples,) each [USD]."""
        return {group: self.of_groups(group) for group in GROUPS}

    def of_groups(self, *groups: Group) -> Floats:
        """Return the sum of some groups, shape (samples,) [USD]."""
        return self._sum(lambda line: line.group in groups)

    def of_assets(self, *assets: Asset) -> Floats:
        """Return the sum of what wears out alike, shape (samples,) [USD]."""
        return self._sum(lambda line: line.asset in assets)

    @property
    def estimated_share(self) -> Floats:
        """Return the share of capital that rests on prices nobody has published, shape (samples,) [-]."""
        table = self.prices.table
        return share_of(self._sum(lambda line: table[line.entry].is_estimate), self.total_usd)

    def share(self, *groups: Group) -> Floats:
        """Return the share of some groups, shape (samples,) [-]."""
        return share_of(self.of_groups(*groups), self.total_usd)

    @property
    def construction_usd_kw(self) -> Floats:
        """Return the cost of the facility per kW of racks without IT, land, soft cost and own generation [USD]."""
        facility = self._sum(
            lambda line: line.asset in ("mep", "shell") and line.group not in ("soft", "generation")
        )
        return share_of(facility, np.array([self.it_w / 1e3]))

    def life_years(self, asset: Asset) -> Floats:
        """Return the life of what wears out alike, shape (samples,) or (1,) [years]; of land inf."""
        return np.array([np.inf]) if asset == "land" else self.prices[f"life-{asset}"]

    def residual_share(self, asset: Asset) -> Floats:
        """Return what is left of it after its life, shape (samples,) or (1,) [-]."""
        return np.array([1.0]) if asset == "land" else self.prices[f"residual-{asset}"]

    def annuity_usd(self, line: CapitalLine) -> Floats:
        """Return the yearly cost of a line, with its life, residual and interest, shape (samples,) [USD/year]."""
        left = line.usd * self.residual_share(line.asset)
        return annuity(line.usd, left, self.prices["interest"], self.life_years(line.asset))

    @cached_property
    def yearly_usd(self) -> Floats:
        """Return the yearly cost of all capital, shape (samples,) [USD/year]."""
        return _total((self.annuity_usd(line) for line in self.lines), self.prices)

    def _sum(self, wanted: Callable[[CapitalLine], bool]) -> Floats:
        return _total((line.usd for line in self.lines if wanted(line)), self.prices)


def capital_of(bill: Bill, prices: Prices, colocated: bool = False) -> Capital:
    """Return the capital of a bill.

    Parameters
    ----------
    bill
        Its lines all have a price.
    prices
        Values of them, and of the shares.
    colocated
        The facility is another's, and rented: only IT and its installation is bought.
    """
    wanted = [line for line in bill.lines if not colocated or line.asset == "it"]
    lines = [
        CapitalLine(
            line.group,
            line.entry,
            line.count,
            line.unit,
            line.asset,
            _full(line.count * prices[line.entry], prices),
        )
        for line in wanted
    ]
    made = Capital(tuple(lines), prices, bill.it_w)
    lines.append(_on_top("labour", "it-installation", "it", made.of_groups(*IT_GROUPS), prices))
    if not colocated:
        lines.append(
            _on_top("labour", "installation", "mep", made.of_groups(*ELECTRICAL, *MECHANICAL), prices)
        )
        works = Capital(tuple(lines), prices, bill.it_w)
        facility = works._sum(lambda line: line.asset in ("mep", "shell") and line.group != "generation")
        lines += [_on_top("soft", share, "shell", facility, prices) for share in ("soft-cost", "contingency")]
    lines.sort(key=lambda line: GROUPS.index(line.group))
    return Capital(tuple(lines), prices, bill.it_w)


def _on_top(group: Group, share: str, asset: Asset, of_usd: Floats, prices: Prices) -> CapitalLine:
    return CapitalLine(group, share, 1.0, "", asset, _full(prices[share] * of_usd, prices))


def _full(values: Floats, prices: Prices) -> Floats:
    return np.broadcast_to(values, prices.shape)


def _total(amounts: Iterable[Floats], prices: Prices) -> Floats:
    total = np.zeros(prices.shape)
    for amount in amounts:
        total = total + amount
    return total


def share_of(part: Floats, whole: Floats) -> Floats:
    """Return a part over its whole; nan of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > 0.0, part / whole, np.nan), np.float64)
