"""Topologies by count, and what holds of all of them: ports, reach, bisection, cards."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from canonical import canonical
from demo_scenes import superpod
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from small_parts import SPEED_BYTES_S, small_catalog, small_plant, small_scene

from twin.physics import network_shapes
from twin.plant.build import build
from twin.plant.error import PlantError
from twin.plant.graph import describe, find, lost_rails, nodes_under, rails
from twin.plant.patch import rebuild
from twin.plant.tables import BundleTier, Plant, SwitchRole
from twin.scenario.checks.fabric import unmet
from twin.scenario.checks.fabric_size import most_cubic
from twin.scenario.schema.document import Scenario


def tiers(plant: Plant) -> tuple[int, int, int]:
    """Return the numbers of leaf, spine and core switches."""
    made = np.bincount(plant.switches.role, minlength=3)
    return int(made[0]), int(made[1]), int(made[2])


def ports_used(plant: Plant) -> np.ndarray:
    used = np.bincount(plant.node_links.leaf, minlength=len(plant.switches.ids))
    np.add.at(used, plant.switch_links.lower, plant.switch_links.cables)
    np.add.at(used, plant.switch_links.upper, plant.switch_links.cables)
    return used


def islands(plant: Plant, rail: int | None = None) -> int:
    """Return how many groups of nodes cannot reach one another, over all cables or those of one rail."""
    total, first = len(plant.nodes.ids) + len(plant.switches.ids), len(plant.nodes.ids)
    down, up, peers = plant.node_links, plant.switch_links, plant.peer_links
    mine = np.ones(len(down.node), np.bool_) if rail is None else down.rail == rail
    a = np.concatenate([down.node[mine], first + up.lower, peers.a])
    b = np.concatenate([first + down.leaf[mine], first + up.upper, peers.b])
    label = np.arange(total)
    while True:
        lower = label.copy()
        np.minimum.at(lower, a, label[b])
        np.minimum.at(lower, b, label[a])
        if (lower == label).all():
            return len(set(label[np.flatnonzero(plant.nodes.present)].tolist()))
        label = lower


def bisection(plant: Plant) -> float:
    """Return the bandwidth between the two halves of the nodes that are joined worst, in cards: by trying all cuts.

    Each switch falls on the side that costs least, tier by tier from the nodes up; exact for trees of at most a few
    switches a side, as all placements of switches are tried.
    """
    nodes, switches = len(plant.nodes.ids), len(plant.switches.ids)
    down, up, peers = plant.node_links, plant.switch_links, plant.peer_links
    a = np.concatenate([down.node, nodes + up.lower, peers.a])
    b = np.concatenate([nodes + down.leaf, nodes + up.upper, peers.b])
    width = np.concatenate([down.bytes_s, up.bytes_s, peers.bytes_s]) / SPEED_BYTES_S
    bits = (np.arange(2**switches)[:, None] >> np.arange(switches)) & 1
    best = np.inf
    for half in combinations(range(1, nodes), nodes // 2 - 1):
        side = np.zeros((len(bits), nodes + switches), np.int8)
        side[:, [0, *half]] = 1
        side[:, nodes:] = bits
        best = min(best, float(((side[:, a] != side[:, b]) * width).sum(axis=1).min()))
    return best


# Counts


@pytest.mark.parametrize(("k", "hosts", "switches"), [(4, 16, 20), (8, 128, 80)])
def test_k_ary_fat_tree(k: int, hosts: int, switches: int) -> None:
    """Al-Fares et al. 2008: k^3/4 hosts, 5 k^2 / 4 switches."""
    plant = small_plant("fat-tree", hosts, leaf=k, spine=k, core=k)
    assert tiers(plant) == (k * k // 2, k * k // 2, k * k // 4)
    assert sum(tiers(plant)) == switches
    assert (ports_used(plant) == k).all()
    assert set(plant.switch_links.cables.tolist()) == {1}
    assert islands(plant) == 1
    cores = plant.switches.role == SwitchRole.CORE
    assert cores[-(k * k // 4) :].all()
    up = plant.switch_links
    for core in np.flatnonzero(cores):  # a core has one cable into each pod
        assert sorted(plant.switches.unit[up.lower[up.upper == core]].tolist()) == list(range(k))


@pytest.mark.parametrize("k", [4, 8])
def test_the_builder_makes_what_the_formula_counts(k: int) -> None:
    shape = network_shapes.fat_tree(k)
    plant = small_plant("fat-tree", shape.hosts, leaf=k, spine=k, core=k)
    assert sum(tiers(plant)) == shape.switches
    assert len(plant.node_links.node) == shape.host_links
    assert plant.switch_links.cables.sum() == shape.links


def test_fat_tree_of_48_ports() -> None:
    """Al-Fares et al. 2008, section 3.1: 27,648 hosts and 2,880 switches of 48 ports."""
    shape = network_shapes.fat_tree(48)
    assert (shape.hosts, shape.switches) == (27648, 2880)


def test_a_fat_tree_has_as_many_pods_as_its_nodes_need() -> None:
    plant = small_plant("fat-tree", 9, leaf=4, spine=4, core=4)
    assert tiers(plant) == (6, 6, 4)
    assert islands(plant) == 1
    assert (ports_used(plant) <= 4).all()
    alone = small_plant("fat-tree", 4, leaf=4, spine=4, core=4)
    assert tiers(alone) == (2, 2, 0)  # one pod has nothing to be joined to


def test_an_oversubscribed_fat_tree_has_fewer_switches_above_its_leaves() -> None:
    full = small_plant("fat-tree", 96, leaf=12, spine=8, core=8)
    thin = small_plant("fat-tree", 96, leaf=12, spine=8, core=8, oversubscription=2)
    assert sum(tiers(thin)) < sum(tiers(full))
    links, up = thin.node_links, thin.switch_links
    down_cables = np.bincount(links.leaf, minlength=len(thin.switches.ids))
    up_cables = np.bincount(up.lower, up.cables, minlength=len(thin.switches.ids))
    leaf = thin.switches.role == SwitchRole.LEAF
    np.testing.assert_array_equal(down_cables[leaf], 2 * up_cables[leaf])


def test_fewer_cores_thin_out_what_joins_the_pods() -> None:
    full = small_plant("fat-tree", 16, leaf=4, spine=4, core=4)
    thin = small_plant("fat-tree", 16, leaf=4, spine=4, core={"part": "S4", "count": 2})
    assert (tiers(full)[2], tiers(thin)[2]) == (4, 2)
    for plant, up_each in ((full, 2), (thin, 1)):
        links, role = plant.switch_links, plant.switches.role
        up = np.bincount(links.lower, links.cables, len(role))[role == SwitchRole.SPINE]
        assert set(up.tolist()) == {up_each}
        assert islands(plant) == 1
        assert (ports_used(plant) <= 4).all()


@pytest.mark.parametrize(
    ("dims", "edges"), [((4, 4, 4), 192), ((4, 4), 32), ((3, 3, 3), 81), ((2, 4), 12), ((2, 2, 2), 12)]
)
def test_torus_edges(dims: tuple[int, ...], edges: int) -> None:
    plant = small_plant("torus", int(np.prod(dims)), 6, dims=list(dims), technology="InfiniBand-NDR")
    peers = plant.peer_links
    assert len(peers.a) == edges
    assert islands(plant) == 1
    degree = np.bincount(np.concatenate([peers.a, peers.b]), np.tile(peers.cables, 2))
    assert set(degree.tolist()) == {6}  # every card of every node is in use
    assert len({*zip(peers.a.tolist(), peers.b.tolist(), strict=True)}) == edges
    assert (peers.bytes_s == peers.cables * SPEED_BYTES_S).all()


def test_eight_cards_on_three_axes_are_shared_out_in_pairs() -> None:
    plant = small_plant("torus", 27, 8, technology="InfiniBand-NDR")  # no dims: most cubic
    per_axis = {int(axis): set(plant.peer_links.cables[plant.peer_links.axis == axis]) for axis in range(3)}
    assert per_axis == {0: {2}, 1: {1}, 2: {1}}


@pytest.mark.parametrize(("nodes", "edges", "cables"), [(1, 0, 0), (2, 1, 8), (3, 3, 4), (16, 16, 4)])
def test_a_ring_closes(nodes: int, edges: int, cables: int) -> None:
    plant = small_plant("ring", nodes, 8, technology="RoCE-400")
    assert len(plant.peer_links.a) == edges
    assert set(plant.peer_links.cables.tolist()) == ({cables} if edges else set())
    assert islands(plant) == 1


@pytest.mark.parametrize(
    ("nodes", "dims"), [(8, (2, 2, 2)), (128, (8, 4, 4)), (12, (3, 2, 2)), (7, (7, 1, 1)), (30, (5, 3, 2))]
)
def test_most_cubic(nodes: int, dims: tuple[int, ...]) -> None:
    assert most_cubic(nodes, 3) == dims


def test_rails_of_a_rail_only_fabric_are_islands() -> None:
    plant = small_plant("rail-only", 12, 4, leaf=16)
    assert tiers(plant) == (4, 0, 0)
    assert len(set(rails(plant).island.tolist())) == 4
    assert all(islands(plant, rail) == 1 for rail in range(4))


def test_a_large_rail_only_fabric_has_spines_of_each_rail() -> None:
    plant = small_plant("rail-only", 32, 4, unit_nodes=8, leaf=16, spine=16)
    state = rails(plant)
    assert len(set(state.island.tolist())) == 4
    for rail in range(4):
        assert len(set(state.island[state.rail == rail].tolist())) == 1
        assert islands(plant, rail) == 1
    spines = plant.switches.role == SwitchRole.SPINE
    assert sorted(set(plant.switches.rail[spines].tolist())) == [0, 1, 2, 3]


def test_groups_of_a_dragonfly_are_joined_evenly() -> None:
    plant = small_plant("dragonfly-plus", 20, unit_nodes=4, leaf=8, spine=8)
    assert islands(plant) == 1
    assert (ports_used(plant) <= 8).all()
    up, switches = plant.switch_links, plant.switches
    cross = switches.unit[up.lower] != switches.unit[up.upper]
    assert (switches.role[up.lower[cross]] == SwitchRole.SPINE).all()
    pairs = Counter()
    for low, high, cables in zip(
        switches.unit[up.lower[cross]].tolist(),
        switches.unit[up.upper[cross]].tolist(),
        up.cables[cross].tolist(),
        strict=True,
    ):
        pairs[low, high] += cables
    assert set(pairs) == set(combinations(range(5), 2))
    assert len(set(pairs.values())) == 1
    ends = np.bincount(
        np.concatenate([up.lower[cross], up.upper[cross]]), np.tile(up.cables[cross], 2), len(switches.ids)
    )
    spines = switches.role == SwitchRole.SPINE
    assert np.ptp(ends[spines]) <= 1  # no spine has more than its share of global cables


def test_explicit_cables_are_taken_as_they_are() -> None:
    plant = small_plant(
        "explicit",
        3,
        4,
        leaf={"part": "S8", "count": 2},
        spine={"part": "S8", "count": 1},
        links=[
            {"from": "gpu/0/0/0", "to": "net/0/0", "cables": 2},
            {"from": "net/0/1", "to": "gpu/0/1/0", "cables": 3},
            {"from": "net/1/0", "to": "net/0/0", "cables": 4},
            {"from": "net/0/1", "to": "net/1/0"},
            {"from": "net/0/0", "to": "net/0/1"},
            {"from": "gpu/0/0/0", "to": "gpu/0/2/0", "cables": 2},
        ],
    )
    links, up, peers = plant.node_links, plant.switch_links, plant.peer_links
    assert list(zip(links.node.tolist(), links.nic.tolist(), links.leaf.tolist(), strict=True)) == [
        (0, 0, 0),
        (0, 1, 0),
        (1, 0, 1),
        (1, 1, 1),
        (1, 2, 1),
    ]
    assert list(zip(up.lower.tolist(), up.upper.tolist(), up.cables.tolist(), strict=True)) == [
        (0, 2, 4),
        (1, 2, 1),
        (0, 1, 1),
    ]
    assert (peers.a.tolist(), peers.b.tolist(), peers.cables.tolist()) == ([0], [2], [2])
    assert islands(plant) == 1


# Dual-homed cards


DUAL: list[tuple[str, dict[str, Any]]] = [
    ("single-switch", {"leaf": 64}),
    ("leaf-spine", {"leaf": 32, "spine": 32, "unit_nodes": 8}),
    ("rail-optimised", {"leaf": 16, "spine": 16, "unit_nodes": 8}),
    ("rail-only", {"leaf": 16}),
    ("fat-tree", {"leaf": 16, "spine": 16, "core": 16}),
    ("dragonfly-plus", {"leaf": 32, "spine": 32, "unit_nodes": 8}),
]


@pytest.mark.parametrize(("kind", "fabric"), DUAL)
def test_each_cable_of_a_dual_homed_card_goes_to_another_leaf_with_half_its_bandwidth(
    kind: str, fabric: dict[str, Any]
) -> None:
    plant = small_plant(kind, 16, 4, homes=2, **fabric)
    links = plant.node_links
    assert len(links.node) == 16 * 4 * 2
    cards: dict[tuple[int, int], dict[int, int]] = {}
    for node, nic, plane, leaf in zip(links.node, links.nic, links.plane, links.leaf, strict=True):
        cards.setdefault((int(node), int(nic)), {})[int(plane)] = int(leaf)
    assert len(cards) == 64
    assert all(set(planes) == {0, 1} and planes[0] != planes[1] for planes in cards.values())
    assert (links.bytes_s == SPEED_BYTES_S / 2).all()
    np.testing.assert_array_equal(plant.switches.plane[links.leaf], links.plane)
    assert (ports_used(plant) <= plant.switches.ports).all()
    leaf = int(links.leaf[0])
    assert lost_rails(plant, [leaf]) == {}  # the other plane still carries every card
    other = int(links.leaf[(links.node == 0) & (links.nic == 0) & (links.plane == 1)][0])
    assert 0 in lost_rails(plant, [leaf, other])


# Laws


TOPOLOGIES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(
            ["single-switch", "leaf-spine", "rail-optimised", "rail-only", "fat-tree", "dragonfly-plus"]
        ),
        "nodes": st.integers(1, 40),
        "cards": st.integers(1, 8),
        "leaf": st.integers(4, 32).map(lambda n: 2 * n),
        "spine": st.integers(4, 32).map(lambda n: 2 * n),
        "core": st.integers(4, 32).map(lambda n: 2 * n),
        "unit_nodes": st.integers(1, 40),
        "oversubscription": st.sampled_from([1.0, 1.5, 2.0, 3.0]),
        "homes": st.integers(1, 2),
    }
)
ABOVE = {"single-switch": (), "fat-tree": ("spine", "core")}


def described(said: dict[str, Any]) -> Scenario:
    above = ABOVE.get(said["kind"], ("spine",))
    chosen = {key: said[key] for key in ("leaf", "unit_nodes", "oversubscription", "homes", *above)}
    return small_scene(said["kind"], said["nodes"], said["cards"], **chosen)


@settings(max_examples=150, deadline=None)
@given(TOPOLOGIES)
def test_no_switch_has_more_cables_than_ports_and_every_node_is_reached(said: dict[str, Any]) -> None:
    scenario = described(said)
    try:
        plant = build(scenario, small_catalog())
    except PlantError:
        assume(False)
    assert (ports_used(plant) <= plant.switches.ports).all()
    assume(not list(unmet(scenario, small_catalog())))  # `twin check` warns of these
    links = plant.node_links
    assert len(links.node) == said["nodes"] * said["cards"] * said["homes"]
    cards = Counter(zip(links.node.tolist(), links.nic.tolist(), links.plane.tolist(), strict=True))
    assert max(cards.values()) == 1
    if said["kind"] in ("single-switch", "rail-only"):
        assert all(islands(plant, rail) == 1 for rail in range(said["cards"]))
    else:
        assert islands(plant) == 1
    assert plant.bundles.cables.sum() == len(links.node) + plant.switch_links.cables.sum()
    for slot in range(len(plant.switches.ids)):
        assert describe(plant, "switch", slot)
        below = nodes_under(plant, "switch", slot)
        assert (plant.switches.role[slot] != SwitchRole.LEAF) or set(below.tolist()) == set(
            links.node[links.leaf == slot].tolist()
        )


@settings(max_examples=60, deadline=None)
@given(TOPOLOGIES, st.integers(1, 40), st.sets(st.integers(0, 39), max_size=3))
@example(
    {
        "kind": "fat-tree",
        "nodes": 16,
        "cards": 1,
        "leaf": 8,
        "spine": 8,
        "core": 8,
        "unit_nodes": 4,
        "oversubscription": 1.0,
        "homes": 2,
    },
    24,
    {3},
)
def test_a_patched_fabric_is_the_rebuilt_one(said: dict[str, Any], nodes: int, absent: set[int]) -> None:
    def scenario(count: int, gone: set[int]) -> Scenario:
        document = described(said | {"nodes": count}).model_dump(by_alias=True)
        document["halls"][0]["overrides"] = {
            f"gpu/0/{rack}": {"absent": True} for rack in gone if rack < count
        }
        return Scenario.model_validate(document)

    catalog = small_catalog()
    try:
        plant = build(scenario(said["nodes"], set()), catalog)
        fresh = build(scenario(nodes, absent), catalog)
    except PlantError:
        assume(False)
    patched = rebuild(plant, scenario(nodes, absent), catalog)
    assert canonical(patched) == canonical(fresh)
    assert patched.fabric_table == fresh.fabric_table


def test_a_patched_torus_is_the_rebuilt_one() -> None:
    catalog = small_catalog()
    first = small_scene("torus", 8, 6, technology="InfiniBand-NDR")
    second = small_scene("torus", 27, 6, technology="RoCE-400", routing="ecmp")
    patched = rebuild(build(first, catalog), second, catalog)
    assert canonical(patched) == canonical(build(second, catalog))
    assert patched.fabric_table.technology == ["RoCE-400"]
    assert patched.fabric_table.routing == ["ecmp"]
    assert patched.bundles.cables.sum() == 81


def test_an_absent_node_opens_the_ring_and_moves_nobody() -> None:
    scenario = small_scene("ring", 6, 2, technology="RoCE-400")
    document = scenario.model_dump(by_alias=True)
    document["halls"][0]["overrides"] = {"gpu/0/2": {"absent": True}}
    less = build(Scenario.model_validate(document), small_catalog())
    whole = build(scenario, small_catalog())
    assert len(whole.peer_links.a) == 6
    assert list(zip(less.peer_links.a.tolist(), less.peer_links.b.tolist(), strict=True)) == [
        (0, 1),
        (3, 4),
        (4, 5),
        (5, 0),
    ]


# Bisection, of cases small enough to try every cut


@pytest.mark.parametrize(
    ("kind", "nodes", "cards", "fabric", "cut"),
    [
        ("leaf-spine", 4, 1, {"leaf": 4, "spine": 4, "unit_nodes": 4}, 2),  # full: half of the cards
        ("leaf-spine", 8, 1, {"leaf": 6, "spine": 4, "unit_nodes": 8, "oversubscription": 2}, 2),
        ("fat-tree", 8, 1, {"leaf": 4, "spine": 4, "core": 4}, 4),
        ("single-switch", 6, 1, {"leaf": 8}, 3),
        ("ring", 8, 2, {"technology": "RoCE-400"}, 2),
        ("torus", 8, 6, {"technology": "RoCE-400"}, 8),  # 2 x 2 x 2: four edges of two cables
        ("torus", 16, 4, {"technology": "RoCE-400", "dims": [4, 4]}, 8),  # 2 k^(d-1) cables
    ],
)
def test_bisection(kind: str, nodes: int, cards: int, fabric: dict[str, Any], cut: float) -> None:
    assert bisection(small_plant(kind, nodes, cards, **fabric)) == pytest.approx(cut)


# What people see


def test_a_core_a_pod_and_a_plane_have_names() -> None:
    plant = small_plant("fat-tree", 16, leaf=4, spine=4, core=4)
    assert describe(plant, *find(plant, "net/2/3")) == "S4, core of fabric net"
    assert describe(plant, *find(plant, "net/1/5")) == "S4, spine of fabric net, pod 2"
    assert describe(plant, *find(plant, "net")) == "fabric net, fat tree of InfiniBand-NDR"
    assert set(nodes_under(plant, "switch", find(plant, "net/2/3")[1]).tolist()) == set(range(16))
    assert nodes_under(plant, "switch", find(plant, "net/1/5")[1]).tolist() == [8, 9, 10, 11]
    dual = small_plant("rail-optimised", 4, 2, leaf=8, spine=8, homes=2)
    assert describe(dual, *find(dual, "net/0/3")) == "S8, leaf of fabric net, unit 0, rail 1, plane 1"


def test_bundles_say_what_they_join() -> None:
    plant = small_plant("fat-tree", 16, leaf=4, spine=4, core=4)
    cables = np.bincount(plant.bundles.tier, plant.bundles.cables, 4)
    assert cables.tolist() == [16, 16, 16, 0]
    peers = small_plant("torus", 8, 6, technology="RoCE-400").bundles
    assert set(peers.tier.tolist()) == {BundleTier.PEER}
    assert peers.cables.sum() == 24


def test_the_superpod_is_wired_as_before() -> None:
    plant = build(superpod(4))
    assert tiers(plant) == (32, 16, 0)
    assert plant.fabric_table.kind == ["rail-optimised"]
    assert plant.fabric_table.technology == ["InfiniBand-NDR"]
