"""What room there is when: a step function of time for each of many columns, such as nodes with their GPUs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.schedule.queue import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Spells:
    """Times at which something may begin, from the first to the last of each spell; shape (R,).

    Attributes
    ----------
    column
        Of each, in order; those of one column follow each other.
    first_s, last_s
        Both are among them [s]; inf: for ever.
    """

    column: Ints
    first_s: Floats
    last_s: Floats

    def among(self, columns: Bools) -> Spells:
        """Return those of some columns."""
        some = columns[self.column]
        return Spells(self.column[some], self.first_s[some], self.last_s[some])

    def counts(self, times_s: Floats) -> Ints:
        """Return in how many columns each of `times_s` is in a spell."""
        begun = np.sort(self.first_s).searchsorted(times_s, side="right")
        over: Ints = begun - np.sort(self.last_s).searchsorted(times_s, side="left")
        return over

    def since_s(self, t_s: float, columns: int) -> Floats:
        """Return when the spell of each column that holds `t_s` began, shape (columns,) [s]; -inf: there is none."""
        result = np.full(columns, -np.inf)
        there = (self.first_s <= t_s) & (t_s <= self.last_s)
        result[self.column[there]] = self.first_s[there]
        return result

    def together(self, group: Ints, need: Ints) -> Spells:
        """Return when at least `need` columns of each group are in a spell at once; the groups are its columns.

        Parameters
        ----------
        group
            Of each column, rising.
        need
            Of each group.
        """
        which = np.tile(group[self.column], 2)
        times_s = np.concatenate([self.first_s, self.last_s])
        ends = np.repeat([0, 1], len(self.column))
        order = np.lexsort((ends, times_s, which))
        which, times_s = which[order], times_s[order]
        there = np.cumsum(1 - 2 * ends[order])  # every group comes back to none at its last end
        enough = there >= need[which]
        begins = enough & ~np.append(False, enough[:-1])
        stops = np.append(False, enough[:-1]) & ~enough
        return Spells(which[begins], times_s[begins], times_s[stops])


class Timetable:
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

    def __init__(self, now_s: float, room: Ints, column: Ints, from_s: Floats, more: Ints) -> None:
        count = len(room)
        column = np.concatenate([np.arange(count), column])
        times_s = np.concatenate([np.full(count, now_s), from_s])
        order = np.lexsort((times_s, column))
        column, times_s, total = column[order], times_s[order], np.cumsum(np.concatenate([room, more])[order])
        last = np.append((column[1:] != column[:-1]) | (times_s[1:] != times_s[:-1]), True)  # of one moment
        self.column: Ints = column[last]
        self.times_s: Floats = times_s[last]
        total = total[last]
        self.first: Ints = self.column.searchsorted(np.arange(count + 1))
        before = np.append(0, total)[self.first[:-1]]  # what the columns before it add up to
        self.room: Ints = total - before[self.column]

    def take(self, columns: Ints, room: Ints | int, from_s: float, until_s: float) -> None:
        """Give away room of `columns` from `from_s`, not before now, to `until_s` [s]."""
        self._cut(columns, from_s)
        if math.isfinite(until_s):
            self._cut(columns, until_s)
        less = np.zeros(len(self.first) - 1, np.int64)
        less[columns] = room
        self.room -= less[self.column] * ((self.times_s >= from_s) & (self.times_s < until_s))

    def _cut(self, columns: Ints, t_s: float) -> None:
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

    @property
    def _ends_s(self) -> Floats:
        ends_s = np.append(self.times_s[1:], np.inf)
        ends_s[self.first[1:] - 1] = np.inf
        return ends_s

    def least(self, from_s: float, until_s: float) -> Ints:
        """Return the least room of each column from `from_s` until `until_s` [s], shape (C,)."""
        meets = (self.times_s < max(until_s, math.nextafter(from_s, math.inf))) & (self._ends_s > from_s)
        room = np.where(meets, self.room, np.iinfo(np.int64).max)
        least: Ints = np.minimum.reduceat(room, self.first[:-1])
        return least

    def spells(self, need: Ints, lasts_s: float) -> Spells:
        """Return when something may begin that takes `need` of a column, shape (C,), for `lasts_s` [s]."""
        good = self.room >= need[self.column]
        if good.all():
            first = self.first[:-1]
            return Spells(self.column[first], self.times_s[first], np.full(len(first), np.inf))
        steps = np.arange(len(good))
        opens = np.zeros(len(good), bool)
        opens[self.first[:-1]] = True
        opens[1:] |= ~good[:-1]
        begins = (good & opens).nonzero()[0]
        stop = np.append(np.minimum.accumulate(np.where(good, len(good), steps)[::-1])[::-1], len(good))[
            begins
        ]
        within = stop < self.first[self.column[begins] + 1]
        stops_s = np.where(within, np.append(self.times_s, np.inf)[stop], np.inf)
        fits = self.times_s[begins] + lasts_s <= stops_s
        begins = begins[fits]
        first_s = self.times_s[begins]
        return Spells(self.column[begins], first_s, np.maximum(first_s, stops_s[fits] - lasts_s))
