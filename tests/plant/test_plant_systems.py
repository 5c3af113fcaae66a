"""Cooling, power and stores: who hangs on what, and where machines stand."""

import numpy as np
import pytest
from demo_scenes import hall_of, nvl72_rows, scene, superpod
from hypothesis import given
from hypothesis import strategies as st

from twin.plant.build import build
from twin.plant.error import PlantError
from twin.plant.machines import spread
from twin.plant.tables import LoopKind, Plant


def changed(**parts: object) -> Plant:
    return build(superpod(2, **parts))


def test_loops_share_racks_contiguously_and_evenly() -> None:
    plant = build(nvl72_rows(2, 4, loops=3))
    assert plant.racks.loop.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    assert plant.racks.air_loop.tolist() == [3] * 8
    np.testing.assert_array_equal(plant.nodes.loop, plant.racks.loop[plant.nodes.rack])


def test_air_cooled_nodes_reject_to_the_room() -> None:
    plant = build(superpod(2))
    assert (plant.racks.loop == -1).all()
    np.testing.assert_array_equal(plant.nodes.loop, plant.racks.air_loop[plant.nodes.rack])


def test_a_liquid_loop_passes_air_cooled_racks_by() -> None:
    loop = {"id": "cdu", "kind": "liquid", "part": "CDU-inrow-1350", "plant": "fws", "serves": ["gpu"]}
    plant = changed(cooling={"plants": [{"id": "fws"}], "loops": [loop]})
    assert (plant.racks.loop == -1).all()
    assert (plant.nodes.loop == -1).all()


def test_design_flow_follows_the_rule() -> None:
    """1.5 lpm/kW of 1.3 x 1,200 W for GB200 (PHYSICS 3); air: the nodes of the loop at full fan speed."""
    plant = build(nvl72_rows(1, 4, loops=2))
    np.testing.assert_allclose(plant.loops.flow_m3_s[:2], 2 * 72 * 1.3 * 1200 * 1.5e-6 / 60, rtol=1e-9)
    air = build(superpod(1))
    np.testing.assert_allclose(air.loops.flow_m3_s.sum(), 32 * 1105 * 0.3048**3 / 60, rtol=1e-3)


def test_a_given_flow_stands() -> None:
    document = nvl72_rows(1, 4).model_dump(by_alias=True)
    document["cooling"]["loops"][0]["flow"] = "300 lpm"
    plant = build(type(nvl72_rows()).model_validate(document))
    np.testing.assert_allclose(plant.loops.flow_m3_s[:2], 0.005)


def boxes(plant: Plant) -> np.ndarray:
    """Return (x0, y0, x1, y1) of every rack and machine."""
    racks, machines = plant.racks, plant.machines
    x = np.concatenate([racks.x_m[racks.present], machines.x_m])
    y = np.concatenate([racks.y_m[racks.present], machines.y_m])
    half_x = np.concatenate([racks.width_m[racks.present], machines.width_m]) / 2
    half_y = np.concatenate([racks.depth_m[racks.present], machines.depth_m]) / 2
    return np.stack([x - half_x, y - half_y, x + half_x, y + half_y], axis=1)


def overlaps(box: np.ndarray) -> list[tuple[int, int]]:
    low, high = box[:, None, :2], box[:, None, 2:]
    meet = ((low < box[None, :, 2:] - 1e-6) & (box[None, :, :2] < high - 1e-6)).all(axis=2)
    first, second = np.nonzero(np.triu(meet, 1))
    return list(zip(first.tolist(), second.tolist(), strict=True))


def check_floor(plant: Plant) -> None:
    """Nothing stands in another thing, and everything in its hall."""
    assert overlaps(boxes(plant)) == []
    hall = np.concatenate([plant.racks.hall[plant.racks.present], plant.loops.hall[plant.machines.loop]])
    box = boxes(plant)
    assert (box[:, 0] > plant.halls.x0_m[hall]).all()
    assert (box[:, 1] > plant.halls.y0_m[hall]).all()
    assert (box[:, 2] < plant.halls.x1_m[hall]).all()
    assert (box[:, 3] < plant.halls.y1_m[hall]).all()


@pytest.mark.parametrize("loops", [1, 2, 5, 8])
def test_machines_stand_clear(loops: int) -> None:
    check_floor(build(nvl72_rows(2, 4, loops=loops)))


@pytest.mark.parametrize(("count", "units"), [(1, 1), (1, 40), (7, 3), (17, 10), (30, 1), (30, 14)])
def test_many_air_handlers_find_room(count: int, units: int) -> None:
    loop = {"id": "crah", "kind": "air", "part": "CRAH-chilled", "count": count, "units": units}
    loop |= {"plant": "fws", "serves": ["gpu", "net"]}
    plant = build(hall_of(544))
    check_floor(plant)
    plant = changed(cooling={"plants": [{"id": "fws"}], "loops": [loop]})
    check_floor(plant)
    assert len(plant.machines.loop) == count * units
    assert (np.bincount(plant.machines.loop) == units).all()


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0.5, 8)), min_size=1, max_size=30))
def test_spread_blocks_never_overlap_and_stay_when_they_can(blocks: list[tuple[float, float]]) -> None:
    middles, lengths = [m for m, _ in blocks], [n for _, n in blocks]
    low = spread(middles, lengths)
    order = np.argsort(low)
    end = (low + np.array(lengths))[order]
    assert (low[order][1:] >= end[:-1] - 1e-9).all()
    if len(blocks) == 1:
        assert low[0] == pytest.approx(middles[0] - lengths[0] / 2)
    assert (low + np.array(lengths) / 2).mean() == pytest.approx(np.mean(middles)) or len(set(lengths)) > 1


def test_labels_count_machines_of_a_kind() -> None:
    plant = build(nvl72_rows())
    assert plant.loops.labels == ["CDU 0", "CDU 1", "CRAH 0"]
    assert plant.loops.kind.tolist() == [LoopKind.LIQUID, LoopKind.LIQUID, LoopKind.AIR]


def test_parents_stand_before_children_and_share_evenly() -> None:
    plant = build(superpod(4))
    power = plant.power
    assert (power.parent < np.arange(len(power.ids))).all()
    names = {power.ids[i]: power.ids[p] if p >= 0 else None for i, p in enumerate(power.parent.tolist())}
    assert names["utility/0"] is None
    assert [names[f"pdu-a/{i}"] for i in range(4)] == ["ups-a/0", "ups-a/0", "ups-a/1", "ups-a/1"]
    assert power.capacity_w[power.ids.index("pdu-a/0")] > 0
    assert np.isnan(power.capacity_w[0])


def test_stages_may_come_in_any_order() -> None:
    stages = superpod(2).model_dump(by_alias=True)["power"]
    plant = changed(power=stages[::-1])
    assert (plant.power.parent < np.arange(len(plant.power.ids))).all()


def test_two_stages_that_feed_the_same_rows_are_a_and_b() -> None:
    plant = build(superpod(2))
    a = [plant.power.ids[i] for i in plant.racks.feed_a]
    b = [plant.power.ids[i] for i in plant.racks.feed_b]
    assert a == ["pdu-a/0"] * 10 + ["pdu-a/1"] * 10
    assert b == ["pdu-b/0"] * 10 + ["pdu-b/1"] * 10
    assert sorted(set(plant.power.feed.tolist())) == [-1, 0, 1]


@pytest.mark.parametrize(
    ("stages", "reason"),
    [
        ([{"id": "pdu", "kind": "pdu", "from": "ups"}], "power stage 'pdu': no stage is called 'ups'"),
        (
            [{"id": "pdu", "kind": "pdu", "feeds": ["cpu"]}],
            "power stage 'pdu': no row, loop or plant is called 'cpu'",
        ),
        (
            [{"id": "a", "kind": "ups", "from": "b"}, {"id": "b", "kind": "ups", "from": "a"}],
            "power stages a, b supply each other in a cycle",
        ),
    ],
)
def test_a_broken_power_tree_is_refused(stages: list[dict], reason: str) -> None:
    with pytest.raises(PlantError, match=reason):
        changed(power=stages)


def test_stores_add_up_their_boxes() -> None:
    plant = build(superpod(1))
    assert plant.stores == ["pfs"]
    assert plant.storage.read_bytes_s.tolist() == [80e9]
    assert plant.storage.write_bytes_s.tolist() == [40e9]


def test_storage_boxes_stand_in_their_racks() -> None:
    rows = {"id": "store", "racks": {"count": 2, "role": "storage"}}
    plant = build(
        scene(
            halls=[{"id": "hall", "rows": [rows]}],
            storage=[{"id": "pfs", "part": "DDN-AI400X2", "count": 5, "racks": "store"}],
        )
    )
    assert np.bincount(plant.fixtures.rack).tolist() == [3, 2]
    assert plant.fixtures.u.tolist() == [4, 6, 8, 4, 6]
    assert plant.storage.rack.tolist() == [0]


def test_a_store_takes_what_it_does_not_say_from_its_part() -> None:
    stores = changed(
        storage=[
            {"id": "pfs", "part": "DDN-AI400X2", "count": 2, "read": "100 GB/s", "iops": "10 /s"},
            {"id": "lake", "part": "Object-store-node", "count": 3, "backs": "pfs", "first_byte": "5 ms"},
            {"id": "bare", "read": "1 GB/s", "write": "1 GB/s"},
        ]
    ).storage
    assert stores.tier == ["parallel", "object", "parallel"]
    assert stores.read_bytes_s.tolist() == [200e9, 15e9, 1e9]
    assert stores.write_bytes_s.tolist() == [130e9, 7.5e9, 1e9]
    assert stores.operations_s.tolist() == [20.0, 7500.0, np.inf]
    assert stores.capacity_bytes.tolist() == [1e15, 1.2e15, np.inf]
    assert stores.first_byte_s.tolist() == [0.0, 0.005, 0.0]
    assert stores.behind.tolist() == [1, -1, -1]
