"""The alarm list: what is wrong now, what was, and who has seen it; a double click or Enter goes there."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QMainWindow, QMenu, QPushButton, QTableView

from twin.app.monitor.alarm_model import ALARM, STATE, TEXT, WHEN, WHERE, AlarmModel
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.events import Event

_ROW_PX = 24
_CELL_MARGIN_PX = 12
_ICON_PX = 42
_WORDY_FROM_PX = 720
"""A list at least this wide has room for the words of severity and state."""
_LONGEST_PLACE = "gpu/00/00/00"


class AlarmsDock(Dock):
    """Alarms of the run, active ones first.

    Attributes
    ----------
    alarms
        The list itself, without widgets.
    """

    chosen = Signal(object)  # Alarm: go to its place
    picked = Signal(object)  # Alarm: a click on it
    pointed = Signal(object)  # Alarm: the line that the keyboard or the mouse has come to
    counted = Signal(int, int)  # active, not acknowledged
    worst = Signal(object)  # Severity of the worst that lasts, or that nobody has seen

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "alarms", tr("Alarms"), "alarm", parent)
        self._session, self._seen = session, False
        self.alarms = Alarms()
        self.model = AlarmModel(look, self.alarms)
        self.table = self._table()
        self.table.share_width(self._widths_px, TEXT, follows_width=True)
        self.body.addWidget(self.table)
        self._count = ElidedLabel("faint", snug=True)
        self.seen_button = _small(tr("Acknowledge"), tr("Acknowledge the selected alarms"))
        self.all_button = _small(tr("Acknowledge all"), tr("Acknowledge all alarms, ended ones included"))
        self.seen_button.clicked.connect(self.acknowledge)
        self.all_button.clicked.connect(self.acknowledge_all)
        for widget in (self._count, self.seen_button, self.all_button):
            self.tools.add(widget)
        session.run_started.connect(self._on_run_started)
        session.events_added.connect(self._on_events)
        session.rewound.connect(self._on_rewound)
        session.figures_changed.connect(self._on_figures)
        self.visibilityChanged.connect(self._on_visible)
        self._tell()

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a thing."""
        offer_menus(self.table, lambda index: self.model.alarm_at(index.row()).subject, menu)

    def acknowledge(self) -> None:
        """Mark the chosen alarms as seen."""
        for index in self.table.selectionModel().selectedRows():
            self.alarms.acknowledge(self.model.alarm_at(index.row()))
        self._refresh()

    def acknowledge_all(self) -> None:
        """Mark every alarm as seen."""
        self.alarms.acknowledge_all()
        self._refresh()

    def _widths_px(self) -> dict[int, int]:
        """Return the widths of columns: nothing scrolls sideways."""
        table, signs_px = self.table, scaled(_ICON_PX)
        wordy = self.width() >= scaled(_WORDY_FROM_PX)
        self.model.use_words(wordy)
        wide = table.fontMetrics().horizontalAdvance
        where_px = wide(_LONGEST_PLACE) + 2 * _CELL_MARGIN_PX
        return {
            ALARM: signs_px + (wide(tr("Warning: power failure MM")) if wordy else 0),
            WHEN: table.widest(WHEN),
            WHERE: min(table.widest(WHERE), where_px),
            STATE: table.widest(STATE, tr("◇ Happened ✓")) if wordy else signs_px,
        }

    def _table(self) -> RowTable:
        table = RowTable(self._look, tr("Alarms"), _ROW_PX, self.model)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        header = table.header
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self.model.sort)
        header.setMinimumSectionSize(_ICON_PX)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.activated.connect(self._on_chosen)
        table.clicked.connect(self._on_picked)
        table.selectionModel().currentRowChanged.connect(self._on_pointed)
        return table

    def _on_run_started(self) -> None:
        self.alarms.clear()
        if self._session.document is not None:
            self.model.tell_time_by(self._session.clock)
        self._refresh()

    def _on_events(self, events: list[Event]) -> None:
        if self.alarms.add(events) | self._settled():
            self._refresh()

    def _on_rewound(self) -> None:
        self.alarms.rewind(self._session.events)
        self._settled()
        self._refresh()

    def _on_figures(self, _frame: object) -> None:
        if self._settled():
            self._refresh()

    def _settled(self) -> bool:
        """End what the picture on screen shows to be over; return whether there was any."""
        plant, frame = self._session.plant, self._session.frame
        if plant is None or frame is None or not self.alarms.active_count:
            return False
        return self.alarms.settle(over_in(plant, frame), frame.events)

    def _refresh(self) -> None:
        """Show the number of alarms; refresh the list where visible."""
        if self._seen:
            self._list()
        self._tell()

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._list()

    def _list(self) -> None:
        """Show the list anew; whoever has scrolled down keeps the same alarm on top."""
        bar = self.table.verticalScrollBar()
        top = self.table.indexAt(QPoint(0, 0))
        held = self.model.alarm_at(top.row()) if bar.value() and top.isValid() else None
        self.model.refresh()
        self.table.share()
        if held is not None and self.model.row_of(held) >= 0:
            self.table.scrollTo(
                self.model.index(self.model.row_of(held), 0), QTableView.ScrollHint.PositionAtTop
            )

    def _tell(self) -> None:
        active, unseen = self.alarms.active_count, self.alarms.unseen_count
        self._count.setText(
            tr("{active:,} active, {unseen:,} not acknowledged", active=active, unseen=unseen)
            if len(self.alarms)
            else tr("none")
        )
        self.seen_button.setEnabled(unseen > 0)
        self.all_button.setEnabled(unseen > 0)
        pending = self.alarms.active() or [alarm for alarm in self.alarms.all() if not alarm.acknowledged]
        if pending:
            self.worst.emit(max(alarm.severity for alarm in pending))
        self.counted.emit(active, unseen)

    def _on_picked(self, index: QModelIndex) -> None:
        self.picked.emit(self.model.alarm_at(index.row()))

    def _on_pointed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.pointed.emit(self.model.alarm_at(index.row()))

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.alarm_at(index.row()))


def _small(title: str, tip: str) -> QPushButton:
    made = QPushButton(title)
    made.setProperty("role", "flat")
    made.setToolTip(plain_tip(tip))
    return made
