"""The spare pool at one time: spare nodes, nodes out of service, and the reason each of those waits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.record.channels import NodeCondition

AWAY = (
    NodeCondition.IN_REPAIR,
    NodeCondition.NO_PART,
    NodeCondition.NO_HANDS,
    NodeCondition.BURN_IN,
    NodeCondition.REPLACED,
    NodeCondition.CHECKED,
    NodeCondition.DRAINED,
    NodeCondition.LEMON,
    NodeCondition.OFF,
    NodeCondition.CUT_OFF,
    NodeCondition.UNPOWERED,
    NodeCondition.RECLAIMED,
)
"""Conditions of nodes that cannot take work, as a list of them is read."""
WORDS: dict[NodeCondition, str] = {
    NodeCondition.IN_USE: tr("in use"),
    NodeCondition.IDLE: tr("idle"),
    NodeCondition.SPARE: tr("spare"),
    NodeCondition.IN_REPAIR: tr("in repair"),
    NodeCondition.NO_PART: tr("awaiting spare part"),
    NodeCondition.NO_HANDS: tr("awaiting technician"),
    NodeCondition.BURN_IN: tr("burn-in"),
    NodeCondition.REPLACED: tr("lemon, being replaced"),
    NodeCondition.CHECKED: tr("health check"),
    NodeCondition.DRAINED: tr("drained"),
    NodeCondition.LEMON: tr("lemon, removed"),
    NodeCondition.OFF: tr("shut down"),
    NodeCondition.CUT_OFF: tr("disconnected"),
    NodeCondition.UNPOWERED: tr("without power"),
    NodeCondition.RECLAIMED: tr("reclaimed"),
}
"""What people call each condition of a node that is there."""


def spare_pool(condition: NDArray[np.uint8]) -> dict[NodeCondition, NDArray[np.intp]]:
    """Return the nodes in each condition but at work and absent: spares, then idle ones, then those out of service.

    Parameters
    ----------
    condition
        Channel ``node.condition`` of a frame, shape (N,).

    Examples
    --------
    >>> pool = spare_pool(np.array([1, 3, 5, 1, 3], np.uint8))
    >>> {WORDS[condition]: nodes.tolist() for condition, nodes in pool.items()}
    {'spare': [1, 4], 'waits for a part': [2]}
    """
    found = {
        name: np.flatnonzero(condition == name) for name in (NodeCondition.SPARE, NodeCondition.IDLE, *AWAY)
    }
    return {name: nodes for name, nodes in found.items() if nodes.size}
