"""Numerical simulation: grids whose cells look at their neighbours, and independent random paths.

A grid step is a roofline on the bytes and FLOP of its cells, then a halo exchange with up to six neighbours. The
grid is cut into bricks of the least surface, first over nodes and then over the GPUs of a node, so that most of a
GPU's surface is on fast links. Independent paths exchange nothing and wait for nobody.

Valid for uniform grids, one time step at a time, all fields exchanged at once; load imbalance is not modelled.

References
----------
Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009).
Gropp, Lusk, Skjellum, "Using MPI", 2nd ed., ch. 4 (surface to volume of block decompositions).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from twin.physics.collectives import INTER_NODE_HOP_S, LAUNCH_S, LinkBandwidths

Cells = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Busy:
    """Bound of a computation: arithmetic or memory traffic; one of the two is 0 [s]."""

    arithmetic_s: float
    memory_s: float

    @property
    def total_s(self) -> float:
        """Time of the computation [s]."""
        return self.arithmetic_s + self.memory_s


def roofline(flop: float, traffic_bytes: float, flops_s: float, bytes_s: float) -> Busy:
    """Return the time of work that overlaps arithmetic with memory traffic: the longer of the two.

    Parameters
    ----------
    flop, traffic_bytes
        Of one GPU [FLOP], [B].
    flops_s, bytes_s
        Achieved rates [FLOP/s], [B/s].
    """
    arithmetic_s, memory_s = flop / flops_s, traffic_bytes / bytes_s
    return Busy(arithmetic_s, 0.0) if arithmetic_s >= memory_s else Busy(0.0, memory_s)


def faces(cells: Cells, parts: tuple[int, int, int]) -> float:
    """Return the cells on the faces that one inner brick shares with its neighbours.

    A direction cut in two has one neighbour, cut in more it has two: grids are not periodic here.
    """
    areas = _areas(cells, parts)
    return sum(min(2, p - 1) * area for p, area in zip(parts, areas, strict=True))


def widest_face(cells: Cells, parts: tuple[int, int, int]) -> float:
    """Return the cells on the largest face that a brick shares with one neighbour; 0 where it has none."""
    shared = zip(parts, _areas(cells, parts), strict=True)
    return max((area for p, area in shared if p > 1), default=0.0)


def _areas(cells: Cells, parts: tuple[int, int, int]) -> tuple[float, float, float]:
    x, y, z = (n / p for n, p in zip(cells, parts, strict=True))
    return y * z, x * z, x * y


@lru_cache(maxsize=1024)
def bricks(cells: Cells, count: int) -> tuple[int, int, int]:
    """Return how many bricks of the least shared surface stand in each direction, `count` in all."""
    best: tuple[float, tuple[int, int, int]] | None = None
    for px in _divisors(count):
        for py in _divisors(count // px):
            parts = (px, py, count // px // py)
            surface = faces(cells, parts)
            if best is None or surface < best[0]:
                best = (surface, parts)
    assert best is not None
    return best[1]


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


@dataclass(frozen=True, slots=True)
class Halo:
    """Halo exchanges of one time step.

    Attributes
    ----------
    near_s, far_s
        Between GPUs of a node, and between nodes; they flow at the same time [s].
    near_bytes, far_bytes
        Sent by one GPU in a step to each kind of neighbour [B].
    """

    near_s: float
    far_s: float
    near_bytes: float
    far_bytes: float

    @property
    def total_s(self) -> float:
        """Time of all exchanges of a step [s]."""
        return max(self.near_s, self.far_s)


def halo_exchange(
    cells: Cells,
    gpus: int,
    node_gpus: int,
    layers: int,
    cell_bytes: float,
    exchanges: int,
    links: LinkBandwidths,
) -> Halo:
    """Return the halo exchanges of one time step.

    A switch gives all links of a GPU to any neighbour; in a mesh each face goes over the link to its own neighbour.

    Parameters
    ----------
    cells
        Of the whole grid.
    gpus, node_gpus
        Of the job, and of one scale-up domain.
    layers
        Of cells that neighbours need from each other.
    cell_bytes
        Sent for one halo cell and exchange [B].
    exchanges
        Of a time step.
    links
        Effective bandwidths inside a domain and between domains.
    """
    inside = min(gpus, node_gpus)
    nodes = max(1, gpus // inside)
    outer = bricks(cells, nodes)
    nx, ny, nz = (n / p for n, p in zip(cells, outer, strict=True))
    brick = (nx, ny, nz)
    far = faces(cells, outer) / inside
    inner = bricks(brick, inside)
    near = faces(brick, inner)
    near_s = near / links.scale_up_bytes_s
    if links.peers:
        near_s = widest_face(brick, inner) / links.inside_bytes_s(2)
    sent = exchanges * layers * cell_bytes
    latency_s = exchanges * LAUNCH_S
    return Halo(
        near_s=(latency_s + sent * near_s) if near else 0.0,
        far_s=(
            latency_s
            + exchanges * (INTER_NODE_HOP_S + links.hop_extra_s)
            + sent * far / links.scale_out_bytes_s
        )
        if far
        else 0.0,
        near_bytes=sent * near,
        far_bytes=sent * far,
    )
