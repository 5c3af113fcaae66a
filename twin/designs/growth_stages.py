"""A scene that grows stage by stage: cables, floor, power, cooling, storage, money, and what is thrown away.

Equipment that a stage removes before its life is over is worth, in a straight line from its price to its residual,
V = P (1 - (1 - s) a / n) at age a of n years: that much is lost by "rip and replace".
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.commands.budget.budget import loop_capacity_w
from twin.designs.design_bill import hot_day_factor
from twin.designs.need import SiteNeed
from twin.economics.bill import Bill
from twin.economics.capital import capital_of
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.prices import Prices, drawn_prices
from twin.economics.site_bill import bill_of, priced_bill, prices_of
from twin.planning.network.expansion_check import Growth, grow
from twin.plant.build import build
from twin.plant.design_load import DesignLoad, item_limit_w, loop_heat_w, rack_design_w
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Climate

MONTHS = 12.0


@dataclass(frozen=True)
class WantedStage:
    """So many GPUs from a month on, such as "2029-04"; "": at once."""

    date: str
    gpus: int


@dataclass(frozen=True)
class SiteLimits:
    """What the site has: floor of all halls [m2], power [W], data that must be kept [B], read [B/s]; None: unknown."""

    area_m2: float | None = None
    power_w: float | None = None
    data_bytes: float | None = None
    read_bytes_s: float | None = None

    @classmethod
    def of(cls, need: SiteNeed) -> SiteLimits:
        """Return those of a need."""
        data = need.dataset
        return cls(
            need.limits.area_m2,
            need.limits.power_w,
            data.size_bytes if data is not None and data.size_bytes else None,
            data.read_bytes_s if data is not None and data.read_bytes_s else None,
        )


@dataclass(frozen=True)
class GrowthLook:
    """One thing that a stage needs: how much of it before and after, and how much there is.

    Attributes
    ----------
    name, unit
        floor, site power, power, cooling, storage, storage read; a dimension of `twin.units`.
    item
        The fullest item; "": the whole site.
    before, after
        Needed.
    most
        There is; None: nobody says.
    """

    name: str
    unit: str
    item: str
    before: float
    after: float
    most: float | None

    @property
    def fits(self) -> bool:
        """Return whether it is enough; also where nobody says."""
        return self.most is None or self.after <= self.most * (1.0 + 1e-9)


@dataclass(frozen=True)
class Discard:
    """Equipment that a stage throws away: how many, how old [years], and what it is still worth, shape (samples,)."""

    part: str
    count: float
    age_years: float
    usd: Floats


@dataclass(frozen=True)
class GrowthStage:
    """One stage.

    Attributes
    ----------
    date, gpus
        Its month, and the GPUs there are then.
    growth
        What changes; None: the scene has as many already.
    looks
        Floor, power, cooling, storage.
    bought_usd
        Spent in it, installation included, shape (samples,) [USD].
    discards
        What is thrown away.
    """

    date: str
    gpus: int
    growth: Growth | None
    looks: tuple[GrowthLook, ...]
    bought_usd: Floats
    discards: tuple[Discard, ...]

    @property
    def lost_usd(self) -> Floats:
        """Return what the discarded equipment was still worth, shape (samples,) [USD]."""
        return sum((discard.usd for discard in self.discards), np.zeros(SAMPLES))

    @property
    def fits(self) -> bool:
        """Return whether all of it is enough."""
        return all(look.fits for look in self.looks)


def grown_stages(
    scenario: Scenario, stages: Sequence[WantedStage], catalog: Catalog, limits: SiteLimits | None = None
) -> tuple[GrowthStage, ...]:
    """Return what each stage changes, beginning with the scene as it stands.

    Raises
    ------
    PlanError
        When nothing of the scene can grow, or no topology of its switches reaches so far.
    """
    site = limits or SiteLimits()
    bought = _Purchases(scenario, catalog)
    now, found = scenario, []
    before = build(now, catalog)
    for stage in stages:
        if stage.gpus <= int(before.gpus.present.sum()):
            looks = _looks(before, before, catalog, site, scenario.site.climate)
            none = np.zeros(SAMPLES)
            found.append(GrowthStage(stage.date, int(before.gpus.present.sum()), None, looks, none, ()))
            continue
        growth = grow(now, stage.gpus, catalog)
        after = build(growth.scenario, catalog)
        spent, discards = bought.stage(growth, now, before, after, stage.date)
        looks = _looks(before, after, catalog, site, scenario.site.climate)
        found.append(GrowthStage(stage.date, growth.gpus_after, growth, looks, spent, discards))
        now, before = growth.scenario, after
    return tuple(found)


class _Purchases:
    """When switches and cables were bought, so that their age is known when they go."""

    def __init__(self, scenario: Scenario, catalog: Catalog) -> None:
        self._catalog, self._start = catalog, f"{scenario.start:%Y-%m}"
        plant = build(scenario, catalog)
        self._switches = dict.fromkeys(_switches(plant), self._start)
        self._cables: deque[tuple[str, int]] = deque()

    def stage(
        self, growth: Growth, now: Scenario, before: Plant, after: Plant, date: str
    ) -> tuple[Floats, tuple[Discard, ...]]:
        """Return what a stage spends, and what it throws away."""
        old, new = (
            bill_of(scene, plant, self._catalog) for scene, plant in ((now, before), (growth.scenario, after))
        )
        lines = priced_bill(new, self._catalog, growth.scenario)
        prices = drawn_prices(prices_of(growth.scenario, new, self._catalog), SAMPLES, SEED)
        removed = self._removed(growth, now, before, after, date)
        had = old.counts()
        again = Counter[str]()
        for part, count, _ in removed:
            again[part] += count
        more = [
            replace(line, count=line.count - had.get(line.entry, 0.0) + again.get(line.entry, 0))
            for line in lines.lines
        ]
        bill = Bill(tuple(line for line in more if line.count > 0.0), {}, 0.0, 0.0, {})
        capital = capital_of(bill, prices)
        discards = tuple(
            Discard(part, count, age, _worth(prices, part, count, age))
            for part, count, age in removed
            if part in prices.table
        )
        return capital.total_usd, discards

    def _removed(
        self, growth: Growth, now: Scenario, before: Plant, after: Plant, date: str
    ) -> list[tuple[str, int, float]]:
        """Return the parts that go, with their number and age [years], and note what comes."""
        stays = _switches(after)
        gone: Counter[tuple[str, float]] = Counter()
        for switch in _switches(before):
            if switch not in stays:
                gone[switch[1], _years(self._switches.pop(switch, self._start), date)] += 1
        for switch in stays:
            self._switches.setdefault(switch, date)
        change = growth.recabling
        if not self._cables:
            self._cables.append((self._start, change.cables_before))
        cable, left = now.fabrics[0].cable, change.removed
        while left and self._cables:
            bought, count = self._cables.popleft()
            taken = min(left, count)
            gone[cable, _years(bought, date)] += taken
            left -= taken
            if count > taken:
                self._cables.appendleft((bought, count - taken))
        self._cables.append((date or self._start, change.new))
        return [(part, count, age) for (part, age), count in gone.items() if count]


def _switches(plant: Plant) -> set[tuple[str, str]]:
    return set(zip(plant.switches.ids, plant.switches.part, strict=True))


def _years(bought: str, date: str) -> float:
    """Return the age at a month of what was bought in another [years]; 0 where there is no month.

    >>> _years("2027-04", "2029-10"), _years("2027-04", "")
    (2.5, 0.0)
    """
    if not date:
        return 0.0
    (first_year, first_month), (year, month) = (map(int, text.split("-")) for text in (bought, date))
    return max(0.0, year - first_year + (month - first_month) / MONTHS)


def _worth(prices: Prices, part: str, count: int, age_years: float) -> Floats:
    """Return what IT of an age is worth, shape (samples,) [USD]."""
    residual, life = prices["residual-it"], prices["life-it"]
    keeps = 1.0 - (1.0 - residual) * np.minimum(1.0, age_years / life)
    return np.broadcast_to(count * prices[part] * keeps, prices.shape)


def _looks(
    before: Plant, after: Plant, catalog: Catalog, limits: SiteLimits, climate: Climate
) -> tuple[GrowthLook, ...]:
    both = before, after
    areas = [float(((h.x1_m - h.x0_m) * (h.y1_m - h.y0_m)).sum()) for h in (p.halls for p in both)]
    factor = hot_day_factor(climate)
    site_w = [factor * float(rack_design_w(plant, catalog).sum()) for plant in both]
    found = [
        GrowthLook("floor", "area", "", areas[0], areas[1], limits.area_m2),
        GrowthLook("site power", "power", "", site_w[0], site_w[1], limits.power_w),
    ]
    limits_w = item_limit_w(after)
    known = np.isfinite(limits_w) & after.power.present & (limits_w > 0.0)
    if known.any():
        loads = [DesignLoad(plant, catalog).most_w() for plant in both]
        item = int(np.where(known, loads[1] / np.where(known, limits_w, 1.0), 0.0).argmax())
        had = (
            loads[0][before.power.ids.index(after.power.ids[item])]
            if after.power.ids[item] in before.power.ids
            else 0.0
        )
        found.append(
            GrowthLook(
                "power",
                "power",
                after.power.ids[item],
                float(had),
                float(loads[1][item]),
                float(limits_w[item]),
            )
        )
    takes_w = loop_capacity_w(after, catalog)
    if (takes_w > 0.0).any():
        heats = [loop_heat_w(plant, catalog) for plant in both]
        loop = int(np.where(takes_w > 0.0, heats[1] / np.where(takes_w > 0.0, takes_w, 1.0), 0.0).argmax())
        name = after.loops.ids[loop]
        had = heats[0][before.loops.ids.index(name)] if name in before.loops.ids else 0.0
        found.append(
            GrowthLook("cooling", "power", name, float(had), float(heats[1][loop]), float(takes_w[loop]))
        )
    stores = after.storage
    if limits.data_bytes is not None:
        holds = float(stores.capacity_bytes.sum()) if len(stores.ids) else 0.0
        found.append(GrowthLook("storage", "data", "", limits.data_bytes, limits.data_bytes, holds))
    if limits.read_bytes_s is not None:
        # What must be read grows with the GPUs that read it.
        share = after.gpus.present.sum() / max(1, before.gpus.present.sum())
        reads = float(stores.read_bytes_s.sum()) if len(stores.ids) else 0.0
        needed = limits.read_bytes_s
        found.append(GrowthLook("storage read", "bandwidth", "", needed / float(share), needed, reads))
    return tuple(found)
