"""Events of a run: what happened, when, to what."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

WHERE = "where"
"""Key under which run files keep `Event.where` beside the integers of an event."""


class Severity(IntEnum):
    """How much a person should care."""

    INFO = 0
    NOTICE = 1
    WARNING = 2
    ALARM = 3


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Parameters
    ----------
    row
        Running number, from 0.
    t_s
        Simulated time [s].
    kind
        Snake case, such as ``failure``, ``checkpoint_durable``, ``job_resumed``, ``throttle_on``.
    subject
        Id of the thing it happened to (``gpu/3/12/1``, ``llama3``, ``cdu/0``).
    text
        One sentence for people.
    data
        Integer outcomes that enter the event hash with kind, subject and the time in ms.
    where
        Nodes it is about, as `twin.record.node_list` writes them, for pictures; it does not enter the hash.
    """

    row: int
    t_s: float
    kind: str
    subject: str
    severity: Severity
    text: str
    data: dict[str, int] = field(default_factory=dict)
    where: str = ""
