"""The shipped scenes as plants."""

from pathlib import Path

import numpy as np
import pytest
from canonical import canonical
from demo_scenes import hall_of
from test_plant_systems import check_floor
from usual_cases import but_largest

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.plant.patch import rebuild
from twin.plant.tables import Plant
from twin.scenario import load

SCENES = sorted((Path(__file__).parents[2] / "scenes").glob("*.twin.yaml"))
GPUS = {
    "lab-16": 16,
    "superpod-h100": 256,
    "llama3-16k": 17152,
    "nvl72-row": 576,
    "video-ingest": 512,
    "ethernet-tcp": 256,
    "fat-tree-1k": 1024,
}


NAMES = [path.name.removesuffix(".twin.yaml") for path in SCENES]


@pytest.fixture(params=but_largest(NAMES), scope="module")
def named(request: pytest.FixtureRequest) -> tuple[str, Plant]:
    return request.param, build(load(f"builtin:{request.param}").scenario)


def test_the_scenes_hold_the_gpus_they_promise(named: tuple[str, Plant]) -> None:
    name, plant = named
    if name in GPUS:
        assert plant.gpus.present.sum() == GPUS[name]


def test_nothing_stands_in_another_thing(named: tuple[str, Plant]) -> None:
    check_floor(named[1])


def test_units_of_a_rack_are_taken_once(named: tuple[str, Plant]) -> None:
    _, plant = named
    nodes, switches, fixtures = plant.nodes, plant.switches, plant.fixtures
    taken = np.zeros((len(plant.racks.ids), 64), int)
    leftmost = nodes.column == 0  # nodes side by side share their units
    for table, counted in ((nodes, leftmost), (switches, None), (fixtures, None)):
        rows = np.flatnonzero(counted) if counted is not None else np.arange(len(table.rack))
        for rack, u, height in zip(
            table.rack[rows].tolist(), table.u[rows].tolist(), table.height_u[rows].tolist(), strict=True
        ):
            taken[rack, u : u + height] += 1
            assert u >= 1
            assert u + height - 1 <= plant.racks.units_u[rack]
    assert taken.max() <= 1


def test_all_nodes_are_cooled_fed_and_connected(named: tuple[str, Plant]) -> None:
    _, plant = named
    assert (plant.nodes.loop >= 0).all()
    assert (plant.racks.feed_a >= 0).all()
    assert (plant.loops.feed_a >= 0).all() or "ups" not in plant.power.kind
    if not plant.fabrics:
        return
    assert (plant.nodes.unit >= 0).all()
    used = np.bincount(plant.node_links.leaf, minlength=len(plant.switches.ids))
    np.add.at(used, plant.switch_links.lower, plant.switch_links.cables)
    np.add.at(used, plant.switch_links.upper, plant.switch_links.cables)
    assert (used <= plant.switches.ports).all()
    assert len(plant.node_links.node) == plant.nodes.nics.sum()


def test_the_tree_has_three_tiers_at_two_to_one() -> None:
    """32 leaves of 32 ports down and 16 up, 4 spines in each of 4 pods, 2 cores for each spine of a pod."""
    plant = build(load("builtin:fat-tree-1k").scenario)
    assert np.bincount(plant.switches.role).tolist() == [32, 16, 8]
    up = np.bincount(plant.switch_links.lower, plant.switch_links.cables)
    assert set(up[:32].tolist()) == {16}
    assert set(up[32:].tolist()) == {32}
    assert plant.fabric_table.technology == ["InfiniBand-NDR"]


def test_plain_ethernet_keeps_the_rails_of_the_scene_it_varies() -> None:
    plant, fast = (build(load(f"builtin:{name}").scenario) for name in ("ethernet-tcp", "superpod-h100"))
    assert plant.fabric_table.technology == ["Ethernet-TCP"]
    np.testing.assert_array_equal(plant.node_links.leaf, fast.node_links.leaf)
    np.testing.assert_array_equal(plant.node_links.bytes_s, fast.node_links.bytes_s)


def test_geometry_is_within_bounds(named: tuple[str, Plant]) -> None:
    geometry = build_geometry(named[1])
    low, high = geometry.bounds_m
    for lines in (geometry.pipes.lines, geometry.trays.lines, geometry.bundles.lines, geometry.busways.lines):
        assert (lines.points >= low - 1e-9).all()
        assert (lines.points <= high + 1e-9).all()


@pytest.mark.parametrize("path", SCENES[:1])
def test_the_same_scene_again_changes_nothing_but_the_epoch(path: Path) -> None:
    scenario = load(path).scenario
    plant = build(scenario)
    again = rebuild(plant, scenario)
    assert again.epoch == 1
    assert canonical(again) == canonical(plant)
    assert again.nodes.ids == plant.nodes.ids


@pytest.mark.benchmark(group="plant")
def test_build_of_16k_gpus(benchmark: pytest.FixtureRequest) -> None:
    """Promise: 100 ms for 2,144 nodes."""
    scenario = load(next(p for p in SCENES if p.name.startswith("llama3"))).scenario
    benchmark(build, scenario)  # type: ignore[operator]


@pytest.mark.benchmark(group="plant")
def test_build_of_100k_gpus(benchmark: pytest.FixtureRequest) -> None:
    """Promise: 500 ms for 12,500 nodes."""
    benchmark(build, hall_of(12500))  # type: ignore[operator]


@pytest.mark.benchmark(group="plant")
def test_geometry_of_16k_gpus(benchmark: pytest.FixtureRequest) -> None:
    """Promise: 100 ms."""
    benchmark(build_geometry, build(hall_of(2144)))  # type: ignore[operator]
