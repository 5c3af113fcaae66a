"""The incident dock: one incident from cause to cost and repair, and all of them by cause."""

from __future__ import annotations

import time
from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from twin.analysis.explain import LossCause
from twin.analysis.incident import Incident
from twin.analysis.incident_card import found_words
from twin.analysis.incidents import RunIncidents
from twin.analysis.wall_clock import moments
from twin.app.monitor.incident_page import IncidentPage
from twin.app.monitor.incident_record import IncidentRecord
from twin.app.monitor.incident_tables import CAUSES, SortedModel, incident_columns, sorted_table
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.row_table import offer_menus
from twin.language import tr
from twin.record.events import Event
from twin.shown_text import capitalised

_SETTLE_MS, _BEHIND_MS = 120, 500
_EVERY_WALL_S, _REST = 2.0, 20.0
"""While a run goes on: at most so often, and during one part in so many of the time."""


class IncidentDock(Dock):
    """Shows an incident as known at the time on screen, or the list of all.

    Attributes
    ----------
    page
        Of one incident.
    found
        The incidents as last read; None: none were.
    """

    chosen = Signal(str)  # id of what failed: go there
    picked = Signal(object)  # Incident that somebody chose in the list

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "incident", tr("Incident"), "interrupted", parent)
        self._session, self._seen = session, False
        self._record = IncidentRecord(session)
        self.found: RunIncidents | None = None
        self._id = ""  # of the incident shown; "": the list
        self._cause = ""  # whose incidents are listed; "": all
        self._next_wall_s = 0.0
        self.gpu_h_usd: Callable[[], tuple[float, float, float] | None] = lambda: None  # P5, P50, P95
        self.page = IncidentPage(look)
        self.page.list_wanted.connect(self.show_list)
        self.page.fly_wanted.connect(self.chosen.emit)
        self.page.now_wanted.connect(session.replay.back_to_live)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._listing(look))
        self._pages.addWidget(self.page)
        self.body.addWidget(self._pages)
        self.setMinimumWidth(300)
        self.back_button = tool_button(look, "list", tr("All incidents by cause"))
        self.back_button.clicked.connect(lambda: self.show_list())
        self.tools.add(self.back_button)
        self._settling = self._timer(_SETTLE_MS)
        self._behind = self._timer(_BEHIND_MS)
        session.run_started.connect(self._on_run_started)
        session.looked.connect(lambda _looking_s: self._soon())
        session.playing_changed.connect(lambda _playing: self._soon())
        session.figures_changed.connect(self._on_figures)
        self.visibilityChanged.connect(self._on_visible)

    def _timer(self, wait_ms: int) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(wait_ms)
        made.timeout.connect(self.refresh)
        return made

    def _listing(self, look: Look) -> QWidget:
        self.words = label("", "muted", wrap=True)
        columns = incident_columns(lambda t_s: "")
        self.causes, self.incidents = SortedModel(look, CAUSES), SortedModel(look, columns)
        self.cause_table = sorted_table(
            look, tr("Causes of incidents"), self.causes, CAUSES, tr("No incidents so far")
        )
        self.table = sorted_table(look, tr("Incidents"), self.incidents, columns, tr("No incidents so far"))
        for signal in (self.cause_table.clicked, self.cause_table.activated):
            signal.connect(self._on_cause)
        for signal in (self.table.clicked, self.table.activated):
            signal.connect(self._on_incident)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.cause_table)
        split.addWidget(self.table)
        made = QWidget()
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.words.setContentsMargins(12, 8, 12, 6)
        column.addWidget(self.words)
        column.addWidget(split, 1)
        return made

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a thing."""
        offer_menus(self.table, lambda index: self.incidents.shown[index.row()].subject, menu)

    # -- what others ask for ----

    def of_event(self, event: Event) -> Incident | None:
        """Return the incident that an event belongs to, as known at the time shown; None: none."""
        found = self._read()
        return None if found is None else found.of_event(event)

    def of_row(self, row: int) -> Incident | None:
        """Return the incident that the event of a row belongs to; None: none."""
        events = self._session.events
        return self.of_event(events[row]) if 0 <= row < len(events) else None

    def of_thing(self, id: str) -> Incident | None:
        """Return the last incident of a component or job; None: it had none."""
        found = self._read()
        return None if found is None else found.of_thing(id)

    def of_cause(self, cause: LossCause) -> Incident | None:
        """Return the incident behind a loss; None: none is."""
        found = self._read()
        if found is None:
            return None
        near = (incident for event in cause.events if (incident := found.of_event(event)) is not None)
        return next(near, None)

    def latest(self) -> Incident | None:
        """Return the last incident that stopped a job, else the last one; None: nothing has failed."""
        found = self._read()
        if found is None or not found.all:
            return None
        return next((incident for incident in reversed(found.all) if incident.stops), found.all[-1])

    def show_incident(self, incident: Incident) -> None:
        """Show the page of an incident."""
        self._id = incident.id
        self._fill(self._read())
        self.page.verticalScrollBar().setValue(0)

    def show_list(self, cause: str = "") -> None:
        """Show all incidents, or those of a cause."""
        self._id, self._cause = "", cause
        self._fill(self._read())

    @property
    def incident(self) -> Incident | None:
        """Return the incident whose page is shown; None: the list is."""
        return self.found.get(self._id) if self.found is not None and self._id else None

    # -- following ----

    def refresh(self) -> None:
        """Show what is known at the time on screen."""
        if not self._seen:
            return
        began = time.process_time()
        self._fill(self._read())
        self._next_wall_s = time.monotonic() + max(_EVERY_WALL_S, _REST * (time.process_time() - began))
        if self._record.is_behind and not self._session.playing:
            self._behind.start()

    def _read(self) -> RunIncidents | None:
        self.found = self._record.read()
        return self.found

    def _fill(self, found: RunIncidents | None) -> None:
        incident = None if found is None or not self._id else found.get(self._id)
        if found is not None and incident is not None:
            session = self._session
            says = moments(found.scenario, exact=True)
            late = found.known_s < min(session.shown_s, found.t_s) - 1.0
            recorded = tr("recorded up to {known}", known=says(found.known_s)) if late else ""
            later = session.looking_s is not None and session.t_s > session.shown_s + 1.0
            whole = self._record.by_now(incident.id) if later else None
            card = self._record.card(found, incident)
            self.page.show_card(card, later=later, recorded=recorded, whole=whole, gpu_h_usd=self.gpu_h_usd())
            self._pages.setCurrentWidget(self.page)
            return
        self._pages.setCurrentIndex(0)
        if self._id and found is not None:
            self.words.setText(tr("This incident has not happened yet at the time shown."))
        else:
            self.words.setText(
                "" if found is None or not found.all else f"{capitalised(found_words(found))}."
            )
        self.words.setVisible(bool(self.words.text()))
        if found is not None:
            self.incidents.use_columns(incident_columns(moments(found.scenario)))
        totals = () if found is None else found.by_cause
        self.causes.show_rows(totals)
        listed = () if found is None else found.worst_first
        if self._cause:
            listed = tuple(incident for incident in listed if incident.cause == self._cause)
        self.incidents.show_rows(listed)
        place = next((k for k, total in enumerate(self.causes.shown) if total.cause == self._cause), -1)
        if place >= 0:
            self.cause_table.selectRow(place)
        else:
            self.cause_table.clearSelection()

    def _soon(self) -> None:
        if self._seen and not self._settling.isActive():
            self._settling.start()

    def _on_run_started(self) -> None:
        self._record.forget()
        self.found, self._id, self._cause = None, "", ""
        self._fill(None)
        self._soon()

    def _on_figures(self, _frame: object) -> None:
        if self._seen and time.monotonic() >= self._next_wall_s:
            self.refresh()

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._settling.start()

    def _on_cause(self, index: QModelIndex) -> None:
        cause = self.causes.shown[index.row()].cause
        self.show_list("" if cause == self._cause else cause)

    def _on_incident(self, index: QModelIndex) -> None:
        incident = self.incidents.shown[index.row()]
        self.show_incident(incident)
        self.picked.emit(incident)
