"""A decision under way: the jobs started, and the promises to others."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

import numpy as np

from twin.arrays import Bools, Ints64
from twin.schedule.count_plan import CountPlan
from twin.schedule.gates import enough_power
from twin.schedule.node_plan import NodePlan
from twin.schedule.profile import believed_s
from twin.schedule.queue import PLENTY, YEAR_S, Decision, SiteView, Start, Why
from twin.schedule.rules import Rules
from twin.schedule.stock import FreeRoom, Stock


class Outcome(Enum):
    """Result of trying to start a job."""

    STARTED = auto()
    FULL = auto()  # no room
    DARK = auto()  # room, but no power
    PASSED = auto()  # over its quota: it waits and hinders nobody


class PromisePlan(Protocol):
    """Promises to waiting jobs, from the first one on."""

    def room(self, job: int, until_s: float) -> FreeRoom | None:
        """Return the room that `job` may take from now until then without delaying promised jobs; None: too little."""

    def take(self, start: Start, until_s: float) -> None:
        """Give a job its nodes until `until_s` [s]."""

    def full(self, job: int) -> None:
        """Remember that `job` does not fit now."""

    def could(self, jobs: Ints64) -> Bools:
        """Return which jobs there may be room for now; the others certainly cannot start."""

    def barred(self, tenant: int, until_s: float) -> list[Bools]:
        """Return nodes that are kept from `tenant` until `until_s` [s], beside what is not in the room."""

    def promise(self, job: int) -> float:
        """Keep room for `job` from the earliest moment on; return that [s], inf if it never comes."""


class Trial:
    """A decision that grows with every start.

    Attributes
    ----------
    stock
        The nodes as the starts so far leave them.
    plan
        What is promised; None: nobody has had to wait yet.
    """

    def __init__(self, rules: Rules, site: SiteView) -> None:
        self.rules, self.site, self.now_s = rules, site, site.now_s
        self.decision = Decision()
        self.stock = Stock(rules.requests, site)
        self.plan: PromisePlan | None = None
        self.borrowing: set[int] = set()  # jobs that may go above their tenants' quotas
        self.passed: list[int] = []  # jobs whose tenants filled their quotas in this very decision
        self.dark: int | None = None  # the first that waits for power
        self.over_s = np.inf  # those that start from now on have to end by then

    # --- who may stand where

    def barred(self, job: int, until_s: float | None = None, holder: Ints64 | None = None) -> Bools | None:
        """Return the nodes that `job` may not use from now on, whoever holds them; None: it may use all.

        It is believed to end at `until_s`, or to begin now. `holder`: if those held the nodes, instead of who does.
        """
        rules, requests = self.rules, self.rules.requests
        tenant = int(requests.tenant[job])
        if until_s is None:
            until_s = self.now_s + float(requests.estimate_s[job])
        masks: list[Bools | None] = []
        if rules.windows:
            shut = rules.shut(job)
            meets = shut[rules.calendar.next_s(self.now_s)[shut] < until_s]
            masks.append(rules.in_windows(meets) if len(meets) else None)
        if rules.isolation is not None:
            masks.append(rules.isolation.shut(tenant, self.stock.holder if holder is None else holder))
        if self.plan is not None:
            masks += self.plan.barred(tenant, until_s)
        if self.site.allowed is not None:
            allowed = self.site.allowed(job)
            masks.append(~allowed if allowed is not None else None)
        found = [mask for mask in masks if mask is not None]
        return np.logical_or.reduce(found) if found else None

    def _room(self, job: int) -> Start | None:
        """Return the room that `job` would take now; None: there is none."""
        rules, requests, stock = self.rules, self.rules.requests, self.stock
        row, whole, partial = requests.rows[job], int(requests.whole[job]), bool(requests.partial[job])
        if whole > stock.left:
            return None
        room = self.plan.room(job, self.now_s + rules.lasts_s(job)) if self.plan is not None else stock.room()
        if room is None:
            return None
        barred = self.barred(job)
        for group in rules.places[row.place]:
            fit = group if barred is None else group & ~barred
            nodes = (room.whole & fit).nonzero()[0]
            if len(nodes) < whole:
                continue
            if not partial:
                return Start(job, rules.placement(nodes, whole, rules.labels))
            if rules.isolation is not None:
                fit = fit & rules.isolation.shares(job, requests, stock.holder)
            shared = room.part(row.rest, row.slices, fit)
            if shared is None and len(nodes) < whole + 1:
                continue
            chosen = rules.placement(nodes, whole + (shared is None), rules.labels)
            if shared is not None:
                chosen = np.concatenate([chosen, (shared,)])
            return Start(job, chosen, room.gpus_of(int(chosen[-1]), row.rest, row.slices))
        return None

    def least_left(self, jobs: Ints64) -> Ints64:
        """Return the least that any job from each place in the queue on may need, shape (jobs + 1, 3).

        What it needs is as in `Requests.need`.
        """
        need = np.empty((len(jobs) + 1, 3), np.int64)
        need[:-1], need[-1] = self.rules.requests.need[jobs], PLENTY
        least: Ints64 = np.minimum.accumulate(need[::-1], axis=0)[::-1]
        return least

    def may_hold(self, least: Ints64) -> bool:
        """Return whether anything that needs no less could start now; False is certain."""
        stock = self.stock
        alone, beside, rest = least.tolist()
        if stock.left >= alone:
            return True
        if stock.left < beside:
            return False
        shared = stock.free_gpus * ~stock.free
        return bool(np.maximum.reduce(shared, initial=0) >= rest)

    def could(self, jobs: Ints64) -> Bools:
        """Return which jobs there may be room for now, beside what is promised; the others certainly cannot start."""
        return self._promises.could(jobs)

    # --- starting

    def start(self, job: int) -> Outcome:
        """Start `job` if there is room, power and quota for it."""
        rules, requests, stock = self.rules, self.rules.requests, self.stock
        bound = rules.quotas.any and job not in self.borrowing
        if bound and not rules.quotas.within(np.array([job]), requests, stock.used)[0]:
            self.passed.append(job)
            return Outcome.PASSED  # another of its tenant has just filled the quota
        until_s = self.now_s + rules.lasts_s(job)
        if until_s > self.over_s:
            return Outcome.DARK
        start = self._room(job)
        if start is None:
            if self.plan is not None:
                self.plan.full(job)
            return Outcome.FULL
        if not enough_power(job, requests, rules.green, stock.power_w):
            return Outcome.DARK
        self.decision.starts.append(start)
        if self.plan is not None:
            self.plan.take(start, until_s)
        stock.take(start, until_s)
        return Outcome.STARTED

    def keep_power(self, job: int) -> None:
        """Let only jobs start that end before there is power for `job`, which has room but no power.

        Nobody starts any more once it has waited for `Green.longest_wait_s`.
        """
        rules, requests = self.rules, self.rules.requests
        self.dark, self.over_s = job, self.now_s
        if self.now_s >= requests.queued_s[job] + rules.green.longest_wait_s:
            return
        ends = [(float(believed_s(held.end_s, self.now_s)), held.job) for held in self.site.holdings()]
        ends += [(self.now_s + rules.lasts_s(start.job), start.job) for start in self.decision.starts]
        power_w = self.stock.power_w
        for end_s, ending_job in sorted(ends):
            power_w -= float(requests.power_w[ending_job])
            if enough_power(job, requests, rules.green, power_w):
                self.over_s = self.decision.planned[job] = min(end_s, self.now_s + YEAR_S)
                return

    # --- those who wait

    def reserve(self, job: int) -> None:
        """Promise `job` room from the earliest moment on."""
        self.decision.planned[job] = self._promises.promise(job)

    @property
    def _promises(self) -> PromisePlan:
        """The plan, from now on kept up to date by every start."""
        if self.plan is None:
            if self.rules.requests.any_partial:
                self.plan = NodePlan(self.rules, self.stock, self.site, self.decision.starts)
            else:
                self.plan = CountPlan(self.rules, self.stock)
        return self.plan

    def why(self, job: int) -> Why:
        """Return why `job` cannot start now."""
        rules, requests, free = self.rules, self.rules.requests, self.stock.free
        nodes, row = int(requests.nodes[job]), requests.rows[job]
        place = rules.reach[row.place]
        barred = self.barred(job)
        if np.count_nonzero(free & place) < nodes:
            return Why.PARTITION if np.count_nonzero(free & ~place) >= nodes else Why.NODES
        if not enough_power(job, requests, rules.green, self.stock.power_w):
            return Why.GREEN
        if barred is None or np.count_nonzero(free & place & ~barred) >= nodes:
            return Why.NODES  # promised to others, or in groups that are too small
        shut = rules.isolation.shut(row.tenant, self.stock.holder) if rules.isolation is not None else None
        return Why.ISOLATION if shut is not None and (shut & free & place).any() else Why.RESERVATION
