"""What sources on site give beside the utility: limits, rules, room of a drag and figures count it alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from twin.catalog import load_catalog
from twin.commands.budget.budget import budget
from twin.commands.budget.power_room import PowerRoom
from twin.commands.edit.command import EditedScene
from twin.plant.build import build
from twin.plant.design_load import DesignLoad
from twin.report.limits.load_limits import FEED, SOURCE, LoadLimit, full_load_words, limits_of, limits_words
from twin.rules.check import check
from twin.scenario import Scenario, loads
from twin.scenario.file.load import Document

CATALOG = load_catalog()
LOAD_W = 4 * 8.4e3
"""Two racks of two DGX H100 each, 8.4 kW a node in training; stages without a part lose nothing [W]."""


def document(*sources: dict[str, Any], limit_w: float = 50e3) -> Document:
    """Return a hall below a switchgear below the utility, and sources."""
    rows = {"id": "gpu", "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 2}]}}
    scene = {
        **{"format": "twin/scenario", "version": 3, "catalog": "2026.11", "title": "t"},
        "halls": [{"id": "hall", "rows": [rows]}],
        "power": [
            {"id": "utility", "kind": "utility", "capacity": f"{limit_w} W"},
            {"id": "main", "kind": "switchgear", "from": "utility"},
            {"id": "pdu", "kind": "pdu", "from": "main", "feeds": ["gpu"], "capacity": "100 kW"},
            *({"at": "main", **source} for source in sources),
        ],
    }
    return loads(json.dumps(scene))


def site(*sources: dict[str, Any], limit_w: float = 50e3) -> Scenario:
    """Return the scenario of that document."""
    return document(*sources, limit_w=limit_w).scenario


def utility_of(scenario: Scenario) -> LoadLimit:
    """Return the limit of the utility."""
    found = limits_of(scenario, build(scenario, CATALOG), CATALOG)
    return next(limit for limit in found.limits if limit.title == "utility")


def gas(**more: Any) -> dict[str, Any]:
    """Return gas engines of 10 kW each."""
    return {"id": "gas", "kind": "gas", "capacity": "10 kW", **more}


@pytest.mark.parametrize(
    ("source", "given_w", "short_w"),
    [
        (None, 0.0, 0.0),
        (gas(), 10e3, 0.0),
        (gas(output="50 %"), 5e3, 0.0),
        (gas(units=2), 20e3, 10e3),
        (gas(units=2, output="80 %"), 16e3, 10e3),
        (gas(units=3, needed=2), 20e3, 20e3),
        (gas(kind="smr"), 10e3, 0.0),
        (gas(units=2, at="utility"), 20e3, 10e3),
        (gas(units=6), LOAD_W, LOAD_W),
        (gas(kind="generator"), 0.0, 0.0),
        (gas(kind="solar"), 0.0, 0.0),
        (gas(kind="battery", energy="100 kWh"), 0.0, 0.0),
    ],
)
def test_the_utility_carries_what_sources_do_not_give_at_any_hour(
    source: dict[str, Any] | None, given_w: float, short_w: float
) -> None:
    """With all at work, and with a unit of the source lost: those left give up to their rating; nothing flows back."""
    limit = utility_of(site(*([source] if source else [])))
    assert limit.load_w == pytest.approx(LOAD_W - given_w)
    assert limit.lost_w == pytest.approx(LOAD_W - short_w)
    assert limit.lost == (SOURCE if short_w < given_w else "")
    assert limit.share == pytest.approx((LOAD_W - short_w) / 50e3)
    assert limit.holds == pytest.approx((50e3 + short_w) / LOAD_W), "sources give the same of any load"


def test_the_part_of_the_load_up_to_which_all_holds_counts_sources_once() -> None:
    """20 kW of the utility and 10 kW of one engine that is left of two carry 89 % of 33.6 kW."""
    scenario = site(gas(units=2), limit_w=20e3)
    found = limits_of(scenario, build(scenario, CATALOG), CATALOG)
    assert found.beside_w == 20e3
    assert found.supply_w == pytest.approx(LOAD_W), "as much as without them"
    assert "utility 118 %" in limits_words(found, None)
    assert "All hold up to 89 % of that power" in limits_words(found, None)
    assert "give 20.00 kW of it beside the utility at any hour" in full_load_words(found, None)


def test_an_item_that_is_the_bus_carries_all_of_it_and_one_that_sources_join_the_rest() -> None:
    for at in ("main", "utility"):
        scenario = site(gas(units=2, at=at))
        plant = build(scenario, CATALOG)
        load = DesignLoad(plant, CATALOG)
        carried_w = dict(zip(plant.power.ids, load.carried_w(load.out_w()).tolist(), strict=True))
        assert carried_w["utility/0"] == pytest.approx(LOAD_W - 20e3)
        assert carried_w["main/0"] == carried_w["pdu/0"] == pytest.approx(LOAD_W)


def test_rules_figures_and_the_room_of_a_drag_say_the_same() -> None:
    """A utility of 30 kW is overloaded alone; with 20 kW beside it, not, until 16.4 kW more come."""
    for sources, over in ((), True), ((gas(units=2),), False):
        scenario = site(*sources, limit_w=30e3)
        plant = build(scenario, CATALOG)
        rules = {found.rule for found in check(scenario, plant, CATALOG).findings}
        assert ("power-capacity" in rules) is over
    assert budget(EditedScene.of(document(gas(units=2)))).grid_w == pytest.approx(LOAD_W - 20e3)
    fullest = PowerRoom(plant, CATALOG).with_more(16.4e3, 0)
    assert fullest is not None
    assert (fullest.id, fullest.before) == ("utility/0", pytest.approx((LOAD_W - 20e3) / 30e3))
    assert fullest.after == pytest.approx(1.0)


def test_a_feed_lost_counts_beside_sources() -> None:
    """Of two PDUs of one switchgear, each draws all where the other is lost."""
    scenario = site(gas())
    second = scenario.power[2].model_copy(update={"id": "pdu-b"})
    both = scenario.model_copy(update={"power": (*scenario.power[:3], second, *scenario.power[3:])})
    found = limits_of(both, build(both, CATALOG), CATALOG)
    limits = {limit.title: limit for limit in found.limits}
    assert (limits["PDUs"].lost, limits["PDUs"].lost_w) == (FEED, pytest.approx(LOAD_W))
    assert (limits["utility"].load_w, limits["utility"].lost) == (pytest.approx(LOAD_W - 10e3), SOURCE)
