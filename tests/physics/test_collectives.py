"""Collectives: hand cases, limits, crossover, and the published sweep."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.collectives import (
    H100_8_ALL_REDUCE,
    Links,
    collective_time_s,
    ring_time_s,
    standalone_time_s,
    tree_time_s,
)

SWEEP = Path(__file__).resolve().parents[3] / "shared/reference/nccl_busbw.csv"
LINKS = Links(scale_up_bytes_s=364.5e9, scale_out_bytes_s=45e9)
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
    better = Links(LINKS.scale_up_bytes_s * up, LINKS.scale_out_bytes_s * out)
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


def test_bus_bandwidth_of_large_buffers_is_the_published_one():
    # nccl-tests on 8 H100, NVIDIA dgxc-benchmarking nccl/README.md: 480 GB/s bus bandwidth.
    size = np.array([17179869184.0])
    bus_bytes_s = 1.75 * size / standalone_time_s("all_reduce", size, 8, H100_8_ALL_REDUCE)
    assert bus_bytes_s == pytest.approx(480e9, rel=0.05)


def test_published_sweep_from_64_mib():
    if not SWEEP.is_file():
        pytest.skip(f"{SWEEP} is not here")
    with SWEEP.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["gpu"] == "H100" and int(row["bytes"]) >= 2**26]
    size = np.array([float(row["bytes"]) for row in rows])
    measured_s = np.array([float(row["time_us"]) for row in rows]) * 1e-6
    error = np.abs(standalone_time_s("all_reduce", size, 8, H100_8_ALL_REDUCE) / measured_s - 1)
    assert len(rows) >= 5
    assert error.mean() <= 0.03
    assert error.max() <= 0.05
