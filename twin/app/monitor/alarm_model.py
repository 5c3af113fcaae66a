"""The alarms of a run as a table that sorts itself; active ones stay on top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.toolkit.column_model import Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.timed_table import SEVERITY_ICONS, MomentModel
from twin.language import tr
from twin.record.alarms import Alarm, Alarms
from twin.record.event_kinds import kind_of
from twin.shown_text import spelled

COLUMNS = (tr("Alarm"), tr("When"), tr("What happened"), tr("Where"), tr("State"))
ALARM, WHEN, TEXT, WHERE, STATE = range(len(COLUMNS))
_MARKS = {"active": "●", "ended": "○", "happened": "◇"}
"""Shape of each state, beside its word where there is room for words."""
_KEYS: dict[int, Callable[[Alarm], Any]] = {
    ALARM: lambda a: (-int(a.severity), a.kind),
    WHEN: lambda a: a.last_s,
    TEXT: lambda a: a.text,
    WHERE: lambda a: a.subject,
    STATE: lambda a: (a.acknowledged, a.status),
}


class AlarmModel(MomentModel):
    """Rows are alarms: active first, within that by the column chosen, at first by how much they matter."""

    def __init__(self, look: Look, alarms: Alarms) -> None:
        super().__init__(look, COLUMNS, (ALARM, STATE))
        self._alarms = alarms
        self._rows: list[Alarm] = []
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder

    def refresh(self) -> None:
        """Read all alarms again."""
        rows = self._alarms.all()
        if self._column >= 0:
            rows.sort(key=_KEYS[self._column], reverse=self._order == Qt.SortOrder.DescendingOrder)
            rows.sort(key=lambda alarm: not alarm.active)
        gone = {*map(id, self._rows)} - {*map(id, rows)}
        if not rows or gone:  # another time is looked at: some have not happened yet
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows == self._rows:
            self._repaint()
        else:
            self._rearrange(rows)

    def _rearrange(self, rows: list[Alarm]) -> None:
        """Bring rows into another order, with new ones: what is selected stays selected."""
        known = set(map(id, self._rows))
        fresh = [alarm for alarm in rows if id(alarm) not in known]
        if fresh:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(fresh) - 1)
            self._rows = [*self._rows, *fresh]
            self.endInsertRows()
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        place = {id(alarm): row for row, alarm in enumerate(rows)}
        moved = [self.index(place[id(self._rows[index.row()])], index.column()) for index in held]
        self._rows = rows
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

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
            return self._words(alarm, column, wordy=self._wordy)
        if role == Qt.ItemDataRole.DecorationRole and column == ALARM:
            colour = alarm.severity.name.lower() if alarm.severity >= 1 else "muted"
            return self._look.icon(SEVERITY_ICONS[alarm.severity], colour)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._colour(alarm, column))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._whole(alarm))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._words(alarm, column, wordy=True)
        return None

    def _words(self, alarm: Alarm, column: int, *, wordy: bool) -> str:
        if column == ALARM:
            kind = spelled(kind_of(alarm.kind).title)
            return f"{alarm.severity.words}: {kind}" if wordy else ""
        if column == WHEN:
            return self._time(alarm.last_s) + (
                f", {alarm.count:,}\N{MULTIPLICATION SIGN}" if alarm.count > 1 else ""
            )
        if column == STATE:
            word = f" {tr(alarm.status.capitalize())}" if wordy else ""
            return f"{_MARKS[alarm.status]}{word}{' ✓' if alarm.acknowledged else ''}"
        return spelled(alarm.text) if column == TEXT else alarm.subject

    def _whole(self, alarm: Alarm) -> str:
        """Return everything about an alarm, for its tool tip."""
        seen = tr("acknowledged") if alarm.acknowledged else tr("not acknowledged")
        kind = spelled(kind_of(alarm.kind).title)
        lines = [f"{alarm.severity.words}: {kind}, {alarm.subject}", spelled(alarm.text)]
        if alarm.count > 1:
            lines.append(
                tr("{count:,} times, first {moment}", count=alarm.count, moment=self._moment(alarm.first_s))
            )
        lines.append(
            tr("Last {moment}", moment=self._moment(alarm.last_s))
            if alarm.count > 1
            else tr("Raised {moment}", moment=self._moment(alarm.last_s))
        )
        if alarm.ended_s is not None:
            lines.append(tr("Ended {moment}", moment=self._moment(alarm.ended_s)))
        lines.append(f"{tr(alarm.status.capitalize())}, {seen}")
        return "\n".join(lines)

    def _colour(self, alarm: Alarm, column: int) -> str:
        theme = self._look.theme
        if column in (STATE, ALARM):
            return theme.severity(alarm.severity) if alarm.active or not alarm.acknowledged else theme.muted
        return theme.text if alarm.active else theme.muted
