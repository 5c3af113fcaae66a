"""Health checks: tests of nodes at intervals or between jobs, which find what a job does not notice.

A run of a check on a node finds a fault it can see with a chance of its coverage; the draw belongs to the node, the
check and how often it ran there. Sound nodes are never blamed: no fleet publishes how often its checks do that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twin.arrays import IntP
from twin.physics import reliability
from twin.scenario.schema.fault_kinds import impairment_of
from twin.scenario.schema.faults import HealthCheck
from twin.sim.core.draws import Draws
from twin.sim.core.log import Log
from twin.sim.core.nodes import CUT, DRAINED, FREE, NodeTable
from twin.sim.core.slot_fields import ColumnGroup
from twin.sim.core.state import Fields, Items, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.jobs.recovery import RecoveryHandler


class Sick(Protocol):
    """Who knows what works worse or wrong."""

    def sick(self) -> Sequence[int]:
        """Return the nodes with a fault that lets their job continue, lowest first."""

    def faults_on(self, node: int) -> Sequence[str]:
        """Return the effects of the faults of a node now."""

    def found(self, node: int, how: str) -> None:
        """Take a node down for the repair of its faults."""


class Health(Stateful):
    """Handler of the timers ``check`` (ids of checks) and ``checked`` (nodes that a check held).

    Parameters
    ----------
    keys
        Of the nodes, for their draws, shape (N,).

    Attributes
    ----------
    runs, found
        Of each check: runs on one node, and faults found.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        recovery: RecoveryHandler,
        degraded: Sick,
        checks: tuple[HealthCheck, ...],
        draws: Draws,
        keys: NDArray[np.uint64],
    ) -> None:
        self.timers, self.log, self.nodes, self.recovery, self.degraded = (
            timers,
            log,
            nodes,
            recovery,
            degraded,
        )
        self.checks, self.draws, self.keys = checks, draws, keys
        self.count = np.zeros((len(checks), len(keys)), np.int64)  # runs of each check on each node
        self.found = [0] * len(checks)
        self.held: dict[int, tuple[list[int], list[int]]] = {}  # checks and nodes of each group held
        self.marked: dict[int, int] = {}  # nodes found by a check, to be repaired once their job has left
        self.reported: set[tuple[int, int]] = set()  # check and node, told once
        self._groups = 0
        for kind in ("check", "checked"):
            timers.handle(kind, getattr(self, f"_{kind}"))
        for i, check in enumerate(checks):
            if check.every_s is not None:
                timers.set("check", i, check.every_s)

    @property
    def runs(self) -> list[int]:
        """Return how often each check ran on a node."""
        return [int(ran.sum()) for ran in self.count]

    def look(self) -> None:
        """Test the nodes that jobs left since this was last called, and repair those of them found bad before."""
        if not self.checks:
            self.nodes.left.clear()
        if not self.nodes.left:
            return
        left = np.unique(np.array(self.nodes.left, np.intp))
        self.nodes.left.clear()
        left = left[self.nodes.held[left] == 0]
        for node in left.tolist():
            check = self.marked.pop(node, None)
            if check is not None and self.nodes.condition[node] in (FREE, DRAINED, CUT):
                self._repair(node, check)
        between = [i for i, check in enumerate(self.checks) if check.every_s is None]
        if between:
            self._run(between, left[self.nodes.condition[left] == FREE])

    def _check(self, i: int) -> None:
        nodes, check = self.nodes, self.checks[i]
        self.timers.set("check", i, self.timers.now_s + (check.every_s or 0.0))
        condition = nodes.condition
        lit = (condition == FREE) | (condition == DRAINED) | (condition == CUT)
        idle = lit & (nodes.held == 0) & ~nodes.withheld
        self._judge(i, np.flatnonzero(lit & ~idle & nodes.plant.nodes.present))
        self._run([i], np.flatnonzero(idle & nodes.plant.nodes.present))

    def _run(self, checks: list[int], idle: IntP) -> None:
        """Run checks one after the other on nodes without a job, which wait for the outcome."""
        if not idle.size:
            return
        lasts_s = sum(self.checks[i].lasts_s for i in checks)
        if lasts_s == 0:
            for i in checks:
                self._judge(i, idle)
            return
        now = self.timers.now_s
        self.nodes.withhold(now, idle, True)
        self.held[self._groups] = checks, idle.tolist()
        self.timers.set("checked", self._groups, now + lasts_s)
        self._groups += 1

    def _checked(self, group: int) -> None:
        checks, held = self.held.pop(group)
        nodes = np.array(held, np.intp)
        self.nodes.withhold(self.timers.now_s, nodes, False)
        for i in checks:
            self._judge(i, nodes[np.isin(self.nodes.condition[nodes], (FREE, DRAINED, CUT))])
        self.recovery.node_usable()

    def _judge(self, i: int, nodes: IntP) -> None:
        """Let a check that ran on `nodes` find what it can."""
        self.count[i, nodes] += 1
        sick = sorted(set(self.degraded.sick()) & set(nodes.tolist()))
        if not sick:
            return
        check = self.checks[i]
        draws = reliability.hash_uniform(
            self.draws.seed, self.keys[sick], f"check {check.id}", self.count[i, sick]
        )
        self.reported = {(c, n) for c, n in self.reported if self.degraded.faults_on(n)}
        for node, draw in zip(sick, draws.tolist(), strict=True):
            seen = [effect for effect in self.degraded.faults_on(node) if effect in check.finds]
            if seen and draw < check.coverage and not (node in self.marked and self.nodes.withheld[node]):
                self._finding(i, node, seen)

    def _finding(self, i: int, node: int, seen: Sequence[str]) -> None:
        check, now = self.checks[i], self.timers.now_s
        name = self.nodes.plant.nodes.ids[node]
        found = [bad for effect in seen if (bad := impairment_of(effect)) is not None]
        at_once = any(bad.what == "results" for bad in found) or self.nodes.held[node] == 0
        then = "removed for immediate repair" if at_once else "drained; repair starts when its job ends"
        if check.action == "report":
            then = "reported"
            if (i, node) in self.reported:
                return
            self.reported.add((i, node))
        self.found[i] += 1
        text = f"{check.id.replace('_', ' ')} found {' and '.join(bad.finding for bad in found)}: {then}"
        drains = int(check.action == "drain" and not at_once)
        self.log.add(now, "health_check", name, text, check=check.id, effects=", ".join(seen), drains=drains)
        if check.action == "drain" and at_once:
            self._repair(node, i)
        elif check.action == "drain":
            self.marked[node] = i
            self.nodes.withhold(now, np.array([node]), True)

    def _repair(self, node: int, check: int) -> None:
        self.nodes.withhold(self.timers.now_s, np.array([node]), False)
        self.degraded.found(node, self.checks[check].id)

    def figures(self) -> dict[str, Any]:
        """Return the figures of the summary."""
        runs = self.runs
        by_check = {
            check.id: {"runs": ran, "found": found}
            for check, ran, found in zip(self.checks, runs, self.found, strict=True)
        }
        return {"runs": sum(runs), "found": sum(self.found), "by_check": by_check}

    def on_restored(self) -> None:
        """Give the counts a row for each check, also where there is none."""
        self.count = self.count.reshape(len(self.checks), len(self.keys))

    STATE = Fields(
        ColumnGroup("count", "nodes", np.int64),
        StateField("found", list),
        StateField(
            "held",
            lambda saved: {group: (checks, nodes) for group, checks, nodes in saved},
            lambda held: [[group, *tested] for group, tested in held.items()],
            carry=lambda new, old, edit: [
                [group, checks, edit.numbers.all(nodes)] for group, (checks, nodes) in old.held.items()
            ],
        ),
        Items("marked", int, of_nodes=True),
        StateField(
            "reported",
            lambda saved: {(int(check), int(node)) for check, node in saved},
            sorted,
            carry=lambda new, old, edit: [
                (check, edit.numbers.node(node)) for check, node in sorted(old.reported)
            ],
        ),
        StateField("_groups", int),
    )
