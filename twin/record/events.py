"""Events of a run: kind, time and subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from twin.language import tr

Value = int | float | str
"""A figure, in the unit its name ends with, or an id."""

WHERE = "where"
"""Key under which run files keep `Event.where` beside the values of an event."""


class Severity(IntEnum):
    """Severity of an event."""

    INFO = 0
    NOTICE = 1
    WARNING = 2
    ALARM = 3

    @property
    def words(self) -> str:
        """Return how bad it is, in one word."""
        return tr(self.name.capitalize())


@dataclass(frozen=True)
class Event:
    """One event.

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
        One sentence for people; programs read `data`.
    data
        Figures and ids by name, such as ``lost_s`` or ``cause``. Those that its kind declares as hashed are integers
        and enter the event hash with kind, subject and the time in ms. Run files of older versions have no others.
    where
        Nodes it is about, as `twin.record.node_list` writes them, for pictures; it does not enter the hash.
    """

    row: int
    t_s: float
    kind: str
    subject: str
    severity: Severity
    text: str
    data: Mapping[str, Value] = field(default_factory=dict)
    where: str = ""

    def integer(self, name: str, default: int = 0) -> int:
        """Return a whole number; `default` where the event does not say it."""
        value = self.data.get(name)
        return value if isinstance(value, int) else default

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a figure; `default` where the event does not say it."""
        value = self.data.get(name)
        return float(value) if isinstance(value, int | float) else default

    def word(self, name: str) -> str:
        """Return an id or a word; "" where the event does not say it."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""
