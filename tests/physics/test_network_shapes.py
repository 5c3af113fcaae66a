"""Shapes of networks: published counts, hand cases, and graphs counted one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.network_shapes import (
    dragonfly_plus,
    fat_tree,
    leaf_spine,
    ring,
    single_switch,
    torus,
    torus_hops,
)


@pytest.mark.parametrize(("k", "hosts", "switches"), [(4, 16, 20), (48, 27648, 2880), (2, 2, 5)])
def test_fat_tree_counts_are_the_published_ones(k, hosts, switches):
    # Al-Fares et al. 2008: k = 4 in figure 3, k = 48 in section 2.2.
    tree = fat_tree(k)
    assert (tree.hosts, tree.switches) == (hosts, switches)


def test_fat_tree_has_full_bisection():
    tree = fat_tree(4)
    assert tree.bisection_links == 8
    assert tree.bisection_bytes_s(50e9, 50e9) == 8 * 50e9


def test_a_fat_tree_needs_an_even_number_of_ports():
    with pytest.raises(ValueError, match="even number"):
        fat_tree(5)


def test_torus_edges_by_hand():
    assert torus((4, 4, 4)).links == 192
    assert torus((4, 4, 4)).bisection_links == 32
    assert torus((4, 4, 4)).diameter == 6
    assert torus((8, 4)).bisection_links == 8
    assert torus((2, 2, 2)).links == 12


def test_ring_by_hand():
    circle = ring(8)
    assert (circle.links, circle.bisection_links, circle.diameter, circle.switches) == (8, 2, 4, 0)
    assert ring(2).links == ring(2).bisection_links == 1
    assert (ring(1).links, ring(1).mean_path) == (0, 0)


def test_leaf_spine_by_hand():
    # 8 leaves of 32 hosts, 4 spines with 4 cables each way: 2 to 1 oversubscribed.
    net = leaf_spine(8, 4, 32, 4)
    assert (net.hosts, net.switches, net.links, net.diameter) == (256, 12, 128, 4)
    assert net.bisection_bytes_s(50e9, 50e9) == 64 * 50e9
    full = leaf_spine(8, 4, 32, 8)
    assert full.bisection_bytes_s(50e9, 50e9) == 128 * 50e9
    assert leaf_spine(8, 4, 32, 16).bisection_bytes_s(50e9, 50e9) == 128 * 50e9


def test_single_switch_carries_what_its_hosts_send():
    assert single_switch(64).bisection_bytes_s(1.0, 50e9) == 32 * 50e9
    assert single_switch(64).diameter == 2


def test_dragonfly_plus_by_hand():
    # Four groups of 2 leaves and 2 spines; 3 global ports a spine: 6 cables a group, 2 for each pair.
    net = dragonfly_plus(4, 2, 2, 4, 3)
    assert (net.hosts, net.switches, net.links, net.diameter) == (32, 16, 16 + 12, 5)
    assert net.bisection_links == 8


def test_dragonfly_plus_with_too_many_groups_is_refused():
    assert dragonfly_plus(7, 2, 2, 4, 3).hosts == 56
    with pytest.raises(ValueError, match="reach 6 groups, not 7"):
        dragonfly_plus(8, 2, 2, 4, 3)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_torus_agrees_with_its_graph(dims):
    places = list(itertools.product(*(range(size) for size in dims)))
    cables = set()
    for place in places:
        for axis, size in enumerate(dims):
            other = (*place[:axis], (place[axis] + 1) % size, *place[axis + 1 :])
            if other != place:
                cables.add(frozenset((place, other)))
    lengths = distances(places, [tuple(cable) for cable in cables])
    shape = torus(dims)
    assert shape.links == len(cables)
    assert shape.diameter == lengths.max()
    if shape.hosts > 1:
        assert shape.mean_path == pytest.approx(lengths.sum() / (len(places) * (len(places) - 1)))
    assert torus_hops(places[0], places[-1], dims) == lengths[0, -1]


@pytest.mark.parametrize("k", [2, 4, 6])
def test_fat_tree_agrees_with_its_graph(k):
    half, cables = k // 2, []
    for pod, edge, agg in itertools.product(range(k), range(half), range(half)):
        cables.append((("edge", pod, edge), ("agg", pod, agg)))
        cables.append((("edge", pod, edge), ("host", pod, edge, agg)))
        cables.append((("agg", pod, agg), ("core", agg, edge)))
    assert_same(fat_tree(k), cables)


def test_leaf_spine_agrees_with_its_graph():
    cables = [(("leaf", leaf), ("spine", spine)) for leaf, spine in itertools.product(range(4), range(2))]
    cables += [(("leaf", leaf), ("host", leaf, host)) for leaf, host in itertools.product(range(4), range(3))]
    assert_same(leaf_spine(4, 2, 3), cables)


def test_dragonfly_plus_agrees_with_its_graph():
    cables = []
    for group, leaf in itertools.product(range(3), range(2)):
        cables += [(("leaf", group, leaf), ("spine", group, spine)) for spine in range(2)]
        cables += [(("leaf", group, leaf), ("host", group, leaf, host)) for host in range(3)]
    # Two spines with one global port each: spine 0 looks to the next group, spine 1 to the one before.
    cables += [(("spine", group, 0), ("spine", (group + 1) % 3, 1)) for group in range(3)]
    assert_same(dragonfly_plus(3, 2, 2, 3, 1), cables)


def assert_same(shape, cables):
    """Compare counts and paths between hosts with those of a graph."""
    places = sorted({end for cable in cables for end in cable})
    hosts = [index for index, place in enumerate(places) if place[0] == "host"]
    assert shape.hosts == shape.host_links == len(hosts)
    assert shape.switches == len(places) - len(hosts)
    assert shape.links == len(cables) - len(hosts)
    lengths = distances(places, cables)[np.ix_(hosts, hosts)]
    assert shape.diameter == lengths.max()
    assert shape.mean_path == pytest.approx(lengths.sum() / (len(hosts) * (len(hosts) - 1)))


def distances(places, cables):
    """Return the cables on the shortest path between each pair of places."""
    number = {place: index for index, place in enumerate(places)}
    graph = rx.PyGraph()
    graph.add_nodes_from(places)
    graph.add_edges_from_no_data([(number[a], number[b]) for a, b in cables])
    return rx.distance_matrix(graph)
