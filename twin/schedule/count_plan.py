"""Promises to jobs of whole nodes: numbers of nodes of interchangeable classes, by time.

Which of them it will be stays open until a job starts.
"""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Ints64
from twin.schedule.profile import NodeProfile
from twin.schedule.queue import YEAR_S, Start
from twin.schedule.rules import MOST_OCCURRENCES, Rules
from twin.schedule.stock import FreeRoom, Stock


class CountPlan:
    """Free nodes from now on, without promised ones.

    Parameters
    ----------
    stock
        The nodes as the decision leaves them; kept up to date by whoever decides.
    """

    def __init__(self, rules: Rules, stock: Stock) -> None:
        self.rules, self.stock, self.now_s = rules, stock, stock.now_s
        self.profile = NodeProfile(self.now_s, stock.free, stock.end_s, rules.node_class, rules.classes)
        self._zones: list[tuple[float, int, Bools]] = []  # from when, to which tenant, which nodes
        horizon_s = float(self.profile.times_s[-1]) + YEAR_S
        if rules.windows:  # steps begin and end where windows do
            every = np.arange(len(rules.windows))
            _, begins_s, ends_s = rules.calendar.occurrences(every, self.now_s, MOST_OCCURRENCES)
            near = begins_s < horizon_s
            turns_s = np.concatenate([begins_s[near], ends_s[near]])
            self.profile.cut_all(np.maximum(turns_s, self.now_s))

    def room(self, job: int, until_s: float) -> FreeRoom | None:
        """Return the nodes that `job` may take until then without delaying a promise; None: too few."""
        stock, whole = self.stock, int(self.rules.requests.whole[job])
        steady = self.profile.steady(until_s)
        if whole and np.maximum(steady, 0).sum() < whole:
            return None
        kept = self._kept(steady)
        return FreeRoom(stock.free if kept is None else stock.free & ~kept, stock.free_gpus)

    def _kept(self, steady: Ints64) -> Bools | None:
        """Return free nodes kept for others when only some of each class may be taken; None: none."""
        rules, free = self.rules, self.stock.free
        mask = np.zeros(len(free), bool)
        if rules.classes == 1:
            if steady[0] >= self.stock.left:
                return None
            mask[free.nonzero()[0][max(0, int(steady[0])) :]] = True
            return mask
        for number in range(rules.classes):
            of_class = np.flatnonzero(free & (rules.node_class == number))
            mask[of_class[max(0, int(steady[number])) :]] = True
        return mask

    def take(self, start: Start, until_s: float) -> None:
        """Give a job its nodes until `until_s` [s]."""
        taken = np.bincount(self.rules.node_class[start.nodes], minlength=self.rules.classes)
        self.profile.take(self.now_s, until_s, taken)

    def full(self, job: int) -> None:
        """Do nothing: the counts show that there is no room."""

    def barred(self, tenant: int, until_s: float) -> list[Bools]:
        """Return the nodes promised to other tenants apart from `tenant` before `until_s` [s]."""
        return [nodes for from_s, owner, nodes in self._zones if from_s < until_s and owner != tenant]

    def could(self, jobs: Ints64) -> Bools:
        """Return the jobs that may fit now beside the promises; the others certainly cannot start."""
        rules, requests, profile = self.rules, self.rules.requests, self.profile
        until_s = self.now_s + np.minimum(requests.estimate_s[jobs], YEAR_S)
        last = np.maximum(1, profile.times_s.searchsorted(until_s)) - 1
        if rules.classes == 1:
            most = np.maximum(np.minimum.accumulate(profile.counts[:, 0]), 0)
            enough: Bools = requests.whole[jobs] <= most[last]
            return enough
        place = requests.place[jobs]
        room = np.zeros(len(jobs), np.int64)
        for number in set(place.tolist()):
            most = np.zeros(len(profile.times_s), np.int64)
            for member in rules.member[number]:
                most = np.maximum(most, np.minimum.accumulate(profile.counts[:, member].sum(axis=1)))
            in_place = place == number
            room[in_place] = most[last[in_place]]
        fits: Bools = requests.whole[jobs] <= room
        return fits

    def promise(self, job: int) -> float:
        """Keep nodes for `job` from the earliest moment on; return that [s], inf if it never comes."""
        rules, requests, profile = self.rules, self.rules.requests, self.profile
        nodes, lasts_s = int(requests.nodes[job]), rules.lasts_s(job)
        shut = self._shut_steps(job)
        viewed = profile
        tenant = int(requests.tenant[job])
        if rules.isolation is not None and rules.isolation.zones:
            viewed = self._seen_by(tenant)
            shut = None if viewed is not profile else shut
        best = (np.inf, np.zeros(rules.classes, np.int64))
        for member in rules.member[requests.place[job]]:
            found = viewed.earliest(nodes, lasts_s, member, shut)
            best = min(best, found, key=lambda option: option[0])
        begin_s, taken = best
        if begin_s < np.inf:
            profile.take(begin_s, begin_s + lasts_s, taken)
            self._promise_zone(tenant, begin_s, nodes, job)
        return begin_s

    def _seen_by(self, tenant: int) -> NodeProfile:
        """Return the profile with nodes free only when their zones are, as one tenant sees them."""
        rules, stock = self.rules, self.stock
        assert rules.isolation is not None
        opens_s = rules.isolation.opens_s(tenant, stock.holder, stock.end_s)
        if opens_s is stock.end_s:
            return self.profile
        free = stock.free & (opens_s <= self.now_s)
        return NodeProfile(self.now_s, free, opens_s, rules.node_class, rules.classes)

    def _promise_zone(self, tenant: int, begin_s: float, nodes: int, job: int) -> None:
        """Keep others out of the zones that a tenant who keeps apart is to have: the first that come free."""
        rules, stock = self.rules, self.stock
        isolation = rules.isolation
        if isolation is None or not any(isolation.level[tenant] == level for level, _ in isolation.zones):
            return
        zone = next(label for level, label in isolation.zones if level == isolation.level[tenant])
        opens_s = isolation.opens_s(tenant, stock.holder, stock.end_s)
        group = rules.places[rules.requests.place[job]][0]
        ready = np.flatnonzero(group & (opens_s <= begin_s))
        first = ready[np.argsort(opens_s[ready], kind="stable")[:nodes]]
        self._zones.append((begin_s, tenant, np.isin(zone, zone[first])))

    def _shut_steps(self, job: int) -> Bools | None:
        """Return the steps and classes in which windows keep `job` out, shape (K, classes); None: they do not."""
        rules, profile = self.rules, self.profile
        numbers, times_s = rules.shut(job), profile.times_s
        if not len(numbers):
            return None
        shut = np.zeros(profile.counts.shape, bool)
        if math.isinf(rules.requests.estimate_s[job]):
            again = np.isfinite(rules.calendar.every_s[numbers])
            shut[:, rules.of_window[numbers[again]].any(axis=0)] = True
            numbers = numbers[~again]
        which, begins_s, ends_s = rules.calendar.occurrences(numbers, self.now_s, MOST_OCCURRENCES)
        near = begins_s <= times_s[-1]
        turns = np.zeros((len(times_s) + 1, len(rules.window_masks)), np.int64)  # begins less ends
        of_mask = rules.mask_of_window[which[near]]
        np.add.at(turns, (times_s.searchsorted(begins_s[near]), of_mask), 1)
        np.add.at(turns, (times_s.searchsorted(ends_s[near]), of_mask), -1)
        inside = turns[:-1].cumsum(axis=0) > 0
        for steps, classes in zip(inside.T, rules.window_masks, strict=True):
            if steps.any():
                shut[np.ix_(steps, classes)] = True
        return shut
