"""What holds the clocks of a node's GPUs down besides heat: power caps, the brake when supplies are lost, faults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats
from twin.physics.gpu_power import ThrottleReason
from twin.sim.core.slot_fields import MemberSlots, Pairs
from twin.sim.core.state import Fields, StateField, Stateful

BRAKE_SHARE = 0.5
"""Clock left by the power brake, of what the cap allows: it divides clocks by two or more (NVML) [est]."""
BRAKE = ThrottleReason.POWER_BRAKE | ThrottleReason.HW_SLOWDOWN


@dataclass(frozen=True)
class ClockLimit:
    """What a class of nodes allows its GPUs.

    Parameters
    ----------
    cap_w
        Power limit of a GPU [W]; infinite: its own.
    clock_share
        Clock left of what the cap allows [-].
    reason
        Bits that NVML reports for it.
    slow_share
        Clock that a fault leaves, whatever power allows [-].
    """

    cap_w: float = math.inf
    clock_share: float = 1.0
    reason: ThrottleReason = ThrottleReason.NONE
    slow_share: float = 1.0


class ClockLimits(Stateful):
    """The limit class of every node; nodes of one class share their groups.

    Caps are taken to whole watts, downwards, so that a controller that moves them makes few classes.

    Parameters
    ----------
    gpus
        GPUs of each node, shape (N,).

    Attributes
    ----------
    classes : list of Limit
        Class 0 limits nothing. A class keeps its number for ever.
    node_class : ndarray of int, shape (N,)
    changed : bool
        Some node has changed its class; whoever gives the groups their new powers clears it.
    """

    def __init__(self, gpus: NDArray[np.integer]) -> None:
        self._gpus = np.asarray(gpus)
        self.classes = [ClockLimit()]
        self.node_class = np.zeros(len(self._gpus), np.intp)
        self.node_cap_w = np.full(len(self._gpus), math.inf)
        self.braked = np.zeros(len(self._gpus), bool)
        self.slow = np.ones(len(self._gpus))
        self.changed = False
        self._tabulate()

    def _tabulate(self) -> None:
        self.cap_w = np.array([limit.cap_w for limit in self.classes])
        self.clock_share = np.array([limit.clock_share for limit in self.classes])
        self.slow_share = np.array([limit.slow_share for limit in self.classes])
        self.reason = np.array([int(limit.reason) for limit in self.classes], np.int64)

    @property
    def any(self) -> bool:
        """Whether some node is limited."""
        return len(self.classes) > 1 and bool(self.node_class.any())

    def set_caps(self, node_cap_w: Floats) -> None:
        """Cap the power of every GPU of each node, shape (N,) [W]; infinity: no cap of this kind."""
        caps = np.floor(np.asarray(node_cap_w, float))
        if not np.array_equal(caps, self.node_cap_w):
            self.node_cap_w = caps
            self._classify()

    def set_braked(self, mask: Bools) -> None:
        """Brake the GPUs of the marked nodes, shape (N,), and let all others go."""
        if not np.array_equal(mask, self.braked):
            self.braked = np.array(mask, bool)
            self._classify()

    def set_slow(self, share: Floats) -> None:
        """Let faults leave the GPUs of each node so much of their clock, shape (N,) [-]."""
        if not np.array_equal(share, self.slow):
            self.slow = np.array(share, float)
            self._classify()

    def braked_gpus(self) -> int:
        """Return how many GPUs are braked now."""
        return int(self._gpus[self.braked].sum())

    def _classify(self) -> None:
        # One number a node, negative where it is braked: sorting those is far cheaper than sorting pairs.
        cap_w = np.maximum(self.node_cap_w, 0.0) + 1.0
        found = np.where(self.braked, -cap_w, cap_w)
        if (self.slow < 1).any():
            pairs, which = np.unique(np.stack([found, self.slow]), axis=1, return_inverse=True)
        else:
            keys, which = np.unique(found, return_inverse=True)
            pairs = np.stack([keys, np.ones(len(keys))])
        numbers = []
        for key, slow in pairs.T.tolist():
            cap_w, braked = abs(key) - 1.0, key < 0
            limit = (
                ClockLimit(cap_w, BRAKE_SHARE, BRAKE, slow) if braked else ClockLimit(cap_w, slow_share=slow)
            )
            if limit not in self.classes:
                self.classes.append(limit)
            numbers.append(self.classes.index(limit))
        node_class = np.array(numbers, np.intp)[which.reshape(-1)] if numbers else self.node_class
        self._tabulate()
        self.changed |= not np.array_equal(node_class, self.node_class)
        self.node_class = node_class

    def on_restored(self) -> None:
        """Give every node its class."""
        self._classify()

    STATE = Fields(
        StateField(
            "classes",
            lambda saved: [_limit_of(*row) for row in saved],
            lambda classes: [_limit_row(limit) for limit in classes],
        ),
        Pairs("node_cap_w", "nodes", math.inf, key="capped"),
        MemberSlots("braked", "nodes"),
        Pairs("slow", "nodes", 1.0),
        last=[StateField("changed", bool)],
    )


def _limit_row(limit: ClockLimit) -> list[Any]:
    cap_w = None if math.isinf(limit.cap_w) else limit.cap_w
    return [cap_w, limit.clock_share, int(limit.reason), limit.slow_share]


def _limit_of(cap_w: float | None, clock_share: float, reason: int, slow_share: float) -> ClockLimit:
    return ClockLimit(math.inf if cap_w is None else cap_w, clock_share, ThrottleReason(reason), slow_share)
