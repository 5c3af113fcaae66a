"""What fails when: one clock per node, whose thresholds are hashed from (seed, node id, count).

A node's clock runs while it is up, whatever it does and whoever holds it, so its whole history depends on nothing
but the seed and its own id: an intervention, a move or another rack leaves every other node's failures alone. Where
the scenario says that heat wears, it runs faster while the node's dies are hot; what it counts up to stays the same.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from twin.physics import reliability
from twin.plant.tables import Plant
from twin.scenario.faults import Cause, Failures

Floats = NDArray[np.float64]

MAINTENANCE_S = 4 * 3600.0
"""Planned work on a node [est]."""

WORN_SHARE = 0.02
"""Change of a node's failure rate by heat that is taken note of [-]."""

FLEET_SAMPLE = 8192
"""Imagined nodes over which the mean of lemons is taken, the same for every scene."""

REPAIR_CLASS: dict[str, str] = {
    "gpu": "gpu",
    "cable": "parameter_plane_cable",
    "nic": "nic",
    "fan": "fan",
    "power_supply": "power_supply",
    "motherboard": "motherboard",
    "cpu": "cpu",
}
"""Classes of the published repair times (InfiniteHBD, reference/infinitehbd_mttr_by_class.csv)."""


class FailureClocks:
    """Integrated hazard and next failure of every node."""

    def __init__(self, plant: Plant, failures: Failures, seed: int) -> None:
        self.known = {
            cause.id: cause for cause in failures.causes
        }  # by hand they strike even where nothing fails by itself
        self.causes = failures.causes if failures.enabled else ()
        self.constant_repair_s = failures.repair_constant_s
        self.seed = seed
        self.keys = reliability.component_keys(plant.nodes.ids)
        self.gpu_count = plant.nodes.gpu_count
        rates = np.array([c.per_node_s for c in self.causes])
        self.rate = float(rates.sum())
        self.cumulative = np.cumsum(rates) / self.rate if self.rate else np.zeros(0)
        self.quality = np.ones(len(self.keys))
        if failures.lemons and self.rate:
            self.quality = reliability.lemon_factor(seed, self.keys)
            self.quality *= self._fleet_scale()
        self.quality = np.where(plant.nodes.present, self.quality, 0.0)
        n = len(self.keys)
        self.arrhenius = failures.arrhenius
        self.wear = np.ones(n)  # what heat makes of the rate of each node
        self.count = np.zeros(n, np.int64)
        self.hazard = np.zeros(n)
        self.since_s = np.zeros(n)
        self.up = plant.nodes.present.copy()
        self.threshold = reliability.unit_exponential(seed, self.keys, "failure", self.count)
        self.due_s = self._due(np.arange(n))

    def _fleet_scale(self) -> float:
        # Lemons spend more of their life in repair, so a fleet's quoted rate is lower than the mean of its nodes'.
        mean_s = sum(c.per_node_s * self.mean_repair_s(c) for c in self.causes)
        quality = reliability.lemon_factor(0, np.arange(FLEET_SAMPLE, dtype=np.uint64))
        up = 1 / (1 + quality * mean_s)
        return float(up.sum() / (quality * up).sum())

    def mean_repair_s(self, cause: Cause) -> float:
        """Return the mean repair time of `cause` [s]."""
        if cause.repair == "restart":
            return 0.0
        if self.constant_repair_s is not None:
            return self.constant_repair_s
        if cause.repair == "maintenance":
            return MAINTENANCE_S
        return reliability.REPAIR_CLASSES[REPAIR_CLASS[cause.repair]].repair.mean_s

    def _due(self, nodes: NDArray[np.int64]) -> Floats:
        rate = self.rate * self.quality[nodes] * self.wear[nodes]
        live = self.up[nodes] & (rate > 0)
        left = np.divide(
            self.threshold[nodes] - self.hazard[nodes], rate, out=np.full(len(nodes), math.inf), where=live
        )
        due: Floats = self.since_s[nodes] + left
        return due

    def next(self) -> tuple[float, int]:
        """Return (time [s], node) of the earliest failure; infinity when nothing fails."""
        if not len(self.due_s):
            return math.inf, -1
        node = int(np.argmin(self.due_s))
        return float(self.due_s[node]), node

    def strike(self, node: int, t_s: float) -> tuple[Cause, float, int]:
        """Take the failure of `node` at `t_s`; return its cause, its repair time [s] and the GPU of the node hit."""
        k = int(self.count[node])
        key = self.keys[node : node + 1]

        def draw(stream: str) -> float:
            return float(reliability.hash_uniform(self.seed, key, stream, k)[0])

        cause = self.causes[
            int(np.searchsorted(self.cumulative, draw("cause"), side="right").clip(0, len(self.causes) - 1))
        ]
        gpu = int(draw("gpu") * int(self.gpu_count[node]))
        repair_s = self.repair_s(cause, draw("repair"))
        self.count[node] += 1
        self.hazard[node] = 0.0
        self.since_s[node] = t_s
        self.threshold[node] = reliability.unit_exponential(
            self.seed, key, "failure", self.count[node : node + 1]
        )[0]
        self.due_s[node] = self._due(np.array([node]))[0]
        return cause, repair_s, gpu

    def drawn_repair_s(self, node: int, cause: Cause | None) -> float:
        """Return the repair time of an injected failure of `node` [s]; no cause: that of a GPU.

        The draw is its own, so the failures that come by themselves stay where they are.
        """
        u = float(
            reliability.hash_uniform(
                self.seed, self.keys[node : node + 1], "injected", int(self.count[node])
            )[0]
        )
        if cause is None:
            return self.constant_repair_s or float(
                reliability.repair_time_s(reliability.REPAIR_CLASSES["gpu"].repair, u)
            )
        return self.repair_s(cause, u)

    def repair_s(self, cause: Cause, uniform: float) -> float:
        """Return the repair time of `cause` at quantile `uniform` [s]; 0: a restart is enough."""
        if cause.repair == "restart":
            return 0.0
        if self.constant_repair_s is not None:
            return self.constant_repair_s
        if cause.repair == "maintenance":
            return MAINTENANCE_S
        return float(
            reliability.repair_time_s(reliability.REPAIR_CLASSES[REPAIR_CLASS[cause.repair]].repair, uniform)
        )

    def set_up(self, node: int, t_s: float, up: bool) -> None:
        """Stop (node is down) or let go on (it is up) the clock of `node`."""
        if bool(self.up[node]) == up:
            return
        if self.up[node]:
            rate = self.rate * self.quality[node] * self.wear[node]
            self.hazard[node] += (t_s - self.since_s[node]) * rate
        self.up[node] = up
        self.since_s[node] = t_s
        self.due_s[node] = self._due(np.array([node]))[0]

    def heat(self, node_die_c: Floats, t_s: float) -> bool:
        """Let the clocks of nodes run as their mean dies have it from `t_s` on; return whether any changed its rate.

        Parameters
        ----------
        node_die_c
            Mean die temperature of each node, shape (N,) [C].
        t_s
            Now [s].
        """
        if self.arrhenius is None:
            return False
        wear = reliability.arrhenius_factor(
            node_die_c, self.arrhenius.reference_c, self.arrhenius.activation_ev
        )
        moved = np.flatnonzero(np.abs(wear - self.wear) > WORN_SHARE * self.wear)
        if not moved.size:
            return False
        aged = moved[self.up[moved]]
        rate = self.rate * self.quality[aged] * self.wear[aged]
        self.hazard[aged] += (t_s - self.since_s[aged]) * rate
        self.since_s[aged] = t_s
        self.wear[moved] = wear[moved]
        self.due_s[moved] = self._due(moved)
        return True

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        return {
            "count": self.count.tolist(),
            "hazard": self.hazard.tolist(),
            "since_s": self.since_s.tolist(),
            "up": self.up.tolist(),
            "wear": [] if self.arrhenius is None else self.wear.tolist(),
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.count = np.array(state["count"], np.int64)
        self.hazard = np.array(state["hazard"])
        self.since_s = np.array(state["since_s"])
        self.up = np.array(state["up"], bool)
        if self.arrhenius is not None:
            self.wear = np.array(state["wear"], float)
        self.threshold = reliability.unit_exponential(self.seed, self.keys, "failure", self.count)
        self.due_s = self._due(np.arange(len(self.keys)))
