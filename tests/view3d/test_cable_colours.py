"""Colours of cables and switches, and which cables are under the pointer: all without GL."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.plant.tray_runs import lay_runs
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.colour.cable_colours import (
    IDLE_RGB,
    CableState,
    Marked,
    load_rgb,
    piece_colours,
    rail_rgb,
)
from twin.view3d.colour.legend import cable_legend, traffic_legend
from twin.view3d.layers.arcs import PIECES, arc_points, arc_vertices
from twin.view3d.layers.cables import FINE_SIDES, TRUNK_SIDES, dash_m, drop_mesh, trunk_mesh, trunk_sides
from twin.view3d.layers.rack_fronts import switch_colours
from twin.view3d.place.cable_field import CableField
from twin.view3d.place.picking import Picker
from twin.view3d.view.bench_hall import frame_of, hall_of


@pytest.fixture(scope="module")
def field(hall: Plant, geometry: Geometry) -> CableField:
    return CableField(hall, geometry)


def state_of(hall: Plant, load: float = 0.0) -> CableState:
    count = len(hall.bundles.rail)
    return CableState(np.full(count, load), np.zeros(count, np.uint8))


def test_a_piece_shows_the_highest_load_and_lost_cables_in_crimson(
    hall: Plant, geometry: Geometry, field: CableField
) -> None:
    state = state_of(hall)
    runs, drawn = field.runs, geometry.bundles
    bundle = int(runs.bundle[len(runs.bundle) // 2])
    mine = runs.pieces_of(np.array([bundle], np.int32))
    rest = np.setdiff1d(np.arange(len(runs)), mine)
    state.load[bundle] = 60
    rgb = piece_colours("load", drawn, runs, state, Marked(), "dark")[:, :3] / 255
    assert np.abs(rgb[mine] - load_rgb(np.array([60.0]))).max() < 0.01
    assert np.abs(rgb[rest] - IDLE_RGB).max() < 0.01
    state.down[bundle] = 1
    rgb = piece_colours("load", drawn, runs, state, Marked(), "dark")[:, :3] / 255
    assert np.abs(rgb[mine] - palette.DEAD_RGB).max() < 0.01
    by_rail = piece_colours("rail", drawn, runs, state, Marked(), "dark")[:, :3] / 255
    assert np.abs(by_rail[mine] - rail_rgb(int(drawn.rail[runs.line[mine[0]]]))).max() < 0.01


def test_what_is_not_isolated_fades_and_what_is_selected_lights_up(
    hall: Plant, geometry: Geometry, field: CableField
) -> None:
    state, runs, drawn = state_of(hall, 50.0), field.runs, geometry.bundles
    kept = field.pieces(0, 1)
    plain = piece_colours("load", drawn, runs, state, Marked(), "dark").astype(int)
    told = piece_colours("load", drawn, runs, state, Marked(isolated=kept), "dark").astype(int)
    rest = np.setdiff1d(np.arange(len(runs)), kept)
    np.testing.assert_array_equal(told[kept, :3], plain[kept, :3])
    assert np.ptp(told[rest, :3], axis=1).mean() < 0.5 * np.ptp(plain[rest, :3], axis=1).mean()
    lit = piece_colours("load", drawn, runs, state, Marked(selected=kept), "dark").astype(int)
    assert (lit[kept, :3].sum(axis=1) > plain[kept, :3].sum(axis=1)).all()


def test_loads_differ_most_where_most_links_are() -> None:
    steps = load_rgb(np.array([2.0, 10.0, 40.0, 100.0]))
    assert np.abs(np.diff(steps, axis=0)).sum(axis=1).min() > 0.25
    assert np.ptp(load_rgb(np.array([0.0]))) < 0.15  # idle is nearly grey
    light = steps @ [0.21, 0.72, 0.07]
    assert (np.diff(light) > 0).all()


def test_legend_of_loads_counts_lost_cables_and_is_what_is_drawn(hall: Plant, frame: Frame) -> None:
    frame.values["bundle.down"][:] = 0
    frame.values["bundle.down"][3] = 2
    legend = cable_legend(hall, frame)
    assert legend.categories[0].count == 2
    assert legend.ticks[-1] == 100.0
    for value, rgb in legend.stops[1:]:
        assert np.allclose(rgb, load_rgb(np.array([value]))[0])
    places = [legend.place(value) for value, _ in legend.stops]
    np.testing.assert_allclose(places, np.linspace(0, 1, len(places)), atol=1e-9)
    assert [c.label for c in traffic_legend("data", ["job", "ring"]).categories] == ["job", "ring"]


def test_switches_are_crimson_when_dead_and_coloured_only_by_load() -> None:
    state = np.array([State.RUNNING, State.FAILED, State.IDLE])
    load = np.array([80, 0, 0])
    by_rail = switch_colours("rail", state, load)
    assert by_rail[[0, 2], 3].tolist() == [0, 0]
    by_load = switch_colours("load", state, load)
    assert (by_load[:, 3] > 0).all()
    for rgba in (by_rail, by_load):
        assert np.abs(rgba[1, :3] / 255 - palette.DEAD_RGB).max() < 0.01


def test_a_ray_at_a_cable_meets_its_bundles(hall: Plant, geometry: Geometry, field: CableField) -> None:
    runs, picker = field.runs, Picker(hall, geometry)
    rng = np.random.default_rng(5)
    state = state_of(hall)
    state.load[:] = rng.integers(0, 100, len(state.load))
    met = 0
    for piece in rng.choice(len(runs), 60, replace=False).tolist():
        bundles = runs.bundles_at(piece)
        middle = (runs.start_m[piece] + runs.stop_m[piece]) / 2
        eye = middle + np.array([0.3, -0.4, 9.0])
        direction = (middle - eye) / np.linalg.norm(middle - eye)
        box = picker.pick(eye, direction)
        hit = field.pick(eye, direction, np.inf if box is None else box.distance_m, state, None)
        if hit is None or not len(bundles):
            continue
        met += 1
        assert hit.kind == "bundle"
        assert hit.id == f"bundle/{hit.slot}"
        there = [runs.bundles_at(p) for p in field.pieces(hit.slot).tolist()]
        assert any(state.load[hit.slot] == state.load[each].max() for each in there)
        kept = field.pick(eye, direction, np.inf, state, int(bundles[0]))
        assert kept is not None
        if hit.slot in bundles and len(there[0]):
            assert kept.slot in {int(bundles[0]), hit.slot}
    assert met > 30
    assert field.pick(np.array([0.0, 0.0, 90.0]), np.array([0.0, 0.0, 1.0]), np.inf, state, None) is None


def test_cables_with_losses_are_found_before_busy_ones(hall: Plant, field: CableField) -> None:
    runs = field.runs
    counts = [len(runs.bundles_at(piece)) for piece in range(len(runs))]
    piece = int(np.argmax(counts))
    bundles = runs.bundles_at(piece)
    state = state_of(hall, 10.0)
    state.load[bundles[1]] = 99
    state.down[bundles[2]] = 1
    middle = (runs.start_m[piece] + runs.stop_m[piece]) / 2
    hit = field.pick(middle + np.array([0.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), np.inf, state, None)
    assert hit is not None
    assert hit.slot == bundles[2]


def test_every_bundle_has_a_box_and_a_name(hall: Plant, field: CableField) -> None:
    for bundle in range(0, len(hall.bundles.rail), 29):
        box = field.box(bundle)
        assert box is not None
        assert (box[1] >= box[0]).all()
        out = hall.bundles.rack_a[bundle] != hall.bundles.rack_b[bundle]
        assert bool(field.label(bundle)) == out


def test_meshes_carry_every_piece_once_and_dashes_go_on_across_pieces(
    geometry: Geometry, field: CableField
) -> None:
    drawn, runs = geometry.bundles, field.runs
    trunks, drops = trunk_mesh(drawn, runs, trunk_sides(drawn, runs)), drop_mesh(drawn, runs)
    for vertices, triangles in (trunks, drops):
        assert triangles.max() == len(vertices) - 1
    pieces = np.unique(np.concatenate([m[0]["a_piece"][:, 0] for m in (trunks, drops)]))
    np.testing.assert_array_equal(pieces, np.flatnonzero(runs.used))
    vertices = trunks[0]
    piece = int(np.flatnonzero(runs.used[1:] & runs.used[:-1] & (runs.line[1:] == runs.line[:-1]))[0])
    here, following = (vertices["a_piece"][vertices["a_piece"][:, 0] == k, 1] for k in (piece, piece + 1))
    assert here.max() == pytest.approx(following[following > here.min()].min(), abs=1e-4)


def test_only_a_small_hall_has_fine_cables() -> None:
    """In software triangles are what cables cost, and every piece of a tray line has as many."""
    few, many = (hall_of(gpus) for gpus in (256, 16384))
    sides = []
    for plant in (few, many):
        drawn = build_geometry(plant).bundles
        sides.append(trunk_sides(drawn, lay_runs(plant, drawn)))
    assert sides == [FINE_SIDES, TRUNK_SIDES]


def test_dashes_lie_further_apart_from_far_away() -> None:
    apart = [dash_m(d) for d in (3.0, 30.0, 80.0, 200.0)]
    assert apart == sorted(apart)
    assert apart[-1] > 2 * apart[0]


def test_arcs_go_from_place_to_place_above_both() -> None:
    tops = np.array([[0.0, 0.0, 2.0], [10.0, 0.0, 2.0], [10.0, 5.0, 2.5]])
    points = arc_points(tops[:-1], tops[1:])
    np.testing.assert_allclose(points[:, 0], tops[:-1])
    np.testing.assert_allclose(points[:, -1], tops[1:])
    assert (points[:, 1:-1, 2] > 2.0).all()
    assert len(arc_vertices(tops)) == 2 * PIECES * 4


def test_colouring_of_five_thousand_bundles(benchmark: BenchmarkFixture) -> None:
    """The promise is 1 ms."""
    plant = hall_of(4096)
    geometry = build_geometry(plant)
    field, state = CableField(plant, geometry), CableState.of(frame_of(plant), len(plant.bundles.rail))
    assert len(plant.bundles.rail) > 2000
    benchmark(piece_colours, "load", geometry.bundles, field.runs, state, Marked(), "dark")
