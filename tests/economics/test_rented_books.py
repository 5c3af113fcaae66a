"""Books of sites with rented nodes: nothing of them is bought, their use is paid, and all sums close."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
import pytest

import twin
from tests.economics.hand_case import SITE
from twin.api.cost import ledger_of, of_recorded, of_scene
from twin.catalog import load_catalog
from twin.cli.text.cost import print_cost
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.own_or_rent import own_or_rent
from twin.economics.rented_groups import rented_groups
from twin.plant.build import build
from twin.report.run_money import books_of_site
from twin.scenario import loads
from twin.units import render

HOURS = 8760.0


def books(*rentals: str, samples: int = 50) -> SiteBooks:
    """Return the books of four nodes of eight H100 with rentals, each in lines of YAML."""
    text = SITE + ("rentals:\n" + "\n".join(f"  - {{{rental}}}" for rental in rentals) if rentals else "")
    return of_scene(loads(text).scenario, Plan(load=0.5), samples)


def test_a_site_that_is_all_rented_costs_its_rent_alone() -> None:
    found = books("id: all, price: 2 USD/h")
    assert float(found.likely.capital.total_usd[0]) == 0.0
    assert float(found.likely.yearly_usd[0]) == pytest.approx(32 * 2 * 0.5 * HOURS)
    assert {item for item, usd in found.likely.operation.by_item.items() if usd.any()} == {"rent"}
    reserved = books("id: all, price: 2 USD/h, terms: reserved")
    assert float(reserved.likely.yearly_usd[0]) == pytest.approx(32 * 2 * HOURS)
    away = books("id: all, price: 2 USD/h, terms: marketplace, up: 3 h, away: 1 h")
    assert float(away.likely.yearly_usd[0]) == pytest.approx(32 * 2 * 0.5 * 0.75 * HOURS)


def test_a_rented_hall_says_the_power_of_its_racks_and_whose_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, rented = books(), books("id: all, price: 2 USD/h")
    half = books("id: half, members: [gpu/0/0], price: 2 USD/h")
    assert (whole.bill.rented_w, rented.bill.it_w) == (0.0, 0.0)
    assert half.bill.rented_w == pytest.approx(half.bill.it_w) == pytest.approx(whole.bill.it_w / 2)
    power = str(render(whole.bill.it_w, "power", 3))
    assert not any("their owner's" in note for note in whole.notes)
    (note,) = (note for note in rented.notes if "their owner's" in note)
    assert f"{power} of {power} of racks" in note
    assert note in unescape(books_of_site(rented))
    print_cost("all", rented)
    assert f"32 H100-SXM (32 rented), {power} of racks" in " ".join(capsys.readouterr().out.split())


def test_of_a_site_that_is_half_rented_the_other_half_is_bought() -> None:
    whole, half = books(), books("id: half, members: [gpu/0/0], price: 2 USD/h")
    assert half.bill.gpus == whole.bill.gpus
    assert half.bill.owned_share == pytest.approx(0.5)
    for group in ("gpu", "chassis"):
        assert half.bill.counts(group) == {name: n / 2 for name, n in whole.bill.counts(group).items()}
    assert half.likely.capital.by_group["power"][0] == pytest.approx(
        whole.likely.capital.by_group["power"][0] / 2
    )
    total = sum(half.drawn.operation.by_item.values())
    assert np.abs(total / half.drawn.operation.total_usd - 1).max() < 1e-9
    assert half.owned is not None
    assert (half.owned.drawn.yearly_usd == whole.drawn.yearly_usd).all()
    assert half.owned.likely.operation.by_item["rent"][0] == 0.0


def test_steps_of_a_price_count_by_the_time_that_they_last_in_a_year() -> None:
    steps = "price_steps: [{at: 0 s, price: 2 USD/h}, {at: 8 h, price: 4 USD/h}]"
    found = books(f"id: all, terms: reserved, {steps}")
    assert float(found.likely.yearly_usd[0]) == pytest.approx(32 * (2 * 8 + 4 * (HOURS - 8)))
    later = steps.replace("8 h", "2 year")
    assert float(books(f"id: all, terms: reserved, {later}").likely.yearly_usd[0]) == pytest.approx(
        32 * 2 * HOURS
    )


def test_a_price_of_the_catalogue_has_a_range_and_one_of_the_scene_none() -> None:
    listed = books("id: spot, shape: aws-p5, terms: spot, away: 0 s, reclaim: 0 /day")
    rent = listed.drawn.operation.by_item["rent"]
    assert rent.std() > 0.0
    assert float(listed.likely.operation.by_item["rent"][0]) == pytest.approx(4 * 55.04 * 0.3 * 0.5 * HOURS)
    assert "rent-spot" in [swing.price.id for swing in listed.tornado()]
    stated = books("id: spot, shape: aws-p5, terms: spot, price: 2 USD/h").drawn.operation.by_item["rent"]
    assert stated.std() == 0.0


def test_a_rental_stands_beside_the_same_site_owned() -> None:
    whole, spot = books(), books("id: spot, shape: aws-p5, terms: spot, price: 2 USD/h, reclaim: 1 /day")
    both, owned = own_or_rent(spot, spot.drawn), own_or_rent(whole, whole.drawn)
    assert (both.owned_usd_gpu_h == owned.owned_usd_gpu_h).all()
    offer, *listed = both.offers
    assert (offer.id, offer.gpus) == ("spot", 8)
    assert [offer.id for offer in listed] == [offer.id for offer in owned.offers]
    kept = 2.0 / float(offer.usd_gpu_h["spot"][-1][0])
    assert 0.9 < kept < 1800 / 1820  # the restart after reclaims, and writes


@pytest.mark.parametrize(
    ("terms", "way"),
    [
        ("on-demand", "on_demand"),
        ("reserved", "reserved"),
        ("spot", "spot"),
        ("marketplace", "marketplace"),
    ],
)
@pytest.mark.parametrize("shape", ["", "shape: aws-p5, "])
def test_a_rental_is_offered_by_its_own_terms_alone(terms: str, way: str, shape: str) -> None:
    reclaims = ", reclaim: 1 /day, notice: 0 s" if terms in ("spot", "marketplace") else ""
    found = books(f"id: mine, {shape}terms: {terms}, price: 2 USD/h{reclaims}")
    offer, *listed = own_or_rent(found, found.drawn).offers
    assert set(offer.usd_gpu_h) == {way}
    assert set(offer.break_even) == {way} - {"reserved"}
    usd = offer.usd_gpu_h[way][-1]
    assert (usd > 2.05).all() if reclaims else usd == pytest.approx(np.full(usd.shape, 2.0))
    assert all(set(cloud.usd_gpu_h) == {"on_demand", "reserved", "spot"} for cloud in listed)


@pytest.fixture(scope="module", params=["on-demand", "reserved"])
def run(request: pytest.FixtureRequest) -> Any:
    rental = {"id": "half", "members": ["gpu/0/0"], "price": "2 USD/h", "terms": request.param}
    with twin.load("lab-16").run(until="6 h", set={"rentals": [rental]}) as made:
        yield made


def test_the_ledger_with_rent_closes_in_every_sample(run: twin.Run) -> None:
    found = of_recorded(run, Plan(), 100)
    ledger = ledger_of(run, found)
    assert np.abs(ledger.total_usd / found.period_usd(found.drawn) - 1).max() < 1e-9
    accounts = ledger.account_usd().sum(axis=0)
    jobs = ledger.job_usd().sum(axis=0)
    assert np.abs(accounts / jobs - 1).max() < 1e-9
    assert ledger.rental_usd is not None
    assert ledger.rental_share is not None
    cost = run.summary["rentals"]["half"]["cost_usd"]
    assert ledger.rental_usd.sum(axis=0) == pytest.approx(np.full(100, cost))
    assert ledger.rental_share.sum() == pytest.approx(1.0)


def test_prices_by_the_hour_are_summed_over_the_hours_of_the_year() -> None:
    scenario = loads(SITE + "rentals:\n  - {id: all, price: 1 USD/h}\n").scenario
    from twin.scenario.schema.hourly_text import pack

    hours = np.arange(8760) % 24 + 1.0
    rental = scenario.rentals[0].model_copy(
        update={"price_usd_s": None, "hours": pack({"price": hours * 1e3})}
    )
    catalog = load_catalog()
    made = scenario.model_copy(update={"rentals": (rental,)})
    group = rented_groups(made, build(made, catalog), catalog)[0]
    day, year = 86400.0, 8760 * 3600.0
    assert group.usd(0, 0.0, day, 0.0) == pytest.approx(8 * hours[:24].sum())
    assert group.usd(0, 1800.0, 3600.0, 5 * 3600.0) == pytest.approx(8 * 6.0 / 2)
    assert group.usd(0, 0.0, 2 * year, 7 * day) == pytest.approx(2 * 8 * hours.sum())
