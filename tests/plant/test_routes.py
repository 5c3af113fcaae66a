"""Links by number and id, routes between nodes by hand, and laws every route obeys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.plant.build import build
from twin.plant.cut_off import cut_off
from twin.plant.links import LinkKind, card_cable_ids, describe_link, find_link, link_id, links_of
from twin.plant.paths import graph_of, shortest_paths
from twin.plant.routes import EVERY_CARD, Flows, Router
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

QM9700 = {"part": "QM9700"}
TIERS = {"leaf": QM9700, "spine": QM9700}
CARD_BYTES_S = 50e9


def hall(nodes: int = 16, part: str = "DGX-H100", **fabric: Any) -> Plant:
    """Return racks of four nodes on one fabric."""
    racks = {"count": nodes // 4, "nodes": [{"part": part, "count": 4, "first_u": 3}]}
    return build(
        Scenario.model_validate(
            {
                "format": "twin/scenario",
                "version": 3,
                "catalog": "2026.11",
                "title": "routes",
                "duration": "1 day",
                "halls": [{"id": "hall", "rows": [{"id": "gpu", "racks": racks}]}],
                "fabrics": [{"id": "ib", **fabric}],
            }
        )
    )


def router(plant: Plant, *dead: int, switches: tuple[str, ...] = ()) -> Router:
    """Return the routes of the first fabric without some links and switches."""
    return Router(plant, links_of(plant), 0, bandwidth(plant, *dead, switches=switches))


def bandwidth(plant: Plant, *dead: int, switches: tuple[str, ...] = ()) -> np.ndarray:
    links = links_of(plant)
    bytes_s = links.bytes_s.copy()
    bytes_s[list(dead)] = 0
    bytes_s[links.of_switches(np.isin(plant.switches.ids, switches))] = 0
    return bytes_s


def flows(pairs: list[tuple[int, int]], card: int = EVERY_CARD, to_card: int | None = None) -> Flows:
    """Return one flow between nodes of each pair, on every card or on one."""
    source, target = np.array(pairs).T
    count = len(pairs)
    other = card if to_card is None else to_card
    return Flows(
        np.zeros(count, np.int64), source, target, np.full(count, card), np.full(count, other), np.ones(count)
    )


TOPOLOGIES: list[dict[str, Any]] = [
    {"kind": "single-switch", "leaf": {"part": "QM9700", "count": 8}},
    {"kind": "leaf-spine", "unit_nodes": 4, **TIERS},
    {"kind": "rail-optimised", "unit_nodes": 4, **TIERS},
    {"kind": "rail-optimised", "unit_nodes": 4, "homes": 2, **TIERS},
    {"kind": "rail-only", "unit_nodes": 4, **TIERS},
    {"kind": "fat-tree", "core": QM9700, **TIERS},
    {"kind": "dragonfly-plus", "unit_nodes": 4, **TIERS},
    {"kind": "torus", "dims": [4, 4], "technology": "InfiniBand-NDR"},
    {"kind": "ring", "technology": "InfiniBand-NDR"},
]


@pytest.fixture(scope="module", params=TOPOLOGIES, ids=lambda t: f"{t['kind']}{t.get('homes', '')}")
def topology(request: pytest.FixtureRequest) -> Plant:
    return hall(**request.param)


def test_every_link_has_an_id_that_leads_back(topology: Plant) -> None:
    links = links_of(topology)
    ids = [link_id(topology, link) for link in range(len(links))]
    assert len(set(ids)) == len(ids)
    assert card_cable_ids(topology) == ids[: len(topology.node_links.node)]
    for link in range(0, len(links), 7):
        assert find_link(topology, ids[link]) == link
        assert describe_link(topology, link)
    a, tilde, b = ids[-1].partition("~")
    assert find_link(topology, f"{b}{tilde}{a}") == len(links) - 1 or links.kind[-1] == LinkKind.NODE
    assert find_link(topology, "gpu/0/0/0~99") is None
    assert find_link(topology, "gpu/0/0/0") is None


def test_nothing_is_lost_on_the_way(topology: Plant) -> None:
    """What enters a switch leaves it; what a node sends, the other receives."""
    made, links = router(topology), links_of(topology)
    rng = np.random.default_rng(2)
    pairs = [(a, b) for a, b in rng.integers(0, 16, (20, 2)).tolist() if a != b]
    sent = flows(pairs)
    total = made.card_load(sent, sent.weight)
    for dlink, on in made.load(sent, 1).by_group:
        total[dlink] += on
    start = np.stack(links.vertex, axis=1).reshape(-1)
    end = np.stack(links.vertex[::-1], axis=1).reshape(-1)
    vertices = links.switches + links.nodes
    out, into = np.bincount(start, total, vertices), np.bincount(end, total, vertices)
    assert np.allclose(out[: links.switches], into[: links.switches])
    balance = np.zeros(links.nodes)
    for a, b in pairs:
        balance[a] += made.cards
        balance[b] -= made.cards
    assert np.allclose((out - into)[links.switches :], balance)
    assert made.load(sent, 1).unreachable.tolist() == [0.0]


def test_a_flow_on_every_card_is_a_flow_on_each(topology: Plant) -> None:
    made = router(topology)
    pairs = [(0, 5), (5, 0), (3, 12), (9, 2)]
    together = made.card_load(flows(pairs), np.ones(len(pairs)))
    apart = np.zeros_like(together)
    for sent, total in ((flows(pairs), together), *((flows(pairs, c), apart) for c in range(made.cards))):
        for dlink, on in made.load(sent, 1).by_group:
            total[dlink] += on
        if total is apart:
            total += made.card_load(sent, sent.weight)
    assert np.allclose(together, apart)


def test_leaf_spine_by_hand() -> None:
    """Two units of four nodes; leaf of 32 ports up to 4 spines: 8 cables each, a quarter of the flows."""
    plant = hall(8, kind="leaf-spine", unit_nodes=4, leaf=QM9700, spine={"part": "QM9700", "count": 4})
    made = router(plant)
    (dlink, on), *_ = made.load(flows([(0, 4)], card=3), 1).by_group
    names = [link_id(plant, k // 2) + (">" if k % 2 == 0 else "<") for k in dlink.tolist()]
    assert sorted(names) == sorted(
        [f"ib/0/0~ib/1/{s}>" for s in range(4)] + [f"ib/0/1~ib/1/{s}<" for s in range(4)]
    )
    assert on.tolist() == [0.25] * 8
    assert made.load(flows([(0, 4)]), 1).hops.tolist() == [3.0]
    assert made.load(flows([(0, 1)]), 1).hops.tolist() == [1.0]
    three = router(plant, switches=("ib/1/2",))
    (_, on), *_ = three.load(flows([(0, 4)], card=3), 1).by_group
    assert on.tolist() == pytest.approx([1 / 3] * 6)
    half = bandwidth(plant)
    half[find_link(plant, "ib/0/0~ib/1/0")] /= 2  # type: ignore[index]
    (_, on), *_ = Router(plant, links_of(plant), 0, half).load(flows([(0, 4)], card=3), 1).by_group
    assert sorted(on.tolist()) == pytest.approx(sorted([0.5 / 3.5, *[1 / 3.5] * 3] * 2))


def test_cards_share_what_their_cables_carry() -> None:
    plant = hall(8, kind="rail-optimised", unit_nodes=4, **TIERS)
    made = router(plant)
    ring = [(n, (n + 1) % 8) for n in range(8)]
    assert made.card_bytes_s(flows(ring), 1).tolist() == [CARD_BYTES_S]
    assert made.card_bytes_s(flows(ring + ring), 1).tolist() == [CARD_BYTES_S / 2]
    assert made.card_bytes_s(flows([*ring, (0, 2)], card=1), 1).tolist() == [CARD_BYTES_S / 2]
    assert made.roomy(np.arange(8), 1.0)


def test_one_home_is_cut_off_two_homes_go_on_with_half() -> None:
    one = hall(8, kind="rail-optimised", unit_nodes=4, **TIERS)
    two = hall(8, kind="rail-optimised", unit_nodes=4, homes=2, **TIERS)
    leaf = one.switches.ids[int(one.node_links.leaf[0])]
    assert cut_off(one, links_of(one), bandwidth(one, switches=(leaf,))).tolist() == [True] * 4 + [False] * 4
    leaf = two.switches.ids[int(two.node_links.leaf[0])]
    assert not cut_off(two, links_of(two), bandwidth(two, switches=(leaf,))).any()
    made = router(two, switches=(leaf,))
    assert made.load(flows([(0, 5)]), 1).unreachable.tolist() == [0.0]
    assert made.card_bytes_s(flows([(0, 5)]), 1).tolist() == [CARD_BYTES_S / 2]
    assert router(two).card_bytes_s(flows([(0, 5)]), 1).tolist() == [CARD_BYTES_S]


def test_a_cut_cable_and_a_lost_spine() -> None:
    plant = hall(8, kind="leaf-spine", unit_nodes=4, leaf=QM9700, spine={"part": "QM9700", "count": 2})
    links = links_of(plant)
    cable = find_link(plant, "gpu/0/0/2~5")
    assert cable is not None
    assert np.flatnonzero(cut_off(plant, links, bandwidth(plant, cable))).tolist() == [2]
    assert not cut_off(plant, links, bandwidth(plant, switches=("ib/1/0",))).any()
    apart = cut_off(plant, links, bandwidth(plant, switches=("ib/1/0", "ib/1/1")))
    assert apart.sum() == 4  # half of the nodes no longer reach the other half


def test_torus_goes_dimension_by_dimension_and_round_a_fault() -> None:
    plant = hall(16, kind="torus", dims=[4, 4], technology="InfiniBand-NDR")
    made = router(plant)
    assert made.axes is not None
    (dlink, on), *_ = made.load(flows([(0, 6)], card=0), 1).by_group  # (0, 0) to (1, 2)
    ways = {link_id(plant, k // 2) for k in dlink.tolist()}
    assert ways == {"gpu/0/0/0~gpu/0/1/0", "gpu/0/1/0~gpu/0/1/1", "gpu/0/1/1~gpu/0/1/2"}
    assert on.tolist() == [1.0] * 3
    dead = find_link(plant, "gpu/0/0/0~gpu/0/1/0")
    assert dead is not None
    detour = router(plant, dead).load(flows([(0, 6)], card=0), 1)
    assert detour.hops.tolist() == [3.0]
    assert 2 * dead not in detour.by_group[0][0].tolist()


def test_rails_apart_are_joined_inside_the_node() -> None:
    plant = hall(8, kind="rail-only", unit_nodes=8, leaf=QM9700)
    made = router(plant)
    crossing = made.load(flows([(0, 5)], card=1, to_card=2), 1)
    assert crossing.unreachable.tolist() == [0.0]
    assert crossing.hops.tolist() == [1.0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_paths_of_any_graph_are_shortest_and_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vertices, edges = int(rng.integers(3, 12)), int(rng.integers(3, 24))
    a, b = rng.integers(0, vertices, (2, edges))
    kept = a != b
    a, b = a[kept], b[kept]
    bytes_s = rng.integers(0, 4, len(a)).astype(float)
    graph = graph_of(vertices, a, b, np.arange(len(a)), bytes_s)
    distance = np.full((vertices, vertices), np.inf)
    np.fill_diagonal(distance, 0)
    for x, y in zip(a[bytes_s > 0], b[bytes_s > 0], strict=True):
        distance[x, y] = distance[y, x] = 1
    for k in range(vertices):
        distance = np.minimum(distance, distance[:, [k]] + distance[[k], :])
    source, target = (x.ravel() for x in np.mgrid[:vertices, :vertices])
    paths = shortest_paths(graph, source, target)
    far = distance[source, target]
    reachable = (far > 0) & np.isfinite(far)
    assert np.array_equal(paths.hops, np.where(reachable, far, 0))
    assert np.array_equal(paths.width_bytes_s > 0, reachable)
    start = np.stack([a, b], axis=1).reshape(-1)[paths.dlink]
    end = np.stack([b, a], axis=1).reshape(-1)[paths.dlink]
    balance = np.zeros((len(source), vertices))
    np.add.at(balance, (paths.pair, start), paths.share)
    np.add.at(balance, (paths.pair, end), -paths.share)
    wanted = np.zeros_like(balance)
    wanted[np.flatnonzero(reachable), source[reachable]] += 1
    wanted[np.flatnonzero(reachable), target[reachable]] -= 1
    assert np.allclose(balance, wanted)
    hops = np.bincount(paths.pair, paths.share, len(source))
    assert np.allclose(hops, paths.hops)
