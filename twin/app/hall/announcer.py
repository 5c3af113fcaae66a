"""What the hall says to those who do not see it: what is selected, and what has happened."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from twin.app.session.session import Session
from twin.language import tr
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.shown_text import spelled
from twin.view3d.view.hall_view import HallView

_TOGETHER_MS = 400
"""What comes within this time is said in one go."""
_MOST_NAMES = 3


class Announcer(QObject):
    """Says what changes in a hall through the screen reader, and keeps it as the description of its picture.

    Parameters
    ----------
    view
        The hall.
    session
        What happens in it.
    state_text
        Gives the state of a thing in words.
    """

    said = Signal(str)

    def __init__(self, view: HallView, session: Session, state_text: Callable[[str], str]) -> None:
        super().__init__(view.native)
        self._picture, self._state_text = view.native, state_text
        self._selection, self._event = tr("Nothing is selected"), ""
        self._picture.setAccessibleName(tr("Hall in 3D; the outliner lists the same items"))
        self._picture.setAccessibleDescription(self._selection)
        view.state.events.selection.connect(self.on_selection)
        session.events_added.connect(self.on_events)
        self._pending: list[str] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TOGETHER_MS)
        self._timer.timeout.connect(self._say)

    def on_selection(self, selection: tuple[str, ...], *_old: object) -> None:
        """Say what is selected."""
        self._selection = self._words_of(selection)
        self._tell(self._selection)

    def on_events(self, events: list[Event]) -> None:
        """Say the worst of what has happened, if it is worth a look."""
        worst = max(reversed(events), key=lambda event: event.severity, default=None)
        if worst is not None and worst.severity >= Severity.WARNING:
            where = "" if kind_of(worst.kind).names_subject else f"{worst.subject}: "
            self._event = spelled(f"{where}{worst.text}")
            self._tell(self._event)

    def _words_of(self, selection: tuple[str, ...]) -> str:
        if not selection:
            return tr("Nothing is selected")
        named = [
            ", ".join(filter(None, (thing, self._state_text(thing)))) for thing in selection[:_MOST_NAMES]
        ]
        if len(selection) == 1:
            return spelled(tr("Selected: {named}", named=named[0]))
        more = (
            tr(", and {selection_count:,} more", selection_count=len(selection) - _MOST_NAMES)
            if len(selection) > _MOST_NAMES
            else ""
        )
        return spelled(
            tr(
                "{selection_count:,} things selected: {named}{more}",
                selection_count=len(selection),
                named="; ".join(named),
                more=more,
            )
        )

    def _tell(self, words: str) -> None:
        self._picture.setAccessibleDescription(". ".join(filter(None, (self._selection, self._event))))
        if words not in self._pending:
            self._pending.append(words)
        self._timer.start()

    def _say(self) -> None:
        words, self._pending = ". ".join(self._pending), []
        if words:
            self.said.emit(words)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._picture, words))
