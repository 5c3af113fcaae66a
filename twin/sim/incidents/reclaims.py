"""Rented capacity that its owner takes back: the notice, the reclaim of a whole shape, and its return.

Each shape stays for an exponential time, is announced to go, goes after the notice, and comes back after another
exponential time; draws are hashed from (seed, rental and first node of the shape, count). A job that can write a
checkpoint within the notice does so at once and leaves with nothing lost but its restart; another works until the
reclaim, and goes back to its last checkpoint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from twin import units
from twin.arrays import Floats
from twin.economics.rented_groups import RentedGroup
from twin.language import counted
from twin.physics import reliability
from twin.record.events import Severity
from twin.sim.core.draws import Draws
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import DOWN, NodeTable
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import ArrayField, Fields, Stateful
from twin.sim.core.timers import Timers
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler

HERE, WARNED, AWAY = 0, 1, 2
"""Where a shape stands."""
RECLAIM = "reclaim"
"""Name under which interruptions are counted."""
NO_RECLAIMS: dict[str, Any] = {"phase": [], "due_s": [], "count": []}
"""State of a run in which nothing is reclaimed."""


class Reclaims(Stateful):
    """Handler of the timer ``reclaim``: the earliest notice, reclaim or return of any shape.

    Attributes
    ----------
    changed
        Whether nodes went or came back since this was last set false.
    phase, due_s, count
        Where each shape stands, when that ends [s], and how often it was reclaimed.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        tally: FailureTally,
        draws: Draws,
        groups: tuple[RentedGroup, ...],
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.tally, self.draws = recovery, failures, tally, draws
        self.changed = False
        live = [group for group in groups if group.terms.reclaim_per_s > 0.0]
        self.shapes = [(group, shape) for group in live for shape in range(len(group.names))]
        names = [f"rental {group.rental.id} {group.names[shape]}" for group, shape in self.shapes]
        self.keys = reliability.component_keys(names)
        self._stays_s = np.array([1.0 / group.terms.reclaim_per_s for group, _ in self.shapes])
        self.phase = np.zeros(len(names), np.int64)
        self.count = np.zeros(len(names), np.int64)
        self.due_s: Floats = timers.now_s + self._drawn("reclaim") * self._stays_s
        if names:
            timers.handle("reclaim", self._due)
            recovery.leaving_behind = self._leaves

    def _drawn(self, stream: str) -> Floats:
        return reliability.unit_exponential(self.draws.seed, self.keys, stream, self.count)

    def nodes_of(self, place: int) -> list[int]:
        """Return the nodes of a shape."""
        group, shape = self.shapes[place]
        nodes: list[int] = group.nodes[group.shape == shape].tolist()
        return nodes

    def arm(self) -> None:
        """Wait for what is due next."""
        if len(self.due_s) and self.timers.due_s("reclaim", 0) != (due_s := float(self.due_s.min())):
            self.timers.set("reclaim", 0, due_s)

    def redraw(self, now_s: float) -> None:
        """Redraw how long each shape still stays from now on."""
        here = self.phase == HERE
        beyond = self._drawn(f"reclaim beyond {now_s!r}") * self._stays_s
        self.due_s = np.where(here, now_s + beyond, self.due_s)

    def _due(self, _: int) -> None:
        now = self.timers.now_s
        place = int(np.argmin(self.due_s)) if len(self.due_s) else -1
        if place >= 0 and self.due_s[place] <= now:  # else an edit took it away
            (self._warn, self._reclaim, self._return)[int(self.phase[place])](place, now)
        self.arm()

    # --- what happens

    def _warn(self, place: int, now: float) -> None:
        terms = self.shapes[place][0].terms
        nodes = self.nodes_of(place)
        if terms.notice_s <= 0.0:
            self._reclaim(place, now)
            return
        self.phase[place], self.due_s[place] = WARNED, now + terms.notice_s
        jobs = self.nodes.jobs_of(nodes)
        left = units.spoken(terms.notice_s)
        text = f"reclaim notice: its owner takes it in {left}"
        self._tell("reclaim_notice", place, text, notice_s=terms.notice_s)
        for node in nodes:
            self.nodes.reclaim(now, node, warned=True)
        for job in jobs:
            self.recovery.evacuate(self.jobs.rows[job], terms.notice_s)

    def _reclaim(self, place: int, now: float) -> None:
        group, _ = self.shapes[place]
        nodes = self.nodes_of(place)
        away_s = float(self._drawn("away")[place]) * group.terms.away_s
        self.phase[place], self.due_s[place] = AWAY, now + away_s
        self.count[place] += 1
        self._tell("reclaimed", place, f"reclaimed by its owner ({group.rental.id})", lasts_s=away_s)
        jobs = self.nodes.jobs_of(nodes)
        for node in nodes:
            if self.nodes.condition[node] != DOWN:
                self.failures.set_up(node, now, False)
            self.nodes.reclaim(now, node, away=True)
        first = self.nodes.plant.nodes.ids[nodes[0]]
        for job in jobs:
            row = self.jobs.rows[job]
            if self.recovery.interrupt(row, None, f"{first} reclaimed", on=first, struck=nodes):
                self.tally.interrupted(None, RECLAIM)
        self.changed = True
        if away_s <= 0.0:
            self._return(place, now)

    def _return(self, place: int, now: float) -> None:
        nodes = self.nodes_of(place)
        self.phase[place] = HERE
        self.due_s[place] = now + float(self._drawn("reclaim")[place]) * self._stays_s[place]
        for node in nodes:
            self.nodes.reclaim(now, node)
            if self.nodes.condition[node] != DOWN:
                self.failures.set_up(node, now, True)
        self._tell("capacity_back", place, "capacity is back")
        self.changed = True
        self.recovery.node_usable()

    def _leaves(self, row: JobRow) -> None:
        """A job whose state is safe leaves nodes that will be reclaimed: it stops, with nothing lost."""
        warned = [node for node in row.nodes if self.nodes.warned[node]]
        if not warned:
            return
        now, first = self.timers.now_s, self.nodes.plant.nodes.ids[warned[0]]
        row.interruptions += 1
        self.tally.interrupted(None, RECLAIM)
        text = f"{row.id} stopped: leaves {counted(len(warned), 'node')} that will be reclaimed; nothing lost"
        why = f"{first} will be reclaimed"
        step = int(row.progress)
        self.log.add(now, "job_interrupted", row.id, text, step=step, lost_s=0.0, why=why, on=first, cause="")

    def _tell(
        self, kind: str, place: int, text: str, lasts_s: float | None = None, notice_s: float | None = None
    ) -> None:
        """Log it of each node of a shape."""
        ids, now, rental = self.nodes.plant.nodes.ids, self.timers.now_s, self.shapes[place][0].rental.id
        for node in self.nodes_of(place):
            held = bool(self.nodes.jobs_on(node))
            severity = None if kind != "reclaimed" else Severity.ALARM if held else Severity.NOTICE
            self.log.add(
                now,
                kind,
                ids[node],
                text,
                severity,
                nodes=1,
                rental=rental,
                lasts_s=lasts_s,
                notice_s=notice_s,
            )

    # --- looking, keeping

    def figures(self) -> dict[str, dict[str, int]]:
        """Return how often shapes of each rental were reclaimed, and how many are away now."""
        found: dict[str, dict[str, int]] = {}
        for (group, _), count, phase in zip(
            self.shapes, self.count.tolist(), self.phase.tolist(), strict=True
        ):
            of_one = found.setdefault(group.rental.id, {"reclaims": 0, "away": 0})
            of_one["reclaims"] += count
            of_one["away"] += phase == AWAY
        return found

    def on_restored(self) -> None:
        """Give back nodes whose shape an edit took away."""
        gone = self.nodes.warned | self.nodes.away
        for place in np.flatnonzero(self.phase != HERE).tolist():
            gone[self.nodes_of(place)] = False
        for node in np.flatnonzero(gone).tolist():
            self.nodes.reclaim(self.timers.now_s, node)

    def carried(self, old: Reclaims, edit: EditedPair) -> dict[str, Any]:
        """Return what these shapes take over: each keeps its own, by its key."""
        _, there, here = np.intersect1d(old.keys, self.keys, return_indices=True)
        saved = {}
        for name in NO_RECLAIMS:
            values = getattr(self, name).copy()
            values[here] = getattr(old, name)[there]
            saved[name] = values.tolist()
        return saved

    STATE = Fields(*ArrayField.each("phase", "count", dtype=np.int64), ArrayField("due_s", dtype=float))
