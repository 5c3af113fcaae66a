"""What frames show of single GPUs and nodes, as few figures: of groups, and which GPU stands in which group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import Dies, GroupFigures, paint
from twin.record.frame import Arrays

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Detail:
    """Single GPUs and nodes at one time. Arrays are replaced, never changed in place.

    Parameters
    ----------
    groups
        Figures of the groups of GPUs that draw power alike and are cooled alike.
    group, job
        Group and job of each GPU; negative: none.
    state, condition, seat
        `State`, `NodeCondition` and place in its job of each node.
    """

    groups: GroupFigures
    group: Ints
    job: Ints
    state: Ints
    condition: Ints
    seat: Ints

    def show(self, values: Arrays, dies: Dies) -> None:
        """Write every channel of GPUs and nodes into the arrays of a frame."""
        paint(values, self.groups, self.group, dies)
        values["gpu.job"][...] = self.job
        values["gpu.state"][...] = self.state[dies.node]
        values["node.condition"][...] = self.condition
        values["node.seat"][...] = self.seat
