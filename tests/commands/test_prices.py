"""What a scene costs: as far as prices are known, and with the word for what that leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.commands.budget.budget import budget, figure_words
from twin.commands.budget.part_load import part_load
from twin.commands.budget.prices import left_out, price_of
from twin.commands.edit.command import EditedScene
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit

SCENES = Path(__file__).parents[2] / "scenes"


def test_a_node_without_a_price_costs_at_least_what_its_gpus_do() -> None:
    catalog = load_catalog()
    node, gpu = catalog.node("GrandTeton-H100"), catalog.part("H100-SXM")
    assert node.price_usd is None
    assert gpu.price_usd is not None
    price = price_of(catalog, node.id)
    assert price.usd == 8 * gpu.price_usd
    assert price.leaves_out == "GrandTeton-H100 without GPUs"
    assert part_load(catalog, node.id).unpriced == ("GrandTeton-H100 without GPUs",)
    whole = price_of(catalog, "DGX-H100")
    assert (whole.usd, whole.leaves_out) == (catalog.node("DGX-H100").price_usd, "")


def test_every_part_is_counted_in_the_sum_or_among_what_it_leaves_out() -> None:
    found = budget(EditedScene.of(load(SCENES / "llama3-16k.twin.yaml")))
    assert found.unpriced["GrandTeton-H100"] == found.nodes == 2_144
    gpus_usd = 17_152 * price_of(load_catalog(), "GrandTeton-H100").usd / 8  # type: ignore[operator]
    assert found.cost_usd > gpus_usd
    assert found.unpriced_parts == sum(found.unpriced.values())
    words = left_out(load_catalog(), found.unpriced)
    assert words.startswith("2,144 GrandTeton-H100 without GPUs, 408 TH5-64x800G, ")
    assert words.endswith(" and 4 kinds more")
    assert figure_words("cost_usd", 550_528_000.0) == "550,500,000 USD"


@pytest.mark.parametrize("name", ["lab-16", "nvl72-row"])
def test_a_rack_more_adds_its_price_and_what_has_none(name: str) -> None:
    before = load(SCENES / f"{name}.twin.yaml")
    rows = before.scenario.halls[0].rows[0]
    path = f"halls[{before.scenario.halls[0].id}].rows[{rows.id}].racks.count"
    after = edit(before, Patch((Change(path, str(rows.racks.count + 1)),)))[0]
    first, second = (budget(EditedScene.of(one)) for one in (before, after))
    assert second.cost_usd > first.cost_usd
    assert set(second.unpriced) == set(first.unpriced)
