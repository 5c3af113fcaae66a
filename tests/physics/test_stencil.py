"""Grids cut into bricks, their halos, and the roofline of a step."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.collectives import INTER_NODE_HOP_S, LAUNCH_S, LinkBandwidths
from twin.physics.stencil import bricks, faces, halo_exchange, roofline, widest_face

CUBE = (1024.0, 1024.0, 1024.0)
LINKS = LinkBandwidths(400e9, 50e9)
MESH = LinkBandwidths(448e9, 50e9, peers=7)  # a link of 64 GB/s to each of seven others


def test_roofline_is_the_slower_of_the_two():
    assert roofline(1e12, 1e9, 1e12, 1e12).arithmetic_s == 1.0
    assert roofline(1e12, 1e9, 1e12, 1e12).memory_s == 0.0
    bound = roofline(1e12, 5e12, 1e12, 1e12)
    assert (bound.arithmetic_s, bound.memory_s, bound.total_s) == (0.0, 5.0, 5.0)


def test_bricks_of_least_surface():
    assert bricks(CUBE, 1) == (1, 1, 1)
    assert bricks(CUBE, 8) == (2, 2, 2)
    assert bricks(CUBE, 64) == (4, 4, 4)
    assert bricks((4096.0, 1024.0, 80.0), 4) == (4, 1, 1)  # along the longest side: the smallest faces
    assert bricks((1024.0, 1024.0, 10.0), 16) == (
        4,
        4,
        1,
    )  # flat, as the atmosphere: never across the thin side


def test_faces_by_hand():
    assert faces(CUBE, (1, 1, 1)) == 0
    assert faces(CUBE, (2, 1, 1)) == 1024**2
    assert faces(CUBE, (4, 1, 1)) == 2 * 1024**2
    assert faces(CUBE, (4, 4, 4)) == 6 * 256**2


def test_halo_of_two_nodes_by_hand():
    found = halo_exchange(CUBE, 16, 8, 2, 8.0, 3, LINKS)
    # Two nodes share one face, 1/8 of it each GPU; inside a node eight bricks of 256 x 512 x 512.
    assert found.far_bytes == 3 * 2 * 8 * 1024**2 / 8
    assert found.near_bytes == 3 * 2 * 8 * (512 * 512 + 2 * 256 * 512)
    assert found.far_s == pytest.approx(3 * (LAUNCH_S + INTER_NODE_HOP_S) + found.far_bytes / 50e9)
    assert found.total_s == max(found.near_s, found.far_s)


def test_in_a_mesh_each_face_goes_over_the_link_to_its_neighbour():
    """Eight bricks of 512 cubed have three neighbours each: three links work at once, each with one face."""
    found = halo_exchange(CUBE, 8, 8, 2, 8.0, 3, MESH)
    face_bytes = 3 * 2 * 8 * 512 * 512
    assert found.near_bytes == 3 * face_bytes
    assert found.near_s == pytest.approx(3 * LAUNCH_S + face_bytes / 64e9, rel=1e-12)
    switched = halo_exchange(CUBE, 8, 8, 2, 8.0, 3, LinkBandwidths(448e9, 50e9))
    assert switched.near_s == pytest.approx(3 * LAUNCH_S + 3 * face_bytes / 448e9, rel=1e-12)
    # Two GPUs have one face between them, and one link.
    pair = halo_exchange(CUBE, 2, 8, 2, 8.0, 3, MESH)
    assert pair.near_s == pytest.approx(3 * LAUNCH_S + 3 * 2 * 8 * 1024**2 / 64e9, rel=1e-12)
    assert (
        halo_exchange(CUBE, 16, 8, 2, 8.0, 3, MESH).far_s
        == halo_exchange(CUBE, 16, 8, 2, 8.0, 3, LINKS).far_s
    )
    # Unlike faces: the largest bounds.
    assert widest_face((1024.0, 512.0, 256.0), (2, 2, 1)) == 512 * 256
    assert widest_face(CUBE, (1, 1, 1)) == 0


def test_one_gpu_exchanges_nothing():
    assert halo_exchange(CUBE, 1, 8, 2, 8.0, 3, LINKS).total_s == 0


def test_surface_to_volume_falls_with_the_size_of_a_brick():
    # Eight times the cells on as many GPUs: four times the halo.
    small = halo_exchange((512.0,) * 3, 512, 8, 1, 8.0, 1, LINKS)
    large = halo_exchange((1024.0,) * 3, 512, 8, 1, 8.0, 1, LINKS)
    assert large.far_bytes == 4 * small.far_bytes


@given(st.integers(1, 4096), st.tuples(*[st.integers(1, 5000)] * 3))
def test_bricks_use_every_gpu_and_no_order_of_the_axes_matters(count, cells):
    grid = tuple(float(n) for n in cells)
    parts = bricks(grid, count)
    assert math.prod(parts) == count
    turned = (grid[2], grid[0], grid[1])
    assert faces(turned, bricks(turned, count)) == pytest.approx(faces(grid, parts))


@given(st.floats(1, 100), st.integers(1, 64))
def test_more_bandwidth_is_never_slower(factor, nodes):
    slow = halo_exchange(CUBE, 8 * nodes, 8, 2, 8.0, 3, LINKS)
    fast = halo_exchange(CUBE, 8 * nodes, 8, 2, 8.0, 3, LinkBandwidths(400e9, 50e9 * factor))
    assert fast.total_s <= slow.total_s
