"""Which nodes a job gets: fewest domains, leaves and pods by hand, most racks when spread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin import scenario
from twin.schedule.placement import _packed, first, pack, spread
from twin.schedule.queue import NodeLabels
from twin.sim.engine.engine import Engine

FOUND = Path(__file__).parents[1] / "findings" / "pack.twin.yaml"
NODE = np.arange(24)
LABELS = NodeLabels(NODE // 2, NODE // 4, NODE // 12, NODE // 4)
"""Domains of 2 nodes, leaves of 4, pods of 12."""


def test_a_job_stays_in_the_smallest_group_that_holds_it() -> None:
    free = np.array([0, 2, 3, 8, 9, 10, 11])
    assert pack(free, 1, LABELS).tolist() == [0]  # the domain that is broken already
    assert pack(free, 2, LABELS).tolist() == [2, 3]  # a whole domain of the leaf that is broken already
    assert pack(free, 3, LABELS).tolist() == [0, 2, 3]  # the leaf that fits tightest
    assert pack(free, 4, LABELS).tolist() == [8, 9, 10, 11]
    assert pack(free, 5, LABELS).tolist() == [0, 8, 9, 10, 11]


def test_a_job_larger_than_a_leaf_takes_the_fewest_leaves() -> None:
    free = np.array([0, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15])
    assert pack(free, 7, LABELS).tolist() == [4, 5, 6, 8, 9, 10, 11]  # leaves of 4 and 3 in one pod
    assert pack(free, 12, LABELS).tolist() == free.tolist()
    chosen = pack(free, 9, LABELS)
    assert len(chosen) == 9
    assert len(set((chosen // 12).tolist())) == 2


def test_a_job_larger_than_a_leaf_takes_the_pod_that_fits_tightest() -> None:
    free = np.array([0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18])  # pods with room 9 and 6
    assert pack(free, 6, LABELS).tolist() == [12, 13, 14, 16, 17, 18]
    assert pack(free, 8, LABELS).tolist() == [4, 5, 6, 7, 8, 9, 10, 11]


def test_of_leaves_that_fit_alike_the_one_of_the_tightest_pod_is_taken() -> None:
    free = np.array([0, 1, 2, 4, 5, 6, 8, 9, 12, 13, 14])  # leaves of 3 in pods with room 8 and 3
    assert pack(free, 3, LABELS).tolist() == [12, 13, 14]


def test_the_engine_packs_a_job_into_the_pod_that_fits_exactly() -> None:
    engine = Engine(scenario.load(FOUND).scenario)
    engine.advance(60.0)
    held = next(row.nodes for row in engine.jobs.rows if row.id == "pk")
    assert {engine.plant.nodes.ids[node].split("/")[1] for node in held} == {"1"}


@pytest.mark.parametrize("seed", range(30))
def test_packing_takes_the_fewest_leaves_there_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(rng.random(24) < 0.6)
    one_pod = NodeLabels(NODE, NODE // 4, np.zeros(24, np.int64), NODE)
    for count in range(1, len(free) + 1):
        chosen = pack(free, count, one_pod)
        assert len(set(chosen.tolist())) == count
        assert set(chosen.tolist()) <= set(free.tolist())
        room = np.sort(np.bincount(free // 4, minlength=6))[::-1]
        fewest = int(np.argmax(np.cumsum(room) >= count)) + 1
        assert len(set((chosen // 4).tolist())) == fewest


@pytest.mark.parametrize("seed", range(20))
def test_domains_of_one_node_need_not_be_looked_at(seed: int) -> None:
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(rng.random(24) < 0.7)
    alone = NodeLabels(NODE, NODE // 4, NODE // 12, NODE // 4)
    assert len(alone.levels) < len(LABELS.levels)
    for count in range(len(free) + 1):
        all_levels = np.sort(_packed(free, count, (alone.domain, alone.leaf, alone.pod)))
        assert np.array_equal(pack(free, count, alone), all_levels)


def test_spread_takes_as_many_racks_as_there_are() -> None:
    free = np.array([0, 1, 2, 3, 4, 5, 20, 21])
    assert spread(free, 3, LABELS).tolist() == [0, 4, 20]
    assert spread(free, 5, LABELS).tolist() == [0, 1, 4, 5, 20]
    assert first(free, 3, LABELS).tolist() == [0, 1, 2]
