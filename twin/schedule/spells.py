"""Times at which something may begin, in each of many columns, such as nodes with their GPUs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64


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

    column: Ints64
    first_s: Floats
    last_s: Floats

    def among(self, columns: Bools) -> Spells:
        """Return those of some columns."""
        some = columns[self.column]
        return Spells(self.column[some], self.first_s[some], self.last_s[some])

    @property
    def endless(self) -> bool:
        """Whether none of them ends."""
        return bool(np.isinf(self.last_s).all())

    def soonest_s(self, columns: int) -> float:
        """Return when so many columns are in a spell at once, where spells do not end [s]; inf: never."""
        if columns > len(self.first_s):
            return math.inf
        return float(np.partition(self.first_s, columns - 1)[columns - 1])

    def counts(self, times_s: Floats) -> Ints64:
        """Return in how many columns each of `times_s` is in a spell."""
        begun = np.sort(self.first_s).searchsorted(times_s, side="right")
        over: Ints64 = begun - np.sort(self.last_s).searchsorted(times_s, side="left")
        return over

    def since_s(self, t_s: float, columns: int) -> Floats:
        """Return when the spell of each column that holds `t_s` began, shape (columns,) [s]; -inf: there is none."""
        result = np.full(columns, -np.inf)
        holding = (self.first_s <= t_s) & (t_s <= self.last_s)
        result[self.column[holding]] = self.first_s[holding]
        return result

    def together(self, group: Ints64, need: Ints64) -> Spells:
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
        open_spells = np.cumsum(1 - 2 * ends[order])  # every group comes back to none at its last end
        enough = open_spells >= need[which]
        before = np.zeros(len(enough), bool)
        before[1:] = enough[:-1]
        begins, stops = enough & ~before, before & ~enough
        return Spells(which[begins], times_s[begins], times_s[stops])
