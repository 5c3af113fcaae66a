"""Who feels a failure, who only loses redundancy, and the way from a GPU to the grid and the sky."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from demo_scenes import nvl72_rows, scene, superpod

from twin.plant.build import build
from twin.plant.dependencies import blast_radius, house_supply, live_items, loops_under, plants_under, trace
from twin.plant.find import find
from twin.plant.graph import nodes_under
from twin.plant.tables import Plant


def slot(plant: Plant, name: str) -> int:
    found = find(plant, name)
    assert found is not None
    return found[1]


def fed(*stages: dict[str, Any], rows: int = 1) -> Plant:
    """Return NVL72 racks with loops cdu, crah and plant fws on these stages of power."""
    return build(
        nvl72_rows(rows, 4).model_copy(update={"power": scene(halls=[{"id": "h"}], power=list(stages)).power})
    )


TWO_N = (
    {"id": "grid", "kind": "utility", "count": 2},
    {"id": "a", "kind": "ups", "from": "grid", "feeds": ["nvl", "cdu"]},
    {"id": "b", "kind": "ups", "from": "grid", "feeds": ["nvl", "cdu"]},
    {"id": "house", "kind": "pdu", "from": "grid", "feeds": ["fws"]},
)


def test_one_of_two_feeds_costs_redundancy_alone() -> None:
    plant = fed(*TWO_N)
    hit = blast_radius(plant, "power", slot(plant, "a/0"))
    assert not len(hit.nodes)
    assert not len(hit.racks)
    assert not len(hit.loops)
    assert len(hit.thinned) == 72
    assert hit.racks_thinned.tolist() == [0, 1, 2, 3]
    assert [plant.loops.ids[k] for k in hit.loops_thinned] == ["cdu/0", "cdu/1"]
    assert not len(hit.plants)
    assert not len(hit.plants_thinned)


def test_chillers_on_one_feed_take_the_hall_along_when_it_goes() -> None:
    plant = fed(*TWO_N)
    hit = blast_radius(plant, "power", slot(plant, "house/0"))
    assert [plant.plants.ids[k] for k in hit.plants] == ["fws"]
    assert len(hit.loops) == 3  # what nobody cools cools nobody
    assert len(hit.nodes) == 72
    assert plants_under(plant, "power", slot(plant, "house/0")).tolist() == hit.plants.tolist()
    assert loops_under(plant, "plant", 0).tolist() == [0, 1, 2]


def test_what_has_no_feed_lives_while_a_root_does() -> None:
    plant = fed(
        {"id": "grid", "kind": "utility"}, {"id": "pdu", "kind": "pdu", "from": "grid", "feeds": ["nvl"]}
    )
    only = slot(plant, "grid/0")
    assert not house_supply(plant, live_items(plant, only))
    assert len(blast_radius(plant, "power", only).plants) == 1
    assert not len(blast_radius(plant, "power", slot(plant, "pdu/0")).plants)
    assert len(blast_radius(plant, "power", slot(plant, "pdu/0")).nodes) == 72


@pytest.mark.parametrize(
    ("more", "lives"),
    [
        ({"id": "gen", "kind": "generator", "at": "board"}, True),
        ({"id": "gas", "kind": "gas", "at": "board"}, True),
        ({"id": "bess", "kind": "battery", "at": "board"}, False),  # minutes, not for long
        ({"id": "sun", "kind": "solar", "at": "board"}, False),
    ],
)
def test_a_source_beside_an_item_keeps_what_hangs_on_it(more: dict[str, Any], lives: bool) -> None:
    plant = fed(
        {"id": "grid", "kind": "utility"},
        {"id": "board", "kind": "switchgear", "from": "grid", "feeds": ["nvl"]},
        more,
    )
    assert (len(blast_radius(plant, "power", slot(plant, "grid/0")).nodes) == 0) == lives
    assert len(blast_radius(plant, "power", slot(plant, "board/0")).nodes) == 72
    source = slot(plant, f"{more['id']}/0")
    assert not len(blast_radius(plant, "power", source).nodes)
    assert len(nodes_under(plant, "power", source)) == 72


def test_a_source_at_the_output_of_what_fails_goes_on_where_the_bus_survives() -> None:
    for kind, survives in (("transformer", True), ("switchgear", False)):
        plant = fed(
            {"id": "grid", "kind": "utility"},
            {"id": "board", "kind": kind, "from": "grid", "feeds": ["nvl", "cdu", "crah", "fws"]},
            {"id": "gen", "kind": "generator", "at": "board"},
        )
        assert (len(blast_radius(plant, "power", slot(plant, "board/0")).nodes) == 0) == survives


def test_a_transfer_switch_takes_over() -> None:
    plant = fed(
        {"id": "grid", "kind": "utility"},
        {"id": "other", "kind": "utility"},
        {"id": "pdu", "kind": "pdu", "from": "grid", "or_from": "other", "feeds": ["nvl"]},
    )
    for name in ("grid/0", "other/0"):
        assert not len(blast_radius(plant, "power", slot(plant, name)).nodes)
    seen = trace(plant, "gpu", 0)
    assert [plant.power.ids[k] for k in seen.power_a] == ["pdu/0", "grid/0"]
    assert [plant.power.ids[k] for k in seen.spares] == ["other/0"]


def test_the_way_from_a_gpu_to_the_grid_and_to_the_sky() -> None:
    plant = fed(*TWO_N)
    last = int(np.flatnonzero(plant.gpus.rack == 3)[0])
    seen = trace(plant, "gpu", last)
    assert [plant.power.ids[k] for k in seen.power_a] == ["a/0", "grid/0"]
    assert [plant.power.ids[k] for k in seen.power_b] == ["b/0", "grid/0"]
    assert [plant.loops.ids[k] for k in seen.loops] == ["cdu/1", "crah/0"]
    assert [plant.plants.ids[k] for k in seen.plants] == ["fws"]
    assert seen.racks == (3,)
    assert trace(plant, "loop", slot(plant, "cdu/0")).power_b == seen.power_b
    assert trace(plant, "plant", 0).power_a == tuple(slot(plant, k) for k in ("house/0", "grid/0"))


@pytest.mark.parametrize("make", [lambda: build(superpod(2)), lambda: fed(*TWO_N, rows=2)])
def test_nobody_is_hit_and_spared_at_once(make: Any) -> None:
    plant: Plant = make()
    for name, (kind, where) in plant.slots.items():
        hit = blast_radius(plant, kind, where)
        for one, other in (
            (hit.nodes, hit.thinned),
            (hit.racks, hit.racks_thinned),
            (hit.loops, hit.loops_thinned),
            (hit.plants, hit.plants_thinned),
        ):
            assert not set(one.tolist()) & set(other.tolist()), name
        if kind in ("node", "rack", "row", "hall", "loop", "plant"):
            assert set(nodes_under(plant, kind, where).tolist()) <= set(hit.nodes.tolist()), name
        trace(plant, kind, where)
