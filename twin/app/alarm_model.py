"""The alarms of a run as a table that sorts itself; active ones stay on top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from twin.app.column_model import ColumnModel, Index
from twin.app.event_model import SEVERITY_ICONS
from twin.app.look import Look
from twin.app.text import elapsed, spelled
from twin.record.alarms import Alarm, Alarms

COLUMNS = ("State", "Alarm", "Where", "What happened", "Last", "First", "Count")
STATE, ALARM, WHERE, TEXT, LAST, FIRST, COUNT = range(len(COLUMNS))
_MARKS = {"active": "●", "ended": "○", "happened": "◇"}
"""Shape of each state, beside its word."""
_KEYS: dict[int, Callable[[Alarm], Any]] = {
    STATE: lambda a: (a.acknowledged, a.status),
    ALARM: lambda a: (-int(a.severity), a.kind),
    WHERE: lambda a: a.subject,
    FIRST: lambda a: a.first_s,
    LAST: lambda a: a.last_s,
    COUNT: lambda a: a.count,
    TEXT: lambda a: a.text,
}


class AlarmModel(ColumnModel):
    """Rows are alarms: active first, within that by the column chosen, at first by how much they matter."""

    def __init__(self, look: Look, alarms: Alarms) -> None:
        super().__init__(COLUMNS)
        self._look, self._alarms = look, alarms
        self._rows: list[Alarm] = []
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder
        look.changed.connect(self._repaint)

    def refresh(self) -> None:
        """Take the alarms anew."""
        rows = self._alarms.all()
        if self._column >= 0:
            rows.sort(key=_KEYS[self._column], reverse=self._order == Qt.SortOrder.DescendingOrder)
            rows.sort(key=lambda alarm: not alarm.active)
        if rows == self._rows:
            self._repaint()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1: by how much alarms matter."""
        self._column, self._order = column, order
        self.refresh()

    def alarm_at(self, row: int) -> Alarm:
        """Return the alarm of a row."""
        return self._rows[row]

    def row_of(self, alarm: Alarm) -> int:
        """Return the row of an alarm; -1 when it is not shown."""
        return self._rows.index(alarm) if alarm in self._rows else -1

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of alarms."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon or colour of a cell."""
        alarm, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(alarm, column)
        if role == Qt.ItemDataRole.DecorationRole and column == ALARM:
            colour = alarm.severity.name.lower() if alarm.severity >= 1 else "muted"
            return self._look.icon(SEVERITY_ICONS[alarm.severity], colour)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._colour(alarm, column))
        if role == Qt.ItemDataRole.ToolTipRole:
            seen = "acknowledged" if alarm.acknowledged else "not acknowledged"
            return f"{alarm.severity.name.capitalize()}, {alarm.status}, {seen}: {spelled(alarm.text)}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column == COUNT:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    @staticmethod
    def _words(alarm: Alarm, column: int) -> str:
        if column == STATE:
            seen = " ✓" if alarm.acknowledged else ""
            return f"{_MARKS[alarm.status]} {alarm.status.capitalize()}{seen}"
        if column == ALARM:
            return f"{alarm.severity.name.capitalize()}: {spelled(alarm.kind.replace('_', ' '))}"
        if column == WHERE:
            return alarm.subject
        if column == COUNT:
            return f"{alarm.count:,}"
        return (
            spelled(alarm.text) if column == TEXT else elapsed((alarm.first_s, alarm.last_s)[column == LAST])
        )

    def _colour(self, alarm: Alarm, column: int) -> str:
        theme = self._look.theme
        if column in (STATE, ALARM):
            return theme.severity(alarm.severity) if alarm.active or not alarm.acknowledged else theme.muted
        return theme.text if alarm.active else theme.muted

    def _repaint(self, *_theme: object) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))
