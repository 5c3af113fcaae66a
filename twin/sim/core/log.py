"""The event list of a run and its hash."""

from __future__ import annotations

from twin.record.event_kinds import KINDS
from twin.record.events import Event, Severity, Value
from twin.record.hash import EventHash


class Log:
    """Events in order; every one of them enters the hash."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.first_row = 0  # rows before it belong to the run that a snapshot came from
        self.hash = EventHash()
        self.worst = Severity.INFO  # since somebody set it back

    @property
    def rows(self) -> int:
        """Return how many events there have been."""
        return self.first_row + len(self.events)

    def add(
        self,
        t_s: float,
        kind: str,
        subject: str,
        text: str,
        severity: Severity | None = None,
        *,
        where: str = "",
        **data: Value | None,
    ) -> None:
        """Append an event.

        Parameters
        ----------
        kind
            A registered one (`twin.record.event_kinds`).
        severity
            None: as its kind has it.
        where
            Nodes it is about, for pictures; it does not enter the hash.
        data
            Figures and ids, None where there is none; those that the kind declares as hashed are integers.
        """
        usual = KINDS[kind].severity
        severity = usual if severity is None else severity
        values = {name: value for name, value in data.items() if value is not None}
        event = Event(self.first_row + len(self.events), t_s, kind, subject, severity, text, values, where)
        self.events.append(event)
        self.hash.update(event)
        self.worst = max(self.worst, severity)

    def take_over(self, other: Log) -> None:
        """Go on where another list stands."""
        self.events, self.first_row, self.hash = other.events, other.first_row, other.hash

    def since(self, row: int) -> list[Event]:
        """Return the events from `row` on."""
        return self.events[max(0, row - self.first_row) :]
