"""Room over time in steps, for each of many columns, to be taken from."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.schedule.queue import PLENTY
from twin.schedule.spells import Spells

FEW = 8
"""Columns up to which it is faster to take room one by one."""


class Steps:
    """Room of each column from now on; the last step of each never ends.

    Parameters
    ----------
    now_s
        The first step of every column begins now [s].
    room
        Of each column now, shape (C,).
    column, from_s, more
        What is added to the room of a column from a later time on, shape (E,).
    """

    def __init__(self, now_s: float, room: Ints64, column: Ints64, from_s: Floats, more: Ints64) -> None:
        count = len(room)
        order = np.lexsort((from_s, column))
        changes = np.bincount(column, minlength=count)
        self.first: Ints64 = np.zeros(count + 1, np.int64)
        (changes + 1).cumsum(out=self.first[1:])
        begins = self.first[:-1]
        at = column[order] + np.arange(
            1, len(column) + 1
        )  # behind the first step of each column up to its own
        self.now_s, self.column = now_s, np.arange(count).repeat(changes + 1)
        self.times_s: Floats = np.full(len(self.column), now_s)
        self.times_s[at] = from_s[order]
        total = np.empty(len(self.column), np.int64)
        total[begins], total[at] = room, more[order]
        total.cumsum(out=total)
        self.room: Ints64 = total - (total[begins] - room).repeat(changes + 1)
        self._join()
        self._falls: Bools = np.zeros(count, bool)  # columns that may have less room later than now
        self._falls[column[more < 0]] = True
        self._moved()

    def _join(self) -> None:
        """Merge the steps of one moment into the last of them."""
        column, times_s = self.column, self.times_s
        last = np.ones(len(column), bool)
        last[:-1] = (times_s[1:] != times_s[:-1]) | (column[1:] != column[:-1])
        if not last.all():
            self.column, self.times_s, self.room = column[last], times_s[last], self.room[last]
            self.first = self.column.searchsorted(np.arange(len(self.first)))

    def _moved(self) -> None:
        """Mark the steps as changed."""
        self._ends_s: Floats | None = None
        self._falling: tuple[Ints64, Ints64, Ints64] | None = None

    def take(self, columns: Ints64, room: Ints64, from_s: float, until_s: float) -> None:
        """Give away room of `columns` from `from_s`, not before now, to `until_s` [s]."""
        self._moved()
        if from_s > self.now_s:
            self._falls[columns] = True
        if len(columns) <= FEW:
            self._take_few(sorted(zip(columns.tolist(), room.tolist(), strict=True)), from_s, until_s)
            return
        self._cut(columns, from_s)
        if math.isfinite(until_s):
            self._cut(columns, until_s)
        given = np.zeros(len(self.first) - 1, np.int64)
        given[columns] = room
        self.room -= given[self.column] * ((self.times_s >= from_s) & (self.times_s < until_s))

    def _take_few(self, room: list[tuple[int, int]], from_s: float, until_s: float) -> None:
        """Do the same with columns and the room of each that is given away, in order, one by one."""
        after, new_s, spans = list[int](), list[float](), list[tuple[int, int, int]]()
        # Steps that others follow, when those begin, and the steps that lose room.
        for column, less in room:
            low, high = self.first[column : column + 2].tolist()
            begin, end = (low + self.times_s[low:high].searchsorted((from_s, until_s))).tolist()
            first = begin + len(after)
            if begin == high or self.times_s[begin] != from_s:
                after.append(begin - 1)
                new_s.append(from_s)
            last = end + len(after)
            if math.isfinite(until_s) and (end == high or self.times_s[end] != until_s):
                after.append(end - 1)
                new_s.append(until_s)
            spans.append((first, last, less))
        if after:
            kept = np.concatenate([np.arange(len(self.room)), after])
            kept.sort()
            for column in self.column[after].tolist():
                self.first[column + 1 :] += 1
            self.times_s, self.room, self.column = self.times_s[kept], self.room[kept], self.column[kept]
            for before, (step, new) in enumerate(zip(after, new_s, strict=True), 1):
                self.times_s[step + before] = new
        for first, last, less in spans:
            self.room[first:last] -= less

    def _cut(self, columns: Ints64, t_s: float) -> None:
        """Let a step of each of `columns` begin at `t_s`."""
        begun = np.add.reduceat(self.times_s <= t_s, self.first[:-1], dtype=np.int64)
        step = np.sort((self.first[:-1] + begun)[columns]) - 1  # that holds it, in each
        step = step[self.times_s[step] != t_s]
        if not len(step):
            return
        times = np.ones(len(self.room), np.int64)
        times[step] = 2
        kept = np.arange(len(self.room)).repeat(times)
        column = self.column[step]
        self.times_s, self.room, self.column = self.times_s[kept], self.room[kept], self.column[kept]
        self.times_s[step + np.arange(1, len(step) + 1)] = t_s
        self.first[1:] += np.bincount(column, minlength=len(self.first) - 1).cumsum()

    def least(self, from_s: float, until_s: float) -> Ints64:
        """Return the least room of each column from `from_s` until `until_s` [s], shape (C,)."""
        before_s = max(until_s, math.nextafter(from_s, math.inf))
        if from_s <= self.now_s:
            return self._least_from_now(before_s)
        if self._ends_s is None:
            self._ends_s = np.full(len(self.times_s), np.inf)
            self._ends_s[:-1] = self.times_s[1:]
            self._ends_s[self.first[1:] - 1] = np.inf
        meets = (self.times_s < before_s) & (self._ends_s > from_s)
        least: Ints64 = np.minimum.reduceat(np.where(meets, self.room, PLENTY), self.first[:-1])
        return least

    def _least_from_now(self, before_s: float) -> Ints64:
        """Return the same from now on: where room only becomes more it is what there is now."""
        least: Ints64 = self.room[self.first[:-1]]
        if self._falling is None:
            columns, steps = self._falls.nonzero()[0], self._falls[self.column].nonzero()[0]
            lengths = self.first[columns + 1] - self.first[columns]
            self._falling = columns, steps, lengths.cumsum() - lengths
        columns, steps, begins = self._falling
        if len(columns):
            room = np.where(self.times_s[steps] < before_s, self.room[steps], PLENTY)
            least[columns] = np.minimum.reduceat(room, begins)
        return least

    def holds_until_s(self, need: Ints64) -> Floats:
        """Return until when each column has `need` of it from now on, shape (C,) [s]; now: it has not."""
        lacks_s = np.where(self.room < need[self.column], self.times_s, np.inf)
        until_s: Floats = np.minimum.reduceat(lacks_s, self.first[:-1])
        return until_s

    def spells(self, need: Ints64, lasts_s: float) -> Spells:
        """Return when something may begin that takes `need` of a column, shape (C,), for `lasts_s` [s]."""
        good = self.room >= need[self.column]
        if good.all():
            first = self.first[:-1]
            return Spells(self.column[first], self.times_s[first], np.full(len(first), np.inf))
        opens = good.copy()
        opens[1:] &= ~good[:-1]
        opens[self.first[:-1]] |= good[self.first[:-1]]
        begins, bad = opens.nonzero()[0], (~good).nonzero()[0]
        following = bad.searchsorted(begins)
        stops_s = np.full(len(begins), np.inf)
        some = (following < len(bad)).nonzero()[0]
        stop = bad[following[some]]
        within = stop < self.first[self.column[begins[some]] + 1]
        stops_s[some[within]] = self.times_s[stop[within]]
        fits = self.times_s[begins] + lasts_s <= stops_s
        begins = begins[fits]
        first_s = self.times_s[begins]
        return Spells(self.column[begins], first_s, np.maximum(first_s, stops_s[fits] - lasts_s))
