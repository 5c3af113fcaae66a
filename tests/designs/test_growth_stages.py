"""Growth stage by stage: what is needed, what is bought, what is thrown away, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.designs.growth_stages import (
    GrowthStage,
    SiteLimits,
    WantedStage,
    _Purchases,
    grown_stages,
)
from twin.designs.need_file import load_need
from twin.economics.capital import capital_of
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.prices import drawn_prices
from twin.economics.site_bill import bill_of, priced_bill, prices_of
from twin.planning.network.expansion_check import grow
from twin.plant.build import build
from twin.scenario import load

CATALOG = load_catalog()
LAB = load("builtin:lab-16").scenario
STAGES = (WantedStage("2026-07", 64), WantedStage("2028-01", 256))


@pytest.fixture(scope="module")
def stages() -> tuple[GrowthStage, ...]:
    return grown_stages(LAB, STAGES, CATALOG, SiteLimits(area_m2=150.0, power_w=500e3))


def test_each_stage_begins_where_the_one_before_ended(stages: tuple[GrowthStage, ...]) -> None:
    assert [stage.gpus for stage in stages] == [64, 256]
    for first, second in zip(stages[0].looks, stages[1].looks, strict=True):
        assert first.name == second.name
        if first.item == second.item:
            assert second.before == pytest.approx(first.after)
    whole = grow(LAB, 256, CATALOG)
    last = stages[1].growth
    assert last is not None
    assert last.gpus_after == whole.gpus_after


def test_floor_and_power_are_those_of_the_racks(stages: tuple[GrowthStage, ...]) -> None:
    looks = {look.name: look for look in stages[1].looks}
    # 32 DGX H100 of 8.4 kW with their switches, and at 31.7 C in Frankfurt 27 % more for cooling and losses.
    nodes_w = 32 * 8400.0
    assert 1.268 * nodes_w < looks["site power"].after < 1.27 * 1.05 * nodes_w
    assert looks["site power"].fits
    assert not looks["floor"].fits  # 198 m2 of 150
    assert (looks["power"].item, looks["power"].most) == ("utility/0", 50e3)
    assert not looks["power"].fits
    assert (looks["cooling"].item, looks["cooling"].most) == ("crah/0", 150e3)
    assert not looks["cooling"].fits
    assert [look.fits for look in stages[0].looks] == [True, True, False, True]


def test_what_is_bought_is_what_the_grown_site_costs_more(stages: tuple[GrowthStage, ...]) -> None:
    grown = grow(LAB, 64, CATALOG).scenario
    plants = [build(scene, CATALOG) for scene in (LAB, grown)]
    whole = bill_of(grown, plants[1], CATALOG)
    prices = drawn_prices(prices_of(grown, whole, CATALOG), SAMPLES, SEED)
    costs = [
        capital_of(priced_bill(bill_of(scene, plant, CATALOG), CATALOG, scene), prices).total_usd
        for scene, plant in zip((LAB, grown), plants, strict=True)
    ]
    assert stages[0].bought_usd == pytest.approx(costs[1] - costs[0], rel=1e-9)
    assert not stages[0].discards
    assert not stages[0].lost_usd.any()


def test_equipment_that_goes_before_its_life_loses_what_it_is_still_worth() -> None:
    growth = grow(LAB, 256, CATALOG)
    before, after = build(LAB, CATALOG), build(growth.scenario, CATALOG)
    torn = replace(growth, recabling=replace(growth.recabling, removed=10))
    spent, discards = _Purchases(LAB, CATALOG).stage(torn, LAB, before, after, "2028-01")
    kept, none = _Purchases(LAB, CATALOG).stage(growth, LAB, before, after, "2028-01")
    assert not none
    (cables,) = discards
    assert (cables.part, cables.count, cables.age_years) == (LAB.fabrics[0].cable, 10, 2.0)
    bill = bill_of(growth.scenario, after, CATALOG)
    prices = drawn_prices(prices_of(growth.scenario, bill, CATALOG), SAMPLES, SEED)
    left = 1.0 - (1.0 - prices["residual-it"]) * 2.0 / prices["life-it"]
    assert cables.usd == pytest.approx(10 * prices[cables.part] * left)
    assert (cables.usd < 10 * prices[cables.part]).all()
    assert np.median(spent) > np.median(kept)  # ten new ones come in their place


def test_of_several_purchases_the_oldest_go_first() -> None:
    growth = grow(LAB, 256, CATALOG)
    before, after = build(LAB, CATALOG), build(growth.scenario, CATALOG)
    bought = _Purchases(LAB, CATALOG)
    bought.stage(growth, LAB, before, after, "2027-01")  # 16 lie since 2026-01, 496 are new
    torn = replace(growth, recabling=replace(growth.recabling, removed=20))
    _, discards = bought.stage(torn, LAB, before, after, "2028-01")
    assert [(discard.count, discard.age_years) for discard in discards] == [(16, 2.0), (4, 1.0)]


def test_a_need_says_stages_and_limits() -> None:
    limits = SiteLimits.of(load_need("lab-16-to-256").need)
    assert (limits.power_w, limits.data_bytes, limits.area_m2) == (1e6, 200e12, None)
    first = grown_stages(LAB, (WantedStage("2027-04", 16),), CATALOG, limits)[0]
    assert first.growth is None
    assert first.gpus == 16
    assert "storage" in {look.name for look in first.looks}
