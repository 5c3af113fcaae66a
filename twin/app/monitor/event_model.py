"""The events of a run as a table that filters itself, newest first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.toolkit.column_model import Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.timed_table import SEVERITY_ICONS, MomentModel
from twin.language import tr
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.shown_text import spelled

COLUMNS = (tr("Time"), tr("Event"), tr("Where"), tr("What happened"))
TIME, EVENT, WHERE, TEXT = range(len(COLUMNS))


class EventModel(MomentModel):
    """Rows are the events that pass the filter; row 0 is the newest."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, COLUMNS, (EVENT,))
        self._events: list[Event] = []
        self._shown: list[Event] = []
        self._least = Severity.INFO
        self._needle = ""

    @property
    def total(self) -> int:
        """Return how many events there are, shown or not."""
        return len(self._events)

    def clear(self) -> None:
        """Forget all events."""
        self.beginResetModel()
        self._events, self._shown = [], []
        self.endResetModel()

    def append(self, events: Sequence[Event]) -> None:
        """Add new events, later than all present ones."""
        self._events.extend(events)
        passing = [event for event in events if self._passes(event)]
        if passing:
            self.beginInsertRows(QModelIndex(), 0, len(passing) - 1)
            self._shown.extend(passing)
            self.endInsertRows()

    def keep(self, count: int) -> None:
        """Forget all but the first `count` events."""
        if count >= len(self._events):
            return
        place = bisect_left(self._shown, self._events[count].row, key=lambda event: event.row)
        gone = len(self._shown) - place
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._shown[place:]
        del self._events[count:]
        if gone:
            self.endRemoveRows()

    def filter(self, least: Severity, needle: str) -> None:
        """Show only events at least this severe that mention `needle` in kind, place or text."""
        self._least, self._needle = least, needle.strip().lower()
        self.beginResetModel()
        self._shown = [event for event in self._events if self._passes(event)]
        self.endResetModel()

    def event_at(self, row: int) -> Event:
        """Return the event shown in `row`."""
        return self._shown[-1 - row]

    def row_of(self, event: Event) -> int:
        """Return the row of an event; -1 where it is not shown."""
        place = bisect_left(self._shown, event.row, key=lambda shown: shown.row)
        found = place < len(self._shown) and self._shown[place].row == event.row
        return len(self._shown) - 1 - place if found else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of events shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon or colour of a cell."""
        event = self.event_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            words = kind_of(event.kind).title if self._wordy else ""
            return (self._time(event.t_s), spelled(words), event.subject, spelled(event.text))[index.column()]
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 1:
            return self._look.icon(SEVERITY_ICONS[event.severity], _COLOURS[event.severity])
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._foreground(event, index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            kind = spelled(kind_of(event.kind).title)
            place = f"{kind}, {self._moment(event.t_s)}, {event.subject}"
            return plain_tip(f"{event.severity.words}: {spelled(event.text)}\n{place}")
        return None

    def _foreground(self, event: Event, column: int) -> str:
        theme = self._look.theme
        if column == 1:
            return theme.severity(event.severity)
        if column == 3 and event.severity >= Severity.WARNING:
            return theme.text
        return theme.muted

    def _passes(self, event: Event) -> bool:
        if event.severity < self._least:
            return False
        return not self._needle or any(
            self._needle in text.lower() for text in (kind_of(event.kind).title, event.subject, event.text)
        )


_COLOURS = {
    Severity.INFO: "muted",
    Severity.NOTICE: "notice",
    Severity.WARNING: "warning",
    Severity.ALARM: "alarm",
}
