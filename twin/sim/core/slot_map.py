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


def renumber(state: dict[str, Any], numbers: Numbers) -> None:
    """Let everything that names nodes or GPUs by their slots, and has no entry for each, name the new ones."""
    node, every = numbers.node, numbers.all
    for row in state["jobs"]["rows"]:
        for name in ("nodes", "struck"):
            if name in row:
                row[name] = every(row[name])
    state["network"]["seats"] = [
        [job, steps, every(nodes)] for job, steps, nodes in state["network"]["seats"]
    ]
    repairs, health, incidents = state["repairs"], state["health"], state["incidents"]
    repairs["tickets"] = [[node(slot), ticket] for slot, ticket in repairs["tickets"]]
    repairs["queue"], repairs["busy"] = every(repairs["queue"]), every(repairs["busy"])
    repairs["parts"]["waiting"] = [every(queue) for queue in repairs["parts"]["waiting"]]
    lemons = repairs["lemons"]
    lemons["recent"] = [(node(slot), times) for slot, times in lemons["recent"]]
    lemons["out"] = every(lemons["out"])
    health["held"] = [[group, checks, every(nodes)] for group, checks, nodes in health["held"]]
    health["marked"] = [(node(slot), check) for slot, check in health["marked"]]
    health["reported"] = [(check, node(slot)) for check, slot in health["reported"]]
    for _, fault in incidents["degraded"]["faults"]:
        fault["node"] = node(fault["node"])
    strikes = incidents["strikes"]
    strikes["pending"] = [
        (number, (node(follower[0]), *follower[1:])) for number, follower in strikes["pending"]
    ]
    state["oddities"]["acting"] = [
        [key, every(nodes), numbers.gpu(gpu) if gpu >= 0 else gpu, *rest]
        for key, nodes, gpu, *rest in state["oddities"]["acting"]
    ]


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
    """

    kept: dict[str, KeptSlots]
    came: IntP
    gone: IntP
    numbers: Numbers
