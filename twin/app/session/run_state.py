"""How a run stands at one time: the scene, its hall, a frame of it, and what had happened by then."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.frame import Frame
from twin.scenario import Document
from twin.scenario.schema.faults import Intervention


@dataclass
class RunState:
    """A run at one time.

    Attributes
    ----------
    document
        The scene as edited up to then; None before the first.
    plant
        Its hall.
    frame
        The newest picture of it; None: none has come yet.
    events
        What had happened, in order.
    by_hand
        What people had done to it, in order.
    """

    document: Document | None = None
    plant: Plant | None = None
    frame: Frame | None = None
    events: list[Event] = field(default_factory=list)
    by_hand: list[Intervention] = field(default_factory=list)
