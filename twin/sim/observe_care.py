"""Condition of every node as people who look after them see it: at work, spare, waiting for a part, tested, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.record.channels import NodeCondition
from twin.sim.nodes import CUT, DARK, DOWN, DRAINED, FREE, OFF

if TYPE_CHECKING:
    from twin.sim.engine import Engine

SHOWN = (
    (DOWN, NodeCondition.IN_REPAIR),
    (DRAINED, NodeCondition.DRAINED),
    (OFF, NodeCondition.OFF),
    (CUT, NodeCondition.CUT_OFF),
    (DARK, NodeCondition.UNPOWERED),
)


def node_conditions(engine: Engine) -> NDArray[np.uint8]:
    """Return the `NodeCondition` of every node now, shape (N,)."""
    nodes, repairs = engine.nodes, engine.repairs
    shown = np.where(nodes.wanted, NodeCondition.SPARE, NodeCondition.IDLE)
    shown[nodes.held > 0] = NodeCondition.IN_USE
    for condition, name in SHOWN:
        shown[nodes.condition == condition] = name
    checked = nodes.withheld & ~nodes.cordoned
    shown[checked & ((nodes.condition == DRAINED) | (nodes.condition == FREE))] = NodeCondition.CHECKED
    for node in repairs.lemons.out_now:
        if nodes.condition[node] == DRAINED:
            shown[node] = NodeCondition.LEMON
    for node, ticket in repairs.tickets.items():
        shown[node] = ticket.stage
    shown[~nodes.plant.nodes.present] = NodeCondition.ABSENT
    return shown.astype(np.uint8)
