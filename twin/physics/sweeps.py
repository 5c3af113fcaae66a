"""Stand-alone collectives as benchmarks show them: fitted to published nccl-tests sweeps, most of them from 64 MiB on.

Form: t = latency + w S / B + q sqrt(S), with w = 2 (n-1)/n for all-reduce and (n-1)/n for all-gather and
reduce-scatter; bus bandwidth = w S / t. The constants belong to a generation of scale-up links and an algorithm;
how B grows with the number of GPUs is computed, not fitted:

ring
    Each GPU sends and receives w S: B is the same for any number of GPUs.
nvls
    The switch reduces and copies: a GPU moves S (1 + 1/n) instead of 2 S (n-1)/n, so B = 2 u (n-1)/(n+1).
mesh
    Every pair of GPUs has a link of its own, rings in all directions use all n-1 of a GPU: B = u (n-1).
tree, nvls-tree
    Between nodes: B is a share of what the cards of a node carry, as for the ring there.

Latencies are the ones of the step model (`collectives`), but where a sweep was fitted over sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats
from twin.physics.collectives import INTER_NODE_HOP_S, LAUNCH_S, RING_HOP_S, TREE_HOP_S, Kind

Algorithm = Literal["ring", "nvls", "mesh", "tree", "nvls-tree"]

NODE_BYTES_S = 400e9
"""Cards of a node together, per direction [B/s]: 8 x 400 Gb/s, as in all measured runs over several nodes."""

TREE_UP_TO_BYTES = 2.0**28
"""Largest buffer that takes the tree between nodes by default [B]: the sweep of 4 B200 nodes changes there."""

NVLS_LATENCY_S = 25e-6
"""Start of an all-reduce in the NVLink switch [s]: the entry for it in NCCL's own tuning table (tuning.cc)."""


@dataclass(frozen=True, slots=True)
class AlgorithmConstants:
    """Constants of one algorithm on one generation of links.

    Attributes
    ----------
    unit
        u: bus bandwidth of a ring or tree [B/s], of one link of a mesh, or what a GPU moves with nvls; between
        nodes the share of the node's cards.
    root_s
        q, the cost of a pipeline that small buffers do not fill [s/sqrt(B)].
    rests_on
        What was measured, for people; all constants are fitted to it.
    latency_s
        Of the smallest buffer [s]; none: computed from the hops.
    large_from_bytes, large_factor
        Buffers from this size on have B times the factor.
    """

    unit: float
    rests_on: str
    root_s: float = 0.0
    latency_s: float | None = None
    large_from_bytes: float = math.inf
    large_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class LinkGeneration:
    """One generation of scale-up links.

    Attributes
    ----------
    domain
        GPUs that the links join.
    series
        What was measured inside a domain.
    nvls_from
        Fewest GPUs for which the library takes nvls by default; none: never.
    """

    domain: int
    series: Mapping[Algorithm, AlgorithmConstants]
    nvls_from: int | None = None


_DGXC = "NVIDIA dgxc-benchmarking, nccl/README.md at 841f546"
_STAS = "stas00/ml-engineering, network/README.md at 744d01e"
_AZURE = "Azure/AI-benchmarking-guide, Azure_Results at 8fd0c6e1"
_STAS_NODES = "stas00/ml-engineering, network/README.md and todo.md at 744d01e"

_NVLINK_4 = LinkGeneration(
    domain=8,
    series={
        "nvls": AlgorithmConstants(
            315.26e9,
            f"8 H100 and 4 to 8 H200, 64 MiB to 16 GiB, and the start of 8 from 1 to 512 KiB "
            f"({_DGXC}; {_STAS}; {_AZURE})",
            root_s=0.681e-8,
            latency_s=29e-6,
        ),
        "ring": AlgorithmConstants(364.9e9, f"4 and 8 H200 at 8 and 16 GiB, three operations ({_STAS})"),
    },
    nvls_from=5,
)
_NVLINK_5 = LinkGeneration(
    domain=8,
    series={
        "nvls": AlgorithmConstants(
            501.1e9,
            f"6 to 8 B200, 64 MiB to 16 GiB ({_STAS}); a step at 8 GiB that the runs show and nothing explains",
            latency_s=130e-6,
            large_from_bytes=2.0**33,
            large_factor=1.09,
        ),
        "ring": AlgorithmConstants(678.4e9, f"4 and 5 B200 at 8 GiB, 72 GB200 at 8 GiB ({_STAS})"),
    },
    nvls_from=6,
)
_NVL72 = LinkGeneration(
    domain=72,
    series={
        "nvls": AlgorithmConstants(437.0e9, f"72 GB200 at 8 GiB, one figure of GTC 2025 S72583 ({_STAS})"),
        "ring": _NVLINK_5.series["ring"],
    },
    nvls_from=5,
)
_NVLINK_3 = LinkGeneration(
    domain=8, series={"ring": AlgorithmConstants(235.6e9, f"8 A100 at 16 GiB ({_STAS})")}
)
_XGMI_3 = LinkGeneration(
    domain=8, series={"mesh": AlgorithmConstants(46.26e9, f"2 and 8 MI300X at 4 GiB ({_STAS})")}
)

MACHINES: Mapping[str, LinkGeneration] = {
    "A100": _NVLINK_3,
    "H100": _NVLINK_4,
    "H200": _NVLINK_4,
    "B200": _NVLINK_5,
    "B300": _NVLINK_5,
    "GB200": _NVL72,
    "GB200-NVL72": _NVL72,
    "GB300": _NVL72,
    "MI300X": _XGMI_3,
}
"""GPU -> what was measured of its generation of links."""

_ACROSS = f"4 nodes of 8 B200 or H200 with 3,200 Gb/s of EFA cards, 64 MiB to 16 GiB ({_STAS_NODES})"
BETWEEN_NODES: Mapping[Algorithm, AlgorithmConstants] = {
    "ring": AlgorithmConstants(0.9313, _ACROSS),
    "tree": AlgorithmConstants(0.8954, _ACROSS, root_s=4.14e-8),
    "nvls-tree": AlgorithmConstants(0.7755, f"one figure at 16 GiB of: {_ACROSS}"),
}
"""Algorithms between domains: `unit` is the share of the cards' bandwidth."""


def benchmark_time_s(
    gpu: str,
    op: Kind,
    size_bytes: ArrayLike,
    ranks: int,
    nodes: int = 1,
    algorithm: Algorithm | None = None,
    node_bytes_s: float = NODE_BYTES_S,
) -> Floats:
    """Return the time that nccl-tests would show for a collective [s].

    Parameters
    ----------
    gpu
        Key of `MACHINES`.
    op
        The operation.
    size_bytes
        Buffer sizes as nccl-tests prints them, any shape [B]; fitted from 64 MiB on, for 8 H100 and H200 also below
        1 MiB, where machines differ by a factor of two (17 to 40 us); elsewhere off by up to a factor of 2.6.
    ranks, nodes
        GPUs, and the chassis they are in; the GPUs of an NVL72 are one domain whatever the number of trays.
    algorithm
        None: the one the library takes by default.
    node_bytes_s
        Cards of a node together, per direction [B/s].

    Raises
    ------
    ValueError
        When nothing of the kind was measured, with what was.

    Examples
    --------
    >>> round(float(benchmark_time_s("H100", "all_reduce", 2**33, 8)) * 1e3, 1)
    31.0
    """
    if op not in get_args(Kind):
        raise ValueError(f"no sweep of {op!r} is known; there are {', '.join(get_args(Kind))}")
    if nodes == 1 and ranks > _machine(gpu).domain:
        raise ValueError(
            f"{ranks} {gpu} are more than one node of {_machine(gpu).domain}; say how many nodes"
        )
    size = np.asarray(size_bytes, dtype=np.float64)
    if ranks <= 1:
        return np.zeros_like(size)
    if algorithm is not None:
        return _time_s(_series(gpu, ranks, algorithm), op, size, ranks, nodes, algorithm, gpu, node_bytes_s)
    times = np.empty_like(size)
    for default, sizes in _default_algorithms(gpu, op, size, ranks).items():
        times[sizes] = benchmark_time_s(gpu, op, size[sizes], ranks, nodes, default, node_bytes_s)
    return times


def bus_bandwidth_bytes_s(
    gpu: str,
    op: Kind,
    size_bytes: ArrayLike,
    ranks: int,
    nodes: int = 1,
    algorithm: Algorithm | None = None,
    node_bytes_s: float = NODE_BYTES_S,
) -> Floats:
    """Return the bus bandwidth nccl-tests would print [B/s]; arguments and errors as in `benchmark_time_s`."""
    size = np.asarray(size_bytes, dtype=np.float64)
    if ranks <= 1:
        raise ValueError("one GPU moves nothing; a bus bandwidth needs at least 2")
    times = benchmark_time_s(gpu, op, size, ranks, nodes, algorithm, node_bytes_s)
    bandwidth: Floats = _weight(op, ranks) * size / times
    return bandwidth


def default_algorithm(gpu: str, op: Kind, size_bytes: float, ranks: int) -> Algorithm:
    """Return the algorithm the library takes by itself, as measured; raises as `benchmark_time_s`."""
    taken = _default_algorithms(gpu, op, np.array([size_bytes]), ranks)
    return next(default for default, sizes in taken.items() if sizes.all())


def benchmark_rests_on(gpu: str, ranks: int, algorithm: Algorithm) -> str:
    """Return the measurements behind an algorithm, for people; raises as `benchmark_time_s`."""
    return _series(gpu, ranks, algorithm).rests_on


def _machine(gpu: str) -> LinkGeneration:
    found = MACHINES.get(gpu)
    if found is None:
        raise ValueError(f"no sweep of {gpu!r} is known; there are {', '.join(MACHINES)}")
    return found


def _series(gpu: str, ranks: int, algorithm: Algorithm) -> AlgorithmConstants:
    machine = _machine(gpu)
    inside = ranks <= machine.domain
    known = machine.series if inside else BETWEEN_NODES if machine.nvls_from else {}
    if algorithm not in known:
        place = f"in one domain of {machine.domain} {gpu}" if inside else f"over several nodes of {gpu}"
        known_words = f"there are {', '.join(known)}" if known else "nothing was measured there"
        raise ValueError(f"no sweep of {algorithm} {place} is known; {known_words}")
    return known[algorithm]


def _default_algorithms(
    gpu: str, op: Kind, size: Floats, ranks: int
) -> Mapping[Algorithm, NDArray[np.bool_]]:
    """Return which sizes each algorithm takes."""
    machine = _machine(gpu)
    reduces = op == "all_reduce"
    if ranks > machine.domain:
        tree = reduces & (size <= TREE_UP_TO_BYTES)
        return {"tree": tree, "ring": ~tree}
    all_sizes = np.ones(size.shape, dtype=np.bool_)
    if "mesh" in machine.series:
        return {"mesh": all_sizes}
    nvls = reduces and machine.nvls_from is not None and ranks >= machine.nvls_from
    return {"nvls" if nvls else "ring": all_sizes}


def _weight(op: Kind, ranks: int) -> float:
    return (2 if op == "all_reduce" else 1) * (ranks - 1) / ranks


def _time_s(
    series: AlgorithmConstants,
    op: Kind,
    size: Floats,
    ranks: int,
    nodes: int,
    algorithm: Algorithm,
    gpu: str,
    node_bytes_s: float,
) -> Floats:
    if algorithm in ("nvls", "tree", "nvls-tree") and op != "all_reduce":
        raise ValueError(f"{algorithm} speeds up all_reduce only; {op} takes the ring")
    inside = ranks <= MACHINES[gpu].domain
    latency_s = series.latency_s
    if latency_s is None:
        latency_s = _latency_s(op, ranks, 1 if inside else nodes, algorithm)
    bus = series.unit * _growth(algorithm, ranks) * (1.0 if inside else node_bytes_s)
    bus_by_size = bus * np.where(size >= series.large_from_bytes, series.large_factor, 1.0)
    time: Floats = latency_s + _weight(op, ranks) * size / bus_by_size + series.root_s * np.sqrt(size)
    return time


def _growth(algorithm: Algorithm, ranks: int) -> float:
    """Return how bus bandwidth grows with the number of GPUs."""
    if algorithm == "nvls":
        return 2.0 * (ranks - 1) / (ranks + 1)
    return float(ranks - 1) if algorithm == "mesh" else 1.0


def _latency_s(op: Kind, ranks: int, nodes: int, algorithm: Algorithm) -> float:
    """Return the latency of the hops, as the step model counts them."""
    if algorithm == "nvls":
        return NVLS_LATENCY_S
    if algorithm in ("tree", "nvls-tree"):
        per_node = math.ceil(ranks / nodes)
        return LAUNCH_S + 2 * ((per_node - 1) * TREE_HOP_S + math.log2(nodes) * INTER_NODE_HOP_S)
    passes = 2 if op == "all_reduce" else 1
    inter = passes * (nodes - 1)
    return LAUNCH_S + (passes * (ranks - 1) - inter) * RING_HOP_S + inter * INTER_NODE_HOP_S
