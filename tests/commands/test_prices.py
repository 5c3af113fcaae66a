"""What a scene costs: as far as prices are known, and with the word for what that leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.commands.budget.budget import budget, figure_words
from twin.commands.budget.part_load import part_load
from twin.commands.budget.prices import left_out
from twin.commands.edit.command import EditedScene
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit

SCENES = Path(__file__).parents[2] / "scenes"


def test_a_part_without_a_price_is_named_in_what_a_sum_leaves_out() -> None:
    catalog = load_catalog()
    assert part_load(catalog, "Host-memory").unpriced == ("Host-memory",)
    assert part_load(catalog, "DGX-H100").cost_usd == catalog.node("DGX-H100").price_usd
    assert left_out({"A": 3, "B": 2_144, "C": 1, "D": 1, "E": 1}) == "2,144 B, 3 A, 1 C and 2 kinds more"
    assert figure_words("cost_usd", 550_528_000.0) == "550,500,000 USD"


def test_the_cost_of_a_scene_is_that_of_all_its_parts_with_nothing_twice() -> None:
    scene = EditedScene.of(load(SCENES / "lab-16.twin.yaml"))
    counts = {"DGX-H100": 2, "EIA-48U": 2, "QM9700": 1, "MMF-400G-SR4": 16, "chiller-air-cooled-30": 1}
    known = sum((scene.catalog.part(name).price_usd or 0.0) * n for name, n in counts.items())
    found = budget(scene)
    assert found.unpriced == {}
    assert found.cost_usd >= known
    llama = budget(EditedScene.of(load(SCENES / "llama3-16k.twin.yaml")))
    assert llama.cost_usd > 2_144 * (load_catalog().node("GrandTeton-H100").price_usd or 0.0)


@pytest.mark.parametrize("name", ["lab-16", "nvl72-row"])
def test_a_rack_more_adds_its_price_and_what_has_none(name: str) -> None:
    before = load(SCENES / f"{name}.twin.yaml")
    rows = before.scenario.halls[0].rows[0]
    path = f"halls[{before.scenario.halls[0].id}].rows[{rows.id}].racks.count"
    after = edit(before, Patch((Change(path, str(rows.racks.count + 1)),)))[0]
    first, second = (budget(EditedScene.of(one)) for one in (before, after))
    assert second.cost_usd > first.cost_usd
    assert set(second.unpriced) == set(first.unpriced)
