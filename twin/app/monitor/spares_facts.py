"""The spare pool in words and figures: how many nodes are in which condition, and which ones. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.plant.tables import Plant
from twin.record.channels import NodeCondition
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.record.frame import Frame
from twin.record.spare_pool import WORDS, spare_pool

ORDER: tuple[NodeCondition, ...] = (
    NodeCondition.IN_USE,
    NodeCondition.SPARE,
    NodeCondition.IDLE,
    NodeCondition.IN_REPAIR,
    NodeCondition.NO_HANDS,
    NodeCondition.NO_PART,
    NodeCondition.BURN_IN,
    NodeCondition.CHECKED,
    NodeCondition.DRAINED,
    NodeCondition.REPLACED,
    NodeCondition.LEMON,
    NodeCondition.CUT_OFF,
    NodeCondition.OFF,
    NodeCondition.UNPOWERED,
    NodeCondition.RECLAIMED,
)
"""Conditions as they are stacked: at work first, those that can work next, then who is away."""
DARK_TINTS: dict[NodeCondition, str] = {
    NodeCondition.IN_USE: "#2b3a52",
    NodeCondition.SPARE: "#3ddc97",
    NodeCondition.IDLE: "#6f7f99",
    NodeCondition.IN_REPAIR: "#ff5470",
    NodeCondition.NO_HANDS: "#ff8a5b",
    NodeCondition.NO_PART: "#ffc857",
    NodeCondition.BURN_IN: "#38d0c8",
    NodeCondition.CHECKED: "#4ea8ff",
    NodeCondition.DRAINED: "#b08cff",
    NodeCondition.REPLACED: "#c9a27c",
    NodeCondition.LEMON: "#d8e04a",
    NodeCondition.CUT_OFF: "#ff7ac6",
    NodeCondition.OFF: "#8b2f45",
    NodeCondition.UNPOWERED: "#5a4a78",
    NodeCondition.RECLAIMED: "#4a6b78",
}
LIGHT_TINTS: dict[NodeCondition, str] = {
    **DARK_TINTS,
    NodeCondition.IN_USE: "#c9d6e8",
    NodeCondition.SPARE: "#159a63",
    NodeCondition.IDLE: "#8a95a8",
    NodeCondition.IN_REPAIR: "#c81e45",
    NodeCondition.NO_HANDS: "#e0682e",
    NodeCondition.NO_PART: "#d99a00",
    NodeCondition.BURN_IN: "#0fa39b",
    NodeCondition.CHECKED: "#2f7fe0",
    NodeCondition.DRAINED: "#7d55dc",
    NodeCondition.LEMON: "#8d9400",
}


@dataclass(frozen=True)
class PoolLine:
    """A node that is not at work: its condition, what happened to it last, and how long ago."""

    id: str
    condition: NodeCondition
    why: str
    since_s: float | None

    @property
    def words(self) -> str:
        """Return its condition as people say it."""
        return WORDS[self.condition]


def counts(frame: Frame) -> dict[NodeCondition, int]:
    """Return how many nodes are in each condition, in the order they are stacked."""
    found = np.bincount(frame.values["node.condition"], minlength=len(NodeCondition))
    return {condition: int(found[condition]) for condition in ORDER}


class LastEvents:
    """What happened last to each node, as the run tells it."""

    def __init__(self) -> None:
        self._of: dict[str, Event] = {}

    def clear(self) -> None:
        """Another run begins."""
        self._of.clear()

    def add(self, events: list[Event], plant: Plant) -> None:
        """Take the next events; those of a GPU count for its node."""
        for event in events:
            if event.subject.count("/") < 2 or kind_of(event.kind).saves:
                continue
            node = event.subject if event.subject in plant.slots else event.subject.rpartition("/")[0]
            if node in plant.slots and plant.slots[node][0] == "node":
                self._of[node] = event

    def of(self, node: str) -> Event | None:
        """Return the last event of a node; None: nothing has happened to it."""
        return self._of.get(node)


def pool_lines(plant: Plant, frame: Frame, last: LastEvents) -> list[PoolLine]:
    """Return the nodes that are not at work: those away first, then spares, then those nobody may use."""
    pool = spare_pool(frame.values["node.condition"])
    ready = (NodeCondition.SPARE, NodeCondition.IDLE)
    order = [*(name for name in pool if name not in ready), *(name for name in ready if name in pool)]
    lines = []
    for condition in order:
        for node in pool[condition].tolist():
            id_ = plant.nodes.ids[node]
            event = last.of(id_) if condition not in ready else None
            why = event.text if event is not None else ""
            lines.append(PoolLine(id_, condition, why, event.t_s if event is not None else None))
    return lines
