"""Nodes in repair, and how they come back."""

from __future__ import annotations

from collections.abc import Callable

from twin.sim.clockwork import Timers
from twin.sim.failures import FailureClocks
from twin.sim.log import Log
from twin.sim.nodes import DOWN, Nodes
from twin.sim.recovery import Recovery


class Repairs:
    """Handler of the timer ``repair``.

    Attributes
    ----------
    changed
        Whether nodes went down or came back since this was last set false.
    arm
        Waits for the earliest failure, after nodes came back; whoever watches failures sets it.
    """

    def __init__(
        self, timers: Timers, log: Log, nodes: Nodes, recovery: Recovery, failures: FailureClocks
    ) -> None:
        self.timers, self.log, self.nodes = timers, log, nodes
        self.recovery, self.failures = recovery, failures
        self.changed = False
        self.arm: Callable[[], None] = lambda: None
        timers.handle("repair", self._repair)

    def take_down(self, node: int, repair_s: float) -> None:
        """Take `node` out of use for a repair of so long [s]."""
        now = self.timers.now_s
        self.nodes.set_condition(now, node, DOWN)
        self.failures.set_up(node, now, False)
        self.timers.set("repair", node, now + repair_s)
        self.changed = True

    def prolong(self, node: int, repair_s: float) -> None:
        """Let the repair of `node` that goes on last at least so long from now [s]."""
        due_s = self.timers.due_s("repair", node) or 0.0
        self.timers.set("repair", node, max(due_s, self.timers.now_s + repair_s))

    def _repair(self, node: int) -> None:
        dark = ", still without power" if self.nodes.dark[node] else ""
        now = self.timers.now_s
        self.nodes.bring_back(now, node)
        self.failures.set_up(node, now, True)
        text = f"back from repair{dark}"
        self.log.add(now, "repaired", self.nodes.plant.nodes.ids[node], text, job=int(self.nodes.job[node]))
        self.changed = True
        self.recovery.node_usable()
        self.arm()
