"""The books of a site that can be reckoned by hand, and what must hold in every sample of any."""

from __future__ import annotations

import tempfile
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

import twin
from tests.economics.hand_case import ALL_RACKS, PRICES, SITE, books
from twin.analysis.money_words import carbon_words, money_figures
from twin.analysis.typical_year_words import year_figures
from twin.api.cost import of_scene
from twin.cli.cost import cost_of
from twin.economics.bill import GROUPS
from twin.economics.books import SHARES
from twin.economics.cash_flow import ASSETS, Plan
from twin.economics.finance import npv
from twin.economics.operation import ITEMS
from twin.economics.own_or_rent import own_or_rent
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.unit_costs import unit_costs
from twin.plant.build import build
from twin.runtime.inline import run as simulate
from twin.runtime.typical_year import typical_year
from twin.scenario import load, loads
from twin.scenario.schema.scene_catalog import catalog_of


def test_capital_by_hand() -> None:
    capital = books().likely.capital
    rack_kw = books().bill.it_w / 1e3
    it = 4 * 300_000 + 2 * 4_000 + 40_000 + 32 * 1_000 + 3 * 500 + 20 * 6_000
    by = {group: float(usd[0]) for group, usd in capital.by_group.items()}
    assert by["gpu"] == 32 * 30_000
    assert by["chassis"] == 4 * (300_000 - 8 * 30_000 - 8 * 2_000 - 2 * 3_000) + 2 * 4_000
    assert by["network"] == 32 * 2_000 + 8 * 3_000 + 40_000
    assert by["cables"] == 32_000
    assert by["storage"] == 1_500 + 120_000
    assert by["power"] == 60_000
    assert by["substation"] == 100 * 300
    assert by["building"] == pytest.approx(rack_kw * 2_010)
    assert by["labour"] == pytest.approx(0.5 * 90_000 + 0.02 * it)
    facility = 90_000 + 45_000 + rack_kw * 2_000
    assert by["soft"] == pytest.approx(0.15 * facility)
    assert sum(by.values()) == pytest.approx(it * 1.02 + facility * 1.15 + rack_kw * 10)
    assert float(capital.total_usd[0]) == pytest.approx(sum(by.values()), rel=1e-12)


def test_operation_by_hand() -> None:
    found = books()
    operation, capital = found.likely.operation.by_item, found.likely.capital
    rack_kw = found.bill.it_w / 1e3
    it = float(capital.of_groups("gpu", "chassis", "network", "cables", "storage")[0])
    assert float(operation["energy"][0]) == pytest.approx(found.use.grid_kwh * 0.10)
    assert float(operation["demand"][0]) == pytest.approx(12 * 10 * found.use.peaks_kw.max())
    assert float(operation["it_support"][0]) == pytest.approx(0.03 * it)
    assert float(operation["maintenance"][0]) == pytest.approx(0.02 * 90_000)
    assert float(operation["people"][0]) == pytest.approx(12 * rack_kw / 1e3 * 100_000)
    assert float(operation["insurance"][0]) == pytest.approx(0.01 * float(capital.total_usd[0]))
    assert float(operation["tax"][0]) == 0.0
    assert set(operation) == set(ITEMS)


def test_cash_flow_by_hand() -> None:
    found = books(years=7)
    cash, capital = found.likely.cash, found.likely.capital
    it, mep, shell, land = (float(capital.of_assets(asset)[0]) for asset in ("it", "mep", "shell", "land"))
    yearly = float(found.likely.operation.total_usd[0])
    net = cash.net[0]
    assert net[0] == pytest.approx(-(it + mep + shell + land))
    earned = 32 * 2.0 * 8760
    assert net[1] == pytest.approx(earned * (1 - 1.5 / 12) - yearly)  # a ramp of three months
    assert net[5] == pytest.approx(earned - yearly - it)  # IT is bought again after five years
    left = land + it * (1 - 2 / 5) + mep * (1 - 7 / 15) + shell * (1 - 7 / 30)
    assert net[7] == pytest.approx(earned - yearly + left)
    hours = 32 * 8760.0
    paid = npv(0.10, net - cash.revenue[0])
    assert float(cash.levelised_usd_gpu_h[0]) == pytest.approx(
        -float(paid) / float(npv(0.10, [0.0, *[hours] * 7]))
    )
    assert float(cash.npv_usd[0]) == pytest.approx(float(npv(0.10, net)), rel=1e-12)


def test_what_is_replaced_pays_its_residual_towards_the_new() -> None:
    found = books(PRICES + ALL_RACKS.replace("residual-it: 0", "residual-it: 20 %"), years=10).likely
    it = float(found.capital.of_assets("it")[0])
    assert found.cash.refresh[0, 5] == pytest.approx(-0.8 * it)
    spent = npv(0.10, [it, *[0.0] * 4, 0.8 * it, *[0.0] * 4, -0.2 * it])
    yearly = sum(
        float(found.capital.annuity_usd(line)[0]) for line in found.capital.lines if line.asset == "it"
    )
    assert float(spent) == pytest.approx(float(npv(0.10, [0.0, *[yearly] * 10])))


def test_what_is_left_at_the_end_pays_nothing_back() -> None:
    more = PRICES + ALL_RACKS.replace("rent: 2 USD", "rent: 1.8 USD").replace(
        "land: 10 USD", "land: 90000 USD"
    )
    cash = books(more).likely.cash
    assert cash.net[0].sum() > 0.0 > (cash.net - cash.left)[0].sum()
    assert cash.payback() is None


def test_it_serves_its_whole_life_behind_a_late_grid() -> None:
    scenario = loads(SITE + PRICES + ALL_RACKS).scenario
    cash = of_scene(scenario, Plan(7, grid_months=6, load=0.5), 2, 1).likely.cash
    assert np.flatnonzero(cash.refresh[0]).tolist() == [6]  # half a year of waiting, five of work


def test_what_a_buyer_pays_for_gpus_moves_no_market() -> None:
    cheap = books(PRICES.replace("H100-SXM: 30000", "H100-SXM: 0") + ALL_RACKS)
    assert cheap.likely.rent_usd_h.tolist() == books().likely.rent_usd_h.tolist() == [64.0]


def test_offers_of_clouds_are_drawn_by_the_seed_of_the_books() -> None:
    scenario = loads(SITE + PRICES + ALL_RACKS).scenario
    asked = []
    for seed in (1, 2, 1):
        found = of_scene(scenario, Plan(load=0.5), 8, seed)
        asked.append(own_or_rent(found, found.drawn).offers[0].usd_gpu_h["on_demand"].tolist())
    assert asked[0] == asked[2] != asked[1]


def test_a_late_grid_moves_revenue_but_not_what_is_spent() -> None:
    late = Plan(5, grid_months=18, delivery_months=6, ramp_months=12)
    assert (late.first_month, late.months_to_full_revenue, late.span_years) == (18, 30, 7)
    assert late.working().tolist() == pytest.approx([0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5])
    sells = late.selling()
    assert sells.sum() == pytest.approx(4.5)
    assert sells[1] == pytest.approx(0.125)  # half a year of a ramp from 0 to a half
    assert Plan(5, ramp_months=0).selling().tolist() == [1.0] * 5


def test_groups_sum_to_the_total_and_annuities_are_worth_the_capital_in_every_sample() -> None:
    found = books(PRICES, samples=500).drawn
    capital = found.capital
    assert np.abs(sum(capital.by_group[group] for group in GROUPS) / capital.total_usd - 1).max() < 1e-9
    assert np.abs(sum(line.usd for line in capital.lines) / capital.total_usd - 1).max() < 1e-9
    assert np.abs(sum(found.operation.by_item.values()) / found.operation.total_usd - 1).max() < 1e-9
    for asset in ASSETS[:-1]:
        rate, life = capital.prices["interest"], capital.life_years(asset)
        lines = [line for line in capital.lines if line.asset == asset]
        paid = sum(capital.annuity_usd(line) for line in lines) * (1.0 - (1.0 + rate) ** -life) / rate
        whole = capital.of_assets(asset)
        worth = whole * (1.0 - capital.residual_share(asset) / (1.0 + rate) ** life)
        assert np.abs(paid / worth - 1.0).max() < 1e-9
    assert np.quantile(capital.total_usd, 0.95) > 1.05 * np.quantile(capital.total_usd, 0.05)


def test_certain_prices_have_no_spread() -> None:
    drawn = books().drawn
    assert np.ptp(drawn.capital.total_usd) < 1e-6
    assert float(drawn.capital.total_usd[0]) == pytest.approx(float(books().likely.capital.total_usd[0]))
    assert float(drawn.capital.estimated_share[0]) < 1e-12
    assert {swing.price.id for swing in books().tornado()} == set()


def test_the_tornado_tells_what_each_price_moves_the_total_by() -> None:
    found = books(PRICES + "  EIA-42U: {low: 1000, likely: 4000, high: 9000, currency: USD}\n")
    swing = next(swing for swing in found.tornado() if swing.price.id == "EIA-42U")
    for usd, ends in ((1_000, swing.low_usd), (9_000, swing.high_usd)):
        at_end = books(PRICES + f"  EIA-42U: {usd} USD\n")
        assert float(at_end.likely.yearly_usd[0]) == pytest.approx(ends, rel=1e-9)
    widths = [swing.width_usd for swing in found.tornado()]
    assert widths == sorted(widths, reverse=True)


def test_colocation_rents_what_it_does_not_build() -> None:
    own, rented = books(), books(colocated=True)
    by = rented.likely.capital.by_group
    assert all(float(by[group][0]) == 0.0 for group in ("power", "substation", "cooling", "building", "soft"))
    rent = float(rented.likely.operation.by_item["colocation"][0])
    assert rent == pytest.approx(195 * 12 * own.bill.it_w / 1e3)
    assert float(rented.likely.operation.by_item["maintenance"][0]) == 0.0


def test_llama3_closes_and_no_share_called_network_and_substation_reaches_what_is_quoted() -> None:
    found = of_scene(load("builtin:llama3-16k").scenario, Plan(), 300, 1)
    capital = found.drawn.capital
    assert np.abs(sum(capital.by_group.values()) / capital.total_usd - 1).max() < 1e-9
    low, middle, high = (float(np.median(found.drawn.shares()[name])) for name in SHARES)
    assert 0.08 < low < 0.18
    assert low < middle < high < 0.46
    assert 0.30 < float(np.median(capital.share("gpu"))) < 0.50
    per = unit_costs(found)
    assert 1.2 < float(per["gpu_h_installed"].likely_usd[0]) < 2.6  # type: ignore[index]
    assert per["gpu_h_productive"].likely_usd is None
    assert found.notes == ()


REACTOR = "  - {id: smr, kind: smr, part: SMR-77MWe, at: utility}\n"


@pytest.mark.parametrize("cooled", [False, True], ids=["by its design load", "by its typical year"])
def test_a_hall_on_its_own_reactor_costs_more_than_nothing(cooled: bool) -> None:
    head = 'extends: builtin:lab-16\nformat: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: own\n'
    text = f"{head}power:\n{REACTOR}"
    if not cooled:
        text = SITE.replace("power:\n", f"power:\n{REACTOR}")
    found = of_scene(loads(text + "prices: {SMR-77MWe: 693000000 USD}").scenario, Plan(load=0.5), 50, 1)
    operation = found.likely.operation.by_item
    assert found.use.basis.startswith("typical year") is cooled
    assert float(operation["energy"][0]) == pytest.approx(0.0, abs=1e-6)
    assert float(operation["fuel"][0]) == pytest.approx(8.0 * found.use.own_kwh["smr"] / 1e3)
    assert found.use.own_kwh["smr"] > 0.5 * found.bill.it_w / 1e3 * 8760
    assert float(operation["generation_upkeep"][0]) == pytest.approx(150 * 77_000)
    assert float(found.likely.capital.by_group["generation"][0]) == 693_000_000
    assert float(found.likely.yearly_usd[0]) > 50e6


def test_a_run_on_its_own_reactor_pays_for_fuel_by_what_it_gave() -> None:
    head = 'extends: builtin:lab-16\nformat: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: own\n'
    scenario = loads(f"{head}power:\n{REACTOR}prices: {{fuel-smr: 8 USD}}").scenario
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.twinrun"
        simulate(scenario, until_s=3600.0, record=file)
        found = twin.cost(file, samples=2)
        with twin.open_run(file) as recorded:
            given_kwh = recorded.summary["facility"]["on_site_j"] / 3.6e6
    assert found.use.own_kwh == pytest.approx({"smr": given_kwh})
    operation = found.likely.operation.by_item
    assert float(operation["fuel"][0]) == pytest.approx(8.0 * given_kwh / 1e3 * 8760)
    assert float(operation["energy"][0]) < 1e-3 * float(operation["fuel"][0])


def test_a_gigawatt_of_nvl72_costs_about_what_others_say() -> None:
    """Epoch AI, as read 2026-11-23: 38 GUSD of capital for a gigawatt of site power, 8.5 a year with operation."""
    books = of_scene(load("builtin:nvl72-row").scenario, Plan(load=1.0), 2, 1)
    site_w = float(books.use.peaks_kw.max()) * 1e3
    assert float(books.likely.capital.total_usd[0]) / site_w == pytest.approx(38.0, rel=0.15)
    assert float(books.likely.yearly_usd[0]) / site_w == pytest.approx(8.5, rel=0.15)


def test_one_scene_costs_the_same_wherever_it_is_told() -> None:
    scenario = load("builtin:lab-16").scenario.model_copy(update={"seed": 7})
    catalog = catalog_of(scenario)
    told = twin.cost("lab-16").drawn.capital.total_usd
    (shown, *_) = money_figures(scenario, build(scenario, catalog), catalog)
    assert shown.usd == float(np.median(told)), "draws of the prices have no part in the seed of a run"
    asked = signature(cost_of).parameters
    assert (asked["samples"].default, asked["seed"].default) == (SAMPLES, SEED)
    assert told.shape == (SAMPLES,)


def test_the_carbon_of_a_year_says_at_which_load_it_is() -> None:
    books = twin.cost("lab-16")
    total = float(np.median(books.carbon(books.drawn).total_kg)) / 1e3
    said = carbon_words(books)
    assert said.startswith(
        f"Carbon of a year (typical year, racks at 80 % of their design power): {total:,.0f} t CO2e, "
    )
    scenario = load("builtin:lab-16").scenario
    plant = build(scenario, catalog_of(scenario))
    year = {
        figure.key: figure.words
        for figure in year_figures(typical_year(scenario, plant, catalog_of(scenario)))
    }
    assert year["carbon"].endswith(" t at 100 % load")
