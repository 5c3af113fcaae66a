"""Max-min fairness: hand cases and the laws that define it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.max_min import link_loads, max_min_rates

INF = float("inf")


def rates_of(demand, paths, capacity, weight=None):
    """Return the rates of flows given as lists of links."""
    flow = np.array([f for f, path in enumerate(paths) for _ in path], dtype=np.int64)
    link = np.array([one for path in paths for one in path], dtype=np.int64)
    weights = np.ones(len(flow)) if weight is None else np.array(weight, dtype=float)
    return max_min_rates(np.array(demand, dtype=float), flow, link, weights, np.array(capacity, dtype=float))


def test_one_link_by_hand():
    assert rates_of([2, 2.6, 4, 5], [[0]] * 4, [10]) == pytest.approx([2, 2.6, 2.7, 2.7])


def test_a_link_with_room_gives_every_flow_its_demand():
    assert rates_of([1, 2, 3], [[0]] * 3, [10]).tolist() == [1, 2, 3]


def test_parking_lot_by_hand():
    # One long flow over three unequal links, one short flow on each.
    rates = rates_of([INF] * 4, [[0, 1, 2], [0], [1], [2]], [10, 4, 20])
    assert rates == pytest.approx([2, 8, 2, 18])


def test_bottlenecks_that_depend_on_each_other_by_hand():
    # Link 1 settles first, at 1, and leaves the rest of links 0 and 2 to the flows that do not cross it.
    rates = rates_of([INF] * 5, [[0, 1], [1], [1, 2], [0], [2]], [9, 3, 6])
    assert rates == pytest.approx([1, 1, 1, 8, 5])


def test_a_flow_over_two_paths_loads_each_with_half():
    rates = rates_of([INF, INF], [[0, 1], [0]], [6, 6], weight=[0.5, 0.5, 1])
    assert rates == pytest.approx([4, 4])


def test_a_flow_that_stands_for_several_takes_as_many_shares():
    assert rates_of([INF, INF], [[0], [0]], [12], weight=[3, 1]) == pytest.approx([3, 3])


def test_a_link_without_capacity_stops_its_flows_and_no_others():
    assert rates_of([5, 5], [[0, 1], [1]], [0, 8]) == pytest.approx([0, 5])


def test_a_flow_without_links_has_its_demand():
    assert rates_of([7, 5], [[], [0]], [3]) == pytest.approx([7, 3])


def test_no_flows():
    empty = np.array([], dtype=np.int64)
    assert len(max_min_rates(np.array([]), empty, empty, np.array([]), np.array([1.0]))) == 0


@st.composite
def networks(draw):
    links = draw(st.integers(1, 8))
    flows = draw(st.integers(1, 12))
    capacity = draw(st.lists(st.floats(0, 100), min_size=links, max_size=links))
    demand = draw(st.lists(st.floats(0, 100) | st.just(INF), min_size=flows, max_size=flows))
    paths = [
        draw(st.lists(st.integers(0, links - 1), min_size=1, max_size=links, unique=True)) for _ in demand
    ]
    flow = np.array([f for f, path in enumerate(paths) for _ in path], dtype=np.int64)
    link = np.array([one for path in paths for one in path], dtype=np.int64)
    weight = np.array(
        draw(st.lists(st.sampled_from([0.25, 0.5, 1, 3]), min_size=len(flow), max_size=len(flow)))
    )
    return np.array(demand), flow, link, weight, np.array(capacity)


@given(networks())
def test_no_link_carries_more_than_it_can_and_no_flow_more_than_it_wants(network):
    demand, flow, link, weight, capacity = network
    rates = max_min_rates(*network)
    assert np.all(rates >= 0)
    assert np.all(rates <= demand)
    assert np.all(link_loads(rates, flow, link, weight, len(capacity)) <= capacity * (1 + 1e-9) + 1e-12)


@given(networks())
def test_every_flow_has_its_demand_or_a_full_link_where_nobody_has_more(network):
    demand, flow, link, weight, capacity = network
    rates = max_min_rates(*network)
    loads = link_loads(rates, flow, link, weight, len(capacity))
    full = loads >= capacity * (1 - 1e-9) - 1e-12
    highest = np.zeros(len(capacity))
    np.maximum.at(highest, link, rates[flow])
    for one, rate in enumerate(rates):
        path = link[flow == one]
        bottleneck = full[path] & (highest[path] <= rate * (1 + 1e-9) + 1e-12)
        assert rate == demand[one] or bottleneck.any()


@given(networks(), st.randoms(use_true_random=False))
def test_the_order_of_entries_and_flows_does_not_matter(network, random):
    demand, flow, link, weight, capacity = network
    rates = max_min_rates(*network)
    renamed = np.array(random.sample(range(len(demand)), len(demand)))
    order = np.array(random.sample(range(len(flow)), len(flow)), dtype=np.int64)
    moved = np.empty_like(demand)
    moved[renamed] = demand
    again = max_min_rates(moved, renamed[flow][order], link[order], weight[order], capacity)
    assert again[renamed] == pytest.approx(rates, rel=1e-9, abs=1e-12)


@given(networks(), st.floats(0.01, 100))
def test_twice_the_network_and_demand_is_twice_the_rate(network, factor):
    demand, flow, link, weight, capacity = network
    rates = max_min_rates(*network)
    scaled = max_min_rates(demand * factor, flow, link, weight, capacity * factor)
    assert scaled == pytest.approx(rates * factor, rel=1e-9, abs=1e-9)


@given(networks(), st.integers(0, 7), st.floats(0, 100))
def test_more_capacity_never_lowers_the_smallest_rate(network, which, more):
    *flows, capacity = network
    wider = capacity.copy()
    wider[which % len(capacity)] += more
    assert max_min_rates(*flows, wider).min() >= max_min_rates(*network).min() * (1 - 1e-9)


@given(networks(), st.integers(0, 11))
def test_a_flow_that_leaves_lets_nobody_starve(network, which):
    demand, flow, link, weight, capacity = network
    rates = max_min_rates(*network)
    leaver = which % len(demand)
    without = demand.copy()
    without[leaver] = 0
    others = np.arange(len(demand)) != leaver
    if others.any():
        after = max_min_rates(without, flow, link, weight, capacity)
        assert after[others].min() >= rates[others].min() * (1 - 1e-9) - 1e-12


def test_many_flows_agree_with_filling_one_bottleneck_at_a_time():
    rng = np.random.default_rng(3)
    demand = rng.uniform(0, 30, 300)
    flow = np.repeat(np.arange(300), 3)
    link = rng.integers(0, 40, 900)
    weight = rng.choice([0.5, 1.0, 2.0], 900)
    capacity = rng.uniform(10, 200, 40)
    assert max_min_rates(demand, flow, link, weight, capacity) == pytest.approx(
        _one_at_a_time(demand, flow, link, weight, capacity), rel=1e-9
    )


def _one_at_a_time(demand, flow, link, weight, capacity):
    """Return the rates by the textbook loop: raise all unsettled flows to the next event, settle, repeat."""
    load = np.zeros((len(demand), len(capacity)))
    np.add.at(load, (flow, link), weight)
    rates, active = np.zeros(len(demand)), np.ones(len(demand), dtype=bool)
    while active.any():
        left = capacity - rates[~active] @ load[~active]
        slope = active @ load
        rise = np.min(left[slope > 0] / slope[slope > 0], initial=INF)
        level = min(rise, demand[active].min())
        rates[active] = level
        full = (slope > 0) & (left - level * slope <= 1e-9 * capacity)
        active &= (demand > level) & ~(load[:, full] > 0).any(axis=1)
    return rates
