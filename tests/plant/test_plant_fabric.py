import numpy as np
import pytest
from demo_scenes import hall_of, nvl72_rows, scene, superpod

from twin.plant.build import build
from twin.plant.error import PlantError
from twin.plant.graph import lost_rails, rails, switch_graph
from twin.plant.tables import Plant, SwitchRole


def counts(plant: Plant) -> tuple[int, int]:
    role = plant.switches.role
    return int((role == SwitchRole.LEAF).sum()), int((role == SwitchRole.SPINE).sum())


@pytest.mark.parametrize(("units", "leaves", "spines"), [(1, 8, 4), (2, 16, 8), (3, 24, 16), (4, 32, 16)])
def test_superpod_has_the_switches_of_its_reference_architecture(
    units: int, leaves: int, spines: int
) -> None:
    """DGX SuperPOD H100 reference architecture, compute fabric: leaf and spine switches by scalable units."""
    plant = build(superpod(units))
    assert counts(plant) == (leaves, spines)
    links, up = plant.node_links, plant.switch_links
    assert len(links.node) == units * 32 * 8
    assert np.bincount(links.leaf, minlength=leaves).tolist()[:leaves] == [32] * leaves
    assert up.cables.sum() == units * 32 * 8
    assert len(up.lower) == leaves * spines  # every leaf reaches every spine
    assert set(up.cables.tolist()) == {32 // spines}


def test_rail_r_of_a_unit_is_leaf_r_of_that_unit() -> None:
    plant = build(superpod(2))
    links, switches = plant.node_links, plant.switches
    np.testing.assert_array_equal(switches.rail[links.leaf], links.rail)
    np.testing.assert_array_equal(switches.unit[links.leaf], plant.nodes.unit[links.node])


def ports_used(plant: Plant) -> np.ndarray:
    used = np.bincount(plant.node_links.leaf, minlength=len(plant.switches.ids))
    np.add.at(used, plant.switch_links.lower, plant.switch_links.cables)
    np.add.at(used, plant.switch_links.upper, plant.switch_links.cables)
    return used


def test_no_switch_has_more_cables_than_ports() -> None:
    for plant in (build(hall_of(2144)), build(superpod(3)), build(nvl72_rows())):
        assert (ports_used(plant) <= plant.switches.ports).all()


def fabric(nodes: int, oversubscription: float = 1.0, **more: object) -> Plant:
    racks = {"count": nodes, "nodes": [{"part": "DGX-H100", "count": 1}]}
    described = {"id": "ib", "kind": "leaf-spine", "leaf": {"part": "QM9700"}, "spine": {"part": "QM9700"}}
    return build(
        scene(
            halls=[{"id": "hall", "rows": [{"id": "gpu", "racks": racks}]}],
            fabrics=[described | {"oversubscription": oversubscription} | more],
        )
    )


def test_oversubscription_is_down_over_up() -> None:
    plant = fabric(6, 3.0, unit_nodes=6)  # 48 down, 16 up: one QM9700
    assert counts(plant) == (1, 1)
    assert plant.switch_links.cables.tolist() == [16]
    assert counts(fabric(8, 1.0, unit_nodes=8)) == (2, 1)  # 64 ports: two leaves of 32 down and 32 up


def test_fast_ports_split_to_the_speed_of_the_nics() -> None:
    plant = fabric(
        64, kind="rail-optimised", unit_nodes=64, leaf={"part": "TH5-64x800G"}, spine={"part": "TH5-64x800G"}
    )
    assert counts(plant) == (8, 4)  # 64 x 800 Gb/s are 128 x 400 Gb/s: 64 down, 64 up
    assert plant.switches.ports[0] == 128
    assert plant.switches.port_bytes_s[0] == 50e9


def test_single_switch_takes_every_port() -> None:
    plant = fabric(2, kind="single-switch")
    assert counts(plant) == (1, 0)
    assert len(plant.node_links.leaf) == 16
    assert plant.nodes.unit.tolist() == [0, 0]


def test_a_leaf_without_ports_is_refused() -> None:
    with pytest.raises(PlantError, match="would need 128 ports to its nodes and QM9700 has 64"):
        fabric(16, unit_nodes=16, leaf={"part": "QM9700", "count": 1})


def test_unknown_rows_are_refused() -> None:
    with pytest.raises(PlantError, match="fabric 'ib': no row generator is called 'cpu'"):
        fabric(2, rows=["cpu"])


def test_an_absent_node_takes_its_cables_and_nobody_elses() -> None:
    whole = build(superpod(1))
    document = superpod(1).model_dump(by_alias=True)
    document["halls"][0]["overrides"] = {"gpu/0/0/1": {"absent": True}}
    less = build(type(superpod(1)).model_validate(document))
    gone = whole.nodes.ids.index("gpu/0/0/1")
    stay = whole.node_links.node != gone
    np.testing.assert_array_equal(less.node_links.leaf, whole.node_links.leaf[stay])
    assert whole.bundles.cables.sum() - less.bundles.cables.sum() == 8


def test_bundles_hold_every_cable_once() -> None:
    plant = build(superpod(2))
    bundles = plant.bundles
    assert bundles.cables[bundles.rail >= 0].sum() == len(plant.node_links.node)
    assert bundles.cables[bundles.rail < 0].sum() == plant.switch_links.cables.sum()
    assert (bundles.length_m > 0).all()
    assert bundles.length_m[bundles.rack_a == bundles.rack_b].tolist() == [2.0] * int(
        (bundles.rack_a == bundles.rack_b).sum()
    )


def test_without_racks_of_their_own_leaves_stand_on_top_of_their_nodes() -> None:
    plant = build(nvl72_rows(2, 4))
    switches, racks = plant.switches, plant.racks
    leaf = switches.role == SwitchRole.LEAF
    homes = {(int(u), int(r)) for u, r in zip(switches.unit[leaf], switches.rack[leaf], strict=True)}
    assert homes == {(i, i) for i in range(8)}  # a unit is a rack
    assert (switches.u + switches.height_u - 1 <= racks.units_u[switches.rack]).all()
    node_top = np.zeros(len(racks.ids), int)
    np.maximum.at(node_top, plant.nodes.rack, plant.nodes.u + plant.nodes.height_u - 1)
    assert (switches.u > node_top[switches.rack]).all()


def test_a_dead_leaf_costs_one_rail_of_its_unit() -> None:
    plant = build(superpod(2))
    leaf = plant.switches.ids.index("ib/0/11")  # unit 1, rail 3
    lost = lost_rails(plant, [leaf])
    assert set(lost) == set(range(32, 64))
    assert set(lost.values()) == {(3,)}


def test_a_dead_spine_costs_no_rail() -> None:
    plant = build(superpod(2))
    spine = plant.switches.ids.index("ib/1/0")
    assert lost_rails(plant, [spine]) == {}
    assert len(set(rails(plant).island.tolist())) == 1


def test_all_spines_dead_leave_islands_of_one_leaf() -> None:
    plant = build(superpod(2))
    spines = np.flatnonzero(plant.switches.role == SwitchRole.SPINE).tolist()
    state = rails(plant, spines)
    assert len(set(state.island.tolist())) == 16
    assert state.alive.all()


def test_the_graph_carries_slots_and_cables() -> None:
    plant = build(superpod(1))
    graph = switch_graph(plant, 0)
    assert graph.num_nodes() == 12
    assert graph.num_edges() == 32
    assert sum(graph.edges()) == 256
