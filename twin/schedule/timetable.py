"""Room over time: a step function for each of many columns, such as nodes with their GPUs.

Steps of all columns are only made once something is promised from later on and somebody else asks when. Until then
room now and its changes suffice: where room only becomes more, the least of it is what there is at first.
"""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.schedule.spells import Spells
from twin.schedule.steps import Steps


class Timetable:
    """Room of each column from now on.

    Parameters
    ----------
    now_s
        Room is asked for from then on [s].
    room
        Of each column now, shape (C,).
    column, from_s, more
        What is added to the room of a column from a later time on, shape (E,).
    """

    def __init__(self, now_s: float, room: Ints64, column: Ints64, from_s: Floats, more: Ints64) -> None:
        self.now_s, self._room = now_s, room.copy()
        self._column, self._from_s, self._more = column, from_s, more
        begun = from_s <= now_s
        if begun.any():
            np.add.at(self._room, column[begun], more[begun])
            self._column, self._from_s, self._more = column[~begun], from_s[~begun], more[~begun]
        self._falls: Bools = np.zeros(len(room), bool)  # columns that may have less room later than now
        self._falls[self._column[self._more < 0]] = True
        self._any_falls = bool(self._falls.any())
        self._steps: Steps | None = None  # of all columns, once they are asked for
        self._moved()

    def _moved(self) -> None:
        """Mark the changes as changed."""
        self._falling: tuple[Ints64, Steps] | None = None
        self._grown: tuple[Ints64, Floats, Ints64] | None = None

    def take(self, columns: Ints64, room: Ints64 | int, from_s: float, until_s: float) -> None:
        """Give away room of `columns` from `from_s`, not before now, to `until_s` [s]."""
        if isinstance(room, int):
            room = np.full(len(columns), room)
        if self._steps is not None:
            self._steps.take(columns, room, from_s, until_s)
            return
        if until_s <= from_s:
            return
        count, more = len(columns), [self._more]
        times_s = [s for s in (from_s, until_s) if self.now_s < s < math.inf]
        if from_s > self.now_s:
            self._falls[columns] = self._any_falls = True
            more.append(-room)
        else:
            self._room[columns] -= room
        if until_s < math.inf:
            more.append(room)
        self._column = np.concatenate([self._column, *[columns] * len(times_s)])
        self._from_s = np.concatenate([self._from_s, np.repeat(times_s, count)])
        self._more = np.concatenate(more)
        self._moved()

    def least(self, from_s: float, until_s: float) -> Ints64:
        """Return the least room of each column from `from_s` until `until_s` [s], shape (C,)."""
        if self._steps is None and self._any_falls and from_s > self.now_s:
            self._make()
        if self._steps is not None:
            return self._steps.least(from_s, until_s)
        least = self._room.copy()
        if from_s > self.now_s:
            begun = (self._from_s <= from_s).nonzero()[0]
            np.add.at(least, self._column[begun], self._more[begun])
        elif self._any_falls:
            columns, steps = self._those_that_fall()
            least[columns] = steps.least(from_s, until_s)
        return least

    def holds_until_s(self, need: Ints64) -> Floats:
        """Return until when each column has `need` of it from now on, shape (C,) [s]; now: it has not."""
        if self._steps is not None:
            return self._steps.holds_until_s(need)
        until_s = np.where(self._room >= need, math.inf, self.now_s)
        if self._any_falls:
            columns, steps = self._those_that_fall()
            until_s[columns] = steps.holds_until_s(need[columns])
        return until_s

    def spells(self, need: Ints64, lasts_s: float) -> Spells:
        """Return when something may begin that takes `need` of a column, shape (C,), for `lasts_s` [s]."""
        if self._steps is None and self._any_falls:
            self._make()
        return self._ready(need) if self._steps is None else self._steps.spells(need, lasts_s)

    def _ready(self, need: Ints64) -> Spells:
        """Return the same where room only becomes more: from some moment on it is there for ever."""
        column, from_s, more = self._growth()
        enough = self._room[column] + more >= need[column]
        column, from_s = column[enough][::-1], from_s[enough][::-1]  # the first of a column stands
        first_s = np.full(len(self._room), math.inf)
        first_s[column] = from_s
        first_s[self._room >= need] = self.now_s
        column = (first_s < math.inf).nonzero()[0]
        return Spells(column, first_s[column], np.full(len(column), math.inf))

    def _growth(self) -> tuple[Ints64, Floats, Ints64]:
        """Return columns, when they change, and how much more room there is then than now; of each in turn."""
        if self._grown is None:
            several = (np.bincount(self._column, minlength=len(self._room)) > 1)[self._column]
            entries = several.nonzero()[0]
            entries = entries[np.lexsort((self._from_s[entries], self._column[entries]))]
            column, more = self._column[entries], self._more[entries]
            total = more.cumsum()
            total -= (total - more)[column.searchsorted(column)]
            single = ~several
            self._grown = (
                np.concatenate([self._column[single], column]),
                np.concatenate([self._from_s[single], self._from_s[entries]]),
                np.concatenate([self._more[single], total]),
            )
        return self._grown

    def _those_that_fall(self) -> tuple[Ints64, Steps]:
        if self._falling is None:
            self._falling = self._falls.nonzero()[0], self._steps_of(self._falls)
        return self._falling

    def _steps_of(self, some: Bools) -> Steps:
        """Return the steps of some columns, which are numbered again."""
        entries = some[self._column].nonzero()[0]
        number = some.cumsum() - 1
        return Steps(
            self.now_s,
            self._room[some],
            number[self._column[entries]],
            self._from_s[entries],
            self._more[entries],
        )

    def _make(self) -> None:
        self._steps = Steps(self.now_s, self._room, self._column, self._from_s, self._more)
