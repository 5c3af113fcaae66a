"""What plants reject to while it moves: followed on straight lines, in steps that those fit."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Floats
from twin.sim.core.state import ArrayField, Endless, Fields, StateField, Stateful

MISS_K = 2e-3
"""A straight line that misses the sink by this at the end of a step fits it [K]."""
JUMP_K = 0.1
"""A sink that is this far from where it was going has jumped: it is followed again [K]."""
FIRST_S = 0.25
LEAST_S = 0.05


class SinkCourse(Stateful):
    """Slope of the sinks, and the longest step in which straight lines follow them.

    Parameters
    ----------
    plants
        How many there are.

    Attributes
    ----------
    slope_k_s
        Rate at which the sink of each plant moves, shape (P,) [K/s]; replaced when it changes.
    longest_s
        [s].
    """

    def __init__(self, plants: int) -> None:
        self._still = np.zeros(plants)
        self.rest()

    def rest(self) -> None:
        """Take note that sinks move too little for that."""
        self.slope_k_s, self.longest_s, self._rate_k_s = self._still, math.inf, self._still
        self._seen: tuple[float, Floats] | None = None

    def follow(self, now_s: float, sink_c: Floats, expected_c: Floats, rate_k_s: Floats) -> None:
        """Take note that sinks are at `sink_c` now, where `expected_c` was expected [C].

        `rate_k_s` is what machines that lag behind have them move by [K/s]: they are followed again where it jumps.
        """
        miss_k = float(np.abs(sink_c - expected_c).max())
        turned_k = float(np.abs(rate_k_s - self._rate_k_s).max()) * self.longest_s
        self._rate_k_s = rate_k_s
        if self._seen is None or miss_k > JUMP_K or turned_k > JUMP_K:
            self.slope_k_s, self.longest_s, self._seen = self._still, FIRST_S, (now_s, sink_c)
            return
        since_s, before_c = self._seen
        took_s = now_s - since_s
        if took_s < LEAST_S:
            return
        self.slope_k_s, self._seen = (sink_c - before_c) / took_s, (now_s, sink_c)
        self.longest_s = took_s * min(2.0, max(0.3, 0.9 * math.sqrt(MISS_K / max(miss_k, 1e-9))))

    def on_restored(self) -> None:
        """Let sinks that stand still have the slope by which others know that."""
        if not self.slope_k_s.any():
            self.slope_k_s = self._still

    STATE = Fields(
        ArrayField("slope_k_s", float),
        Endless("longest_s"),
        StateField(
            "_seen",
            lambda saved: None if saved is None else (float(saved[0]), np.array(saved[1], float)),
            lambda seen: None if seen is None else [seen[0], seen[1].tolist()],
        ),
        ArrayField("_rate_k_s", float),
    )
