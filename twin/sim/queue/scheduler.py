"""Who gets which nodes when: the queue of the run, and what the policies of `twin.schedule` decide of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools
from twin.record.channels import JobState, WaitReason
from twin.record.node_list import node_list
from twin.schedule.queue import Decision
from twin.schedule.trial import Trial
from twin.sim.core.gc_pause import nothing_collected
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.state import ArrayField, Child, Derived, Endless, Fields, Items, StateField, Stateful
from twin.sim.core.timers import LATE, Timers
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.queue.policy_view import QueueSite, Surroundings


class CloudQueue(Protocol):
    """Whoever wants to know that a job waits."""

    def queued(self, index: int) -> None:
        """Take note that a job has entered the queue."""


class QueueScheduler(Stateful):
    """Handles the timers ``submit``, ``schedule`` (look at the queue) and ``reservation`` (one begins or ends).

    Free nodes that the jobs of a place leave over rest as spares while one of them runs. Where jobs may
    pass each other, all ends and submissions of one time are seen before anything is decided.

    Attributes
    ----------
    queue : list of int
        Jobs that wait, those who came first in front.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        plans: list[JobPlan],
        recovery: RecoveryHandler,
    ) -> None:
        self.timers, self.log, self.nodes = timers, log, nodes
        self.jobs, self.plans, self.recovery = jobs, plans, recovery
        self.queue: list[int] = []
        self._waits: set[int] = set()  # the same, to be asked quickly
        self.reasons: dict[int, WaitReason] = {}  # of those in the queue, why they wait where it is known
        self.planned: dict[int, float] = {}  # and when they will start, where that is planned [s]
        self.yielded: dict[int, int] = {}  # who gave way, and to whom
        self.clouds: CloudQueue | None = None  # told who waits, where there are any
        self.allowed: Callable[[int], Bools | None] | None = (
            None  # nodes a job may use beyond its plan's rule
        )
        self.around: Surroundings | None = None  # set once all of the run is there
        self._live: Counter[int] = Counter()  # places of jobs that run here
        self._here: dict[int, int] = {}  # and the place of each of these
        # Of the nodes at the last decision that started nobody, until when nobody is over their time, and free nodes.
        self._version, self._sure_until_s, self._left = -1, math.inf, 0
        self._gone = 0  # of those who ceased to be active, how many are counted
        self._marked: frozenset[int] | None = None  # places whose nodes are marked; None: not known
        recovery.open_to = self.open_to
        timers.handle("submit", self._submit)
        timers.handle("schedule", self._look)
        timers.handle("reservation", self._turn)

    @cached_property
    def site(self) -> QueueSite:
        """Return the run as policies see it, worked out at the first look."""
        assert self.around is not None
        with nothing_collected():
            site = QueueSite(self.around, self.nodes, self.jobs, self.plans)
        site.idle_w = self.around.meter.it_w
        return site

    def renew(self) -> None:
        """Recompute what jobs ask for: their plans have changed."""
        if "site" in self.__dict__:
            self._forget_gone()
            before, self._marked, self._version = self.site, None, -1
            del self.site
            self.site.restore(before.state())
            self._count_live()

    def begin(self) -> None:
        """Set the timers of a run that begins."""
        assert self.around is not None
        for number, reservation in enumerate(self.around.scenario.reservations):
            self.timers.set("reservation", number, reservation.at_s)

    # --- the queue

    def _submit(self, index: int) -> None:
        row, now = self.jobs.rows[index], self.timers.now_s
        if row.state != JobState.QUEUED:  # cancelled before it came
            return
        asked = f"{row.gpus:.2f}" if row.gpus % 1 else f"{row.gpus:.0f}"
        self.log.add(
            now,
            "job_submitted",
            row.id,
            f"asks for {asked} GPUs",
            gpus=math.ceil(row.gpus),
            asked_gpus=row.gpus,
        )
        refusal = self.site.refusal(index)
        if refusal:
            self.jobs.enter(row, now, JobState.KILLED)
            row.outcome, row.end_s = "refused", now
            self.log.add(now, "job_refused", row.id, f"{row.id} {refusal}", why=refusal)
            return
        self._enter(index)
        if not (self._is_settled() and (len(self.queue) > self.site.policy.depth or self._lacks_room(index))):
            self.place()

    def _is_settled(self) -> bool:
        """Return whether looking again would decide of all but who came last what was decided last.

        Jobs in line start in order of coming, so many behind the first who waits are looked at, and none of them can
        start now that could not before: nobody came or went, and no job is over its time.
        """
        policy, rules = self.site.policy, self.site.planner.rules
        return (
            policy.order == "submit"
            and policy.green.power_limit_w is None
            and not (rules.quotas.any or policy.preemption.enabled or self.yielded or self.allowed)
            and self._gone == len(self.jobs.left)
            and self._version == self.nodes.version
            and self.timers.now_s < self._sure_until_s
        )

    def _lacks_room(self, index: int) -> bool:
        """Return whether a job behind others asks for more whole nodes than are free, and would be told no more."""
        policy, requests = self.site.policy, self.site.requests
        explained = (
            policy.backfill == "conservative"
            or policy.green.carbon_limit_kg_j
            or policy.green.price_limit_usd_j
        )
        return len(self.queue) > 1 and not explained and int(requests.whole[index]) > self._left

    def _enter(self, index: int) -> None:
        self.queue.append(index)
        self._waits.add(index)
        self.jobs.rows[index].queued_s = self.site.requests.queued_s[index] = self.timers.now_s
        if self.clouds is not None:
            self.clouds.queued(index)

    def withdraw(self, index: int) -> None:
        """Take a waiting job out of the queue."""
        if index in self._waits:
            self._waits.remove(index)
            self.queue.remove(index)
            self._version = -1
        self.reasons.pop(index, None)
        self.planned.pop(index, None)

    def moved(self, index: int) -> None:
        """Take note that a job may use other nodes from now on."""
        self.renew()
        if index in self._waits:
            self.place()

    def place(self) -> None:
        """Start whoever can, at this moment."""
        returned, self.recovery.returned = self.recovery.returned, []
        for index in returned:
            if self.jobs.rows[index].state == JobState.QUEUED:  # not killed since
                self._enter(index)
        if self.site.policy.prompt:
            self._look(0)
        else:
            self.timers.set("schedule", 0, self.timers.now_s, LATE)

    def _look(self, _: int) -> None:
        now, site = self.timers.now_s, self.site
        self._forget_gone()  # before one of them starts again
        site.planner.shares.advance(now, self._used)
        self.planned, self.reasons = {}, {}
        if self.queue:
            here = site.look(now)
            here.allowed = self.allowed
            in_line = self.queue
            if self.yielded:
                in_line = [job for job in self.queue if job not in self.yielded]
            decision = site.planner.decide(in_line, here)
            self._apply(decision, now)
            if not decision.starts:
                self._version, self._left = self.nodes.version, int(np.count_nonzero(here.free))
                self._sure_until_s = site.first_end_s(here)
            if self._release_yielded(decision.claimant):
                decision.look_again_s = now
            if self.queue and decision.look_again_s < math.inf:
                self.timers.set("schedule", 0, max(decision.look_again_s, now), LATE)
        self._used = site.used()
        self._mark_spares()

    def _apply(self, decision: Decision, now: float) -> None:
        self.planned = {job: s for job, s in decision.planned.items() if s < math.inf}
        self.reasons = {job: WaitReason[why.name] for job, why in decision.reasons.items()}
        for start in decision.starts:
            row = self.jobs.rows[start.job]
            self.queue.remove(start.job)
            self._waits.remove(start.job)
            self.site.began(start.job, now)
            self._lives(start.job)
            self.recovery.start(row, start.nodes.tolist(), start.gpus)
        for job in decision.preempt:
            self.yielded[job] = decision.claimant
            self.recovery.preempt(self.jobs.rows[job], checkpoint=self.site.policy.preemption.checkpoint)
            if self.jobs.rows[job].leaving:
                self.site.leaves(job)

    def _release_yielded(self, claimant: int) -> bool:
        """Let those who gave way start again once that job has had its turn; return whether some may.

        `claimant` is for whom others have been made to give way just now.
        """
        if not self.yielded:
            return False
        rows = self.jobs.rows
        waits = {to for job, to in self.yielded.items() if rows[job].leaving} | {claimant}
        waits = {to for to in waits if to >= 0 and rows[to].state == JobState.QUEUED}
        over = [job for job, to in self.yielded.items() if to not in waits]
        self.yielded = {job: to for job, to in self.yielded.items() if to in waits}
        return any(rows[job].state == JobState.QUEUED for job in over)

    def _turn(self, number: int) -> None:
        """Log that a reservation begins or ends, and look at what it holds up."""
        window, now = self.site.windows[number], self.timers.now_s
        count = int(np.count_nonzero(window.nodes))
        if window.on(now):
            where = node_list(np.flatnonzero(window.nodes))
            text = f"{count} nodes reserved"
            self.log.add(now, "reservation_on", window.id, text, nodes=count, where=where)
        else:
            text = f"{count} nodes released"
            self.log.add(now, "reservation_off", window.id, text, nodes=count)
            self.recovery.node_usable()
        turn_s = window.turn_s(now)
        if turn_s < math.inf:
            self.timers.set("reservation", number, turn_s)
        self.place()

    # --- nodes that stand by

    def open_to(self, index: int) -> Bools | None:
        """Return the nodes a running job may take too, beside what is set aside or kept apart; None: any."""
        rules = self.site.planner.rules
        if not (rules.windows or rules.isolation is not None or self.allowed is not None):
            return None
        now = self.timers.now_s
        here = self.site.look(now)
        here.allowed = self.allowed
        barred = Trial(rules, here).barred(index, self.site.end_s(index, now))
        return None if barred is None else ~barred

    def _mark_spares(self) -> None:
        """Mark the nodes that stand by for a job which runs here: its place has more than its jobs ask for."""
        self._forget_gone()
        live = self.site.leaves_over.intersection(place for place, count in self._live.items() if count > 0)
        if live != self._marked:
            self._marked = live
            wanted = np.zeros(len(self.nodes.job), bool)
            for place in live:
                for group in self.site.masks[place]:
                    wanted |= group
            self.nodes.want(self.timers.now_s, wanted)

    def _forget_gone(self) -> None:
        """Count no more the jobs that came to rest, and let those wait no more that ended in the queue."""
        for index in self.jobs.left[self._gone :]:
            if index in self._here:
                self._live[self._here.pop(index)] -= 1
            if index in self._waits and self.jobs.rows[index].state != JobState.QUEUED:
                self.withdraw(index)
        self._gone = len(self.jobs.left)

    def _lives(self, index: int) -> None:
        place = self._here[index] = int(self.site.requests.place[index])
        self._live[place] += 1

    def _count_live(self) -> None:
        self._live, self._here = Counter(), {}
        for row in self.jobs.active:
            self._lives(row.index)
        self._gone = len(self.jobs.left)

    # --- snapshots

    @cached_property
    def _used(self) -> NDArray[np.float64]:
        """GPUs in the hands of each tenant since the last look."""
        return np.zeros(len(self.site.tenants.share))

    def on_restored(self) -> None:
        """Count who waits and runs; jobs and nodes have been restored before."""
        self._waits = set(self.queue)
        self._marked = None
        self._count_live()

    def _take_settled(self, settled: bool) -> None:
        self._version = self.nodes.version if settled else -1

    STATE = Fields(
        StateField("queue", list, list),
        Items("reasons", WaitReason, int),
        Items("planned", float),
        Items("yielded", int),
        ArrayField("_used", float),
        Derived("settled", lambda part: part._version == part.nodes.version, _take_settled),
        StateField("_left", int),
        Endless("_sure_until_s"),
        Child("site"),
    )
