"""Input and output of a policy: requests of jobs, the state of the nodes, and the decision.

Jobs, tenants and nodes are numbers; a place is a choice of groups of nodes, each of which can hold a job as a whole.
Tenant 0 is nobody in particular: jobs without an owner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, IntP, Ints64

Place = tuple[Bools, ...]
"""Groups of nodes, each shape (N,): a job runs inside one of them; no node is in two."""

NOBODY, SEVERAL = -1, -2
"""Instead of a tenant: nobody holds anything of a node; two tenants hold parts of it."""
PLENTY = np.iinfo(np.int64).max
"""More than there ever is."""
SLICES = 7
"""Compute slices of one GPU (MIG)."""
YEAR_S = 365 * 86400.0
"""How long a job without any estimate is believed to run when gaps are filled, as Slurm has it [s]."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of one job.

    Parameters
    ----------
    nodes
        How many, the shared one among them.
    rest, slices
        GPUs of the last node, or slices of one GPU of it; 0 for whole nodes.
    gpus
        In all, slices as fractions.
    estimate_s
        How long it is believed to run [s]; inf: nobody knows.
    power_w
        What its nodes draw more than idle ones [W].
    """

    nodes: int = 1
    rest: int = 0
    slices: int = 0
    gpus: float = 0.0
    place: int = 0
    submit_s: float = 0.0
    estimate_s: float = math.inf
    tenant: int = 0
    priority: int = 0
    deadline_s: float = math.inf
    preemptible: bool = False
    flexible: bool = False
    power_w: float = 0.0


class Requests:
    """All jobs of a run as arrays, by number.

    Attributes
    ----------
    whole : (J,) int
        Nodes that a job asks for as a whole.
    rest : (J,) int
        GPUs that it asks for of its last node, 0: all, or slices of one.
    partial : (J,) bool
        Whether its last node is shared.
    need : (J, 3) int
        Free nodes that a job takes where it shares none, free nodes beside a shared one, and wholly free GPUs of that;
        the last two are `PLENTY` for those that share none.
    queued_s : (J,) float
        When it entered the queue last [s].
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        def column(name: str, kind: type) -> NDArray[np.generic]:
            return np.array([getattr(request, name) for request in requests], kind)

        self.rows = list(requests)
        self.nodes: Ints64 = column("nodes", np.int64)  # type: ignore[assignment]
        self.gpus: Floats = column("gpus", float)  # type: ignore[assignment]
        self.place: Ints64 = column("place", np.int64)  # type: ignore[assignment]
        self.estimate_s: Floats = column("estimate_s", float)  # type: ignore[assignment]
        self.tenant: Ints64 = column("tenant", np.int64)  # type: ignore[assignment]
        self.priority: Floats = column("priority", float)  # type: ignore[assignment]
        self.deadline_s: Floats = column("deadline_s", float)  # type: ignore[assignment]
        self.power_w: Floats = column("power_w", float)  # type: ignore[assignment]
        self.flexible: Bools = column("flexible", bool)  # type: ignore[assignment]
        self.queued_s: Floats = column("submit_s", float)  # type: ignore[assignment]
        self.partial: Bools = np.array([bool(request.rest or request.slices) for request in requests], bool)
        self.whole: Ints64 = self.nodes - self.partial
        self.rest: Ints64 = column("rest", np.int64)  # type: ignore[assignment]
        alone = np.full_like(self.nodes, PLENTY)
        self.need: Ints64 = np.array(
            [self.nodes, np.where(self.partial, self.whole, alone), np.where(self.partial, self.rest, alone)]
        ).T.copy()
        self.any_partial = bool(self.partial.any())
        self.any_slices = any(request.slices for request in requests)
        self.any_power = bool((self.power_w > 0).any())


@dataclass(slots=True)
class Holding:
    """A running job: its nodes in order, its start, and its estimated end [s]."""

    job: int
    nodes: Sequence[int]
    start_s: float
    end_s: float
    leaving: bool = False  # it gives its nodes up already


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """Where nodes stand: number of each node's NVLink domain, leaf, pod and rack, shape (N,).

    Attributes
    ----------
    levels
        Of these, what jobs are packed into, the smallest first; domains of one node each, in their order, are none.
    """

    domain: Ints64
    leaf: Ints64
    pod: Ints64
    rack: Ints64
    levels: tuple[Ints64, ...] = field(init=False)

    def __post_init__(self) -> None:
        alone = bool((self.domain[1:] > self.domain[:-1]).all())
        levels = (self.leaf, self.pod) if alone else (self.domain, self.leaf, self.pod)
        object.__setattr__(self, "levels", levels)


@dataclass(frozen=True, slots=True)
class HeldParts:
    """GPUs, in whole or in slices, of nodes that jobs share; shape (P,).

    Attributes
    ----------
    gpu
        Number in its node.
    slices
        Of it, all of them where a job has it whole.
    tenant
        Whose job has it.
    end_s
        When that is believed to end [s].
    """

    node: Ints64
    gpu: Ints64
    slices: Ints64
    tenant: Ints64
    end_s: Floats

    @classmethod
    def none(cls) -> HeldParts:
        """Return those of a site where jobs share no nodes."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing, nothing, np.zeros(0))


@dataclass(slots=True)
class SiteView:
    """The nodes at one moment; whoever decides works on copies.

    Parameters
    ----------
    free
        Fit, and nobody holds any part, shape (N,).
    end_s
        When nobody is believed to hold any part [s]: -inf of free nodes, inf of those that cannot be used.
    free_gpus
        Wholly free GPUs of fit nodes.
    slices
        Free slices of each GPU, shape (N, GPUs of the largest node), 0 where there is none or its node is unfit;
        None: no job asks for slices.
    tenant
        Who holds each node.
    used
        GPUs that each tenant holds, shape (tenants,).
    turn_s
        When carbon and price of the grid change next [s].
    allowed
        More that a job may not use, besides its place: its number -> mask, None for no more.
    holdings
        Those who run, in the order of their numbers; asked only when somebody wants to know.
    parts
        What jobs hold of shared nodes; asked likewise.
    """

    now_s: float
    free: Bools
    end_s: Floats
    gpus: Ints64
    free_gpus: Ints64
    tenant: Ints64
    used: Floats
    slices: NDArray[np.int8] | None = None
    power_w: float = 0.0
    carbon_kg_j: float = 0.0
    price_usd_j: float = 0.0
    turn_s: float = math.inf
    allowed: Callable[[int], Bools | None] | None = None
    holdings: Callable[[], list[Holding]] = list
    parts: Callable[[], HeldParts] = HeldParts.none


class Why(Enum):
    """Reason why a job waits, other than its place in the queue."""

    NODES = auto()  # too few are free
    QUOTA = auto()
    PARTITION = auto()  # enough nodes are free, but not among those it may use
    RESERVATION = auto()  # nodes are set aside now, or while it would run
    GREEN = auto()  # for power, or for clean or cheap energy
    ISOLATION = auto()  # other tenants are on the nodes


@dataclass(frozen=True, slots=True)
class Start:
    """A job that starts now on these nodes, in order of their numbers, a shared one last.

    Attributes
    ----------
    gpus
        Numbers of the GPUs it has of the shared node; none: any will do.
    """

    job: int
    nodes: IntP
    gpus: tuple[int, ...] = ()


@dataclass(slots=True)
class Decision:
    """The decision of a policy.

    Attributes
    ----------
    starts
        In order.
    preempt
        Jobs that give way.
    claimant
        To whom they do.
    planned
        When waiting jobs are expected to start at the latest, of those that gaps were planned for [s].
    reasons
        Why jobs wait that were looked at.
    look_again_s
        When time alone may let something start [s].
    """

    starts: list[Start] = field(default_factory=list)
    preempt: list[int] = field(default_factory=list)
    claimant: int = -1
    planned: dict[int, float] = field(default_factory=dict)
    reasons: dict[int, Why] = field(default_factory=dict)
    look_again_s: float = math.inf
