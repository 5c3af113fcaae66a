"""One job of a cluster as the Monte Carlo fast path sees it: what fails, how long that takes, and how it restarts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.physics.reliability import RepairQuantiles, repair_time_s, time_within_s


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


_DRAWS = (np.arange(20_000) + 0.5) / 20_000
"""Even draws over which a repair time with a long tail is averaged."""


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

    def repair_within_s(self, horizon_s: float) -> float:
        """Mean time away up to the end of a horizon [s] in which it strikes at any moment; of failures [s]."""
        repair = self.repair
        times = repair_time_s(repair, _DRAWS) if isinstance(repair, RepairQuantiles) else self.mean_repair_s
        return float(time_within_s(times, horizon_s).mean())


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
    def fleet(self) -> int:
        """Nodes of the job and those that stand by for it."""
        return self.nodes + self.spares

    @property
    def node_rate_s(self) -> float:
        """Failures and reclaims of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes)

    @property
    def reclaim_rate_s(self) -> float:
        """Reclaims of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes if cause.reclaims)

    @property
    def unexpected_rate_s(self) -> float:
        """Failures and reclaims of one node that nobody planned [1/s]."""
        return sum(cause.rate_s for cause in self.causes if not cause.planned)

    @property
    def planned_rate_s(self) -> float:
        """Planned stops of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes if cause.planned)

    @property
    def losing_rate_s(self) -> float:
        """Stops of one node that undo work: those before which the job does not save its own [1/s]."""
        return sum(cause.rate_s for cause in self.causes if not cause.saves)

    @property
    def repair_rate_s(self) -> float:
        """Failures of one node that take it into repair [1/s]."""
        return sum(cause.rate_s for cause in self.causes if cause.mean_repair_s and not cause.reclaims)

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
    def away(self) -> float:
        """Mean number of nodes, those that stand by too, that are away in the long run."""
        return self.fleet * self.node_rate_s * self.mean_repair_s

    @property
    def in_repair(self) -> float:
        """Mean number of nodes, those that stand by too, that are in repair in the long run (Little's law)."""
        return self.fleet * self.failing

    def in_repair_within(self, horizon_s: float) -> float:
        """Return the mean number in repair over a horizon that begins with none [s]: longer repairs end with it."""
        return self.fleet * sum(
            cause.rate_s * cause.repair_within_s(horizon_s) for cause in self.causes if not cause.reclaims
        )

    @property
    def mean_between_s(self) -> float:
        """Mean time between interruptions while the job is whole [s]."""
        return self._between_s(self.node_rate_s)

    @property
    def mean_between_losses_s(self) -> float:
        """Mean time between stops that undo work while the job is whole, M of the rules for the interval [s]."""
        return self._between_s(self.losing_rate_s)

    def _between_s(self, node_rate_s: float) -> float:
        rate = self.nodes * node_rate_s
        return 1.0 / rate if rate else math.inf
