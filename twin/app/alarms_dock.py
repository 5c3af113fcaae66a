"""The alarm list: what is wrong now, what was, and who has seen it; a double click goes there."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QTableView

from twin.app.alarm_model import ALARM, COUNT, FIRST, LAST, STATE, TEXT, WHERE, AlarmModel
from twin.app.dock import Dock
from twin.app.look import Look, label
from twin.app.session import Session
from twin.record.alarms import Alarms
from twin.record.events import Event

_ROW_PX = 24
_CELL_MARGIN_PX = 12
_SCROLL_BAR_PX = 14
_LEAST_WORDS_PX = 230
_LONGEST = {
    STATE: "● Happened ✓",
    ALARM: "Warning: power failure MM",
    WHERE: "gpu/00/00/0/0",
    FIRST: "00 d 00:00:00",
    LAST: "00 d 00:00:00",
    COUNT: "Count ▾",
}


class AlarmsDock(Dock):
    """Alarms of the run, active ones first.

    Attributes
    ----------
    alarms
        The list itself, without widgets.
    """

    chosen = Signal(object)  # Alarm: go to its place (and, in a recording, its time)
    counted = Signal(int, int)  # active, not acknowledged

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "alarms", "Alarms", "alarm", parent)
        self.alarms = Alarms()
        self.model = AlarmModel(look, self.alarms)
        self.table = self._table()
        self.body.addWidget(self.table)
        self._count = label("", "faint")
        self.seen_button = _small("Acknowledge", "Mark the chosen alarms as seen")
        self.all_button = _small("Acknowledge all", "Mark every alarm as seen")
        self.seen_button.clicked.connect(self.acknowledge)
        self.all_button.clicked.connect(self.acknowledge_all)
        for widget in (self._count, self.seen_button, self.all_button):
            self.tools.addWidget(widget)
        session.run_started.connect(self._on_run_started)
        session.events_added.connect(self._on_events)
        self._tell()

    def acknowledge(self) -> None:
        """Mark the chosen alarms as seen."""
        for index in self.table.selectionModel().selectedRows():
            self.alarms.acknowledge(self.model.alarm_at(index.row()))
        self._refresh()

    def acknowledge_all(self) -> None:
        """Mark every alarm as seen."""
        self.alarms.acknowledge_all()
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the words what room the other columns leave; a narrow list scrolls."""
        super().resizeEvent(event)
        others = sum(self.table.columnWidth(column) for column in _LONGEST)
        room = self.width() - others - _SCROLL_BAR_PX
        self.table.setColumnWidth(TEXT, max(_LEAST_WORDS_PX, room))

    def _table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName("Alarms")
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self.model.sort)
        metrics = QFontMetrics(QApplication.font())
        for column, longest in _LONGEST.items():
            table.setColumnWidth(column, metrics.horizontalAdvance(longest) + 2 * _CELL_MARGIN_PX)
        table.doubleClicked.connect(self._on_chosen)
        return table

    def _on_run_started(self) -> None:
        self.alarms.clear()
        self._refresh()

    def _on_events(self, events: list[Event]) -> None:
        if self.alarms.add(events):
            self._refresh()

    def _refresh(self) -> None:
        self.model.refresh()
        self._tell()

    def _tell(self) -> None:
        active, unseen = self.alarms.active_count, self.alarms.unseen_count
        self._count.setText(f"{active:,} active, {unseen:,} not seen" if len(self.alarms) else "none")
        self.seen_button.setEnabled(unseen > 0)
        self.all_button.setEnabled(unseen > 0)
        self.counted.emit(active, unseen)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.alarm_at(index.row()))


def _small(title: str, tip: str) -> QPushButton:
    made = QPushButton(title)
    made.setProperty("role", "flat")
    made.setToolTip(tip)
    return made
