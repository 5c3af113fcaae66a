"""Routes by classes of leaves are those of each pair; who is alike is of one class, what is broken is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_routes import QM9700, TIERS, bandwidth, flows, hall, router, topology
from usual_cases import usually

from twin.arrays import Floats
from twin.plant.links import find_link, links_of
from twin.plant.paths import shortest_paths
from twin.plant.routes import Flows, Router
from twin.plant.tables import Plant

__all__ = ["topology"]

TREES: list[dict[str, Any]] = [
    {"kind": "leaf-spine", "unit_nodes": 4, **TIERS, "spine": {"part": "QM9700", "count": 11}},
    {"kind": "rail-optimised", "unit_nodes": 8, **TIERS},
    {"kind": "rail-only", "unit_nodes": 8, **TIERS},
    {"kind": "fat-tree", "unit_nodes": 8, "core": QM9700, **TIERS},
    {
        "kind": "fat-tree",
        "unit_nodes": 8,
        "oversubscription": 3,
        "core": {"part": "QM9700", "count": 4},
        **TIERS,
    },
    {"kind": "dragonfly-plus", "unit_nodes": 8, **TIERS},
]


def damaged(plant: Plant, seed: int) -> Floats:
    """Return the bandwidth of the links with some lost, narrowed and, with a switch, dark; of seed 0 all are intact."""
    links, rng = links_of(plant), np.random.default_rng(seed)
    left = bandwidth(plant, *rng.integers(0, len(links), 3 * seed).tolist())
    between = np.flatnonzero(links.kind > 0)
    if seed and len(between):
        left[rng.choice(between, 2 * seed)] = 0
        left[rng.choice(between, seed)] *= 0.5
    if seed > 2:
        left[links.of_switches(np.arange(links.switches) == rng.integers(links.switches))] = 0
    return left


def pair_by_pair(made: Router, sent: Flows) -> tuple[Floats, float]:
    """Return the load of every directed link when each card is routed by itself, and the flows that find no way."""
    load, lost = np.zeros(2 * len(made.links)), 0.0
    for number, weight in enumerate(sent.weight.tolist()):
        a, b = (made.leaves[made.attachment[end[number]], :, 0] for end in (sent.source, sent.target))
        reached = (a >= 0) & (b >= 0) & (made.graph.island[a] == made.graph.island[b])
        lost += weight * (not reached.all())
        paths = shortest_paths(made.graph, a[reached], b[reached])
        np.add.at(load, paths.dlink, weight * paths.share)
    return load, lost


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{tree['kind']}{tree.get('oversubscription', '')}")
@pytest.mark.parametrize("seed", usually(range(8), 3))
def test_routes_by_class_are_those_of_each_pair(tree: dict[str, Any], seed: int) -> None:
    plant = hall(32, **tree)
    made = Router(plant, links_of(plant), 0, damaged(plant, seed))
    rng = np.random.default_rng(seed)
    sent = flows([(a, b) for a, b in rng.integers(0, 32, (60, 2)).tolist() if a != b])
    expected, lost = pair_by_pair(made, sent)
    loads = made.load(sent, 1)
    found = np.zeros_like(expected)
    found[loads.by_group[0][0]] = loads.by_group[0][1]
    assert found == pytest.approx(expected)
    assert loads.unreachable.tolist() == [lost]
    assert made.carried(sent, np.array([3.0])) == pytest.approx(3 * expected)


def test_who_is_alike_is_of_one_class_and_what_is_broken_is_not() -> None:
    """Four pods of four leaves and their spines; a core joins the like spines of all pods."""
    plant = hall(64, kind="fat-tree", unit_nodes=16, core=QM9700, **TIERS)
    intact = router(plant)
    assert intact.between_leaves is not None
    leaf, role = intact.between_leaves.classes.of, plant.switches.role
    assert [len(np.unique(leaf[(role == 0) & (plant.switches.unit == pod)])) for pod in range(4)] == [1] * 4
    spines, cores = int((role == 1).sum()), int((role == 2).sum())
    assert len(np.unique(leaf[role == 1])) == spines
    assert len(np.unique(leaf[role == 2])) == spines // 4 < cores  # those of one group are alike
    lower, upper = (
        plant.switches.ids[int(column[0])] for column in (plant.switch_links.lower, plant.switch_links.upper)
    )
    broken = router(plant, find_link(plant, f"{lower}~{upper}"))  # type: ignore[arg-type]
    assert broken.between_leaves is not None
    of = broken.between_leaves.classes.of
    alike = of[(role == 0) & (plant.switches.unit == 0)]
    assert len(np.unique(alike)) == 2
    assert (alike == alike[0]).sum() == 1
    assert len(np.unique(of[role == 0])) == 5


def test_routes_are_found_by_pairs_of_pods_not_of_leaves() -> None:
    plant = hall(128, kind="fat-tree", unit_nodes=16, core=QM9700, **TIERS)
    made = router(plant)
    made.load(flows([(a, b) for a in range(128) for b in range(128) if a != b]), 1)
    assert made.between_leaves is not None
    assert len(made.between_leaves.classes.graph.size) < 100
    assert made.between_leaves.found == 8 * 8


@pytest.mark.parametrize("seed", range(3))
def test_what_goes_over_some_links_is_what_their_loads_say(topology: Plant, seed: int) -> None:
    rng, links = np.random.default_rng(seed), links_of(topology)
    made = Router(topology, links, 0, bandwidth(topology, *rng.integers(0, len(links), seed).tolist()))
    pairs = [(0, 5), (5, 0), (3, 12), (9, 2), (0, 5)]
    marked = rng.random(len(links)) < 0.3
    over = made.over(flows(pairs), marked)
    for place, pair in enumerate(pairs):
        dlink, on = made.load(flows([pair]), 1).by_group[0]
        met = marked[dlink // 2]
        assert over[place] == pytest.approx(np.bincount(dlink[met] % 2, on[met], minlength=2))


@pytest.mark.parametrize("seed", range(3))
def test_routes_met_one_by_one_are_those_found_together(topology: Plant, seed: int) -> None:
    rng = np.random.default_rng(seed)
    left = bandwidth(topology, *rng.integers(0, len(links_of(topology)), seed).tolist())
    together, one_by_one = (Router(topology, links_of(topology), 0, left) for _ in range(2))
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    together.load(flows(pairs), 1)
    for number in rng.permutation(len(pairs)).tolist():
        pair = flows([pairs[number]])
        expected, found = together.load(pair, 1), one_by_one.load(pair, 1)
        assert np.array_equal(expected.unreachable, found.unreachable)
        assert np.array_equal(expected.hops, found.hops)
        for (dlink, on), (other_dlink, other_on) in zip(expected.by_group, found.by_group, strict=True):
            assert np.array_equal(dlink, other_dlink)
            assert on == pytest.approx(other_on)
