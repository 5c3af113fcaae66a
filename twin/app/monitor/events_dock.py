"""The list of what happened; a click goes there."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QMainWindow,
    QMenu,
    QTableView,
    QToolButton,
)

from twin.app.monitor.event_model import COLUMNS, EVENT, TIME, WHERE, EventModel
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, tool_button
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.text_fields import ElidedLabel, SearchField
from twin.app.toolkit.theme import scaled
from twin.app.toolkit.timed_table import SEVERITY_ICONS
from twin.language import tr
from twin.record.events import Event, Severity

_FILTERS = (
    (Severity.INFO, tr("All")),
    (Severity.NOTICE, tr("Notices")),
    (Severity.WARNING, tr("Warnings")),
    (Severity.ALARM, tr("Alarms")),
)
_ROW_PX, _TWO_LINES_PX, _WORDS_PX = 24, 40, 130
_CELL_MARGIN_PX = 12
_ICON_PX, _KIND_PX, _KINDS_FROM_PX = 42, 150, 620
FIRST_SHOWN = Severity.NOTICE
"""Checkpoints and other routine are a click away: they would hide what matters."""


class EventsDock(Dock):
    """Events of the run, filtered by severity and text."""

    chosen = Signal(object)  # Event

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "events", tr("Events"), "list", parent)
        self._session = session
        self.model = EventModel(look)
        self.table = event_table(look, self.model)
        # Most words name what they are of, so that its column leaves first.
        self.table.share_width(self._widths_px, len(COLUMNS) - 1, _WORDS_PX, (WHERE,), follows_width=True)
        self.table.clicked.connect(self._on_clicked)
        self.table.activated.connect(self._on_clicked)
        self.body.addWidget(self.table)
        self._count = ElidedLabel("faint", snug=True)
        self._least = session.least_listed = FIRST_SHOWN
        self.model.filter(self._least, "")
        self.search = SearchField()
        self.search.setPlaceholderText(tr("Filter"))
        self.search.setMaximumWidth(130)
        self.search.setAccessibleName(tr("Filter events"))
        self.search.setToolTip(tr("Shows events that contain the text"))
        self.search.textChanged.connect(self._filter)
        for button in self._severity_buttons():
            self.tools.add(button)
        self.tools.add(self.search)
        self.tools.add(self._count)
        session.run_started.connect(self._on_run_started)
        session.events_added.connect(self._on_events)
        session.rewound.connect(self._on_rewound)

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a thing."""
        offer_menus(self.table, lambda index: self.model.event_at(index.row()).subject, menu)

    def show_event(self, event: Event) -> None:
        """Let the list stand at an event, where it passes the filter."""
        row = self.model.row_of(event)
        if row >= 0:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0), QTableView.ScrollHint.PositionAtCenter)

    def _severity_buttons(self) -> list[QToolButton]:
        group = QButtonGroup(self)
        group.setExclusive(True)
        self.severity_buttons: dict[Severity, QToolButton] = {}
        for severity, title in _FILTERS:
            tip = (
                tr("Show all events")
                if severity == Severity.INFO
                else tr("Show {title} and worse", title=title.lower())
            )
            button = tool_button(self._look, SEVERITY_ICONS[severity], tip, colour=_colour_name(severity))
            button.setCheckable(True)
            button.setChecked(severity == FIRST_SHOWN)
            button.clicked.connect(lambda _=False, s=severity: self._set_least(s))
            group.addButton(button)
            self.severity_buttons[severity] = button
        return list(self.severity_buttons.values())

    def _set_least(self, severity: Severity) -> None:
        self._least = self._session.least_listed = severity
        self._filter()

    def _filter(self) -> None:
        self.model.filter(self._least, self.search.text())
        self._tell_count()

    def _on_run_started(self) -> None:
        self.model.clear()
        if self._session.document is not None:
            self.model.tell_time_by(self._session.clock)
            self.table.share()
        self._tell_count()

    def _widths_px(self) -> dict[int, int]:
        """Return the widths of columns; a narrow list leaves the kind of event to its icon and the words."""
        clock = self._session.clock.longest if self._session.document is not None else ""
        wordy = self.width() >= scaled(_KINDS_FROM_PX)
        self.table.setWordWrap(not wordy)  # what happened has two lines where it has little width
        self.table.verticalHeader().setDefaultSectionSize(scaled(_ROW_PX if wordy else _TWO_LINES_PX))
        self.model.use_words(wordy)
        return {
            TIME: _room_px(clock),
            EVENT: scaled(_KIND_PX if wordy else _ICON_PX),
            WHERE: _room_px("gpu/00/00/0"),
        }

    def _on_events(self, events: list[Event]) -> None:
        bar, before = self.table.verticalScrollBar(), self.model.rowCount()
        scrolled = bar.value()
        self.model.append(events)
        if scrolled:  # whoever reads further down stays there
            bar.setValue(scrolled + self.model.rowCount() - before)
        self._tell_count()

    def _on_rewound(self) -> None:
        self.model.keep(len(self._session.events))  # they are the first of those it has
        self._tell_count()

    def _tell_count(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self._count.setText(
            f"{total:,}" if shown == total else tr("{shown:,} of {total:,}", shown=shown, total=total)
        )

    def _on_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.event_at(index.row()))


def event_table(look: Look, model: EventModel) -> RowTable:
    """Return the table widget of an event model."""
    table = RowTable(look, tr("Events"), _ROW_PX, model)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return table


def _room_px(longest: str) -> int:
    """Return the width of a column for a text, with the cell's margins."""
    return QFontMetrics(QApplication.font()).horizontalAdvance(longest) + 2 * _CELL_MARGIN_PX


def _colour_name(severity: Severity) -> str:
    return {Severity.NOTICE: "notice", Severity.WARNING: "warning", Severity.ALARM: "alarm"}.get(
        severity, "muted"
    )
