"""A new part takes one entry in a file of the catalogue: commands, palette, scenes, runs and facts have it."""

from __future__ import annotations

from functools import partial

import pytest
from typer.testing import CliRunner

from tests.sim.sim_scenes import tiny
from twin.app.inspector.facts import facts_of
from twin.app.palette.model import items_of
from twin.app.world.rows import World, figure_rows
from twin.catalog import catalog, load_catalog
from twin.cli.app import app
from twin.plant.build import build
from twin.sim.engine.engine import Engine

ENTRY = """
  DGX-TOY:
    title: Toy node
    vendor: Toys
    height_u: {value: 6, source: est, status: estimated}
    depth: {value: 0.9 m, source: est, status: estimated}
    weight: {value: 99 kg, source: est, status: estimated}
    gpu: H100-SXM
    n_gpu: {value: 4, source: est, status: estimated}
    cpu: Xeon-8480C
    n_cpu: {value: 2, source: est, status: estimated}
    nics:
      - {part: CX-7-400G, count: 4, use: compute, source: est, status: estimated}
    scale_up_gpus: {value: 4, source: est, status: estimated}
    max: {value: 5200 W, source: est, status: estimated}
    idle: {value: 1000 W, source: est, status: estimated}
    overhead_idle: {value: 632 W, source: est, status: estimated}
    overhead_full: {value: 1400 W, source: est, status: estimated}
    memory: {value: 1 TB, source: est, status: estimated}
    nvme: {value: 15 TB, source: est, status: estimated}
    nvme_read: {value: 27 GB/s, source: est, status: estimated}
    nvme_write: {value: 16 GB/s, source: est, status: estimated}
    power_entry: psu
    psu_count: {value: 4, source: est, status: estimated}
    psu_needed: {value: 2, source: est, status: estimated}
    psu_capacity: {value: 3300 W, source: est, status: estimated}
    cooling: air
    liquid_fraction: {value: 0 %, source: est, status: estimated}
    airflow: {value: 600 CFM, source: est, status: estimated}
    inlet_min: {value: 5 degC, source: est, status: estimated}
    inlet_max: {value: 30 degC, source: est, status: estimated}
    price: {value: 160000 USD, low: 130000 USD, high: 200000 USD, date: "2026-11", source: est, status: estimated}
"""


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the entry in the shipped file of nodes."""
    texts = catalog.shipped_texts()
    with_toy = {**texts, "nodes.yaml": texts["nodes.yaml"].rstrip() + "\n" + ENTRY}
    made = catalog.catalog_from_texts(with_toy)
    monkeypatch.setattr(catalog, "_shipped", lambda: made)


def test_commands_list_show_and_check_it() -> None:
    ask = partial(CliRunner().invoke, app, catch_exceptions=False)
    assert "Toy node" in ask(["catalog", "list", "--kind", "node"]).stdout
    assert "5200 W" in ask(["catalog", "show", "DGX-TOY"]).stdout
    checked = ask(["catalog", "check"])
    assert checked.exit_code == 0
    assert "DGX-TOY" not in checked.stdout


def test_the_palette_offers_it() -> None:
    (item,) = (item for item in items_of(load_catalog()) if item.id == "DGX-TOY")
    assert (item.group, item.title) == ("Nodes", "Toy node")
    assert item.figures


def test_a_scene_builds_and_runs_with_it() -> None:
    scenario = tiny(part="DGX-TOY")
    plant = build(scenario, load_catalog())
    assert plant.nodes.gpu_count.tolist() == [4, 4, 4, 4]
    engine = Engine(scenario, 1)
    engine.advance(3600.0)
    assert engine.jobs.rows[0].gpus == 8
    world = World(scenario, plant, load_catalog(), None)
    facts = facts_of(world, plant.nodes.ids[0])
    assert facts is not None
    assert facts.subtitle == "DGX-TOY, 4 GPUs"
    assert {row.label: row.badge for row in figure_rows(world, "DGX-TOY")}["Weight"] == "estimated"
