"""Contracts of a site hour by hour: of a park's output it takes what it draws, of its heat it sells what is asked for.

The power that is bought comes over the same grid connection: it replaces energy and carbon of the grid, not its peaks.
Heat is sold from loops whose return is warm enough, at the load of the hour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.energy_use import EnergyUse
from twin.economics.operation import HEAT_PRICE
from twin.economics.price_book import PriceBook
from twin.physics.hydraulics import AIR_CP_J_KG_K, AIR_DENSITY_KG_M3
from twin.physics.weather import year_of_wind
from twin.plant.design_load import rack_design_w
from twin.plant.facility import rated_heat_w
from twin.plant.tables import LoopKind, Plant
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S, J_PER_KWH, SiteYear, YearHours
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import HeatSale, PowerPurchase, Site

PPA_PRICES = {"solar": "ppa-solar", "wind": "ppa-wind"}
"""Entries of the catalogue's prices, per MWh."""
APPROACH_K = 3.0
"""Between the return of a loop and the heat that its exchanger gives [K] [est]."""
COOLANT_J_M3_K = 3.9e6
"""Heat capacity of water with 25 % of glycol [J/(m3 K)] [est]."""
J_PER_MWH = 1e3 * J_PER_KWH
EVERY_SAMPLE = 2**31


@dataclass(frozen=True)
class SiteHours:
    """Hours of a period, shape (hours,) each; the first and last may be parts of one.

    Parameters
    ----------
    grid_w, it_w
        Mean power from the grid and of the racks [W].
    lasts_s
        Of each hour [s].
    of_year
        Its hour of the year, 0 to 8759.
    year
        What sun, air and grid do.
    """

    grid_w: Floats
    it_w: Floats
    lasts_s: Floats
    of_year: np.ndarray
    year: YearHours


def hours_of_year(year: SiteYear) -> SiteHours:
    """Return the hours of a typical year."""
    count = year.grid_w.size
    return SiteHours(
        year.grid_w, np.full(count, year.it_w), np.full(count, HOUR_S), np.arange(count), year.air
    )


def hours_of_run(reader: Reader, year: YearHours, year_start_s: float) -> SiteHours:
    """Return the hours of a run by its curves, which stand from sample to sample.

    Parameters
    ----------
    reader
        Of its file.
    year
        Of its site.
    year_start_s
        Time from the start of the year to that of the run [s].
    """
    edges, of_year = _hour_edges(reader.t_end_s, year, year_start_s)
    lasts = np.diff(edges)
    means = []
    for name in ("site.grid_w", "site.it_w"):
        curve = reader.series(0, name, points=EVERY_SAMPLE)
        power = np.nan_to_num(np.asarray(curve.mean, np.float64))
        done_j = np.concatenate([[0.0], np.cumsum(power[:-1] * np.diff(curve.t_s))])
        until_j = np.interp(edges, curve.t_s, done_j)
        until_j[edges > curve.t_s[-1]] += (edges[edges > curve.t_s[-1]] - curve.t_s[-1]) * power[-1]
        means.append(np.diff(until_j) / np.maximum(lasts, 1e-9))
    return SiteHours(means[0], means[1], lasts, of_year, year)


def steady_hours(use: EnergyUse, year: YearHours, year_start_s: float) -> SiteHours:
    """Return the hours of a run of which no curve is kept: each at its mean power."""
    edges, of_year = _hour_edges(use.period_s, year, year_start_s)
    lasts, hours = np.diff(edges), use.period_s / HOUR_S
    grid_w, it_w = (np.full(lasts.shape, kwh / hours * 1e3) for kwh in (use.grid_kwh, use.it_kwh))
    return SiteHours(grid_w, it_w, lasts, of_year, year)


def _hour_edges(end_s: float, year: YearHours, year_start_s: float) -> tuple[Floats, np.ndarray]:
    """Return where the hours of a run begin and end [s], and which of the year they are."""
    first, last = int(year_start_s // HOUR_S), int(np.ceil((year_start_s + end_s) / HOUR_S))
    edges = np.clip(np.arange(first, last + 1) * HOUR_S - year_start_s, 0.0, end_s)
    return edges, np.arange(first, last) % year.sun.size


def with_contracts(
    use: EnergyUse, scenario: Scenario, plant: Plant, catalog: Catalog, hours: SiteHours
) -> EnergyUse:
    """Return the use of a period with what the site buys from parks, and sells as heat: to who pays most first."""
    site = scenario.site
    left_w = hours.grid_w.copy()
    mwh: dict[str, float] = {}
    stated_usd = saved_usd = saved_kg = taken_j = 0.0
    for contract in site.power_purchases:
        taken_w = np.minimum(left_w, contract.power_w * output(contract, site, hours))
        left_w = left_w - taken_w
        each_j = taken_w * hours.lasts_s
        whole_j = float(each_j.sum())
        taken_j += whole_j
        saved_usd += float((each_j * hours.year.price_usd_j[hours.of_year]).sum())
        saved_kg += float((each_j * (hours.year.carbon_kg_j[hours.of_year] - contract.carbon_kg_j)).sum())
        if contract.price_usd_j is None:
            entry = PPA_PRICES[contract.kind]
            mwh[entry] = mwh.get(entry, 0.0) + whole_j / J_PER_MWH
        else:
            stated_usd += whole_j * contract.price_usd_j
    heat_mwh = heat_usd = 0.0
    heat_w = {sale.temp_c: _heat_w(plant, catalog, hours, sale.temp_c) for sale in site.heat_sales}
    for sale in _dearest_first(scenario, catalog):
        sold_w = np.minimum(heat_w[sale.temp_c], sale.demand_w * asked(sale, hours))
        heat_w = {temp_c: np.maximum(left - sold_w, 0.0) for temp_c, left in heat_w.items()}
        sold_j = float((sold_w * hours.lasts_s).sum())
        heat_mwh += sold_j / J_PER_MWH if sale.price_usd_j is None else 0.0
        heat_usd += sold_j * (sale.price_usd_j or 0.0)
    if taken_j == 0.0 and heat_mwh == heat_usd == 0.0:
        return use
    return replace(
        use,
        grid_kwh=use.grid_kwh - taken_j / J_PER_KWH,
        grid_usd=use.grid_usd - saved_usd,
        carbon_kg=use.carbon_kg - saved_kg,
        saved_kg=saved_kg,
        ppa_mwh=mwh,
        ppa_usd=stated_usd,
        heat_mwh=heat_mwh,
        heat_usd=heat_usd,
    )


def _dearest_first(scenario: Scenario, catalog: Catalog) -> list[HeatSale]:
    """Return the contracts for heat by what they pay, at likely prices; of equal ones in the order of the scene."""
    sales = scenario.site.heat_sales
    if len(sales) < 2:
        return list(sales)
    listed = PriceBook(catalog, scenario.prices).whole(HEAT_PRICE).likely / J_PER_MWH
    return sorted(sales, key=lambda sale: -(listed if sale.price_usd_j is None else sale.price_usd_j))


def output(contract: PowerPurchase, site: Site, hours: SiteHours) -> Floats:
    """Return the output of a park over its rated power, of each hour [-]."""
    if contract.kind == "solar":
        return np.asarray(hours.year.sun[hours.of_year], np.float64)
    place = site.climate.place or site.climate.file or site.name
    return np.asarray(year_of_wind(place, contract.mean_output)[hours.of_year], np.float64)


def asked(sale: HeatSale, hours: SiteHours) -> Floats:
    """Return the demand for heat over its highest, of each hour [-]."""
    if sale.below_c is None:
        return np.ones(hours.of_year.size)
    coldest = float(hours.year.dry_c.min())
    span_k = max(sale.below_c - coldest, 1e-9)
    return np.asarray(
        np.clip((sale.below_c - hours.year.dry_c[hours.of_year]) / span_k, 0.0, 1.0), np.float64
    )


def _heat_w(plant: Plant, catalog: Catalog, hours: SiteHours, temp_c: float) -> Floats:
    """Return the heat that leaves loops at a temperature or above, of each hour; all that racks draw is heat [W]."""
    loops = plant.loops
    design_w = float(rack_design_w(plant, catalog).sum())
    if not len(loops.ids) or design_w <= 0.0:
        return np.zeros(hours.it_w.shape)
    full_w = rated_heat_w(plant, catalog, loops) * loops.present
    air = np.isin(loops.kind, [kind for kind in LoopKind if kind.by_air])
    carries = loops.flow_m3_s * np.where(air, AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K, COOLANT_J_M3_K)
    load = hours.it_w[:, None] / design_w
    rise_k = np.divide(full_w, carries, out=np.zeros(len(full_w)), where=carries > 0.0) * np.minimum(
        load, 1.0
    )
    warm = loops.supply_c + rise_k - APPROACH_K >= temp_c
    share = np.where(warm, full_w, 0.0).sum(axis=1) / max(float(full_w.sum()), 1e-9)
    return np.asarray(share * hours.it_w, np.float64)
