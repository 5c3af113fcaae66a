"""The leakiest dies of groups, in front and behind others: looked up again only in groups that slots left or joined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from twin.arrays import Floats, IntP

FEW_SLOTS = 8192
"""Up to so many slots are looked up sooner than those among them that were touched are found."""


class LeakiestDies:
    """Largest spread factors by group."""

    def __init__(self) -> None:
        # Of dies in front, and of those behind others: slots that have some, by the largest, and these.
        self._ranked: list[tuple[IntP, Floats]] = []
        self._known: list[Floats] = []  # the same by group

    @property
    def ranked(self) -> bool:
        """Whether the dies of slots are those that were looked at."""
        return bool(self._ranked)

    def rank(self, front_s: Floats, back_s: Floats) -> None:
        """Take note of the largest spread factors of each slot (S,), in front and behind others; 0: none is there."""
        self._ranked, self._known = [], []
        for most in (front_s, back_s):
            slots = most.nonzero()[0]
            slots = slots[most[slots].argsort(kind="stable")]
            self._ranked.append((slots, most[slots]))

    def forget(self) -> None:
        """Let slots be ranked again: dies of some have gone to others."""
        self._ranked = []

    def of_groups(
        self, slot_group: IntP, size: int, slots: tuple[Floats, Floats], touched: Collection[int] | None
    ) -> list[Floats]:
        """Return the largest of each group, in front and behind others, shapes (G,).

        Parameters
        ----------
        slot_group
            Group of each slot, -1: none.
        size
            Number of groups G.
        slots
            As `rank` has taken them.
        touched
            Groups that slots have left or joined since this was asked; none: any.
        """
        known, self._known = self._known, []
        if touched is None or not known or len(slot_group) <= FEW_SLOTS:
            for ranked, max_s in self._ranked:
                most = np.zeros(size)
                if len(ranked):
                    most[slot_group.take(ranked)] = max_s  # of a group the last stands, its hottest
                self._known.append(most)
            return self._known
        marked = np.zeros(size + 1, bool)  # the last: a slot without a group
        groups = np.fromiter(touched, np.intp, len(touched))
        marked[groups] = True
        members = marked.take(slot_group).nonzero()[0]
        for (ranked, _), before, most_s in zip(self._ranked, known, slots, strict=True):
            most = np.zeros(size)
            most[: len(before)] = before
            if len(ranked):
                most[groups] = 0.0
                np.maximum.at(most, slot_group[members], most_s[members])
            self._known.append(most)
        return self._known
