"""One decision under way: what is left of the nodes as jobs are given theirs, and what has been promised to others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import islice

import numpy as np

from twin.scenario.scheduling import Green
from twin.schedule.gates import Quotas, enough_power
from twin.schedule.placement import Placement
from twin.schedule.profile import Profile, believed_s
from twin.schedule.queue import (
    NOBODY,
    PLENTY,
    SEVERAL,
    SLICES,
    YEAR_S,
    Bools,
    Decision,
    Ints,
    Labels,
    Place,
    Requests,
    Site,
    Slots,
    Start,
    Why,
)
from twin.schedule.windows import Window
from twin.schedule.zones import Isolation


class Outcome(Enum):
    """What came of trying to start a job."""

    STARTED = auto()
    FULL = auto()  # no room
    DARK = auto()  # room, but no power
    PASSED = auto()  # over its quota: it waits and hinders nobody


@dataclass(frozen=True)
class Rules:
    """What stays the same from one decision to the next.

    Parameters
    ----------
    node_class, member
        Class of every node, shape (N,), and the classes of each group of each place.
    of_window
        Classes of each window, shape (windows, classes).
    """

    requests: Requests
    places: tuple[Place, ...]
    labels: Labels
    windows: tuple[Window, ...]
    isolation: Isolation | None
    quotas: Quotas
    green: Green
    placement: Placement
    node_class: Ints
    member: tuple[tuple[Bools, ...], ...]
    of_window: Bools
    depth: int

    @cached_property
    def reach(self) -> tuple[Bools, ...]:
        """Nodes of all groups of each place together, shape (N,)."""
        return tuple(np.logical_or.reduce(place) for place in self.places)

    @cached_property
    def classes(self) -> int:
        """How many classes of nodes there are."""
        return int(self.of_window.shape[1])


class Trial:
    """The site as a decision leaves it; `decision` grows with every start."""

    def __init__(self, rules: Rules, site: Site) -> None:
        self.rules, self.site, self.now_s = rules, site, site.now_s
        self.decision = Decision()
        self.free, self.used, self.power_w = site.free.copy(), site.used.copy(), site.power_w
        partial = rules.requests.any_partial
        self.free_gpus = site.free_gpus.copy() if partial else site.free_gpus
        self.slices = site.slices.copy() if site.slices is not None else None
        self.end_s, self.holder = site.end_s.copy(), site.tenant.copy()
        self.profile: Profile | None = None  # from the first job on that has to wait
        self.promised: list[tuple[float, int, Bools]] = []  # from when, to which tenant, which nodes
        self.borrowing: set[int] = set()  # jobs that may go above their tenants' quotas
        self.passed: list[int] = []  # jobs whose tenants filled their quotas in this very decision
        self.dark: int | None = None  # the first that waits for power
        self.over_s = np.inf  # those that start from now on have to end by then
        self.left = int(np.count_nonzero(self.free))

    # --- who may stand where

    def barred(self, job: int, until_s: float | None = None, holder: Ints | None = None) -> Bools | None:
        """Return the nodes that `job` may not use from now on, whoever holds them; None: it may use all.

        It is believed to end at `until_s`, or to begin now. `holder`: if those held the nodes, instead of who does.
        """
        rules, requests = self.rules, self.rules.requests
        tenant = int(requests.tenant[job])
        if until_s is None:
            until_s = self.now_s + float(requests.estimate_s[job])
        masks: list[Bools | None] = [
            window.nodes
            for window in rules.windows
            if not window.lets(job, tenant) and window.meets(self.now_s, until_s)
        ]
        if rules.isolation is not None:
            masks.append(rules.isolation.shut(tenant, self.holder if holder is None else holder))
        masks += [
            mask for from_s, other, mask in self.promised if from_s < until_s and other not in (tenant, -1)
        ]
        if self.site.allowed is not None:
            allowed = self.site.allowed(job)
            masks.append(~allowed if allowed is not None else None)
        found = [mask for mask in masks if mask is not None]
        return np.logical_or.reduce(found) if found else None

    def lasts_s(self, job: int) -> float:
        """Return how long `job` is believed to run, a year if nobody knows [s]."""
        return min(float(self.rules.requests.estimate_s[job]), YEAR_S)

    def room(self, job: int, barred: Bools | None) -> Slots | None:
        """Return the nodes `job` would take now, its shared one last; None: there is no room."""
        rules, requests = self.rules, self.rules.requests
        whole, partial = int(requests.whole[job]), bool(requests.partial[job])
        if whole > self.left:
            return None
        held_back = None
        if self.profile is not None:
            steady = self.profile.steady(self.now_s + self.lasts_s(job))
            if whole and np.maximum(steady, 0).sum() < whole:
                return None
            held_back = self._held_back(steady)
        for group in rules.places[requests.place[job]]:
            fit = group if barred is None else group & ~barred
            mask = self.free & fit
            if held_back is not None:
                mask &= ~held_back
            nodes = mask.nonzero()[0]
            if len(nodes) < whole:
                continue
            if not partial:
                return rules.placement(nodes, whole, rules.labels)
            shared = self._shared(job, fit)
            if shared is None and len(nodes) < whole + 1:
                continue
            count = whole + (shared is None)
            chosen = rules.placement(nodes, count, rules.labels)
            if shared is not None:
                return np.append(chosen, shared)
            return chosen
        return None

    def least_left(self, jobs: Ints) -> Ints:
        """Return the least that any job from each place in the queue on may need, shape (jobs + 1, 3).

        What it needs is as in `Requests.need`.
        """
        need = np.empty((len(jobs) + 1, 3), np.int64)
        need[:-1], need[-1] = self.rules.requests.need[jobs], PLENTY
        least: Ints = np.minimum.accumulate(need[::-1], axis=0)[::-1]
        return least

    def may_hold(self, least: Ints) -> bool:
        """Return whether anything that needs no less could start now; False is certain."""
        alone, beside, rest = least.tolist()
        if self.left >= alone:
            return True
        return self.left >= beside and bool(np.where(self.free, 0, self.free_gpus).max(initial=0) >= rest)

    def _held_back(self, steady: Ints) -> Bools | None:
        """Return free nodes that are kept for others, if only so many of each class may be taken; None: none is."""
        rules = self.rules
        mask = np.zeros(len(self.free), bool)
        if rules.classes == 1:
            if steady[0] >= self.left:
                return None
            mask[self.free.nonzero()[0][max(0, int(steady[0])) :]] = True
            return mask
        for number in range(rules.classes):
            free = np.flatnonzero(self.free & (rules.node_class == number))
            mask[free[max(0, int(steady[number])) :]] = True
        return mask

    def _shared(self, job: int, fit: Bools) -> int | None:
        """Return the node, held in parts already, that `job` fits on tightest; None: there is none."""
        row, until_s = self.rules.requests.rows[job], self.now_s + self.lasts_s(job)
        candidates = fit & ~self.free & (self.end_s < np.inf)
        if row.slices:
            assert self.slices is not None
            cut = np.where((self.slices > 0) & (self.slices < SLICES), self.slices, 0).max(axis=1)
            free = np.where(self.free_gpus > 0, SLICES, 0)
            best = np.where(cut >= row.slices, cut, free)  # a GPU that is cut already before a whole one
            candidates &= best >= row.slices
            tightness = best * (self.free_gpus.max(initial=0) + 1) + self.free_gpus
        else:
            candidates &= self.free_gpus >= row.rest
            tightness = self.free_gpus
        if self.rules.isolation is not None:
            candidates &= self.rules.isolation.shares(job, self.rules.requests, self.holder)
        nodes = candidates.nonzero()[0]
        if len(nodes):
            nodes = nodes[self._may_stay(nodes, until_s)]
        if not len(nodes):
            return None
        return int(nodes[np.argmin(tightness[nodes])])

    def _may_stay(self, nodes: Slots, until_s: float) -> Bools:
        """Return on which nodes a part may be held until then without delaying what waits for them whole."""
        may: Bools = np.ones(len(nodes), bool)
        if self.profile is None or not len(nodes):
            return may
        profile, ends_s = self.profile, believed_s(self.end_s[nodes], self.now_s)
        last = profile.until(until_s)
        later = ends_s < until_s
        lowest = np.minimum.accumulate(profile.counts[:last][::-1], axis=0)[::-1]
        at = np.minimum(np.searchsorted(profile.times_s, ends_s[later]), last - 1)
        may[later] = lowest[at, self.rules.node_class[nodes[later]]] >= 1
        for from_s, tenant, mask in self.promised:
            if tenant == -1 and from_s < until_s:
                may &= ~mask[nodes]
        return may

    # --- starting

    def start(self, job: int) -> Outcome:
        """Start `job` if there is room, power and quota for it."""
        rules, requests = self.rules, self.rules.requests
        bound = rules.quotas.any and job not in self.borrowing
        if bound and not rules.quotas.within(np.array([job]), requests, self.used)[0]:
            self.passed.append(job)
            return Outcome.PASSED  # another of its tenant has just filled the quota
        if self.now_s + self.lasts_s(job) > self.over_s:
            return Outcome.DARK
        nodes = self.room(job, self._barred_if_any(job))
        if nodes is None:
            return Outcome.FULL
        if not enough_power(job, requests, rules.green, self.power_w):
            return Outcome.DARK
        self._take(job, nodes)
        return Outcome.STARTED

    def keep_power(self, job: int) -> None:
        """Let only those start from now on who end before there is power for `job`, which has room but none.

        Nobody starts any more once it has waited for `Green.longest_wait_s`.
        """
        rules, requests = self.rules, self.rules.requests
        self.dark, self.over_s = job, self.now_s
        if self.now_s >= requests.queued_s[job] + rules.green.longest_wait_s:
            return
        ends = [(float(believed_s(held.end_s, self.now_s)), held.job) for held in self.site.holdings()]
        ends += [(self.now_s + self.lasts_s(start.job), start.job) for start in self.decision.starts]
        power_w = self.power_w
        for end_s, other in sorted(ends):
            power_w -= float(requests.power_w[other])
            if enough_power(job, requests, rules.green, power_w):
                self.over_s = self.decision.planned[job] = min(end_s, self.now_s + YEAR_S)
                return

    def _barred_if_any(self, job: int) -> Bools | None:
        rules = self.rules
        if rules.windows or rules.isolation is not None or self.promised or self.site.allowed is not None:
            return self.barred(job)
        return None

    def _take(self, job: int, nodes: Slots) -> None:
        requests, until_s = self.rules.requests, self.now_s + self.lasts_s(job)
        row, tenant = requests.rows[job], int(requests.tenant[job])
        whole = nodes[: int(requests.whole[job])]
        self.decision.starts.append(Start(job, nodes))
        self.used[tenant] += requests.gpus[job]
        self.power_w += float(requests.power_w[job])
        if self.profile is not None:
            now = np.bincount(self.rules.node_class[nodes[self.free[nodes]]], minlength=self.rules.classes)
            self.profile.take(self.now_s, until_s, now)
        self.left -= int(np.count_nonzero(self.free[nodes]))
        if requests.partial[job]:
            self._take_part(int(nodes[-1]), row.rest, row.slices, until_s, tenant)
        self.free[whole] = False
        self.end_s[whole] = until_s
        self.holder[whole] = tenant
        if requests.any_partial:
            self.free_gpus[whole] = 0
            if self.slices is not None:
                self.slices[whole] = 0

    def _take_part(self, node: int, rest: int, slices: int, until_s: float, tenant: int) -> None:
        before_s = float(believed_s(self.end_s[node], self.now_s))
        if self.profile is not None and not self.free[node] and before_s < until_s:
            self.profile.take(before_s, until_s, self._one_of(node))
        if slices:
            assert self.slices is not None
            left = self.slices[node]
            gpu = int(np.argmin(np.where(left >= slices, left, SLICES + 1)))
            left[gpu] -= slices
            self.free_gpus[node] = np.count_nonzero(left == SLICES)
        else:
            self.free_gpus[node] -= rest
            if self.slices is not None:
                self.slices[node, np.flatnonzero(self.slices[node] == SLICES)[:rest]] = 0
        self.free[node] = False
        self.end_s[node] = max(float(self.end_s[node]), until_s)
        self.holder[node] = tenant if self.holder[node] in (NOBODY, tenant) else SEVERAL

    def _one_of(self, node: int) -> Ints:
        """Count one node in its class, shape (classes,)."""
        return np.bincount([self.rules.node_class[node]], minlength=self.rules.classes)

    def why(self, job: int) -> Why:
        """Return why `job` cannot start now."""
        rules, requests = self.rules, self.rules.requests
        nodes, row = int(requests.nodes[job]), requests.rows[job]
        place = rules.reach[row.place]
        barred = self._barred_if_any(job)
        if np.count_nonzero(self.free & place) < nodes:
            return Why.PARTITION if np.count_nonzero(self.free & ~place) >= nodes else Why.NODES
        if not enough_power(job, requests, rules.green, self.power_w):
            return Why.GREEN
        if barred is None or np.count_nonzero(self.free & place & ~barred) >= nodes:
            return Why.NODES  # promised to others, or in groups that are too small
        shut = rules.isolation.shut(row.tenant, self.holder) if rules.isolation is not None else None
        return Why.ISOLATION if shut is not None and (shut & self.free & place).any() else Why.RESERVATION

    # --- planning

    def plan(self) -> Profile:
        """Return the profile, from now on kept up to date by every start."""
        if self.profile is None:
            rules = self.rules
            self.profile = Profile(self.now_s, self.free, self.end_s, rules.node_class, rules.classes)
            horizon_s = float(self.profile.times_s[-1]) + YEAR_S
            turns_s = [
                max(turn_s, self.now_s)
                for window in rules.windows
                for both in islice(window.occurrences(self.now_s, horizon_s), MOST_OCCURRENCES)
                for turn_s in both
            ]
            if turns_s:  # steps begin and end where windows do
                self.profile.cut_all(turns_s)
        return self.profile

    def reserve(self, job: int) -> float:
        """Keep nodes for `job` from the earliest moment on; return that [s], inf if it never comes."""
        rules, requests, profile = self.rules, self.rules.requests, self.plan()
        nodes, lasts_s = int(requests.nodes[job]), self.lasts_s(job)
        shut = self._shut_steps(job)
        viewed = profile
        tenant = int(requests.tenant[job])
        if rules.isolation is not None and rules.isolation.zones:
            viewed = self._seen_by(tenant, profile)
            shut = None if viewed is not profile else shut
        shared = self._part_comes_free(job) if requests.partial[job] and nodes == 1 else None
        best = (np.inf, np.zeros(rules.classes, np.int64))
        for member in rules.member[requests.place[job]]:
            found = viewed.earliest(nodes, lasts_s, member, shut)
            best = min(best, found, key=lambda one: one[0])
        begin_s, taken = best
        if shared is not None and shared[0] < begin_s:
            begin_s, node = shared
            mask = np.zeros(len(self.free), bool)
            mask[node] = True
            self.promised.append((begin_s, -1, mask))
            ends_s = float(believed_s(self.end_s[node], self.now_s))
            if ends_s < begin_s + lasts_s:
                profile.take(ends_s, begin_s + lasts_s, self._one_of(node))
        elif begin_s < np.inf:
            profile.take(begin_s, begin_s + lasts_s, taken)
            self._promise_zone(tenant, begin_s, nodes, job)
        self.decision.planned[job] = begin_s
        return begin_s

    def _seen_by(self, tenant: int, profile: Profile) -> Profile:
        """Return the profile with nodes free only when their zones are, as one tenant sees them."""
        rules = self.rules
        assert rules.isolation is not None
        opens_s = rules.isolation.opens_s(tenant, self.holder, self.end_s)
        if opens_s is self.end_s:
            return profile
        return Profile(
            self.now_s, self.free & (opens_s <= self.now_s), opens_s, rules.node_class, rules.classes
        )

    def _promise_zone(self, tenant: int, begin_s: float, nodes: int, job: int) -> None:
        """Keep others out of the zones that a tenant who keeps apart is to have: the first that come free."""
        rules = self.rules
        isolation = rules.isolation
        if isolation is None or not any(isolation.level[tenant] == level for level, _ in isolation.zones):
            return
        zone = next(label for level, label in isolation.zones if level == isolation.level[tenant])
        opens_s = isolation.opens_s(tenant, self.holder, self.end_s)
        group = rules.places[rules.requests.place[job]][0]
        ready = np.flatnonzero(group & (opens_s <= begin_s))
        mine = ready[np.argsort(opens_s[ready], kind="stable")[:nodes]]
        self.promised.append((begin_s, tenant, np.isin(zone, zone[mine])))

    def _shut_steps(self, job: int) -> Bools | None:
        """Return the steps and classes in which windows keep `job` out, shape (K, classes); None: they do not."""
        rules, profile = self.rules, self.plan()
        tenant, unlimited = int(rules.requests.tenant[job]), math.isinf(rules.requests.estimate_s[job])
        shut: Bools | None = None
        for number, window in enumerate(rules.windows):
            if window.lets(job, tenant):
                continue
            if shut is None:
                shut = np.zeros(profile.counts.shape, bool)
            if unlimited and math.isfinite(window.every_s):
                shut[:, rules.of_window[number]] = True
                continue
            for turn, (begin_s, end_s) in enumerate(window.occurrences(self.now_s, np.inf)):
                if turn >= MOST_OCCURRENCES or begin_s > profile.times_s[-1]:
                    break
                steps = (profile.times_s >= begin_s) & (profile.times_s < end_s)
                shut[np.ix_(steps, rules.of_window[number])] = True
        return shut

    def _part_comes_free(self, job: int) -> tuple[float, int] | None:
        """Return when GPUs of a shared node come free for a job that needs nothing else, and which node's."""
        rules, row = self.rules, self.rules.requests.rows[job]
        if row.slices:  # a GPU's slices come free with the node at the latest
            return None
        barred = self._barred_if_any(job)
        reach = rules.reach[row.place]
        fit = (reach if barred is None else reach & ~barred) & (self.end_s < np.inf)
        free, best = self.free_gpus.copy(), None
        for end_s, node, rest in self._part_ends:
            free[node] += rest
            if fit[node] and free[node] >= row.rest and not self.free[node]:
                best = end_s, node
                break
        return best

    @cached_property
    def _part_ends(self) -> list[tuple[float, int, int]]:
        """When those who share a node end, which node, and how many of its GPUs they have, the earliest first."""
        rows = self.rules.requests.rows
        return sorted(
            (max(held.end_s, self.now_s + 1e-9), int(held.nodes[-1]), rows[held.job].rest)
            for held in self.site.holdings()
            if rows[held.job].rest and len(held.nodes)
        )

    def could(self, jobs: Ints) -> Bools:
        """Return which jobs there may be room for now, beside what is promised; the others certainly cannot start."""
        rules, requests = self.rules, self.rules.requests
        if not len(jobs):
            return np.zeros(0, bool)
        profile = self.plan()
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
            mine = place == number
            room[mine] = most[last[mine]]
        fits: Bools = requests.whole[jobs] <= room
        return fits


MOST_OCCURRENCES = 100
"""Occurrences of one window that are looked ahead: a quarter of daily ones."""
