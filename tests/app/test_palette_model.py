"""What the palette offers and counts, without a window."""

from __future__ import annotations

import pytest

from twin.app.palette.model import GROUPS, counts, found, items_of, tip_of
from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.place import AddPart
from twin.commands.room.prefabs import PREFABS, AddPrefab
from twin.scenario import load, loads
from twin.scenario.file.patch_text import apply

CATALOG = load_catalog()
EMPTY = """format: twin/scenario
version: 3
catalog: "2026.11"
title: Untitled
halls:
  - {id: hall}
"""


def test_every_part_of_the_palette_can_be_put_into_an_empty_hall() -> None:
    items = items_of(CATALOG)
    assert {one.group for one in items} == {title for title, _ in GROUPS}
    assert len({one.id for one in items}) == len(items)
    scene = EditedScene.of(loads(EMPTY), catalog=CATALOG)
    for item in items:
        command = AddPrefab(item.prefab, at=(2.0, 2.0)) if item.prefab else AddPart(item.part, at=(2.0, 2.0))
        if item.kind == "rdhx":  # hangs on racks
            with pytest.raises(CommandError, match="drop it on a rack"):
                command.patch(scene)
            continue
        after = EditedScene.of(apply(scene.document, command.patch(scene)), catalog=CATALOG)
        assert counts(after.plant), item.id
        if not item.prefab:
            assert counts(after.plant)[item.part].there >= 1, item.id


def test_figures_and_tips_say_what_is_known() -> None:
    by_id = {one.id: one for one in items_of(CATALOG)}
    assert by_id["DGX-H100"].figures == "8 GPUs, 8.40 kW design load, 8 U, 130 kg"
    assert by_id["QM9700"].figures.startswith("64 x 400 Gb/s")
    assert by_id["CDU-inrow-1350"].figures.startswith("removes 1.35 MW")
    assert "published" in by_id["DGX-H100"].source
    assert "max w" in tip_of(CATALOG, by_id["DGX-H100"])
    assert PREFABS["nvl72-row"].says in tip_of(CATALOG, by_id["nvl72-row"])


def test_search_finds_by_name_id_and_kind() -> None:
    items = items_of(CATALOG)
    assert found(items, "") == items
    assert found(items, "nvl72")[0].id in ("GB200-NVL72", "nvl72-row", "GB300-NVL72")
    assert {one.kind for one in found(items, "transformer")[:2]} == {"transformer"}
    assert found(items, "qqqqzz") == []


def test_the_counter_knows_what_is_connected() -> None:
    pod = EditedScene.of(load("builtin:superpod-h100"), catalog=CATALOG)
    there = counts(pod.plant)
    assert (there["DGX-H100"].there, there["DGX-H100"].loose) == (32, 0)
    assert (there["QM9700"].there, there["QM9700"].loose) == (12, 0)
    assert there["CRAH-chilled"].there == 4
    assert sum(one.loose for one in there.values()) == 0
    more = apply(pod.document, AddPart("DGX-H100", at=(30.0, 30.0), count=3).patch(pod))
    after = counts(EditedScene.of(more, catalog=CATALOG).plant)
    assert (after["DGX-H100"].there, after["DGX-H100"].loose) == (35, 3)
    more = apply(pod.document, AddPart("QM9700", at=(30.0, 30.0), count=2).patch(pod))
    after = counts(EditedScene.of(more, catalog=CATALOG).plant)
    assert (after["QM9700"].there, after["QM9700"].loose) == (14, 2)
    more = apply(pod.document, AddPart("CDU-inrow-1350", at=(30.0, 30.0)).patch(pod))
    assert counts(EditedScene.of(more, catalog=CATALOG).plant)["CDU-inrow-1350"].loose == 1
    assert counts(None) == {}
