"""Nodes that work on, but badly: slow, wrong, with a link that flaps or cards at fewer lanes, or hung until noticed.

Each fault lasts until somebody finds it; then its node goes to repair and its jobs restart elsewhere. What computed
wrong takes its jobs back to before it did.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from twin import units
from twin.physics import reliability
from twin.plant.links import link_id
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.scenario.schema.fault_kinds import fault_of, impairment_of
from twin.scenario.schema.fault_kinds.kind import Impaired, Impairment
from twin.scenario.schema.faults import Cause, Effect, Intervention
from twin.sim.care.repairs import RepairShop
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Fields, Items, SharedCounts, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.job_row import AT_REST, ENDED, STOPPED, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.thermal.clock_limits import ClockLimits

HANG = Cause(id="hang", rate=0.0, repair="restart", detection="watchdog")
"""A hang by hand; its id is the effect of all that hang."""


@dataclass
class Bad:
    """One fault of a node that continues.

    Parameters
    ----------
    node, gpu
        Where; GPU of the node, -1: all of it.
    effect, left
        What it does, and what it leaves of speed.
    since_s
        When it began [s].
    cause
        Its id; "": by hand.
    repair_s, repair_class
        Of its node when it is found; 0: a restart is enough [s].
    passes
        It goes by itself when its time is over, and is not found.
    link
        That flaps.
    jobs
        Jobs whose results it made wrong, and since when.
    """

    node: int
    effect: Effect
    left: float
    since_s: float
    cause: str = ""
    repair_s: float = 0.0
    repair_class: str = "restart"
    gpu: int = -1
    passes: bool = False
    link: str = ""
    jobs: dict[int, float] = field(default_factory=dict)

    @property
    def impairment(self) -> Impairment | None:
        """Return how its node works on; None: its jobs hang."""
        return impairment_of(self.effect)

    @property
    def what(self) -> Impaired | None:
        """Return what of its node works worse."""
        return self.impairment.what if self.impairment is not None else None


def _bad_row(bad: Bad) -> dict[str, Any]:
    return asdict(bad) | {"jobs": sorted(bad.jobs.items())}


def _bad_of(saved: dict[str, Any]) -> Bad:
    return Bad(**(saved | {"jobs": {int(job): since_s for job, since_s in saved["jobs"]}}))


def _carried_faults(new: Degraded, old: Degraded, edit: EditedPair) -> list[Any]:
    moved = {number: replace(bad, node=edit.numbers.node(bad.node)) for number, bad in old.faults.items()}
    return [[number, _bad_row(bad)] for number, bad in moved.items()]


class Degraded(Stateful):
    """Handler of the timer ``degraded``: faults that continue, and their end.

    Attributes
    ----------
    changed
        Whether a node became slower or faster since this was last set false.
    begun
        Faults that each node has had so far, by its id.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        limits: ClockLimits,
        outages: Outages,
        repairs: RepairShop,
        tally: FailureTally,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.limits = recovery, failures, limits
        self.outages, self.repairs, self.tally = outages, repairs, tally
        self.faults: dict[int, Bad] = {}
        self.began = 0
        self.begun: Counter[str] = Counter()
        self.node_s: dict[str, float] = {}  # of faults that are over, by effect
        self.changed = False
        timers.handle("degraded", self._due)
        jobs.wrong_since = self.wrong_since
        recovery.saving.found = self.found_by

    # --- begin and end

    def begin(
        self,
        node: int,
        effect: Effect,
        left: float,
        lasts_s: float | None,
        *,
        cause: Cause | None = None,
        repair_s: float = 0.0,
        gpu: int = -1,
        passes: bool = False,
    ) -> int:
        """Let a fault begin; return its number.

        Parameters
        ----------
        node, gpu
            Where; GPU of the node, -1: all of it.
        effect, left
            What it does, and what it leaves of speed [-].
        lasts_s
            Until it is found, or passes [s]; None: somebody has to look for it.
        cause, repair_s
            What it is booked under, and the repair of its node once it is found [s].
        passes
            It goes by itself.
        """
        now, number = self.timers.now_s, self.began
        self.began += 1
        self.begun[self.nodes.plant.nodes.ids[node]] += 1
        bad = Bad(node, effect, left, now, cause.id if cause else "", repair_s, gpu=gpu, passes=passes)
        if cause is not None or repair_s > 0:
            bad.repair_class = cause.repair if cause is not None else "gpu"
        self.faults[number] = bad
        if lasts_s is not None:
            self.timers.set("degraded", number, now + lasts_s)
        impairment, text = bad.impairment, ""
        if impairment is not None:
            text = impairment.begins.format(left=f"{100 * left:.0f} %")
            jobs = self.nodes.jobs_on(node)
            severity = Severity.WARNING if jobs else Severity.NOTICE
            name = f"{cause.id.replace('_', ' ')}: " if cause else ""
            self.log.add(
                now,
                "node_degraded",
                self._subject(bad),
                name + text,
                severity,
                job=jobs[0] if jobs else -1,
                cause=bad.cause,
                effect=effect,
                left=left,
            )
        if bad.what == "cable":
            bad.link = self._link_of(node, number)
        fault = self._network_fault(bad)
        if fault is not None:
            for row in self.outages.begin(fault, None):  # it may narrow, but cuts nobody off
                self.recovery.interrupt(row, cause, text, on=self._subject(bad))
        if bad.what == "clock":
            self._slow()
        self.changed = True
        self.follow()
        return number

    def _subject(self, bad: Bad) -> str:
        return self.nodes.plant.nodes.ids[bad.node] + (f"/{bad.gpu}" if bad.gpu >= 0 else "")

    def _link_of(self, node: int, number: int) -> str:
        """Return one of the node's links by a draw of its own; "": it has none."""
        links = np.flatnonzero(self.outages.cards(node))
        if not len(links):
            return ""
        u = reliability.hash_uniform(self.failures.seed, self.failures.keys[node], "flap", number)
        return link_id(self.nodes.plant, int(links[int(float(u) * len(links))]))

    def _network_fault(self, bad: Bad) -> Intervention | None:
        """Return what a fault does to the fabric; None: nothing, or its node has no links."""
        kind = fault_of(bad.effect, "node")
        if kind is None or bad.what not in ("cable", "cards"):
            return None
        target = bad.link
        if bad.what == "cards" and self.outages.cards(bad.node).any():
            target = self.nodes.plant.nodes.ids[bad.node]
        value = kind.value_text(bad.left)
        return Intervention(at=bad.since_s, kind=kind.id, target=target, value=value) if target else None

    def _slow(self) -> None:
        share = np.ones(len(self.nodes.plant.nodes.ids))
        for bad in self.faults.values():
            if bad.what == "clock":
                share[bad.node] = min(share[bad.node], bad.left)
        self.limits.set_slow(share)

    def end(self, number: int) -> Bad:
        """Let a fault be over; return what it was."""
        bad = self.faults.pop(number)
        self.timers.cancel("degraded", number)
        self.node_s[bad.effect] = self.node_s.get(bad.effect, 0.0) + self.timers.now_s - bad.since_s
        fault = self._network_fault(bad)
        if fault is not None:
            self.outages.end(fault)
        if bad.what == "clock":
            self._slow()
        self.changed = True
        return bad

    def forget(self, node: int) -> None:
        """Let all faults of `node` be over: another one stands in its place."""
        for number in self._of(node):
            self.end(number)

    def _due(self, number: int) -> None:
        bad = self.faults[number]
        impairment = bad.impairment
        if impairment is None:
            self.end(number)
            self.repairs.failed(bad.node, bad.repair_s, bad.repair_class)
        elif bad.passes:
            self.end(number)
            self.log.add(
                self.timers.now_s, "node_sound", self._subject(bad), impairment.ends, effect=bad.effect
            )
        else:
            self.found(bad.node, "operators")

    def redraw(self, t_s: float) -> None:
        """Redraw from `t_s` on when somebody finds each fault that came by itself: nobody has so far."""
        for number, bad in self.faults.items():
            cause = self.failures.known.get(bad.cause)
            if cause is None or cause.found_s is None or bad.impairment is None:
                continue
            key = self.failures.keys[bad.node : bad.node + 1]
            drawn = reliability.unit_exponential(self.failures.seed, key, f"found beyond {t_s!r}", number)
            self.timers.set("degraded", number, t_s + float(drawn[0]) * cause.found_s)

    # --- who looks

    def _of(self, node: int) -> list[int]:
        return [number for number, bad in self.faults.items() if bad.node == node]

    def sick(self) -> list[int]:
        """Return the nodes with a fault, lowest first."""
        return sorted({bad.node for bad in self.faults.values() if bad.impairment is not None})

    def faults_on(self, node: int) -> tuple[Effect, ...]:
        """Return what is wrong with `node` now."""
        return tuple(
            bad.effect for bad in self.faults.values() if bad.node == node and bad.impairment is not None
        )

    def found(self, node: int, how: str) -> None:
        """Let all that is wrong with `node` be found: it goes to repair, and its jobs continue without it.

        Parameters
        ----------
        node
            Its slot.
        how
            Who found it, for people: a health check, a verification, somebody.
        """
        now, over = (
            self.timers.now_s,
            [self.end(n) for n in self._of(node) if self.faults[n].impairment is not None],
        )
        if not over:
            return
        worst = max(over, key=lambda bad: bad.repair_s)
        cause = self.failures.known.get(worst.cause)
        findings = (bad.impairment.finding for bad in over if bad.impairment is not None)
        what = " and ".join(dict.fromkeys(findings))
        away = f"; repair time {units.spoken(worst.repair_s)}" if worst.repair_s else ""
        text = f"detected by {how}: {what}{away}"
        self.log.add(
            now,
            "node_found",
            self._subject(worst),
            text,
            repair=int(worst.repair_s),
            cause=worst.cause,
            effect=worst.effect,
            found_by=how,
            lasts_s=worst.repair_s,
        )
        self.repairs.failed(node, worst.repair_s, worst.repair_class)
        wrong: dict[int, float] = {}
        for bad in over:
            for job, since_s in bad.jobs.items():
                wrong[job] = min(since_s, wrong.get(job, since_s))
        for job, since_s in sorted(wrong.items()):
            self._undo(self.jobs.rows[job], since_s)
        on = self.nodes.plant.nodes.ids[node]
        for job in sorted({*self.nodes.jobs_on(node), *wrong}):
            row = self.jobs.rows[job]
            if row.state in AT_REST:
                continue
            if self.recovery.interrupt(row, cause, f"{on}: {what}", on=on):
                self.tally.interrupted(cause)

    def _undo(self, row: JobRow, since_s: float) -> None:
        """Give up what `row` computed since `since_s`, durable or not."""
        now = self.timers.now_s
        ended = row.state in (*ENDED, JobState.REMOTE)
        lost = 0.0
        if not ended:
            self.jobs.book(row, now)
            before = row.progress
            self.jobs.roll_back(row, not_after_s=since_s)
            lost = before - row.progress
            for bad in self.faults.values():  # what came after that is undone with it
                if bad.jobs.get(row.index, -1.0) >= since_s:
                    del bad.jobs[row.index]
            self.follow()
        text = (
            f"{row.id} finished with corrupted results (corruption began at {units.spoken(since_s)})"
            if ended
            else f"{row.id}: {lost:,.0f} steps discarded (corrupted for {units.spoken(now - since_s)})"
        )
        self.log.add(now, "corruption_found", row.id, text, steps=int(lost), since_s=since_s)

    # --- wrong results

    def follow(self) -> None:
        """Take note which jobs step on a node that computes wrong; asked whenever jobs may have moved."""
        for bad in self.faults.values():
            if bad.what == "results":
                for job in self.nodes.jobs_on(bad.node):
                    bad.jobs.setdefault(job, self.timers.now_s)

    def wrong_since(self, job: int) -> float | None:
        """Return since when the results of `job` are wrong [s]; None: they are right."""
        return min((bad.jobs[job] for bad in self.faults.values() if job in bad.jobs), default=None)

    def found_by(self, job: int, how: str) -> None:
        """Let the nodes that made the results of `job` wrong be found."""
        for node in sorted({bad.node for bad in self.faults.values() if job in bad.jobs}):
            self.found(node, how)

    # --- hangs

    def hang(self, rows: list[JobRow], node: int, cause: Cause, repair_s: float) -> None:
        """Let jobs step no more; their watchdogs notice, then `node` (-1: none) goes to repair."""
        now = self.timers.now_s
        cause = cause.model_copy(update={"detection": "watchdog"})
        going = [row for row in rows if row.state not in STOPPED]
        if node >= 0 and repair_s > 0:
            noticed = [self.recovery.plans[row.index].detection_s(cause) for row in going]
            self.begin(node, HANG.id, 0.0, min(noticed, default=0.0), cause=cause, repair_s=repair_s)
        on = self.nodes.plant.nodes.ids[node] if node >= 0 else ""
        for row in going:
            self.log.add(
                now,
                "hang",
                row.id,
                f"{row.id} hung: no step completed, no error reported",
                on=on,
                cause=cause.id,
            )
            if self.recovery.interrupt(row, cause, "hang", on=on):
                self.tally.interrupted(cause)

    # --- figures

    def hours(self) -> dict[str, float]:
        """Return node-hours with each kind of fault so far [h]."""
        spent = dict(self.node_s)
        for bad in self.faults.values():
            spent[bad.effect] = spent.get(bad.effect, 0.0) + self.timers.now_s - bad.since_s
        return {
            effect: seconds / 3600.0 for effect, seconds in sorted(spent.items()) if impairment_of(effect)
        }

    STATE = Fields(  # limits and fabric restore themselves what faults do to them
        Items("faults", _bad_of, _bad_row, carry=_carried_faults),
        StateField("began"),
        SharedCounts("begun", missing={}),
        StateField("node_s", dict, dict),
    )
