"""Condition of every node as people who look after them see it: at work, spare, waiting for a part, tested, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.record.channels import NodeCondition
from twin.sim.core.nodes import AWAY, CONDITIONS, CUT, DARK, DOWN, DRAINED, FREE, OFF

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts

SHOWN = np.zeros(CONDITIONS, np.uint8)
"""What nodes show that are not free, by their condition."""
SHOWN[[DOWN, DRAINED, OFF, CUT, DARK, AWAY]] = [
    NodeCondition.IN_REPAIR,
    NodeCondition.DRAINED,
    NodeCondition.OFF,
    NodeCondition.CUT_OFF,
    NodeCondition.UNPOWERED,
    NodeCondition.RECLAIMED,
]


def node_conditions(engine: RunParts) -> NDArray[np.uint8]:
    """Return the `NodeCondition` of every node now, shape (N,)."""
    nodes, repairs = engine.nodes, engine.repairs
    shown = np.where(nodes.wanted, np.uint8(NodeCondition.SPARE), np.uint8(NodeCondition.IDLE))
    shown[nodes.held > 0] = NodeCondition.IN_USE
    (unfit,) = nodes.condition.nonzero()
    shown[unfit] = SHOWN[nodes.condition[unfit]]
    shown[nodes.warned & (nodes.condition == DRAINED)] = NodeCondition.RECLAIMED
    checked = nodes.withheld & ~nodes.cordoned
    shown[checked & ((nodes.condition == DRAINED) | (nodes.condition == FREE))] = NodeCondition.CHECKED
    for node in repairs.lemons.out_now:
        if nodes.condition[node] == DRAINED:
            shown[node] = NodeCondition.LEMON
    for node, ticket in repairs.tickets.items():
        shown[node] = ticket.stage
    shown[~nodes.plant.nodes.present] = NodeCondition.ABSENT
    return shown
