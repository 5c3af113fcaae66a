"""Power flow of a radial tree: P_in = a + b P_out + c P_out^2 in each unit, summed from the loads to the roots.

Each item is a group of equal units that share its load, so n of m units give n a + b P + c P^2 / n. Items are solved
level by level, the deepest first: exact, since the input of a stage depends on nothing above it (voltage is held).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats, IntP


def stage_input_w(
    output_w: ArrayLike, units: ArrayLike, a_w: ArrayLike, b: ArrayLike, c_per_w: ArrayLike
) -> Floats:
    """Input of units that share an output evenly: n a + b P + c P^2 / n [W].

    Parameters
    ----------
    output_w : array_like
        Output of all of them together [W].
    units : array_like
        Units n; 0 gives 0 and is legal for no output only.
    a_w, b, c_per_w : array_like
        Coefficients of one unit [W], [-], [1/W].
    """
    n, out = np.asarray(units, dtype=np.float64), np.asarray(output_w, dtype=np.float64)
    a, slope, c = (np.asarray(x, dtype=np.float64) for x in (a_w, b, c_per_w))
    lit = n * a + slope * out + c * out**2 / np.maximum(n, 1.0)
    result: Floats = np.where(n > 0, lit, 0.0)
    return result


def levels_of(*above: NDArray[np.integer]) -> list[IntP]:
    """Return the items of each level, the deepest first.

    Parameters
    ----------
    *above : ndarray of int
        For each item the items that it may hang on, in one or more columns, -1 for none; these come before it.
    """
    count = len(above[0]) if above else 0
    depth = np.zeros(count, np.intp)
    columns = [column.tolist() for column in above]
    for i in range(count):
        over = [column[i] for column in columns if column[i] >= 0]
        depth[i] = 1 + max((int(depth[p]) for p in over), default=-1)
    return [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=-1)), -1, -1)]


def _neighbours(items: IntP) -> IntP | slice:
    """Return items that follow each other as a slice, which is taken sooner: those of a stage mostly do."""
    first, last = (int(items[0]), int(items[-1])) if items.size else (0, -1)
    return slice(first, last + 1) if last - first + 1 == items.size else items


@dataclass(frozen=True)
class TreeLevel:
    """Items of one depth, with coefficients of all their live units together (zero where dead)."""

    items: IntP | slice
    parents: IntP  # that they hang on, each once; the number of items stands for none
    place: IntP  # of the parent of each among them
    a_w: Floats
    b: Floats
    c_per_w: Floats


class PowerTree:
    """A tree as it is switched now.

    Parameters
    ----------
    levels : sequence of ndarray
        As `levels_of` returns them.
    parent : ndarray of int
        What each item hangs on now, -1 for the grid, or for nothing where it carries itself.
    units : ndarray
        Units that are on; 0: the item is dead and takes nothing.
    a_w, b, c_per_w : ndarray
        Coefficients of one unit [W], [-], [1/W].
    buses : ndarray of int, optional
        Items at whose outputs sources may offer something; none: at those of all.

    Attributes
    ----------
    reached : ndarray of int
        Items that another offer reaches: those of the levels of the buses and above.
    """

    def __init__(
        self,
        levels: Sequence[IntP],
        parent: NDArray[np.integer],
        units: NDArray[np.integer],
        a_w: Floats,
        b: Floats,
        c_per_w: Floats,
        buses: IntP | None = None,
    ) -> None:
        self.count = len(parent)
        on = units > 0
        above = np.where(parent >= 0, parent, self.count).astype(np.intp)
        a, slope, c = units * a_w, on * b, on * c_per_w / np.maximum(units, 1)
        self.levels = []
        for i in levels:
            parents, place = np.unique(above[i], return_inverse=True)
            level = TreeLevel(_neighbours(i), parents, place.reshape(-1), a[i], slope[i], c[i])
            self.levels.append(level)
        offered = [buses is None or bool(np.isin(i, buses).any()) for i in levels]
        self._below = (
            offered.index(True) if True in offered else len(levels)
        )  # how many levels no offer reaches
        self.reached: IntP = np.concatenate([np.zeros(0, np.intp), *levels[self._below :]])
        self._known: tuple[Floats, Floats, Floats] | None = None  # loads, and those levels with them

    def solve(
        self, load_w: Floats, offered_w: Floats | None = None, extra_w: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return output, part of it that sources beside the tree give, and input of each item [W].

        Parameters
        ----------
        load_w : ndarray
            Of what hangs on each item besides other items; replaced when it changes, never changed in place [W].
        offered_w : ndarray, optional
            What sources offer at the outputs of buses: never more than is used is taken; inf carries all of it (an
            island); negative: a battery that charges [W].
        extra_w : ndarray, optional
            More input of the items, to charge batteries inside them [W].
        """
        own_w = np.zeros(self.count)
        if extra_w is None:
            out_w, in_w = self._from_below(load_w)
        else:
            out_w, in_w = np.append(load_w, 0.0), np.zeros(self.count)
            self._climb(self.levels[: self._below], out_w, in_w, own_w, None, extra_w)
        self._climb(self.levels[self._below :], out_w, in_w, own_w, offered_w, extra_w)
        return out_w[:-1], own_w, in_w

    def _from_below(self, load_w: Floats) -> tuple[Floats, Floats]:
        """Return outputs and inputs as levels that no offer reaches leave them, worked out once for the same loads."""
        known = self._known
        if known is None or known[0] is not load_w:
            out_w, in_w = np.append(load_w, 0.0), np.zeros(self.count)
            self._climb(self.levels[: self._below], out_w, in_w)
            self._known = known = load_w, out_w, in_w
        return known[1].copy(), known[2].copy()

    @staticmethod
    def _climb(
        levels: Sequence[TreeLevel],
        out_w: Floats,
        in_w: Floats,
        own_w: Floats | None = None,
        offered_w: Floats | None = None,
        extra_w: Floats | None = None,
    ) -> None:
        """Write what the items of some levels take, and add it to the outputs of those that they hang on [W]."""
        for level in levels:
            through = out_w[level.items]
            if offered_w is not None and own_w is not None:
                own_w[level.items] = own = np.minimum(offered_w[level.items], through)
                through = through - own
            taken = level.c_per_w * through
            taken += level.b
            taken *= through
            taken += level.a_w
            if extra_w is not None:
                taken = taken + extra_w[level.items]
            in_w[level.items] = taken
            out_w[level.parents] += np.bincount(level.place, taken, minlength=len(level.parents))
