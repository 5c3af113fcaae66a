from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from demo_scenes import hall_of, nvl72_rows, scene, superpod

from twin.plant.build import build
from twin.plant.geometry import (
    AisleKind,
    Geometry,
    LabelKind,
    PipeKind,
    Polylines,
    WaterCircuit,
    build_geometry,
)
from twin.plant.tables import Plant

SCENES = {"superpod": superpod(4), "nvl72": nvl72_rows(2, 4, 3), "hall": hall_of(544)}


@pytest.fixture(params=sorted(SCENES), scope="module")
def drawn(request: pytest.FixtureRequest) -> tuple[Plant, Geometry]:
    plant = build(SCENES[request.param])
    return plant, build_geometry(plant)


def ends(lines: Polylines) -> tuple[np.ndarray, np.ndarray]:
    return lines.points[lines.first[:-1]], lines.points[lines.first[1:] - 1]


def test_what_is_in_a_deleted_rack_goes_with_it() -> None:
    plant = build(SCENES["nvl72"])
    rack = int(build_geometry(plant).fixtures.rack[0])
    present = plant.racks.present.copy()
    present[rack] = False
    after = build_geometry(replace(plant, racks=replace(plant.racks, present=present)))
    assert len(after.fixtures.rack)
    assert not (after.fixtures.rack == rack).any()
    assert len(after.fixtures.u0) == len(after.fixtures.u1) == len(after.fixtures.kind)


def test_every_gpu_has_a_tile_inside_its_node(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    tiles, faces = geometry.gpu_tiles, geometry.node_tiles
    node = plant.gpus.node
    assert len(tiles.rack) == len(node)
    np.testing.assert_array_equal(tiles.rack, plant.nodes.rack[node])
    assert (tiles.u0 >= faces.u0[node] - 1e-9).all()
    assert (tiles.u1 <= faces.u1[node] + 1e-9).all()
    assert (tiles.u1 > tiles.u0).all()
    assert ((tiles.column >= 0) & (tiles.column < tiles.columns)).all()


def test_no_two_tiles_of_a_rack_overlap(drawn: tuple[Plant, Geometry]) -> None:
    _, geometry = drawn
    tiles = geometry.gpu_tiles
    for rack in range(4):
        mine = np.flatnonzero(tiles.rack == rack)
        keys = {(round(float(tiles.u0[i]), 6), int(tiles.column[i])) for i in mine}
        assert len(keys) == len(mine)


def test_a_tall_node_shows_its_gpus_in_two_rows_of_four() -> None:
    tiles = build_geometry(build(superpod(1))).gpu_tiles
    assert tiles.columns[:8].tolist() == [4] * 8
    assert tiles.column[:8].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert (tiles.u0[:4] == tiles.u1[4:8]).all()


def test_a_tray_shows_its_gpus_side_by_side() -> None:
    tiles = build_geometry(build(nvl72_rows(1, 1))).gpu_tiles
    assert tiles.columns[:4].tolist() == [4] * 4
    assert tiles.column[:4].tolist() == [0, 1, 2, 3]
    assert np.ptp(tiles.u0[:4]) == 0


def test_coolant_flows_from_the_plant_to_the_racks_and_back(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    pipes = geometry.pipes
    start, stop = ends(pipes.lines)
    supply = pipes.kind == PipeKind.SUPPLY
    assert supply.sum() * 2 == len(supply)
    branch = (pipes.circuit == WaterCircuit.FACILITY) & (pipes.loop >= 0)
    assert set(pipes.loop[branch & supply].tolist()) == set(range(len(plant.loops.ids)))
    assert sorted(pipes.loop[branch & supply].tolist()) == sorted(pipes.loop[branch & ~supply].tolist())
    assert (stop[branch & supply, 2] <= start[branch & supply, 2]).all()  # down into the machine
    assert (start[branch & ~supply, 2] <= stop[branch & ~supply, 2]).all()  # and up again
    manifold = np.flatnonzero(pipes.circuit == WaterCircuit.SECONDARY)
    served = {(int(k), int(r)) for k, r in zip(plant.racks.loop, plant.racks.row, strict=True) if k >= 0}
    assert {(int(pipes.loop[i]), int(pipes.row[i])) for i in manifold} == served
    assert len(manifold) == 2 * len(served)
    for i in manifold:
        mine = (plant.racks.loop == pipes.loop[i]) & (plant.racks.row == pipes.row[i])
        far = (stop if supply[i] else start)[i, 0]
        assert far >= plant.racks.x_m[mine].max()


def test_pipes_pass_no_rack(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    racks = plant.racks
    lines = geometry.pipes.lines
    for i in range(len(lines)):
        points = lines.points[lines.first[i] : lines.first[i + 1]]
        for a, b in pairwise(points):
            at = a + (b - a) * np.linspace(0, 1, 50)[:, None]
            inside = (
                (np.abs(at[:, None, 0] - racks.x_m) < racks.width_m / 2 - 1e-6)
                & (np.abs(at[:, None, 1] - racks.y_m) < racks.depth_m / 2 - 1e-6)
                & (at[:, None, 2] < racks.height_m - 1e-6)
            )
            assert not inside.any()


def test_bundles_run_along_axes_and_above_the_racks(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    bundles = geometry.bundles
    start, stop = ends(bundles.lines)
    moved = np.abs(stop - start) > 1e-9
    assert (moved.sum(axis=1) <= 1).all()
    drop = bundles.rack >= 0
    assert moved[drop, 2].all()
    np.testing.assert_allclose(stop[drop, 2], plant.racks.height_m[bundles.rack[drop]])
    assert (start[~drop, 2] > plant.racks.height_m.max()).all()
    assert (bundles.cables > 0).all()
    assert len(set(bundles.rail.tolist())) <= 5


def test_all_cables_that_leave_a_rack_come_down_into_both_racks(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    out = plant.bundles.rack_a != plant.bundles.rack_b
    drop = geometry.bundles.rack >= 0
    assert geometry.bundles.cables[drop].sum() == 2 * plant.bundles.cables[out].sum()


def test_aisles_lie_between_rows() -> None:
    aisles = build_geometry(build(superpod(4))).aisles
    first = aisles.y0_m < 12  # of generator gpu: 4 rows make 5 aisles, the network row has 2
    kinds = [AisleKind(k).name for k in aisles.kind[:5]]
    assert first.any()
    assert kinds == ["COLD", "HOT", "COLD", "HOT", "COLD"]
    assert aisles.contained[:5].tolist() == [False, True, False, True, False]
    assert (aisles.x1_m > aisles.x0_m).all()
    assert (aisles.y1_m > aisles.y0_m).all()


def test_rows_that_face_one_way_share_an_aisle_by_halves() -> None:
    rows = {"id": "gpu", "count": 2, "facing": "south", "racks": {"count": 2}}
    aisles = build_geometry(build(scene(halls=[{"id": "hall", "rows": [rows]}]))).aisles
    assert [AisleKind(k).name for k in aisles.kind] == ["COLD", "HOT", "COLD", "HOT"]
    assert not aisles.contained.any()


def test_aisles_of_neighbouring_generators_do_not_overlap() -> None:
    racks = {"count": 3}
    rows = [{"id": "a", "racks": racks}, {"id": "b", "at": {"y": "2.8 m"}, "racks": racks}]
    aisles = build_geometry(build(scene(halls=[{"id": "hall", "rows": rows}]))).aisles
    np.testing.assert_allclose(aisles.y0_m, [-1.2, 1.2, 2.0, 4.0])
    np.testing.assert_allclose(aisles.y1_m, [0.0, 2.0, 2.8, 5.2])


def test_labels_name_rows_machines_and_hall(drawn: tuple[Plant, Geometry]) -> None:
    plant, geometry = drawn
    labels = geometry.labels
    by_kind = {kind: [labels.text[i] for i in np.flatnonzero(labels.kind == kind)] for kind in LabelKind}
    assert by_kind[LabelKind.ROW] == plant.rows.labels
    assert by_kind[LabelKind.LOOP] == plant.loops.labels
    assert by_kind[LabelKind.HALL] == plant.halls.titles
    low, high = geometry.bounds_m
    assert ((labels.x_m >= low[0]) & (labels.x_m <= high[0])).all()
    assert ((labels.z_m >= low[2]) & (labels.z_m <= high[2])).all()


def test_everything_drawn_is_within_bounds(drawn: tuple[Plant, Geometry]) -> None:
    _, geometry = drawn
    low, high = geometry.bounds_m
    for lines in (geometry.pipes.lines, geometry.trays.lines, geometry.bundles.lines, geometry.busways.lines):
        assert (lines.points >= low - 1e-9).all()
        assert (lines.points <= high + 1e-9).all()
        assert (np.diff(lines.first) >= 2).all()


def test_an_empty_hall_draws_nothing() -> None:
    geometry = build_geometry(build(scene(halls=[{"id": "hall"}])))
    assert len(geometry.pipes.lines) == len(geometry.trays.lines) == len(geometry.bundles.lines) == 0
    assert geometry.labels.text == ["hall"]
