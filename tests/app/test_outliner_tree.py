"""The outliner's trees: what hangs where, what is made when, what a search keeps."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from twin.app.outliner.tree import MODES, Mode, OutlinerItem, found, matcher, root, ways
from twin.commands.edit.command import EditedScene
from twin.scenario import load

_SCENES = Path(__file__).parents[2] / "scenes"


@cache
def scene(name: str) -> EditedScene:
    return EditedScene.of(load(_SCENES / f"{name}.twin.yaml"))


def tree(name: str, mode: Mode) -> OutlinerItem:
    return root(mode, scene(name).scenario, scene(name).plant)


def made(item: OutlinerItem) -> int:
    """Return how many lines there are, of those that somebody has looked at."""
    return sum(1 + made(inside) for inside in item.inside or [])


def ids(item: OutlinerItem) -> list[str]:
    return [item.seed.id, *(id for inside in item.children() for id in ids(inside))]


@pytest.mark.parametrize("mode", MODES)
def test_a_large_tree_is_a_handful_of_lines_until_it_is_opened(mode: Mode) -> None:
    top = tree("llama3-16k", mode)
    assert top.children()
    assert made(top) < 20


@pytest.mark.parametrize("mode", ["place", "type"])
def test_everything_that_stands_is_listed(mode: Mode) -> None:
    plant, listed = scene("lab-16").plant, set(ids(tree("lab-16", mode)))
    assert set(plant.racks.ids) | set(plant.nodes.ids) | set(plant.switches.ids) <= listed
    assert set(plant.power.ids) | set(plant.loops.ids) <= listed
    gpus = {plant.gpu_id(gpu) for gpu in range(len(plant.gpus.node))}
    assert gpus <= listed


def test_the_power_tree_leads_to_the_racks_it_feeds() -> None:
    plant, where = scene("lab-16").plant, ways(tree("lab-16", "power"))
    top = tree("lab-16", "power")
    for rack, item in enumerate(plant.racks.feed_a.tolist()):
        at = top
        keys = []
        for row in where[plant.racks.ids[rack]]:
            at = at.children()[row]
            keys.append(at.seed.id)
        assert keys[-2] == plant.power.ids[item]
        assert keys[0] == "utility/0"


def test_coolant_and_network_lead_to_what_hangs_on_them() -> None:
    plant = scene("superpod-h100").plant
    cooled = ways(tree("superpod-h100", "coolant"))
    assert set(plant.racks.ids) <= set(cooled)
    plugged = ways(tree("superpod-h100", "network"))
    assert set(plant.switches.ids) <= set(plugged)
    nodes = {plant.nodes.ids[node] for node in set(plant.node_links.node.tolist())}
    assert nodes <= set(plugged)


def test_a_search_keeps_what_holds_what_it_finds() -> None:
    top, number = found(tree("llama3-16k", "place"), matcher("gpu/0/3/"))
    assert number == 4  # nodes of one rack
    hall = top.children()[0]
    (generator,) = hall.children()
    (row,) = generator.children()
    (rack,) = row.children()
    assert rack.seed.id == "gpu/0/3"
    assert hall.seed.opened
    assert [node.seed.id for node in rack.children()] == [f"gpu/0/3/{k}" for k in (3, 2, 1, 0)]
    assert len(rack.children()[0].children()) == 8  # what is found keeps what is inside


def test_words_of_a_search_may_be_of_name_and_part_and_of_jobs() -> None:
    plant = scene("lab-16").plant
    part = plant.node_parts[0]
    top, number = found(tree("lab-16", "place"), matcher(f"GPU/0/1 {part.lower()}"))
    assert number == 1
    assert "gpu/0/1/0" in ids(top)
    _, number = found(tree("lab-16", "place"), matcher("no such job", also=["gpu/0/0/0"]))
    assert number == 1


def test_lines_are_found_by_their_way() -> None:
    top = tree("llama3-16k", "place")
    rows = ways(top)["gpu/3/12/1"]
    at = top
    for row in rows:
        at = at.children()[row]
    assert at.seed.id == "gpu/3/12/1"
    assert at.way() == ("main", "gpu", "gpu/3", "gpu/3/12", "gpu/3/12/1") or at.way()[-1] == "gpu/3/12/1"
