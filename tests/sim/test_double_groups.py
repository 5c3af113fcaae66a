"""Groups that stand in one trace again are joined when all have become alike, or some of many."""

from __future__ import annotations

import numpy as np
import pytest

from twin.physics.thermal_network import Groups, ThermalState, mergeable
from twin.sim.thermal.double_groups import ALIKE_K, STAND_IN, TOGETHER, DoubleGroups


def state(apart_k: np.ndarray) -> ThermalState:
    """Return groups in pairs, the second of each warmer by so much (D,) [K]."""
    chain = np.full((2 * len(apart_k), 4, 2), 40.0)
    chain[1::2, 2, 0] += apart_k
    return ThermalState(chain, np.zeros(0))


def found(pairs: int) -> DoubleGroups:
    """Return pairs of groups that were found in as many traces."""
    numbers = np.repeat(np.arange(pairs), 2)
    groups = Groups.of(np.zeros(2 * pairs), np.zeros(2 * pairs), np.ones(2 * pairs), np.ones(2 * pairs))
    doubles = DoubleGroups()
    expected = np.arange(2 * pairs).reshape(-1, 2)
    assert (doubles.pairs(groups, numbers, np.zeros_like(numbers)) == expected).all()
    return doubles


def test_only_groups_of_one_loop_part_trace_and_class_are_pairs() -> None:
    groups = Groups.of([0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1], np.ones(6), np.ones(6))
    trace, limit = np.array([5, 5, 5, STAND_IN, 5, 5]), np.array([0, 0, 0, 0, 1, 0])
    doubles = DoubleGroups()
    assert doubles.pairs(groups, trace, limit).tolist() == [[0, 1]]
    limit[4] = 0
    assert doubles.pairs(groups, trace, limit).tolist() == [
        [0, 1]
    ]  # they are looked for when groups are others
    doubles.forget()
    assert doubles.pairs(groups, trace, limit).tolist() == [[0, 1], [0, 4]]


@pytest.mark.parametrize("pairs", [1, 3, TOGETHER, TOGETHER + 4])
def test_few_wait_for_the_last_of_them_and_many_do_not(pairs: int) -> None:
    doubles, rng = found(pairs), np.random.default_rng(pairs)
    apart_k = rng.uniform(0.5, 2.0, pairs) * ALIKE_K
    joined = 0
    for _ in range(60):
        now = state(apart_k)
        alike = mergeable(now, np.arange(0, 2 * pairs, 2), np.arange(1, 2 * pairs, 2), ALIKE_K)
        every = [(2 * place, 2 * place + 1) for place in np.flatnonzero(alike).tolist()]
        enough = len(every) >= min(TOGETHER, pairs)
        assert doubles.alike(now, at_once=False) == (every if enough else [])
        assert doubles.alike(now, at_once=True) == every
        joined += enough
        apart_k = apart_k * rng.choice([0.97, 1.02], pairs, p=[0.9, 0.1])
    assert 0 < joined < 60
