"""Groups of one key: pairs that are joined once they have become alike, found when somebody asks for them."""

from __future__ import annotations

from itertools import compress

import numpy as np

from twin.arrays import Floats, IntP, row_numbers
from twin.physics.thermal_network import Groups, ThermalState, mergeable

STAND_IN = -1
"""Trace of a free slot."""
TOGETHER = 16
"""Groups that are joined at once, where others have yet to become alike."""
ALIKE_K = 0.01
"""Groups whose temperatures agree within this are alike [K]."""


class DoubleGroups:
    """Pairs of groups of one loop, part, trace and limit class: first of its kind, another."""

    def __init__(self) -> None:
        self._pairs: IntP | None = None
        self._listed: list[tuple[int, int]] = []  # the same
        self._apart = (-1, -1)  # a pair that was not alike when all were looked at last

    def forget(self) -> None:
        """Take note that groups are others."""
        self._pairs = None

    def pairs(self, groups: Groups, trace: IntP, limit: IntP) -> IntP:
        """Return the pairs among groups in these traces and limit classes, shape (D, 2)."""
        if self._pairs is None:
            self._pairs = _pairs(groups, trace, limit)
            self._listed = [(first, other) for first, other in self._pairs.tolist()]
        return self._pairs

    def alike(self, state: ThermalState, *, at_once: bool) -> list[tuple[int, int]]:
        """Return which of the pairs found last have become alike: a few of them only when all have, or `at_once`."""
        pairs, listed, chain = self._pairs, self._listed, state.chain
        if pairs is None or not listed:
            return []
        few = len(listed) <= TOGETHER and not at_once
        if few and self._apart in listed and _are_apart(chain, *self._apart):
            return []
        are_alike = mergeable(state, pairs[:, 0], pairs[:, 1], ALIKE_K)
        if np.count_nonzero(are_alike) < min(TOGETHER, len(listed)) and not at_once:
            if few:
                self._apart = listed[int(are_alike.argmin())]
            return []
        return list(compress(listed, are_alike.tolist()))


def _are_apart(chain: Floats, into: int, source: int) -> bool:
    """Return whether two groups are further apart than what is alike, as `mergeable` has it."""
    for (common_c, per_spread), (into_c, into_per) in zip(
        chain[source].tolist(), chain[into].tolist(), strict=True
    ):
        spread_k = per_spread - into_per
        if abs(common_c - into_c + spread_k) + 0.1 * abs(spread_k) > ALIKE_K:
            return True
    return False


def _pairs(groups: Groups, trace: IntP, limit: IntP) -> IntP:
    taken = (trace != STAND_IN).nonzero()[0]
    key = row_numbers(trace + 1, groups.loop, groups.part, limit)[taken]
    order = key.argsort(kind="stable")
    key, taken = key[order], taken[order]
    again = (key[1:] == key[:-1]).nonzero()[0] + 1
    if not again.size:
        return np.zeros((0, 2), np.intp)
    first = np.arange(len(key))
    first[again] = 0
    first = np.maximum.accumulate(first)[again]
    order = taken[again].argsort()
    result: IntP = np.array([taken[first[order]], taken[again[order]]]).T
    return result
