"""Rented nodes and contracts of a site stand in the general form of the scene, and are set there."""

from __future__ import annotations

import pytest
from test_app_no_keys_of_files import keys_in

from twin.app.inspector.property_fields import properties
from twin.app.inspector.property_values import command
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.delete import Delete
from twin.economics.rented_groups import rented_groups
from twin.scenario import loads
from twin.scenario.file.patch_text import edit

_MORE = """
rentals:
  - {id: spot, members: [gpu/0/1], terms: spot, shape: aws-p5}
site:
  power_purchases: [{id: sun, kind: solar, power: 10 kW}]
  heat_sales: [{id: town, demand: 3 kW, temperature: 30 degC}]
"""


def scene() -> EditedScene:
    text = """format: twin/scenario
version: 3
catalog: "2026.11"
title: rented
halls: [{id: hall, rows: [{id: gpu, racks: {count: 2, nodes: [{part: DGX-H100, count: 1}]}}]}]
"""
    return EditedScene.of(loads(text + _MORE))


def after(key: str, text: str) -> EditedScene:
    before = scene()
    field = next(one for one in properties(before, "") if one.key == key)
    done, inverse = edit(before.document, command(before, ("",), field, text).patch(before))
    assert edit(done, inverse)[0].text == before.document.text
    return EditedScene.of(done)


def test_a_rental_is_set_in_the_form_of_the_scene() -> None:
    assert after("rentals[spot].price", "1.9 USD/h").scenario.rentals[0].price_usd_s == pytest.approx(
        1.9 / 3600
    )
    assert after("rentals[spot].reclaim", "2 /day").scenario.rentals[0].reclaim_per_s == pytest.approx(
        2 / 86400
    )
    assert after("rentals[spot].shape", "gcp-a3").scenario.rentals[0].shape == "gcp-a3"
    with pytest.raises(CommandError, match="USD/h"):
        after("rentals[spot].price", "cheap")


def test_contracts_are_set_there_too() -> None:
    assert after("site.power_purchases[sun].power", "20 kW").scenario.site.power_purchases[0].power_w == 20e3
    assert after("site.heat_sales[town].below", "15 degC").scenario.site.heat_sales[
        0
    ].below_c == pytest.approx(15)


def test_what_stands_there_has_no_words_of_the_file() -> None:
    rented = [one for one in properties(scene(), "") if "[" in one.key]
    assert len(rented) > 15
    for one in rented:
        assert not keys_in(f"{one.title} {one.tip} {one.heading}"), one.key


def test_a_rental_outlives_its_rack() -> None:
    before = scene()
    done, _ = edit(before.document, Delete(("gpu/0/1",)).patch(before))
    assert done.scenario.rentals[0].members == ("gpu/0/1",)
    groups = rented_groups(done.scenario, EditedScene.of(done).plant, before.catalog)
    assert (len(groups[0].nodes), groups[0].names) == (0, ())
