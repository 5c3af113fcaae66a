"""Promises where jobs share nodes: GPUs of nodes, by time.

GPUs of a node are interchangeable and are counted; where a job asks for slices, GPUs are named too and slices are
counted. A promise goes where it can begin first: a part of a node to the one with least room that holds it for the
whole time, whole nodes to those that come free last, so that the others serve those who start now.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.schedule.first_promise import FirstPromise
from twin.schedule.profile import believed_s
from twin.schedule.queue import SLICES, YEAR_S, SiteView, Start
from twin.schedule.rules import MOST_OCCURRENCES, Rules
from twin.schedule.spells import Spells
from twin.schedule.stock import FreeRoom, Stock
from twin.schedule.timetable import Timetable

SHUT = 1_000
"""More room than a node or GPU has: taken away where nobody, or not this tenant, may stand [GPUs or slices]."""
_NO_WINDOW = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Taken:
    """GPUs of a job over time: it starts now, or has a promise."""

    start: Start
    from_s: float
    until_s: float


@dataclass(frozen=True)
class _Seen:
    """The timetable as some jobs see it: those of a tenant, or of all, that the same windows keep out."""

    tenant: int
    table: Timetable


class NodePlan:
    """Room on every node from now on, without promised room.

    Parameters
    ----------
    stock
        The nodes as the decision leaves them; kept up to date by whoever decides.
    site
        The nodes before it.
    starts
        What the decision has started so far.
    """

    def __init__(self, rules: Rules, stock: Stock, site: SiteView, starts: list[Start]) -> None:
        self.rules, self.stock, self.site, self.now_s = rules, stock, site, stock.now_s
        self._most = np.maximum(site.gpus, 1)  # a node without GPUs counts as one of one
        self._width = site.slices.shape[1] if site.slices is not None else 0
        self._seen: dict[tuple[int, bytes, bytes], _Seen] = {}
        until_s = [self.now_s + rules.lasts_s(start.job) for start in starts]
        self._taken = [Taken(start, self.now_s, s) for start, s in zip(starts, until_s, strict=True)]
        self._full_s = np.full(rules.kinds, np.inf)
        """Jobs of each kind that last so long have found no room [s]."""
        # Until a second promise, or one of a part of a node, this tells all that timetables would.
        self._first = FirstPromise(stock, site, self._most) if self._alike and not self._width else None

    # --- what starts now

    def room(self, job: int, until_s: float) -> FreeRoom | None:
        """Return the room that `job` may take until then without delaying a promise; None: too little."""
        kind, lasts_s = self.rules.kind[job], until_s - self.now_s
        if lasts_s >= self._full_s[kind]:
            return None
        if self._first is not None:
            return self._first.room(until_s)
        return self._room(self._table(job), self.now_s, until_s)

    def full(self, job: int) -> None:
        """Remember that `job` does not fit now, nor any job of its kind that lasts as long."""
        if self.site.allowed is None:
            kind = self.rules.kind[job]
            self._full_s[kind] = min(self._full_s[kind], self.rules.lasts_s(job))

    def take(self, start: Start, until_s: float) -> None:
        """Give a job its nodes until `until_s` [s]."""
        self._take(Taken(start, self.now_s, until_s))

    def barred(self, tenant: int, until_s: float) -> list[Bools]:
        """Return nothing: the room already leaves out the promises."""
        return []

    def could(self, jobs: Ints64) -> Bools:
        """Return the jobs that may fit now beside the promises; the others certainly cannot start."""
        requests, free_gpus = self.rules.requests, self.stock.free_gpus
        whole = requests.whole[jobs]
        fits = whole <= self.stock.left
        fits &= requests.rest[jobs] <= (free_gpus[free_gpus.argmax()] if free_gpus.size else 0)
        lasts_s = np.minimum(requests.estimate_s[jobs], YEAR_S)
        result: Bools = fits & (lasts_s < self._full_s[self.rules.kind[jobs]])
        if self._alike and np.count_nonzero(result):
            result &= whole <= self._whole_until(int(jobs[0]), self.now_s + lasts_s)
        return result

    @property
    def _alike(self) -> bool:
        """Whether all jobs see the same timetable, and room alone decides who starts."""
        rules = self.rules
        return not (rules.windows or rules.quotas.any) and rules.isolation is None

    def _whole_until(self, job: int, until_s: Floats) -> Ints64:
        """Return how many nodes are free as a whole from now until each of these times [s], as `job` sees it."""
        if self._first is not None:
            return self._first.whole_until(until_s)
        table = self._table(job)
        if self._width:
            of_gpu_s = table.holds_until_s(SLICES * self._gpus_present().ravel()).reshape(-1, self._width)
            holds_s = np.sort(of_gpu_s.min(axis=1))
        else:
            holds_s = np.sort(table.holds_until_s(self._most))
        count: Ints64 = len(holds_s) - holds_s.searchsorted(until_s)
        return count

    # --- what is promised

    def promise(self, job: int) -> float:
        """Keep GPUs for `job` from the earliest moment on; return that [s], inf if it never comes."""
        rules, requests = self.rules, self.rules.requests
        row, whole, partial = requests.rows[job], int(requests.whole[job]), bool(requests.partial[job])
        allowed = self.site.allowed(job) if self.site.allowed is not None else None
        groups = [group if allowed is None else group & allowed for group in rules.places[row.place]]
        lasts_s = rules.lasts_s(job)
        if self._first is not None and not partial and math.isinf(self._first.from_s):
            taken = self._first.keep(whole, groups)
            begin_s = self._first.from_s
            if len(taken):
                self._take(Taken(Start(job, taken), begin_s, begin_s + lasts_s))
            return begin_s
        self._first, table = None, self._table(job)
        nodes = self._spells(table, self._most, 0, lasts_s) if whole else None
        parts = (
            self._spells(table, np.full_like(self._most, row.rest), row.slices, lasts_s) if partial else None
        )
        begin_s, chosen = np.inf, np.zeros(len(self._most), bool)
        for usable in groups:
            first_s = _first_s(nodes, parts, whole, usable)
            if first_s < begin_s:
                begin_s, chosen = first_s, usable
        if math.isinf(begin_s):
            return begin_s
        room = self._room(table, begin_s, begin_s + lasts_s)
        shared = room.part(row.rest, row.slices, chosen) if partial else None
        count = whole + (partial and shared is None)
        taken = np.zeros(0, np.intp)
        if count:
            free = (room.whole & chosen).nonzero()[0]
            if nodes is not None:
                free = free[np.argsort(-nodes.since_s(begin_s, len(self._most))[free], kind="stable")]
            taken = np.sort(free[:count])
        if shared is not None:
            taken = np.concatenate([taken, (shared,)])
        gpus = room.gpus_of(int(taken[-1]), row.rest, row.slices)
        self._take(Taken(Start(job, taken, gpus), begin_s, begin_s + lasts_s))
        return begin_s

    def _spells(self, table: Timetable, gpus: Ints64, slices: int, lasts_s: float) -> Spells:
        """Return when so many GPUs of a node, or slices of one of its GPUs, are there for `lasts_s` [s]."""
        if not self._width:
            return table.spells(gpus, lasts_s)
        of_gpu = table.spells(np.full(len(self._node), slices or SLICES), lasts_s)
        return of_gpu.together(self._node, np.ones_like(gpus) if slices else gpus)

    def _room(self, table: Timetable, from_s: float, until_s: float) -> FreeRoom:
        least = np.maximum(table.least(from_s, until_s), 0)
        if not self._width:
            return FreeRoom(least >= self._most, least)
        slices = least.reshape(-1, self._width)
        gpus = np.count_nonzero(slices == SLICES, axis=1)
        return FreeRoom(gpus >= self._most, gpus, slices)

    # --- timetables

    def _table(self, job: int) -> Timetable:
        """Return the timetable as `job` sees it."""
        rules, tenant, lasts_s = self.rules, int(self.rules.requests.tenant[job]), self.rules.lasts_s(job)
        shut, long = _NO_WINDOW, np.zeros(0, bool)
        if rules.windows:
            shut, calendar = rules.shut(job), rules.calendar
            long = lasts_s > (calendar.every_s - calendar.duration_s)[shut]
        key = (tenant if rules.isolation is not None else -1, shut.tobytes(), long.tobytes())
        if key not in self._seen:
            self._seen[key] = seen = _Seen(tenant, self._drawn(tenant, shut, long))
            for taken in self._taken:
                self._enter(seen, taken)
        return self._seen[key].table

    def _drawn(self, tenant: int, shut: Ints64, long: Bools) -> Timetable:
        """Return the timetable of the site before the decision.

        Parameters
        ----------
        shut, long
            Numbers of windows that keep a job out, and of which of those it is too long to stand between.
        """
        site, width = self.site, max(1, self._width)
        parts = site.parts()
        sound = site.end_s[parts.node] < np.inf
        part_node, part_gpu, part_slices, part_end_s = (
            column[sound] for column in (parts.node, parts.gpu, parts.slices, parts.end_s)
        )
        in_parts = np.zeros(len(site.free), bool)
        in_parts[parts.node] = True
        held = (~site.free & ~in_parts & (site.end_s < np.inf)).nonzero()[0]
        held_end_s = believed_s(site.end_s[held], self.now_s)
        part_end_s = believed_s(part_end_s, self.now_s)
        room, column, times_s, more = self._now(), [], [], []
        if self._width:
            gpus = self._columns(held)
            column += [gpus, part_node * width + part_gpu]
            times_s += [held_end_s[np.searchsorted(held, self._node[gpus])], part_end_s]
            more += [np.full(len(gpus), SLICES), part_slices]
        else:
            column += [held, part_node]
            times_s += [held_end_s, part_end_s]
            more += [self._most[held], np.ones(len(part_node), np.int64)]
        for nodes, from_s, until_s in [*self._windows(shut, long), *self._apart(tenant)]:
            columns = self._columns(nodes)
            column.append(columns)
            times_s.append(np.full(len(columns), max(from_s, self.now_s)))
            more.append(np.full(len(columns), -SHUT))
            if math.isfinite(until_s):
                column.append(columns)
                times_s.append(np.full(len(columns), until_s))
                more.append(np.full(len(columns), SHUT))
        return Timetable(
            self.now_s, room, np.concatenate(column), np.concatenate(times_s), np.concatenate(more)
        )

    def _now(self) -> Ints64:
        """Return the room of each column before the decision."""
        site = self.site
        if site.slices is None:
            return np.where(site.free, self._most, site.free_gpus)
        return (
            np.where(site.free[:, None] & self._gpus_present(), SLICES, site.slices)
            .astype(np.int64)
            .reshape(-1)
        )

    @cached_property
    def _node(self) -> Ints64:
        """Node of each column."""
        return np.arange(len(self._most)).repeat(max(1, self._width))

    def _gpus_present(self) -> Bools:
        """Return which GPUs each node has, shape (N, GPUs of the largest node)."""
        present: Bools = np.arange(self._width) < self._most[:, None]
        return present

    def _columns(self, nodes: Ints64) -> Ints64:
        """Return the columns of all of `nodes`, in their order."""
        if not self._width:
            return nodes
        gpus = np.arange(self._width)
        columns: Ints64 = (nodes[:, None] * self._width + gpus)[gpus < self._most[nodes, None]]
        return columns

    def _windows(self, shut: Ints64, long: Bools) -> Iterator[tuple[Ints64, float, float]]:
        """Yield nodes that windows keep a job out of, from when to when."""
        rules = self.rules
        for numbers, most in ((shut[~long], MOST_OCCURRENCES), (shut[long], 1)):
            if len(numbers):
                found = rules.calendar.occurrences(numbers, self.now_s, most)
                for number, begin_s, end_s in zip(*(figures.tolist() for figures in found), strict=True):
                    yield rules.window_nodes[number], begin_s, math.inf if most == 1 else end_s

    def _apart(self, tenant: int) -> Iterator[tuple[Ints64, float, float]]:
        """Yield nodes that `tenant` may not use because of who holds them or their zone, from now to when."""
        isolation, site = self.rules.isolation, self.site
        if isolation is None:
            return
        parts = site.parts()
        in_parts = np.zeros(len(site.free), bool)
        in_parts[parts.node] = True
        held = (~site.free & ~in_parts & (site.tenant >= 0)).nonzero()[0]
        nodes = np.concatenate([held, parts.node])
        holders = np.concatenate([site.tenant[held], parts.tenant])
        ends_s = believed_s(np.concatenate([site.end_s[held], parts.end_s]), self.now_s)
        for zone, closed in isolation.closed(tenant, nodes, holders):
            last_s = np.full(int(zone.max(initial=0)) + 1, -np.inf)
            np.maximum.at(last_s, zone[nodes[closed]], ends_s[closed])
            until_s: Floats = last_s[zone]
            for end_s in np.unique(until_s[until_s > self.now_s]).tolist():
                yield (until_s == end_s).nonzero()[0], self.now_s, end_s

    def _take(self, taken: Taken) -> None:
        self._taken.append(taken)
        for seen in self._seen.values():
            self._enter(seen, taken)

    def _enter(self, seen: _Seen, taken: Taken) -> None:
        """Enter the GPUs of a job into a timetable."""
        requests, isolation = self.rules.requests, self.rules.isolation
        job, nodes = taken.start.job, taken.start.nodes
        row, count = requests.rows[job], int(requests.whole[job])
        columns = self._columns(nodes[:count])
        room = np.full(len(columns), SLICES) if self._width else self._most[columns]
        if requests.partial[job]:
            last, gpus = int(nodes[-1]), taken.start.gpus
            parts = [last * self._width + gpu for gpu in gpus] if self._width else [last]
            columns = np.concatenate([columns, parts]) if count else np.array(parts, np.int64)
            each = [row.slices or SLICES if self._width else row.rest] * len(parts)
            room = np.concatenate([room, each]) if count else np.array(each, np.int64)
        seen.table.take(columns, room, taken.from_s, taken.until_s)
        if isolation is not None:
            holders = np.full(len(nodes), row.tenant)
            for zone, closed in isolation.closed(seen.tenant, nodes, holders):
                apart = np.isin(zone, zone[nodes[closed]]).nonzero()[0]
                seen.table.take(self._columns(apart), SHUT, taken.from_s, taken.until_s)


def _first_s(nodes: Spells | None, parts: Spells | None, whole: int, usable: Bools) -> float:
    """Return when so many whole nodes, and a part of another where one is asked for, can be taken first [s]."""
    both = [spells.among(usable) for spells in (nodes, parts) if spells is not None]
    if nodes is None:
        return float(np.minimum.reduce(both[0].first_s, initial=math.inf))
    if all(spells.endless for spells in both):
        return max(spells.soonest_s(whole + beside) for beside, spells in enumerate(both))
    times_s = np.sort(np.concatenate([spells.first_s for spells in both]))
    enough = both[0].counts(times_s) >= whole
    if parts is not None:  # a node that is free as a whole has room for a part
        enough &= both[1].counts(times_s) > whole
    found = enough.nonzero()[0]
    return float(times_s[found[0]]) if len(found) else math.inf
