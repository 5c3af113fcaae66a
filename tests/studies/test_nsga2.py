"""NSGA-II beside pymoo, and limits."""

from __future__ import annotations

import numpy as np
import pytest

from twin.arrays import Floats
from twin.studies.nsga2 import front_of, nsga2

PYMOO = {100: 0.848845, 250: 0.869664}
"""Hypervolume below (1.1, 1.1) on ZDT1 with 30 keys, median of seeds 1 to 11, by generations of 100 points: pymoo
0.6.2, NSGA2(pop_size=100), measured 2026-11-28."""


def zdt1(x: Floats) -> tuple[Floats, Floats]:
    g = 1.0 + 9.0 * x[:, 1:].mean(axis=1)
    return np.stack((x[:, 0], g * (1.0 - np.sqrt(x[:, 0] / g))), axis=1), np.zeros(len(x))


def hypervolume(aims: Floats, corner: float = 1.1) -> float:
    """Return the area that a front of two aims dominates below a corner."""
    height, area = corner, 0.0
    for first, second in sorted(aims[(aims < corner).all(axis=1)].tolist()):
        if second < height:
            area += (corner - first) * (height - second)
            height = second
    return area


def reached(generations: int, seeds: int) -> float:
    return float(
        np.median([hypervolume(nsga2(zdt1, 30, 100, generations, seed).aims) for seed in range(seeds)])
    )


def test_zdt1_reaches_what_pymoo_does_with_as_many_evaluations() -> None:
    assert reached(100, seeds=3) >= 0.99 * PYMOO[100]


@pytest.mark.slow
@pytest.mark.parametrize("generations", PYMOO)
def test_the_median_of_eleven_seeds_reaches_what_pymoo_does(generations: int) -> None:
    assert reached(generations, seeds=11) >= 0.99 * PYMOO[generations]


@pytest.mark.slow
def test_the_figures_of_pymoo_are_those_it_has_now() -> None:
    pytest.importorskip("pymoo")
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    found = [
        hypervolume(minimize(get_problem("zdt1"), NSGA2(pop_size=100), ("n_gen", 100), seed=seed).F)
        for seed in range(1, 12)
    ]
    assert np.median(found) == pytest.approx(PYMOO[100], rel=1e-3)


def test_the_same_seed_has_the_same_population_and_points_stay_within() -> None:
    first, second = (nsga2(zdt1, 5, 20, 10, seed=4) for _ in range(2))
    assert np.array_equal(first.shares, second.shares)
    assert first.shares.min() >= 0.0
    assert first.shares.max() < 1.0


def test_every_point_is_evaluated_within_the_budget() -> None:
    count = []

    def counted(x: Floats) -> tuple[Floats, Floats]:
        count.append(len(x))
        return zdt1(x)

    nsga2(counted, 5, 20, 10, seed=4)
    assert sum(count) == 200


def test_limits_come_before_aims() -> None:
    def limited(x: Floats) -> tuple[Floats, Floats]:
        aims = np.stack((x[:, 0], 1.0 - x[:, 0] + x[:, 1]), axis=1)
        return aims, np.maximum(0.0, 0.5 - x[:, 0])  # the left half is forbidden

    found = nsga2(limited, 2, 40, 40, seed=1)
    assert (found.violation == 0.0).all()
    assert found.shares[:, 0].min() == pytest.approx(0.5, abs=0.02)
    assert found.shares[:, 0].max() == pytest.approx(1.0, abs=0.02)
    assert found.shares[:, 1].max() < 0.05


def test_the_front_holds_what_nothing_is_better_than() -> None:
    aims = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [2.0, 3.0], [0.0, 0.0]])
    violation = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert front_of(aims, violation).tolist() == [True, True, True, False, False]
