"""One job of a cluster as the Monte Carlo fast path sees it: what fails, how long that takes, and how it restarts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.reliability import RepairQuantiles


@dataclass(frozen=True, slots=True)
class AwayTime:
    """How long rented nodes are away: a time that is sure, and an exponential one [s]."""

    least_s: float
    more_s: float

    @property
    def mean_s(self) -> float:
        """Mean of both together [s]."""
        return self.least_s + self.more_s


Repair = float | RepairQuantiles | AwayTime
"""How long a node is away: a time [s], or how that is distributed."""


@dataclass(frozen=True, slots=True)
class SampledCause:
    """One cause of interruption.

    Attributes
    ----------
    rate_s
        Of one node [1/s].
    repair
        How long the node is away.
    detection_s
        Until it is noticed [s].
    planned
        Counted apart.
    reclaims
        Nodes that a reclaim of their owner takes together; 0: it is a failure, of one node.
    saves
        Whether the job saves its work before it stops.
    """

    rate_s: float
    repair: Repair = 0.0
    detection_s: float = 0.0
    planned: bool = False
    reclaims: int = 0
    saves: bool = False

    @property
    def mean_repair_s(self) -> float:
        """Mean time away [s]."""
        return self.repair if isinstance(self.repair, float | int) else self.repair.mean_s


@dataclass(frozen=True, slots=True)
class ReliabilityModel:
    """Failure, repair and checkpoint parameters of one job.

    Attributes
    ----------
    nodes, spares
        Nodes of the job, and nodes that stand by for it; a failed one stands by again after its repair.
    causes
        What fails, then what is reclaimed; all rates may be 0.
    horizon_s
        How long it is watched, from its start on [s].
    first_start_s
        From the start to the first step [s].
    restart_s, swap_s
        From the moment its nodes are complete to the first step [s], and the same more when nodes were exchanged.
    lemons
        Whether nodes differ (gamma, shape 0.93).
    """

    nodes: int
    spares: int
    causes: tuple[SampledCause, ...]
    horizon_s: float
    first_start_s: float = 0.0
    restart_s: float = 0.0
    swap_s: float = 0.0
    lemons: bool = False

    @property
    def node_rate_s(self) -> float:
        """Failures and reclaims of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes)

    @property
    def reclaim_rate_s(self) -> float:
        """Reclaims of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes if cause.reclaims)

    @property
    def failing(self) -> float:
        """Mean number of failures that a node would be in repair for at once, rho [-]."""
        return sum(cause.rate_s * cause.mean_repair_s for cause in self.causes if not cause.reclaims)

    @property
    def mean_repair_s(self) -> float:
        """Mean time that a failure takes a node away [s]."""
        rate = self.node_rate_s
        return sum(c.rate_s * c.mean_repair_s for c in self.causes) / rate if rate else 0.0

    @property
    def mean_between_s(self) -> float:
        """Mean time between interruptions while the job is whole, M [s]."""
        rate = self.nodes * self.node_rate_s
        return 1.0 / rate if rate else math.inf
