"""What of a run's events somebody has not taken in yet: who is not looked at takes them in when it is shown.

While one scrubs, lists go back and forth by thousands of events; behind another tab nobody reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.record.events import Event

if TYPE_CHECKING:
    from twin.app.session.session import Session


class EventTail:
    """Follows what those who list events are told, as far as its owner asks."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._of: list[Event] | None = None
        self._taken = 0

    def forget(self) -> None:
        """Forget all events: the owner starts again."""
        self._of, self._taken = None, 0

    def fresh(self) -> tuple[bool, list[Event]]:
        """Return whether to start again because the events differ, and the events to take in."""
        events, count = self._session.live.events, self._session.looking.told
        anew = events is not self._of or count < self._taken
        begin = 0 if anew else self._taken
        self._of, self._taken = events, count
        return anew, events[begin:count]
