"""Pieces of cable in the trays: every bundle leads from rack to rack, and values of bundles are painted on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from demo_scenes import superpod
from hypothesis import given, settings
from hypothesis import strategies as st
from small_parts import small_plant

from twin.plant.build import build
from twin.plant.cable_names import (
    bundle_ends,
    bundle_id,
    bundle_short,
    describe_bundle,
    find_bundle,
    id_range,
    links_in,
)
from twin.plant.geometry import build_geometry
from twin.plant.links import link_id
from twin.plant.tables import Plant
from twin.plant.tray_runs import CableRuns, lay_runs

PLANTS = {
    "superpod": lambda: build(superpod()),
    "leaf-spine": lambda: small_plant("leaf-spine", 8, 2, leaf=8, spine=8),
    "torus": lambda: small_plant("torus", 16, 4, technology="InfiniBand-NDR"),
}


@pytest.fixture(scope="module", params=list(PLANTS))
def plant(request: pytest.FixtureRequest) -> Plant:
    return PLANTS[request.param]()


@pytest.fixture(scope="module")
def runs(plant: Plant) -> CableRuns:
    return lay_runs(plant, build_geometry(plant).bundles)


def test_pieces_cover_their_lines_without_gaps(plant: Plant, runs: CableRuns) -> None:
    drawn = build_geometry(plant).bundles
    length_m = np.linalg.norm(runs.stop_m - runs.start_m, axis=1)
    whole_m = np.array(
        [
            np.linalg.norm(drawn.lines.points[b - 1] - drawn.lines.points[a])
            for a, b in zip(drawn.lines.first[:-1], drawn.lines.first[1:], strict=True)
        ]
    )
    np.testing.assert_allclose(np.bincount(runs.line, length_m, minlength=len(whole_m)), whole_m)
    follow = runs.line[1:] == runs.line[:-1]
    np.testing.assert_allclose(runs.stop_m[:-1][follow], runs.start_m[1:][follow], atol=1e-9)


def test_bundles_lead_from_rack_a_to_rack_b(plant: Plant, runs: CableRuns) -> None:
    table, racks = plant.bundles, plant.racks
    for bundle in range(len(table.rack_a)):
        mine = np.flatnonzero(runs.bundle == bundle)
        if table.rack_a[bundle] == table.rack_b[bundle]:
            assert not len(mine)
            continue
        ways = []
        for k in mine.tolist():
            first, last = runs.first[k], runs.last[k]
            assert runs.line[first] == runs.line[last]
            ends = (runs.start_m[first], runs.stop_m[last])
            ways.append(ends if runs.ahead[k] else ends[::-1])
        begin, end = ways[0][0], ways[-1][1]
        a, b = int(table.rack_a[bundle]), int(table.rack_b[bundle])
        for at_m, rack in ((begin, a), (end, b)):
            assert abs(at_m[0] - racks.x_m[rack]) <= racks.width_m[rack] / 2
            assert at_m[2] == pytest.approx(racks.height_m[rack])
        for (_, stop), (start, _) in pairwise(ways):
            # The tray across lies over those of the rows: there a bundle changes its height alone.
            np.testing.assert_allclose(stop[:2], start[:2], atol=2e-4)
            assert abs(stop[2] - start[2]) < 0.5


def test_highest_of_the_runs_over_a_piece(plant: Plant, runs: CableRuns) -> None:
    load = np.random.default_rng(3).integers(0, 100, len(plant.bundles.rail))
    expected = np.zeros(len(runs), load.dtype)
    for bundle, first, last in zip(runs.bundle, runs.first, runs.last, strict=True):
        expected[first : last + 1] = np.maximum(expected[first : last + 1], load[bundle])
    np.testing.assert_array_equal(runs.highest(load[runs.bundle]), expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.data())
def test_highest_against_painting_one_by_one(pieces: int, data: st.DataObject) -> None:
    spans = data.draw(
        st.lists(st.tuples(st.integers(0, pieces - 1), st.integers(0, pieces - 1)), max_size=20)
    )
    first = np.array([min(s) for s in spans], np.int32)
    last = np.array([max(s) for s in spans], np.int32)
    nowhere = np.zeros((pieces, 3))
    number = np.arange(len(spans), dtype=np.int32)
    runs = CableRuns(
        np.zeros(pieces, np.int32), nowhere, nowhere, np.zeros(pieces), number, first, last, number >= 0
    )
    value = np.array(
        data.draw(st.lists(st.integers(0, 255), min_size=len(spans), max_size=len(spans))), float
    )
    expected = np.zeros(pieces)
    for k, (low, high) in enumerate(zip(first, last, strict=True)):
        expected[low : high + 1] = np.maximum(expected[low : high + 1], value[k])
    np.testing.assert_array_equal(runs.highest(value), expected)
    for piece in range(pieces):
        assert runs.bundles_at(piece).tolist() == [
            k for k in range(len(spans)) if first[k] <= piece <= last[k]
        ]


def test_pieces_of_bundles_and_bundles_at_pieces_agree(plant: Plant, runs: CableRuns) -> None:
    for bundle in range(0, len(plant.bundles.rail), 7):
        for piece in runs.pieces_of(np.array([bundle], np.int32)).tolist():
            assert bundle in runs.bundles_at(piece)
    assert not len(runs.pieces_of(np.zeros(0, np.int32)))


def test_ids_of_bundles_and_links_lead_to_the_bundle(plant: Plant) -> None:
    for bundle in range(0, len(plant.bundles.rail), 5):
        assert find_bundle(plant, bundle_id(bundle)) == bundle
        for link in links_in(plant, bundle)[:3].tolist():
            assert find_bundle(plant, link_id(plant, link)) == bundle
    assert find_bundle(plant, bundle_id(len(plant.bundles.rail))) is None
    assert find_bundle(plant, "bundle/x") is None
    assert find_bundle(plant, plant.nodes.ids[0]) is None


def test_bundles_are_named_by_their_ends() -> None:
    plant = build(superpod())
    leaf = next(k for k in range(len(plant.bundles.rail)) if plant.bundles.rail[k] == 3)
    nodes, switch = bundle_ends(plant, leaf)
    assert nodes.startswith("nodes gpu/")
    assert switch.startswith("leaf ")
    assert describe_bundle(plant, leaf).endswith(f"{plant.bundles.cables[leaf]} cables of 400 Gb/s")
    assert bundle_short(plant, leaf).startswith("gpu/")
    torus = small_plant("torus", 16, 4, technology="InfiniBand-NDR")
    assert all(end.startswith("node") for end in bundle_ends(torus, 0))


def test_a_hall_without_fabric_has_no_pieces() -> None:
    scenario = superpod()
    plant = build(scenario.model_copy(update={"fabrics": ()}))
    runs = lay_runs(plant, build_geometry(plant).bundles)
    assert len(runs) == 0
    assert len(runs.highest(np.zeros(0))) == 0
    assert find_bundle(plant, bundle_id(0)) is None


def test_ids_in_short() -> None:
    assert id_range(["ib/1/0", "ib/1/1", "ib/1/2"]) == "ib/1/0-2"
    assert id_range(["ib/1/0", "ib/1/2", "ib/1/3"]) == "ib/1/0, ib/1/2, ib/1/3"
    assert id_range(["a/0", "a/2", "a/4", "a/6"]) is None
