"""Nodes and GPUs with other slots after an edit: a rack that holds more nodes than ever has all of them at the end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import IntP
from twin.plant.tables import Plant


@dataclass(frozen=True)
class Numbers:
    """New slots of nodes, and of the GPUs in them, by their old ones."""

    nodes: dict[int, int]
    gpu_node: NDArray[np.int32]
    first_before: NDArray[np.int32]
    first_after: NDArray[np.int32]

    @classmethod
    def of(cls, before: Plant, after: Plant, nodes: dict[int, int]) -> Numbers:
        """Return the numbers of the nodes that stay, given by their slots before."""
        return cls(nodes, before.gpus.node, before.nodes.gpu_first, after.nodes.gpu_first)

    def node(self, slot: int) -> int:
        """Return the slot of a node now; of one that is gone the one it had."""
        return self.nodes.get(int(slot), int(slot))

    def gpu(self, slot: int) -> int:
        """Return the slot of a GPU now."""
        node = int(self.gpu_node[slot])
        return int(slot) - int(self.first_before[node]) + int(self.first_after[self.node(node)])

    def all(self, slots: list[int]) -> list[int]:
        """Return the slots of nodes now."""
        return [self.node(slot) for slot in slots]


@dataclass(frozen=True)
class KeptSlots:
    """Slots of things that stay, before and after; they differ for nodes alone.

    A rack that holds more nodes than it ever did has all of them in new slots.
    """

    there: IntP
    here: IntP

    @cached_property
    def number(self) -> dict[int, int]:
        """Return the slot after of each slot before."""
        return dict(zip(self.there.tolist(), self.here.tolist(), strict=True))

    def all_of(self, slots: int) -> bool:
        """Return whether the first `slots` all stay where they are."""
        return len(self.there) == slots and self.unmoved and (not slots or int(self.there[-1]) == slots - 1)

    def column(self, old: list[Any], fresh: list[Any]) -> list[Any]:
        """Return what becomes of an entry for each slot: `old` of those that stay, else `fresh`.

        Of facility loops both end at the last one that carries water, which an edit may change.
        """
        if self.all_of(len(old)) and len(fresh) >= len(old):
            return [*old, *fresh[len(old) :]]
        merged = list(fresh)
        for there, here in self.number.items():
            if there < len(old) and here < len(merged):
                merged[here] = old[there]
        return merged

    def members(self, slots: list[int]) -> list[int]:
        """Return those of some slots that stay."""
        return [self.number[slot] for slot in slots if slot in self.number]

    def rows(self, rows: list[Any]) -> list[Any]:
        """Return those of rows that begin with a slot that stays."""
        return [[self.number[slot], *rest] for slot, *rest in rows if slot in self.number]

    def pairs(self, slots: list[int], values: list[Any]) -> list[list[Any]]:
        """Return those of slots that stay, and the value of each."""
        both = [pair for pair in zip(slots, values, strict=True) if pair[0] in self.number]
        return [[self.number[slot] for slot, _ in both], [value for _, value in both]]

    @cached_property
    def unmoved(self) -> bool:
        """Whether everything that stays has the slot it had."""
        return np.array_equal(self.there, self.here)


@dataclass(frozen=True)
class EditedPair:
    """What stands in the hall before and after an edit, by the name of its table.

    Parameters
    ----------
    kept
        Slots whose thing is there before and after, and is the same.
    came, gone
        Slots of nodes that are there after only, or before only; one that was exchanged is in both.
    numbers
        Slots now of nodes and GPUs.
    at_s
        When it acts [s].
    """

    kept: dict[str, KeptSlots]
    came: IntP
    gone: IntP
    numbers: Numbers
    at_s: float
