"""Feeds of loops and plants, machines of plants, rear doors and tanks, nodes side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from demo_scenes import nvl72_rows, scene, superpod

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.fronts import gpu_tiles, node_tiles
from twin.plant.geometry import build_geometry
from twin.plant.graph import find
from twin.plant.tables import LoopKind, Plant

ROWS = {"id": "gpu", "racks": {"count": 4, "nodes": [{"part": "DGX-H100", "count": 4}]}}


def hall(*loops: dict[str, Any], rows: dict[str, Any] = ROWS, **plant: Any) -> Plant:
    made = [{"id": f"l{n}", "plant": "fws", "serves": ["gpu"]} | loop for n, loop in enumerate(loops)]
    return build(
        scene(
            halls=[{"id": "hall", "rows": [rows]}],
            cooling={"plants": [{"id": "fws"} | plant], "loops": made},
        )
    )


def frontier(racks: int = 2) -> Plant:
    cdu = {"id": "cdu", "kind": "liquid", "part": "CDU-frontier", "plant": "fws", "serves": ["cab"]}
    return build(
        scene(
            halls=[
                {"id": "hall", "rows": [{"id": "cab", "racks": {"count": racks, "part": "Frontier-rack"}}]}
            ],
            cooling={"plants": [{"id": "fws"}], "loops": [cdu]},
        )
    )


def test_feeds_go_to_racks_loops_and_plants_in_the_order_of_the_document() -> None:
    plant = build(
        superpod(
            2,
            power=[
                {"id": "b", "kind": "pdu", "from": "grid", "count": 2, "feeds": ["crah", "gpu"]},
                {"id": "a", "kind": "pdu", "from": "grid", "feeds": ["fws", "gpu", "crah"]},
                {"id": "grid", "kind": "utility"},
            ],
        )
    )
    ids = plant.power.ids

    def named(column: np.ndarray) -> list[str]:
        return [ids[k] if k >= 0 else "" for k in column.tolist()]

    assert named(plant.loops.feed_a) == ["b/0", "b/1"]
    assert named(plant.loops.feed_b) == ["a/0", "a/0"]
    assert named(plant.plants.feed_a) == ["a/0"]
    assert named(plant.plants.feed_b) == [""]
    assert named(plant.racks.feed_a[:16]) == ["b/0"] * 8 + ["b/1"] * 8
    assert set(named(plant.racks.feed_b[:16])) == {"a/0"}
    assert named(plant.racks.feed_a[16:]) == [""] * 4
    sides = dict(zip(ids, plant.power.feed.tolist(), strict=True))
    assert sides == {"grid/0": -1, "b/0": 0, "b/1": 0, "a/0": 0}  # fws had no feed before


def test_a_plant_has_as_many_machines_as_the_hall_can_heat() -> None:
    """16 DGX H100 of 10.2 kW are 163 kW: one cooler of 1 MW; NVL72 trays of 6,667 W, 87 % of it liquid."""
    plant = hall({"kind": "air", "part": "CRAH-chilled"})
    assert plant.plants.rated_w[0] == pytest.approx(16 * 10200)
    assert (plant.plants.units[0], plant.plants.needed[0]) == (1, 1)
    assert plant.plants.part == ["dry-cooler"]
    wet = build(nvl72_rows(3, 8))
    trays = 3 * 8 * 18
    assert wet.plants.rated_w[0] == pytest.approx(trays * 6667)
    assert wet.plants.units[0] == -(-trays * 6667 // 1_000_000)
    said = hall({"kind": "air", "part": "CRAH-chilled"}, units=5, needed=4, pump="3 kW", restart="90 s")
    assert (said.plants.units[0], said.plants.needed[0]) == (5, 4)
    assert (said.plants.pump_w[0], said.plants.restart_s[0]) == (3000.0, 90.0)
    assert np.isnan([plant.plants.pump_w[0], plant.plants.restart_s[0]]).all()


@pytest.mark.parametrize(("containment", "share"), [("hot", 0.0), ("cold", 0.0), ("none", 0.15)])
def test_open_aisles_let_exhaust_come_round(containment: str, share: float) -> None:
    plant = hall({"kind": "air", "part": "CRAH-chilled"}, rows=ROWS | {"containment": containment})
    assert plant.loops.recirculation.tolist() == pytest.approx([share])


def test_rear_doors_hang_on_their_racks_and_cool_their_air() -> None:
    plant = hall(
        {"kind": "rear-door", "part": "RDHx-active"}, {"kind": "air", "part": "CRAH-chilled"}, rows=ROWS
    )
    assert plant.loops.kind.tolist() == [LoopKind.REAR_DOOR, LoopKind.AIR]
    assert (plant.racks.air_loop == 0).all()
    assert (plant.racks.loop == -1).all()
    assert (plant.nodes.loop == 0).all()
    doors = plant.machines.loop == 0
    assert doors.sum() == 4
    racks = plant.racks
    behind = (plant.machines.y_m[doors] - racks.y_m) * racks.facing
    np.testing.assert_allclose(behind, -(racks.depth_m + 0.3) / 2)
    assert plant.loops.flow_m3_s[0] > 0 == plant.loops.flow_m3_s[1]


def test_nodes_in_a_tank_give_all_their_heat_to_it() -> None:
    plant = hall({"kind": "immersion", "part": "immersion-tank-1P"}, {"kind": "air", "part": "CRAH-chilled"})
    assert (plant.racks.loop == 0).all()
    assert (plant.nodes.loop == 0).all()
    assert plant.plants.rated_w[0] == pytest.approx(16 * 10200)
    assert plant.loops.flow_m3_s[0] > 0


def test_a_cabinet_of_frontier_holds_128_nodes_eight_abreast() -> None:
    """64 blades of two nodes, 8 chassis with 4 switches of 250 W and 4 rectifiers each (ExaDigiT RAPS)."""
    plant = frontier()
    racks, nodes = plant.racks, plant.nodes
    assert racks.node_count.tolist() == [128, 128]
    assert len(plant.gpus.node) == 2 * 512
    assert racks.gear_w.tolist() == [8000.0, 8000.0]
    assert (racks.shelves.tolist(), racks.shelves_needed.tolist()) == ([8, 8], [8, 8])
    assert np.bincount(nodes.column[:128]).tolist() == [16] * 8
    assert set(nodes.abreast.tolist()) == {8}
    places = {
        (r, u, c)
        for r, u, c in zip(nodes.rack.tolist(), nodes.u.tolist(), nodes.column.tolist(), strict=True)
    }
    assert len(places) == 256
    assert find(plant, "cab/0/1/127/3") == ("gpu", 1023)
    node = load_catalog().node("Frontier-node")
    assert node.overhead_idle_w == pytest.approx(90 + 74.26 + 4 * 20 + 30)
    assert node.max_w == pytest.approx(4 * 560 + 280 + 74.26 + 4 * 20 + 30)
    assert (node.converter, node.converters) == ("frontier-sivoc", 1)


@pytest.mark.parametrize("abreast", [1, 2, 3])
def test_tiles_of_nodes_side_by_side_do_not_overlap(abreast: int) -> None:
    rows = {
        "id": "gpu",
        "racks": {"count": 1, "nodes": [{"part": "DGX-H100", "count": 5, "abreast": abreast}]},
    }
    plant = hall({"kind": "air", "part": "CRAH-chilled"}, rows=rows)
    assert plant.nodes.u.tolist() == [1 + k // abreast * 8 for k in range(5)]
    for tiles in (node_tiles(plant), gpu_tiles(plant)):
        left, right = tiles.column / tiles.columns, (tiles.column + 1) / tiles.columns
        assert right.max() <= 1.0
        beside = np.minimum(right[:, None], right) - np.maximum(left[:, None], left) > 1e-9
        above = np.minimum(tiles.u1[:, None], tiles.u1) - np.maximum(tiles.u0[:, None], tiles.u0) > 1e-9
        assert (beside & above).sum() == len(left)  # each with itself alone
    inside = gpu_tiles(plant)
    mine = node_tiles(plant)
    assert (inside.column / inside.columns >= (mine.column / mine.columns)[plant.gpus.node] - 1e-9).all()


@pytest.mark.parametrize(("kind", "part"), [("rear-door", "RDHx-active"), ("immersion", "immersion-tank-1P")])
def test_halls_of_doors_and_tanks_can_be_drawn(kind: str, part: str) -> None:
    plant = hall({"kind": kind, "part": part, "count": 2}, {"kind": "air", "part": "CRAH-chilled"})
    geometry = build_geometry(plant)
    low, high = geometry.bounds_m
    for lines in (geometry.pipes.lines, geometry.trays.lines):
        assert (lines.points >= low - 1e-9).all()
        assert (lines.points <= high + 1e-9).all()
    assert set(geometry.machines.loop.tolist()) == {0, 1, 2}
    assert len(geometry.pipes.lines) > 0
