"""Choice among algorithms: hand cases of each, crossovers, and limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.collective_choice import (
    STEP_ALGORITHMS,
    fastest,
    hierarchical_stages_s,
    hierarchical_time_s,
    nvls_time_s,
    ring_tree_crossover_bytes,
    times_s,
)
from twin.physics.collectives import LinkBandwidths, collective_time_s, ring_time_s, tree_time_s
from twin.physics.experts import all_to_all_s

LINKS = LinkBandwidths(scale_up_bytes_s=364.5e9, scale_out_bytes_s=45e9)
kinds = st.sampled_from(["all_reduce", "reduce_scatter", "all_gather"])
operations = st.sampled_from(["all_reduce", "reduce_scatter", "all_gather", "all_to_all"])
sizes = st.floats(1.0, 1e12)
nodes_and_local = st.tuples(st.integers(1, 512), st.integers(1, 16))


def test_hierarchical_all_reduce_by_hand():
    # 32 ranks, 4 nodes of 8: inside 7 hops each way on 1/8 parts, across a ring of 4 with an eighth of the buffer.
    inside_s = 2 * (8.4e-6 + 7 * 3.4e-6 + 7 / 8 * 1e9 / 364.5e9)
    across_s = 8.4e-6 + 6 * 14e-6 + 6 / 4 * (1e9 / 8) / 45e9
    assert hierarchical_time_s("all_reduce", 1e9, 32, 8, LINKS) == pytest.approx(inside_s + across_s)


def test_hierarchical_all_gather_by_hand():
    inside_s = 8.4e-6 + 7 * 3.4e-6 + 7 / 8 * 1e9 / 364.5e9
    across_s = 8.4e-6 + 3 * 14e-6 + 3 / 4 * (1e9 / 8) / 45e9
    assert hierarchical_stages_s("all_gather", 1e9, 32, 8, LINKS) == pytest.approx((inside_s, across_s))


def test_nvls_by_hand():
    assert nvls_time_s(1e9, 8, LINKS) == pytest.approx(25e-6 + 1.125e9 / (0.864 * 364.5e9))
    assert nvls_time_s(1e9, 1, LINKS) == 0


def test_ring_and_tree_cross_where_the_formula_says():
    size = ring_tree_crossover_bytes(64, 8, LINKS)
    # Latency: ring 8.4 + 112 x 3.4 + 14 x 14 us, tree 8.4 + 2 (7 x 4 + 3 x 14) us; 360 GB/s.
    saved_s = (112 * 3.4 + 14 * 14 - 2 * (7 * 4 + 3 * 14)) * 1e-6
    assert size == pytest.approx(saved_s * 360e9 / (2 / 0.92 - 2 * 63 / 64))
    assert size == pytest.approx(0.76e9, rel=0.02)
    ring, tree = ring_time_s("all_reduce", size, 64, 8, LINKS), tree_time_s(size, 64, 8, LINKS)
    assert ring == pytest.approx(tree)
    smaller, larger = (
        fastest("all_reduce", size * f, 64, 8, LINKS, among=STEP_ALGORITHMS) for f in (0.9, 1.1)
    )
    assert (smaller[0], larger[0]) == ("tree", "ring")


def test_more_nodes_move_the_crossover_up():
    sizes_bytes = [ring_tree_crossover_bytes(8 * nodes, 8, LINKS) for nodes in (2, 4, 16, 64, 256)]
    assert sizes_bytes == sorted(sizes_bytes)


def test_reduction_in_the_switch_needs_switches_that_reduce_and_five_gpus():
    assert fastest("all_reduce", 8e9, 8, 8, LINKS)[0] == "ring"
    assert fastest("all_reduce", 8e9, 8, 8, LINKS, in_network=True)[0] == "nvls"
    assert fastest("all_reduce", 8e9, 4, 8, LINKS, in_network=True)[0] == "ring"
    assert fastest("all_gather", 8e9, 8, 8, LINKS, in_network=True)[0] == "ring"


def test_hierarchical_wins_where_the_network_is_slow_to_answer():
    # Plain Ethernet: 20 us more a hop, 5 GB/s a card; many nodes, middle size, no tree for an all-gather.
    tcp = LinkBandwidths(364.5e9, 5e9, hop_extra_s=20e-6)
    assert fastest("all_gather", 1e7, 256, 8, tcp)[0] == "hierarchical"
    assert fastest("all_gather", 1e11, 256, 8, tcp)[0] == "ring"


def test_all_to_all_is_direct():
    assert fastest("all_to_all", 1e8, 64, 8, LINKS) == ("direct", all_to_all_s(1e8, 64, 8, LINKS))


@given(kinds, sizes, nodes_and_local)
def test_hierarchical_is_never_faster_than_its_slower_stage(kind, size, shape):
    nodes, local = shape
    stages = hierarchical_stages_s(kind, size, nodes * local, local, LINKS)
    whole = hierarchical_time_s(kind, size, nodes * local, local, LINKS)
    assert max(stages) <= whole == pytest.approx(sum(stages))


@given(sizes, nodes_and_local)
def test_hierarchical_all_reduce_costs_at_least_what_the_links_must_carry(size, shape):
    nodes, local = shape
    ranks = nodes * local
    least_s = 2 * (local - 1) / local * size / 364.5e9 + 2 * (nodes - 1) / nodes * size / local / 45e9
    assert hierarchical_time_s("all_reduce", size, ranks, local, LINKS) >= least_s


@given(kinds, sizes, st.integers(1, 16))
def test_on_one_node_hierarchical_is_the_ring(kind, size, ranks):
    ring = ring_time_s(kind, size, ranks, ranks, LINKS)
    launches = 8.4e-6 if kind == "all_reduce" and ranks > 1 else 0.0
    assert hierarchical_time_s(kind, size, ranks, ranks, LINKS) == pytest.approx(ring + launches)


@given(kinds, sizes, nodes_and_local)
def test_the_choice_of_the_step_model_is_the_time_of_the_step_model(kind, size, shape):
    nodes, local = shape
    time_s = fastest(kind, size, nodes * local, local, LINKS, among=STEP_ALGORITHMS)[1]
    assert time_s == collective_time_s(kind, size, nodes * local, local, LINKS)


@given(operations, sizes, nodes_and_local, st.floats(1, 10), st.floats(1, 10), st.booleans())
def test_more_bandwidth_is_never_slower(operation, size, shape, up, out, in_network):
    nodes, local = shape
    better = LinkBandwidths(LINKS.scale_up_bytes_s * up, LINKS.scale_out_bytes_s * out)
    slow, fast = (
        fastest(operation, size, nodes * local, local, links, in_network=in_network)[1]
        for links in (LINKS, better)
    )
    assert fast <= slow


@given(operations, sizes, nodes_and_local, st.booleans())
def test_the_fastest_is_the_least_of_all_times(operation, size, shape, in_network):
    nodes, local = shape
    times = times_s(operation, size, nodes * local, local, LINKS, in_network=in_network)
    name, time_s = fastest(operation, size, nodes * local, local, LINKS, in_network=in_network)
    assert time_s == times[name] == min(times.values())
    assert all(math.isfinite(one) and one >= 0 for one in times.values())
