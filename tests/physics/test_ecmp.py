"""Collisions of hashed paths: hand cases, simulation, and limits."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics import ecmp
from twin.physics.ecmp import ecmp_efficiency, ecmp_expected_load, ecmp_expected_max

counts = st.integers(1, 200)


def test_expected_load_by_hand():
    # The given flow, and each of seven others with chance 1/8.
    assert ecmp_expected_load(8, 8) == 1 + 7 / 8
    assert ecmp_expected_load(1, 4) == 1
    assert ecmp_expected_load(5, 1) == 5
    assert ecmp_expected_load(0, 4) == 0


def test_expected_load_is_the_one_of_all_ways_to_hash():
    ways = list(product(range(3), repeat=4))
    on_the_path_of_the_first = Fraction(sum(way.count(way[0]) for way in ways), len(ways))
    assert ecmp_expected_load(4, 3) == pytest.approx(float(on_the_path_of_the_first))


@pytest.mark.parametrize(("flows", "paths"), [(1, 1), (2, 2), (4, 3), (6, 4), (7, 2)])
def test_expected_maximum_is_the_mean_over_all_ways_to_hash(flows, paths):
    ways = list(product(range(paths), repeat=flows))
    mean = Fraction(sum(max(way.count(path) for path in range(paths)) for way in ways), len(ways))
    assert ecmp_expected_max(flows, paths) == pytest.approx(float(mean), rel=1e-12)


@pytest.mark.parametrize(("flows", "paths"), [(16, 16), (64, 8), (512, 32), (2000, 4), (4096, 64), (1000, 2)])
def test_expected_maximum_agrees_with_simulation(flows, paths):
    rng = np.random.default_rng(7)
    fullest = rng.multinomial(flows, np.full(paths, 1 / paths), size=20_000).max(axis=1)
    noise = fullest.std() / np.sqrt(len(fullest))
    assert ecmp_expected_max(flows, paths) == pytest.approx(fullest.mean(), abs=4 * noise)


@pytest.mark.parametrize("paths", [2, 8, 64, 512, 4096])
def test_the_approximation_for_many_flows_meets_the_exact_value(paths):
    exact = ecmp_expected_max(ecmp.EXACT_FLOWS, paths)
    assert ecmp.poisson_expected_max(ecmp.EXACT_FLOWS, paths) == pytest.approx(exact, rel=5e-4)


@given(counts, counts)
def test_the_fullest_path_is_between_an_even_spread_and_all_flows(flows, paths):
    fullest = ecmp_expected_max(flows, paths)
    assert max(1, flows / paths) <= fullest + 1e-9
    assert fullest <= flows
    assert fullest >= ecmp_expected_load(flows, paths) - 1e-9
    assert 0 < ecmp_efficiency(flows, paths) <= 1


@given(counts, counts)
def test_one_more_flow_or_one_path_less_never_helps(flows, paths):
    fullest = ecmp_expected_max(flows, paths)
    assert ecmp_expected_max(flows + 1, paths) >= fullest - 1e-9
    assert ecmp_expected_max(flows, paths + 1) <= fullest + 1e-9


def test_many_small_flows_spread_better_than_few_large_ones():
    few, many = ecmp_efficiency(8, 8), ecmp_efficiency(8 * 64, 8)
    assert few == pytest.approx(0.385, abs=1e-3)
    assert many > 0.84
    assert ecmp_efficiency(10**6, 8) > 0.99
    assert ecmp_efficiency(1, 8) == ecmp_efficiency(0, 8) == 1
