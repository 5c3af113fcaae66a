import numpy as np
import pytest
from demo_scenes import hall_of, nvl72_rows, scene, superpod

from twin.plant.build import build
from twin.plant.error import PlantError
from twin.plant.layout import letters
from twin.plant.tables import FixtureKind, Plant

ROWS = {"id": "gpu", "count": 2, "racks": {"count": 4, "nodes": [{"part": "DGX-H100", "count": 4}]}}


def hall(overrides: dict | None = None, **rows: object) -> Plant:
    return build(scene(halls=[{"id": "hall", "rows": [ROWS | rows], "overrides": overrides or {}}]))


def test_2048_nodes_are_16384_gpus() -> None:
    plant = build(hall_of(2176))
    assert len(plant.nodes.ids) == 2176
    assert len(plant.gpus.node) == 17408
    assert plant.gpu_parts == ["H100-SXM"]
    document = {"id": "gpu", "count": 16, "racks": ROWS["racks"] | {"count": 32}}
    exact = build(scene(halls=[{"id": "hall", "rows": [document]}]))
    assert (len(exact.nodes.ids), len(exact.gpus.node)) == (2048, 16384)


def test_slots_of_a_rack_and_of_a_node_are_contiguous() -> None:
    plant = build(superpod(2))
    racks, nodes, gpus = plant.racks, plant.nodes, plant.gpus
    for r in range(len(racks.ids)):
        mine = np.flatnonzero(nodes.rack == r)
        assert len(mine) == racks.node_count[r]
        if len(mine):
            np.testing.assert_array_equal(mine, racks.node_first[r] + np.arange(len(mine)))
    np.testing.assert_array_equal(gpus.index, np.arange(len(gpus.node)) - nodes.gpu_first[gpus.node])
    assert plant.gpu_id(int(nodes.gpu_first[5]) + 3) == "gpu/0/1/1/3"


def test_nodes_stack_without_overlap() -> None:
    plant = hall(
        racks={
            "count": 1,
            "nodes": [{"part": "DGX-H100", "count": 2, "first_u": 3}, {"part": "DGX-A100", "count": 3}],
        }
    )
    first = slice(0, 5)
    assert plant.nodes.u[first].tolist() == [3, 11, 19, 25, 31]
    assert plant.nodes.height_u[first].tolist() == [8, 8, 6, 6, 6]


def test_an_overfull_rack_is_refused() -> None:
    with pytest.raises(PlantError, match="end at unit 56; put fewer nodes in each rack"):
        hall(racks={"count": 1, "nodes": [{"part": "DGX-H100", "count": 7}]})


def test_nvl72_rack_brings_its_own_nodes() -> None:
    plant = build(nvl72_rows(1, 2))
    assert len(plant.nodes.ids) == 36
    assert len(plant.gpus.node) == 144
    mine = plant.fixtures.rack == 0
    kinds = np.bincount(plant.fixtures.kind[mine], minlength=4)
    assert kinds[FixtureKind.NVLINK_TRAY] == 9
    assert kinds[FixtureKind.POWER_SHELF] == 8
    units = np.concatenate([plant.nodes.u[:18], plant.fixtures.u[mine]])
    heights = np.concatenate([plant.nodes.height_u[:18], plant.fixtures.height_u[mine]])
    taken = np.concatenate([np.arange(u, u + h) for u, h in zip(units, heights, strict=True)])
    assert len(taken) == len(set(taken.tolist()))


def test_fronts_face_in_pairs() -> None:
    plant = hall(count=4)
    assert plant.rows.facing.tolist() == [-1, 1, -1, 1]
    assert plant.rows.contained.tolist() == [-1, -1, -1, -1]  # hot aisles behind rows 0|1 and 2|3
    assert hall(count=4, containment="cold").rows.contained.tolist() == [0, 1, 1, 0]
    assert hall(count=3).rows.contained.tolist() == [-1, -1, 0]
    assert hall(facing="north").rows.facing.tolist() == [1, 1]
    assert hall(containment="none").rows.contained.tolist() == [0, 0]


def test_rows_begin_at_their_corner() -> None:
    plant = hall(at={"x": "3 m", "y": "2 m"}, pitch="3 m")
    np.testing.assert_allclose(plant.rows.y_m, [2.6, 5.6])
    np.testing.assert_allclose(plant.racks.x_m[:2], [3.3, 3.9])
    np.testing.assert_allclose(plant.racks.height_m, 2.3)
    assert plant.rows.labels == ["ROW A", "ROW B"]


def test_letters_go_on_after_z() -> None:
    assert [letters(i) for i in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_overrides_take_away_move_exchange_and_drain() -> None:
    plant = hall(
        {
            "gpu/0/1": {"absent": True},
            "gpu/0/2": {"at": {"x": "9 m", "y": "8 m"}},
            "gpu/1/0/2": {"part": "DGX-A100"},
            "gpu/1/1/3": {"drained": True},
            "gpu/1/2/0/5": {"absent": True},
            "gpu/1/3": {"part": "GB200-NVL72"},
        }
    )
    rack = plant.racks.ids.index
    assert not plant.racks.present[rack("gpu/0/1")]
    assert not plant.nodes.present[plant.nodes.rack == rack("gpu/0/1")].any()
    assert not plant.gpus.present[plant.gpus.rack == rack("gpu/0/1")].any()
    assert (plant.racks.x_m[rack("gpu/0/2")], plant.racks.y_m[rack("gpu/0/2")]) == (9.0, 8.0)
    other = plant.nodes.ids.index("gpu/1/0/2")
    assert plant.node_parts[plant.nodes.part[other]] == "DGX-A100"
    assert plant.gpu_parts[plant.gpus.part[plant.nodes.gpu_first[other]]] == "A100-SXM-80"
    assert np.flatnonzero(plant.nodes.drained).tolist() == [plant.nodes.ids.index("gpu/1/1/3")]
    assert plant.racks.node_count[rack("gpu/1/3")] == 18  # its own trays instead of the four nodes
    assert plant.gpus.present.sum() == 6 * 32 - 1 + 72


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("gpu/2/0", "'gpu' has 2 rows, counted from 0"),
        ("gpu/0/4", "'gpu' has 4 racks in a row, counted from 0"),
        ("gpu/0/0/4", "rack gpu/0/0 holds 4 nodes"),
        ("gpu/0/0/0/8", "node gpu/0/0/0 has 8 GPUs"),
        ("cpu/0", "no row generator is called 'cpu'"),
    ],
)
def test_an_override_of_nothing_is_refused(item: str, reason: str) -> None:
    with pytest.raises(PlantError, match=reason):
        hall({item: {"absent": True}})


def test_ids_stay_when_a_generator_grows() -> None:
    small, large = build(superpod(2)), build(superpod(4))
    for table in ("rows", "racks", "nodes", "switches"):
        assert set(getattr(small, table).ids) <= set(getattr(large, table).ids)
    place = {one: (x, y) for one, x, y in zip(large.racks.ids, large.racks.x_m, large.racks.y_m, strict=True)}
    for one, x, y in zip(small.racks.ids, small.racks.x_m, small.racks.y_m, strict=True):
        assert place[one] == (x, y)


def test_halls_stand_beside_one_another() -> None:
    rows = ROWS | {"id": "other"}
    plant = build(scene(halls=[{"id": "one", "rows": [ROWS]}, {"id": "two", "rows": [rows]}, {"id": "bare"}]))
    assert (plant.halls.x1_m[:-1] < plant.halls.x0_m[1:]).all()
    check_inside(plant)


def check_inside(plant: Plant) -> None:
    racks, halls = plant.racks, plant.halls
    assert (racks.x_m - racks.width_m / 2 > halls.x0_m[racks.hall]).all()
    assert (racks.x_m + racks.width_m / 2 < halls.x1_m[racks.hall]).all()
    assert (racks.y_m - racks.depth_m / 2 > halls.y0_m[racks.hall]).all()
    assert (racks.y_m + racks.depth_m / 2 < halls.y1_m[racks.hall]).all()
