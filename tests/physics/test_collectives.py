"""Collectives of a training step: hand cases, limits, crossover."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.collectives import (
    LinkBandwidths,
    collective_time_s,
    ring_time_s,
    tree_time_s,
)

LINKS = LinkBandwidths(scale_up_bytes_s=364.5e9, scale_out_bytes_s=45e9)
kinds = st.sampled_from(["all_reduce", "reduce_scatter", "all_gather"])
sizes = st.floats(1.0, 1e12)
groups = st.tuples(st.integers(1, 4096), st.integers(1, 64)).map(lambda g: (g[0], min(g)))


@given(kinds, sizes, st.integers(1, 8))
def test_a_group_of_one_takes_no_time(kind, size, nloc):
    assert collective_time_s(kind, size, 1, nloc, LINKS) == 0


def test_ring_in_one_node_by_hand():
    expected_s = 8.4e-6 + 14 * 3.4e-6 + 14 / 8 * 1e9 / 364.5e9
    assert ring_time_s("all_reduce", 1e9, 8, 8, LINKS) == pytest.approx(expected_s)


def test_ring_over_four_nodes_by_hand():
    expected_s = 8.4e-6 + (31 - 3) * 3.4e-6 + 3 * 14e-6 + 31 / 32 * 1e9 / 360e9
    assert ring_time_s("all_gather", 1e9, 32, 8, LINKS) == pytest.approx(expected_s)


def test_members_of_a_mesh_have_the_links_between_them():
    mesh = LinkBandwidths(scale_up_bytes_s=350e9, scale_out_bytes_s=45e9, peers=7)
    assert [mesh.inside_bytes_s(members) for members in (2, 4, 8, 1)] == [50e9, 150e9, 350e9, 350e9]
    two_s = ring_time_s("all_reduce", 1e9, 2, 2, mesh)
    assert two_s == pytest.approx(8.4e-6 + 2 * 3.4e-6 + 1e9 / 50e9)
    # between nodes the cards of the two set the pace, or the one link that joins them
    assert ring_time_s("all_reduce", 1e9, 4, 2, mesh) > 2 * 3 / 4 * 1e9 / 50e9


def test_tree_over_four_nodes_by_hand():
    expected_s = 8.4e-6 + 2 * (7 * 4e-6 + 2 * 14e-6) + 2e9 / (0.92 * 360e9)
    assert tree_time_s(1e9, 32, 8, LINKS) == pytest.approx(expected_s)


def test_tree_wins_small_messages_on_many_nodes_and_ring_large_ones():
    small = collective_time_s("all_reduce", 1e6, 2048, 8, LINKS)
    assert small == tree_time_s(1e6, 2048, 8, LINKS) < ring_time_s("all_reduce", 1e6, 2048, 8, LINKS)
    large = collective_time_s("all_reduce", 1e11, 2048, 8, LINKS)
    assert large == ring_time_s("all_reduce", 1e11, 2048, 8, LINKS) < tree_time_s(1e11, 2048, 8, LINKS)


@given(kinds, sizes, groups, st.floats(1, 10), st.floats(1, 10))
def test_more_bandwidth_is_never_slower(kind, size, group, up, out):
    ranks, nloc = group
    better = LinkBandwidths(LINKS.scale_up_bytes_s * up, LINKS.scale_out_bytes_s * out)
    slow, fast = (collective_time_s(kind, size, ranks, nloc, links) for links in (LINKS, better))
    assert fast <= slow


@given(kinds, sizes, groups, st.floats(1, 10))
def test_more_data_is_never_faster(kind, size, group, factor):
    ranks, nloc = group
    small = collective_time_s(kind, size, ranks, nloc, LINKS)
    assert collective_time_s(kind, size * factor, ranks, nloc, LINKS) >= small


@given(sizes, groups)
def test_ring_all_reduce_is_a_reduce_scatter_and_an_all_gather(size, group):
    ranks, nloc = group
    halves = [ring_time_s(kind, size, ranks, nloc, LINKS) for kind in ("reduce_scatter", "all_gather")]
    both = ring_time_s("all_reduce", size, ranks, nloc, LINKS)
    assert both <= sum(halves)
    assert both == pytest.approx(sum(halves), abs=8.5e-6)
