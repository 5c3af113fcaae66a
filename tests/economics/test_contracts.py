"""Power bought from parks and heat that is sold: hour by hour, in money and in carbon, with sums that close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import twin
from twin.analysis.site_books import scene_books
from twin.api.cost import ledger_of, of_recorded
from twin.catalog import load_catalog
from twin.economics.cash_flow import Plan
from twin.economics.contracts import J_PER_MWH, SiteHours, asked, hours_of_run, output, with_contracts
from twin.economics.energy_use import EnergyUse
from twin.physics.hydraulics import AIR_CP_J_KG_K, AIR_DENSITY_KG_M3
from twin.physics.weather import year_of_wind
from twin.plant.build import build
from twin.plant.design_load import rack_design_w
from twin.plant.facility import rated_heat_w
from twin.record.site_year import J_PER_KWH, YearHours
from twin.runtime.typical_year import typical_year, year_hours
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.prices import ScenePrice
from twin.scenario.schema.rental import Rental
from twin.scenario.schema.site import HeatSale, PowerPurchase, Site

HOURS = 8760
FLAT = np.ones(HOURS)
SUN = np.where((np.arange(HOURS) % 24 >= 8) & (np.arange(HOURS) % 24 < 16), 0.5, 0.0)
"""Half the rated power for eight hours of each day."""


def lab(**site: object) -> Scenario:
    scenario = twin.load("lab-16").scenario
    return scenario.model_copy(update={"site": scenario.site.model_copy(update=site)})


def hours(grid_w: float) -> SiteHours:
    """Return a year with a price of 100 USD/MWh and 0.4 kg/kWh."""
    year = YearHours(FLAT * 10, FLAT, FLAT, FLAT * 100 / J_PER_MWH, FLAT * 0.4 / J_PER_KWH, SUN)
    return SiteHours(FLAT * grid_w, FLAT * grid_w, FLAT * 3600.0, np.arange(HOURS), year)


def use(grid_w: float) -> EnergyUse:
    kwh = grid_w * HOURS / 1e3
    return EnergyUse(
        "by hand", HOURS * 3600.0, kwh, kwh, kwh * 0.1, np.full(12, grid_w / 1e3), {}, 0.0, kwh * 0.4
    )


def taken(*contracts: PowerPurchase | HeatSale, grid_w: float = 1e6, **more: object) -> EnergyUse:
    """Return the use of a year in which grid and racks have the same power, with contracts."""
    purchases = tuple(contract for contract in contracts if isinstance(contract, PowerPurchase))
    sales = tuple(contract for contract in contracts if isinstance(contract, HeatSale))
    scenario, catalog = lab(power_purchases=purchases, heat_sales=sales), load_catalog()
    scenario = scenario.model_copy(update=more)
    return with_contracts(use(grid_w), scenario, build(scenario, catalog), catalog, hours(grid_w))


def test_of_a_solar_park_the_least_of_load_and_output_is_taken_each_hour() -> None:
    small = taken(PowerPurchase(id="park", kind="solar", power_w=1e6))
    mwh = 0.5 * 8 * 365
    assert small.ppa_mwh == {"ppa-solar": pytest.approx(mwh)}
    assert small.grid_kwh == pytest.approx((8760 - mwh) * 1e3)
    assert small.grid_usd == pytest.approx((8760 - mwh) * 100)
    assert small.carbon_kg == pytest.approx((8760 - mwh) * 400)
    assert small.saved_kg == pytest.approx(mwh * 400)
    large = taken(PowerPurchase(id="park", kind="solar", power_w=9e6))
    assert large.ppa_mwh["ppa-solar"] == pytest.approx(8 * 365)  # no more than the site draws
    assert (large.peaks_kw == use(1e6).peaks_kw).all()


def test_a_stated_price_is_certain_and_its_carbon_counts() -> None:
    found = taken(
        PowerPurchase(
            id="park", kind="solar", power_w=1e6, price_usd_j=50 / J_PER_MWH, carbon_kg_j=0.05 / J_PER_KWH
        )
    )
    mwh = 0.5 * 8 * 365
    assert found.ppa_usd == pytest.approx(50 * mwh)
    assert not found.ppa_mwh
    assert found.saved_kg == pytest.approx(mwh * 350)


def test_a_second_park_gets_what_the_first_one_left() -> None:
    first, second = (
        PowerPurchase(id=name, kind="solar", power_w=1e6, price_usd_j=usd / J_PER_MWH)
        for name, usd in (("a", 50.0), ("b", 30.0))
    )
    found = taken(first, second, grid_w=0.7e6)  # each gives 0.5 MW in eight hours of a day
    sunny = 8 * 365
    assert found.ppa_usd == pytest.approx((0.5 * 50 + 0.2 * 30) * sunny)
    assert found.grid_kwh == pytest.approx(0.7e3 * (HOURS - sunny))
    assert found.saved_kg == pytest.approx(0.7e3 * sunny * 0.4)


def test_wind_has_the_mean_output_asked_for_and_is_that_of_its_place() -> None:
    year = year_of_wind("berlin", 0.35)
    assert float(year.mean()) == pytest.approx(0.35, abs=1e-6)
    assert float(year.min()) == 0.0
    assert float(year.max()) == 1.0
    assert np.corrcoef(year[:-1], year[1:])[0, 1] > 0.9
    assert abs(np.corrcoef(year, year_of_wind("phoenix", 0.35))[0, 1]) < 0.2
    park = PowerPurchase(id="park", kind="wind", power_w=1e6, mean_output=0.35)
    named = Site.model_validate({"climate": {"place": "berlin"}})
    assert output(park, named, hours(1e6)).tolist() == year.tolist()


def sold(scenario: Scenario, **more: object) -> float:
    """Return the heat that the lab sells in its typical year [MWh]."""
    catalog = load_catalog()
    sale = HeatSale.model_validate({"id": "town", "demand": "100 MW", "temperature": "20 degC"} | more)
    made = scenario.model_copy(update={"site": scenario.site.model_copy(update={"heat_sales": (sale,)})})
    return scene_books(made, build(made, catalog), catalog, Plan(load=0.8), 2).use.heat_mwh


def test_heat_is_sold_while_it_is_asked_for_and_warm_enough() -> None:
    scenario, catalog = lab(), load_catalog()
    year = typical_year(scenario, build(scenario, catalog), catalog, 0.8)
    whole = sold(scenario)
    assert whole == pytest.approx(year.it_w * HOURS / 1e6, rel=0.15)  # all that loops carry
    assert sold(scenario, demand="1 kW") == pytest.approx(8.76)
    assert sold(scenario, temperature="80 degC") == 0.0
    winter = sold(scenario, demand="1 kW", below="15 degC")
    assert 0.0 < winter < 8.76
    told = HeatSale.model_validate({"id": "a", "demand": "1 W", "temperature": "20 degC", "below": "11 degC"})
    assert asked(told, hours(1.0)).tolist() == [1.0] * HOURS  # always the coldest hour


def heat(name: str, demand_w: float, temp_c: float = 20.0, usd_mwh: float | None = None) -> HeatSale:
    price = None if usd_mwh is None else usd_mwh / J_PER_MWH
    return HeatSale(id=name, demand_w=demand_w, temp_c=temp_c, price_usd_j=price)


def test_the_dearest_heat_contract_is_served_first_and_no_heat_is_sold_twice() -> None:
    cheap, dear = heat("a", 8e3, usd_mwh=10.0), heat("b", 8e3, usd_mwh=40.0)
    for contracts in ((cheap, dear), (dear, cheap)):
        found = taken(*contracts, grid_w=10e3)
        assert found.heat_usd == pytest.approx((8 * 40 + 2 * 10) * HOURS / 1e3)
        assert found.heat_mwh == 0.0
    listed = heat("c", 8e3)  # 22 USD by the catalogue: between both
    found = taken(cheap, listed, grid_w=10e3)
    assert found.heat_mwh == pytest.approx(8 * HOURS / 1e3)
    assert found.heat_usd == pytest.approx(2 * 10 * HOURS / 1e3)
    found = taken(dear, listed, grid_w=10e3)
    assert found.heat_mwh == pytest.approx(2 * HOURS / 1e3)
    own = {"heat-sold": ScenePrice(likely=50.0)}
    assert taken(dear, listed, grid_w=10e3, prices=own).heat_mwh == pytest.approx(8 * HOURS / 1e3)
    warm = taken(dear, heat("d", 8e3, 21.0, 30.0), grid_w=10e3)  # of other heat it is the same MWh, too
    assert warm.heat_usd == pytest.approx((8 * 40 + 2 * 30) * HOURS / 1e3)


def test_a_stated_price_of_heat_is_earned() -> None:
    catalog = load_catalog()
    made = lab(heat_sales=(heat("town", 1e3, usd_mwh=40.0),))
    books = scene_books(made, build(made, catalog), catalog, Plan(load=0.8), 20)
    assert books.drawn.operation.by_item["heat_sold"] == pytest.approx(-40.0 * 8.76)


@pytest.mark.parametrize("load", [0.5, 1.0])
def test_heat_is_as_warm_as_the_return_of_its_loop_at_the_load_less_3_k(load: float) -> None:
    scenario, catalog = lab(), load_catalog()
    plant = build(scenario, catalog)
    loops, drawn_w = plant.loops, load * float(rack_design_w(plant, catalog).sum())
    full_k = rated_heat_w(plant, catalog, loops)[0] / (loops.flow_m3_s[0] * AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K)
    most_c = float(loops.supply_c[0] + full_k * load) - 3.0
    assert taken(heat("town", 1e9, most_c - 0.01), grid_w=drawn_w).heat_mwh == pytest.approx(
        drawn_w * HOURS / 1e6
    )
    assert taken(heat("town", 1e9, most_c + 0.01), grid_w=drawn_w).heat_mwh == 0.0


def test_contracts_are_lines_of_the_books_and_the_ledger_closes() -> None:
    contracts = {
        "site.power_purchases": [
            {"id": "sun", "kind": "solar", "power": "10 kW"},
            {"id": "wind", "kind": "wind", "power": "5 kW", "price": "60 USD/MWh"},
        ],
        "site.heat_sales": [{"id": "town", "demand": "3 kW", "temperature": "22 degC"}],
    }
    with twin.load("lab-16").run(until="1 day", set=contracts) as run:
        found = of_recorded(run, Plan(), 50)
        ledger = ledger_of(run, found)
        grid_j = run.summary["facility"]["grid_j"]
        made = hours_of_run(run.reader, *year_hours(run.scenario))
    assert float((made.grid_w * made.lasts_s).sum()) == pytest.approx(grid_j, rel=0.02)
    items = found.drawn.operation.by_item
    assert (items["ppa"] > 0.0).all()
    assert (items["heat_sold"] < 0.0).all()
    assert np.abs(sum(items.values()) / found.drawn.operation.total_usd - 1).max() < 1e-9
    assert np.abs(ledger.total_usd / found.period_usd(found.drawn) - 1).max() < 1e-9
    carbon = found.carbon(found.likely)
    assert carbon.saved_kg > 0.0
    assert float(carbon.operational_kg[0]) + carbon.saved_kg == pytest.approx(
        run.summary["facility"]["carbon_kg"] * found.use.yearly, rel=0.05
    )


def test_of_a_rented_site_power_purchases_save_the_carbon_that_they_are_paid_for() -> None:
    park = PowerPurchase(id="sun", kind="solar", power_w=5e3, price_usd_j=50 / J_PER_MWH)
    catalog, plain = load_catalog(), lab()
    paid, emitted, saved, shares = [], [], [], []
    for parks, members in (((), None), ((park,), None), ((park,), ("gpu/0/0",)), ((park,), ())):
        rentals = () if members is None else (Rental(id="some", members=members, price_usd_s=1e-3),)
        scenario = lab(power_purchases=parks).model_copy(update={"rentals": rentals})
        found = scene_books(scenario, build(plain, catalog), catalog, Plan(load=0.8), 2)
        carbon = found.carbon(found.likely)
        paid.append(float(found.likely.operation.by_item["ppa"][0]))
        emitted.append(float(carbon.operational_kg[0]))
        saved.append(carbon.saved_kg)
        shares.append(found.bill.owned_share)
    assert shares == [1.0, 1.0, pytest.approx(shares[2]), 0.0]
    assert 0.0 < shares[2] < 1.0
    assert paid[1] > 0.0
    assert saved[1] > 0.0
    assert paid == pytest.approx([0.0, paid[1], paid[1] * shares[2], 0.0])
    assert saved == pytest.approx([0.0, saved[1], saved[1] * shares[2], 0.0])
    assert [kg + less for kg, less in zip(emitted, saved, strict=True)] == pytest.approx([emitted[0]] * 4)


def test_without_contracts_nothing_changes() -> None:
    scenario, catalog = lab(), load_catalog()
    before = use(1e6)
    assert with_contracts(before, scenario, build(scenario, catalog), catalog, hours(1e6)) is before
    assert replace(before).saved_kg == 0.0
