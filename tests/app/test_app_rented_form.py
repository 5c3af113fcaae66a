"""Rented nodes and contracts of a site stand in the general form of the scene, and are set there."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_app_no_keys_of_files import keys_in

from twin.app.inspector.property_fields import properties
from twin.app.inspector.property_values import command
from twin.app.toolkit.clock import Clock
from twin.app.world.outage_rows import outage_rows
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.delete import Delete
from twin.economics.rented_groups import rented_groups
from twin.record.channels import NodeCondition
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
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
    field = next(field for field in properties(before, "") if field.key == key)
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


def test_the_page_of_a_reclaimed_node_says_so_and_when_it_is_back() -> None:
    plant = scene().plant
    frame = Frame.empty(FrameLayout({"node": len(plant.nodes.ids)}, plant.epoch), 4000.0)
    frame.values["node.condition"][1] = NodeCondition.RECLAIMED
    node, data = plant.nodes.ids[1], {"lasts_s": 7200.0}
    taken = Event(0, 3600.0, "reclaimed", node, Severity.NOTICE, "reclaimed by its owner (spot)", data)
    world = World(scene().scenario, plant, load_catalog(), frame, (taken,))
    rows = {row.label: row.value for row in outage_rows(world, 1)}
    assert rows["Node"] == "reclaimed"
    assert rows["Cause"] == "Node reclaimed"
    assert rows["Expected back"] == Clock.of(scene().scenario).says(10_800.0)


def test_the_dock_has_rented_nodes_and_the_crossing_of_spot(use_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "half.twin.yaml"
    spot = "rentals: [{id: spot, members: [gpu/0/0], terms: spot, shape: aws-p5, price: 5 USD/h}]"
    path.write_text(
        f'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: half\nextends: builtin:lab-16\n{spot}\n'
    )
    window = use_window(path)
    window.docks.enter("design")
    window.docks.show_roomy("money")
    dock = window.docks.money
    qtbot.waitUntil(lambda: dock.found is not None and not dock.waits and bool(dock.found.books.rented))
    assert "Rented nodes" in [row.title for row in dock.year.rows]
    dock.show_page("rent")
    crossing = [(offer.id, way) for offer, way, _, _ in dock.rent.crossings()]
    assert ("spot", "spot") in crossing
    assert ("spot", "on_demand") not in crossing  # nobody offers that: the price asked is of spot
    assert ("aws-p5", "on_demand") in crossing
    own = dock.offers.rows[0]
    assert own.cells[1:3] == ("", "")
    assert float(own.cells[3]) > 5.0
    assert dock.rent.found.offers[0].vendor == "This scene"
    assert "what powers, cools and houses them is their owner's" in dock.shares.text()
    assert "spot" not in dock.found.scene_prices


def test_contracts_are_set_there_too() -> None:
    assert after("site.power_purchases[sun].power", "20 kW").scenario.site.power_purchases[0].power_w == 20e3
    assert after("site.heat_sales[town].below", "15 degC").scenario.site.heat_sales[
        0
    ].below_c == pytest.approx(15)


def test_what_stands_there_has_no_words_of_the_file() -> None:
    rented = [field for field in properties(scene(), "") if "[" in field.key]
    assert len(rented) > 15
    for field in rented:
        assert not keys_in(f"{field.title} {field.tip} {field.heading}"), field.key


def test_a_rental_outlives_its_rack() -> None:
    before = scene()
    done, _ = edit(before.document, Delete(("gpu/0/1",)).patch(before))
    assert done.scenario.rentals[0].members == ("gpu/0/1",)
    groups = rented_groups(done.scenario, EditedScene.of(done).plant, before.catalog)
    assert (len(groups[0].nodes), groups[0].names) == (0, ())
